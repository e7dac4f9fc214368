// Which stores the figures of a page show: a filter above the first of them, kept in the address (?stores=engines or ?stores=MapDb,RocksDb)
// and, as the choice of this reader, in the browser. charts.js asks kvStores what to draw.
//
// shown   what is known of the names in the figures: {name: {store: its id, own: its name, side: whether it is a further row of an
//         engine, colour}}, from the page's kv-charts
window.kvStores = (() => {
  const AT = "stores", ENGINES = "engines";
  let shown = {}, chosen = null; // ids, or ENGINES, or null for all
  const listeners = [];

  const ids = () => [...new Set(Object.values(shown).map((each) => each.store))];
  const isChosen = ({ store, side }) => chosen === null || (chosen === ENGINES ? !side : chosen.includes(store));
  const hidden = () => new Set(Object.keys(shown).filter((name) => !isChosen(shown[name])));

  // A copy of a specification without the rows of some names, its panels as much lower; panels of which nothing is left are gone.
  function filtered(spec, names) {
    if (!names.size || !spec.datasets || !spec.concat) return spec;
    const kept = structuredClone(spec);
    const rowsOf = (layer, datasets) => datasets[layer.data?.name] ?? [];
    for (const [name, rows] of Object.entries(kept.datasets)) kept.datasets[name] = rows.filter((row) => !names.has(row.name));
    kept.concat = kept.concat.filter((panel) => {
      const layers = panel.layer ?? [panel];
      const places = layers.find((layer) => layer.encoding?.y?.field === "name" && layer.encoding.y.scale?.domain);
      if (!places) {
        const own = layers.filter((layer) => layer.encoding?.color?.field && layer.data?.name);
        return !own.length || own.some((layer) => rowsOf(layer, kept.datasets).length);
      }
      const before = places.encoding.y.scale.domain, after = before.filter((name) => !names.has(name));
      const without = new Set(layers.flatMap((layer) => rowsOf(layer, spec.datasets)).filter((row) => row.note).map((row) => row.name));
      const step = panel.height / before.length;
      const gone = before.filter((name) => names.has(name) && !without.has(name)).length;
      panel.height = step * after.length;
      for (const { encoding } of layers) {
        if (encoding?.y?.scale?.domain) encoding.y.scale.domain = after;
        for (const end of ["y", "y2"]) if (typeof encoding?.[end]?.value === "number" && encoding[end].value) encoding[end].value -= step * gone;
      }
      return after.length > 0;
    });
    return kept;
  }

  function read() {
    const own = new URLSearchParams(location.search).get(AT) ?? remembered();
    if (!own || own === "all") return null;
    if (own === ENGINES) return ENGINES;
    const known = ids(), named = own.split(",").filter((id) => known.includes(id));
    return named.length ? named : null; // of a choice of which this page has none, all are shown
  }

  function remembered() {
    try { return localStorage.getItem("kv-stores"); } catch { return null; }
  }

  function keep() {
    const value = chosen === null ? "all" : chosen === ENGINES ? ENGINES : chosen.join(",");
    try { localStorage.setItem("kv-stores", value); } catch { /* a browser that keeps nothing */ }
    const address = new URL(location.href);
    if (chosen === null) address.searchParams.delete(AT);
    else address.searchParams.set(AT, value);
    try { history.replaceState(null, "", address); } catch { /* a browser that lets no page from disk change its address */ }
  }

  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function bar(key) {
    const said = make("summary"), boxes = make("fieldset", { className: "kv-form" });
    const named = new Map(Object.values(shown).map((each) => [each.store, each]));
    const ways = [["all", "All rows"], [ENGINES, "One row for each engine"], ["own", "My choice:"]].map(([value, text]) => {
      const input = make("input", { type: "radio", name: "kv-stores", value });
      input.addEventListener("change", () => {
        chosen = value === "all" ? null : value === ENGINES ? ENGINES : ids().filter((id) => isChosen(named.get(id)));
        changed();
      });
      return make("label", {}, input, ` ${text}`);
    });
    const stores = [...named.values()].sort((one, other) => one.own.localeCompare(other.own)).map((each) => {
      const input = make("input", { type: "checkbox", value: each.store });
      input.addEventListener("change", () => {
        const now = ids().filter((id) => isChosen(named.get(id)));
        chosen = input.checked ? [...now, each.store] : now.filter((id) => id !== each.store);
        if (!chosen.length) chosen = [each.store]; // a figure of nothing helps nobody
        changed();
      });
      const swatch = make("span", { className: "kv-swatch", ariaHidden: "true" });
      swatch.style.background = each.colour;
      return make("label", {}, input, " ", swatch, ` ${each.own}`);
    });
    boxes.append(make("legend", { textContent: "Stores in this page's figures" }), ...ways, ...stores,
      make("p", { textContent: `${key}. Titles and sentences count all rows, whatever is shown. A click on a mark sets its store off in every figure.` }));

    function changed() {
      keep();
      tell();
      listeners.forEach((each) => each());
    }
    function tell() {
      const many = ids().filter((id) => isChosen(named.get(id))).length;
      said.textContent = chosen === null ? `Figures show all ${named.size} stores` : `Figures show ${many} of ${named.size} stores`;
      ways[[null, ENGINES].includes(chosen) ? (chosen === null ? 0 : 1) : 2].firstChild.checked = true;
      for (const label of stores) label.firstChild.checked = isChosen(named.get(label.firstChild.value));
    }
    tell();
    return make("details", { className: "kv-filter" }, said, boxes);
  }

  return {
    hidden, filtered,
    idOf: (name) => (Object.hasOwn(shown, name) ? shown[name].store : null),
    listen: (listener) => listeners.push(listener),
    // Begins; puts the filter after an element where the page has stores to choose from.
    start(names, key, after) {
      shown = names;
      chosen = read();
      if (ids().length > 2) after.after(bar(key));
    },
  };
})();

// "Your case": ranks stores by what a mix of operations costs, from the table in <script type="application/json" id="kv-chooser">.
// The arithmetic is that of kvreport/analysis/chooser.py, function by function; tests/test_chooser.py holds the two to each other.
// The page works from disk, by keyboard, and keeps the choice in the address after "#".
(() => {
  const source = document.getElementById("kv-chooser");
  if (!source || window.kvChooser) return;
  const { log, exp, sqrt, min, max, abs } = Math;

  // --- arithmetic ---

  function key(keys, order, tier, regime, operation) {
    return [keys, order, operation === "put" ? tier : "none", regime, operation].join("|");
  }

  function satterthwaite(table, parts, freedoms) {
    const most = table.freedoms.at(-1);
    let spread = 0, sum = 0;
    parts.forEach((part, i) => {
      if (freedoms[i]) spread += part ** 2 / freedoms[i];
      sum += part;
    });
    return spread ? min(sum ** 2 / spread, most) : most;
  }

  function atSize(table, points, bytes) {
    const next = points.length > 1 ? points.slice(1) : points;
    for (let i = 0; i < next.length; i++) {
      const [low, high] = [points[i], next[i]];
      if (low[0] > bytes || bytes > high[0]) continue;
      const share = high[0] > low[0] ? log(bytes / low[0]) / log(high[0] / low[0]) : 0;
      const weights = [1 - share, share];
      const ends = [low, high];
      const parts = weights.map((weight, at) => weight ** 2 * ends[at][2]);
      const single = weights.some((weight, at) => weight && !ends[at][3]);
      return {
        log: weights[0] * low[1] + weights[1] * high[1],
        variance: parts[0] + parts[1],
        freedom: single ? 0 : satterthwaite(table, parts, [low[3], high[3]]),
      };
    }
    return null;
  }

  function cost(table, query, store) {
    const found = [];
    for (const [operation, share] of Object.entries(query.shares)) {
      if (!(share > 0)) continue;
      const points = table.points[key(query.keys, query.order, query.tier, query.regime, operation)]?.[store];
      const estimate = points && atSize(table, points, query.value_bytes);
      if (!estimate) return null;
      found.push({ share, ...estimate });
    }
    const total = found.reduce((sum, each) => sum + each.share * exp(each.log), 0);
    if (!total) return null;
    const parts = found.map((each) => ((each.share * exp(each.log)) / total) ** 2 * each.variance);
    const single = found.some((each) => !each.freedom);
    return {
      log: log(total),
      variance: parts.reduce((sum, part) => sum + part, 0),
      freedom: single ? 0 : satterthwaite(table, parts, found.map((each) => each.freedom)),
    };
  }

  function critical(table, comparisons, freedom) {
    const row = table.critical[min(max(comparisons, 1), table.critical.length) - 1];
    const at = max(freedom, table.freedoms[0]);
    for (let i = 0; i + 1 < row.length; i++) {
      const [low, high] = [table.freedoms[i], table.freedoms[i + 1]];
      if (at <= high) return row[i] + ((1 / low - 1 / at) / (1 / low - 1 / high)) * (row[i + 1] - row[i]);
    }
    return row.at(-1);
  }

  function rank(table, query, able) {
    const costs = able.map((store) => ({ store, ...cost(table, query, store) })).filter((each) => "log" in each);
    costs.sort((one, other) => one.log - other.log || (one.store < other.store ? -1 : 1));
    return costs.map((own, at) => ranked(table, own, costs[0], costs.length - 1, at === 0));
  }

  function ranked(table, own, best, comparisons, isBest) {
    const ns = exp(own.log), ratio = exp(own.log - best.log);
    const none = { low: null, high: null, ratio_low: null, ratio_high: null, noisy: false };
    if (!own.freedom || !best.freedom) return { store: own.store, cost: ns, ratio, ...none, tied: isBest };
    const reach = critical(table, 1, own.freedom) * sqrt(own.variance);
    const interval = { low: ns * exp(-reach), high: ns * exp(reach) };
    if (isBest) return { store: own.store, cost: ns, ...interval, ratio: 1, ratio_low: 1, ratio_high: 1, tied: true, noisy: false };
    const freedom = satterthwaite(table, [own.variance, best.variance], [own.freedom, best.freedom]);
    const apart = critical(table, comparisons, freedom) * sqrt(own.variance + best.variance + table.between);
    const [low, high] = [ratio * exp(-apart), ratio * exp(apart)];
    const tied = low <= table.margin;
    return { store: own.store, cost: ns, ...interval, ratio, ratio_low: low, ratio_high: high, tied, noisy: tied && ratio > table.noisy };
  }

  function nearest(table, query, store) {
    for (const [operation, share] of Object.entries(query.shares)) {
      if (!(share > 0)) continue;
      const points = table.points[key(query.keys, query.order, query.tier, query.regime, operation)]?.[store] ?? [];
      if (!points.length) return [operation, Infinity];
      if (!atSize(table, points, query.value_bytes)) {
        const far = (size) => abs(log(size / query.value_bytes));
        return [operation, points.map((each) => each[0]).reduce((one, other) => (far(other) < far(one) ? other : one))];
      }
    }
    return null;
  }

  window.kvChooser = { rank, nearest, critical };

  // --- the page ---

  const table = JSON.parse(source.textContent);
  const TIERS = { none: "nothing", process: "the end of the process", commit: "a power cut" };
  const NEEDS = { // what a store has to have: by the facts that are held of it
    ordered: ["keys in order", (of) => of.ordered],
    transactions: ["transactions", (of) => ["snapshot", "serializable"].includes(of.transactions)],
    several: ["several processes", (of) => of.processes === "several"],
    java: ["no native code", (of) => !of.native],
    windows: ["Windows", (of) => of.platforms.includes("windows-x64")],
    apple: ["Apple silicon", (of) => of.platforms.includes("macos-arm64")],
    arm: ["Linux on ARM", (of) => of.platforms.includes("linux-arm64")],
    grows: ["no size beforehand", (of) => !of.size_beforehand],
    maintained: ["maintained", (of) => of.maintained],
    permissive: ["no copyleft licence", (of) => !/GPL|Sleepycat/.test(of.licence)],
  };
  const CHOICES = { // name in the address: label, values with their words
    keys: ["Keys", { int: "4-byte integers", string: "16-byte strings" }],
    order: ["in", { random: "random order", sequential: "key order" }],
    tier: ["A put survives", TIERS],
    data: ["Data", { memory: "fit in memory", beyond: "are 4 times the memory" }],
  };
  const SLIDERS = { get: "gets", put: "puts", scan: "scanned entries" };
  const state = { keys: "int", order: "random", tier: "none", data: "memory", bytes: 100, get: 90, put: 10, scan: 0, needs: [] };
  const sizes = [...new Set(Object.values(table.points).flatMap((of) => Object.values(of).flat().map((point) => point[0])))].sort((a, b) => a - b);

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function duration(ns) {
    const [unit, size] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["µs", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];
    return `${significant(ns / size)} ${unit}`;
  }

  function significant(value) {
    return value >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
  }

  function fromAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [name, [, values]] of Object.entries(CHOICES)) if (given.get(name) in values) state[name] = given.get(name);
    for (const name of Object.keys(SLIDERS)) if (/^\d{1,3}$/.test(given.get(name) ?? "")) state[name] = min(100, Number(given.get(name)));
    const bytes = Number(given.get("bytes"));
    if (bytes >= sizes[0] && bytes <= sizes.at(-1)) state.bytes = bytes;
    if (given.has("needs")) state.needs = given.get("needs").split(".").filter((need) => need in NEEDS);
  }

  function toAddress() {
    const { needs, ...rest } = state;
    const kept = new URLSearchParams({ case: "", ...rest, ...(needs.length ? { needs: needs.join(".") } : {}) });
    history.replaceState(null, "", `#${kept}`);
  }

  function query() {
    const sum = state.get + state.put + state.scan || 1;
    const shares = Object.fromEntries(Object.keys(SLIDERS).map((name) => [name, state[name] / sum]));
    return { keys: state.keys, order: state.order, value_bytes: state.bytes, shares, tier: state.tier, regime: state.data };
  }

  function lacking({ facts, once }) {
    if (once && state.put) return "is written once, and then made anew";
    if (!facts) return state.needs.length ? "no facts are held of it" : "";
    const missing = state.needs.filter((need) => !NEEDS[need][1](facts)).map((need) => NEEDS[need][0]);
    if (state.put && state.tier !== "none" && !facts.tiers.includes(state.tier)) missing.push("that durability");
    return missing.length ? `has not: ${missing.join(", ")}` : "";
  }

  function unmeasured(asked, name) {
    const found = nearest(table, asked, name);
    if (!found) return "not measured";
    const [operation, size] = found;
    return `${SLIDERS[operation]} not measured${Number.isFinite(size) ? ` at this size; nearest is ${size.toLocaleString("en")} B` : " so"}`;
  }

  function remark(facts, row) {
    const words = [];
    if (row.noisy) words.push("too noisy to place");
    if (facts?.default === "none" || facts?.default === "process") words.push("a power cut may cost data, as shipped");
    if (facts?.size_beforehand) words.push("wants its size beforehand");
    return words.join("; ");
  }

  function space(name) {
    const points = table.space[`${state.keys}|${state.order}`]?.[name];
    if (!points) return "–";
    const near = points.reduce((one, other) => (abs(log(other[0] / state.bytes)) < abs(log(one[0] / state.bytes)) ? other : one));
    return `${near[1].toFixed(2)}×`;
  }

  function show(output) {
    const asked = query();
    const [able, out] = [[], []];
    for (const store of table.stores) {
      const why = lacking(store);
      if (why) out.push([store.name, why]);
      else able.push(store);
    }
    const rows = rank(table, asked, able.map((store) => store.name));
    const placed = new Set(rows.map((row) => row.store));
    for (const store of able) if (!placed.has(store.name)) out.push([store.name, unmeasured(asked, store.name)]);
    const heads = ["", "store", "an operation", "95% interval", "times the best", "disk / data", "remark"];
    const body = rows.map((row, at) => {
      const level = row.tied && !row.noisy;
      const first = rows.findIndex((each) => !(each.tied && !each.noisy));
      const place = row.noisy ? "?" : level ? (first === 1 ? "1" : "1 =") : String(at + 1);
      const ratio = row.ratio_low === null ? significant(row.ratio) : `${significant(row.ratio)} [${significant(row.ratio_low)}, ${significant(row.ratio_high)}]`;
      const interval = row.low === null ? "one trial" : `${duration(row.low)} to ${duration(row.high)}`;
      const facts = table.stores.find((store) => store.name === row.store).facts;
      const cells = [place, row.store, duration(row.cost), interval, at ? ratio : "1", space(row.store), remark(facts, row)];
      return element("tr", { className: level ? "kv-level" : "" }, ...cells.map((text) => element("td", {}, text)));
    });
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    output.replaceChildren(
      rows.length ? element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)) : element("p", {}, "No store that has all of this was measured so."),
      ...(out.length ? [element("p", { className: "kv-out" }, `Left out: ${out.map(([name, why]) => `${name} (${why})`).join("; ")}.`)] : []),
    );
  }

  function start() {
    const box = document.getElementById("kv-choose");
    if (!box || !sizes.length) return;
    fromAddress();
    const output = element("div", { className: "kv-ranked" });
    output.setAttribute("aria-live", "polite");
    const form = element("form", { className: "kv-form" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const changed = () => {
      toAddress();
      show(output);
    };
    for (const [name, [label, values]] of Object.entries(CHOICES)) {
      const select = element("select", { name }, ...Object.entries(values).map(([value, words]) => element("option", { value, selected: state[name] === value }, words)));
      select.addEventListener("change", () => { state[name] = select.value; changed(); });
      form.append(element("label", {}, `${label} `, select));
    }
    const ends = [log(sizes[0]), log(sizes.at(-1))];
    const slider = (name, label, least, most, value, told, set) => {
      const shown = element("output", {}, told(value));
      const input = element("input", { type: "range", name, min: least, max: most, step: "any", value });
      if (most === 100) input.step = 1;
      input.addEventListener("input", () => { const got = set(Number(input.value)); shown.textContent = told(got); changed(); });
      form.append(element("label", {}, `${label} `, input, " ", shown));
    };
    slider("bytes", "Values of", ends[0], ends[1], log(state.bytes), (at) => `${Math.round(exp(at)).toLocaleString("en")} B${sizes.includes(Math.round(exp(at))) ? "" : ", between measured sizes"}`, (at) => {
      const close = sizes.find((size) => abs(log(size) - at) < 0.04);
      state.bytes = close ?? Math.round(exp(at));
      return log(state.bytes);
    });
    for (const [name, label] of Object.entries(SLIDERS)) slider(name, label, 0, 100, state[name], (value) => `${value} parts`, (value) => (state[name] = value));
    const needs = element("fieldset", {}, element("legend", {}, "It must have"));
    for (const [name, [label]] of Object.entries(NEEDS)) {
      const input = element("input", { type: "checkbox", name, checked: state.needs.includes(name) });
      input.addEventListener("change", () => {
        state.needs = Object.keys(NEEDS).filter((need) => (need === name ? input.checked : state.needs.includes(need)));
        changed();
      });
      needs.append(element("label", {}, input, ` ${label}`));
    }
    form.append(needs);
    box.replaceChildren(form, output);
    show(output);
    if (location.hash.startsWith("#case=")) box.scrollIntoView();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

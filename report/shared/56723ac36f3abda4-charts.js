// Draws the charts of a page: each static picture gives way to the same chart, live, in the page's colours, of the stores that the
// reader chose (stores.js); a click on a mark sets its store off in every chart; below each are its picture and its rows to save.
// The page holds one <script type="application/json" id="kv-charts"> with Vega's config, a Vega-Lite spec for each figure's id, and
// what is known of the stores by their names there; in a published version compressed, as {"deflate": base64}.
// Browsers that cannot undo that keep the pictures.
(() => {
  const source = document.getElementById("kv-charts");
  if (!source || window.kvCharts) return;
  window.kvCharts = true;
  let config, specs, stores, key;
  const picked = new Set(); // ids of stores that are set off
  const narrowBelow = 560; // px; in a narrower box a chart takes the layout for phones that its spec names
  const legibleWidth = 320; // px; narrower than this a chart scrolls in its box instead of shrinking
  const charts = [];
  const drawing = ["colour", "start", "end", "ink", "label", "is_baseline", "until"]; // no data of a reader's

  async function unpack() {
    const { deflate } = JSON.parse(source.textContent);
    if (!deflate) return;
    const bytes = Uint8Array.from(atob(deflate), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    source.textContent = await new Response(stream).text();
  }

  function themed() {
    const style = getComputedStyle(document.body);
    const colour = (name) => style.getPropertyValue(`--kv-${name}`).trim();
    const [ink, muted, grid] = ["ink", "muted", "grid"].map(colour);
    const recoloured = {
      axis: { labelColor: muted, titleColor: ink, gridColor: grid, domainColor: muted, tickColor: muted },
      header: { labelColor: ink, titleColor: ink },
      legend: { labelColor: ink, titleColor: ink },
      title: { color: ink, subtitleColor: muted },
      text: { color: ink },
      rule: { color: ink },
      point: { color: ink },
    };
    const merged = { ...config, background: null, font: colour("font") };
    for (const [part, colours] of Object.entries(recoloured)) merged[part] = { ...config[part], ...colours };
    return merged;
  }

  // A tooltip of what a mark has, without what it has not; `clean` makes text of anything.
  function tooltipOf(values, clean) {
    const rows = Object.entries(values).filter(([, value]) => !/^(NaN|null|undefined|)$/.test(`${value}`));
    return `<table>${rows.map(([name, value]) => `<tr><td class="key">${clean(name)}</td><td class="value">${clean(value)}</td></tr>`).join("")}</table>`;
  }

  async function draw(chart) {
    const dark = document.body.classList.contains("quarto-dark");
    const whole = chart.narrow ? { ...chart.spec, ...chart.spec.usermeta?.narrow } : chart.spec;
    const spec = chart.shown = kvStores.filtered(whole, kvStores.hidden());
    if (chart.view) chart.view.finalize();
    const result = await vegaEmbed(chart.box, spec, {
      actions: false, renderer: "svg", config: themed(),
      ast: true, // expressions are interpreted: the page's policy lets no text become a script
      defaultStyle: false, tooltip: { disableDefaultStyle: true, formatTooltip: tooltipOf }, // nor a style; kv.css has what is needed
    });
    chart.view = result.view;
    const svg = chart.box.querySelector("svg");
    // what Vega says of each mark; the figure has words of its own, and a table
    for (const part of svg.querySelectorAll("[role], [aria-roledescription], [aria-label]")) {
      for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
    }
    svg.style.minWidth = `${Math.min(Number(svg.getAttribute("width")), legibleWidth)}px`;
    link(svg);
    setOff(svg);
    // Vega has put words of its own in the place of ours; the links of what is an "img" could not be reached
    chart.box.setAttribute("aria-label", chart.words);
    chart.box.removeAttribute("aria-roledescription");
    chart.box.setAttribute("role", svg.querySelector("a") ? "group" : "img");
    chart.box.dataset.drawn = dark ? "dark" : "light";
  }

  // Each name of a store becomes a link; by the keyboard it is reached once a chart.
  function link(svg) {
    const reached = new Set();
    for (const text of svg.querySelectorAll("text")) {
      const name = text.__data__?.text ?? text.textContent; // Vega's own; the drawn may be cut short
      if (!Object.hasOwn(stores, name) || !stores[name].driven) continue;
      const address = document.createElementNS("http://www.w3.org/2000/svg", "a");
      address.setAttribute("href", stores[name].driven);
      address.setAttribute("aria-label", `How ${name} was driven`);
      if (reached.has(name)) address.setAttribute("tabindex", "-1");
      reached.add(name);
      text.replaceWith(address);
      address.append(text);
    }
  }

  const storeOf = (element) => {
    const { datum, text } = element.__data__ ?? {};
    return kvStores.idOf(datum?.name ?? text ?? "");
  };

  // What belongs to a store that is set off stands out, the rest stands back.
  function setOff(svg) {
    for (const element of svg.querySelectorAll("path, rect, line, text")) {
      const store = storeOf(element);
      element.classList.toggle("kv-back", store !== null && picked.size > 0 && !picked.has(store));
      element.classList.toggle("kv-off", store !== null && picked.has(store));
    }
  }

  function pick(event) {
    const store = storeOf(event.target);
    if (store === null || event.target.closest("a")) return;
    if (!picked.delete(store)) picked.add(store);
    for (const { box } of charts) setOff(box);
  }

  // The rows that a chart shows, a line each, with what a reader can use of them.
  function csv(spec) {
    const rows = (spec.concat ?? [spec]).flatMap((panel) => {
      const sets = (panel.layer ?? [panel]).map((layer) => spec.datasets?.[layer.data?.name] ?? []);
      const most = sets.reduce((best, rows) => (Object.keys(rows[0] ?? {}).length > Object.keys(best[0] ?? {}).length ? rows : best), []);
      return most.map((row) => ({ panel: [panel.title?.text ?? ""].flat().join(" "), ...row }));
    });
    const columns = [...new Set(rows.flatMap(Object.keys))].filter((name) => !drawing.includes(name) && !name.endsWith("_in"));
    const cell = (value) => (/[",\n]/.test(`${value ?? ""}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value ?? ""}`);
    return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  }

  const ways = {
    SVG: async (chart) => new Blob([await chart.view.toSVG()], { type: "image/svg+xml" }),
    PNG: async (chart) => {
      const canvas = await chart.view.toCanvas(2); // twice as many pixels
      return new Promise((done) => canvas.toBlob(done));
    },
    CSV: async (chart) => new Blob([csv(chart.shown)], { type: "text/csv" }),
  };

  async function save(chart, way) {
    const address = URL.createObjectURL(await ways[way](chart));
    const link = document.createElement("a");
    Object.assign(link, { href: address, download: `${chart.id}.${way.toLowerCase()}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  function savers(chart) {
    const row = document.createElement("div");
    row.className = "kv-save";
    for (const way of Object.keys(ways)) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: way, title: `Save this figure as ${way}` });
      button.addEventListener("click", () => save(chart, way).catch((error) => console.error(`chart ${chart.id}: ${error}`)));
      row.append(button);
    }
    return row;
  }

  function redraw(chart) {
    draw(chart).catch((error) => console.error(`chart ${chart.id}: ${error}`));
  }

  async function start() {
    await unpack();
    ({ config, specs, stores = {}, key = "" } = JSON.parse(source.textContent));
    const font = getComputedStyle(document.body).getPropertyValue("--kv-font");
    await Promise.all(["12px", "bold 12px", "italic 12px"].map((style) => document.fonts.load(`${style} ${font}`)));
    for (const [id, spec] of Object.entries(specs)) {
      const picture = document.getElementById(id)?.querySelector("img");
      if (!picture) {
        console.error(`chart ${id}: this page has no figure with that id`);
        continue;
      }
      const box = document.createElement("div");
      box.className = "kv-chart";
      box.addEventListener("click", pick);
      picture.replaceWith(box);
      const room = box.parentElement;
      const chart = { id, spec, box, words: picture.alt, narrow: room.clientWidth < narrowBelow };
      if (!charts.length) kvStores.start(stores, key, document.querySelector("main #title-block-header, main h1") ?? box);
      charts.push(chart);
      if (spec.concat) box.after(savers(chart));
      redraw(chart);
      new ResizeObserver(() => {
        if (chart.narrow === (chart.narrow = room.clientWidth < narrowBelow)) return;
        redraw(chart);
      }).observe(room);
    }
    kvStores.listen(() => charts.forEach(redraw));
    let dark = document.body.classList.contains("quarto-dark");
    new MutationObserver(() => {
      if (dark === (dark = document.body.classList.contains("quarto-dark"))) return;
      charts.forEach(redraw);
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

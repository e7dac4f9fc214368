// Draws the charts of a page: each static picture gives way to the same chart, live, in the page's colours.
// The page holds one <script type="application/json" id="kv-charts"> with Vega's config, a Vega-Lite spec for each figure's id, and
// the addresses behind the names of stores; in a published version compressed, as {"deflate": base64}. Browsers that cannot undo that
// keep the pictures.
(() => {
  const source = document.getElementById("kv-charts");
  if (!source || window.kvCharts) return;
  window.kvCharts = true;
  let config, specs, links;
  const narrowBelow = 560; // px; in a narrower box a chart takes the layout for phones that its spec names
  const legibleWidth = 320; // px; narrower than this a chart scrolls in its box instead of shrinking
  const charts = [];

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

  async function draw(chart) {
    const dark = document.body.classList.contains("quarto-dark");
    const spec = chart.narrow ? { ...chart.spec, ...chart.spec.usermeta?.narrow } : chart.spec;
    if (chart.view) chart.view.finalize();
    const result = await vegaEmbed(chart.box, spec, {
      actions: false, renderer: "svg", config: themed(),
      ast: true, // expressions are interpreted: the page's policy lets no text become a script
      defaultStyle: false, tooltip: { disableDefaultStyle: true }, // nor a style; kv.css has what is needed
    });
    chart.view = result.view;
    const svg = chart.box.querySelector("svg");
    svg.style.minWidth = `${Math.min(Number(svg.getAttribute("width")), legibleWidth)}px`;
    link(svg);
    // the links of what is an "img" could not be reached
    chart.box.setAttribute("role", svg.querySelector("a") ? "group" : "img");
    chart.box.dataset.drawn = dark ? "dark" : "light";
  }

  // Each name of a store becomes a link; by the keyboard it is reached once a chart.
  function link(svg) {
    const reached = new Set();
    for (const text of svg.querySelectorAll("text")) {
      const name = text.__data__?.text ?? text.textContent; // Vega's own; the drawn may be cut short
      if (!Object.hasOwn(links, name)) continue;
      const address = document.createElementNS("http://www.w3.org/2000/svg", "a");
      address.setAttribute("href", links[name]);
      address.setAttribute("aria-label", `How ${name} was driven`);
      if (reached.has(name)) address.setAttribute("tabindex", "-1");
      reached.add(name);
      text.replaceWith(address);
      address.append(text);
    }
  }

  function redraw(chart) {
    draw(chart).catch((error) => console.error(`chart ${chart.id}: ${error}`));
  }

  async function start() {
    await unpack();
    ({ config, specs, links = {} } = JSON.parse(source.textContent));
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
      box.setAttribute("aria-label", picture.alt);
      picture.replaceWith(box);
      const room = box.parentElement;
      const chart = { id, spec, box, narrow: room.clientWidth < narrowBelow };
      charts.push(chart);
      redraw(chart);
      new ResizeObserver(() => {
        if (chart.narrow === (chart.narrow = room.clientWidth < narrowBelow)) return;
        redraw(chart);
      }).observe(room);
    }
    let dark = document.body.classList.contains("quarto-dark");
    new MutationObserver(() => {
      if (dark === (dark = document.body.classList.contains("quarto-dark"))) return;
      charts.forEach(redraw);
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

// "Your case": ranks stores (ranking.js) by what a mix of operations costs, from the table in <script type="application/json"
// id="kv-chooser">. The page works from disk, by keyboard, and keeps the choice in the address after "#".
(() => {
  const source = document.getElementById("kv-chooser");
  if (!source || window.kvChooser) return;
  window.kvChooser = true;
  const { rank, nearest } = kvRanking;
  const { log, exp, min, abs } = Math;

  const table = JSON.parse(source.textContent);
  const tables = [table, ...(table.others ?? [])]; // of other machines: what is measured on two is in no sum
  const TIERS = { none: "nothing", process: "the end of the process", commit: "a power cut" };
  const NEEDS = { // what a store has to have: by the facts that are held of it
    ordered: ["keys in order", (of) => of.ordered],
    transactions: ["transactions", (of) => ["snapshot", "serializable"].includes(of.transactions)],
    several: ["several processes write", (of) => of.processes === "several"],
    shared: ["other processes read", (of) => of.processes !== "one"],
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
  const EXAMPLES = { // a program in a few words: what it does
    "settings of a desktop app, each saved for good": { keys: "string", order: "random", tier: "commit", data: "memory", bytes: 100, get: 0, put: 100, scan: 0, needs: ["java"] },
    "a cache": { keys: "string", order: "random", tier: "none", data: "memory", bytes: 100, get: 90, put: 10, scan: 0, needs: ["maintained"] },
    "an index, read in order": { keys: "int", order: "random", tier: "none", data: "memory", bytes: 100, get: 10, put: 10, scan: 80, needs: ["ordered"] },
    "events, each on disk": { keys: "string", order: "sequential", tier: "commit", data: "memory", bytes: 100, get: 0, put: 100, scan: 0, needs: [] },
    "loaded once, scanned often, larger than memory": { keys: "int", order: "random", tier: "none", data: "beyond", bytes: 2026, get: 0, put: 0, scan: 100, needs: ["ordered"] },
  };
  const SLIDERS = { get: "gets", put: "puts", scan: "scanned entries" };
  const state = { keys: "int", order: "random", tier: "none", data: "memory", bytes: 100, get: 90, put: 10, scan: 0, needs: [] };
  const sizes = [...new Set(tables.flatMap((each) => Object.values(each.points)).flatMap((of) => Object.values(of).flat().map((point) => point[0])))].sort((a, b) => a - b);

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

  function query(of = state) {
    const sum = of.get + of.put + of.scan || 1;
    const shares = Object.fromEntries(Object.keys(SLIDERS).map((name) => [name, of[name] / sum]));
    return { keys: of.keys, order: of.order, value_bytes: of.bytes, shares, tier: of.tier, regime: of.data };
  }

  // Who is ranked at a case, from the first table that has anyone, and that table.
  function found(of, names) {
    for (const from of tables) {
      const rows = rank(from, query(of), names);
      if (rows.length) return { rows, from };
    }
    return { rows: [], from: table };
  }

  // What differs least from a case that nobody was measured at: [words, changes] each, of which somebody was.
  function alternatives(names) {
    const far = (size) => abs(log(size / state.bytes));
    const others = Object.entries(CHOICES).filter(([name]) => name !== "tier").flatMap(([name, [, values]]) =>
      Object.entries(values).filter(([value]) => value !== state[name]).map(([value, words]) => [words, { [name]: value }]));
    const alone = Object.entries(SLIDERS).filter(([name]) => state[name] && state[name] < state.get + state.put + state.scan)
      .map(([name, words]) => [`${words} alone`, { get: 0, put: 0, scan: 0, [name]: 100 }]);
    return [["", {}], ...alone, ...others].flatMap(([words, changes]) => {
      const measured = [state.bytes, ...sizes].filter((bytes) => found({ ...state, ...changes, bytes }, names).rows.length);
      if (!measured.length) return [];
      const [bytes] = measured.sort((one, other) => far(one) - far(other));
      const size = bytes === state.bytes ? "" : `values of ${bytes.toLocaleString("en")} B`;
      return [[[words, size].filter(Boolean).join(", "), { ...changes, bytes }]];
    });
  }

  function lacking({ facts, once }) {
    if (once && state.put) return "is written once, and then made anew";
    if (!facts) return state.needs.length ? "no facts are held of it" : "";
    const missing = state.needs.filter((need) => !NEEDS[need][1](facts)).map((need) => NEEDS[need][0]);
    if (state.put && state.tier !== "none" && !facts.tiers.includes(state.tier)) missing.push("that durability");
    return missing.length ? `has not: ${missing.join(", ")}` : "";
  }

  function unmeasured(from, name) {
    const near = nearest(from, query(), name);
    if (!near) return "not measured";
    const [operation, size] = near;
    return `${SLIDERS[operation]} not measured${Number.isFinite(size) ? ` at this size; nearest is ${size.toLocaleString("en")} B` : " so"}`;
  }

  function remark({ facts, lost }, row) {
    const words = [];
    if (row.verdict === "too noisy") words.push("cannot be told from the best");
    if (lost) words.push("lost commits in crashes here");
    if (facts?.default === "none" || facts?.default === "process") words.push("a power cut may cost data, as shipped");
    if (facts?.size_beforehand) words.push("wants its size beforehand");
    return words.join("; ");
  }

  function space(from, name) {
    const points = from.space[`${state.keys}|${state.order}`]?.[name];
    if (!points) return "–";
    const near = points.reduce((one, other) => (abs(log(other[0] / state.bytes)) < abs(log(one[0] / state.bytes)) ? other : one));
    return `${near[1].toFixed(2)}×`;
  }

  // Why nobody is ranked, with the nearest cases that somebody is at, a button each.
  function nothing(names, change) {
    const near = names.length ? alternatives(names) : [];
    const buttons = near.map(([words, changes]) => {
      const button = element("button", { type: "button" }, words);
      button.addEventListener("click", () => change(changes));
      return button;
    });
    const said = names.length ? `Not measured so of any store that has all of this.${near.length ? " Nearest:" : ""}` : "No store has all of this.";
    return [element("p", { className: "kv-near" }, said, ...buttons.flatMap((button) => [" ", button]))];
  }

  function show(output, change) {
    const [able, out] = [[], []];
    for (const store of table.stores) {
      const why = lacking(store);
      if (why) out.push([store.name, why]);
      else able.push(store);
    }
    const { rows, from } = found(state, able.map((store) => store.name));
    const placed = new Set(rows.map((row) => row.store));
    for (const store of able) if (!placed.has(store.name)) out.push([store.name, unmeasured(from, store.name)]);
    const heads = ["", "store", "an operation", "95% interval", "times the best", "disk / data", "remark"];
    const level = rows.filter((row) => ["fastest", "level"].includes(row.verdict)).length;
    const body = rows.map((row, at) => {
      const first = level > 1 ? "1 =" : "1"; // single trials rank nobody
      const place = { "too noisy": "?", "one trial": "–", slower: String(at + 1) }[row.verdict] ?? first;
      const ratio = row.ratio_low === null ? significant(row.ratio) : `${significant(row.ratio)} [${significant(row.ratio_low)}, ${significant(row.ratio_high)}]`;
      const interval = row.low === null ? "one trial" : `${duration(row.low)} to ${duration(row.high)}`;
      const store = table.stores.find((each) => each.name === row.store);
      const cells = [place, row.store, duration(row.cost), interval, at ? ratio : "1", space(from, row.store), remark(store, row)];
      return element("tr", { className: ["fastest", "level"].includes(row.verdict) ? "kv-level" : "" }, ...cells.map((text) => element("td", {}, text)));
    });
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    output.replaceChildren(
      ...(rows.length ? [element("table", {}, element("thead", {}, head), element("tbody", {}, ...body))] : nothing(able.map((store) => store.name), change)),
      ...(from.where ? [element("p", { className: "kv-out" }, `Measured on another machine than most: ${from.where}.`)] : []),
      ...(out.length ? [element("p", { className: "kv-out" }, `Left out: ${out.map(([name, why]) => `${name} (${why})`).join("; ")}.`)] : []),
    );
  }

  function start() {
    const box = document.getElementById("kv-choose");
    if (!box || !sizes.length) return;
    fromAddress();
    const output = element("div", { className: "kv-ranked" });
    output.setAttribute("aria-live", "polite");
    draw(box, output);
    if (location.hash.startsWith("#case=")) box.scrollIntoView();
  }

  // The form as the state has it, and below it who is ranked.
  function draw(box, output) {
    const form = element("form", { className: "kv-form" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const change = (changes) => {
      const pressed = document.activeElement?.textContent;
      Object.assign(state, changes);
      toAddress();
      draw(box, output);
      const again = [...box.querySelectorAll("button")].find((each) => each.textContent === pressed) ?? box.querySelector("select");
      again.focus({ preventScroll: true }); // where the keyboard was, or at the form's beginning
    };
    const changed = () => {
      toAddress();
      show(output, change);
    };
    const examples = element("p", { className: "kv-examples" }, "For example: ", ...Object.entries(EXAMPLES).flatMap(([words, changes], at) => {
      const button = element("button", { type: "button" }, words);
      button.addEventListener("click", () => change(changes));
      return at ? [" ", button] : [button];
    }));
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
    box.replaceChildren(examples, form, output);
    show(output, change);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

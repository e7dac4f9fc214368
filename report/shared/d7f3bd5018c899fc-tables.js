// Tables that a reader can sort by a column and narrow to the rows that have some words: those with a row for each thing, not those
// whose first column names a thing once for several rows. And whatever is wider than its box can be scrolled by keyboard.
(() => {
  if (window.kvTables) return;
  window.kvTables = true;
  const reached = new Set(); // boxes that have a place in the order of the keyboard from here
  const few = 4; // rows up to which there is nothing to sort
  const number = /^[-+×~<>]?\s*(\d[\d,]*(?:\.\d+)?|\.\d+)/;

  const valueOf = (text) => {
    const found = number.exec(text);
    return found ? Number(found[1].replaceAll(",", "")) * (text.startsWith("-") ? -1 : 1) : null;
  };

  // Numbers before words, and what is missing last, whichever way.
  function compare(one, other, way) {
    const [a, b] = [one, other].map(valueOf);
    const missing = (text) => text === "" || text === "–";
    if (missing(one) !== missing(other)) return missing(one) ? 1 : -1;
    if (a !== null && b !== null && a !== b) return way * (a - b);
    if ((a === null) !== (b === null)) return a === null ? 1 : -1;
    return way * one.localeCompare(other);
  }

  function sorted(table, at, head, heads) {
    const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    const text = (row) => row.cells[at].textContent.trim();
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort((one, other) => compare(text(one), text(other), way)));
  }

  function enliven(table) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])], rows = [...(table.tBodies[0]?.rows ?? [])];
    if (rows.length <= few || rows.some((row) => !row.cells[0].textContent.trim())) return;
    heads.forEach((head, at) => {
      head.scope = "col";
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "kv-sort" });
      button.append(...head.childNodes);
      button.addEventListener("click", () => sorted(table, at, head, heads));
      head.append(button);
    });
    const words = document.createElement("input");
    Object.assign(words, { type: "search", className: "kv-narrow", placeholder: "Only rows with …", ariaLabel: "Only rows with these words" });
    words.addEventListener("input", () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
    });
    table.before(words);
  }

  function reach() {
    for (const box of document.querySelectorAll("main pre, main div")) {
      const scrolls = box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
      if (scrolls && box.tabIndex < 0) {
        box.tabIndex = 0;
        reached.add(box);
      } else if (!scrolls && reached.delete(box)) box.removeAttribute("tabindex");
    }
  }

  function start() {
    document.querySelectorAll("main table:not(.kv-ranked table)").forEach(enliven);
    reach();
    addEventListener("resize", reach);
    addEventListener("toggle", reach, true); // of what is folded
    new MutationObserver(reach).observe(document.querySelector("main"), { childList: true, subtree: true });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

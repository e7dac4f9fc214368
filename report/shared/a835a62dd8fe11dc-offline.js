// The offline engine's pages: light or dark, the chapter list on a phone, the search box.
(() => {
  const body = document.body;
  const memory = { get: () => { try { return localStorage.getItem("kv-theme"); } catch { return null; } },
                   set: (theme) => { try { localStorage.setItem("kv-theme", theme); } catch { /* private window */ } } };

  function show(theme) {
    body.classList.toggle("quarto-dark", theme === "dark");
    body.classList.toggle("quarto-light", theme !== "dark");
  }

  // before anything is painted
  show(memory.get() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));

  document.addEventListener("DOMContentLoaded", () => {
    const byId = (id) => document.getElementById(id);

    byId("theme").addEventListener("click", () => {
      const theme = body.classList.contains("quarto-dark") ? "light" : "dark";
      show(theme);
      memory.set(theme);
    });

    byId("menu").addEventListener("click", (event) => {
      const open = body.classList.toggle("menu-open");
      event.target.setAttribute("aria-expanded", open);
    });

    byId("search").addEventListener("focus", () => {
      const index = document.createElement("script");
      index.src = `${body.dataset.root}/search.js`;
      index.onload = () => unpack().then(search);
      document.head.append(index);
    }, { once: true });
    byId("search").addEventListener("input", search);

    // in a published version the index is compressed
    async function unpack() {
      const { deflate } = window.kvSearch;
      if (!deflate) return;
      const bytes = Uint8Array.from(atob(deflate), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      window.kvSearch = await new Response(stream).json();
    }

    function search() {
      const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
      if (!Array.isArray(window.kvSearch)) return;
      const named = (title) => wanted.filter((word) => title.toLowerCase().includes(word)).length;
      const hits = (wanted.length ? window.kvSearch : []).filter(([title, , text]) => {
        const section = `${title} ${text}`.toLowerCase();
        return wanted.every((word) => section.includes(word));
      }).sort(([one], [other]) => named(other) - named(one)); // sections named for it before those that mention it
      if (wanted.length && !hits.length) {
        const none = document.createElement("li");
        none.textContent = `No section has ${wanted.length > 1 ? "all of these words" : "this word"}`;
        byId("found").replaceChildren(none);
        return;
      }
      byId("found").replaceChildren(...hits.slice(0, 12).map(([title, address]) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `${body.dataset.root}/${address}`;
        link.textContent = title;
        item.append(link);
        return item;
      }));
    }
  });
})();

// On the pages of a published version: says when a newer one is there. Which is the newest is told by versions.js, which lies beside the
// version's folder and is no part of it; without that file nothing is said.
(() => {
  const { version, root, page } = document.currentScript.dataset;
  const known = window.kvVersions;
  if (!known || known.versions.indexOf(version) < 1) return;
  const newest = known.versions[0];
  const link = document.createElement("a");
  link.href = `${root}/../${newest}/${known.pages.includes(page) ? page : "index.html"}`;
  link.textContent = `The newest version is ${newest}.`;
  const banner = document.createElement("p");
  banner.className = "kv-outdated";
  banner.setAttribute("role", "note");
  banner.append(`This report is out of date: it is version ${version}. `, link);
  document.querySelector("main").prepend(banner);
})();

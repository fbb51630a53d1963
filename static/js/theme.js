// In the head and not deferred: the theme stands before the first paint.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // The server keeps it; the form of the switch tells it of another one.
  let kept = root.dataset.bsTheme || "system";

  function apply() {
    root.dataset.bsTheme = kept === "system" ? (system.matches ? "dark" : "light") : kept;
  }

  function choose(theme) {
    kept = theme;
    apply();
  }

  root.classList.add("js");
  apply();
  system.addEventListener("change", apply);
  window.theme = { chosen: () => kept, choose };
})();

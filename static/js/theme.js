// In the head and not deferred: the theme stands before the first paint.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // What the server read from the cookie, for when storage is empty or off.
  let kept = root.dataset.bsTheme || "system";

  function chosen() {
    try {
      return localStorage.getItem("theme") || kept;
    } catch {
      return kept;
    }
  }

  function apply() {
    const theme = chosen();
    root.dataset.bsTheme = theme === "system" ? (system.matches ? "dark" : "light") : theme;
  }

  function choose(theme) {
    kept = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Storage is off: the choice still holds through the cookie.
    }
    const age = theme === "system" ? 0 : 31536000;
    document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
    apply();
  }

  root.classList.add("js");
  apply();
  system.addEventListener("change", apply);
  window.theme = { chosen, choose };
})();

// For readers: exact times on demand, and the focus where a person expects it when a part of the
// page, or a form, has been answered.
(function () {
  "use strict";

  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
  let asked = null;
  let opened = false;

  function exact() {
    try {
      return localStorage.getItem("times") === "exact";
    } catch {
      return document.documentElement.dataset.times === "exact";
    }
  }

  // What stands on hover changes places with what is shown.
  function showTimes() {
    const wanted = exact() ? "exact" : "";
    for (const time of document.querySelectorAll("time[data-relative]")) {
      if (time.dataset.relative === wanted) continue;
      const shown = time.textContent;
      time.textContent = time.title;
      time.title = shown;
      time.dataset.relative = wanted;
    }
    for (const button of document.querySelectorAll("[data-times]")) {
      button.setAttribute("aria-pressed", String(exact()));
    }
  }

  function turnTimes() {
    const next = exact() ? "" : "exact";
    document.documentElement.dataset.times = next;
    try {
      localStorage.setItem("times", next);
    } catch {
      // Storage is off: the choice holds for this page.
    }
    showTimes();
  }

  function focusOn(place) {
    if (!place) return;
    if (!place.matches("a[href], button, input, select, textarea, [tabindex]")) {
      place.tabIndex = -1;
    }
    place.focus();
  }

  // Where the link stood that asked for the new list.
  function placeOf(link) {
    if (link.closest("thead")) return `thead th:nth-child(${link.closest("th").cellIndex + 1}) a`;
    if (link.closest(".pager")) return "tbody [data-row], tbody a, ol > li a";
    if (link.closest(".nav-underline")) return ".nav-underline .active";
    return ".pager-count, .empty-title";
  }

  // A list that replaced itself under the link that was pressed leaves the focus on nothing.
  function afterSwap(event) {
    const target = event.detail.target || event.target;
    const list = document.getElementById(target.id);
    const lost = !document.activeElement || document.activeElement === document.body;
    if (target.id === "peek" && opened) focusOn(list);
    else if (asked && lost && list) focusOn(list.querySelector(asked));
    asked = null;
    opened = false;
  }

  document.addEventListener("htmx:beforeRequest", (event) => {
    const link = event.detail.elt;
    asked = link.matches("a, button, form") ? placeOf(link) : null;
  });
  document.addEventListener("htmx:afterSettle", afterSwap);
  document.addEventListener("htmx:load", showTimes);

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-times]")) turnTimes();
  });
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(TYPED)) return;
    if (event.key === "t") turnTimes();
    opened = event.key === "Enter" && event.target.matches("[data-row]");
  }, true);

  // A form that was refused: to what it complains of.
  function complaint() {
    const [visit] = performance.getEntriesByType("navigation");
    const summary = document.querySelector("main .alert-danger[role=alert]");
    if (summary && visit?.responseStatus >= 400) return summary;
    return document.querySelector("main [aria-invalid=true], main .is-invalid");
  }

  showTimes();
  focusOn(complaint());
})();

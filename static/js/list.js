// A list with the record beside it, by keyboard and mouse: J and K move, Enter or Space shows the
// record, Esc closes it, O opens its page, / goes to the search, ? tells the keys. Every one of
// them has its link as well. A list says [data-list]; its rows [data-row], with the panel's
// address in data-peek.
(function () {
  "use strict";

  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
  const panel = () => document.getElementById("peek");
  const rows = () => [...document.querySelectorAll("[data-list] [data-row]")];

  function current() {
    const chosen = document.activeElement?.closest("[data-row]");
    return chosen || document.querySelector("[data-row][aria-current=true]");
  }

  function mark(row) {
    for (const other of rows()) other.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
  }

  function go(step) {
    const all = rows();
    if (!all.length) return;
    const place = all.indexOf(current());
    const next = all[Math.min(Math.max(place + step, 0), all.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    if (!panel()?.hidden) show(next);
    else mark(next);
  }

  function addressed(id) {
    const address = new URL(location.href);
    if (id) address.searchParams.set("peek", id);
    else address.searchParams.delete("peek");
    history.replaceState(history.state, "", address);
  }

  async function show(row) {
    if (!row?.dataset.peek || !panel()) return;
    mark(row);
    await htmx.ajax("GET", row.dataset.peek, { target: "#peek", swap: "outerHTML" });
    addressed(row.dataset.row);
  }

  function close() {
    const place = panel();
    if (!place || place.hidden) return false;
    place.replaceChildren();
    place.hidden = true;
    addressed("");
    current()?.focus();
    return true;
  }

  function help() {
    const keys = document.getElementById("keys");
    if (keys) keys.togglePopover();
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-peek-close]")) {
      event.preventDefault();
      close();
      return;
    }
    const row = event.target.closest("[data-row][data-peek]");
    if (!row || event.target.closest("a, button, input, label, summary")) return;
    if (String(getSelection())) return;
    show(row);
  });

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(TYPED)) {
      if (event.key === "Escape" && event.target.matches("[data-search]")) event.target.blur();
      return;
    }
    const row = current();
    const key = event.key;
    if (key === "?") help();
    else if (key === "/") {
      const field = document.querySelector("[data-search]");
      if (!field) return;
      field.focus();
      field.select();
    } else if (!document.querySelector("[data-list]")) return;
    else if (key === "j" || key === "ArrowDown") go(1);
    else if (key === "k" || key === "ArrowUp") go(-1);
    else if (key === "Escape") {
      if (!close()) return;
    } else if ((key === "Enter" || key === " ") && event.target === row) show(row);
    else if (key === "o" && row) row.querySelector("a").click();
    else {
      const link = panel()?.querySelector(`[data-list-key="${CSS.escape(key)}"]`);
      if (!link) return;
      link.click();
    }
    event.preventDefault();
  });
})();

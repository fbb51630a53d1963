// A list with the record beside it, by keyboard and mouse: J and K move, Enter shows the record,
// Esc closes it, O opens its page, X chooses, Shift-X chooses all between. A, R, C, M and Q decide:
// about the chosen rows where some are, else about the row, with the forms and links that stand
// beside it or in the panel. Every key has its button.
//
// A list says [data-list]; its rows [data-row], with the panel's address in data-peek; its bar of
// decisions [data-bulk]; what a key presses [data-key].
(function () {
  "use strict";

  const DECISIONS = "arcmq";
  const PLACE = "list-place";
  const WIDTH = "peek-width";
  const panel = () => document.getElementById("peek");
  const bar = () => document.querySelector("[data-bulk]");
  const rows = () => [...document.querySelectorAll("[data-list] [data-row]")];
  const box = (row) => row?.querySelector("input[type=checkbox]") || null;
  const boxes = () => rows().map(box).filter(Boolean);
  const all = () => bar()?.querySelector("input[name=all]") || null;
  const chosen = () => boxes().filter((one) => one.checked);
  let anchor = null;

  function current() {
    const focused = document.activeElement?.closest("[data-row]");
    return focused || document.querySelector("[data-row][aria-current=true]");
  }

  function mark(row) {
    for (const other of rows()) other.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
  }

  function go(step) {
    const every = rows();
    if (!every.length) return;
    const place = every.indexOf(current());
    const next = every[Math.min(Math.max(place + step, 0), every.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    if (panel() && !panel().hidden) show(next);
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
    addressed(row.dataset.memory || row.dataset.row);
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

  function count() {
    const told = bar()?.querySelector("[data-count]");
    if (!told) return;
    const n = chosen().length;
    const text = all()?.checked ? told.dataset.all : n ? told.dataset.some : told.dataset.none;
    told.textContent = text.replace("{n}", n);
    const page = bar().querySelector("[data-page]");
    if (page) {
      page.checked = n > 0 && n === boxes().length;
      page.indeterminate = n > 0 && !page.checked;
    }
  }

  // All from the one chosen last up to this one.
  function between(one) {
    const every = boxes();
    const [from, to] = [every.indexOf(anchor), every.indexOf(one)].sort((a, b) => a - b);
    return from < 0 ? [one] : every.slice(from, to + 1);
  }

  function choose(one, on, range) {
    if (!one) return;
    for (const other of range ? between(one) : [one]) other.checked = on;
    anchor = one;
    count();
  }

  // A decision that needs a reason leads to it first; Enter there decides.
  function decide(form, button, row) {
    if (!chosen().length && box(row)) choose(box(row), true);
    const reason = form.querySelector("[data-reason]");
    if (!reason || reason.value.trim()) {
      form.requestSubmit(button);
    } else {
      form.dataset.pending = button.value;
      reason.focus();
    }
  }

  async function press(key, row) {
    const named = `[data-key="${CSS.escape(key)}"]`;
    const form = bar();
    const button = form?.querySelector(named);
    if (button && (form.querySelector("[data-reason]") || chosen().length || all()?.checked)) {
      decide(form, button, row);
      return;
    }
    const own = row?.querySelector(named);
    if (own) {
      own.click();
      return;
    }
    if (!row?.dataset.peek || !panel()) return;
    if (panel().hidden || panel().dataset.of !== row.dataset.peek) await show(row);
    const found = panel().querySelector(named);
    if (found?.matches("details")) {
      found.open = true;
      found.querySelector("[name=reason]").focus();
    } else {
      found?.click();
    }
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-peek-close]")) {
      event.preventDefault();
      close();
      return;
    }
    const row = event.target.closest("[data-row]");
    if (row && event.target === box(row)) {
      choose(event.target, event.target.checked, event.shiftKey);
      return;
    }
    if (!row?.dataset.peek || event.target.closest("a, button, input, label, summary")) return;
    if (String(getSelection())) return;
    row.focus();
    show(row);
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-page]")) {
      for (const one of boxes()) one.checked = event.target.checked;
    }
    if (event.target.closest("[data-bulk], [data-row]")) count();
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches("[data-peek-width]")) return;
    localStorage.setItem(WIDTH, event.target.value);
    widen();
  });

  function widen() {
    const width = localStorage.getItem(WIDTH);
    if (!width) return;
    document.documentElement.style.setProperty("--peek", `${Number(width)}rem`);
    const field = document.querySelector("[data-peek-width]");
    if (field) field.value = width;
  }

  document.addEventListener("keydown", (event) => {
    if (keys.composes(event) || event.defaultPrevented) return;
    const target = event.target;
    if (target.matches("[data-reason]") && event.key === "Enter" && target.form.dataset.pending) {
      const verb = CSS.escape(target.form.dataset.pending);
      event.preventDefault();
      target.form.requestSubmit(target.form.querySelector(`[name=verb][value="${verb}"]`));
      return;
    }
    if (keys.isTyping(event) && event.key === "Escape") {
      if (target.matches("[data-search]")) target.blur();
      else if (target.closest("#peek, [data-bulk]")) current()?.focus();
      return;
    }
    if (!keys.isFree(event) || !document.querySelector("[data-list]")) return;
    const row = current();
    const key = event.key.toLowerCase();
    if (key === "j" || key === "arrowdown") go(1);
    else if (key === "k" || key === "arrowup") go(-1);
    else if (key === "escape") {
      if (!close()) return;
    } else if ((key === "enter" || key === " ") && target === row) show(row);
    else if (key === "o" && row) row.querySelector("a")?.click();
    else if (key === "x" && row) choose(box(row), event.shiftKey || !box(row)?.checked, event.shiftKey);
    else if (DECISIONS.includes(key) && key.length === 1 && !event.shiftKey) press(key, row);
    else return;
    event.preventDefault();
  });

  // Back from a form to the same row, or to the one that has taken its place.
  addEventListener("pagehide", () => {
    const row = current();
    const place = { path: location.pathname, row: row?.dataset.row, index: rows().indexOf(row) };
    place.open = Boolean(panel() && !panel().hidden);
    sessionStorage.setItem(PLACE, JSON.stringify(place));
  });

  function comeBack() {
    const place = JSON.parse(sessionStorage.getItem(PLACE) || "{}");
    if (!document.querySelector("#messages .alert") || place.path !== location.pathname) return;
    const every = rows();
    const same = every.find((row) => row.dataset.row === place.row);
    const row = same || every[Math.min(place.index, every.length - 1)];
    if (!row) return;
    row.focus();
    row.scrollIntoView({ block: "nearest" });
    if (place.open) show(row);
    else mark(row);
  }

  comeBack();
  count();
  widen();
  document.addEventListener("htmx:load", () => {
    count();
    widen();
  });
})();

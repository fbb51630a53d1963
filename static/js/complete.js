// What could be meant by the word under the caret of a field with [data-complete] (an address
// that answers with options): arrows choose, Tab or Enter takes, Esc closes. Enter sends the
// form as ever while nothing is chosen.
(function () {
  "use strict";

  const WAIT = 120;
  // A word, or a filter whose quotes are still open.
  const TOKEN = /(?:^|\s)([-!！－]?[a-z]+[:：]"[^"]*|\S+)$/i;
  let field, list, timer, asked;

  const before = () => field.value.slice(0, field.selectionStart);
  const token = () => before().match(TOKEN)?.[1] || "";
  const options = () => (list ? [...list.children] : []);
  const chosen = () => list?.querySelector("[aria-selected=true]");

  function close() {
    clearTimeout(timer);
    asked?.abort();
    list?.remove();
    list = undefined;
    field?.setAttribute("aria-expanded", "false");
    field?.removeAttribute("aria-activedescendant");
    field?.removeAttribute("aria-controls");
  }

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option.id);
  }

  function step(way) {
    const all = options();
    const place = all.indexOf(chosen());
    choose(all[place < 0 && way < 0 ? all.length - 1 : (place + way + all.length) % all.length]);
  }

  function take(option) {
    const insert = option.dataset.insert;
    const start = before().length - token().length;
    // After "user:" the value is still to come.
    field.setRangeText(insert.endsWith(":") ? insert : `${insert} `, start, field.selectionStart, "end");
    close();
    if (insert.endsWith(":")) later();
  }

  function show(found) {
    close();
    if (!found.length) return;
    list = document.createElement("ul");
    list.id = `${field.id}-options`;
    list.className = "completion";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", field.dataset.completeLabel);
    found.forEach((one, place) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${place}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.insert = one.insert;
      const note = document.createElement("small");
      note.textContent = one.note;
      option.append(one.text, note);
      list.append(option);
    });
    field.parentElement.append(list);
    field.setAttribute("aria-controls", list.id);
    field.setAttribute("aria-expanded", "true");
  }

  async function ask() {
    const wanted = token();
    if (!wanted) return close();
    asked?.abort();
    asked = new AbortController();
    try {
      const address = `${field.dataset.complete}?${new URLSearchParams({ token: wanted })}`;
      const answer = await fetch(address, { signal: asked.signal });
      if (!answer.ok || answer.redirected) return close();
      const found = (await answer.json()).options;
      if (document.activeElement === field && token() === wanted) show(found);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  }

  function typed(event) {
    if (!event.target.matches?.("[data-complete]") || event.isComposing) return;
    field = event.target;
    later();
  }

  // Without script it is a plain field.
  function announce(event) {
    if (!event.target.matches?.("[data-complete]:not([role])")) return;
    event.target.setAttribute("role", "combobox");
    event.target.setAttribute("aria-autocomplete", "list");
    event.target.setAttribute("aria-expanded", "false");
  }

  document.addEventListener("focusin", announce);
  document.addEventListener("input", typed);
  document.addEventListener("compositionend", typed);
  document.addEventListener("focusout", (event) => event.target === field && close());

  // Before the keys of the list see them.
  document.addEventListener("keydown", (event) => {
    if (!list || event.target !== field || event.isComposing || event.keyCode === 229) return;
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Escape") close();
    else if (event.key === "Tab" && !event.shiftKey) take(chosen() || options()[0]);
    else if (event.key === "Enter" && chosen()) take(chosen());
    else {
      if (event.key === "Enter") close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  document.addEventListener("mousedown", (event) => {
    const option = event.target.closest(".completion [role=option]");
    if (!option) return;
    event.preventDefault();
    take(option);
  });
})();

// Keys that every page has: U takes back what was just done, ? tells the keys, / goes to the
// search, Ctrl or Command with Enter sends the form that is being typed in. None of them while an
// input method composes, and no letter while somebody types.
const keys = (function () {
  "use strict";

  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

  // 229 is what some engines say of a key that an input method has taken.
  const composes = (event) => event.isComposing || event.keyCode === 229;
  const isTyping = (event) => event.target.matches?.(TYPED) || false;
  const isFree = (event) =>
    !composes(event) && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);

  // A form of several decisions is sent with the one that a key has chosen, or not at all.
  function send(form) {
    const chosen = form.dataset.pending
      ? form.querySelector(`[name=verb][value="${CSS.escape(form.dataset.pending)}"]`)
      : null;
    if (chosen) form.requestSubmit(chosen);
    else if (!form.matches("[data-bulk]")) {
      form.requestSubmit(form.querySelector("button[type=submit]:not([tabindex='-1'])"));
    }
  }

  document.addEventListener("keydown", (event) => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && isTyping(event)) {
      if (!event.target.form) return;
      event.preventDefault();
      send(event.target.form);
      return;
    }
    if (!isFree(event)) return;
    if (event.key === "?") document.getElementById("keys")?.togglePopover();
    else if (event.key === "/") {
      const field = document.querySelector("[data-search]");
      if (!field) return;
      field.focus();
      field.select();
    } else if (event.key.toLowerCase() === "u") {
      const undo = document.querySelector("[data-undo]");
      if (!undo) return;
      undo.click();
    } else return;
    event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-close]");
    button?.closest(button.dataset.close)?.remove();
  });

  // What was done is told once: a page that is opened again, or sent to somebody, is only the page.
  const done = document.querySelector("#messages [data-done]");
  if (done) {
    const address = new URL(location.href);
    address.searchParams.delete("done");
    history.replaceState(history.state, "", address);
    // What stands in a live region from the start is not read out.
    const told = done.firstElementChild?.nextElementSibling?.textContent || "";
    setTimeout(() => {
      document.getElementById("announcer").textContent = told.replace(/\s+/g, " ").trim();
    }, 300);
  }

  return { composes, isTyping, isFree };
})();

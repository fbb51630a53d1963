// Keys of the review queue: J and K go, X chooses, A and R decide. Each works by mouse as well.
(function () {
  "use strict";

  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

  function items() {
    return [...document.querySelectorAll("[data-review-item]")];
  }

  function current() {
    return document.activeElement?.closest("[data-review-item]") || null;
  }

  function go(step) {
    const all = items();
    if (!all.length) return;
    const place = all.indexOf(current());
    const next = all[Math.min(Math.max(place + step, 0), all.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  function box(item) {
    return item?.querySelector("input[name=item]") || null;
  }

  // A decision needs a reason: without one the key leads to it, and Enter there decides.
  function decide(form, button) {
    const mine = box(current());
    if (mine && !form.querySelector("input[name=item]:checked")) mine.checked = true;
    const reason = form.querySelector("[data-review-reason]");
    if (reason.value.trim()) {
      form.requestSubmit(button);
    } else {
      form.dataset.pending = button.value;
      reason.focus();
    }
  }

  document.addEventListener("keydown", (event) => {
    const form = document.querySelector("[data-review]");
    if (!form || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("[data-review-reason]") && event.key === "Enter") {
      const button = form.querySelector(`[data-review-key][value="${form.dataset.pending || ""}"]`);
      if (button) {
        event.preventDefault();
        form.requestSubmit(button);
      }
      return;
    }
    if (event.target.matches(TYPED)) return;
    const key = event.key.toLowerCase();
    const button = form.querySelector(`[data-review-key="${CSS.escape(key)}"]`);
    const chosen = box(current());
    if (key === "j") go(1);
    else if (key === "k") go(-1);
    else if (key === "x" && chosen) chosen.checked = !chosen.checked;
    else if (button) decide(form, button);
    else return;
    event.preventDefault();
  });
})();

(function () {
  "use strict";

  function showTheme() {
    for (const button of document.querySelectorAll("[data-theme-value]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeValue === theme.chosen()));
    }
  }

  function say(text) {
    const place = document.getElementById("announcer");
    if (place) place.textContent = text;
  }

  // Without a secure context (plain http in a local network) there is no clipboard object.
  async function toClipboard(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("copy refused");
  }

  async function copy(button) {
    try {
      await toClipboard(button.dataset.copy);
    } catch {
      return;
    }
    button.classList.add("copied");
    say(button.dataset.copied || "");
    setTimeout(() => button.classList.remove("copied"), 1500);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.themeValue) {
      theme.choose(button.dataset.themeValue);
      showTheme();
    } else if (button?.dataset.copy) {
      copy(button);
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.key !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // A select that names a form's only question sends it; without script its button does.
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  // A form whose answer takes long shows that it was sent; one that is answered by a file leaves
  // the page as it is.
  document.addEventListener("submit", (event) => {
    const bar = event.target.querySelector("[data-slow]");
    const answer = new FormData(event.target).get("answer");
    if (!bar || (answer !== null && answer !== "page")) return;
    bar.hidden = false;
    say(bar.dataset.slow);
  });
  window.addEventListener("pageshow", () => {
    for (const bar of document.querySelectorAll("[data-slow]")) bar.hidden = true;
  });

  showTheme();
  document.addEventListener("htmx:load", showTheme);
})();

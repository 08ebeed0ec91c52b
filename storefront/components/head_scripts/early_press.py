"""Repeat clicks of visitors who click before a page is hydrated. They are repeated after the hydration.

A rendered document can be seen and clicked before its scripts have loaded, on a phone for seconds. Links and search
work without scripts. For buttons, checkboxes and other forms, a script in the head stores the events until the page
calls `window.pageIsHydrated` (`assets/scripts/arrival.jsx`). Then it repeats them in order; before each event, it
waits until the change of the previous one is displayed. If the page has replaced the clicked element in the
meantime, the script finds the new element by its name or text and its position among equal elements. If there is
none, `assets/scripts/notices.jsx` shows a notice.
"""

import reflex as rx

EARLY_PRESS_SCRIPT = """
(() => {
  const waiting = [];
  let isDoing = false;
  const controls = 'button:not([type="submit"]), [data-opens], [type="checkbox"], [type="radio"]';
  const known = (element, names) => names.filter((name) => element.hasAttribute(name));
  const names = ["id", "name", "value", "data-testid", "data-opens", "data-closes", "aria-label"];
  const finder = (element) => {
    const given = known(element, names);
    const used = given.length ? given : known(element, ["class"]);
    const parts = used.map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`);
    const text = element.textContent;
    const isAlike = (other) => given.length || other.textContent === text;
    const alike = () => [...document.querySelectorAll(element.localName + parts.join(""))].filter(isAlike);
    const place = alike().indexOf(element);
    return () => (element.isConnected ? element : alike()[place]);
  };
  const hold = (event, element, again) => {
    if (isDoing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const find = finder(element);
    waiting.push(() => {
      const found = find();
      if (found) again(found);
      else dispatchEvent(new Event("trompo:lost"));
    });
  };
  const pressed = (event) => {
    const control = event.target.closest(controls);
    if (control) hold(event, control, (found) => found.click());
  };
  const submitted = (event) => {
    const form = event.target;
    if (!form.hasAttribute("action")) hold(event, form, (found) => found.requestSubmit());
  };
  addEventListener("click", pressed, true);
  addEventListener("submit", submitted, true);
  const doNext = () => {
    const next = waiting.shift();
    if (next) {
      isDoing = true;
      next();
      isDoing = false;
      setTimeout(doNext);
    } else {
      removeEventListener("click", pressed, true);
      removeEventListener("submit", submitted, true);
    }
  };
  window.pageIsHydrated = () => queueMicrotask(doNext);  // when all of the page is
})();
"""


def early_press_script() -> rx.Component:
    """Build the script element for the head."""
    return rx.el.script(EARLY_PRESS_SCRIPT)

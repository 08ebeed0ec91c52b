"""What is pressed while a page's scripts are still on their way waits for them, and is not lost.

A drawn document can be seen and pressed long before it answers, on a phone by seconds. Links and the search go without
scripts; buttons, boxes and the other forms do not, so a few lines in the head keep what was done with them until the
page says that it is awake (`assets/scripts/arrival.jsx`).
"""

import reflex as rx

KEEP_WHAT_IS_PRESSED = """
(() => {
  const kept = [];
  const keep = (event, again) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    kept.push(again);
  };
  const controls = 'button:not([type="submit"]), [data-opens], [type="checkbox"], [type="radio"]';
  const pressed = (event) => {
    const control = event.target.closest(controls);
    if (control) keep(event, () => control.click());
  };
  const submitted = (event) => {
    const form = event.target;
    if (!form.hasAttribute("action")) keep(event, () => form.requestSubmit());
  };
  addEventListener("click", pressed, true);
  addEventListener("submit", submitted, true);
  window.pageIsAwake = () => {
    removeEventListener("click", pressed, true);
    removeEventListener("submit", submitted, true);
    queueMicrotask(() => kept.splice(0).forEach((again) => again()));  // when all of the page is
  };
})();
"""


def keep_what_is_pressed() -> rx.Component:
    """The script for the head."""
    return rx.el.script(KEEP_WHAT_IS_PRESSED)

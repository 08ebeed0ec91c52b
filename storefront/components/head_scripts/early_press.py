"""Script that repeats clicks and keeps typed text if a visitor acts before the page is hydrated.

A rendered document can be seen and clicked before its scripts have loaded, on a phone for seconds. Links and search
work without scripts. For buttons, checkboxes and other forms, a script in the head stores the events until the page
calls `window.pageIsHydrated` (`assets/scripts/arrival.jsx`). Then it repeats them in order; before each event, it
waits until the change of the previous one is displayed. If the page has replaced the clicked element in the
meantime, the script finds the new element by its name or text and its position among equal elements. If there is
none, `assets/scripts/notices.jsx` shows a notice.

Typed text and chosen files stay in their fields. Once the page is hydrated, the script repeats their events, so that
the page notices them. If the document contains a plain page (`storefront/documents/plain_page.py`), the hydrated page
replaces it. Then the script first moves the texts and choices to the fields with the same names in the hydrated
page. It also moves the focus.
"""

import reflex as rx

EARLY_PRESS_SCRIPT = """
(() => {
  const waiting = [];
  let isDoing = false;
  const ticks = '[type="checkbox"], [type="radio"]';
  const controls = `button:not([type="submit"]), [data-opens], ${ticks}`;
  const known = (element, names) => names.filter((name) => element.hasAttribute(name));
  const controlNames = ["id", "name", "value", "data-testid", "data-opens", "data-closes", "aria-label"];
  const finder = (element, names) => {
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
    const find = finder(element, controlNames);
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
  const entered = (event) => {
    const field = event.target;
    if (event.key !== "Enter" || field.localName !== "input" || field.form) return;
    hold(event, field, (found) => found.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
  };
  const typed = new Map();  // by field
  let latest = null;
  const noted = ({ target }) => {
    if (isDoing || target.matches(`:not(input, textarea, select), ${ticks}`)) return;
    const find = typed.get(target)?.find ?? finder(target, ["name"]);
    typed.set(target, { find, value: target.value });
    latest = target;
  };
  const write = (field, value) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, value);
  };
  const report = (field) => {
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
    if (field !== document.activeElement) field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };
  const move = (field, found) => {
    if (field.type === "file") found.files = field.files;
    else write(found, field.value);
    if (field === latest && document.activeElement === document.body) {
      found.focus({ preventScroll: true });
      if (typeof field.selectionStart === "number") found.setSelectionRange(field.selectionStart, field.selectionEnd);
    }
    report(found);
  };
  const keep = (field) => {
    if (field.type !== "file") {
      const { value } = typed.get(field);
      write(field, value);
      field._valueTracker?.setValue(`${value}.`);  // React ignores the event of a value that it knows
    }
    report(field);
  };
  const reportTyped = () => {
    isDoing = true;
    const kept = [];
    for (const [field, { find }] of typed) {
      const found = find();
      if (found === field) kept.push(() => keep(field));
      else if (found) move(field, found);
    }
    waiting.unshift(...kept);
    isDoing = false;
  };
  addEventListener("click", pressed, true);
  addEventListener("submit", submitted, true);
  addEventListener("keydown", entered, true);
  addEventListener("input", noted, true);
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
      removeEventListener("keydown", entered, true);
      removeEventListener("input", noted, true);
      typed.clear();  // its fields may belong to the plain page
      delete window.pageIsHydrated;
    }
  };
  window.pageIsHydrated = () => queueMicrotask(() => {  // when all of the page is
    reportTyped();
    queueMicrotask(doNext);  // after the fields are displayed with their text
  });
})();
"""


def early_press_script() -> rx.Component:
    """Build the head's script element. After hydration, it repeats earlier clicks and restores typed text."""
    return rx.el.script(EARLY_PRESS_SCRIPT)

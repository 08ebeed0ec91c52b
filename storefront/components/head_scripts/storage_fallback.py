"""Browsers without storage: the shop works, and keeps in memory what the browser does not.

Cookies and storage may be forbidden, which makes asking for `localStorage` an error; or full, which makes writing one.
Both Reflex and the router ask while a page is drawn, so every page broke. A script in the head, before all others,
keeps in the page's own memory what the browser does not: it is gone when the tab loads another document.
"""

import reflex as rx

STORAGE_SCRIPT = """
(() => {
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      if (window[name]) continue;
    } catch {}
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (place) => [...kept.keys()][place] ?? null,
      get length() { return kept.size; },
    };
    Object.defineProperty(window, name, { value: storage, configurable: true });
  }
  const unkept = new WeakMap();  // of each storage, what there was no room for
  const { getItem, setItem, removeItem, clear } = Storage.prototype;
  const of = (storage) => unkept.get(storage) ?? unkept.set(storage, new Map()).get(storage);
  Object.assign(Storage.prototype, {
    getItem(key) {
      const kept = of(this);
      return kept.has(String(key)) ? kept.get(String(key)) : getItem.call(this, key);
    },
    setItem(key, value) {
      try {
        setItem.call(this, key, value);
        of(this).delete(String(key));
      } catch {
        of(this).set(String(key), String(value));
      }
    },
    removeItem(key) {
      of(this).delete(String(key));
      removeItem.call(this, key);
    },
    clear() {
      of(this).clear();
      clear.call(this);
    },
  });
})();
"""


def storage_script() -> rx.Component:
    """The script for the head."""
    return rx.el.script(STORAGE_SCRIPT)

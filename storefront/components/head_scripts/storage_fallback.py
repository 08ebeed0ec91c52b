"""Storage in memory for browsers that forbid or lack storage, so that the shop still works.

If cookies and storage are forbidden, reading `localStorage` raises an error. If the storage is full, writing raises
one. Reflex and the router use it while a page renders, so without this fallback every page fails. A script in the
head runs before all other scripts and stores the values in the page's memory. They are lost when the tab loads
another document.
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
    """Build the head's script element, which stores values in memory if the browser has no storage."""
    return rx.el.script(STORAGE_SCRIPT)

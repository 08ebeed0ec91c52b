// A value in this browser's local storage. All tabs see a change immediately, without the server.

import { useMemo, useSyncExternalStore } from "react";
import { listen } from "./effects.jsx";

// `parse` returns the valid parts of the stored value. It gets null if there is none, or if it is not JSON.
export function createStoredValue(key, parse) {
  const writtenEvent = `${key}:written`;

  const parseText = (text) => {
    let value = null;
    try {
      value = JSON.parse(text);
    } catch {
      // another script's text under our key
    }
    return parse(value);
  };

  const readText = () => localStorage.getItem(key);

  const write = (value) => {
    localStorage.setItem(key, JSON.stringify(value));
    window.dispatchEvent(new Event(writtenEvent));
  };

  const subscribe = (notify) => listen(window, `storage ${writtenEvent}`, notify); // another tab or this one wrote

  function useValue() {
    const text = useSyncExternalStore(subscribe, readText, () => null);
    return useMemo(() => parseText(text), [text]);
  }

  return { read: () => parseText(readText()), write, useValue };
}

// A list of texts in this browser's local storage, at once and in every tab: without the server.

import { useMemo, useSyncExternalStore } from "react";
import { listen } from "./effects.jsx";

export function keptList(key, most) {
  const written = `${key}:written`;

  const parsed = (text) => {
    try {
      const list = JSON.parse(text ?? "[]");
      return Array.isArray(list) ? [...new Set(list.filter((item) => typeof item === "string"))].slice(0, most) : [];
    } catch {
      return []; // somebody else's text under our name
    }
  };

  const read = () => localStorage.getItem(key);

  const write = (list) => {
    localStorage.setItem(key, JSON.stringify(list.slice(0, most)));
    window.dispatchEvent(new Event(written));
  };

  const subscribe = (tell) => listen(window, `storage ${written}`, tell); // another tab wrote, or this one

  function useList() {
    const text = useSyncExternalStore(subscribe, read, () => null);
    return useMemo(() => parsed(text), [text]);
  }

  return { now: () => parsed(read()), write, useList };
}

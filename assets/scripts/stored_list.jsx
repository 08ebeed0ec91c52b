// A list of texts in this browser's local storage. All tabs see a change immediately, without the server.

import { useMemo, useSyncExternalStore } from "react";
import { listen } from "./effects.jsx";

export function createStoredList(key, maxLength) {
  const writtenEvent = `${key}:written`;

  const parseList = (text) => {
    try {
      const list = JSON.parse(text ?? "[]");
      return Array.isArray(list) ? [...new Set(list.filter((item) => typeof item === "string"))].slice(0, maxLength) : [];
    } catch {
      return []; // another script's text under our key
    }
  };

  const readText = () => localStorage.getItem(key);

  const write = (list) => {
    localStorage.setItem(key, JSON.stringify(list.slice(0, maxLength)));
    window.dispatchEvent(new Event(writtenEvent));
  };

  const subscribe = (notify) => listen(window, `storage ${writtenEvent}`, notify); // another tab or this one wrote

  function useList() {
    const text = useSyncExternalStore(subscribe, readText, () => null);
    return useMemo(() => parseList(text), [text]);
  }

  return { read: () => parseList(readText()), write, useList };
}

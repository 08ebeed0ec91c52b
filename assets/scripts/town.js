// The municipality of the delivery, which only this browser stores. The shipping estimates and the checkout share it, so
// that the shopper chooses it once.

import { useMemo, useSyncExternalStore } from "react";
import { listen } from "./effects.jsx";

const TOWN_KEY = "trompo_town";
const TOWN_CHANGED = "trompo:town";

const parseTown = (text) => {
  try {
    const { code, label } = JSON.parse(text);
    return /^\d{8}$/.test(code) && typeof label === "string" ? { code, label } : null;
  } catch {
    return null; // nothing stored, or another script's text under our key
  }
};

const read = () => localStorage.getItem(TOWN_KEY);
const subscribe = (notify) => listen(window, `storage ${TOWN_CHANGED}`, notify); // another tab or this one wrote

// Return the stored `{ code, label }`; null if there is none.
export const readTown = () => parseTown(read());

export function useTown() {
  const storedText = useSyncExternalStore(subscribe, read, () => null);
  return useMemo(() => parseTown(storedText), [storedText]);
}

export const storeTown = (code, label) => {
  localStorage.setItem(TOWN_KEY, JSON.stringify({ code, label }));
  window.dispatchEvent(new Event(TOWN_CHANGED));
};

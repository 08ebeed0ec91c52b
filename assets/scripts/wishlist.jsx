// The wishlist: handles of products in this browser's local storage. It works without the server, at once and in every
// tab; the server only says what the wished-for products are now.

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { listen } from "./effects.jsx";
import { remind } from "./reconnecting.js";

const KEY = "trompo_wishlist";
const WISHED = "trompo:wished";
const MAX_WISHES = 200;

const parsed = (text) => {
  try {
    const list = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? [...new Set(list.filter((item) => typeof item === "string"))].slice(0, MAX_WISHES) : [];
  } catch {
    return []; // somebody else's text under our name
  }
};

const read = () => localStorage.getItem(KEY);

const write = (list) => {
  localStorage.setItem(KEY, JSON.stringify(list.slice(0, MAX_WISHES)));
  window.dispatchEvent(new Event(WISHED));
};

const subscribe = (tell) => listen(window, `storage ${WISHED}`, tell); // another tab wrote, or this one

function useList() {
  const text = useSyncExternalStore(subscribe, read, () => null);
  return useMemo(() => parsed(text), [text]);
}

const toggle = (handle) => {
  const now = parsed(read());
  write(now.includes(handle) ? now.filter((item) => item !== handle) : [handle, ...now]);
};

// What is wished for, shown at once, so that neither saving nor taking back needs an answer.
export function useWishes() {
  const list = useList();
  return {
    count: list.length,
    has: (handle) => list.includes(handle),
    heart: (handle) => ({ "aria-pressed": list.includes(handle), onClick: () => toggle(handle) }),
  };
}

// Tells the server which products to describe, when it does not know yet.
export function WishlistLoader({ state, onWishes }) {
  const list = useList();
  useEffect(() => {
    onWishes(list);
    return remind(state, (known) => known.is_known_rx_state_, () => onWishes(list));
  }, [list]);
  return null;
}

// The wishlist: handles of products in this browser's local storage. It works without the server, at once and in every
// tab; the server only says what the wished-for products are now.

import { useEffect } from "react";
import { keptList } from "./kept.jsx";
import { remind } from "./reconnecting.js";

const MAX_WISHES = 200;
const { now, write, useList } = keptList("trompo_wishlist", MAX_WISHES);

const toggle = (handle) => {
  const list = now();
  write(list.includes(handle) ? list.filter((item) => item !== handle) : [handle, ...list]);
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

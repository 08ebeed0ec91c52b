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

// What is wished for, shown at once, so that neither saving nor taking back needs an answer. `gone`: what is not sold any more.
export function useWishes() {
  const list = useList();
  const without = (gone) => list.filter((handle) => !gone.includes(handle));
  return {
    count: list.length,
    left: (gone) => without(gone).length,
    has: (handle) => list.includes(handle),
    heart: (handle) => ({ "aria-pressed": list.includes(handle), onClick: () => toggle(handle) }),
    drop: (gone) => ({ onClick: () => write(without(gone)) }),
  };
}

// Tells the server which products to describe, when it does not know yet; those that it knows by another handle by now are
// `moved`, and wished for by that one.
export function WishlistLoader({ state, moved, onWishes }) {
  const list = useList();
  useEffect(() => {
    const handleOf = (handle) => (Object.hasOwn(moved, handle) ? moved[handle] : handle);
    if (list.some((handle) => handleOf(handle) !== handle)) write(list.map(handleOf));
  }, [list, moved]);
  useEffect(() => {
    onWishes(list);
    return remind(state, (known) => known.is_known_rx_state_, () => onWishes(list));
  }, [list]);
  return null;
}

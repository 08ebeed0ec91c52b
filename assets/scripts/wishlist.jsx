// The wishlist: product handles in this browser's local storage. It works without the server and in all tabs; the server
// only provides the current data of its products.

import { useEffect } from "react";
import { createStoredList } from "./stored_list.jsx";
import { resendIfForgotten } from "./reconnecting.js";

const MAX_WISHES = 200;
const { read, write, useList } = createStoredList("trompo_wishlist", MAX_WISHES);

const toggle = (handle) => {
  const list = read();
  write(list.includes(handle) ? list.filter((item) => item !== handle) : [handle, ...list]);
};

// The wishlist. Changes are shown immediately and need no answer. `gone`: handles of products that are no longer sold.
export function useWishes() {
  const list = useList();
  const listWithout = (gone) => list.filter((handle) => !gone.includes(handle));
  return {
    count: list.length,
    count_without: (gone) => listWithout(gone).length,
    has: (handle) => list.includes(handle),
    heart: (handle) => ({ "aria-pressed": list.includes(handle), onClick: () => toggle(handle) }),
    remove: (gone) => ({ onClick: () => write(listWithout(gone)) }),
  };
}

// Sends the handles to the server when it does not know them yet. `moved` maps old handles to new ones; an old handle is
// replaced in the list.
export function WishlistLoader({ state, moved, onWishes }) {
  const list = useList();
  useEffect(() => {
    const getCurrentHandle = (handle) => (Object.hasOwn(moved, handle) ? moved[handle] : handle);
    if (list.some((handle) => getCurrentHandle(handle) !== handle)) write(list.map(getCurrentHandle));
  }, [list, moved]);
  useEffect(() => {
    onWishes(list);
    return resendIfForgotten(state, (known) => known.is_loaded_rx_state_, () => onWishes(list));
  }, [list]);
  return null;
}

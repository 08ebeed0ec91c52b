// The wishlist: handles of products in this browser's local storage. It works without the server, at once and in every
// tab; the server only says what the wished-for products are now.

import { useEffect, useSyncExternalStore } from "react";
import { Icon } from "./icons.jsx";
import { remind } from "./reconnecting.js";
import { fill } from "./words.jsx";

const KEY = "trompo_wishlist";
const MAX_WISHES = 200;
const NOTHING = [];

const listeners = new Set();
let raw = null;
let wishes = NOTHING;

const parsed = (text) => {
  try {
    const list = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? [...new Set(list.filter((item) => typeof item === "string"))].slice(0, MAX_WISHES) : NOTHING;
  } catch {
    return NOTHING; // somebody else's text under our name
  }
};

const read = () => {
  const text = localStorage.getItem(KEY);
  if (text !== raw) {
    raw = text;
    wishes = parsed(text);
  }
  return wishes;
};

const write = (list) => {
  localStorage.setItem(KEY, JSON.stringify(list.slice(0, MAX_WISHES)));
  listeners.forEach((tell) => tell());
};

const subscribe = (tell) => {
  const stored = (event) => (event.key === KEY || event.key === null) && tell();
  listeners.add(tell);
  window.addEventListener("storage", stored); // another tab wrote
  return () => {
    listeners.delete(tell);
    window.removeEventListener("storage", stored);
  };
};

const useWishes = () => useSyncExternalStore(subscribe, read, () => NOTHING);

export function WishlistToggle({ handle, title, texts }) {
  const isSaved = useWishes().includes(handle);
  const toggle = () => {
    const now = read();
    write(isSaved ? now.filter((item) => item !== handle) : [handle, ...now]);
  };
  return (
    <button
      type="button"
      className="icon-button heart"
      data-testid="wishlist-toggle"
      aria-pressed={isSaved}
      aria-label={fill(texts.save, { toy: title })}
      onClick={toggle}
    >
      <Icon name="heart" />
    </button>
  );
}

export function WishlistCount({ texts }) {
  const count = useWishes().length;
  return (
    <span className="count" data-zero={count === 0 || undefined}>
      <span data-testid="wishlist-count">{count}</span>
      <span className="sr-only"> {texts.saved}</span>
    </span>
  );
}

// Shows its children while the product is wished for, so that taking it off the list needs no answer.
export function WhileSaved({ handle, children }) {
  return useWishes().includes(handle) ? children : null;
}

// Tells the server which products to describe, when it does not know yet.
export function WishlistLoader({ state, onWishes }) {
  const list = useWishes();
  useEffect(() => {
    onWishes(list);
    return remind(state, (known) => known.is_known_rx_state_, () => onWishes(list));
  }, [list]);
  return null;
}

export function WhenWishesAreNone({ isNone = true, children }) {
  return (useWishes().length === 0) === isNone ? children : null;
}

// Toys that a page offers beside its own: what this browser looked at last, which is in its local storage alone, and what
// the shop puts forward where a page has nothing to show. The markup is in `storefront/components/product_suggestions.py`.

import { useEffect } from "react";
import { keptList } from "./kept.jsx";
import { remind } from "./reconnecting.js";

const MOST_VIEWED = 12;
const { now, write, useList } = keptList("trompo_viewed", MOST_VIEWED);
const isKnown = (known) => known.is_known_rx_state_;

// How many toys were looked at, and what forgets them.
export function useViewed() {
  return { count: useList().length, forget: { onClick: () => write([]) } };
}

// Notes the toy of this handle, and asks the server to describe those that were looked at before it.
export function Viewed({ state, handle, onViewed }) {
  useEffect(() => {
    const before = now().filter((other) => other !== handle);
    const ask = () => onViewed(before);
    write([handle, ...before]);
    ask();
    return remind(state, isKnown, ask);
  }, [handle]);
  return null;
}

// Asks the server for toys to offer.
export function Offered({ state, onOffered }) {
  useEffect(() => {
    onOffered();
    return remind(state, isKnown, onOffered);
  }, []);
  return null;
}

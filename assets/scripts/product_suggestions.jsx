// Further products that a page suggests: those viewed recently, which only this browser's local storage holds, and those
// that the shop features on a page without content. The markup is in `storefront/components/product_suggestions.py`.

import { useEffect } from "react";
import { createStoredList } from "./stored_list.jsx";
import { resendIfForgotten } from "./reconnecting.js";

const MAX_VIEWED = 12;
const { read, write, useList } = createStoredList("trompo_viewed", MAX_VIEWED);
const isKnown = (known) => known.is_loaded_rx_state_;

// The number of viewed products, and the button that forgets them.
export function useViewed() {
  return { count: useList().length, forget: { onClick: () => write([]) } };
}

// Stores the viewed product, and requests the cards of the products that were viewed before it.
export function ViewedTracker({ state, handle, onViewed }) {
  useEffect(() => {
    const before = read().filter((other) => other !== handle);
    const request = () => onViewed(before);
    write([handle, ...before]);
    request();
    return resendIfForgotten(state, isKnown, request);
  }, [handle]);
  return null;
}

// Requests the cards of the viewed products as soon as there are any: another tab may view the first one.
export function ViewedLoader({ state, onViewed }) {
  const hasViewed = useList().length > 0;
  useEffect(() => {
    if (!hasViewed) return undefined;
    const request = () => onViewed(read());
    request();
    return resendIfForgotten(state, isKnown, request);
  }, [hasViewed]);
  return null;
}

// Requests suggested products from the server.
export function SuggestionsLoader({ state, onRequest }) {
  useEffect(() => {
    onRequest();
    return resendIfForgotten(state, isKnown, onRequest);
  }, []);
  return null;
}

// What the shop has to say while a shopper goes on: short, polite, gone by itself, never in the way of the keyboard.

import { useEffect, useMemo, useRef, useState } from "react";
import { ADDING } from "./cart.jsx";
import { LOST, after, listen, useHeld } from "./effects.jsx";
import { isAnswer } from "./reconnecting.js";

const SHOWN_MS = 6000;

// Shows what is new since the page opened; `number` tells one message from the next of the same words. What a document
// learns when it first hears from the server was said before it opened, unless something was put into the cart by then:
// on a page that can be pressed before it has heard anything, that answer may come together with the first news. A state
// that has said nothing yet, as that of a server which has restarted, has the number 0.
export function useFresh(message, isHydrated) {
  const [shown, setShown] = useState(null);
  const [isHeld, hold] = useHeld();
  const last = useRef(message.number);
  const isOpen = useRef(false);

  useEffect(() => {
    const isNew = isAnswer(message.number) && message.number !== last.current;
    last.current = message.number;
    if (isNew && isOpen.current) setShown(message);
    isOpen.current ||= isHydrated;
  }, [message, isHydrated]);

  useEffect(() => listen(window, ADDING, () => { isOpen.current = true; }), []);

  useEffect(() => {
    if (shown && !isHeld) return after(SHOWN_MS, () => setShown(null));
  }, [shown, isHeld]);

  return { shown, hold, leaving: { onClick: () => setShown(null) } };
}

// A press that was lost: nothing is known of it but that it was pressed.
export function useLostPress() {
  const [number, setNumber] = useState(0);
  useEffect(() => listen(window, LOST, () => setNumber(Date.now())), []);
  return useFresh(useMemo(() => ({ number }), [number]), true);
}

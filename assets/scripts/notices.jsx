// The shop's notices: short and polite; they disappear after a while and never take the keyboard focus.

import { useEffect, useMemo, useRef, useState } from "react";
import { ADDING } from "./cart.jsx";
import { LOST, startTimer, listen, useInteraction } from "./effects.jsx";
import { isNewAnswer } from "./reconnecting.js";

const SHOWN_MS = 6000;
const CONTROLS = "button, .button, .icon-button, .pill, input, select, textarea";
const MARGIN = 12; // pixels to the edges of the window
const STEP = 4;

// Move the notices to the highest place where they cover no control, if there is one.
function placeNotices(box) {
  const { left, right, height } = box.getBoundingClientRect();
  const isBeside = (rect) => rect.width > 0 && rect.left < right && rect.right > left;
  const controls = [...document.querySelectorAll(CONTROLS)].filter((control) => !box.contains(control));
  const taken = controls.map((control) => control.getBoundingClientRect()).filter(isBeside);
  const isFree = (top) => taken.every((rect) => rect.bottom <= top || rect.top >= top + height);
  let top = MARGIN;
  while (!isFree(top) && top + height + MARGIN <= window.innerHeight) top += STEP;
  box.style.top = isFree(top) ? `${top}px` : "";
}

// Return a message that is new since the page was opened; its `number` distinguishes messages with the same text. The
// first update of a document has the messages from before it was opened, so they are not new. The exception: after an
// addition to the cart, that update may already contain its result, as the page can be used before the first update. A
// state without a message, such as that of a restarted server, has the number 0.
export function useFreshMessage(message, isHydrated) {
  const [shown, setShown] = useState(null);
  const [isInteracting, interactionProps] = useInteraction();
  const lastNumber = useRef(message.number);
  const isOpen = useRef(false);

  useEffect(() => {
    const isNew = isNewAnswer(message.number) && message.number !== lastNumber.current;
    lastNumber.current = message.number;
    if (isNew && isOpen.current) setShown(message);
    isOpen.current ||= isHydrated;
  }, [message, isHydrated]);

  useEffect(() => listen(window, ADDING, () => { isOpen.current = true; }), []);

  useEffect(() => {
    if (shown && !isInteracting) return startTimer(SHOWN_MS, () => setShown(null));
  }, [shown, isInteracting]);

  const place = { ref: (element) => { if (element) placeNotices(element.closest(".notices")); } };
  return { shown, box: { ...interactionProps, ...place }, dismiss: { onClick: () => setShown(null) } };
}

// A notice about a press whose result is unknown.
export function useLostPress() {
  const [number, setNumber] = useState(0);
  useEffect(() => listen(window, LOST, () => setNumber(Date.now())), []);
  return useFreshMessage(useMemo(() => ({ number }), [number]), true);
}

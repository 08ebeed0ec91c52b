// The shop's notices: short and polite; they disappear after a while and never take the keyboard focus.

import { useEffect, useMemo, useRef, useState } from "react";
import { ADDING } from "./cart.jsx";
import { LOST, startTimer, listen, useInteraction } from "./effects.jsx";
import { isNewAnswer } from "./reconnecting.js";

const SHOWN_MS = 6000;

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

  return { shown, box: interactionProps, dismiss: { onClick: () => setShown(null) } };
}

// A notice about a press whose result is unknown.
export function useLostPress() {
  const [number, setNumber] = useState(0);
  useEffect(() => listen(window, LOST, () => setNumber(Date.now())), []);
  return useFreshMessage(useMemo(() => ({ number }), [number]), true);
}

// Effects that many scripts share. `startTimer`, `listen` and `observe` return a function that undoes them, as a React
// effect expects.

import { useEffect, useRef, useState } from "react";
import { CONFIRMED, LOST, hasPendingPresses } from "./presses.js";
import { RECONNECTED, hasReceivedUpdate, isReconnecting } from "./reconnecting.js";

export { LOST };

export const startTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

export const listen = (target, names, handler, options) => {
  for (const name of names.split(" ")) target.addEventListener(name, handler, options);
  return () => names.split(" ").forEach((name) => target.removeEventListener(name, handler, options));
};

export const observe = (elements, onChange, options) => {
  const watcher = new IntersectionObserver((entries) => entries.forEach(onChange), options);
  for (const element of elements) watcher.observe(element);
  return () => watcher.disconnect();
};

// Return the value, or the last known one while a new connection has not delivered everything yet.
export function useLastKnown(value, isKnown) {
  const lastValue = useRef(value);
  if (isKnown) lastValue.current = value;
  return lastValue.current;
}

// Report a press that failed or whose result is unknown; `notices.jsx` shows it.
export const reportLostPress = () => window.dispatchEvent(new Event(LOST));

// Call `onLost` if a new connection was opened after a request and the request got no answer. A stored press is sent
// again, so its answer is still awaited; `onLost(true)` is called if it was confirmed without an answer. Call the
// returned function with true (the default) after a request and with false after its answer. A request without a
// connection waits for the next one and is not lost.
export function useLostAnswer(onLost) {
  const isSent = useRef(null); // null while no answer is awaited
  const latestOnLost = useRef(onLost);
  useEffect(() => { latestOnLost.current = onLost; });
  const end = (isConfirmed) => {
    isSent.current = null;
    latestOnLost.current(isConfirmed);
  };
  const handleReconnect = () => {
    if (isSent.current === false) isSent.current = true;
    else if (isSent.current && !hasPendingPresses()) end(false);
  };
  const handleConfirmed = () => isSent.current && !hasPendingPresses() && end(true);
  useEffect(() => listen(window, RECONNECTED, handleReconnect), []);
  useEffect(() => listen(window, CONFIRMED, handleConfirmed), []);
  return (isAwaiting = true) => { isSent.current = isAwaiting ? hasReceivedUpdate() && !isReconnecting : null; };
}

// Return true while the mouse or the keyboard focus is in an element, and the properties that the element needs.
export function useInteraction() {
  const [isInteracting, setInteracting] = useState(false);
  const interactionProps = {
    onPointerEnter: (event) => event.pointerType === "mouse" && setInteracting(true),
    onPointerLeave: () => setInteracting(false),
    onFocus: (event) => event.target.matches(":focus-visible") && setInteracting(true),
    onBlur: (event) => event.currentTarget.contains(event.relatedTarget) || setInteracting(false),
  };
  return [isInteracting, interactionProps];
}

// What scripts often do. What `after`, `listen` and `watch` give undoes them, as an effect does at its end.

import { useEffect, useRef, useState } from "react";
import { CONFIRMED, LOST, hasPresses } from "./presses.js";
import { RECONNECTED, hasSpoken, isNew } from "./reconnecting.js";

export { LOST };

export const after = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

export const listen = (target, names, heard, options) => {
  for (const name of names.split(" ")) target.addEventListener(name, heard, options);
  return () => names.split(" ").forEach((name) => target.removeEventListener(name, heard, options));
};

export const watch = (elements, seen, options) => {
  const watcher = new IntersectionObserver((entries) => entries.forEach(seen), options);
  for (const element of elements) watcher.observe(element);
  return () => watcher.disconnect();
};

// A value, or the last one that was known: on a new connection the server has not said everything yet.
export function useLasting(value, isKnown) {
  const last = useRef(value);
  if (isKnown) last.current = value;
  return last.current;
}

// A press that came to nothing, or nobody knows what it came to: `notices.jsx` says so.
export const sayLost = () => window.dispatchEvent(new Event(LOST));

// `lost` is called when a new connection has been made since something was asked and there was no answer. A press that is
// kept is sent again, and its answer waited for: `lost` is called with `true` if it was confirmed without one. What this
// gives is told of both: `true`, or nothing, when something is asked, `false` when it is answered. What is asked while there
// is no connection waits for the next, and is not lost.
export function useLoss(lost) {
  const isSent = useRef(null); // null while no answer is waited for
  const latest = useRef(lost);
  useEffect(() => { latest.current = lost; });
  const end = (isConfirmed) => {
    isSent.current = null;
    latest.current(isConfirmed);
  };
  const renewed = () => {
    if (isSent.current === false) isSent.current = true;
    else if (isSent.current && !hasPresses()) end(false);
  };
  const confirmed = () => isSent.current && !hasPresses() && end(true);
  useEffect(() => listen(window, RECONNECTED, renewed), []);
  useEffect(() => listen(window, CONFIRMED, confirmed), []);
  return (isAsked = true) => { isSent.current = isAsked ? hasSpoken() && !isNew : null; };
}

// Whether someone is at an element, with the mouse or the keyboard, and the properties by which it knows.
export function useHeld() {
  const [isHeld, setHeld] = useState(false);
  const holding = {
    onPointerEnter: (event) => event.pointerType === "mouse" && setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocus: (event) => event.target.matches(":focus-visible") && setHeld(true),
    onBlur: (event) => event.currentTarget.contains(event.relatedTarget) || setHeld(false),
  };
  return [isHeld, holding];
}

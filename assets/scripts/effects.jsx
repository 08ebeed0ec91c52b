// What scripts often do. What `after`, `listen` and `watch` give undoes them, as an effect does at its end.

import { useEffect, useRef, useState } from "react";
import { RECONNECTED, isNew } from "./reconnecting.js";

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

// `lost` is called when a new connection has been made since something was asked, which what this gives is told of. What is
// asked while there is none waits for the next, and is not lost.
export function useLoss(lost) {
  const isLost = useRef(false);
  const renewed = () => {
    if (isLost.current) lost();
    isLost.current = true;
  };
  useEffect(() => listen(window, RECONNECTED, renewed), []);
  return () => { isLost.current = !isNew; };
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

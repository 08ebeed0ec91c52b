// What scripts often do. What `after` and `listen` give undoes them, as an effect does at its end.

import { useRef, useState } from "react";

export const after = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

export const listen = (target, names, heard, options) => {
  for (const name of names.split(" ")) target.addEventListener(name, heard, options);
  return () => names.split(" ").forEach((name) => target.removeEventListener(name, heard, options));
};

// A value, or the last one that was known: on a new connection the server has not said everything yet.
export function useLasting(value, isKnown) {
  const last = useRef(value);
  if (isKnown) last.current = value;
  return last.current;
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

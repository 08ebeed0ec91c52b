// A value, or the last one that was known: on a new connection the server has not said everything yet.

import { useRef } from "react";

export function useLasting(value, isKnown) {
  const last = useRef(value);
  if (isKnown) last.current = value;
  return last.current;
}

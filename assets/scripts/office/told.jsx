// What came of what somebody did, with a way to undo it for a while: shown as long as nobody points at it or is in it.

import { createContext, useContext, useEffect, useRef, useState } from "react";

const SHOWN_MS = 6000;
const UNDO_MS = 8000; // so long a harmless thing can be undone

const Now = createContext({});
export const useTold = () => useContext(Now);

// Around what shows a message. `message`: null or `{number, …}`; one that was there when the page opened, or has been
// shown, is not shown again.
export function Told({ message, children }) {
  const [shown, setShown] = useState(null);
  const [isHeld, setHeld] = useState(false);
  const last = useRef(message?.number ?? 0);

  useEffect(() => {
    const number = message?.number ?? 0;
    if (number === last.current) return;
    last.current = number;
    setShown(number ? message : null);
    setHeld(false);
  }, [message]);

  useEffect(() => {
    if (!shown || isHeld) return;
    const timer = setTimeout(() => setShown(null), shown.subject ? UNDO_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);

  const hold = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  };
  return <Now value={{ shown, hold, leaving: { onClick: () => setShown(null) } }}>{children}</Now>;
}

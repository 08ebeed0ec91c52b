// The result of a staff member's action, with a button to undo it for a while. It stays while the pointer or the focus
// is in it.

import { createContext, useContext, useEffect, useRef, useState } from "react";

const SHOWN_MS = 6000;
const UNDO_MS = 8000; // how long an action can be undone

const Shown = createContext({});
export const useAnnouncement = () => useContext(Shown);

// A wrapper of the element that shows a message. `message`: null or `{number, …}`. A message that already existed when
// the page opened, or that was shown before, is not shown.
export function Announcer({ message, children }) {
  const [shown, setShown] = useState(null);
  const [isInteracting, setInteracting] = useState(false);
  const lastNumber = useRef(message?.number ?? 0);

  useEffect(() => {
    const number = message?.number ?? 0;
    if (number === lastNumber.current) return;
    lastNumber.current = number;
    setShown(number ? message : null);
    setInteracting(false);
  }, [message]);

  useEffect(() => {
    if (!shown || isInteracting) return;
    const timer = setTimeout(() => setShown(null), shown.subject ? UNDO_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown, isInteracting]);

  const box = {
    onPointerEnter: () => setInteracting(true),
    onPointerLeave: () => setInteracting(false),
    onFocus: () => setInteracting(true),
    onBlur: () => setInteracting(false),
  };
  return <Shown value={{ shown, box, dismiss: { onClick: () => setShown(null) } }}>{children}</Shown>;
}

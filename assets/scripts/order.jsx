// The open page of an order asks how it stands: at once, and after each of the `pauses` (seconds), of which the last goes on.
// It begins anew for a shopper who comes back to it, unless it has asked less than `soon` seconds ago.

import { useEffect, useRef, useState } from "react";
import { after, listen } from "./effects.jsx";

export function OrderWatch({ pauses, soon, onAsk }) {
  const [turn, setTurn] = useState({ number: 0 });
  const asked = useRef(0);

  useEffect(() => {
    if (!document.hidden) {
      asked.current = Date.now();
      onAsk();
    }
    const pause = pauses[Math.min(turn.number, pauses.length - 1)];
    return after(pause * 1000, () => setTurn({ number: turn.number + 1 }));
  }, [turn]);

  const back = () => {
    if (!document.hidden && Date.now() - asked.current >= soon * 1000) setTurn({ number: 0 });
  };
  useEffect(() => listen(document, "visibilitychange", back), []);
  useEffect(() => listen(window, "online pageshow", back), []);
  return null;
}

// The open page of an order asks how it stands, at first at once and then less and less often, sooner when the shopper comes
// back to it. It asks often while the bank decides, seldom while the parcels travel, and stops when all is done.

import { useEffect, useRef } from "react";

const PAUSES = {
  bank: [4, 5, 6, 8, 10, 15, 20, 30],
  road: [120, 180, 300],
}; // seconds; the last one goes on
const SOON_MS = { bank: 3500, road: 30000 };

export function OrderWatch({ pace, onAsk }) {
  const asked = useRef(0);

  useEffect(() => {
    const pauses = PAUSES[pace];
    if (!pauses) return;
    let timer;
    let times = 0;

    const ask = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        asked.current = Date.now();
        onAsk();
      }
      timer = setTimeout(ask, pauses[Math.min(times++, pauses.length - 1)] * 1000);
    };
    const back = () => {
      if (document.visibilityState !== "visible" || Date.now() - asked.current < SOON_MS[pace]) return;
      times = 0;
      ask();
    };

    ask();
    document.addEventListener("visibilitychange", back);
    window.addEventListener("online", back);
    window.addEventListener("pageshow", back);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", back);
      window.removeEventListener("online", back);
      window.removeEventListener("pageshow", back);
    };
  }, [pace]);

  return null;
}

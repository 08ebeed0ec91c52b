// The open page of an order asks how it stands, at first at once and then less and less often, sooner when the shopper comes
// back to it. It asks often while the bank decides, seldom while the parcels travel, and stops when all is done.

import { useEffect, useRef, useState } from "react";
import { Icon } from "./icons.jsx";

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

export function PrintButton({ label }) {
  return (
    <button type="button" className="button button--quiet" data-testid="print-order" onClick={() => window.print()}>
      <Icon name="print" size={20} />
      {label}
    </button>
  );
}

// Brings the cart back. Pressed twice it still asks once.
export function TryAgain({ answers, texts, onTry }) {
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setBusy(false), [answers]);

  const pressed = () => {
    if (isBusy) return;
    setBusy(true);
    onTry();
  };
  return (
    <button
      type="button"
      className="button button--primary"
      aria-busy={isBusy || undefined}
      data-testid="try-again"
      onClick={pressed}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : <Icon name="back" size={20} />}
      {isBusy ? texts.busy : texts.again}
    </button>
  );
}

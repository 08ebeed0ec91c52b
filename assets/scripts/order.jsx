// The open page of an order requests the order's state: immediately, and after each of the `pauses` (seconds); the last
// pause repeats. When the shopper returns to the page, this starts again, unless the last request was less than `freshSeconds`
// seconds ago.

import { useEffect, useRef, useState } from "react";
import { startTimer, listen } from "./effects.jsx";

export function OrderWatch({ pauses, freshSeconds, onAsk }) {
  const [step, setStep] = useState({ number: 0 });
  const lastRequestAt = useRef(0);

  useEffect(() => {
    if (!document.hidden) {
      lastRequestAt.current = Date.now();
      onAsk();
    }
    const pause = pauses[Math.min(step.number, pauses.length - 1)];
    return startTimer(pause * 1000, () => setStep({ number: step.number + 1 }));
  }, [step]);

  const handleReturn = () => {
    if (!document.hidden && Date.now() - lastRequestAt.current >= freshSeconds * 1000) setStep({ number: 0 });
  };
  useEffect(() => listen(document, "visibilitychange", handleReturn), []);
  useEffect(() => listen(window, "online pageshow", handleReturn), []);
  return null;
}

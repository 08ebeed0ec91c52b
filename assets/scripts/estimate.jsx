// The shipping cost before the checkout. The browser stores the municipality, so that the next page requests its estimate
// automatically. The markup is in `storefront/pages/shipping_estimate.py`.

import { createContext, useContext, useEffect, useState } from "react";
import { listen, startTimer } from "./effects.jsx";
import { storeTown, useTown } from "./town.js";

const PAUSE_MS = 400; // the quantity is often clicked several times

const Place = createContext({ code: "", name: "", is_current: false });
export const usePlace = () => useContext(Place);

export function EstimateBox({ itemId, version, answered, validSeconds, onAsk, children }) {
  const town = useTown();
  const [typed, setTyped] = useState(null); // typed text that replaces the stored municipality
  const [attempt, setAttempt] = useState(0);
  const code = typed === null && itemId ? (town?.code ?? "") : "";
  const question = `${code} ${itemId} ${version} ${attempt}`;

  const retry = () => setAttempt((before) => before + 1);
  const isCurrent = answered === question;
  useEffect(() => {
    if (code && !isCurrent) return startTimer(PAUSE_MS, () => onAsk(question, code, itemId));
  }, [question, isCurrent]); // a restarted server has lost its answer

  // A promised day holds until the cut-off. A page that is open then asks again; a hidden one when it is shown.
  useEffect(() => {
    if (!code || !isCurrent || !validSeconds) return;
    const end = Date.now() + validSeconds * 1000;
    const renew = () => Date.now() >= end && !document.hidden && retry();
    const stopTimer = startTimer(validSeconds * 1000, renew);
    const stopListening = listen(document, "visibilitychange", renew);
    return () => {
      stopTimer();
      stopListening();
    };
  }, [question, isCurrent]);

  const field = {
    value: typed ?? town?.label ?? "",
    onChange: (event) => setTyped(event.target.value),
    onBlur: () => town && setTyped(null), // text that was only typed is no municipality
  };
  const pick = ({ value, label }) => ({
    onClick: () => {
      storeTown(value, label);
      setTyped(null);
    },
  });
  const place = { code, name: town?.label.split(",")[0] ?? "", is_current: isCurrent, field, town: pick, retry: { onClick: retry } };
  return <Place value={place}>{children}</Place>;
}

// The shipping cost before the checkout. Only this browser stores the municipality, so that the next page requests its
// estimate automatically. The markup is in `storefront/pages/shipping_estimate.py`.

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { startTimer, listen } from "./effects.jsx";

const TOWN_KEY = "trompo_town";
const TOWN_CHANGED = "trompo:town";
const PAUSE_MS = 400; // the quantity is often clicked several times

const Place = createContext({ code: "", is_current: false });
export const usePlace = () => useContext(Place);

const parseTown = (text) => {
  try {
    const { code, label } = JSON.parse(text);
    return /^\d{8}$/.test(code) && typeof label === "string" ? { code, label } : null;
  } catch {
    return null; // nothing stored, or another script's text under our key
  }
};

const read = () => localStorage.getItem(TOWN_KEY);
const subscribe = (notify) => listen(window, `storage ${TOWN_CHANGED}`, notify); // another tab or this one wrote

const storeTown = (town) => {
  localStorage.setItem(TOWN_KEY, JSON.stringify(town));
  window.dispatchEvent(new Event(TOWN_CHANGED));
};

export function EstimateBox({ itemId, version, answered, onAsk, children }) {
  const storedText = useSyncExternalStore(subscribe, read, () => null);
  const town = useMemo(() => parseTown(storedText), [storedText]);
  const [typed, setTyped] = useState(null); // typed text that replaces the stored municipality
  const [attempt, setAttempt] = useState(0);
  const code = typed === null && itemId ? (town?.code ?? "") : "";
  const question = `${code} ${itemId} ${version} ${attempt}`;

  const retry = () => setAttempt((before) => before + 1);
  const isCurrent = answered === question;
  useEffect(() => {
    if (code && !isCurrent) return startTimer(PAUSE_MS, () => onAsk(question, code, itemId));
  }, [question, isCurrent]); // a restarted server has lost its answer

  const field = {
    value: typed ?? town?.label ?? "",
    onChange: (event) => setTyped(event.target.value),
    onBlur: () => town && setTyped(null), // text that was only typed is no municipality
  };
  const pick = ({ value, label }) => ({
    onClick: () => {
      storeTown({ code: value, label });
      setTyped(null);
    },
  });
  const place = { code, is_current: isCurrent, field, town: pick, retry: { onClick: retry } };
  return <Place value={place}>{children}</Place>;
}

// What shipping costs, before the checkout. The municipality is kept here, in this browser alone, so that the next page asks
// by itself. The markup is in `storefront/pages/shipping_estimate.py`.

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { after, listen } from "./effects.jsx";

const KEY = "trompo_town";
const MOVED = "trompo:town";
const PAUSE_MS = 400; // units are often pressed several times

const Place = createContext({ code: "", is_current: false });
export const usePlace = () => useContext(Place);

const parsed = (text) => {
  try {
    const { code, label } = JSON.parse(text);
    return /^\d{8}$/.test(code) && typeof label === "string" ? { code, label } : null;
  } catch {
    return null; // nothing yet, or somebody else's text under our name
  }
};

const read = () => localStorage.getItem(KEY);
const subscribe = (tell) => listen(window, `storage ${MOVED}`, tell); // another tab wrote, or this one

const keep = (town) => {
  localStorage.setItem(KEY, JSON.stringify(town));
  window.dispatchEvent(new Event(MOVED));
};

export function EstimateBox({ thing, version, answered, onAsk, children }) {
  const kept = useSyncExternalStore(subscribe, read, () => null);
  const town = useMemo(() => parsed(kept), [kept]);
  const [typed, setTyped] = useState(null); // what is typed instead of the town that is kept
  const [turn, setTurn] = useState(0);
  const code = typed === null && thing ? (town?.code ?? "") : "";
  const asked = `${code} ${thing} ${version} ${turn}`;

  const again = () => setTurn((before) => before + 1);
  const isCurrent = answered === asked;
  useEffect(() => {
    if (code && !isCurrent) return after(PAUSE_MS, () => onAsk(asked, code, thing));
  }, [asked, isCurrent]); // a server that has restarted has forgotten its answer

  const field = {
    value: typed ?? town?.label ?? "",
    onChange: (event) => setTyped(event.target.value),
    onBlur: () => town && setTyped(null), // what is only typed is no place
  };
  const pick = ({ value, label }) => ({
    onClick: () => {
      keep({ code: value, label });
      setTyped(null);
    },
  });
  const place = { code, is_current: isCurrent, field, town: pick, again: { onClick: again } };
  return <Place value={place}>{children}</Place>;
}

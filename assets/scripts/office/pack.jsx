// Packing an order: what is in the box already. Lines are ticked by hand, by the camera, or by a scanner, which types a
// code and Enter like a keyboard. It waits for no network; a reload of the page keeps it.

import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { listen } from "../effects.jsx";
import { Camera } from "./camera.jsx";

const PAUSE_MS = 600; // a scanner types without pauses
const SHORTEST = 3; // letters of a code

const Pack = createContext({ is_whole: false, counts: {}, said: "", tone: "", line: () => ({}), camera: {} });
export const usePack = () => useContext(Pack);

const kept = (order) => {
  try {
    return JSON.parse(sessionStorage.getItem(`pack:${order}`)) ?? {};
  } catch {
    return {};
  }
};

// `lines`: `{id, title, units, codes}` each. `texts`: what is said of a code.
export function Packing({ order, lines, texts, children }) {
  const [counts, setCounts] = useState({});
  const [said, setSaid] = useState({ text: "", tone: "" });
  const [isOpen, setOpen] = useState(false);
  const now = useRef();
  now.current = { counts, lines };
  useLayoutEffect(() => setCounts(kept(order)), [order]); // which its document could not know

  const put = (id, count) => {
    const next = { ...now.current.counts, [id]: count };
    now.current.counts = next;
    sessionStorage.setItem(`pack:${order}`, JSON.stringify(next));
    setCounts(next);
  };
  const scanned = (code) => {
    const wanted = code.trim().toUpperCase();
    const ofOrder = now.current.lines.filter((line) => line.codes.includes(wanted));
    const line = ofOrder.find((one) => (now.current.counts[one.id] ?? 0) < one.units);
    if (line) {
      put(line.id, (now.current.counts[line.id] ?? 0) + 1);
      setSaid({ text: line.title, tone: "good" });
    } else {
      navigator.vibrate?.(200);
      setSaid({ text: `${ofOrder.length ? texts.enough : texts.unknown} (${code})`, tone: "bad" });
    }
  };

  useEffect(() => {
    let typed = "";
    let at = 0;
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, textarea, select")) return;
      if (event.timeStamp - at > PAUSE_MS) typed = "";
      at = event.timeStamp;
      if (event.key === "Enter") {
        if (typed.length < SHORTEST) return;
        event.preventDefault(); // no button is pressed by it
        event.stopPropagation();
        scanned(typed);
        typed = "";
      } else if (event.key.length === 1 && event.key !== " ") {
        typed += event.key;
        if (event.key !== "/") event.stopPropagation(); // the office's keys are letters too
      }
    };
    return listen(document, "keydown", pressed, { capture: true });
  }, [order]);

  const counted = Object.fromEntries(lines.map((line) => [line.id, Math.min(counts[line.id] ?? 0, line.units)]));
  const pack = {
    counts: counted,
    is_whole: lines.every((line) => counted[line.id] === line.units),
    said: said.text,
    tone: said.tone,
    line: (id) => {
      const units = lines.find((line) => line.id === id)?.units ?? 0;
      const isWhole = counted[id] === units;
      return { "aria-pressed": isWhole, onClick: () => put(id, isWhole ? 0 : units) };
    },
    camera: { onClick: () => setOpen(!isOpen), "aria-expanded": isOpen },
  };
  return (
    <Pack value={pack}>
      {isOpen && <Camera texts={texts} onCode={scanned} />}
      {children}
    </Pack>
  );
}

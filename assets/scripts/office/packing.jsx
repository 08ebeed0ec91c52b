// Packing of an order: the units that are in the box. A line is checked off by hand, by the camera, or by a scanner,
// which types a code and Enter like a keyboard. No step waits for the network, and a reload keeps the counts.

import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { listen } from "../effects.jsx";
import { Camera } from "./camera.jsx";

const MAX_KEY_INTERVAL_MS = 600; // a scanner types without longer pauses
const MIN_CODE_LENGTH = 3; // characters of a code

const Box = createContext({
  is_complete: false, counts: {}, chosen: {}, chosen_count: 0, message: "", tone: "", line: () => ({}), less: () => ({}), more: () => ({}),
  camera: {},
});
export const usePackingBox = () => useContext(Box);

const readCounts = (order) => {
  try {
    return JSON.parse(sessionStorage.getItem(`pack:${order}`)) ?? {};
  } catch {
    return {};
  }
};

// `lines`: `{id, title, units, codes}` each. `texts`: the messages about a code.
export function PackingForm({ order, lines, texts, children }) {
  const [counts, setCounts] = useState({});
  const [message, setMessage] = useState({ text: "", tone: "" });
  const [isOpen, setOpen] = useState(false);
  const latest = useRef();
  latest.current = { counts, lines };
  useLayoutEffect(() => setCounts(readCounts(order)), [order]); // the rendered document does not contain them

  const setCount = (id, count) => {
    const next = { ...latest.current.counts, [id]: count };
    latest.current.counts = next;
    sessionStorage.setItem(`pack:${order}`, JSON.stringify(next));
    setCounts(next);
  };
  const handleCode = (code) => {
    const normalizedCode = code.trim().toUpperCase();
    const matchingLines = latest.current.lines.filter((line) => line.codes.includes(normalizedCode));
    const line = matchingLines.find((candidate) => (latest.current.counts[candidate.id] ?? 0) < candidate.units);
    if (line) {
      setCount(line.id, (latest.current.counts[line.id] ?? 0) + 1);
      setMessage({ text: line.title, tone: "good" });
    } else {
      navigator.vibrate?.(200);
      setMessage({ text: `${matchingLines.length ? texts.enough : texts.unknown} (${code})`, tone: "bad" });
    }
  };

  useEffect(() => {
    let typed = "";
    let lastKeyAt = 0;
    const handleKeyDown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, textarea, select")) return;
      if (event.timeStamp - lastKeyAt > MAX_KEY_INTERVAL_MS) typed = "";
      lastKeyAt = event.timeStamp;
      if (event.key === "Enter") {
        if (typed.length < MIN_CODE_LENGTH) return;
        event.preventDefault(); // Enter must not press the focused button
        event.stopPropagation();
        handleCode(typed);
        typed = "";
      } else if (event.key.length === 1 && event.key !== " ") {
        typed += event.key;
        if (event.key !== "/") event.stopPropagation(); // letters are also the office's shortcuts
      }
    };
    return listen(document, "keydown", handleKeyDown, { capture: true });
  }, [order]);

  const countsByLine = Object.fromEntries(lines.map((line) => [line.id, Math.min(counts[line.id] ?? 0, line.units)]));
  const isComplete = lines.every((line) => countsByLine[line.id] === line.units);
  const chosen = isComplete ? {} : Object.fromEntries(Object.entries(countsByLine).filter(([, count]) => count > 0));
  const unitsOf = (id) => lines.find((line) => line.id === id)?.units ?? 0;
  const stepProps = (id, change) => {
    const count = (countsByLine[id] ?? 0) + change;
    return { disabled: count < 0 || count > unitsOf(id), onClick: () => setCount(id, count) };
  };
  const box = {
    counts: countsByLine,
    is_complete: isComplete,
    chosen,
    chosen_count: Object.values(chosen).reduce((sum, count) => sum + count, 0),
    message: message.text,
    tone: message.tone,
    line: (id) => {
      const units = unitsOf(id);
      const isPacked = countsByLine[id] === units;
      return { "aria-pressed": isPacked, onClick: () => setCount(id, isPacked ? 0 : units) };
    },
    less: (id) => stepProps(id, -1),
    more: (id) => stepProps(id, 1),
    camera: { onClick: () => setOpen(!isOpen), "aria-expanded": isOpen },
  };
  return (
    <Box value={box}>
      {isOpen && <Camera texts={texts} onCode={handleCode} />}
      {children}
    </Box>
  );
}

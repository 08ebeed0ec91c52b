// A field with a list of suggestions, for the search and for municipalities. The server only answers what was typed: opening,
// closing and going through the list happen here, so no key waits for the network. The keys are @github/combobox-nav's.
//
// `answered` is the text that the `count` options belong to. Older answers are shown dimmed, and "there is nothing" is said
// only of the text that stands in the field now.

import Navigation from "@github/combobox-nav";
import { createContext, useContext, useEffect, useRef, useState } from "react";

const Box = createContext({});
export const useCombobox = () => useContext(Box);

// Around an input and, while there is something to show, a listbox. `letters`: how many it takes to be asked. `idle`: how many
// options there are before anything is typed. `closes`: it closes when this changes. `isStrict`: only what is picked counts, so Tab picks and Enter stays. `isClearing`: Escape in the
// closed field empties it. An option with `data-text` is written into the field when it is picked.
export function Combobox({ answered, count, letters = 1, idle = 0, isPicked, closes, isStrict, isClearing, onAsk, children }) {
  const place = useRef(null);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const isLongEnough = typed.length >= letters && !isPicked;
  const isCurrent = answered === typed;
  const isIdle = isOpen && typed === "" && idle > 0;
  const isListed = isIdle || (isOpen && isLongEnough && count > 0);
  const isEmpty = isOpen && isLongEnough && isCurrent && count === 0;
  const input = () => place.current.querySelector("input");

  // the roles are a promise that only this script keeps, so they come with it
  useEffect(() => {
    const roles = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false" };
    for (const [name, value] of Object.entries(roles)) input().setAttribute(name, value);
  }, []);

  useEffect(() => {
    if (!isListed) return;
    const navigation = new Navigation(input(), place.current.querySelector('[role="listbox"]'), { tabInsertsSuggestions: false });
    navigation.start();
    return () => navigation.stop();
  }, [isListed, isIdle, answered]);

  useEffect(() => setOpen(false), [closes]);

  // a server that has restarted has forgotten its answer
  useEffect(() => {
    if (!answered && isOpen && isLongEnough) onAsk(typed);
  }, [answered]);

  const ask = () => {
    const text = input().value.trim();
    setTyped(text);
    setOpen(text.length >= letters || (!text && idle > 0));
    if (text.length >= letters && text !== answered) onAsk(text);
  };

  const clicked = ({ target }) => {
    const option = target.closest('[role="option"]');
    if (option?.dataset.text) input().value = option.dataset.text;
    if (option || target.closest("[data-closes]")) setOpen(false);
    else if (target === input() && !isPicked) ask();
  };

  const pressed = (event) => {
    const { key } = event;
    if (event.nativeEvent.isComposing || event.target !== input()) return;
    if (isStrict && isListed && key === "Tab") place.current.querySelector('[aria-selected="true"]')?.click();
    else if (isStrict && (isListed || isEmpty) && key === "Enter") event.preventDefault();
    else if (!isListed && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      if (!isPicked) ask();
    } else if (key === "Escape") {
      if (isListed || isEmpty) setOpen(false);
      else if (!isClearing) return;
      else {
        input().value = "";
        ask();
      }
      event.preventDefault();
    }
  };

  const stay = (event) => event.target.closest('[role="option"]') && event.preventDefault(); // the focus stays in the field
  const left = (event) => place.current.contains(event.relatedTarget) || setOpen(false);

  return (
    <Box value={{ typed, is_open: isListed || isEmpty, is_listed: isListed, is_idle: isIdle, is_empty: isEmpty, is_current: isCurrent }}>
      <div ref={place} className="contents" onInput={ask} onClick={clicked} onKeyDown={pressed} onBlur={left} onPointerDown={stay}>
        {children}
      </div>
    </Box>
  );
}

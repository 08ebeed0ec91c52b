// A field with a list of suggestions, for the search and for municipalities. The browser opens, closes and navigates the
// list, so no key waits for the network; the server only finds the options. @github/combobox-nav handles the keys.
//
// `answered` is the text for which the `count` options were found. Options for an earlier text are dimmed, and "no
// results" is shown only for the current text of the field.

import Navigation from "@github/combobox-nav";
import { createContext, useContext, useEffect, useRef, useState } from "react";
import { listen } from "./effects.jsx";

const Box = createContext({});
export const useCombobox = () => useContext(Box);

// A wrapper of an input and, while there is something to show, of a listbox. `minLetters`: the minimum length of a text
// that is sent. `idleCount`: the number of options for a shorter text; focusing the field shows them. `closeKey`: the list closes when this value
// changes. `isStrict`: only a picked option counts, so Tab picks and Enter does not submit. `clearsOnEscape`: Escape in the
// closed field empties it. An option with `data-text` is written into the field when it is picked.
export function Combobox({ answered, count, minLetters = 1, idleCount = 0, isPicked, closeKey, isStrict, clearsOnEscape, onAsk, children }) {
  const box = useRef(null);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const isLongEnough = typed.length >= minLetters && !isPicked;
  const isCurrent = answered === typed;
  const isIdle = isOpen && typed.length < minLetters && idleCount > 0;
  const isListed = isIdle || (isOpen && isLongEnough && count > 0);
  const isEmpty = isOpen && isLongEnough && isCurrent && count === 0;
  const input = () => box.current.querySelector("input");
  const lastAsked = useRef(null);
  const ask = (text) => {
    lastAsked.current = text;
    onAsk(text);
  };

  // Without this script the field has no list, so the script sets the roles.
  useEffect(() => {
    const roles = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false" };
    for (const [name, value] of Object.entries(roles)) input().setAttribute(name, value);
  }, []);

  useEffect(() => {
    if (!isListed) return;
    const navigation = new Navigation(input(), box.current.querySelector('[role="listbox"]'), { tabInsertsSuggestions: false });
    navigation.start();
    return () => navigation.stop();
  }, [isListed, isIdle, answered]);

  useEffect(() => setOpen(false), [closeKey]);

  // On a touch screen the field may keep the focus after a touch elsewhere, and the list would cover the page.
  const handlePress = ({ target }) => box.current.contains(target) || setOpen(false);
  useEffect(() => isOpen ? listen(document, "pointerdown", handlePress) : undefined, [isOpen]);

  // A restarted server has lost its answer.
  useEffect(() => {
    if (!answered && isOpen && isLongEnough) ask(typed);
  }, [answered]);

  const search = () => {
    const text = input().value.trim();
    setTyped(text);
    setOpen(text.length >= minLetters || idleCount > 0);
    // The displayed answer may be for this text, while another text is still to be answered: this request replaces it.
    if (text.length >= minLetters && (text !== answered || text !== lastAsked.current)) ask(text);
  };

  const handleClick = ({ target }) => {
    const option = target.closest('[role="option"]');
    if (option?.dataset.text) input().value = option.dataset.text;
    if (option || target.closest("[data-closes]")) setOpen(false);
    else if (target === input() && !isPicked) search();
  };

  const handleKeyDown = (event) => {
    const { key } = event;
    if (event.nativeEvent.isComposing || event.target !== input()) return;
    if (isStrict && isListed && key === "Tab") box.current.querySelector('[aria-selected="true"]')?.click();
    else if (isStrict && (isListed || isEmpty) && key === "Enter") event.preventDefault();
    else if (!isListed && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      if (!isPicked) search();
    } else if (key === "Escape") {
      if (isListed || isEmpty) setOpen(false);
      else if (!clearsOnEscape) return;
      else {
        input().value = "";
        setTyped("");
      }
      event.preventDefault();
    }
  };

  const handleFocus = ({ target }) => target === input() && idleCount > 0 && target.value.trim().length < minLetters && search();
  const handlePointerDown = (event) => event.target.closest('[role="option"]') && event.preventDefault(); // keeps the focus in the field
  const handleBlur = (event) => box.current.contains(event.relatedTarget) || setOpen(false);

  return (
    <Box value={{ typed, is_open: isListed || isEmpty, is_listed: isListed, is_idle: isIdle, is_empty: isEmpty, is_current: isCurrent }}>
      <div ref={box} className="contents" onInput={search} onClick={handleClick} onKeyDown={handleKeyDown} onFocus={handleFocus} onBlur={handleBlur} onPointerDown={handlePointerDown}>
        {children}
      </div>
    </Box>
  );
}

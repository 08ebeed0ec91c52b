// Buttons and forms that send an event: further clicks before the answer are ignored.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useLostAnswer } from "./effects.jsx";
import { isEarlierAnswer } from "./reconnecting.js";

const Busy = createContext(false);
export const useBusy = () => useContext(Busy);

// A wrapper of a form, or of buttons with `data-once`. It is busy from the first click until `answers` changes. The form
// is emptied when `empties` increases. When `empties` decreases, the server has lost its state and the typed text stays.
export function SubmitOnce({ answers, empties, children }) {
  const [isBusy, setBusy] = useState(false);
  const place = useRef(null);
  const lastEmpties = useRef(empties);
  const sentText = useRef("");
  const readText = () => {
    const form = place.current.querySelector("form");
    return form ? JSON.stringify([...new FormData(form)]) : "";
  };
  useEffect(() => {
    // Text that was typed after the form was sent stays.
    if (empties > lastEmpties.current && readText() === sentText.current) place.current.querySelector("form")?.reset();
    lastEmpties.current = empties;
  }, [empties]);
  useEffect(() => {
    if (!isEarlierAnswer(answers)) setBusy(false);
  }, [answers]);
  const setAwaiting = useLostAnswer(() => setBusy(false)); // it can be clicked again

  const handlePress = (event) => {
    if (event.type === "click" && !event.target.closest("[data-once]")) return;
    if (!isBusy) {
      setAwaiting(true);
      sentText.current = readText();
      return setBusy(true);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Busy.Provider value={isBusy}>
      <div ref={place} className="contents" aria-busy={isBusy || undefined} onClickCapture={handlePress} onSubmitCapture={handlePress}>{children}</div>
    </Busy.Provider>
  );
}

// Shows its first child. A button `data-asks` in it shows the second child instead, a question; there a button
// `data-stays` goes back. The focus moves to the element marked `data-first`, and back.
export function AskFirst({ children }) {
  const isBusy = useBusy();
  const [isAsking, setAsking] = useState(null); // null before the first click
  const place = useRef(null);

  useEffect(() => {
    if (isAsking !== null) place.current.querySelector(isAsking ? "[data-first]" : "[data-asks]").focus();
  }, [isAsking]);

  const closeQuestion = () => isBusy || !isAsking || setAsking(false);
  const handleClick = ({ target }) => {
    if (target.closest("[data-asks]")) setAsking(true);
    else if (target.closest("[data-stays]")) closeQuestion();
  };
  return (
    <div ref={place} className="contents" onClick={handleClick} onKeyDown={(event) => event.key === "Escape" && closeQuestion()}>
      {children[isAsking ? 1 : 0]}
    </div>
  );
}

// Buttons and forms that ask the server: pressed again before it has answered, they ask once.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useLoss } from "./effects.jsx";
import { isOlder } from "./reconnecting.js";

const Busy = createContext(false);
export const useBusy = () => useContext(Busy);

// Around a form or buttons with `data-once`: busy from the first press to the next of the `answers`. When `empties` grows the
// form is empty again; when it shrinks the server has lost it, and what is typed stays.
export function Once({ answers, empties, children }) {
  const [isBusy, setBusy] = useState(false);
  const place = useRef(null);
  const emptied = useRef(empties);
  useEffect(() => {
    if (empties > emptied.current) place.current.querySelector("form")?.reset();
    emptied.current = empties;
  }, [empties]);
  useEffect(() => {
    if (!isOlder(answers)) setBusy(false);
  }, [answers]);
  const asked = useLoss(() => setBusy(false)); // it can be pressed again

  const pressed = (event) => {
    if (event.type === "click" && !event.target.closest("[data-once]")) return;
    if (!isBusy) {
      asked();
      return setBusy(true);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Busy.Provider value={isBusy}>
      <div ref={place} className="contents" aria-busy={isBusy || undefined} onClickCapture={pressed} onSubmitCapture={pressed}>{children}</div>
    </Busy.Provider>
  );
}

// Its first child asks for its second one, in its place, with a button `data-asks`; there a button `data-stays` goes back.
// The focus goes to what is marked `data-first`, and back.
export function AskFirst({ children }) {
  const isBusy = useBusy();
  const [isAsking, setAsking] = useState(null); // nobody has pressed anything yet
  const place = useRef(null);

  useEffect(() => {
    if (isAsking !== null) place.current.querySelector(isAsking ? "[data-first]" : "[data-asks]").focus();
  }, [isAsking]);

  const stay = () => isBusy || !isAsking || setAsking(false);
  const clicked = ({ target }) => {
    if (target.closest("[data-asks]")) setAsking(true);
    else if (target.closest("[data-stays]")) stay();
  };
  return (
    <div ref={place} className="contents" onClick={clicked} onKeyDown={(event) => event.key === "Escape" && stay()}>
      {children[isAsking ? 1 : 0]}
    </div>
  );
}

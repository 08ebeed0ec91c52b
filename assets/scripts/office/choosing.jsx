// Rows of a list that are chosen by their boxes (`data-chooses`), and buttons that do something with all of them: one
// with `formaction` opens a document of them, one with `data-act` asks the server, once until it has answered.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useLoss } from "../effects.jsx";

const Chosen = createContext({ count: 0, is_busy: false });
export const useChosen = () => useContext(Chosen);

const boxesOf = (form) => [...form.querySelectorAll("input[data-chooses]")];
const chosenIn = (form) => boxesOf(form).filter((box) => box.checked).map((box) => box.value);

// `holdsForms`: the rows hold forms of their own, so this is none; its buttons are plain ones.
export function Choosing({ answers, className, holdsForms, onAct, onPrint, children }) {
  const form = useRef(null);
  const [ids, setIds] = useState([]);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setBusy(false), [answers]);
  const asked = useLoss(() => setBusy(false)); // it can be pressed again

  const read = () => {
    const now = chosenIn(form.current);
    setIds((before) => (before.join() === now.join() ? before : now));
  };
  useEffect(read); // rows may have gone

  const choose = (isChosen) => {
    for (const box of boxesOf(form.current)) box.checked = isChosen;
    read();
  };
  const submitted = (event) => {
    const button = event.nativeEvent.submitter;
    if (button?.hasAttribute("formaction")) {
      if (button.hasAttribute("data-prints")) onPrint(ids);
      return;
    }
    event.preventDefault();
    act(button);
  };
  const act = (button) => {
    if (isBusy || !ids.length || !button?.dataset.act) return;
    asked();
    setBusy(true);
    onAct(button.dataset.act, ids);
  };
  const clicked = (event) => act(event.target.closest("button[data-act]"));

  const all = form.current ? boxesOf(form.current).length : 0;
  const chosen = {
    count: ids.length,
    is_busy: isBusy,
    every: { checked: all > 0 && ids.length === all, onChange: (event) => choose(event.target.checked) },
    none: { onClick: () => choose(false) },
  };
  if (holdsForms) {
    return (
      <Chosen value={chosen}>
        <div ref={form} className={className} onChange={read} onClick={clicked}>{children}</div>
      </Chosen>
    );
  }
  return (
    <Chosen value={chosen}>
      <form ref={form} className={className} method="get" onChange={read} onSubmit={submitted}>{children}</form>
    </Chosen>
  );
}

// Rows of a list that are selected with checkboxes (`data-chooses`), and buttons for all selected rows: a button with
// `formaction` opens a document of them; a button with `data-act` sends an event, once until it is answered.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useLostAnswer } from "../effects.jsx";

const Selection = createContext({ count: 0, is_busy: false });
export const useSelection = () => useContext(Selection);

const listCheckboxes = (form) => [...form.querySelectorAll("input[data-chooses]")];
const listSelectedIds = (form) => listCheckboxes(form).filter((box) => box.checked).map((box) => box.value);

// `holdsForms`: the rows contain forms, so this element cannot be a form; its buttons do not submit.
export function RowSelection({ answers, className, holdsForms, onAct, onPrint, children }) {
  const form = useRef(null);
  const [ids, setIds] = useState([]);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setBusy(false), [answers]);
  const setAwaiting = useLostAnswer(() => setBusy(false)); // it can be clicked again

  const readSelection = () => {
    const now = listSelectedIds(form.current);
    setIds((before) => (before.join() === now.join() ? before : now));
  };
  useEffect(readSelection); // rows may have disappeared

  const selectAll = (isSelected) => {
    for (const box of listCheckboxes(form.current)) box.checked = isSelected;
    readSelection();
  };
  const handleSubmit = (event) => {
    const button = event.nativeEvent.submitter;
    if (button?.hasAttribute("formaction")) {
      if (button.hasAttribute("data-prints")) onPrint(ids);
      return;
    }
    event.preventDefault();
    sendAction(button);
  };
  const sendAction = (button) => {
    if (isBusy || !ids.length || !button?.dataset.act) return;
    setAwaiting(true);
    setBusy(true);
    onAct(button.dataset.act, ids);
  };
  const handleClick = (event) => sendAction(event.target.closest("button[data-act]"));

  const rowCount = form.current ? listCheckboxes(form.current).length : 0;
  const selection = {
    count: ids.length,
    is_busy: isBusy,
    select_all: { checked: rowCount > 0 && ids.length === rowCount, onChange: (event) => selectAll(event.target.checked) },
    clear: { onClick: () => selectAll(false) },
  };
  if (holdsForms) {
    return (
      <Selection value={selection}>
        <div ref={form} className={className} onChange={readSelection} onClick={handleClick}>{children}</div>
      </Selection>
    );
  }
  return (
    <Selection value={selection}>
      <form ref={form} className={className} method="get" onChange={readSelection} onSubmit={handleSubmit}>{children}</form>
    </Selection>
  );
}

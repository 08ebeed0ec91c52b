// A form of the office: it knows whether something in it was changed, shows its save bar then, and does not let anybody
// leave with what is not saved. After a refusal the focus goes to the first field that is wrong.
//
// `shown` stands for what the form shows. It is sent as `seen`: what it was when somebody began to change something, or
// when they were last told that others did (`met` changes then). What others save meanwhile reaches the fields that were
// not touched; one that was keeps what was typed.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";
import { useLoss } from "../effects.jsx";

const Edited = createContext({ is_dirty: false, is_busy: false, touch: () => {}, restarts: 0 });
export const useEdited = () => useContext(Edited);

// What the form holds, by name; a name that ends in `[]` holds a list.
function valuesOf(form) {
  const values = {};
  for (const [name, value] of new FormData(form).entries()) {
    if (name.endsWith("[]")) (values[name.slice(0, -2)] ??= []).push(value);
    else values[name] = value;
  }
  return values;
}

// Show what the form is given. React gives a list a new default only when it is made (`data-now` says what it is), and a
// field that it made with a value keeps that until the form is reset.
function showGiven(form) {
  form.reset();
  for (const list of form.querySelectorAll("select[data-now]")) list.value = list.dataset.now;
}

// What was typed into the document before its scripts came.
const isTyped = (field) => {
  if (field.localName === "select") return "now" in field.dataset && field.value !== field.dataset.now;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
};
const isTypedIn = (form) => [...form.querySelectorAll("input, textarea, select")].some(isTyped);

function showFirstProblem(form) {
  const field = form.querySelector('[aria-invalid="true"]');
  for (let around = field?.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  field?.focus();
}

// `answers` changes with every answer; `isGood`: the last one was "saved". `question`: asked before leaving.
export function EditForm({ answers, isGood, question, shown = "", met = 0, className, onSave, onDiscard, children }) {
  const form = useRef(null);
  const heard = useRef(answers);
  const known = useRef({ shown, met });
  const isNew = useRef(true);
  const [isDirty, setDirty] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [restarts, setRestarts] = useState(0);
  const asked = useLoss(() => setBusy(false)); // it can be pressed again

  if (!isDirty || met !== known.current.met) known.current = { shown, met };
  const restart = () => {
    showGiven(form.current);
    setDirty(false);
    setRestarts((count) => count + 1);
  };

  useEffect(() => {
    if (isNew.current) setDirty(isTypedIn(form.current));
    else if (!isDirty) showGiven(form.current);
    isNew.current = false;
  }, [shown]);

  useEffect(() => {
    if (answers === heard.current) return;
    heard.current = answers;
    if (!isBusy) return; // the answer to something else on the screen
    setBusy(false);
    if (isGood) restart();
    else showFirstProblem(form.current);
  }, [answers]);

  useEffect(() => {
    if (!isDirty) return;
    const leaving = (event) => event.preventDefault();
    window.addEventListener("beforeunload", leaving);
    return () => window.removeEventListener("beforeunload", leaving);
  }, [isDirty]);

  // while an answer is awaited, it may lead elsewhere
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isDirty && !isBusy && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (!window.confirm(question)) return blocker.reset();
    restart(); // the next page may be the same screen for another thing
    blocker.proceed();
  }, [blocker.state]);

  const submitted = (event) => {
    event.preventDefault();
    if (isBusy) return;
    asked();
    setBusy(true);
    const values = valuesOf(form.current);
    onSave(known.current.shown ? { ...values, seen: known.current.shown } : values);
  };
  const discard = () => {
    restart();
    onDiscard?.();
  };
  // a button that takes another value into a field: `data-takes` is the field's id
  const clicked = (event) => {
    const button = event.target.closest("[data-takes]");
    const field = button && document.getElementById(button.dataset.takes);
    if (!field) return;
    field.value = button.dataset.value;
    setDirty(true);
    for (let around = field.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    field.focus();
  };
  const edited = {
    is_dirty: isDirty,
    is_busy: isBusy,
    reset: { onClick: discard },
    touch: () => setDirty(true),
    restarts,
  };

  return (
    <Edited value={edited}>
      <form ref={form} className={className} noValidate onSubmit={submitted} onClick={clicked} onInput={() => setDirty(true)}>
        {children}
      </form>
    </Edited>
  );
}

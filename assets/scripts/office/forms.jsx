// A form of the office: it knows whether something in it was changed, shows its save bar then, and does not let anybody
// leave with what is not saved. After a refusal the focus goes to the first field that is wrong.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";

const Edited = createContext({ is_dirty: false, is_busy: false });
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

// `answers` changes with every answer; `isGood`: the last one was "saved". `question`: asked before leaving.
export function EditForm({ answers, isGood, question, className, onSave, children }) {
  const form = useRef(null);
  const seen = useRef(answers);
  const [isDirty, setDirty] = useState(false);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    if (answers === seen.current) return;
    seen.current = answers;
    setBusy(false);
    if (isGood) setDirty(false);
    else form.current.querySelector('[aria-invalid="true"]')?.focus();
  }, [answers]);

  useEffect(() => {
    if (!isDirty) return;
    const leaving = (event) => event.preventDefault();
    window.addEventListener("beforeunload", leaving);
    return () => window.removeEventListener("beforeunload", leaving);
  }, [isDirty]);

  const blocker = useBlocker(({ currentLocation, nextLocation }) => isDirty && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (window.confirm(question)) blocker.proceed();
    else blocker.reset();
  }, [blocker.state]);

  const submitted = (event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    onSave(valuesOf(form.current));
  };
  const reset = () => {
    form.current.reset();
    setDirty(false);
  };
  const edited = { is_dirty: isDirty, is_busy: isBusy, reset: { onClick: reset } };

  return (
    <Edited value={edited}>
      <form ref={form} className={className} noValidate onSubmit={submitted} onInput={() => setDirty(true)}>{children}</form>
    </Edited>
  );
}

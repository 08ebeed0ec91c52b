// A form of the office. It detects changes, then shows its save bar and asks before a staff member leaves unsaved changes.
// After a refusal it focuses the first invalid field.
//
// `shownValues` is the version of the displayed values. The form sends as `seen` the version that was displayed when the
// staff member began to edit, or when they were last informed of another person's change (`conflictCount` changes then).
// Other changes that are saved in the meantime appear in untouched fields; an edited field keeps its typed text.
// `onEdit` receives the values a moment after each change, for a preview.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";
import { useLostAnswer } from "../effects.jsx";

const EDIT_DELAY_MS = 300;

// `lastRestart` changes when the fields show the given values again. Its `isSave` is true after a save; then changes that
// were made after the form was sent have to stay.
const NO_RESTART = { isSave: false };
const FormContext = createContext({ is_dirty: false, is_busy: false, touch: () => {}, lastRestart: NO_RESTART });
export const useEditForm = () => useContext(FormContext);

// Apply the latest restart to the `edits` that a component stores itself. `onReset` discards them. If they changed after
// they were sent, `onKeep` is called instead; it returns false if none stay. After a save, both receive the `details` of
// the moment when the edits were sent.
export function useOwnEdits(edits, details, onReset, onKeep = () => true) {
  const { is_busy: isBusy, lastRestart, touch } = useEditForm();
  const sent = useRef({ edits, details });
  useEffect(() => {
    if (isBusy) sent.current = { edits, details };
  }, [isBusy]);
  useEffect(() => {
    if (!lastRestart.isSave) return onReset();
    if (sent.current.edits === edits) return onReset(sent.current.details);
    if (onKeep(sent.current.details)) touch();
  }, [lastRestart]);
}

// Return the form's values by name; a name that ends in `[]` has a list.
function readValues(form) {
  const values = {};
  for (const [name, value] of new FormData(form).entries()) {
    if (name.endsWith("[]")) (values[name.slice(0, -2)] ??= []).push(value);
    else values[name] = value;
  }
  return values;
}

// Show the values that the form was given. React applies a new default to a select only when it creates it (`data-now`
// holds the current value), and a field keeps its first value until the form is reset.
function resetToGiven(form) {
  form.reset();
  for (const list of form.querySelectorAll("select[data-now]")) list.value = list.dataset.now;
  for (const counter of form.querySelectorAll("[data-counts]")) counter.dataset.count = document.getElementById(counter.dataset.counts).value.length;
}

const isTick = (field) => field.type === "checkbox" || field.type === "radio";
const getValue = (field) => (isTick(field) ? field.checked : field.value);
const setValue = (field, value) => { field[isTick(field) ? "checked" : "value"] = value; };

// Return true if a field was edited since the document or the server set its value.
const isEdited = (field) => {
  if (field.localName === "select") return "now" in field.dataset && field.value !== field.dataset.now;
  return getValue(field) !== (isTick(field) ? field.defaultChecked : field.defaultValue);
};

const listFields = (form) => [...form.querySelectorAll("input[name], textarea[name], select[name]")];
const isFormEdited = (form) => [...form.querySelectorAll("input, textarea, select")].some(isEdited);

function showFirstProblem(form) {
  const field = form.querySelector('[aria-invalid="true"]');
  for (let section = field?.closest("details"); section; section = section.parentElement.closest("details")) section.open = true;
  field?.focus();
}

// Group the digits of an amount in pesos once it is typed: `89900` becomes `89.900`.
function groupDigits({ target }) {
  if ("money" in (target.dataset ?? {}) && /^\d{4,}$/.test(target.value)) target.value = target.value.replace(/\B(?=(\d{3})+$)/g, ".");
}

// A text area with `data-one-line` wraps a long line. Line breaks that are pasted into it become spaces.
const isOneLine = (field) => "oneLine" in (field.dataset ?? {});
function joinLines(field) {
  if (isOneLine(field) && /[\r\n]/.test(field.value)) field.value = field.value.replace(/\s*[\r\n]+\s*/g, " ");
}

// Show the number of characters of a field, in the element whose `data-counts` is the field's id.
function showCount(form, field) {
  for (const counter of form.querySelectorAll("[data-counts]")) if (counter.dataset.counts === field.id) counter.dataset.count = field.value.length;
}

// Two fields for one value, a typed colour and its picker (`data-paired` is the id of the typed one): each follows the other.
function showPaired(field) {
  const typed = document.getElementById(field.dataset.paired);
  if (typed) typed.value = field.value;
  const picker = field.id && document.querySelector(`[data-paired="${field.id}"]`);
  if (picker && /^#[0-9a-f]{6}$/i.test(field.value)) picker.value = field.value;
}

// A value of the form that the screen sets, such as the address of an uploaded picture.
export function FormValue({ name, value }) {
  const { touch } = useEditForm();
  const shown = useRef(value);
  useEffect(() => {
    if (shown.current === value) return;
    shown.current = value;
    touch();
  }, [value]);
  useOwnEdits(value, null, () => {});
  return <input type="hidden" name={name} value={value} />;
}

// `answers` changes with every answer; `isGood`: the last answer was a success. `question`: asked before leaving.
export function EditForm({ answers, isGood, question, shownValues = "", conflictCount = 0, className, onSave, onEdit, onDiscard, children }) {
  const form = useRef(null);
  const lastAnswers = useRef(answers);
  const version = useRef({ shownValues, conflictCount });
  const isFirstRun = useRef(true);
  const [isDirty, setDirty] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [lastRestart, setLastRestart] = useState(NO_RESTART);
  const editTimer = useRef(0);
  const sent = useRef(new Map()); // the values that were sent, by field
  useEffect(() => () => clearTimeout(editTimer.current), []);
  const noteEdit = () => {
    setDirty(true);
    if (!onEdit) return;
    clearTimeout(editTimer.current);
    editTimer.current = setTimeout(() => form.current && onEdit(readValues(form.current)), EDIT_DELAY_MS);
  };
  const setAwaiting = useLostAnswer(() => setBusy(false)); // it can be clicked again

  if (!isDirty || conflictCount !== version.current.conflictCount) version.current = { shownValues, conflictCount };
  const restart = (isSave = false) => {
    resetToGiven(form.current);
    setDirty(false);
    setLastRestart({ isSave });
  };
  const restartAfterSave = () => {
    const edited = listFields(form.current)
      .filter((field) => isEdited(field) && getValue(field) !== sent.current.get(field))
      .map((field) => [field, getValue(field)]);
    restart(true);
    if (!edited.length) return;
    for (const [field, value] of edited) setValue(field, value);
    version.current = { shownValues, conflictCount };
    noteEdit();
  };

  useEffect(() => {
    if (isFirstRun.current) setDirty(isFormEdited(form.current));
    else if (!isDirty) resetToGiven(form.current);
    isFirstRun.current = false;
  }, [shownValues]);

  useEffect(() => {
    if (answers === lastAnswers.current) return;
    lastAnswers.current = answers;
    if (!isBusy) return; // the answer belongs to another action of the screen
    setBusy(false);
    if (isGood) restartAfterSave();
    else showFirstProblem(form.current);
  }, [answers]);

  useEffect(() => {
    if (!isDirty) return;
    const preventUnload = (event) => event.preventDefault();
    window.addEventListener("beforeunload", preventUnload);
    return () => window.removeEventListener("beforeunload", preventUnload);
  }, [isDirty]);

  // While an answer is awaited, navigation is allowed, as the answer may open another page.
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isDirty && !isBusy && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (!window.confirm(question)) return blocker.reset();
    restart(); // the next page may be the same screen for another record
    blocker.proceed();
  }, [blocker.state]);

  const handleSubmit = (event) => {
    event.preventDefault();
    if (isBusy) return;
    const upload = form.current.querySelector('.o-upload[aria-busy="true"]');
    if (upload) return upload.scrollIntoView({ block: "center" }); // its file belongs to the form
    clearTimeout(editTimer.current);
    setAwaiting(true);
    setBusy(true);
    const values = readValues(form.current);
    sent.current = new Map(listFields(form.current).map((field) => [field, getValue(field)]));
    onSave(version.current.shownValues ? { ...values, seen: version.current.shownValues } : values);
  };
  const discard = () => {
    restart();
    onDiscard?.();
  };
  // A button that copies its value into a field: `data-takes` is the field's id.
  const handleClick = (event) => {
    const button = event.target.closest("[data-takes]");
    const field = button && document.getElementById(button.dataset.takes);
    if (!field) return;
    field.value = button.dataset.value;
    showPaired(field);
    noteEdit();
    for (let section = field.closest("details"); section; section = section.parentElement.closest("details")) section.open = true;
    field.focus();
  };
  // Enter in a text area of one line sends the form, as in an input.
  const handleKeyDown = (event) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isOneLine(event.target)) return;
    event.preventDefault();
    form.current.requestSubmit();
  };
  const handleInput = ({ target }) => {
    joinLines(target);
    showPaired(target);
    showCount(form.current, target);
    noteEdit();
  };
  const context = {
    is_dirty: isDirty,
    is_busy: isBusy,
    reset: { onClick: discard },
    touch: noteEdit,
    lastRestart,
  };

  return (
    <FormContext value={context}>
      <form ref={form} className={className} noValidate onSubmit={handleSubmit} onClick={handleClick} onKeyDown={handleKeyDown} onInput={handleInput} onBlur={groupDigits}>
        {children}
      </form>
    </FormContext>
  );
}

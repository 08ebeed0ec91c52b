// The product picker of a form: a list that is searched by words, by category or by a scanned code, and the chosen
// products. Choosing does not wait for the network. The form sends the ids of the chosen products, separated by spaces.

import { useEffect, useId, useRef, useState } from "react";
import { Camera } from "./camera.jsx";
import { useEditForm, useOwnEdits } from "./forms.jsx";

const SHOWN_CHIPS = 12;
const NO_PAGE = { rows: [], text: "", category: "", cursor: "" };

function Thumb({ picture }) {
  if (!picture) return <span className="o-thumb" aria-hidden="true" />;
  return <img className="o-thumb" src={picture} alt="" loading="lazy" width="44" height="44" />;
}

// `chosen`: the stored products. `page`: the latest answer to a search, or null. `categories`: `{handle, label}` each.
// `most`: the maximum number of products. `problem`: an error message of the form.
export function ProductPicker({ name, label, texts, chosen, page, categories, most, problem, onFind, onMore }) {
  const { touch } = useEditForm();
  const id = useId();
  const opener = useRef(null);
  const [changed, setChanged] = useState(null); // null without unsaved changes: then the stored products are shown
  const rows = changed ?? chosen;
  const [isOpen, setOpen] = useState(false);
  const [isCameraOpen, setCameraOpen] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const [text, setText] = useState("");
  const [category, setCategory] = useState("");
  const [message, setMessage] = useState("");
  const [awaitedCode, setAwaitedCode] = useState(""); // Enter, or a scanned code: chosen as soon as its answer is here
  const list = page ?? NO_PAGE;
  const isCurrent = Boolean(page) && list.text === text.trim() && list.category === category;
  const ids = new Set(rows.map((row) => row.id));

  useOwnEdits(changed, null, () => setChanged(null));
  useEffect(() => {
    if (isOpen && !isCurrent) onFind(text.trim(), category);
  }, [isOpen, text, category, Boolean(page)]);
  useEffect(() => {
    if (!awaitedCode || !isCurrent || list.text !== awaitedCode) return;
    setAwaitedCode("");
    if (list.rows.length === 1) {
      add(list.rows);
      setText("");
    } else setMessage(list.rows.length ? "" : texts.unknown.replace("{code}", awaitedCode));
  }, [page, text, awaitedCode]);

  const change = (next) => {
    if (next.length > most) return setMessage(texts.full);
    setChanged(next);
    setMessage(next.length === 1 ? texts.one : texts.count.replace("{n}", next.length));
    touch();
  };
  const add = (some) => {
    if (most === 1) return change(some.slice(0, 1)); // replaces the other one
    const known = new Set(rows.map((row) => row.id));
    change([...rows, ...some.filter((row) => !known.has(row.id))]);
  };
  const remove = (removedId) => change(rows.filter((row) => row.id !== removedId));
  const findCode = (code) => {
    setText(code);
    setAwaitedCode(code);
  };
  const handleKeyDown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // Enter must not send the form
    if (text.trim()) setAwaitedCode(text.trim());
  };
  const toggle = () => {
    if (!isOpen) onFind(text.trim(), category); // the products may have changed since the last search
    setOpen(!isOpen);
  };
  const removeChip = (event, removed) => {
    const chip = event.currentTarget.closest("li");
    const next = chip.nextElementSibling ?? chip.previousElementSibling;
    (next?.querySelector("button") ?? opener.current).focus();
    remove(removed.id);
  };
  const shown = showsAll ? rows : rows.slice(0, SHOWN_CHIPS);

  return (
    <div className="o-picker" role="group" aria-labelledby={`${id}-label`} data-testid="picker">
      <span id={`${id}-label`} className="field__label">{label}</span>
      <input type="hidden" name={name} value={rows.map((row) => row.id).join(" ")} readOnly />
      {rows.length > 0 && (
        <ul className="o-picker__chips" aria-label={texts.chosen}>
          {shown.map((row) => (
            <li key={row.id} className="o-picker__chip" data-testid="picked">
              <span>{row.title}</span>
              <button type="button" aria-label={texts.remove.replace("{product}", row.title)} onClick={(event) => removeChip(event, row)}>×</button>
            </li>
          ))}
          {rows.length > shown.length && (
            <li>
              <button className="button button--quiet button--small" type="button" onClick={() => setShowsAll(true)}>
                {texts.others.replace("{n}", rows.length - shown.length)}
              </button>
            </li>
          )}
        </ul>
      )}
      <button
        className="button button--small button--quiet"
        ref={opener}
        type="button"
        data-testid="picker-open"
        aria-expanded={isOpen}
        aria-invalid={problem ? "true" : undefined}
        onClick={toggle}
      >
        {isOpen ? texts.close : texts.open}
      </button>
      {problem && <p className="field__problem">{problem}</p>}
      <p className="o-row__detail" role="status">{message}</p>
      {isOpen && (
        <div className="o-picker__panel" onInput={(event) => event.stopPropagation()}>
          <div className="o-picker__search">
            <input
              className="field__input"
              type="search"
              value={text}
              maxLength={100}
              autoComplete="off"
              enterKeyHint="search"
              aria-label={texts.search}
              placeholder={texts.search}
              data-testid="picker-search"
              onChange={(event) => setText(event.target.value)}
              onKeyDown={handleKeyDown}
            />
            <button className="button button--small button--quiet" type="button" aria-expanded={isCameraOpen} onClick={() => setCameraOpen(!isCameraOpen)}>
              {texts.scan}
            </button>
          </div>
          {categories.length > 0 && (
            <select className="field__input" value={category} aria-label={texts.category} data-testid="picker-category" onChange={(event) => setCategory(event.target.value)}>
              <option value="">{texts.every}</option>
              {categories.map((one) => (
                <option key={one.handle} value={one.handle}>{one.label}</option>
              ))}
            </select>
          )}
          {isCameraOpen && <Camera texts={texts} onCode={findCode} />}
          <ul className="o-picker__rows" aria-label={texts.results} aria-busy={!isCurrent}>
            {list.rows.map((row) => (
              <li key={row.id}>
                <button
                  className="o-picker__row"
                  type="button"
                  role="checkbox"
                  aria-checked={ids.has(row.id)}
                  data-testid="picker-row"
                  onClick={() => (ids.has(row.id) ? remove(row.id) : add([row]))}
                >
                  <Thumb picture={row.picture} />
                  <span className="o-stock__words">
                    <span>{row.title}</span>
                    <span className="o-row__detail">{row.detail}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {isCurrent && list.rows.length === 0 && <p className="o-row__detail" data-testid="picker-empty">{texts.nothing}</p>}
          <div className="o-picker__actions">
            {isCurrent && list.cursor && (
              <button className="button button--small button--quiet" type="button" data-testid="picker-more" onClick={() => onMore()}>
                {texts.more}
              </button>
            )}
            {most > 1 && isCurrent && list.rows.some((row) => !ids.has(row.id)) && (
              <button className="button button--small button--quiet" type="button" data-testid="picker-all" onClick={() => add(list.rows)}>
                {texts.all.replace("{n}", list.rows.length)}
              </button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

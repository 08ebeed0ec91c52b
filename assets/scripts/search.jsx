// The header's search: a plain GET form that, once this script runs, is also a combobox of suggestions.
//
// The server only answers what was typed. Opening, closing and moving through the suggestions happens here, so a key
// never waits for the network. `answered` is the text that `hits` belong to; older answers are shown dimmed, and "there
// is nothing" is said only of the text that stands in the field now.

import { useEffect, useId, useRef, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { Icon } from "./icons.jsx";
import { Picture } from "./picture.jsx";
import { fill } from "./words.jsx";

const MIN_LETTERS = 2;

const everything = (text) => `/catalog?q=${encodeURIComponent(text)}`;

export function SearchBox({ hits, answered, texts, onSearch }) {
  const navigate = useNavigate();
  const location = useLocation();
  const id = useId();
  const form = useRef(null);
  const input = useRef(null);
  const [isReady, setReady] = useState(false);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  const isAwake = useRef(false);

  // the roles are a promise that only this script keeps, so they come with it
  useEffect(() => setReady(true), []);

  // a page that answers a search shows it in the field; what was typed before this script ran stays
  useEffect(() => {
    if (isAwake.current) input.current.value = asked;
    setTyped(input.current.value.trim());
    setOpen(false);
    if (!isAwake.current && document.activeElement === input.current) opened();
    isAwake.current = true;
  }, [location.key]);

  useEffect(() => setActive(-1), [answered]);

  const isLongEnough = typed.length >= MIN_LETTERS;
  const isCurrent = answered === typed;
  const options = isLongEnough && (isCurrent || hits.length > 0) ? hits : [];
  const isEmpty = isLongEnough && isCurrent && hits.length === 0;
  const isShown = isOpen && (options.length > 0 || isEmpty);
  const targets = [...options.map((hit) => `/product/${hit.handle}`), everything(typed)];

  const go = (address) => {
    setOpen(false);
    input.current.blur();
    navigate(address);
  };

  const changed = () => {
    const text = input.current.value.trim();
    setTyped(text);
    setActive(-1);
    setOpen(text.length >= MIN_LETTERS);
    if (text.length >= MIN_LETTERS && text !== answered) onSearch(text);
  };

  const opened = () => {
    const text = input.current.value.trim();
    if (text.length < MIN_LETTERS) return;
    setTyped(text);
    if (text !== answered) onSearch(text);
    setOpen(true);
  };

  const move = (step) => {
    if (!isShown) return opened();
    const count = options.length ? targets.length : 0;
    // one place more than there are options: the field itself
    if (count) setActive((place) => ((place + 1 + step + count + 1) % (count + 1)) - 1);
  };

  const pressed = (event) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && isShown && active >= 0) {
      event.preventDefault();
      go(targets[active]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (isShown) setOpen(false);
      else {
        input.current.value = "";
        changed();
      }
    }
  };

  const submitted = (event) => {
    event.preventDefault();
    const text = input.current.value.trim();
    go(text ? everything(text) : "/catalog");
  };

  const left = (event) => {
    if (!form.current.contains(event.relatedTarget)) setOpen(false);
  };

  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, id]);

  const counted = options.length === 1 ? texts.one : fill(texts.many, { n: options.length });

  const combobox = isReady && {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": isShown && options.length > 0,
    "aria-controls": `${id}-list`,
    "aria-activedescendant": isShown && active >= 0 ? `${id}-${active}` : undefined,
  };

  return (
    <form ref={form} className="search" action="/catalog" method="get" role="search" onSubmit={submitted} onBlur={left}>
      <label className="sr-only" htmlFor={`${id}-input`}>{texts.label}</label>
      <input
        ref={input}
        id={`${id}-input`}
        className="search__input"
        type="search"
        name="q"
        defaultValue={asked}
        placeholder={texts.placeholder}
        maxLength={80}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck="false"
        enterKeyHint="search"
        data-testid="search-input"
        onInput={changed}
        onKeyDown={pressed}
        onClick={opened}
        {...combobox}
      />
      <button className="search__submit" type="submit" aria-label={texts.submit}><Icon name="search" size={22} /></button>
      {isShown && (
        <div className="search__panel" data-testid="search-results" data-stale={!isCurrent || undefined}>
          {options.length > 0 && (
            <div id={`${id}-list`} role="listbox" aria-label={texts.suggestions}>
              {options.map((hit, place) => (
                <Link
                  key={hit.handle}
                  id={`${id}-${place}`}
                  className="search__hit"
                  role="option"
                  tabIndex={-1}
                  aria-selected={place === active}
                  data-testid="search-result"
                  to={targets[place]}
                  onPointerMove={() => setActive(place)}
                  onClick={() => setOpen(false)}
                >
                  <span className="search__thumb">{hit.picture && <Picture view={hit.picture} sizes="56px" alt="" />}</span>
                  <span className="search__words">
                    <span className="search__title">{hit.title}</span>
                    <span className="search__brand">{hit.brand}</span>
                  </span>
                  <span className="search__price">{hit.price_label}</span>
                </Link>
              ))}
              <Link
                id={`${id}-${options.length}`}
                className="search__all"
                role="option"
                tabIndex={-1}
                aria-selected={active === options.length}
                to={everything(typed)}
                onPointerMove={() => setActive(options.length)}
                onClick={() => setOpen(false)}
              >
                {fill(texts.all, { text: typed })}
              </Link>
            </div>
          )}
          {isEmpty && (
            <div className="search__empty" data-testid="search-empty">
              <p className="search__nothing">{fill(texts.nothing, { text: typed })}</p>
              <p className="search__hint">{texts.hint}</p>
              <Link className="button button--quiet" to={everything(typed)} onClick={() => setOpen(false)}>
                {texts.whole}
              </Link>
            </div>
          )}
        </div>
      )}
      <p className="sr-only" role="status">
        {isShown && isCurrent && (isEmpty ? fill(texts.nothing, { text: typed }) : counted)}
      </p>
    </form>
  );
}

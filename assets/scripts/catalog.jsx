// What a shopper narrows the catalogue by. The choices are the browser's own: they are not in the address, they belong to
// the entry of the history (so Back and a reload find them), and the server only answers them.
//
// `null` stands for "as the address says". A changed choice shows at once; its answer follows.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { Icon } from "./icons.jsx";
import { remind } from "./reconnecting.js";
import { fill } from "./words.jsx";

const ENTRY = "trompoCatalog";
const WIDE = "(min-width: 1024px)";
const Choices = createContext(null);

const keep = (choices) => window.history.replaceState({ ...window.history.state, [ENTRY]: choices }, "");

export function CatalogChoices({ state, answer, step, onBrowse, children }) {
  const { key, search } = useLocation();
  const [mine, setMine] = useState(null);
  const [askedAt, setAskedAt] = useState(-1);

  const asked = new URLSearchParams(search);
  const isOther = answer.category !== (asked.get("category") ?? "") || answer.text !== (asked.get("q") ?? "").trim();

  const ask = (choices) => {
    setAskedAt(answer.number);
    onBrowse(choices);
  };

  useEffect(() => {
    const kept = window.history.state?.[ENTRY] ?? null;
    setMine(kept);
    const isAnswered = kept ? answer.is_custom && JSON.stringify(kept) === JSON.stringify(answer.choices) : !answer.is_custom;
    if (!isAnswered) ask(kept);
  }, [key]);

  useEffect(() => {
    if (mine) return remind(state, (known) => known.content_rx_state_?.is_custom, () => ask(mine));
  });

  const now = mine ?? answer.choices;
  const choose = (change) => {
    const next = { ...now, shown: step, ...change };
    setMine(next);
    keep(next);
    ask(next);
  };
  const toggle = (kind, value) => {
    const values = now[kind];
    choose({ [kind]: values.includes(value) ? values.filter((item) => item !== value) : [...values, value] });
  };
  const clear = () => choose({ categories: [], brands: [], ages: [], on_sale: false });
  const chosen = now.categories.length + now.brands.length + now.ages.length + (now.on_sale ? 1 : 0);
  const isBusy = isOther || askedAt === answer.number;

  return <Choices value={{ now, chosen, choose, toggle, clear, isBusy, step }}>{children}</Choices>;
}

// `inner` names the values that belong under the one before them.
export function FacetGroup({ kind, facets, inner = [], title, testId }) {
  const { now, toggle } = useContext(Choices);
  if (facets.length === 0) return null;
  return (
    <fieldset className="facet" data-testid={testId}>
      <legend className="facet__title">{title}</legend>
      {facets.map(({ value, label, count }) => (
        <label className={inner.includes(value) ? "check check--inner" : "check"} key={value}>
          <input
            type="checkbox"
            value={value}
            checked={now[kind].includes(value)}
            onChange={() => toggle(kind, value)}
          />
          <span className="check__label">{label}</span>
          <span className="check__count">{count}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function OnlySale({ label }) {
  const { now, choose } = useContext(Choices);
  return (
    <label className="check check--lone">
      <input
        type="checkbox"
        data-testid="filter-sale"
        checked={now.on_sale}
        onChange={() => choose({ on_sale: !now.on_sale })}
      />
      <span className="check__label">{label}</span>
    </label>
  );
}

export function SortSelect({ label, options }) {
  const { now, choose } = useContext(Choices);
  return (
    <label className="sort">
      <span className="sort__label">{label}</span>
      <span className="select">
        <select className="sort__select" data-testid="sort" value={now.sort} onChange={(event) => choose({ sort: event.target.value })}>
          {options.map(({ value, label: words }) => <option key={value} value={value}>{words}</option>)}
        </select>
        <Icon name="down" size={16} />
      </span>
    </label>
  );
}

export function Chips({ answer, texts }) {
  const { now, toggle, choose, clear } = useContext(Choices);
  const chosen = [
    ...["categories", "brands", "ages"].flatMap((kind) =>
      now[kind].map((value) => ({
        key: `${kind} ${value}`,
        label: answer.page[kind].find((facet) => facet.value === value)?.label ?? value,
        drop: () => toggle(kind, value),
      })),
    ),
    ...(now.on_sale ? [{ key: "on_sale", label: texts.sale, drop: () => choose({ on_sale: false }) }] : []),
  ];
  if (chosen.length === 0) return null;
  return (
    <ul className="chips" aria-label={texts.chosen}>
      {chosen.map(({ key, label, drop }) => (
        <li key={key}>
          <button type="button" className="chip" aria-label={fill(texts.drop, { name: label })} onClick={drop}>
            {label}<Icon name="close" size={16} />
          </button>
        </li>
      ))}
      <li><button type="button" className="chip chip--clear" data-testid="clear-filters" onClick={clear}>{texts.clear}</button></li>
    </ul>
  );
}

export function Results({ children }) {
  const { isBusy } = useContext(Choices);
  return <div className="results" aria-busy={isBusy}>{children}</div>;
}

export function ClearChoices({ label }) {
  const { chosen, clear } = useContext(Choices);
  return chosen === 0 ? null : <button type="button" className="button button--primary" onClick={clear}>{label}</button>;
}

export function ShowMore({ shown, total, texts }) {
  const { choose, isBusy, step } = useContext(Choices);
  const button = useRef(null);
  const asked = useRef(null);

  // the focus goes on to the first of the toys that came: after the last ones the button is gone, and the focus with it
  useEffect(() => {
    if (!asked.current || shown <= asked.current.from) return;
    const { from, isByPointer } = asked.current;
    asked.current = null;
    if (document.activeElement !== document.body && document.activeElement !== button.current) return; // they have gone on
    document.querySelectorAll(".results .card__link")[from]?.focus({ preventScroll: isByPointer });
  }, [shown]);

  // not `disabled` while it is busy: the browser would take the focus from it
  const more = (event) => {
    if (isBusy) return;
    asked.current = { from: shown, isByPointer: event.detail > 0 };
    choose({ shown: shown + step });
  };

  return (
    <div className="more">
      <p className="more__count" data-testid="shown-count">{fill(texts.shown, { shown, total })}</p>
      <progress className="more__bar" max={Math.max(total, 1)} value={shown} aria-hidden="true" />
      {shown < total && (
        <button
          ref={button}
          type="button"
          className="button button--quiet"
          data-testid="show-more"
          aria-disabled={isBusy || undefined}
          onClick={more}
        >
          {texts.more}
        </button>
      )}
    </div>
  );
}

export function FilterCount({ label }) {
  const { chosen } = useContext(Choices);
  return <>{label}{chosen > 0 && <span className="filters-count">{chosen}</span>}</>;
}

const watchWidth = (tell) => {
  const query = window.matchMedia(WIDE);
  query.addEventListener("change", tell);
  return () => query.removeEventListener("change", tell);
};

// The filters stand beside the list on a wide screen and in a sheet on a narrow one, never in both.
export function OnlyWide({ children }) {
  return useSyncExternalStore(watchWidth, () => window.matchMedia(WIDE).matches, () => true) ? children : null;
}

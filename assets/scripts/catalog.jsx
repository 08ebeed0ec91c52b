// What a shopper narrows the catalogue by. The choices are the browser's own: they are not in the address, they belong to
// the entry of the history (so Back and a reload find them), and the server only answers them. The markup is in
// `storefront/pages/catalog_filters.py`.
//
// `null` stands for "as the address says". A changed choice shows at once; its answer follows.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { listen } from "./effects.jsx";
import { remind } from "./reconnecting.js";

const ENTRY = "trompoCatalog";
const WIDE = "(min-width: 1024px)";
const LONGEST = 80; // letters; of more than that, the server may have taken the beginning
const KINDS = ["categories", "brands", "ages"];
const ANY_PRICE = { lowest: 0, highest: 0 };
const Choices = createContext(null);
export const useChoices = () => useContext(Choices);

export function CatalogChoices({ state, answer, step, most, onBrowse, children }) {
  const { key, pathname, search } = useLocation();
  const [mine, setMine] = useState(null);
  const [askedAt, setAskedAt] = useState(-1);

  const asked = new URLSearchParams(search);
  const isAt = (name, told) => {
    const value = (asked.get(name) ?? "").trim();
    return told === value || (value.length > LONGEST && value.startsWith(told));
  };
  const isElsewhere = answer.place !== decodeURIComponent(pathname).replace(/\/+$/, "");
  const isOther = isElsewhere || !isAt("category", answer.category) || !isAt("q", answer.text) || !isAt("page", answer.asked_page);
  const isBusy = isOther || askedAt === answer.number;

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
    const next = { ...now, shown: step, start: 0, ...change };
    setMine(next);
    window.history.replaceState({ ...window.history.state, [ENTRY]: next }, "");
    ask(next);
  };
  const toggle = (kind, value) => {
    if (kind === "on_sale") return choose({ on_sale: !now.on_sale });
    if (kind === "prices") return choose(ANY_PRICE);
    const values = now[kind];
    choose({ [kind]: values.includes(value) ? values.filter((item) => item !== value) : [...values, value] });
  };
  const setPrice = (name, field) => {
    const asked = { ...now, [name]: Number(field.value.replace(/\D/g, "").slice(0, 9)) };
    field.value = asked[name] || "";
    if (asked[name] === now[name]) return;
    const { lowest, highest } = asked;
    const isTurned = highest && lowest > highest; // whoever fills in the two the other way round means the same
    choose(isTurned ? { lowest: highest, highest: lowest } : { lowest, highest });
  };
  const labelOf = (kind, value) => answer.page[kind].find((facet) => facet.value === value)?.label ?? value;
  const chips = KINDS.flatMap((kind) => now[kind].map((value) => ({ kind, value, label: labelOf(kind, value) })));
  const isSaid = now.lowest === answer.choices.lowest && now.highest === answer.choices.highest;
  if (now.lowest || now.highest) chips.push({ kind: "prices", value: "", label: isSaid ? answer.prices : "" });
  if (now.on_sale) chips.push({ kind: "on_sale", value: "", label: "" });

  const shown = answer.page.cards.length;
  const start = answer.choices.start;
  const go = (event, change) => {
    event.preventDefault();
    choose(change);
  };
  const value = {
    chips,
    is_busy: isBusy,
    sort: { value: now.sort, onChange: (event) => choose({ sort: event.target.value }) },
    box: (kind, value) => ({
      type: "checkbox",
      value,
      checked: kind === "on_sale" ? now.on_sale : now[kind].includes(value),
      onChange: () => toggle(kind, value),
    }),
    price: (name) => ({
      ref: (field) => { if (field && field !== document.activeElement) field.value = now[name] || ""; },
      onBlur: (event) => setPrice(name, event.target),
      onKeyDown: (event) => event.key === "Enter" && setPrice(name, event.target),
    }),
    dropping: (chip) => ({ onClick: () => toggle(chip.kind, chip.value) }),
    clearing: { onClick: () => choose({ categories: [], brands: [], ages: [], on_sale: false, ...ANY_PRICE }) },
    earlier: { onClick: (event) => answer.earlier || isBusy || go(event, { start: Math.max(0, start - most), shown: most }) },
    more: useMore(shown, start, isBusy, (event) => {
      if (shown + step <= most) go(event, { start, shown: shown + step });
      else if (!answer.further) go(event, { start: start + shown }); // else the link leads there
    }),
  };
  return <Choices value={value}>{children}</Choices>;
}

// The button for more of the list. The focus goes on to the first of the toys that came: after the last ones the button is
// gone, and the focus with it.
function useMore(shown, start, isBusy, show) {
  const asked = useRef(null);

  useEffect(() => {
    const isNext = asked.current && start !== asked.current.start; // what follows took the place of what was shown
    if (!asked.current || (!isNext && shown <= asked.current.from)) return;
    const { from, button, isByPointer } = asked.current;
    asked.current = null;
    if (document.activeElement !== document.body && document.activeElement !== button) return; // they have gone on
    document.querySelectorAll(".results .card__link")[isNext ? 0 : from]?.focus({ preventScroll: isByPointer && !isNext });
  }, [shown, start]);

  // not `disabled` while it is busy: the browser would take the focus from it
  const onClick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the link, elsewhere
    if (isBusy) return event.preventDefault();
    asked.current = { from: shown, start, button: event.currentTarget, isByPointer: event.detail > 0 };
    show(event);
  };
  return { "aria-disabled": isBusy || undefined, onClick };
}

const wide = () => window.matchMedia(WIDE);
const watchWidth = (tell) => listen(wide(), "change", tell);

// The filters stand beside the list on a wide screen and in a sheet on a narrow one, never in both.
export const useIsWide = () => useSyncExternalStore(watchWidth, () => wide().matches, () => true);

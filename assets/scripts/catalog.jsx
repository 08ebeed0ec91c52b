// The filters of the catalogue. The browser stores the choices in the history entry, not in the address, so that Back and
// a reload restore them. The server sends the list for them. The markup is in `storefront/pages/catalog_filters.py`.
//
// `null` means the choices in the address. A changed choice is shown immediately; the list follows.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { listen } from "./effects.jsx";
import { resendIfForgotten } from "./reconnecting.js";

const ENTRY = "trompoCatalog";
const SCROLL_ENTRY = "trompoCatalogScroll";
const WIDE = "(min-width: 1024px)";
const MAX_TEXT_LENGTH = 80; // characters; the server may have cut a longer text
const KINDS = ["categories", "brands", "ages"];
const DEFAULT_SORT = "featured";
const ANY_PRICE = { lowest: 0, highest: 0 };
const Choices = createContext(null);
export const useChoices = () => useContext(Choices);

export function CatalogChoices({ state, answer, step, maxCards, onBrowse, children }) {
  const { key, pathname, search } = useLocation();
  const [ownChoices, setOwnChoices] = useState(null);
  const [requestedAt, setRequestedAt] = useState(-1);

  const parameters = new URLSearchParams(search);
  const isSameParameter = (name, answered) => {
    const value = (parameters.get(name) ?? "").trim();
    return answered === value || (value.length > MAX_TEXT_LENGTH && value.startsWith(answered));
  };
  const isOtherPath = answer.place !== decodeURIComponent(pathname).replace(/\/+$/, "");
  const isOtherPage = isOtherPath || !isSameParameter("category", answer.category) || !isSameParameter("q", answer.text) || !isSameParameter("page", answer.asked_page);
  const isBusy = isOtherPage || requestedAt === answer.number;

  const requestAnswer = (choices) => {
    setRequestedAt(answer.number);
    onBrowse(choices);
  };

  useEffect(() => {
    const storedChoices = window.history.state?.[ENTRY] ?? null;
    setOwnChoices(storedChoices);
    const isAnswered = storedChoices ? answer.is_custom && JSON.stringify(storedChoices) === JSON.stringify(answer.choices) : !answer.is_custom;
    if (!isAnswered) requestAnswer(storedChoices);
  }, [key]);

  useEffect(() => {
    if (ownChoices) return resendIfForgotten(state, (known) => known.content_rx_state_?.is_custom, () => requestAnswer(ownChoices));
  });

  useListScroll(key, isBusy);

  const current = ownChoices ?? answer.choices;
  const choose = (change) => {
    const next = { ...current, shown: step, start: 0, ...change };
    setOwnChoices(next);
    window.history.replaceState({ ...window.history.state, [ENTRY]: next }, "");
    requestAnswer(next);
  };
  const toggle = (kind, value) => {
    if (kind === "on_sale") return choose({ on_sale: !current.on_sale });
    if (kind === "prices") return choose(ANY_PRICE);
    if (kind === "sort") return choose({ sort: DEFAULT_SORT });
    const values = current[kind];
    choose({ [kind]: values.includes(value) ? values.filter((item) => item !== value) : [...values, value] });
  };
  const setPrice = (name, field) => {
    const next = { ...current, [name]: Number(field.value.replace(/\D/g, "").slice(0, 9)) };
    field.value = next[name] || "";
    if (next[name] === current[name]) return;
    const { lowest, highest } = next;
    const isSwapped = highest && lowest > highest; // swapped bounds mean the same
    choose(isSwapped ? { lowest: highest, highest: lowest } : { lowest, highest });
  };
  const getLabel = (kind, value) => answer.page[kind].find((facet) => facet.value === value)?.label ?? answer.names[value] ?? value;
  const chips = KINDS.flatMap((kind) => current[kind].map((value) => ({ kind, value, label: getLabel(kind, value) })));
  const isPriceAnswered = current.lowest === answer.choices.lowest && current.highest === answer.choices.highest;
  if (current.lowest || current.highest) chips.push({ kind: "prices", value: "", label: isPriceAnswered ? answer.prices : "" });
  if (current.on_sale) chips.push({ kind: "on_sale", value: "", label: "" });
  const isSortAsked = answer.asked_sort && current.sort === answer.asked_sort;
  if (isSortAsked) chips.push({ kind: "sort", value: "", label: "" });

  const shown = answer.page.cards.length;
  const start = answer.choices.start;
  const handleLink = (event, change) => {
    event.preventDefault();
    choose(change);
  };
  const value = {
    chips,
    count: chips.filter((chip) => chip.kind !== "sort").length,
    is_busy: isBusy,
    sort: { value: current.sort, onChange: (event) => choose({ sort: event.target.value }) },
    box: (kind, value) => ({
      type: "checkbox",
      value,
      checked: kind === "on_sale" ? current.on_sale : current[kind].includes(value),
      onChange: () => toggle(kind, value),
    }),
    price: (name) => ({
      ref: (field) => { if (field && field !== document.activeElement) field.value = current[name] || ""; },
      onBlur: (event) => setPrice(name, event.target),
      onKeyDown: (event) => event.key === "Enter" && setPrice(name, event.target),
    }),
    remove_chip: (chip) => ({ onClick: () => toggle(chip.kind, chip.value) }),
    clear: { onClick: () => choose({ categories: [], brands: [], ages: [], on_sale: false, ...ANY_PRICE, ...(isSortAsked && { sort: DEFAULT_SORT }) }) },
    earlier: { onClick: (event) => answer.earlier || isBusy || handleLink(event, { start: Math.max(0, start - maxCards), shown: maxCards }) },
    more: useMoreButton(shown, start, isBusy, (event) => {
      if (shown + step <= maxCards) handleLink(event, { start, shown: shown + step });
      else if (!answer.further) handleLink(event, { start: start + shown }); // otherwise the link opens the next page
    }),
  };
  return <Choices value={value}>{children}</Choices>;
}

// Back returns to the same place of a list that was extended: the document is shorter until the answer arrives, so the
// browser alone would end at its bottom. The history entry has the position.
function useListScroll(key, isBusy) {
  const position = useRef(null);
  const forget = () => { position.current = null; };
  const store = () => {
    if (window.history.state?.[ENTRY]) window.history.replaceState({ ...window.history.state, [SCROLL_ENTRY]: window.scrollY }, "");
  };
  useEffect(() => { position.current = window.history.state?.[ENTRY] ? window.history.state[SCROLL_ENTRY] ?? null : null; }, [key]);
  useEffect(() => listen(document, "click", store, true), []); // before the router follows a link
  useEffect(() => listen(window, "pagehide", store), []);
  useEffect(() => listen(window, "wheel touchmove keydown", forget, { passive: true }), []); // the shopper scrolls already
  useEffect(() => {
    const end = document.documentElement.scrollHeight - window.innerHeight;
    if (isBusy || position.current === null || position.current > end) return;
    window.scrollTo({ top: position.current, behavior: "instant" });
    forget();
  });
}

// The button that shows more of the list. The focus moves to the first new product: after the last products the button
// disappears, and its focus would be lost.
function useMoreButton(shown, start, isBusy, show) {
  const request = useRef(null);

  useEffect(() => {
    const isNext = request.current && start !== request.current.start; // the next products replaced the displayed ones
    if (!request.current || (!isNext && shown <= request.current.from)) return;
    const { from, button, isByPointer } = request.current;
    request.current = null;
    if (document.activeElement !== document.body && document.activeElement !== button) return; // the shopper has moved on
    document.querySelectorAll(".results .card__link")[isNext ? 0 : from]?.focus({ preventScroll: isByPointer && !isNext });
  }, [shown, start]);

  // Not `disabled` while busy: the browser would take the focus from the button.
  const onClick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens the link in another tab
    if (isBusy) return event.preventDefault();
    request.current = { from: shown, start, button: event.currentTarget, isByPointer: event.detail > 0 };
    show(event);
  };
  return { "aria-disabled": isBusy || undefined, onClick };
}

const wideScreen = () => window.matchMedia(WIDE);
const watchWidth = (notify) => listen(wideScreen(), "change", notify);

// The filters are next to the list on a wide screen and in a panel on a narrow one, never in both.
export const useIsWide = () => useSyncExternalStore(watchWidth, () => wideScreen().matches, () => true);

// The cart's controls. They show the expected result of a change immediately, and the server's result as soon as it has
// answered: `answers` changes with every answer, also after a failure.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { LOST, startTimer, listen, reportLostPress, useLostAnswer, observe } from "./effects.jsx";
import { CONFIRMED, getPendingPayloads } from "./presses.js";
import { isNewAnswer } from "./reconnecting.js";

export const ADDING = "trompo:adding";
const ADD = "cart_state.add"; // of storefront/state/cart.py
const SET_QUANTITY = "cart_state.set_quantity"; // of storefront/state/cart.py
const TABS = "trompo:cart";
const CART_KEY = "trompo_cart";
const SETTLE_MS = 350;
const MAX_WAIT_MS = 8000;
const ADDED_SHOWN_MS = 1800;
const INCLUDE_BELOW = "0px 0px 999999px 0px";

// All tabs of a browser share the cart: when one tab changes it, the others read it again.
export function CartTabs({ answers = 0, cart, onStale }) {
  const tabs = useRef(null);
  useEffect(() => {
    tabs.current = new BroadcastChannel(TABS);
    tabs.current.onmessage = () => onStale();
    return () => tabs.current.close();
  }, []);
  useEffect(() => {
    if (isNewAnswer(answers)) tabs.current.postMessage(answers);
  }, [answers]);
  // Another tab created a cart or deleted it. `setTimeout` lets the other listeners of this event inform the server
  // first.
  useEffect(() => {
    const handleStorage = ({ key }) => key === CART_KEY && setTimeout(onStale);
    return listen(window, "storage", handleStorage);
  }, []);
  // The server noticed first that the displayed `cart` no longer exists, and has deleted the browser's cart id.
  useEffect(() => {
    if (cart === "") onStale();
  }, [cart]);
  return null;
}

// Return the number of units in the cart, including requested units that the server has not confirmed yet.
export function useUnits(count, answers) {
  const [pending, setPending] = useState(0);
  const [lastAnswers, setLastAnswers] = useState(answers);
  // During the render, not in an effect: the new count must never be shown together with the guess that it replaces.
  if (answers !== lastAnswers) {
    setLastAnswers(answers);
    if (isNewAnswer(answers)) setPending(0);
  }
  useEffect(() => listen(window, ADDING, (event) => setPending((units) => units + event.detail)), []);
  // An earlier page may have left presses that this page sends; each counts until it is confirmed.
  const recount = () => setPending(getPendingPayloads(ADD).reduce((units, { quantity }) => units + quantity, 0));
  useEffect(recount, []);
  useEffect(() => listen(window, `${CONFIRMED} ${LOST}`, recount), []);
  return count + pending;
}

// The controls of the surrounding `AddToCart` or `LineQuantity`.
const Controls = createContext({});
export const useControls = () => useContext(Controls);

export function AddToCart({ variantId, max, answers, added, onAdd, children }) {
  const [requested, setQuantity] = useState(1);
  const quantity = Math.min(requested, Math.max(max, 1)); // the stock may have fallen below it
  const [step, setStep] = useState("ready");
  const [isScrolledPast, setScrolledPast] = useState(false);
  const button = useRef(null);

  const handleLoss = (isConfirmed) => {
    setStep("ready");
    if (!isConfirmed) reportLostPress();
  };
  const setAwaiting = useLostAnswer(handleLoss);

  useEffect(() => setQuantity(1), [variantId]);

  // The server has added units of this variant, or has refused them. An earlier page's press of another product may be
  // answered first, so only this variant's number and its own confirmation count.
  useEffect(() => setStep((now) => (now === "adding" && isNewAnswer(added) ? "added" : now)), [added]);
  useEffect(() => { if (isNewAnswer(answers)) setAwaiting(false); }, [answers]);
  const handleConfirmed = () => {
    const isPending = getPendingPayloads(ADD).some((payload) => payload.variant_id === variantId);
    if (!isPending) setStep((now) => (now === "adding" ? "ready" : now));
  };
  useEffect(() => listen(window, CONFIRMED, handleConfirmed), [variantId]);

  // A press without an answer is stored and sent again, so the button becomes free; the next press adds more.
  useEffect(() => {
    if (step === "adding") return startTimer(MAX_WAIT_MS, () => setStep("ready"));
    if (step === "added") return startTimer(ADDED_SHOWN_MS, () => setStep("ready"));
  }, [step]);

  // On a phone, a button that has scrolled out of view also appears at the bottom.
  const handleVisibility = ({ isIntersecting }) => setScrolledPast(!isIntersecting);
  useEffect(() => button.current ? observe([button.current], handleVisibility, { rootMargin: INCLUDE_BELOW }) : undefined, []);

  const add = () => {
    if (step === "adding") return;
    setStep("adding");
    window.dispatchEvent(new CustomEvent(ADDING, { detail: quantity }));
    setAwaiting(true);
    onAdd(variantId, quantity);
  };

  const buttonProps = { "data-step": step, onClick: add };
  const value = { ...useStepper(quantity, max, setQuantity), step, is_scrolled_past: isScrolledPast, place: { ref: button }, button: buttonProps };
  return <Controls value={value}>{children}</Controls>;
}

function useStepper(value, max, onChange) {
  const [isEmpty, setEmpty] = useState(false); // true while another number is being typed
  const change = (to) => onChange(Math.min(max, Math.max(1, to)));
  const type = (event) => {
    const typed = Number.parseInt(event.target.value.replace(/\D/g, ""), 10);
    setEmpty(Number.isNaN(typed));
    if (!Number.isNaN(typed)) change(typed);
  };
  const field = {
    value: isEmpty ? "" : value,
    onFocus: (event) => event.target.select(),
    onBlur: () => setEmpty(false),
    onChange: type,
  };
  const fewer = { disabled: value <= 1, onClick: () => change(value - 1) };
  const more = { disabled: value >= max, onClick: () => change(value + 1) };
  return { fewer, field, more, limit: max, is_at_limit: value >= max };
}

// A cart line's quantity. The number changes immediately; the server is informed after a pause, or when the shopper
// leaves the page.
export function LineQuantity({ lineId, quantity, max, answers, onChange, children }) {
  const [value, setValue] = useState(quantity);
  const timer = useRef();
  const sendChange = useRef(null); // sends the pending change
  const setAwaiting = useLostAnswer((isConfirmed) => {
    showStored();
    if (!isConfirmed) reportLostPress();
  });

  // Show the server's quantity, unless a later change is pending: the answer to an earlier one must not undo it.
  const showStored = () => {
    const isPending = getPendingPayloads(SET_QUANTITY).some((payload) => payload.line_id === lineId);
    if (!sendChange.current && !isPending) setValue(quantity);
  };
  useEffect(showStored, [quantity]);
  useEffect(() => {
    if (!isNewAnswer(answers)) return;
    setAwaiting(false);
    showStored();
  }, [answers]);
  useEffect(() => listen(window, CONFIRMED, showStored), [lineId, quantity]);
  const sendNow = () => sendChange.current?.();
  useEffect(() => sendNow, []);
  useEffect(() => listen(window, "pagehide", sendNow), []); // the next page sends it if this one cannot

  const change = (to) => {
    setValue(to);
    clearTimeout(timer.current);
    sendChange.current = () => {
      clearTimeout(timer.current);
      sendChange.current = null;
      setAwaiting(true);
      onChange(lineId, to);
    };
    timer.current = setTimeout(sendChange.current, SETTLE_MS);
  };
  return <Controls value={useStepper(value, Math.max(max, 1), change)}>{children}</Controls>;
}

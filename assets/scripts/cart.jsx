// The cart's controls. They show at once what they asked for, and what the server answers when it has answered:
// `answers` changes with its answers, good or bad, and ends every guess.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { LOST, after, listen, sayLost, useLoss, watch } from "./effects.jsx";
import { CONFIRMED, waitingPayloads } from "./presses.js";
import { isAnswer } from "./reconnecting.js";

export const ADDING = "trompo:adding";
const ADD = "cart_state.add"; // of storefront/state/cart.py
const TABS = "trompo:cart";
const KEPT = "trompo_cart";
const SETTLE_MS = 350;
const GIVE_UP_MS = 8000;
const SAID_MS = 1800;
const EVERYTHING_BELOW = "0px 0px 999999px 0px";

// The cart is the browser's, not the tab's: what one tab changes, the others read again.
export function CartTabs({ answers = 0, cart, onStale }) {
  const tabs = useRef(null);
  useEffect(() => {
    tabs.current = new BroadcastChannel(TABS);
    tabs.current.onmessage = () => onStale();
    return () => tabs.current.close();
  }, []);
  useEffect(() => {
    if (isAnswer(answers)) tabs.current.postMessage(answers);
  }, [answers]);
  // another tab began a cart, or ended one: the server is told of it first, which is done by who listens besides
  useEffect(() => {
    const began = ({ key }) => key === KEPT && setTimeout(onStale);
    return listen(window, "storage", began);
  }, []);
  // the server was faster than the other tab: it has forgotten the `cart` that is shown here, and so has the browser
  useEffect(() => {
    if (cart === "") onStale();
  }, [cart]);
  return null;
}

// How many units the cart holds, those included that were just asked for.
export function useUnits(count, answers) {
  const [pending, setPending] = useState(0);
  const [seen, setSeen] = useState(answers);
  // while it renders, not after: what the answer counts is never shown together with the guess that it ends
  if (answers !== seen) {
    setSeen(answers);
    if (isAnswer(answers)) setPending(0);
  }
  useEffect(() => listen(window, ADDING, (event) => setPending((units) => units + event.detail)), []);
  // an earlier page may have left presses that this one sends; each of them counts until it is confirmed
  const recount = () => setPending(waitingPayloads(ADD).reduce((units, { quantity }) => units + quantity, 0));
  useEffect(recount, []);
  useEffect(() => listen(window, `${CONFIRMED} ${LOST}`, recount), []);
  return count + pending;
}

// Of the `AddToCart` or `LineQuantity` around the markup.
const Controls = createContext({});
export const useControls = () => useContext(Controls);

export function AddToCart({ variantId, max, answers, added, onAdd, children }) {
  const [wanted, setQuantity] = useState(1);
  const quantity = Math.min(wanted, Math.max(max, 1)); // others buy too: there may be fewer by now
  const [step, setStep] = useState("ready");
  const [isPast, setPast] = useState(false);
  const button = useRef(null);

  const giveUp = (isConfirmed) => {
    setStep("ready");
    if (!isConfirmed) sayLost();
  };
  const asked = useLoss(giveUp);

  useEffect(() => setQuantity(1), [variantId]);

  // what was asked for is in the cart now, or it was refused
  useEffect(() => setStep((now) => (now === "adding" && isAnswer(added) ? "added" : now)), [added]);
  useEffect(() => {
    if (!isAnswer(answers)) return;
    asked(false);
    setStep((now) => (now === "adding" ? "ready" : now));
  }, [answers]);

  // a press that waits longer for its answer is kept: the next one adds more
  useEffect(() => {
    if (step === "adding") return after(GIVE_UP_MS, () => setStep("ready"));
    if (step === "added") return after(SAID_MS, () => setStep("ready"));
  }, [step]);

  // scrolled past on a phone, the button comes along at the bottom
  const seen = ({ isIntersecting }) => setPast(!isIntersecting);
  useEffect(() => watch([button.current], seen, { rootMargin: EVERYTHING_BELOW }), []);

  const add = () => {
    if (step === "adding") return;
    setStep("adding");
    window.dispatchEvent(new CustomEvent(ADDING, { detail: quantity }));
    asked();
    onAdd(variantId, quantity);
  };

  const press = { "data-step": step, onClick: add };
  const value = { ...useStepper(quantity, max, setQuantity), step, is_past: isPast, place: { ref: button }, button: press };
  return <Controls value={value}>{children}</Controls>;
}

function useStepper(value, max, onChange) {
  const [isEmpty, setEmpty] = useState(false); // another figure is being typed
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
  return { fewer, field, more };
}

// A line's quantity in the cart: the figure changes at once, the server is told when the clicking has settled, or when the
// shopper goes on before.
export function LineQuantity({ lineId, quantity, max, answers, onChange, children }) {
  const [value, setValue] = useState(quantity);
  const timer = useRef();
  const tell = useRef(null); // what is still to be told
  const asked = useLoss((isConfirmed) => {
    setValue(quantity);
    if (!isConfirmed) sayLost();
  });

  useEffect(() => setValue(quantity), [quantity]);
  useEffect(() => {
    if (!isAnswer(answers)) return;
    asked(false);
    setValue(quantity);
  }, [answers]);
  const hurry = () => tell.current?.();
  useEffect(() => hurry, []);
  useEffect(() => listen(window, "pagehide", hurry), []); // the next page sends it

  const change = (to) => {
    setValue(to);
    clearTimeout(timer.current);
    tell.current = () => {
      clearTimeout(timer.current);
      tell.current = null;
      asked();
      onChange(lineId, to);
    };
    timer.current = setTimeout(tell.current, SETTLE_MS);
  };
  return <Controls value={useStepper(value, Math.max(max, 1), change)}>{children}</Controls>;
}

// The cart's controls. They show at once what they asked for, and what the server answers when it has answered:
// `answers` changes with its answers, good or bad, and ends every guess; 0 is what a server says that has restarted and has
// answered nothing.

import { useEffect, useRef, useState } from "react";
import { Icon } from "./icons.jsx";

export const ADDING = "trompo:adding";
const TABS = "trompo:cart";
const SETTLE_MS = 350;
const GIVE_UP_MS = 8000;
const SAID_MS = 1800;
const EVERYTHING_BELOW = "0px 0px 999999px 0px";

// The cart is the browser's, not the tab's: what one tab changes, the others read again. Gives the way to tell them.
export function useOtherTabs(onStale) {
  const tabs = useRef(null);
  useEffect(() => {
    tabs.current = new BroadcastChannel(TABS);
    tabs.current.onmessage = () => onStale();
    return () => tabs.current.close();
  }, []);
  return tabs;
}

export function CartCount({ count, answers, texts, onStale }) {
  const [pending, setPending] = useState(0);
  const tabs = useOtherTabs(onStale);

  useEffect(() => {
    if (answers === 0) return;
    setPending(0);
    tabs.current.postMessage(answers);
  }, [answers]);

  useEffect(() => {
    let timer;
    const added = (event) => {
      setPending((units) => units + event.detail);
      clearTimeout(timer);
      timer = setTimeout(() => setPending(0), GIVE_UP_MS);
    };
    window.addEventListener(ADDING, added);
    return () => {
      window.removeEventListener(ADDING, added);
      clearTimeout(timer);
    };
  }, []);

  const shown = count + pending;
  return (
    <span className="count" key={shown} data-zero={shown === 0 || undefined}>
      <span data-testid="cart-count">{shown}</span>
      <span className="sr-only"> {texts.units}</span>
    </span>
  );
}

export function AddToCart({ variantId, max, answers, added, priceLabel, texts, onAdd }) {
  const [wanted, setQuantity] = useState(1);
  const quantity = Math.min(wanted, Math.max(max, 1)); // others buy too: there may be fewer by now
  const [step, setStep] = useState("ready");
  const [isPast, setPast] = useState(false);
  const before = useRef({ answers, added });
  const button = useRef(null);

  useEffect(() => setQuantity(1), [variantId]);

  useEffect(() => {
    const { answers: answered, added: put } = before.current;
    before.current = { answers, added };
    if (answers === answered || answers === 0) return;
    setStep((now) => (now !== "adding" ? now : added === put ? "ready" : "added"));
  }, [answers]);

  useEffect(() => {
    if (step === "ready") return;
    const timer = setTimeout(() => setStep("ready"), step === "adding" ? GIVE_UP_MS : SAID_MS);
    return () => clearTimeout(timer);
  }, [step]);

  // scrolled past on a phone, the button comes along at the bottom
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => setPast(!entry.isIntersecting), { rootMargin: EVERYTHING_BELOW });
    watcher.observe(button.current);
    return () => watcher.disconnect();
  }, []);

  const add = () => {
    if (step === "adding") return;
    setStep("adding");
    window.dispatchEvent(new CustomEvent(ADDING, { detail: quantity }));
    onAdd(variantId, quantity);
  };

  const isOut = max < 1;
  const face = step === "ready" ? texts.add : <><Icon name="check" size={20} />{texts.added}</>;
  const look = { type: "button", className: "button button--primary add__button", "data-step": step, onClick: add };
  return (
    <>
      {!isOut && <Stepper value={quantity} max={max} texts={texts} onChange={setQuantity} />}
      <button ref={button} {...look} data-testid="add-to-cart" disabled={isOut}>{isOut ? texts.out : face}</button>
      {!isOut && (
        <div className="add-bar" data-shown={isPast || undefined} inert={!isPast}>
          <span className="add-bar__price">{priceLabel}</span>
          <button {...look}>{face}</button>
        </div>
      )}
    </>
  );
}

function Stepper({ value, max, texts, onChange }) {
  const [isEmpty, setEmpty] = useState(false); // another figure is being typed
  const change = (to) => onChange(Math.min(max, Math.max(1, to)));
  const type = (event) => {
    const typed = Number.parseInt(event.target.value.replace(/\D/g, ""), 10);
    setEmpty(Number.isNaN(typed));
    if (!Number.isNaN(typed)) change(typed);
  };
  return (
    <div className="stepper" role="group" aria-label={texts.quantity}>
      <button type="button" className="stepper__button" aria-label={texts.fewer} disabled={value <= 1} onClick={() => change(value - 1)}>
        <Icon name="minus" size={20} />
      </button>
      <input
        className="stepper__value"
        inputMode="numeric"
        aria-label={texts.quantity}
        data-testid="quantity"
        value={isEmpty ? "" : value}
        onFocus={(event) => event.target.select()}
        onBlur={() => setEmpty(false)}
        onChange={type}
      />
      <button type="button" className="stepper__button" aria-label={texts.more} disabled={value >= max} onClick={() => change(value + 1)}>
        <Icon name="plus" size={20} />
      </button>
    </div>
  );
}

// A line's quantity in the cart: the figure changes at once, the server is told when the clicking has settled, or when the
// shopper goes on before.
export function LineQuantity({ lineId, quantity, max, answers, texts, onChange }) {
  const [value, setValue] = useState(quantity);
  const timer = useRef();
  const tell = useRef(null); // what is still to be told

  useEffect(() => setValue(quantity), [quantity]);
  useEffect(() => {
    if (answers !== 0) setValue(quantity);
  }, [answers]);
  useEffect(() => () => tell.current?.(), []);

  const change = (to) => {
    setValue(to);
    clearTimeout(timer.current);
    tell.current = () => {
      clearTimeout(timer.current);
      tell.current = null;
      onChange(lineId, to);
    };
    timer.current = setTimeout(tell.current, SETTLE_MS);
  };
  return <Stepper value={value} max={Math.max(max, 1)} texts={texts} onChange={change} />;
}

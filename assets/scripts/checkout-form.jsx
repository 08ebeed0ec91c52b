// The checkout's form. What is typed lives here, so that no key waits for the network. The server is told in pauses, keeps
// it with the cart and says what is wrong with it. Until it says that it has it, a copy lies in this tab's session storage:
// a reload, a lost connection or a restarted server loses nothing.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { useOtherTabs } from "./cart.jsx";
import { Icon } from "./icons.jsx";

const COPY = "trompo_typed";
const PAUSE_MS = 500;

const Form = createContext(null);
export const useForm = () => useContext(Form);

const copy = {
  read(cart) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(COPY));
      return kept?.cart === cart ? kept.fields : {};
    } catch {
      return {}; // somebody else's text under our name
    }
  },
  write(cart, fields) {
    if (Object.keys(fields).length) sessionStorage.setItem(COPY, JSON.stringify({ cart, fields }));
    else sessionStorage.removeItem(COPY);
  },
};

// What is typed: `values` by field, those among them that the server has yet to confirm, and the fields that may be told
// what is wrong with them (nobody is scolded for a field they have not come to).
function useTyped({ cart, draft, loadedAt, noted, onNote, onShip }) {
  const [values, setValues] = useState({});
  // `cart` is the one that was loaded: on a new connection the state knows of none for a moment
  const own = useRef({ cart, values: {}, unconfirmed: {}, sent: {}, number: 0, reached: new Set() }).current;
  const timer = useRef();

  const show = (fields) => {
    own.values = fields;
    setValues(fields);
  };

  const tell = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    own.number = Math.max(own.number + 1, Date.now());
    own.sent = { ...own.unconfirmed };
    onNote(own.sent, [...own.reached], own.number); // only what is new: what is shown may be older than what is kept
  };

  const ship = () => {
    const { dane_code: town, address = "", shipping_option: option = "" } = own.values;
    if (town) onShip(town, address, option);
  };

  const change = (changes, pause = PAUSE_MS) => {
    own.unconfirmed = { ...own.unconfirmed, ...changes };
    copy.write(own.cart, own.unconfirmed);
    show({ ...own.values, ...changes });
    clearTimeout(timer.current);
    if (pause) timer.current = setTimeout(tell, pause);
    else tell();
  };

  const leave = (name, isFilled = Boolean(own.values[name])) => {
    const isNew = isFilled && !own.reached.has(name);
    if (isNew) own.reached.add(name);
    if (isNew || timer.current) tell();
  };

  const reachAll = (names) => {
    clearTimeout(timer.current);
    own.reached = new Set(names);
    return own.values;
  };

  // the page was loaded, or the connection is back: what was typed here meanwhile goes before what the server kept
  useEffect(() => {
    if (!loadedAt) return;
    own.cart = cart;
    own.unconfirmed = { ...copy.read(cart), ...own.unconfirmed };
    show({ ...draft, ...own.unconfirmed });
    for (const [name, text] of Object.entries(own.values)) if (text) own.reached.add(name);
    if (own.values.town) own.reached.add("dane_code");
    tell();
    if ("dane_code" in own.unconfirmed || "address" in own.unconfirmed) ship();
  }, [loadedAt]);

  useEffect(() => {
    if (noted !== own.number) return;
    const { unconfirmed, sent } = own;
    for (const name in sent) if (unconfirmed[name] === sent[name]) delete unconfirmed[name];
    copy.write(own.cart, unconfirmed);
  }, [noted]);

  useEffect(() => {
    const hurry = () => timer.current && tell();
    const hidden = () => document.visibilityState === "hidden" && hurry();
    document.addEventListener("visibilitychange", hidden);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      hurry();
    };
  }, []);

  return { values, change, leave, ship, reachAll };
}

const NEXT = "input:not([type=hidden]), select, button[type=submit]";

// Enter goes on to the next field: it does not pay by accident.
const entered = (event) => {
  const field = event.target;
  if (event.key !== "Enter" || event.defaultPrevented || field.tagName !== "INPUT") return;
  event.preventDefault();
  const fields = [...field.form.querySelectorAll(NEXT)].filter((one) => one.type !== "radio" || one.checked);
  fields[fields.indexOf(field) + 1]?.focus();
};

// Everything of the checkout that knows what is typed: the form and the purchase beside it.
export function Checkout({ total, totalLabel, answer, problems, shipping, isPayable, texts, onPlace, onStale, children, ...props }) {
  const typed = useTyped(props);
  const [isPlacing, setPlacing] = useState(false);
  const [failure, setFailure] = useState(null);
  const seen = useRef(answer.number);
  const isAwaited = useRef(false); // longer than the button is busy: a connection that was lost may still bring the answer

  const { dane_code: town, shipping_option: wanted = "" } = typed.values;
  const isOffered = shipping.choices.some((choice) => choice.id === wanted);
  const chosen = isOffered ? wanted : shipping.chosen;
  const isPriced = shipping.status === "ready" && shipping.dane_code === town && shipping.chosen === chosen;
  const isPricing = Boolean(town) && !isPriced && shipping.status !== "failed";

  // What the button named last, and what a press agreed to that came while this was being priced once more: after a
  // reconnect, say, under the very finger. Another place or way to ship is another price, which nobody agreed to yet.
  const named = useRef(null);
  const agreed = useRef(null);
  const isStillWanted = (price) => price?.town === town && price.wanted === wanted;

  const send = (agreedTotal) => {
    setPlacing(true);
    isAwaited.current = true;
    setFailure(null);
    onPlace(typed.reachAll(Object.keys(texts.labels)), agreedTotal);
  };

  const place = () => {
    if (isPlacing) return;
    if (!isPricing) send(total);
    else if (isStillWanted(named.current)) agreed.current = named.current;
  };

  useEffect(() => {
    if (isPriced && chosen) named.current = { town, wanted, total };
    if (isPricing || !agreed.current) return;
    const price = agreed.current;
    agreed.current = null;
    if (isStillWanted(price) && !isPlacing) send(price.total);
  });

  // what came of pressing the button
  useEffect(() => {
    if (answer.number === seen.current) return;
    seen.current = answer.number;
    if (!isAwaited.current) return;
    isAwaited.current = false;
    if (answer.kind === "placed") {
      setPlacing(true); // the button stays busy until the bank's page is there
      window.location.assign(answer.address);
      return;
    }
    setPlacing(false);
    setFailure(answer);
  }, [answer]);

  useOtherTabs(onStale);

  // the connection was lost while the answer was on its way, or the browser's Back brought this very page again
  useEffect(() => setPlacing(false), [props.loadedAt]);
  useEffect(() => {
    const shown = (event) => {
      if (!event.persisted) return;
      setPlacing(false);
      isAwaited.current = false;
    };
    window.addEventListener("pageshow", shown);
    return () => window.removeEventListener("pageshow", shown);
  }, []);

  const context = {
    ...typed, problems, shipping, chosen, isPriced, isPricing, isPlacing, isPayable, failure, place, totalLabel, texts,
  };
  return <Form.Provider value={context}>{children}</Form.Provider>;
}

export function CheckoutForm({ children }) {
  const { place, failure } = useForm();
  const form = useRef(null);
  const alert = useRef(null);

  // after a vain try the focus is where something is to be done
  useEffect(() => {
    if (!failure) return;
    const first = failure.kind === "fields" && form.current.querySelector('[aria-invalid="true"]');
    const target = first || alert.current;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "center" });
  }, [failure]);

  const submitted = (event) => {
    event.preventDefault();
    place();
  };
  return (
    <form ref={form} className="checkout__form" noValidate onSubmit={submitted} onKeyDown={entered}>
      {children}
      <div className="checkout__end">
        <div ref={alert} role="alert" tabIndex={-1} data-testid="checkout-alert"><Failure /></div>
        <PayButton />
      </div>
    </form>
  );
}

function Failure() {
  const { failure, problems, texts } = useForm();
  if (!failure) return null;
  if (failure.kind !== "fields") {
    return (
      <div className="alert" data-kind={failure.kind}>
        <Icon name="warning" />
        <p>{failure.text}{failure.kind === "stock" && <> <Link to="/cart">{texts.to_cart}</Link></>}</p>
      </div>
    );
  }
  const marked = Object.keys(texts.labels).filter((name) => problems[name]);
  if (!marked.length) return null;
  return (
    <div className="alert">
      <Icon name="warning" />
      <div>
        <p className="alert__title">{texts.marked}</p>
        <ul className="alert__list">
          {marked.map((name) => (
            <li key={name}>
              <a href={`#${fieldId(name)}`} onClick={(event) => goTo(event, name)}>{texts.labels[name]}</a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

export const fieldId = (name) => `campo-${name.replace("_", "-")}`;

const goTo = (event, name) => {
  event.preventDefault();
  const field = document.getElementById(fieldId(name));
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: "center" });
};

function PayButton() {
  const { isPlacing, isPricing, isPriced, isPayable, chosen, totalLabel, texts } = useForm();
  if (!isPayable) return null;
  const isBusy = isPlacing || isPricing;
  const words = isPlacing
    ? texts.opening
    : isPricing
      ? texts.pricing
      : isPriced && chosen
        ? texts.pay.replace("{total}", totalLabel)
        : texts.pay_plain;
  return (
    <button
      type="submit"
      className="button button--primary button--wide pay"
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      data-testid="place-order"
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : <Icon name="lock" size={20} />}
      <span>{words}</span>
    </button>
  );
}

// The stage of the page. While the server does not know it (the connection is new), the page stays as it was, with
// everything that is typed in it.
const Current = createContext("waiting");

export function Stages({ now, children }) {
  const [stage, setStage] = useState(now);
  if (now !== "waiting" && now !== stage) setStage(now);
  return <Current.Provider value={stage}>{children}</Current.Provider>;
}

export function Stage({ name, children }) {
  return useContext(Current) === name ? children : null;
}

// An amount that shipping is part of: while that is being priced, the figure of before would be a wrong one.
export function Amount({ text, otherwise }) {
  const { isPriced, isPricing, chosen, texts } = useForm();
  if (isPricing) return <span className="bone amount__bone"><span className="sr-only">{texts.pricing}</span></span>;
  return isPriced && chosen ? text : otherwise;
}

// On phones the purchase is folded away above the form; where there is room, it stands open beside it.
export function Fold({ label, amount, children }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="fold" data-open={isOpen || undefined}>
      <button
        type="button"
        className="fold__button"
        aria-expanded={isOpen}
        aria-controls="tu-compra"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="cart" size={22} />
        <span className="fold__label">{label}</span>
        <Icon name="down" size={18} />
        <span className="fold__amount">{amount}</span>
      </button>
      <div id="tu-compra" className="fold__body">{children}</div>
    </div>
  );
}

// The checkout's form. What is typed lives here, so that no key waits for the network. The server is told in pauses, keeps
// it with the cart and says what is wrong with it. Until it says that it has it, a copy lies in this tab's session storage:
// a reload, a lost connection or a restarted server loses nothing. The markup is in `storefront/pages/checkout/`.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { after, listen, useLoss } from "./effects.jsx";
import { leaveFor } from "./leaving.js";
import { isAnswer } from "./reconnecting.js";

const COPY = "trompo_typed";
const PAUSE_MS = 500;
const SLOW_MS = 4000;

const Form = createContext({ typed: {} });
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

  const hurry = () => timer.current && tell();
  useEffect(() => listen(document, "visibilitychange", () => document.hidden && hurry()), []);
  useEffect(() => hurry, []);

  return { values, change, leave, ship, reachAll };
}

// What the elements of the form need to show what is typed and to change it.
function useControls({ values, change, leave, ship }, { book, where, who }) {
  const before = useRef();
  const part = (from, names) => Object.fromEntries(names.map((name) => [name, from?.[name] ?? ""]));

  const changed = (name, { tagName, value }) => {
    if (name === "town") change({ town: value, dane_code: "" }); // what is only typed is no place yet
    else if (tagName !== "SELECT") change({ [name]: value });
    else {
      change({ [name]: value }, 0);
      leave(name);
    }
  };
  const left = (name) => {
    if (name === "town") return leave("dane_code", Boolean(values.town?.trim()));
    leave(name);
    if (name === "address" && values.address !== before.current) ship();
  };
  const control = (name) => ({
    name,
    value: values[name] ?? "",
    onChange: (event) => changed(name, event.target),
    onFocus: () => { before.current = values[name]; },
    onBlur: () => left(name),
  });

  const radio = (name, isChosen, choose) => ({ type: "radio", name, checked: isChosen, onChange: choose });
  const choice = (name, value, isChosen = values[name] === value, also = {}) => {
    const chosen = () => {
      change({ [name]: value, ...also }, 0);
      if (name === "shipping_option") ship();
    };
    return { ...radio(name, isChosen, chosen), value };
  };

  const tick = (name) => ({
    type: "checkbox",
    name,
    checked: values[name] === "on",
    onChange: ({ target }) => change({ [name]: target.checked ? "on" : "" }, 0),
  });

  const town = ({ label, value }) => ({
    onClick: () => {
      change({ town: label, dane_code: value }, 0);
      leave("dane_code");
      ship();
    },
  });

  // an address is chosen while the form says just that: once a word of it is changed, it is another one, which `null` is
  const current = book.find((entry) => where.every((name) => (values[name] ?? "") === entry[name])) ?? null;
  const address = (entry) =>
    radio("saved_address", current?.id === entry?.id, () => {
      change({ ...part(entry, where), ...(entry?.first_name && part(entry, who)) }, 0);
      if (entry) ship();
    });

  return { control, choice, tick, town, address };
}

// The press of the button: its answer is awaited longer than the button is busy, as a connection that was lost may still
// bring it.
const press = { isAwaited: false };

// Leaves for the bank once the order is placed. After a lost connection the page may find the order before the answer of
// the press comes, and shows no form then: so this is around all stages of the page.
export function Departure({ answer }) {
  useEffect(() => {
    if (!press.isAwaited || !isAnswer(answer.number) || answer.kind !== "placed") return;
    press.isAwaited = false;
    leaveFor(answer.address);
  }, [answer.number]);
  useEffect(() => () => void (press.isAwaited = false), []);
  return null;
}

// Everything of the checkout that knows what is typed: the form and the purchase beside it.
export function Checkout({ total, answer, interrupted, shipping, fields, onPlace, children, ...props }) {
  const typed = useTyped(props);
  const controls = useControls(typed, props);
  const [isPlacing, setPlacing] = useState(false);
  const [failure, setFailure] = useState(null);
  const [isUnfolded, setUnfolded] = useState(false); // the purchase, on phones above the form

  const { dane_code: town, shipping_option: wanted = "" } = typed.values;
  const isOffered = shipping.choices.some((choice) => choice.id === wanted);
  const chosen = isOffered ? wanted : shipping.chosen;
  const isPriced = shipping.status === "ready" && shipping.dane_code === town && shipping.chosen === chosen;
  const isPricing = Boolean(town) && !isPriced && shipping.status !== "failed";
  const isMoving = isPricing && shipping.dane_code !== town; // to another place, so no price stands
  const [isSlow, setSlow] = useState(false); // a word about it is due

  useEffect(() => {
    setSlow(false);
    if (isPricing) return after(SLOW_MS, () => setSlow(true));
  }, [isPricing]);

  // What the button named last, and what a press agreed to that came while this was being priced once more: after a
  // reconnect, say, under the very finger. Another place or way to ship is another price, which nobody agreed to yet.
  const named = useRef(null);
  const agreed = useRef(null);
  const isStillWanted = (price) => price?.town === town && price.wanted === wanted;

  const send = (agreedTotal) => {
    setPlacing(true);
    press.isAwaited = true;
    asked();
    setFailure(null);
    onPlace(typed.reachAll(fields), agreedTotal);
  };

  const place = (event) => {
    event.preventDefault();
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
    if (!press.isAwaited || !isAnswer(answer.number)) return;
    if (answer.kind === "placed") return; // the button stays busy until the bank's page is there: see `Departure`
    press.isAwaited = false;
    setPlacing(false);
    setFailure(answer);
  }, [answer.number]);

  // The connection was lost and the press is not sent again. Had it become an order, the page would be that order's by now;
  // if it still becomes one, the next press finds it.
  const asked = useLoss((isConfirmed) => {
    if (!press.isAwaited || isConfirmed) return;
    setPlacing(false);
    setFailure({ kind: "failed", text: interrupted });
  });

  // the browser's Back brought this very page again
  useEffect(() => setPlacing(false), [props.loadedAt]);
  const shown = (event) => {
    if (!event.persisted) return;
    setPlacing(false);
    press.isAwaited = false;
  };
  useEffect(() => listen(window, "pageshow", shown), []);

  // after a vain try the focus is where something is to be done
  const form = useRef(null);
  useEffect(() => {
    if (!failure) return;
    const first = failure.kind === "fields" && form.current.querySelector('[aria-invalid="true"]');
    goTo(first || form.current.querySelector("[data-failure]"));
  }, [failure]);

  const context = {
    ...controls, typed: typed.values, ship: typed.ship, failure, chosen, has_price: isPriced && Boolean(chosen),
    is_priced: isPriced, is_pricing: isPricing, is_placing: isPlacing, is_slow: isSlow,
    form: { ref: form, onSubmit: place, onKeyDown: entered },
    unfolding: { "aria-expanded": isUnfolded, onClick: () => setUnfolded(!isUnfolded) },
    is_waiting: isMoving || shipping.status === "quoting" || shipping.status === "none",
  };
  return <Form value={context}>{children}</Form>;
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

const goTo = (target) => {
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: "center" });
};

export const goToField = (event) => {
  event.preventDefault();
  goTo(document.getElementById(event.currentTarget.hash.slice(1)));
};

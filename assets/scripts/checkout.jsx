// The checkout's form. The browser stores the typed values, so that typing never waits for the network. It sends them to
// the server after a pause; the server stores them with the cart and returns the problems. Until the server confirms
// them, a copy is in this tab's session storage: a reload, a lost connection or a server restart loses nothing. The
// markup is in `storefront/pages/checkout/`.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { startTimer, listen, useLostAnswer } from "./effects.jsx";
import { leaveFor } from "./leaving.js";
import { isNewAnswer } from "./reconnecting.js";
import { readTown, storeTown } from "./town.js";

const STORAGE_KEY = "trompo_typed";
const PAUSE_MS = 500;
const SLOW_MS = 4000;

const Form = createContext({ typed: {} });
export const useForm = () => useContext(Form);

const storage = {
  read(cart) {
    try {
      const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY));
      return stored?.cart === cart ? stored.fields : {};
    } catch {
      return {}; // another script's text under our key
    }
  },
  write(cart, fields) {
    if (Object.keys(fields).length) sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ cart, fields }));
    else sessionStorage.removeItem(STORAGE_KEY);
  },
};

// Return the stored municipality for a form that has none, or one without a street. If none is stored, store the form's.
const takeEstimatedTown = ({ address = "", town = "", dane_code: code = "" }) => {
  const estimated = readTown();
  if (!estimated && code && town) storeTown(code, town);
  const isReplaceable = code ? !address.trim() : !town;
  if (!estimated || !isReplaceable || estimated.code === code) return {};
  return { town: estimated.label, dane_code: estimated.code };
};

// The typed `values` by field, the values that the server has not confirmed yet, and the reached fields: only their
// problems are shown.
function useTyped({ cart, draft, loadedAt, noted, onNote, onShip }) {
  const [values, setValues] = useState({});
  // `cart` is the loaded one: on a new connection the state has no cart for a moment
  const own = useRef({ cart, values: {}, unconfirmed: {}, sent: {}, number: 0, reached: new Set() }).current;
  const timer = useRef();

  const show = (fields) => {
    own.values = fields;
    setValues(fields);
  };

  const sendNote = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    own.number = Math.max(own.number + 1, Date.now());
    own.sent = { ...own.unconfirmed };
    onNote(own.sent, [...own.reached], own.number); // only new values: the displayed ones may be older than the stored ones
  };

  const quoteShipping = () => {
    const { dane_code: town, address = "", shipping_option: option = "" } = own.values;
    if (town) onShip(town, address, option);
  };

  const change = (changes, pause = PAUSE_MS) => {
    own.unconfirmed = { ...own.unconfirmed, ...changes };
    storage.write(own.cart, own.unconfirmed);
    show({ ...own.values, ...changes });
    clearTimeout(timer.current);
    if (pause) timer.current = setTimeout(sendNote, pause);
    else sendNote();
  };

  const markReached = (name, isFilled = Boolean(own.values[name])) => {
    const isNew = isFilled && !own.reached.has(name);
    if (isNew) own.reached.add(name);
    if (isNew || timer.current) sendNote();
  };

  const reachAll = (names) => {
    clearTimeout(timer.current);
    own.reached = new Set(names);
    return own.values;
  };

  // After a load or a reconnect: values typed in the meantime take precedence over those from the server.
  useEffect(() => {
    if (!loadedAt) return;
    own.cart = cart;
    own.unconfirmed = { ...storage.read(cart), ...own.unconfirmed };
    own.unconfirmed = { ...own.unconfirmed, ...takeEstimatedTown({ ...draft, ...own.unconfirmed }) };
    show({ ...draft, ...own.unconfirmed });
    for (const [name, text] of Object.entries(own.values)) if (text) own.reached.add(name);
    if (own.values.town) own.reached.add("dane_code");
    sendNote();
    if ("dane_code" in own.unconfirmed || "address" in own.unconfirmed) quoteShipping();
  }, [loadedAt]);

  useEffect(() => {
    if (noted !== own.number) return;
    const { unconfirmed, sent } = own;
    for (const name in sent) if (unconfirmed[name] === sent[name]) delete unconfirmed[name];
    storage.write(own.cart, unconfirmed);
  }, [noted]);

  const sendNow = () => timer.current && sendNote();
  useEffect(() => listen(document, "visibilitychange", () => document.hidden && sendNow()), []);
  useEffect(() => sendNow, []);

  return { values, change, markReached, quoteShipping, reachAll };
}

// Return the properties that make the form's elements show and change the typed values.
function useControls({ values, change, markReached, quoteShipping }, { book, addressFields, nameFields }) {
  const before = useRef();
  const part = (from, names) => Object.fromEntries(names.map((name) => [name, from?.[name] ?? ""]));

  const handleChange = (name, { tagName, value }) => {
    if (name === "town") change({ town: value, dane_code: "" }); // text that was only typed is no municipality yet
    else if (tagName !== "SELECT") change({ [name]: value });
    else {
      change({ [name]: value }, 0);
      markReached(name);
    }
  };
  const handleBlur = (name) => {
    if (name === "town") return markReached("dane_code", Boolean(values.town?.trim()));
    markReached(name);
    if (name === "address" && values.address !== before.current) quoteShipping();
  };
  const control = (name) => ({
    name,
    value: values[name] ?? "",
    onChange: (event) => handleChange(name, event.target),
    onFocus: () => { before.current = values[name]; },
    onBlur: () => handleBlur(name),
  });

  const radio = (name, isChosen, choose) => ({ type: "radio", name, checked: isChosen, onChange: choose });
  const choice = (name, value, isChosen = values[name] === value, also = {}) => {
    const chosen = () => {
      change({ [name]: value, ...also }, 0);
      if (name === "shipping_option") quoteShipping();
    };
    return { ...radio(name, isChosen, chosen), value };
  };

  const checkbox = (name, on, off, also) => ({
    type: "checkbox",
    name,
    value: on,
    checked: (values[name] || off) !== off,
    onChange: ({ target }) => {
      const value = target.checked ? on : off;
      change({ [name]: value, ...also[value] }, 0);
    },
  });

  const suggestion = (name, text) => ({ type: "button", onClick: () => change({ [name]: text }, 0) });

  const town = ({ label, value }) => ({
    onClick: () => {
      storeTown(value, label);
      change({ town: label, dane_code: value }, 0);
      markReached("dane_code");
      quoteShipping();
    },
  });

  // A saved address is selected while the form contains exactly its values; after a change it is another address, shown
  // as `null`.
  const current = book.find((entry) => addressFields.every((name) => (values[name] ?? "") === entry[name])) ?? null;
  const address = (entry) =>
    radio("saved_address", current?.id === entry?.id, () => {
      change({ ...part(entry, addressFields), ...(entry?.first_name && peopleOf(entry)) }, 0);
      if (!entry) return;
      if (entry.dane_code) storeTown(entry.dane_code, entry.town);
      quoteShipping();
    });

  // A saved address with the shopper's own name is for them. With another name it is for a recipient: the shopper
  // remains the one who pays.
  const peopleOf = (entry) => {
    const fold = (name) => (name ?? "").trim().toLowerCase();
    const isOwn = ["first_name", "last_name"].every((name) => !values[name] || fold(values[name]) === fold(entry[name]));
    const recipient = Object.fromEntries(nameFields.map((name) => [`recipient_${name}`, isOwn ? "" : entry[name]]));
    if (!isOwn) return { ...recipient, gift_recipient: values.gift_recipient || "on" };
    const isGift = values.gift_message || values.gift_recipient === "wrapped";
    return { ...part(entry, nameFields), ...recipient, gift_recipient: isGift ? values.gift_recipient : "" };
  };

  return { control, choice, checkbox, suggestion, town, address };
}

// The press of the button. Its answer is awaited longer than the button is busy, as it may still arrive after a lost
// connection.
const press = { isAwaited: false };

// Leaves for the bank once the order is placed. After a lost connection the page may show the order, without a form,
// before the answer of the press arrives: so this component is outside the page's stages.
export function Departure({ answer }) {
  useEffect(() => {
    if (!press.isAwaited || !isNewAnswer(answer.number) || answer.kind !== "placed") return;
    press.isAwaited = false;
    leaveFor(answer.address);
  }, [answer.number]);
  useEffect(() => () => void (press.isAwaited = false), []);
  return null;
}

// The parts of the checkout that depend on typed values: the form, and the purchase next to it.
export function Checkout({ total, answer, interruptedText, shipping, fields, onPlace, children, ...props }) {
  const typed = useTyped(props);
  const controls = useControls(typed, props);
  const [isPlacing, setPlacing] = useState(false);
  const [failure, setFailure] = useState(null);
  const [isUnfolded, setUnfolded] = useState(false); // the purchase, which is above the form on phones

  const { dane_code: town, shipping_option: option = "" } = typed.values;
  const isOffered = shipping.choices.some((choice) => choice.id === option);
  const chosen = isOffered ? option : shipping.chosen;
  const isPriced = shipping.status === "ready" && shipping.dane_code === town && shipping.chosen === chosen;
  const isPricing = Boolean(town) && !isPriced && shipping.status !== "failed";
  const isOtherTown = isPricing && shipping.dane_code !== town; // to another municipality, so the old price is not valid
  const [isSlow, setSlow] = useState(false); // the page explains the delay

  useEffect(() => {
    setSlow(false);
    if (isPricing) return startTimer(SLOW_MS, () => setSlow(true));
  }, [isPricing]);

  // The price and day that the page displayed last, and those that a press accepted while the price was being calculated
  // again, for example after a reconnect. A different municipality or shipping option has a different price, which the
  // shopper has not accepted.
  const displayedPrice = useRef(null);
  const acceptedPrice = useRef(null);
  const day = shipping.choices.find((choice) => choice.id === chosen)?.day ?? ""; // the promised day that is displayed
  const isSamePrice = (price) => price?.town === town && price.option === option;

  const send = (accepted) => {
    setPlacing(true);
    press.isAwaited = true;
    setAwaiting(true);
    setFailure(null);
    onPlace(typed.reachAll(fields), accepted.total, accepted.day);
  };

  const place = (event) => {
    event.preventDefault();
    if (isPlacing) return;
    if (!isPricing) send({ total, day });
    else if (isSamePrice(displayedPrice.current)) acceptedPrice.current = displayedPrice.current;
  };

  useEffect(() => {
    if (isPriced && chosen) displayedPrice.current = { town, option, total, day };
    if (isPricing || !acceptedPrice.current) return;
    const price = acceptedPrice.current;
    acceptedPrice.current = null;
    if (isSamePrice(price) && !isPlacing) send(price);
  });

  // The result of the press.
  useEffect(() => {
    if (!press.isAwaited || !isNewAnswer(answer.number)) return;
    if (answer.kind === "placed") return; // the button stays busy until the bank's page is open: see `Departure`
    press.isAwaited = false;
    setPlacing(false);
    setFailure(answer);
  }, [answer.number]);

  // The connection was lost and the press is not sent again. If it had placed an order, the page would already be that
  // order's; if it still does, the next press finds that order.
  const setAwaiting = useLostAnswer((isConfirmed) => {
    if (!press.isAwaited || isConfirmed) return;
    setPlacing(false);
    setFailure({ kind: "failed", text: interruptedText });
  });

  // The browser's Back button restored this page.
  useEffect(() => setPlacing(false), [props.loadedAt]);
  const handlePageShow = (event) => {
    if (!event.persisted) return;
    setPlacing(false);
    press.isAwaited = false;
  };
  useEffect(() => listen(window, "pageshow", handlePageShow), []);

  // After a failed attempt, focus the first problem.
  const form = useRef(null);
  useEffect(() => {
    if (!failure) return;
    const first = failure.kind === "fields" && form.current.querySelector('[aria-invalid="true"]');
    goTo(first || form.current.querySelector("[data-failure]"));
  }, [failure]);

  const context = {
    ...controls, typed: typed.values, quote_shipping: typed.quoteShipping, failure, chosen, has_price: isPriced && Boolean(chosen),
    is_priced: isPriced, is_pricing: isPricing, is_placing: isPlacing, is_slow: isSlow,
    form: { ref: form, onSubmit: place, onKeyDown: handleKeyDown },
    unfold_button: { "aria-expanded": isUnfolded, onClick: () => setUnfolded(!isUnfolded) },
    is_waiting: isOtherTown || shipping.status === "quoting" || shipping.status === "none",
  };
  return <Form value={context}>{children}</Form>;
}

const NEXT = "input:not([type=hidden]), select, button[type=submit]";

// Enter moves to the next field, so that it does not pay by accident.
const handleKeyDown = (event) => {
  const field = event.target;
  if (event.key !== "Enter" || event.defaultPrevented || field.tagName !== "INPUT") return;
  event.preventDefault();
  const fields = [...field.form.querySelectorAll(NEXT)].filter((other) => other.type !== "radio" || other.checked);
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

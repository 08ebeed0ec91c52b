// The checkout's fields: each with its label, a hint, and what is wrong with it right beside it.

import { useEffect, useRef, useState } from "react";
import { fieldId, useForm } from "./checkout-form.jsx";
import { Icon } from "./icons.jsx";

function described(id, hint, problem) {
  return [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
}

// Said aloud when it comes up beside a field; after a vain try to pay, the list over the button says them all at once.
function Problem({ id, text }) {
  const { failure } = useForm();
  return (
    <div aria-live={failure ? "off" : "polite"}>
      {text && (
        <p className="field__problem" id={`${id}-problem`}><Icon name="warning" size={18} />{text}</p>
      )}
    </div>
  );
}

export function Field({ name, label, hint, optional, className = "", ...input }) {
  const { values, problems, change, leave, ship } = useForm();
  const id = fieldId(name);
  const priced = useRef(null);

  const left = () => {
    leave(name);
    if (name !== "address" || values.address === priced.current) return;
    if (priced.current !== null) ship();
    priced.current = values.address;
  };

  return (
    <div className={`field ${className}`}>
      <label className="field__label" htmlFor={id}>
        {label}
        {optional && <span className="field__optional"> {optional}</span>}
      </label>
      <input
        id={id}
        name={name}
        className="field__input"
        maxLength={300}
        aria-required={!optional}
        aria-invalid={Boolean(problems[name]) || undefined}
        aria-describedby={described(id, hint, problems[name])}
        enterKeyHint="next"
        value={values[name] ?? ""}
        onChange={(event) => change({ [name]: event.target.value })}
        onFocus={() => { priced.current ??= values.address ?? ""; }}
        onBlur={left}
        {...input}
      />
      <Problem id={id} text={problems[name]} />
      {hint && <p className="field__hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

// A native list: the phone's own wheel, the keyboard's own letters. Options that a new connection has not brought yet stay.
export function SelectField({ name, label, hint, placeholder, options, testId, className = "", children }) {
  const { values, problems, change, leave } = useForm();
  const known = useRef(options);
  if (options.length) known.current = options;
  const id = fieldId(name);
  const isOffered = known.current.some((option) => option.value === values[name]);

  const picked = (event) => {
    change({ [name]: event.target.value }, 0);
    leave(name);
  };

  return (
    <div className={`field ${className}`}>
      <label className="field__label" htmlFor={id}>{label}</label>
      <div className="select">
        <select
          id={id}
          name={name}
          className="field__input"
          data-testid={testId}
          aria-required="true"
          aria-invalid={Boolean(problems[name]) || undefined}
          aria-describedby={described(id, hint, problems[name])}
          autoComplete="off"
          value={isOffered ? values[name] : ""}
          onChange={picked}
          onBlur={() => leave(name)}
        >
          {(!isOffered || known.current.length > 1) && <option value="" disabled>{placeholder}</option>}
          {known.current.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
        </select>
        <Icon name="down" size={20} />
      </div>
      <Problem id={id} text={problems[name]} />
      {hint && <p className="field__hint" id={`${id}-hint`}>{hint}</p>}
      {children}
    </div>
  );
}

// Who pays, and with which document: a company has only its NIT, a person everything else.
export function PersonCards({ label, options, documents }) {
  const { values, problems, change } = useForm();
  const id = fieldId("person_type");

  const picked = (person_type) => {
    const kinds = documents[person_type];
    const fits = kinds.some((kind) => kind.value === values.doc_type);
    change({ person_type, doc_type: fits ? values.doc_type : kinds[0].value }, 0);
  };

  return (
    <fieldset className="field cards" aria-describedby={described(id, "", problems.person_type)}>
      <legend className="field__label">{label}</legend>
      <div className="cards__row">
        {options.map((option, place) => (
          <label className="card-choice" key={option.value}>
            <input
              type="radio"
              id={place ? undefined : id}
              name="person_type"
              value={option.value}
              checked={values.person_type === option.value}
              onChange={() => picked(option.value)}
            />
            <Icon name={option.icon} />
            <span className="card-choice__words">
              <b>{option.label}</b>
              <span className="card-choice__note">{option.note}</span>
            </span>
          </label>
        ))}
      </div>
      <Problem id={id} text={problems.person_type} />
    </fieldset>
  );
}

export function DocumentField({ documents, ...props }) {
  const { values } = useForm();
  return <SelectField name="doc_type" options={documents[values.person_type] ?? documents["0"]} {...props} />;
}

const DIGITS_ONLY = ["CC", "CE", "TI", "NIT", "PEP", "PPT", "SSN"];

export function DocumentNumber(props) {
  const { values } = useForm();
  const isNumber = DIGITS_ONLY.includes(values.doc_type);
  return <Field name="doc_number" inputMode={isNumber ? "numeric" : "text"} autoCapitalize="characters" {...props} />;
}

const WHERE = ["address", "suburb", "reference", "town", "dane_code"];
const WHO = ["first_name", "last_name", "phone"];
const part = (from, names) => Object.fromEntries(names.map((name) => [name, from[name] ?? ""]));

// An address is chosen while the form says just that: once a word of it is changed, it is another one.
export function SavedAddresses({ label, other, book }) {
  const { values, change, ship } = useForm();
  const known = useRef(book);
  if (book.length) known.current = book; // a new connection has not brought them yet
  if (!known.current.length) return null;

  const chosen = known.current.find((entry) => WHERE.every((name) => (values[name] ?? "") === entry[name]));
  const pick = (entry) => {
    change({ ...part(entry, WHERE), ...(entry.first_name ? part(entry, WHO) : {}) }, 0);
    ship();
  };
  const pickOther = () => change(part({}, WHERE), 0);

  return (
    <fieldset className="field cards">
      <legend className="field__label">{label}</legend>
      {known.current.map((entry) => (
        <label className="card-choice" key={entry.id} data-testid="saved-address">
          <input type="radio" name="saved_address" checked={chosen === entry} onChange={() => pick(entry)} />
          <span className="card-choice__words">
            <b>{entry.address}</b>
            <span className="card-choice__note">{[entry.suburb, entry.town].filter(Boolean).join(" · ")}</span>
            <span className="card-choice__note">{entry.first_name} {entry.last_name}</span>
          </span>
        </label>
      ))}
      <label className="card-choice card-choice--small" data-testid="other-address">
        <input type="radio" name="saved_address" checked={!chosen} onChange={pickOther} />
        <span className="card-choice__words"><b>{other}</b></span>
      </label>
    </fieldset>
  );
}

// The municipality is picked from the list by its code and never guessed: what is only typed is no place yet.
export function TownField({ label, hint, texts, towns, answered, onFind }) {
  const { values, problems, change, leave, ship } = useForm();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const box = useRef(null);
  const id = fieldId("dane_code");
  const text = values.town ?? "";
  const asked = text.trim();
  const isPicked = Boolean(values.dane_code);
  const isCurrent = answered === asked;
  const options = asked && !isPicked ? towns : [];
  const isEmpty = Boolean(asked) && !isPicked && isCurrent && towns.length === 0;
  const isShown = isOpen && (options.length > 0 || isEmpty);

  useEffect(() => setActive(-1), [answered]);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const typedText = (event) => {
    change({ town: event.target.value, dane_code: "" });
    setActive(-1);
    setOpen(true);
    if (event.target.value.trim()) onFind(event.target.value.trim());
  };

  const opened = () => {
    if (isPicked || !asked) return;
    if (!isCurrent) onFind(asked);
    setOpen(true);
  };

  const pick = (town) => {
    change({ town: town.label, dane_code: town.value }, 0);
    leave("dane_code");
    ship();
    setOpen(false);
  };

  const pressed = (event) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isShown) return opened();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // one place more than there are options: the field itself
      setActive((place) => ((place + 1 + step + options.length + 1) % (options.length + 1)) - 1);
    } else if (isShown && active >= 0 && (event.key === "Enter" || event.key === "Tab")) {
      if (event.key === "Enter") event.preventDefault();
      pick(options[active]);
    } else if (isShown && event.key === "Enter") {
      event.preventDefault(); // nothing is picked yet: stay
    } else if (event.key === "Escape" && isShown) {
      event.preventDefault();
      setOpen(false);
    }
  };

  const left = (event) => {
    if (box.current.contains(event.relatedTarget)) return;
    setOpen(false);
    leave("dane_code", Boolean(asked));
  };

  return (
    <div className="field town" ref={box} onBlur={left}>
      <label className="field__label" htmlFor={id}>{label}</label>
      <div className="select town__box" data-picked={isPicked || undefined}>
        <input
          id={id}
          name="town"
          className="field__input"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown && options.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
          aria-required="true"
          aria-invalid={Boolean(problems.dane_code) || undefined}
          aria-describedby={described(id, hint, problems.dane_code)}
          autoComplete="off"
          autoCapitalize="words"
          spellCheck="false"
          enterKeyHint="next"
          maxLength={80}
          placeholder={texts.placeholder}
          value={text}
          onChange={typedText}
          onClick={opened}
          onKeyDown={pressed}
        />
        <Icon name={isPicked ? "check" : "search"} size={20} />
        <input type="hidden" name="dane_code" value={values.dane_code ?? ""} />
        <div className="town__panel" hidden={!isShown} data-stale={!isCurrent || undefined}>
          <ul id={`${id}-list`} role="listbox" aria-label={texts.list}>
            {options.map((town, place) => (
              <li
                key={town.value}
                id={`${id}-${place}`}
                role="option"
                className="town__option"
                aria-selected={place === active}
                data-testid="town-option"
                onPointerDown={(event) => event.preventDefault()} // the focus stays in the field
                onPointerMove={() => setActive(place)}
                onClick={() => pick(town)}
              >
                <b>{town.name}</b>, {town.department}
              </li>
            ))}
          </ul>
          {isEmpty && <p className="town__none">{texts.none}</p>}
        </div>
      </div>
      <p className="sr-only" role="status">
        {isShown && isCurrent ? (isEmpty ? texts.none : `${options.length} ${texts.count}`) : ""}
      </p>
      <Problem id={id} text={problems.dane_code} />
      {hint && <p className="field__hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

const SLOW_MS = 4000;

// Whether the price has been on its way for so long that a word about it is due.
function useIsSlow(isPricing) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isPricing) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isPricing]);
  return isSlow;
}

// The ways to ship, priced for the place that stands in the form now: the price of another place is never shown.
export function ShippingChoices({ label, texts }) {
  const { values, problems, shipping, chosen, change, ship, isPriced, isPricing } = useForm();
  const known = useRef(shipping.choices);
  if (shipping.choices.length) known.current = shipping.choices;
  const id = fieldId("shipping");
  const town = values.dane_code;
  const isMoving = isPricing && shipping.dane_code !== town; // to another place, so no price stands
  const isWaiting = isMoving || shipping.status === "quoting" || shipping.status === "none";
  const isSlow = useIsSlow(isPricing);

  const picked = (option) => {
    change({ shipping_option: option }, 0);
    ship();
  };

  if (!town) return <p className="shipping__none"><Icon name="truck" size={28} /><span>{texts.town_first}</span></p>;
  if (shipping.status === "failed") {
    return (
      <div className="shipping__none" role="alert">
        <p>{texts.failed}</p>
        <button type="button" className="button button--quiet button--small" onClick={ship}>{texts.again}</button>
      </div>
    );
  }
  const options = known.current.length ? known.current : [{ id: "1" }, { id: "2" }];
  return (
    <fieldset className="field cards" aria-busy={isPricing || undefined} aria-describedby={described(id, "", problems.shipping)}>
      <legend className="sr-only">{label}</legend>
      {isPriced && shipping.choices.length === 0 && <p className="shipping__none">{texts.nothing}</p>}
      {(isWaiting || isPriced || shipping.choices.length > 0) && options.map((option, place) => (
        <label className="card-choice card-choice--wide" key={option.id} data-testid={option.name && "shipping-option"}>
          <input
            type="radio"
            id={place ? undefined : id}
            name="shipping_option"
            value={option.id}
            checked={chosen === option.id}
            disabled={isWaiting}
            onChange={() => picked(option.id)}
          />
          <Icon name={option.is_pickup ? "store" : "truck"} />
          <span className="card-choice__words">
            <b>{option.name ?? <span className="bone shipping__bone" />}</b>
            <span className="card-choice__note">
              {isWaiting ? (isSlow && !place ? texts.slow : <span className="bone shipping__bone" />) : option.note}
            </span>
          </span>
          <span className="card-choice__price">
            {isWaiting ? <span className="bone shipping__bone shipping__bone--price" /> : option.price}
          </span>
        </label>
      ))}
      <p className="sr-only" role="status">{isSlow ? texts.slow : isPricing ? texts.pricing : texts.priced}</p>
      <Problem id={id} text={problems.shipping} />
    </fieldset>
  );
}

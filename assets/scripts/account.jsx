// Forms of the account. Whatever changes the session goes by HTTP, as only an HTTP answer can set the cookie that no
// script reads; the page is then loaded anew, and its websocket opens with the cookie of that moment.

import { createContext, useContext, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "react-router";
import { Icon } from "./icons.jsx";
import { leaveForGoogle, tellOtherTabs } from "./session.jsx";

const Form = createContext({ problems: {}, formId: "" });

// The token of a link from a mail stands behind the `#` of its address. It is taken out of there when this script is
// read, and so before the page tells the server its address: it is in no history, no log and no state, and lives as long
// as this page does.
const link = { token: "", listeners: new Set() };

function takeToken() {
  const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (token === null) return;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  setToken(token);
}

function setToken(token) {
  link.token = token;
  link.listeners.forEach((tell) => tell());
}

if (typeof window !== "undefined") {
  takeToken();
  window.addEventListener("popstate", takeToken, { capture: true }); // a second link, opened while the page is there
}

const subscribe = (tell) => {
  link.listeners.add(tell);
  return () => link.listeners.delete(tell);
};

// The page of this shop that the address names to go on to; none for one that leads anywhere else.
const OWN_PAGE = /^\/(?!\/)[A-Za-z0-9_.~=&?%/-]*$/; // as Google's way in has it, in backend/customers/google_routes.py

function wantedPage(search) {
  const wanted = new URLSearchParams(search).get("next") ?? "";
  return OWN_PAGE.test(wanted) ? wanted : "";
}

// An address that keeps what is wanted. The document knows nothing of it, so it comes with the scripts.
function useKeeping(path) {
  const { search } = useLocation();
  const [wanted, setWanted] = useState("");
  useEffect(() => setWanted(wantedPage(search)), [search]);
  return wanted ? `${path}?next=${encodeURIComponent(wanted)}` : path;
}

async function post(action, values) {
  const answer = await fetch(action, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
    credentials: "same-origin",
  });
  const body = await answer.json().catch(() => ({}));
  return { isGood: answer.ok, message: body.message ?? "", problems: body.fields ?? {} };
}

function FormFrame({ onValues, answer, isBusy, texts, children }) {
  const formId = useId();
  const form = useRef(null);
  const problems = answer?.problems ?? {};

  useEffect(() => {
    if (answer && !answer.isGood) form.current?.querySelector('[aria-invalid="true"]')?.focus();
  }, [answer]);

  const submit = (event) => {
    event.preventDefault();
    if (!isBusy) onValues(Object.fromEntries(new FormData(event.target)));
  };

  return (
    <Form.Provider value={{ problems, formId }}>
      <form ref={form} className="account-form" method="post" noValidate onSubmit={submit}>
        <div role={answer && !answer.isGood ? "alert" : "status"}>
          {answer?.message && (
            <p className={`account-form__said ${answer.isGood ? "account-form__said--good" : ""}`}>
              <Icon name={answer.isGood ? "check" : "warning"} size={20} />{answer.message}
            </p>
          )}
        </div>
        {children}
        <button type="submit" className={`button button--${texts.look ?? "primary"}`} aria-busy={isBusy || undefined}>
          {isBusy ? texts.busy : texts.submit}
        </button>
      </form>
    </Form.Provider>
  );
}

export function AccountForm({ action, next, done, texts, children }) {
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState(null);

  const send = async (values) => {
    setBusy(true);
    try {
      const told = await post(action, link.token ? { ...values, token: link.token } : values);
      if (told.isGood && next) {
        tellOtherTabs();
        window.location.assign(wantedPage(window.location.search) || next);
        return; // stays busy until the next page is there
      }
      setAnswer(told.isGood ? { ...told, message: done } : told);
    } catch {
      setAnswer({ isGood: false, message: texts.offline, problems: {} });
    }
    setBusy(false);
  };

  return <FormFrame onValues={send} answer={answer} isBusy={isBusy} texts={texts}>{children}</FormFrame>;
}

// `answer` is the state's: { number, form, message, problems, is_good }. Only the form it is meant for shows it. One that
// lies folded in its list folds up again when all is well; what was typed stays while it is not.
export function EventForm({ name, answer, texts, onSend, children }) {
  const [isBusy, setBusy] = useState(false);
  const [shown, setShown] = useState(null);
  const seen = useRef(answer.number);
  const place = useRef(null);

  useEffect(() => {
    if (answer.number === seen.current) return;
    seen.current = answer.number;
    setBusy(false);
    if (answer.form !== name) return;
    const fold = place.current.closest("details");
    if (answer.is_good && fold) {
      setShown(null);
      place.current.querySelector("form").reset();
      fold.open = false;
      fold.querySelector("summary").focus();
      return;
    }
    setShown({ isGood: answer.is_good, message: answer.message, problems: answer.problems });
  }, [answer]);

  const send = (values) => {
    setBusy(true);
    onSend(values);
  };

  return (
    <div ref={place}>
      <FormFrame onValues={send} answer={shown} isBusy={isBusy} texts={texts}>{children}</FormFrame>
    </div>
  );
}

export function AccountField({ name, label, kind = "text", fill, hint, optional, value = "", ...input }) {
  const { problems, formId } = useContext(Form);
  const id = `${formId}-${name}`;
  const problem = problems[name];
  const told = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
        {optional && <span className="field__optional"> {optional}</span>}
      </label>
      <input
        key={value}
        id={id}
        name={name}
        type={kind}
        className="field__input"
        defaultValue={value}
        autoComplete={fill}
        autoCapitalize={kind === "email" || kind === "password" ? "none" : undefined}
        maxLength={300}
        aria-required={!optional}
        aria-invalid={Boolean(problem) || undefined}
        aria-describedby={told || undefined}
        {...input}
      />
      {problem && (
        <p className="field__problem" id={`${id}-problem`}><Icon name="warning" size={18} />{problem}</p>
      )}
      {hint && <p className="field__hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

export function HiddenField({ name, value }) {
  return <input type="hidden" name={name} value={value} />;
}

export function TownField({ label, hint, towns, value, onType }) {
  const list = useId();
  return (
    <>
      <AccountField
        name="town"
        label={label}
        hint={hint}
        fill="off"
        value={value}
        list={list}
        onInput={(event) => onType(event.target.value)}
      />
      <datalist id={list}>{towns.map((town) => <option key={town} value={town} />)}</datalist>
    </>
  );
}

export function SignOut({ action, label, next, testId }) {
  const [isBusy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    try {
      await post(action, {});
      tellOtherTabs();
      window.location.assign(next);
    } catch {
      setBusy(false); // no connection: the button can be pressed again
    }
  };
  return (
    <button type="button" className="button button--quiet button--small" disabled={isBusy} onClick={leave} data-testid={testId}>
      {label}
    </button>
  );
}

// Asks once more, in place: an address that took a minute to type is not gone by a slip.
export function RemoveButton({ label, texts, onRemove }) {
  const [isAsking, setAsking] = useState(false);
  const no = useRef(null);
  const button = useRef(null);
  const wasAsking = useRef(false);

  useEffect(() => {
    if (isAsking) no.current.focus();
    else if (wasAsking.current) button.current.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);

  if (!isAsking) {
    return (
      <button ref={button} type="button" className="icon-button" aria-label={label} onClick={() => setAsking(true)}>
        <Icon name="trash" size={20} />
      </button>
    );
  }
  return (
    <div className="account-remove" role="group" aria-label={label}>
      <button ref={no} type="button" className="button button--quiet button--small" onClick={() => setAsking(false)}>
        {texts.no}
      </button>
      <button type="button" className="button button--dark button--small" onClick={() => onRemove()}>{texts.yes}</button>
    </div>
  );
}

export function GoogleLink({ label, children }) {
  const href = useKeeping("/auth/google");
  return (
    <a href={href} className="button button--quiet button--wide account-google" data-testid="google" onClick={leaveForGoogle}>
      {children}
      {label}
    </a>
  );
}

// From one way in to another.
export function WayLink({ to, children }) {
  return <Link to={useKeeping(to)}>{children}</Link>;
}

const useHasToken = () => useSyncExternalStore(subscribe, () => link.token !== "", () => false);

export function WithLink({ has, children }) {
  return useHasToken() === has ? children : null;
}

export function DropLink({ label }) {
  return <button type="button" className="text-button" onClick={() => setToken("")}>{label}</button>;
}

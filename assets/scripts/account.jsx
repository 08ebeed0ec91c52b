// Forms of the account. Requests that change the session go over HTTP, as only an HTTP response can set the session
// cookie, which no script can read. The page then reloads, so that its websocket opens with the new cookie.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { listen, reportLostPress } from "./effects.jsx";
import { leaveFor } from "./leaving.js";
import { newId } from "./presses.js";
import { notifyOtherTabs } from "./session.jsx";
import { leaveAccount } from "./wishlist.jsx";

// A link in an e-mail has its token after the `#`. This script removes the token when it loads, before the page sends
// its address to the server. So the token is in no history entry, log or server state, and exists only as long as this
// page.
const TOKEN = "trompo:token";
let token = "";

function takeToken() {
  const linkToken = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (linkToken === null) return;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  setToken(linkToken);
}

function setToken(text) {
  token = text;
  window.dispatchEvent(new Event(TOKEN));
}

if (typeof window !== "undefined") {
  takeToken();
  window.addEventListener("popstate", takeToken, { capture: true }); // a second link, opened in the same page
}

const subscribe = (notify) => listen(window, TOKEN, notify);
export const useHasToken = () => useSyncExternalStore(subscribe, () => token !== "", () => false);
export const dropToken = () => setToken("");

// Return the page of this shop that the address names to continue with; empty if it names another target.
function requestedPage(search, ownPage) {
  const page = new URLSearchParams(search).get("next") ?? "";
  return new RegExp(`^(?:${ownPage})$`).test(page) ? page : "";
}

// Return the query that passes that page on. It is empty in the rendered document, which does not depend on it.
export function useNextQuery(ownPage) {
  const { search } = useLocation();
  const page = useSyncExternalStore(subscribe, () => requestedPage(search, ownPage), () => "");
  return page && `?next=${encodeURIComponent(page)}`;
}

const NOTHING = { number: 0, is_good: true, message: "", problems: {}, is_busy: false };
const Answer = createContext(NOTHING);
export const useAnswer = () => useContext(Answer);

const SESSION_ROUTES = "/auth/"; // only these requests sign in or out

// A form that is sent over HTTP. After success it opens `next`, the page that the address or the response names; without
// `next` it shows the text `done`. The response lists invalid fields in `fields`, with texts for shoppers. After any
// other response the form shows `failed`. Without scripts the browser posts the form to `formAction`, which responds
// with a page. A form with `hasFiles` is sent as the browser would send it.
export function HttpForm({ action, formAction, next, done, offline, failed, ownPage, hasFiles, className, children }) {
  const [answer, setAnswer] = useState(NOTHING);
  const submission = useRef({ content: "", id: "" });
  // The Back button can restore this page while it still shows that it is busy.
  useEffect(() => listen(window, "pageshow", ({ persisted }) => persisted && setAnswer(NOTHING)), []);

  // The server handles a submission once: a repetition after a lost response has the same id. The modification time of
  // an empty file input is the current time, so it does not count as content.
  const getSubmissionId = (form) => {
    const content = JSON.stringify([...form].map(([name, value]) => (
      value instanceof File ? [name, value.name, value.size, value.size ? value.lastModified : 0] : [name, value])));
    if (content !== submission.current.content) submission.current = { content, id: newId() };
    return submission.current.id;
  };

  const sendForm = async (form) => {
    const headers = { accept: "application/json", "x-press": getSubmissionId(form) };
    let body = form;
    if (!hasFiles) {
      const values = Object.fromEntries(form);
      body = JSON.stringify(token ? { ...values, token } : values);
      headers["content-type"] = "application/json";
    }
    const response = await fetch(action, { method: "POST", headers, body, credentials: "same-origin" });
    const { message = "", fields, next: responsePage } = await response.json().catch(() => ({}));
    if (response.ok) submission.current = { content: "", id: "" }; // the same values, submitted later, are a new submission
    const result = response.ok ? done : fields ? message : failed;
    return { is_good: response.ok, message: result, problems: fields ?? {}, responsePage };
  };

  const handleSubmit = async (event) => {
    event.preventDefault();
    if (answer.is_busy) return;
    setAnswer({ ...answer, is_busy: true });
    const result = await sendForm(new FormData(event.target)).catch(() => ({ is_good: false, message: offline, problems: {} }));
    if (!result.is_good && !result.message) reportLostPress(); // this form has no text for it
    if (!result.is_good || !next) return setAnswer({ ...NOTHING, ...result, number: answer.number + 1 });
    if (action.startsWith(SESSION_ROUTES)) {
      leaveAccount(); // the next page shows the account of the new session
      notifyOtherTabs();
    }
    const target = new URL(result.responsePage || requestedPage(window.location.search, ownPage) || next, window.location.href);
    const isSamePage = target.hash && target.href.split("#")[0] === window.location.href.split("#")[0];
    leaveFor(target.href); // the form stays busy until the next page is open
    if (isSamePage) window.location.reload(); // another `#` of the same page does not load it
  };

  return (
    <Answer value={answer}>
      <form
        className={className}
        action={formAction}
        method="post"
        encType={hasFiles ? "multipart/form-data" : undefined}
        noValidate={!hasFiles}
        onSubmit={handleSubmit}
      >
        {children}
      </form>
    </Answer>
  );
}

// The result of a form. It focuses the first invalid field. After success, a form inside <details> is reset and closed;
// otherwise the typed values stay.
export function FormResult({ number, isGood, children }) {
  const box = useRef(null);
  const seen = useRef(number);

  useEffect(() => {
    if (number === seen.current) return;
    seen.current = number;
    if (!number) return; // another form was submitted
    const form = box.current.closest("form");
    const details = form.closest("details");
    if (!isGood) form.querySelector('[aria-invalid="true"]')?.focus();
    else if (details) {
      form.reset();
      details.open = false;
      details.querySelector("summary").focus();
    }
  }, [number]);

  return <div ref={box} role={isGood ? "status" : "alert"}>{children}</div>;
}

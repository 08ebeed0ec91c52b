// Forms of the account. Whatever changes the session goes by HTTP, as only an HTTP answer can set the cookie that no
// script reads; the page is then loaded anew, and its websocket opens with the cookie of that moment.

import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { listen, sayLost } from "./effects.jsx";
import { leaveFor } from "./leaving.js";
import { newId } from "./presses.js";
import { tellOtherTabs } from "./session.jsx";

// The token of a link from a mail stands behind the `#` of its address. It is taken out of there when this script is
// read, and so before the page tells the server its address: it is in no history, no log and no state, and lives as long
// as this page does.
const TOKEN = "trompo:token";
let token = "";

function takeToken() {
  const found = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (found === null) return;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  setToken(found);
}

function setToken(text) {
  token = text;
  window.dispatchEvent(new Event(TOKEN));
}

if (typeof window !== "undefined") {
  takeToken();
  window.addEventListener("popstate", takeToken, { capture: true }); // a second link, opened while the page is there
}

const subscribe = (tell) => listen(window, TOKEN, tell);
export const useHasToken = () => useSyncExternalStore(subscribe, () => token !== "", () => false);
export const dropToken = () => setToken("");

// The page of this shop that the address names to go on to; none for one that leads anywhere else.
function wantedPage(search, ownPage) {
  const wanted = new URLSearchParams(search).get("next") ?? "";
  return new RegExp(`^(?:${ownPage})$`).test(wanted) ? wanted : "";
}

// What keeps that page in an address. The document knows nothing of it, so it comes with the scripts.
export function useKeeping(ownPage) {
  const { search } = useLocation();
  const wanted = useSyncExternalStore(subscribe, () => wantedPage(search, ownPage), () => "");
  return wanted && `?next=${encodeURIComponent(wanted)}`;
}

const NOTHING = { number: 0, is_good: true, message: "", problems: {}, is_busy: false };
const Answer = createContext(NOTHING);
export const useAnswer = () => useContext(Answer);

const SESSION_ROUTES = "/auth/"; // no others sign anybody in or out

// A form that is sent by HTTP. Once all is well it leads to `next`, to the page that the address names or that the answer
// does, or `done` is said. What is wrong is told with `fields`, in a shopper's words; any other answer comes of what failed on
// the way, and `failed` is said. Without scripts the browser sends it to `formAction`, where that is answered with a page. One
// that `hasFiles` is sent as the browser would send it.
export function HttpForm({ action, formAction, next, done, offline, failed, ownPage, hasFiles, className, children }) {
  const [answer, setAnswer] = useState(NOTHING);
  const sending = useRef({ content: "", id: "" });

  // The server does a sending once: what is sent again because its answer was lost has the id that it had. The time of a
  // file that was not chosen is the present, and so no content.
  const idOf = (form) => {
    const content = JSON.stringify([...form].map(([name, value]) => (
      value instanceof File ? [name, value.name, value.size, value.size ? value.lastModified : 0] : [name, value])));
    if (content !== sending.current.content) sending.current = { content, id: newId() };
    return sending.current.id;
  };

  const sent = async (form) => {
    const headers = { accept: "application/json", "x-press": idOf(form) };
    let body = form;
    if (!hasFiles) {
      const values = Object.fromEntries(form);
      body = JSON.stringify(token ? { ...values, token } : values);
      headers["content-type"] = "application/json";
    }
    const response = await fetch(action, { method: "POST", headers, body, credentials: "same-origin" });
    const { message = "", fields, next: leads } = await response.json().catch(() => ({}));
    if (response.ok) sending.current = { content: "", id: "" }; // the same, pressed once more, is meant once more
    const said = response.ok ? done : fields ? message : failed;
    return { is_good: response.ok, message: said, problems: fields ?? {}, leads };
  };

  const submitted = async (event) => {
    event.preventDefault();
    if (answer.is_busy) return;
    setAnswer({ ...answer, is_busy: true });
    const said = await sent(new FormData(event.target)).catch(() => ({ is_good: false, message: offline, problems: {} }));
    if (!said.is_good && !said.message) sayLost(); // it has no place of its own for it
    if (!said.is_good || !next) return setAnswer({ ...NOTHING, ...said, number: answer.number + 1 });
    if (action.startsWith(SESSION_ROUTES)) tellOtherTabs();
    const target = new URL(said.leads || wantedPage(window.location.search, ownPage) || next, window.location.href);
    const isHere = target.hash && target.href.split("#")[0] === window.location.href.split("#")[0];
    leaveFor(target.href); // busy until that page is there
    if (isHere) window.location.reload(); // another place of the same page is no new page
  };

  return (
    <Answer value={answer}>
      <form
        className={className}
        action={formAction}
        method="post"
        encType={hasFiles ? "multipart/form-data" : undefined}
        noValidate={!hasFiles}
        onSubmit={submitted}
      >
        {children}
      </form>
    </Answer>
  );
}

// Where a form says what came of it, and where the focus goes then: to the first field that is wrong. A form that lies
// folded in its list folds up again when all is well; what was typed stays while it is not.
export function Answered({ number, isGood, children }) {
  const place = useRef(null);
  const seen = useRef(number);

  useEffect(() => {
    if (number === seen.current) return;
    seen.current = number;
    if (!number) return; // another form was sent
    const form = place.current.closest("form");
    const fold = form.closest("details");
    if (!isGood) form.querySelector('[aria-invalid="true"]')?.focus();
    else if (fold) {
      form.reset();
      fold.open = false;
      fold.querySelector("summary").focus();
    }
  }, [number]);

  return <div ref={place} role={isGood ? "status" : "alert"}>{children}</div>;
}

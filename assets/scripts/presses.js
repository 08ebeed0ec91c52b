// Presses: events that change something (`press` in storefront/state/handlers.py). Each has a random id, under which the
// server does it once, and is kept until the server has confirmed it: it is sent again over the next connection, and one
// of "every page" by the tab's next page, too. A copied tab copies its presses with their ids.
//
// Questions ("latest"): events of which a later one replaces an earlier one. The latest of each handler is kept until the
// server has confirmed it, and is asked again once the page shows what the next connection brought.

import { eventLoop } from "$/utils/context-registry";
import { RECONNECTED, whenShown } from "./reconnecting.js";

const KEY = "trompo_presses";
const ACCOUNT = "trompo_account"; // another value once somebody has signed in or out: see session.jsx
const MAX_PRESSES = 20;
const MAX_AGE_MS = 60 * 60 * 1000;

// Told to the window when a press was confirmed and what came of it is shown.
export const CONFIRMED = "trompo:confirmed";
// Told to the window when a press was dropped: nothing is known of it but that it was pressed.
export const LOST = "trompo:lost";

const questions = new Map(); // by handler: the latest that is not answered yet, and the path of its page
let ofThisPage = [];
let settling = 0; // confirmed, and what came of it is not shown yet

export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sayLost = () => setTimeout(() => window.dispatchEvent(new Event(LOST)));

function stored() {
  try {
    const list = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((press) => typeof press?.event?.press === "string") : [];
  } catch {
    return []; // somebody else's text under our name
  }
}

function store(list) {
  try {
    if (list.length) sessionStorage.setItem(KEY, JSON.stringify(list));
    else sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false; // the tab's storage is full
  }
}

// The newest presses; that an older one is dropped is said.
function newest(list) {
  if (list.length > MAX_PRESSES) sayLost();
  return list.slice(-MAX_PRESSES);
}

const all = () => [...stored(), ...ofThisPage].sort((one, other) => one.at - other.at);

// Keep those of `events` that are presses. `prepare`: adds the page's address to an event; `encode`: makes it one for JSON.
export function keepPresses(events, prepare, encode) {
  for (const event of events) {
    const { press } = event.event_actions ?? {};
    if (!press || event.press) continue;
    event.press = newId();
    if (press === "latest") {
      questions.set(event.name, { payload: event.payload, press: event.press, path: window.location.pathname });
      continue;
    }
    const { name, payload = {}, router_data } = encode(prepare(event));
    const kept = { event: { name, payload, router_data, press: event.press }, at: Date.now(), account: localStorage.getItem(ACCOUNT) };
    if (press === "every page" && store(newest([...stored(), kept]))) continue;
    ofThisPage = newest([...ofThisPage, kept]);
  }
  return events;
}

function askAgain() {
  for (const [name, { payload, press, path }] of questions) {
    if (path === window.location.pathname) eventLoop.addEvents([{ name, payload, press }]);
    else questions.delete(name); // the page that asked is not shown any more
  }
}
if (typeof window !== "undefined") window.addEventListener(RECONNECTED, askAgain);

// The presses to be sent with a new connection. `queued`: the events that are sent anyway, once it is there.
export function pressesToSend(queued) {
  const isStale = ({ at, account }) => Date.now() - at > MAX_AGE_MS || account !== localStorage.getItem(ACCOUNT);
  if (all().some(isStale)) {
    store(stored().filter((press) => !isStale(press)));
    ofThisPage = ofThisPage.filter((press) => !isStale(press));
    sayLost();
  }
  const waiting = new Set(queued.map((event) => event.press));
  return all().map((press) => press.event).filter((event) => !waiting.has(event.press));
}

// The server's word that a press was done or refused, or a question answered, or that it knows no such event (`is_unknown`).
export function confirm({ press, is_unknown }) {
  for (const [name, question] of questions) if (question.press === press) return questions.delete(name);
  const isOther = (kept) => kept.event.press !== press;
  const rest = stored();
  if (rest.some((kept) => !isOther(kept))) store(rest.filter(isOther));
  ofThisPage = ofThisPage.filter(isOther);
  if (is_unknown) sayLost();
  settling += 1;
  whenShown(() => {
    settling -= 1;
    window.dispatchEvent(new Event(CONFIRMED));
  });
}

// Whether the server has yet to confirm a press, or its answer has yet to be shown.
export const hasPresses = () => settling > 0 || ofThisPage.length > 0 || stored().length > 0;

// What was pressed and is not confirmed, of the handlers whose name ends so: what they were called with.
export const waitingPayloads = (handler) => stored().filter(({ event }) => event.name.endsWith(handler)).map(({ event }) => event.payload);

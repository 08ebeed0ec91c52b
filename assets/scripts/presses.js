// Presses: events that change something (`press` in storefront/state/handlers.py). Each has a random id, so that the server
// runs it only once. The browser stores a press until the server has confirmed it, and sends it again over the next
// connection; a press "of every page" is also sent again by the tab's next page. A duplicated tab has the same presses with
// the same ids.
//
// Questions ("latest"): events that only read, so a later one replaces an earlier one. Each handler's latest event is stored
// until the server has confirmed it, and is sent again once the page shows the updates of the next connection.

import { eventLoop } from "$/utils/context-registry";
import { RECONNECTED, runWhenShown } from "./reconnecting.js";

const PRESSES_KEY = "trompo_presses";
const ACCOUNT_KEY = "trompo_account"; // changes when the customer signs in or out: see session.jsx
const MAX_PRESSES = 20;
const MAX_AGE_MS = 60 * 60 * 1000;

// Window event: a press was confirmed and its result is displayed.
export const CONFIRMED = "trompo:confirmed";
// Window event: a press was dropped. Its result is unknown.
export const LOST = "trompo:lost";

const questions = new Map(); // by handler: the latest unanswered question, and the path of its page
let pagePresses = [];
let undisplayedCount = 0; // the number of confirmed presses whose results are not displayed yet

export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const reportLostPress = () => setTimeout(() => window.dispatchEvent(new Event(LOST)));

function readStored() {
  try {
    const list = JSON.parse(sessionStorage.getItem(PRESSES_KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((press) => typeof press?.event?.press === "string") : [];
  } catch {
    return []; // another script's text under our key
  }
}

function writeStored(list) {
  try {
    if (list.length) sessionStorage.setItem(PRESSES_KEY, JSON.stringify(list));
    else sessionStorage.removeItem(PRESSES_KEY);
    return true;
  } catch {
    return false; // the tab's storage is full
  }
}

// Return the newest presses. If an older one is dropped, report it.
function keepNewest(list) {
  if (list.length > MAX_PRESSES) reportLostPress();
  return list.slice(-MAX_PRESSES);
}

const listAll = () => [...readStored(), ...pagePresses].sort((one, other) => one.at - other.at);

// Store the events that are presses. `prepare` adds the page's address to an event; `encode` makes it serializable as
// JSON.
export function storePresses(events, prepare, encode) {
  for (const event of events) {
    const { press } = event.event_actions ?? {};
    if (!press || event.press) continue;
    event.press = newId();
    if (press === "latest") {
      questions.set(event.name, { payload: event.payload, press: event.press, path: window.location.pathname });
      continue;
    }
    const { name, payload = {}, router_data } = encode(prepare(event));
    const stored = { event: { name, payload, router_data, press: event.press }, at: Date.now(), account: localStorage.getItem(ACCOUNT_KEY) };
    if (press === "every page" && writeStored(keepNewest([...readStored(), stored]))) continue;
    pagePresses = keepNewest([...pagePresses, stored]);
  }
  return events;
}

function repeatQuestions() {
  for (const [name, { payload, press, path }] of questions) {
    if (path === window.location.pathname) eventLoop.addEvents([{ name, payload, press }]);
    else questions.delete(name); // the page with this question is no longer displayed
  }
}
if (typeof window !== "undefined") window.addEventListener(RECONNECTED, repeatQuestions);

// Return the stored presses to send over a new connection. `queued`: the events that will be sent anyway.
export function listPressesToSend(queued) {
  const isStale = ({ at, account }) => Date.now() - at > MAX_AGE_MS || account !== localStorage.getItem(ACCOUNT_KEY);
  if (listAll().some(isStale)) {
    writeStored(readStored().filter((press) => !isStale(press)));
    pagePresses = pagePresses.filter((press) => !isStale(press));
    reportLostPress();
  }
  const waiting = new Set(queued.map((event) => event.press));
  return listAll().map((press) => press.event).filter((event) => !waiting.has(event.press));
}

// Handle the server's confirmation that a press was done or refused, that a question was answered, or that the event
// does not exist (`is_unknown`).
export function confirm({ press, is_unknown }) {
  for (const [name, question] of questions) if (question.press === press) return questions.delete(name);
  const isOtherPress = (stored) => stored.event.press !== press;
  const rest = readStored();
  if (rest.some((stored) => !isOtherPress(stored))) writeStored(rest.filter(isOtherPress));
  pagePresses = pagePresses.filter(isOtherPress);
  if (is_unknown) reportLostPress();
  undisplayedCount += 1;
  runWhenShown(() => {
    undisplayedCount -= 1;
    window.dispatchEvent(new Event(CONFIRMED));
  });
}

// Return true if the server has not confirmed every press, or if a result is not displayed yet.
export const hasPendingPresses = () => undisplayedCount > 0 || pagePresses.length > 0 || readStored().length > 0;

// Return the payloads of the stored presses whose handler's name ends with `handler`.
export const getPendingPayloads = (handler) => readStored().filter(({ event }) => event.name.endsWith(handler)).map(({ event }) => event.payload);

// On a new connection the server says everything from the start: first what it still knows, which is nothing after a
// restart, then, piece by piece, what the page really shows. That is shown at once, when it is whole. Until then the page
// stays as it was, with all that is typed, opened and scrolled to in it.
//
// A server that has lost a page's state asks for the same over the connection there is, and sends back what it could not
// act upon: see `storefront/reflex_ext/state_loss.py`. That is sent again when the server knows the page, and what the shopper does
// meanwhile after it: everything is acted upon in the order in which it was done.

const LONGEST_MS = 15_000; // whoever waits for longer sees what there is, and loses what was typed
const IS_KNOWN = "is_hydrated_rx_state_"; // false in the first that the server says of a page that it knows, true in the last

// Have the manager of a Socket.IO client know at once that its engine was closed during the handshake: it listens for an
// error only, and would wait for its timeout of 20 seconds.
export function failEarlyClose(socket) {
  const manager = socket.io;
  const open = manager.open.bind(manager);
  manager.open = (opened) => {
    const before = manager.engine;
    open(opened);
    const { engine } = manager;
    const closed = (reason) => manager._readyState === "opening" && engine.emitReserved("error", new Error(reason));
    if (engine !== before) engine.once("close", closed);
    return manager;
  };
  return socket;
}

// Told to the window when a new connection has said everything. What was asked over the one before may be lost, and its
// answer, too: whoever still waits for one waits in vain.
export const RECONNECTED = "trompo:reconnected";

const reminders = new Set();
let held = null;
export let isNew = false; // whether what is held comes over a new connection
let missing = []; // the reminders that the server has yet to act upon
let isSaid = false;
let limit;
let queue = null; // while the server gets to know the page: what is to be sent then
let afterRelease = []; // calls that wait until what is held is shown
let saidAtFirst = null; // the numbers in the first that the server said to this document

// What is sent to the server in place of `event`: itself, what has the page begin anew, or nothing for now. `first`: makes
// the event that everything begins with. `send`: sends events.
export function inTurn(event, first, send) {
  if (event.name !== "_start_over") {
    if (!queue) return event;
    queue.meanwhile.push(event);
    return null;
  }
  const sentBack = event.payload.event ? [event.payload.event] : [];
  if (queue) {
    queue.sentBack.push(...sentBack); // it was on its way when the first came back
    return null;
  }
  queue = { sentBack, meanwhile: [], send, timer: setTimeout(sendQueue, LONGEST_MS) };
  startOver(false);
  return first();
}

function sendQueue() {
  if (!queue) return;
  const { sentBack, meanwhile, send, timer } = queue;
  clearTimeout(timer);
  queue = null;
  send([...sentBack, ...meanwhile]);
}

// What comes next is the beginning of everything, over a new connection unless told otherwise.
export function startOver(isNewConnection = true) {
  clearTimeout(limit);
  isNew ||= isNewConnection;
  [held, missing, isSaid] = [[], [], false];
}

// What the server has been told by this page alone, it may have forgotten: then it is told again. `isKnown` looks at what
// the server says of `state`.
export function remind(state, isKnown, tell) {
  const reminder = { isMissing: (delta) => !(state in delta && isKnown(delta[state])), tell };
  reminders.add(reminder);
  return () => reminders.delete(reminder);
}

// Call once what the server has said until now is shown.
export function whenShown(call) {
  if (held) afterRelease.push(call);
  else setTimeout(call);
}

// Whether the server said this number before it had heard of anything that was pressed in this document: it is the answer to
// something that was pressed in an earlier one, whose state the server still knows.
export const isOlder = (number) => Boolean(saidAtFirst?.has(number));

// Whether the number is that of an answer to what was pressed in this document; 0 is what a server says that has restarted
// and has answered nothing.
export const isAnswer = (number) => number !== 0 && !isOlder(number);

// Whether the server has said anything to this document: until then, what is pressed waits to be sent.
export const hasSpoken = () => saidAtFirst !== null;

const numbersIn = (delta) => {
  const values = Object.values(delta).flatMap(Object.values);
  return values.map((value) => value?.number ?? value).filter(Number.isInteger);
};

const apply = (delta, dispatch) => {
  for (const state in delta) dispatch[state](delta[state]);
};

// The office's states come with a script of its own (assets/scripts/office/shell.jsx): what the server says of them before
// that script is there waits for it.
let early = {};
export function keepEarly(delta, dispatch) {
  if (early) {
    for (const state in delta) if (!dispatch[state]) early[state] = { ...early[state], ...delta[state] };
  }
  return delta;
}

export function showEarly(dispatch) {
  const deltas = early;
  early = null;
  apply(deltas ?? {}, dispatch);
}

// `delta`: what changes, by state. `dispatch`: by state, what shows it. `root`: the state that says when all was said.
export function show(delta, dispatch, root) {
  saidAtFirst ??= new Set(numbersIn(delta));
  if (!held) return apply(delta, dispatch);

  const release = () => {
    clearTimeout(limit);
    const deltas = held;
    held = null;
    for (const one of deltas) apply(one, dispatch);
    const calls = afterRelease;
    afterRelease = [];
    if (isNew) calls.unshift(() => window.dispatchEvent(new Event(RECONNECTED)));
    isNew = false;
    for (const call of calls) setTimeout(call); // after what was said is shown
  };
  if (held.length) missing = missing.filter((reminder) => reminder.isMissing(delta));
  else {
    limit = setTimeout(release, LONGEST_MS);
    missing = [...reminders].filter((reminder) => reminder.isMissing(delta));
    missing.forEach((reminder) => reminder.tell());
  }
  held.push(delta);
  const isKnown = delta[root]?.[IS_KNOWN];
  if (isKnown !== undefined) sendQueue();
  isSaid ||= Boolean(isKnown);
  if (isSaid && !missing.length) release();
}

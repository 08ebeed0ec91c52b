// On a new connection the server sends the complete state again. First it sends the state that it still has (nothing after a
// restart), then, in several updates, the state of the open page. These updates are held and shown together when they are
// complete. Until then the page stays as it was, with all that is typed, opened and scrolled.
//
// A server that has lost a page's state requests the same over the existing connection, and sends back the event that it
// could not handle: see `storefront/reflex_ext/state_loss.py`. The event is sent again when the server has the page's state,
// and the shopper's later events after it, so all events are handled in their original order.

const MAX_HOLD_MS = 15_000; // after that, the incomplete state is shown and typed text may be lost
const IS_HYDRATED = "is_hydrated_rx_state_"; // false in the first update of a page whose state the server has, true in the last

// Report to the manager of a Socket.IO client that its engine was closed during the handshake. The manager only listens
// for an error, and would otherwise wait for its timeout of 20 seconds.
export function failEarlyClose(socket) {
  const manager = socket.io;
  const open = manager.open.bind(manager);
  manager.open = (opened) => {
    const before = manager.engine;
    open(opened);
    const { engine } = manager;
    const handleClose = (reason) => manager._readyState === "opening" && engine.emitReserved("error", new Error(reason));
    if (engine !== before) engine.once("close", handleClose);
    return manager;
  };
  return socket;
}

// Window event: a new connection has delivered the complete state. Requests over the previous connection may be lost,
// and so may their answers.
export const RECONNECTED = "trompo:reconnected";

const reminders = new Set();
let heldDeltas = null;
export let isReconnecting = false; // true if the held updates come over a new connection
let missing = []; // the reminders that the server has not handled yet
let isComplete = false;
let holdTimer;
let queue = null; // the events to send once the server has the page's state; null while it has it
let afterRelease = []; // calls to run after the held updates are shown
let firstNumbers = null; // the answer numbers in the first update of this document

// Return the event to send in place of `event`: the event itself, the event that starts the page over, or null if it
// must wait. `first` creates the event that starts over; `send` sends events.
export function scheduleEvent(event, first, send) {
  if (event.name !== "_start_over") {
    if (!queue) return event;
    queue.later.push(event);
    return null;
  }
  const sentBack = event.payload.event ? [event.payload.event] : [];
  if (queue) {
    queue.sentBack.push(...sentBack); // it was sent before the first one came back
    return null;
  }
  queue = { sentBack, later: [], send, timer: setTimeout(sendQueue, MAX_HOLD_MS) };
  startOver(false);
  return first();
}

function sendQueue() {
  if (!queue) return;
  const { sentBack, later, send, timer } = queue;
  clearTimeout(timer);
  queue = null;
  send([...sentBack, ...later]);
}

// Start to hold updates: the server sends the complete state next.
export function startOver(isNewConnection = true) {
  clearTimeout(holdTimer);
  isReconnecting ||= isNewConnection;
  [heldDeltas, missing, isComplete] = [[], [], false];
}

// Call `resend` when the server may have forgotten data that only this page has sent. `isKnown` checks the server's
// update of `state` for that data.
export function resendIfForgotten(state, isKnown, resend) {
  const reminder = { isMissing: (delta) => !(state in delta && isKnown(delta[state])), resend };
  reminders.add(reminder);
  return () => reminders.delete(reminder);
}

// Call a function once the current updates are shown.
export function runWhenShown(call) {
  if (heldDeltas) afterRelease.push(call);
  else setTimeout(call);
}

// Return true if the server sent this number before it received any press of this document. It then answers a press of
// an earlier document, whose state the server still has.
export const isEarlierAnswer = (number) => Boolean(firstNumbers?.has(number));

// Return true if the number belongs to an answer to a press of this document. 0 is the number of a restarted server,
// which has answered nothing.
export const isNewAnswer = (number) => number !== 0 && !isEarlierAnswer(number);

// Return true if this document has received an update. Until then, presses wait to be sent.
export const hasReceivedUpdate = () => firstNumbers !== null;

const listNumbers = (delta) => {
  const values = Object.values(delta).flatMap(Object.values);
  return values.map((value) => value?.number ?? value).filter(Number.isInteger);
};

const apply = (delta, dispatch) => {
  for (const state in delta) dispatch[state](delta[state]);
};

// A separate script adds the office's states (assets/scripts/office/shell.jsx). Updates of these states are stored until
// that script has loaded.
let earlyDeltas = {};
export function storeEarlyDeltas(delta, dispatch) {
  if (earlyDeltas) {
    for (const state in delta) if (!dispatch[state]) earlyDeltas[state] = { ...earlyDeltas[state], ...delta[state] };
  }
  return delta;
}

export function applyEarlyDeltas(dispatch) {
  const deltas = earlyDeltas;
  earlyDeltas = null;
  apply(deltas ?? {}, dispatch);
}

// Show an update, or hold it until the state is complete. `delta`: the changes by state. `dispatch`: by state, the
// function that shows changes. `root`: the state that reports when everything was sent.
export function showDelta(delta, dispatch, root) {
  firstNumbers ??= new Set(listNumbers(delta));
  if (!heldDeltas) return apply(delta, dispatch);

  const release = () => {
    clearTimeout(holdTimer);
    const deltas = heldDeltas;
    heldDeltas = null;
    for (const heldDelta of deltas) apply(heldDelta, dispatch);
    const calls = afterRelease;
    afterRelease = [];
    if (isReconnecting) calls.unshift(() => window.dispatchEvent(new Event(RECONNECTED)));
    isReconnecting = false;
    for (const call of calls) setTimeout(call); // after the update is shown
  };
  if (heldDeltas.length) missing = missing.filter((reminder) => reminder.isMissing(delta));
  else {
    holdTimer = setTimeout(release, MAX_HOLD_MS);
    missing = [...reminders].filter((reminder) => reminder.isMissing(delta));
    missing.forEach((reminder) => reminder.resend());
  }
  heldDeltas.push(delta);
  const isHydrated = delta[root]?.[IS_HYDRATED];
  if (isHydrated !== undefined) sendQueue();
  isComplete ||= Boolean(isHydrated);
  if (isComplete && !missing.length) release();
}

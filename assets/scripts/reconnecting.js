// On a new connection the server says everything from the start: first what it still knows, which is nothing after a
// restart, then, piece by piece, what the page really shows. That is shown at once, when it is whole. Until then the page
// stays as it was, with all that is typed, opened and scrolled to in it.
//
// A server that has lost a page's state asks for the same over the connection there is: see `storefront/state/lost.py`.

const LONGEST_MS = 5000; // whoever waits for longer sees what there is

const reminders = new Set();
let held = null;
let missing = []; // the reminders that the server has yet to act upon
let isSaid = false;
let limit;

// What comes next is the beginning of everything.
export function startOver() {
  clearTimeout(limit);
  [held, missing, isSaid] = [[], [], false];
}

// What the server has been told by this page alone, it may have forgotten: then it is told again. `isKnown` looks at what
// the server says of `state`.
export function remind(state, isKnown, tell) {
  const reminder = { isMissing: (delta) => !(state in delta && isKnown(delta[state])), tell };
  reminders.add(reminder);
  return () => reminders.delete(reminder);
}

const apply = (delta, dispatch) => {
  for (const state in delta) dispatch[state](delta[state]);
};

// `delta`: what changes, by state. `dispatch`: by state, what shows it. `root`: the state that says when all was said.
export function show(delta, dispatch, root) {
  if (!held) return apply(delta, dispatch);

  const release = () => {
    clearTimeout(limit);
    const deltas = held;
    held = null;
    for (const one of deltas) apply(one, dispatch);
  };
  if (held.length) missing = missing.filter((reminder) => reminder.isMissing(delta));
  else {
    limit = setTimeout(release, LONGEST_MS);
    missing = [...reminders].filter((reminder) => reminder.isMissing(delta));
    missing.forEach((reminder) => reminder.tell());
  }
  held.push(delta);
  isSaid ||= Boolean(delta[root]?.is_hydrated_rx_state_);
  if (isSaid && !missing.length) release();
}

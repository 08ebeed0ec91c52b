// The wishlist: product handles in this browser's local storage. It works without the server and in all tabs; the server
// provides the current data of its products and, for a customer who is signed in, merges it with the account's wishlist.
//
// Each change is stored with its moment until the account has it. The account's answer is then the list, together with
// the changes made since. After the session, only those products stay that were in the list before it.

import { useEffect } from "react";
import { listen } from "./effects.jsx";
import { newId } from "./presses.js";
import { createStoredList } from "./stored_list.jsx";
import { createStoredValue } from "./stored_value.js";
import { resendIfForgotten } from "./reconnecting.js";

const MAX_WISHES = 200;
const MAX_CHANGES = 2 * MAX_WISHES;
const CHANGED = "trompo:wish"; // window event: this tab has changed the list
const { read, write, useList } = createStoredList("trompo_wishlist", MAX_WISHES);

const isChange = ([, change]) => typeof change?.isSaved === "boolean" && Number.isFinite(change.at);

// The changes that the account does not have yet, by handle: `isSaved` and the moment `at`.
const { read: readChanges, write: storeChanges } = createStoredValue("trompo_wishlist_changes", (changes) =>
  Object.fromEntries(Object.entries(changes ?? {}).filter(isChange)));

function writeChanges(changes) {
  const newest = Object.entries(changes).sort(([, one], [, other]) => other.at - one.at).slice(0, MAX_CHANGES);
  storeChanges(Object.fromEntries(newest));
}

// The account whose products the list had last (`key`; undefined if none). `guest`: the handles that the list had before
// this session; null after it.
const { read: readAccount, write: writeAccount } = createStoredValue("trompo_wishlist_account", (account) =>
  ({ key: account?.key, guest: Array.isArray(account?.guest) ? account.guest : null }));

// Store a list that the shopper has changed.
function change(list, handles, isSaved) {
  const at = Date.now();
  writeChanges({ ...readChanges(), ...Object.fromEntries(handles.map((handle) => [handle, { isSaved, at }])) });
  const { key, guest } = readAccount();
  if (guest) writeAccount({ key, guest: guest.filter((handle) => !handles.includes(handle)) });
  write(list);
  window.dispatchEvent(new Event(CHANGED));
}

const removeAll = (handles) => change(read().filter((item) => !handles.includes(item)), handles, false);

const toggle = (handle) => {
  const list = read();
  if (list.includes(handle)) removeAll([handle]);
  else change([handle, ...list], [handle], true);
};

// Show the account's products: `handles`, and the changes that they do not contain. `sent`: the changes that they contain.
function showAccount(account, handles, sent) {
  let { key, guest } = readAccount();
  if (guest && key !== account) {
    leaveAccount();
    guest = null;
  }
  const list = read();
  const changes = readChanges();
  if (!guest) {
    // without an account before, the whole list is merged; otherwise the earlier account has its unchanged products
    if (key === undefined) for (const handle of list) changes[handle] ??= { isSaved: true, at: 0 };
    guest = [...new Set([...list, ...Object.keys(changes)])];
    writeAccount({ key: account, guest });
  }
  for (const [handle, { at }] of Object.entries(sent)) if (changes[handle]?.at === at) delete changes[handle];
  writeChanges(changes);
  const added = list.filter((handle) => changes[handle]?.isSaved && !handles.includes(handle));
  write([...added, ...handles.filter((handle) => changes[handle]?.isSaved ?? true)]);
}

// Forget the account's products and changes, because its session has ended.
export function leaveAccount() {
  const { key, guest } = readAccount();
  if (!guest) return;
  const changes = Object.entries(readChanges()).filter(([handle]) => guest.includes(handle));
  writeAccount({ key, guest: null });
  writeChanges(Object.fromEntries(changes));
  write(read().filter((handle) => guest.includes(handle)));
}

const sentBatches = new Map(); // the changes that were sent, by the id of their batch

// Reports the changes to the account, and shows its answer. `isKnown`: it is known whether a customer is signed in;
// `account` is empty if none is.
export function WishlistSync({ isKnown, account, handles, batch, number, onChanges }) {
  const report = () => {
    const changes = readChanges();
    // a tab that still shows an earlier session does not report the changes of the next one
    if (!Object.keys(changes).length || readAccount().key !== account) return;
    const id = newId();
    sentBatches.set(id, changes);
    onChanges(Object.entries(changes).map(([handle, { isSaved, at }]) => [handle, isSaved, Math.round(Date.now() - at)]), id);
  };

  useEffect(() => {
    if (!isKnown) return;
    if (!account) return leaveAccount();
    showAccount(account, handles, sentBatches.get(batch) ?? {});
    sentBatches.delete(batch);
    report();
  }, [isKnown, account, number]);

  useEffect(() => account ? listen(window, CHANGED, report) : undefined, [account]);
  return null;
}

// The wishlist. Changes are shown immediately and need no answer. `gone`: handles of products that are no longer sold.
export function useWishes() {
  const list = useList();
  const listWithout = (gone) => list.filter((handle) => !gone.includes(handle));
  return {
    count: list.length,
    count_without: (gone) => listWithout(gone).length,
    has: (handle) => list.includes(handle),
    heart: (handle) => ({ "aria-pressed": list.includes(handle), onClick: () => toggle(handle) }),
    remove: (gone) => ({ onClick: () => removeAll(gone) }),
  };
}

// Sends the handles to the server when it does not know them yet. `moved` maps old handles to new ones; an old handle is
// replaced in the list.
export function WishlistLoader({ state, moved, onWishes }) {
  const list = useList();
  useEffect(() => {
    const getCurrentHandle = (handle) => (Object.hasOwn(moved, handle) ? moved[handle] : handle);
    if (list.some((handle) => getCurrentHandle(handle) !== handle)) write(list.map(getCurrentHandle));
  }, [list, moved]);
  useEffect(() => {
    onWishes(list);
    return resendIfForgotten(state, (known) => known.is_loaded_rx_state_, () => onWishes(list));
  }, [list]);
  return null;
}

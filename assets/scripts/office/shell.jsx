// The wrapper of every screen of the office: its states, styles and keyboard shortcuts. The shop's pages do not load it.
//
//   /        the screen's own search, or the office's        j k   the next and the previous row of the list
//   Ctrl+K   the office's search                             Enter opens the focused row
//   Escape   closes an open panel or leaves a search; the focus returns to its previous element

import "$/public/styles/office/index.css";
import "$/utils/context"; // registers the app before this module adds to it
import { app } from "$/utils/context-registry";
import { officeStates } from "$/utils/office_states";
import { applyEarlyDeltas } from "$/public/scripts/reconnecting.js";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation, useNavigationType } from "react-router";

// The pages are compiled without the office's states (storefront/reflex_ext/on_demand_states.py): this script adds them.
Object.assign(app.initialState, officeStates);
app.store?.mergeInitialState(officeStates);
applyEarlyDeltas(app.store?.dispatchers);

const OFFICE_SEARCH = '[data-testid="office-search"]';
const SCREEN_SEARCH = "[data-screen-search]";
const ROW = "[data-row]";
const TEXT_INPUT = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable="true"]';

const isVisible = (element) => element.getClientRects().length > 0;
const findFocusTarget = (row) => row.querySelector("[data-opens-row]") ?? row.querySelector("a, button, summary") ?? row;

function moveFocus(step) {
  const rows = [...document.querySelectorAll(ROW)].filter(isVisible);
  if (!rows.length) return;
  const index = rows.indexOf(document.activeElement?.closest?.(ROW));
  const next = index < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, index + step));
  findFocusTarget(rows[next]).focus();
  rows[next].scrollIntoView({ block: "nearest" });
}

function useShortcuts() {
  const previousFocus = useRef(null);
  useEffect(() => {
    const search = (selector) => {
      const field = document.querySelector(selector);
      if (!field || field === document.activeElement) return;
      previousFocus.current = document.activeElement;
      field.focus();
      field.select?.();
    };
    const handleKeyDown = (event) => {
      if (event.defaultPrevented || event.isComposing) return;
      const { key } = event;
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
        event.preventDefault();
        return search(OFFICE_SEARCH);
      }
      if (key === "Escape" && event.target.matches?.(`${OFFICE_SEARCH}, ${SCREEN_SEARCH}`)) {
        const back = previousFocus.current?.isConnected ? previousFocus.current : document.getElementById("contenido");
        return back?.focus({ preventScroll: true });
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.matches?.(TEXT_INPUT) || document.querySelector("dialog[open]")) return;
      if (key === "/") {
        event.preventDefault();
        search(document.querySelector(SCREEN_SEARCH) ? SCREEN_SEARCH : OFFICE_SEARCH);
      } else if (key === "j") moveFocus(1);
      else if (key === "k") moveFocus(-1);
    };
    document.addEventListener("keydown", handleKeyDown);
    return () => document.removeEventListener("keydown", handleKeyDown);
  }, []);
}

// After a return to a list, the row that was opened has the focus.
const openedRows = new Map();

function useFocusOnReturn() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  useEffect(() => {
    const remember = (event) => {
      const row = event.target.closest?.(`${ROW}[id]`);
      if (row) openedRows.set(pathname, row.id);
    };
    document.addEventListener("click", remember, true);
    return () => document.removeEventListener("click", remember, true);
  }, [pathname]);
  useEffect(() => {
    const id = type === "POP" && openedRows.get(pathname);
    if (!id) return;
    openedRows.delete(pathname);
    const focusRow = () => {
      const row = document.getElementById(id);
      if (row) findFocusTarget(row).focus();
      return Boolean(row);
    };
    if (focusRow()) return;
    const watcher = new MutationObserver(() => focusRow() && watcher.disconnect());
    watcher.observe(document.body, { childList: true, subtree: true });
    const timer = setTimeout(() => watcher.disconnect(), 5000);
    return () => {
      clearTimeout(timer);
      watcher.disconnect();
    };
  }, [pathname, type]);
}

// A browser that signs out gets no more push messages. The shop removes the subscriptions of the session that ends;
// this also ends one that was added in an earlier session.
const LEAVE = '[data-testid^="office-leave"]';

async function endPushSubscription() {
  const registration = await navigator.serviceWorker?.getRegistration("/sw.js");
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

function useSignOut() {
  useEffect(() => {
    const handleClick = (event) => {
      if (event.target.closest?.(LEAVE)) endPushSubscription().catch(() => {});
    };
    document.addEventListener("click", handleClick, true);
    return () => document.removeEventListener("click", handleClick, true);
  }, []);
}

const subscribe = (notify) => {
  window.addEventListener("online", notify);
  window.addEventListener("offline", notify);
  return () => {
    window.removeEventListener("online", notify);
    window.removeEventListener("offline", notify);
  };
};
export const useIsOffline = () => useSyncExternalStore(subscribe, () => !navigator.onLine, () => false);

export function OfficeShell({ className, children }) {
  useShortcuts();
  useFocusOnReturn();
  useSignOut();
  return <div className={className}>{children}</div>;
}

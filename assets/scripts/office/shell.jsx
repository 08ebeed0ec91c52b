// Around every screen of the office: its states, its styles and its keys. The shop's pages load nothing of this.
//
//   /        the screen's own search, or the office's        j k   the next and the previous row of the list
//   Ctrl+K   the office's search: go anywhere                Enter the row that has the focus
//   Escape   closes what is open, leaves a search; the focus returns to where it was

import "$/public/styles/office/index.css";
import "$/utils/context"; // which registers the app before this module adds to it
import { app } from "$/utils/context-registry";
import { officeStates } from "$/utils/office_states";
import { showEarly } from "$/public/scripts/reconnecting.js";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation, useNavigationType } from "react-router";

// The pages are compiled without the office's states (storefront/reflex_ext/on_demand_states.py): this script brings them along.
Object.assign(app.initialState, officeStates);
app.store?.mergeInitialState(officeStates);
showEarly(app.store?.dispatchers);

const EVERYWHERE = '[data-testid="office-search"]';
const HERE = "[data-screen-search]";
const ROW = "[data-row]";
const TYPED_IN = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable="true"]';

const isSeen = (element) => element.getClientRects().length > 0;
const target = (row) => row.querySelector("[data-opens-row]") ?? row.querySelector("a, button, summary") ?? row;

function move(step) {
  const rows = [...document.querySelectorAll(ROW)].filter(isSeen);
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement?.closest?.(ROW));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  target(rows[next]).focus();
  rows[next].scrollIntoView({ block: "nearest" });
}

function useKeys() {
  const before = useRef(null);
  useEffect(() => {
    const search = (selector) => {
      const field = document.querySelector(selector);
      if (!field || field === document.activeElement) return;
      before.current = document.activeElement;
      field.focus();
      field.select?.();
    };
    const pressed = (event) => {
      if (event.defaultPrevented || event.isComposing) return;
      const { key } = event;
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
        event.preventDefault();
        return search(EVERYWHERE);
      }
      if (key === "Escape" && event.target.matches?.(`${EVERYWHERE}, ${HERE}`)) {
        const back = before.current?.isConnected ? before.current : document.getElementById("contenido");
        return back?.focus({ preventScroll: true });
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.matches?.(TYPED_IN) || document.querySelector("dialog[open]")) return;
      if (key === "/") {
        event.preventDefault();
        search(document.querySelector(HERE) ? HERE : EVERYWHERE);
      } else if (key === "j") move(1);
      else if (key === "k") move(-1);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

// Whoever comes back to a list finds the focus on the row that they had opened.
const opened = new Map();

function useReturn() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  useEffect(() => {
    const remember = (event) => {
      const row = event.target.closest?.(`${ROW}[id]`);
      if (row) opened.set(pathname, row.id);
    };
    document.addEventListener("click", remember, true);
    return () => document.removeEventListener("click", remember, true);
  }, [pathname]);
  useEffect(() => {
    const id = type === "POP" && opened.get(pathname);
    if (!id) return;
    opened.delete(pathname);
    const focus = () => {
      const row = document.getElementById(id);
      if (row) target(row).focus();
      return Boolean(row);
    };
    if (focus()) return;
    const watcher = new MutationObserver(() => focus() && watcher.disconnect());
    watcher.observe(document.body, { childList: true, subtree: true });
    const limit = setTimeout(() => watcher.disconnect(), 5000);
    return () => {
      clearTimeout(limit);
      watcher.disconnect();
    };
  }, [pathname, type]);
}

const subscribe = (tell) => {
  window.addEventListener("online", tell);
  window.addEventListener("offline", tell);
  return () => {
    window.removeEventListener("online", tell);
    window.removeEventListener("offline", tell);
  };
};
export const useIsOffline = () => useSyncExternalStore(subscribe, () => !navigator.onLine, () => false);

export function OfficeShell({ className, children }) {
  useKeys();
  useReturn();
  return <div className={className}>{children}</div>;
}

// Every tab of this browser knows when somebody signs in or out in one of them. A page that was opened with another
// session's cookie is loaded anew: what it showed is no longer anybody's here.

import { useEffect } from "react";

const CHANGED = "trompo_account";
const AWAY = "trompo_google"; // this tab is at Google's page, and may come back signed in

const kept = (storage, work) => {
  try {
    return work(storage());
  } catch {
    return null; // no storage, no other tab that could listen
  }
};

export const tellOtherTabs = () => kept(() => localStorage, (storage) => storage.setItem(CHANGED, String(Date.now())));

export const leaveForGoogle = () => kept(() => sessionStorage, (storage) => storage.setItem(AWAY, "yes"));

const cameBack = () =>
  kept(() => sessionStorage, (storage) => {
    const wasAway = storage.getItem(AWAY) !== null;
    storage.removeItem(AWAY);
    return wasAway;
  });

export function SessionWatch() {
  useEffect(() => {
    if (cameBack()) tellOtherTabs();
    const changed = (event) => event.key === CHANGED && window.location.reload();
    window.addEventListener("storage", changed);
    return () => window.removeEventListener("storage", changed);
  }, []);
  return null;
}

// When a customer signs in or out in one tab, all tabs of this browser are notified. A page that was opened with another
// session's cookie reloads, as it must no longer show that session's data.

import { useEffect } from "react";
import { listen } from "./effects.jsx";

const CHANGED_KEY = "trompo_account";
const HANDLED_KEY = "trompo_account_heard"; // the last change that this tab has handled
const AT_GOOGLE_KEY = "trompo_google"; // this tab is at Google's page and may return signed in

export function notifyOtherTabs() {
  const moment = String(Date.now());
  sessionStorage.setItem(HANDLED_KEY, moment);
  localStorage.setItem(CHANGED_KEY, moment);
}

// Reload once for each change, independent of the clock.
function reloadOnce(moment) {
  if (!moment || moment === sessionStorage.getItem(HANDLED_KEY)) return;
  sessionStorage.setItem(HANDLED_KEY, moment);
  window.location.reload();
}

export const leaveForGoogle = () => sessionStorage.setItem(AT_GOOGLE_KEY, "yes");

export function SessionWatch() {
  useEffect(() => {
    if (sessionStorage.getItem(AT_GOOGLE_KEY) !== null) notifyOtherTabs();
    sessionStorage.removeItem(AT_GOOGLE_KEY);
    const changed = localStorage.getItem(CHANGED_KEY);
    if (Number(changed) > performance.timeOrigin) reloadOnce(changed); // the session changed while this page was loading
    return listen(window, "storage", (event) => event.key === CHANGED_KEY && reloadOnce(event.newValue));
  }, []);
  // The Back button can restore this page with the data of an earlier session: reload it then.
  useEffect(() => {
    const known = localStorage.getItem(CHANGED_KEY);
    const handlePageShow = ({ persisted }) => persisted && localStorage.getItem(CHANGED_KEY) !== known && window.location.reload();
    return listen(window, "pageshow", handlePageShow);
  }, []);
  return null;
}

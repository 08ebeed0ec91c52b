// Every tab of this browser knows when somebody signs in or out in one of them. A page that was opened with another
// session's cookie is loaded anew: what it showed is no longer anybody's here.

import { useEffect } from "react";
import { listen } from "./effects.jsx";

const CHANGED = "trompo_account";
const HEARD = "trompo_account_heard"; // the last change that this tab knows of
const AWAY = "trompo_google"; // this tab is at Google's page, and may come back signed in

export function tellOtherTabs() {
  const moment = String(Date.now());
  sessionStorage.setItem(HEARD, moment);
  localStorage.setItem(CHANGED, moment);
}

// Once for each change, whatever the clock says.
function reload(moment) {
  if (!moment || moment === sessionStorage.getItem(HEARD)) return;
  sessionStorage.setItem(HEARD, moment);
  window.location.reload();
}

export const leaveForGoogle = () => sessionStorage.setItem(AWAY, "yes");

export function SessionWatch() {
  useEffect(() => {
    if (sessionStorage.getItem(AWAY) !== null) tellOtherTabs();
    sessionStorage.removeItem(AWAY);
    const changed = localStorage.getItem(CHANGED);
    if (Number(changed) > performance.timeOrigin) reload(changed); // while this page was on its way
    return listen(window, "storage", (event) => event.key === CHANGED && reload(event.newValue));
  }, []);
  return null;
}

// Every tab of this browser knows when somebody signs in or out in one of them. A page that was opened with another
// session's cookie is loaded anew: what it showed is no longer anybody's here.

import { useEffect } from "react";
import { listen } from "./effects.jsx";

const CHANGED = "trompo_account";
const AWAY = "trompo_google"; // this tab is at Google's page, and may come back signed in

export const tellOtherTabs = () => localStorage.setItem(CHANGED, String(Date.now()));

export const leaveForGoogle = () => sessionStorage.setItem(AWAY, "yes");

export function SessionWatch() {
  useEffect(() => {
    if (sessionStorage.getItem(AWAY) !== null) tellOtherTabs();
    sessionStorage.removeItem(AWAY);
    return listen(window, "storage", (event) => event.key === CHANGED && window.location.reload());
  }, []);
  return null;
}

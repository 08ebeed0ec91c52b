// A browser without a network: the shop reports it immediately and keeps the page open. Presses wait for the connection.
// Links and searches are blocked, as they would open the browser's own error page.

import { useEffect, useSyncExternalStore } from "react";
import { listen, reportLostPress } from "./effects.jsx";

const subscribeToNetwork = (notify) => listen(window, "online offline", notify);
const isOffline = () => !navigator.onLine;

const isOtherPage = (url) => url.origin === location.origin && url.pathname + url.search !== location.pathname + location.search;

const block = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  reportLostPress();
};

const handleClick = (event) => {
  const link = event.target.closest?.("a[href]");
  if (isOffline() && link && !link.dataset.opens && isOtherPage(new URL(link.href))) block(event);
};

const handleSubmit = (event) => {
  if (isOffline() && event.target.hasAttribute("action")) block(event);
};

export function useIsOffline() {
  useEffect(() => listen(window, "click", handleClick, true), []);
  useEffect(() => listen(window, "submit", handleSubmit, true), []);
  return useSyncExternalStore(subscribeToNetwork, isOffline, () => false);
}

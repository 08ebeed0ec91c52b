// A browser without a network: the shop says so at once, and keeps the page. What is pressed waits for the connection;
// a link or a search would leave for the browser's own error page, so it is not followed.

import { useEffect, useSyncExternalStore } from "react";
import { listen, sayLost } from "./effects.jsx";

const subscribe = (tell) => listen(window, "online offline", tell);
const isOffline = () => !navigator.onLine;

const leaves = (url) => url.origin === location.origin && url.pathname + url.search !== location.pathname + location.search;

const keep = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  sayLost();
};

const pressed = (event) => {
  const link = event.target.closest?.("a[href]");
  if (isOffline() && link && !link.dataset.opens && leaves(new URL(link.href))) keep(event);
};

const submitted = (event) => {
  if (isOffline() && event.target.hasAttribute("action")) keep(event);
};

export function useIsOffline() {
  useEffect(() => listen(window, "click", pressed, true), []);
  useEffect(() => listen(window, "submit", submitted, true), []);
  return useSyncExternalStore(subscribe, isOffline, () => false);
}

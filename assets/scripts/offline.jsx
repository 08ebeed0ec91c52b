// A browser without a network: the shop reports it immediately and keeps the page open. Presses wait for the connection.
// Links and searches are blocked, as they would open an error page. If a document cannot be loaded, the service worker
// shows a page of the shop (storefront/documents/service_worker.py).

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

const registerWorker = () => {
  const isInOffice = location.pathname.split("/")[1] === "oficina";
  if (import.meta.env.PROD && !isInOffice) navigator.serviceWorker?.register("/sw.js").catch(() => {});
};

const registerWorkerAfterLoad = () => {
  if (document.readyState !== "complete") return listen(window, "load", registerWorker);
  registerWorker();
};

export function useIsOffline() {
  useEffect(registerWorkerAfterLoad, []);
  useEffect(() => listen(window, "click", handleClick, true), []);
  useEffect(() => listen(window, "submit", handleSubmit, true), []);
  return useSyncExternalStore(subscribeToNetwork, isOffline, () => false);
}

// The target of a navigation that a click or a form has started. A page of an earlier version is reloaded when it is
// notified of the new version. If a navigation has just started, the reload would cancel it, so the page opens its
// target instead.

const MAX_LEAVE_MS = 10_000; // a page that is still open after that did not navigate

let target = null; // the address that the page is navigating to

const setTarget = (href) => {
  target = { href, at: Date.now() };
};

// Navigate to another address, as `location.assign` does.
export function leaveFor(href) {
  setTarget(new URL(href, window.location.href).href);
  window.location.assign(href);
}

// Reload the page, or continue the navigation that has just started.
export function reload() {
  const isLeaving = target && Date.now() - target.at < MAX_LEAVE_MS && target.href !== window.location.href;
  if (isLeaving) window.location.assign(target.href);
  else window.location.reload();
}

const handleClick = (event) => {
  const link = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || link.target || link.hasAttribute("download") || link.dataset.opens) return;
  if (/^https?:$/.test(link.protocol)) setTarget(link.href);
};

const handleSubmit = (event) => {
  const form = event.target;
  if (!form.hasAttribute("action") || form.method !== "get" || form.target) return;
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form, event.submitter)).toString();
  setTarget(address.href);
};

if (typeof window !== "undefined") {
  window.addEventListener("click", handleClick, true);
  window.addEventListener("submit", handleSubmit, true);
}

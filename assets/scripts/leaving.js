// Where a press leads. A page of an earlier version is loaded anew when it hears of the new one: then it goes where the
// shopper has just asked to go, which that would otherwise have stopped.

const WAITS_MS = 10_000; // whoever is still here after that did not leave

let target = null; // where the page is going

const leadTo = (href) => {
  target = { href, at: Date.now() };
};

// Leave for another address, as `location.assign` does.
export function leaveFor(href) {
  leadTo(new URL(href, window.location.href).href);
  window.location.assign(href);
}

// Load the page anew, or the one that it is just leaving for.
export function reload() {
  const isLeaving = target && Date.now() - target.at < WAITS_MS && target.href !== window.location.href;
  if (isLeaving) window.location.assign(target.href);
  else window.location.reload();
}

const followed = (event) => {
  const link = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || link.target || link.hasAttribute("download") || link.dataset.opens) return;
  if (/^https?:$/.test(link.protocol)) leadTo(link.href);
};

const submitted = (event) => {
  const form = event.target;
  if (!form.hasAttribute("action") || form.method !== "get" || form.target) return;
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form, event.submitter)).toString();
  leadTo(address.href);
};

if (typeof window !== "undefined") {
  window.addEventListener("click", followed, true);
  window.addEventListener("submit", submitted, true);
}

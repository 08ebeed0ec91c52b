// Shows the shop's own page if a document cannot be loaded without a network. Documents always come from the network:
// nothing is cached, so an old worker cannot show an old build. The server writes BUILD, OFFLINE_PAGE,
// OFFLINE_HEADERS and UNHANDLED before this text: see `storefront/documents/service_worker.py`.

const isHandled = ({ method, mode, url }) =>
  method === "GET" && mode === "navigate" && !UNHANDLED.includes(new URL(url).pathname.split("/")[1]);

const load = async ({ request, preloadResponse }) => {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return new Response(OFFLINE_PAGE, { status: 503, headers: OFFLINE_HEADERS });
  }
};

const activate = async () => {
  await registration.navigationPreload?.enable(); // the request does not wait until this worker has started
  await Promise.all((await caches.keys()).map((name) => caches.delete(name))); // of any other worker
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => isHandled(event.request) && event.respondWith(load(event)));

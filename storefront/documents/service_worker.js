// Shows the shop's own page if a document cannot be loaded without a network. Documents always come from the network:
// nothing is cached, so an old worker cannot show an old build. The server writes BUILD, OFFLINE_PAGE,
// OFFLINE_HEADERS, ICON and UNHANDLED before this text: see `storefront/documents/service_worker.py`.

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
  await Promise.all((await caches.keys()).map((name) => caches.delete(name))); // left by other workers
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => isHandled(event.request) && event.respondWith(load(event)));

// Notices to staff: see `backend/staff_notices/push`. A message with the tag of another one replaces it.

const showNotice = ({ title, body, path, action, picture, tag }) =>
  registration.showNotification(title, {
    body,
    tag,
    icon: ICON,
    image: picture || undefined,
    data: { path },
    actions: [{ action: "open", title: action }],
  });

const openNotice = ({ notification }) => {
  notification.close();
  const { href, origin } = new URL(notification.data.path, location.origin);
  return origin === location.origin && clients.openWindow(href);
};

addEventListener("push", (event) => event.waitUntil(showNotice(event.data.json())));
addEventListener("notificationclick", (event) => event.waitUntil(openNotice(event)));

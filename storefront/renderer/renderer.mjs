// Draws the pages of a build, one document after the other: `node renderer.mjs <build/server/index.js> <descriptor>`.
// It is asked over the socket that the descriptor names, and ends when that is closed.
//
//   asked     number (4 bytes) · length (4 bytes) · address, newline, seed (JSON)
//   answers   number (4 bytes) · memory in KiB (4 bytes) · length (4 bytes) · HTML; nothing when it could not be drawn
//
// The build is Reflex's own, made for pages without a server; told that it has one, it draws with what `utils/context.jsx`
// finds in `globalThis.documentSeed`: see storefront/plugins/seed.py.

import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const ASKED_HEADER = 8;
const ANSWER_HEADER = 12;

const requests = (globalThis.documentSeed = new AsyncLocalStorage());

const [, , buildFile, descriptor] = process.argv;
const { resolve } = createRequire(buildFile); // React and the router must be the very modules that the build uses
const load = (name) => import(pathToFileURL(resolve(name)));
const [build, { createRequestHandler, ServerRouter }, { createElement }, { renderToPipeableStream }] = await Promise.all([
  import(pathToFileURL(buildFile)),
  load("react-router"),
  load("react"),
  load("react-dom/server.node"),
]);

// Draw the whole document before the first byte of it is taken, so that nothing in it is put right by scripts later.
function drawn(element) {
  return new Promise((done, failed) => {
    const parts = [];
    const into = new Writable({
      write(part, _encoding, next) {
        parts.push(part);
        next();
      },
      final(next) {
        next();
        done(Buffer.concat(parts));
      },
    });
    let problem;
    const { pipe } = renderToPipeableStream(element, {
      onError: (error) => (problem ??= error),
      onShellError: failed,
      onAllReady: () => (problem ? failed(problem) : pipe(into)),
    });
  });
}

async function handleRequest(request, _status, _headers, context) {
  const { errors } = context.staticHandlerContext;
  if (errors) throw Object.values(errors)[0]; // the router wants an error page of its own instead
  requests.getStore().html = await drawn(createElement(ServerRouter, { context, url: request.url }));
  return new Response();
}

const handle = createRequestHandler(
  { ...build, entry: { module: { default: handleRequest } }, ssr: true, isSpaMode: false, prerender: [] },
  "production",
);

async function document(text) {
  const end = text.indexOf("\n");
  const request = { seed: JSON.parse(text.slice(end + 1)), html: Buffer.alloc(0) };
  await requests.run(request, () => handle(new Request(new URL(text.slice(0, end), "http://renderer"))));
  return request.html;
}

const socket = new Socket({ fd: Number(descriptor) });

async function answer(number, text) {
  const html = await document(text).catch((error) => {
    console.error("a document could not be drawn:", error);
    return Buffer.alloc(0);
  });
  const header = Buffer.alloc(ANSWER_HEADER);
  header.writeUInt32BE(number, 0);
  header.writeUInt32BE(process.memoryUsage.rss() >> 10, 4);
  header.writeUInt32BE(html.length, 8);
  socket.cork();
  socket.write(header);
  socket.write(html);
  socket.uncork();
}

let received = Buffer.alloc(0);
socket.on("data", (bytes) => {
  received = Buffer.concat([received, bytes]);
  while (received.length >= ASKED_HEADER) {
    const end = ASKED_HEADER + received.readUInt32BE(4);
    if (received.length < end) break;
    answer(received.readUInt32BE(0), received.toString("utf8", ASKED_HEADER, end));
    received = received.subarray(end);
  }
});
socket.on("close", () => process.exit());
socket.on("error", () => process.exit());

// Renders the pages of a build over HTTP: `node renderer.mjs <descriptor of a listening socket>`. storefront/server/build.py
// copies it next to the build's server module and bundles it with all imports, so that it runs without Node packages.
//
//   POST <the page's address>, the body: its initial state (JSON)   →   200 and the HTML, or 500
//
// Every response has the process's memory in `x-memory-kib`. The process ends when its standard input is closed.
//
// The build is Reflex's own, made for pages without a server. As `ssr` is true here, it renders with the state that
// `utils/context.jsx` finds in `globalThis.renderRequest`: see `initial_state_patch` in storefront/reflex_ext/patches.py.

import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { Writable } from "node:stream";

import { createElement } from "react";
import { renderToPipeableStream } from "react-dom/server.node";
import { createRequestHandler, ServerRouter } from "react-router";
import * as build from "./index.js"; // the build's server module

const requests = (globalThis.renderRequest = new AsyncLocalStorage());

// Render the whole document before its first byte is read, so that no script has to complete it later.
function renderDocument(element) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const output = new Writable({
      write(part, _encoding, next) {
        parts.push(part);
        next();
      },
      final(next) {
        next();
        resolve(Buffer.concat(parts));
      },
    });
    let problem;
    const { pipe } = renderToPipeableStream(element, {
      onError: (error) => (problem ??= error),
      onShellError: reject,
      onAllReady: () => (problem ? reject(problem) : pipe(output)),
    });
  });
}

async function handleRequest(request, _status, _headers, context) {
  const { errors } = context.staticHandlerContext;
  if (errors) throw Object.values(errors)[0]; // the router would render its own error page
  requests.getStore().html = await renderDocument(createElement(ServerRouter, { context, url: request.url }));
  return new Response();
}

const handle = createRequestHandler(
  { ...build, entry: { module: { default: handleRequest } }, ssr: true, isSpaMode: false, prerender: [] },
  "production",
);

async function render(url, initialState) {
  const request = { initialState, html: null };
  await requests.run(request, () => handle(new Request(new URL(url, "http://renderer"))));
  if (!request.html) throw new Error(`nothing was rendered for ${url}`);
  return request.html;
}

async function respond(url, body, response) {
  let [status, html] = [200, ""];
  try {
    html = await render(url, JSON.parse(body));
  } catch (error) {
    console.error("a page could not be rendered:", error);
    status = 500;
  }
  response.writeHead(status, { "content-length": html.length, "x-memory-kib": process.memoryUsage.rss() >> 10 });
  response.end(html);
}

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => respond(request.url, Buffer.concat(parts).toString(), response));
});
server.keepAliveTimeout = 0; // the supervisor closes its connections
server.listen({ fd: Number(process.argv[2]) });
process.stdin.on("end", () => process.exit()).resume();

"""Changes to the JavaScript that Reflex generates, applied at every build by one Reflex plugin.

Each patch contains the lines that it replaces. If a newer Reflex writes other lines, the build stops and names the
patch. The code that keeps the office out of the shop's pages is in `storefront/reflex_ext/office_bundle.py`.

| patch | file | reason |
|---|---|---|
| `initial_state_patch` | `utils/context.jsx` | a page is rendered and hydrated with the data of its document |
| `reconnect_patch` | `utils/state.js` | a page stays unchanged while everything is sent again; no press is lost |
| `banner_text_patch` | `utils/state.js` | Reflex's banner uses the shop's language |
| `own_origin_patch` | `utils/state.js` | a page connects to the host that served it |
| `proxy_patch` | `vite.config.js` | in development Vite forwards the backend's requests |
| `drop_color_mode` | `app/_document.js` | no script chooses between light and dark before the first paint |
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Unpack

from reflex.config import get_config
from reflex.plugins import Plugin
from reflex.plugins.base import PostBuildContext, PreCompileContext

from backend.core.texts import _
from storefront.url_prefixes import API_SEGMENTS

STATE_JS = "utils/state.js"
"""The script that communicates with the server.

It is part of Reflex and survives a build: see `toolchain.prepare_web`.
"""
CONTEXT_JSX = "utils/context.jsx"
DOCUMENT_JS = "app/_document.js"
VITE_CONFIG_JS = "vite.config.js"


class ReflexPatches(Plugin):
    """The Reflex plugin with all patches."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Register the patch of each file."""
        change = context["add_modify_task"]
        change(STATE_JS, banner_text_patch)
        change(STATE_JS, reconnect_patch)
        change(CONTEXT_JSX, initial_state_patch)
        change(DOCUMENT_JS, drop_color_mode)
        change(STATE_JS, own_origin_patch)
        from storefront.reflex_ext import (
            office_bundle,  # Reflex must have read its configuration before this import
        )

        change(VITE_CONFIG_JS, partial(proxy_patch, segments=API_SEGMENTS, backend=get_config().api_url))
        context["add_save_task"](office_bundle.states_script)

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        """Split the built manifest into one for the shop and one for the office, before the files are compressed."""
        from storefront.reflex_ext import office_bundle

        office_bundle.divide_manifest(context["static_dir"])


def _replace(source: str, changes: Mapping[str, str], file: str, patch: str) -> str:
    """Replace each text, which must occur exactly once, in the source.

    Raises:
        RuntimeError: a text is missing or occurs several times.
    """
    for known, ours in changes.items():
        if source.count(known) != 1:
            raise _unknown(file, f"`{known.strip()}`", patch)
        source = source.replace(known, ours)
    return source


def _unknown(file: str, expected: str, patch: str) -> RuntimeError:
    return RuntimeError(
        f"Reflex's {file} has changed: expected {expected} exactly once. "
        f"Bring {patch} in storefront/reflex_ext/patches.py in line with the installed Reflex."
    )


# ------------------------------------------------------------------------------------------------ initial state

INITIAL_STATE_ID = "initial-state"
STORE = "function createStateStore(initialState) {\n"
IN_BROWSER = "useState(() => createStateStore(initialState))"
ON_SERVER = "getSnapshot: (substateName) => initialState[substateName],"
MERGED = "useEffect(() => store.mergeInitialState(initialState), [store, initialState]);"

WITH_DOCUMENT_STATE = f"""\
// The compiled initial state with a document's values over it: {{state: {{variable: value}}}}. States that the pages do
// not know are left out.
function withDocumentState(values) {{
  const state = {{ ...initialState }};
  for (const [name, variables] of Object.entries(values ?? {{}})) {{
    if (name in state) state[name] = {{ ...state[name], ...variables }};
  }}
  return state;
}}

function stateInDocument() {{
  const element = document.getElementById("{INITIAL_STATE_ID}");
  return element && JSON.parse(element.content.textContent);
}}

function stateOfRequest() {{
  const request = globalThis.renderRequest?.getStore();
  return request ? (request.state ??= withDocumentState(request.initialState)) : initialState;
}}

"""

REGISTERED = """\
useEffect(() => {
    registerApp({ store });
    store.mergeInitialState(initialState);
  }, [store, initialState]);"""


def initial_state_patch(source: str) -> str:
    """Make the store of `utils/context.jsx` start with the initial state of the document.

    Reflex renders pages on the server with the compiled defaults of the state. With this patch the store reads
    other values: on the server those of the request, which the renderer puts into an `AsyncLocalStorage` under
    `globalThis.renderRequest`; in the browser those in the document's `<template id="initial-state">`. If there is
    no such element, the store works as without the patch. The patch also makes the store accessible to the office's
    script, which adds its states to it.

    Raises:
        RuntimeError: the module is not the one this patch was written for.
    """
    changes = {
        STORE: WITH_DOCUMENT_STATE + STORE,
        IN_BROWSER: "useState(() => createStateStore(withDocumentState(stateInDocument())))",
        ON_SERVER: "getSnapshot: (substateName) => stateOfRequest()[substateName],",
        MERGED: REGISTERED,
    }
    return _replace(source, changes, CONTEXT_JSX, "initial_state_patch")


# ------------------------------------------------------------------------------------------------ reconnecting

RECONNECT_IMPORT = (
    "import { failEarlyClose, scheduleEvent, showDelta, startOver, storeEarlyDeltas }"
    ' from "$/public/scripts/reconnecting.js";\n'
    'import { confirm, listPressesToSend, storePresses } from "$/public/scripts/presses.js";\n'
    'import { reload } from "$/public/scripts/leaving.js";\n'
)
RECONNECT_CHANGES = {
    "  io(endpoint.href, {\n": "  failEarlyClose(io(endpoint.href, {\n",
    "    reconnection: false,\n  });\n": "    reconnection: false,\n  }));\n",
    "      socket.current.auth = bootAuth(false);\n": """\
      startOver();
      socket.current.auth = bootAuth(false);
""",
    "    const delta = withoutUnknownSubstates(update.delta);\n": """\
    const delta = withoutUnknownSubstates(storeEarlyDeltas(update.delta, dispatch));
""",
    """\
        for (const substate in delta) {
          dispatch[substate](delta[substate]);
        }
""": """\
        showDelta(delta, dispatch, app.state_name);
""",
    "  window.location.reload();\n": """\
  reload();
""",
    "    const _events = normalizeEvents(events);\n": """\
    const _events = storePresses(
      normalizeEvents(events),
      (event) => withRouterData(event, params),
      encodeFormDataArgs,
    );
""",
    "    return { event: boot_event, state_schema: app.stateSchema };\n": """\
    return {
      event: boot_event,
      state_schema: app.stateSchema,
      presses: listPressesToSend(event_queue),
    };
""",
    "  // Send the event to the server.\n": """\
  if (event.name == "_confirmed") {
    confirm(event.payload);
    return;
  }

  event = scheduleEvent(
    event,
    () => app.initialEvents()[0],
    (events) => queueEvents(events, socket, true, navigate, params),
  );
  if (!event) return;

  // Send the event to the server.
""",
    """\
      reason !== "io server disconnect" && reason !== "io client disconnect";
""": """\
      reason !== "io client disconnect";
""",
}


def reconnect_patch(source: str) -> str:
    """Make `utils/state.js` display the data of a new connection only when they are complete.

    See `assets/scripts/reconnecting.js`.

    Without the patch, Reflex displays each part when it arrives. After a restart of the server the first part is an
    empty state: every page would display its skeleton for a moment, scroll to the top, and lose the typed text.
    With the patch, a page also does the following:

    - In the office it stores values that arrive before the script of their state is loaded, and applies them then.
    - It stores presses (form submissions and button clicks) until the server has confirmed them, and sends them
      again with each new connection: `assets/scripts/presses.js`.
    - When its version is out of date while a click is opening another page, it opens that page: `leaving.js`.
      Reflex would reload the current page.
    - It reconnects after the server has disconnected it. Reflex would leave it disconnected.
    - It reconnects at once if a connection is closed before it is established. Socket.IO would wait 20 seconds.

    Raises:
        RuntimeError: the script is not the one this patch was written for.
    """
    if source.startswith(RECONNECT_IMPORT):
        return source
    return RECONNECT_IMPORT + _replace(source, RECONNECT_CHANGES, STATE_JS, "reconnect_patch")


# ------------------------------------------------------------------------------------------------ new version banner

NEW_VERSION = _("Hay una versión nueva de la tienda.")
RELOAD = _("Actualizar")
BANNER_TEXTS = {
    re.compile(r'(?<=  banner\.append\()"[^"]*"(?=\);)'): NEW_VERSION,
    re.compile(r'(?<=  button\.textContent = )"[^"]*"(?=;)'): RELOAD,
}


def banner_text_patch(source: str) -> str:
    """Translate the banner in `utils/state.js` that says that the page is older than the shop.

    Reflex reloads such a page automatically. The banner is displayed if the reloaded page is still an old one,
    while the shop is being upgraded.

    Raises:
        RuntimeError: the script is not the one this patch was written for.
    """
    for place, text in BANNER_TEXTS.items():
        source, found = place.subn(json.dumps(text, ensure_ascii=False).replace("\\", r"\\"), source)
        if found != 1:
            raise _unknown(STATE_JS, "the banner of a new version", "banner_text_patch")
    return source


# ------------------------------------------------------------------------------------------------ own origin

ENDPOINT = "  const endpoint = new URL(url_str);\n"
OWN_ORIGIN = """\
  if (typeof window !== "undefined") {
    const own = new URL(endpoint.pathname, window.location.origin);
    if (endpoint.protocol.startsWith("ws")) {
      own.protocol = own.protocol === "https:" ? "wss:" : "ws:";
    }
    return own;
  }
"""


def own_origin_patch(source: str) -> str:
    """Make `utils/state.js` connect to the host that served its page.

    Reflex compiles `http://localhost:8000` into the pages and corrects only the host name at run time. But a
    production build must work on any host and port and behind https. In development, Vite forwards the requests for
    the backend: see `proxy_patch`.

    Raises:
        RuntimeError: the script is not the one this patch was written for.
    """
    if OWN_ORIGIN in source:
        return source
    return _replace(source, {ENDPOINT: ENDPOINT + OWN_ORIGIN}, STATE_JS, "own_origin_patch")


# ------------------------------------------------------------------------------------------------ development

VITE_PORT = "    port: process.env.PORT,\n"
WEBSOCKET = "_event"


def proxy_patch(source: str, segments: Iterable[str], backend: str) -> str:
    """Make the development server of `vite.config.js` forward requests for the backend.

    So pages, API and websocket have one origin in development, as in production. The sandbox's bank can return to
    the shop, and links to the API work.

    Args:
        source: the file as Reflex writes it.
        segments: the first path segments of the API.
        backend: the address of the backend.

    Raises:
        RuntimeError: the file is not the one this patch was written for.
    """
    ours = "|".join(map(re.escape, sorted({*segments, WEBSOCKET})))
    proxy = {f"^/({ours})(?=[/?]|$)": {"target": backend, "ws": True}}
    changes = {VITE_PORT: f"{VITE_PORT}    proxy: {json.dumps(proxy)},\n"}
    return _replace(source, changes, VITE_CONFIG_JS, "proxy_patch")


# ------------------------------------------------------------------------------------------------ colour mode

COLOR_MODE = re.compile(r'jsx\("script",\{\},"\\n// Only run in browser environment(?:[^"\\]|\\.)*"\),')


def drop_color_mode(source: str) -> str:
    """Remove the script that chooses between light and dark from `app/_document.js`.

    The shop has only one colour scheme. The script reads the browser's storage and media settings, and would delay
    every first paint.

    Raises:
        RuntimeError: the module is not the one this patch was written for.
    """
    source, found = COLOR_MODE.subn("", source)
    if found != 1:
        raise _unknown(DOCUMENT_JS, "the script that chooses a color mode", "drop_color_mode")
    return source

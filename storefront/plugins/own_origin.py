"""Makes the browser talk to the origin its page came from.

Reflex bakes `http://localhost:8000` into the pages and corrects only the host name when they run. A production build
must work on any host and port and behind https, so there the address is the page's own. In development Vite serves the
pages on another port than the backend, and the baked address is the right one.
"""

import re
from typing import Unpack

from reflex.plugins import Plugin
from reflex.plugins.base import PreCompileContext
from reflex.utils.exec import is_prod_mode

from storefront.plugins import unknown

STATE_JS = "utils/state.js"
ANCHOR = "  const endpoint = new URL(url_str);\n"
OWN_ORIGIN = """\
  // own-origin: begin
  if (typeof window !== "undefined") {
    const own = new URL(endpoint.pathname, window.location.origin);
    if (endpoint.protocol.startsWith("ws")) {
      own.protocol = own.protocol === "https:" ? "wss:" : "ws:";
    }
    return own;
  }
  // own-origin: end
"""
INSERTED = re.compile(r"^ *// own-origin: begin\n.*?// own-origin: end\n", re.DOTALL | re.MULTILINE)


class OwnOriginPlugin(Plugin):
    """Adds the own-origin rule to production builds, and takes it away again from development ones."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Change `getBackendURL`, where every address of the backend passes."""
        context["add_modify_task"](STATE_JS, with_own_origin if is_prod_mode() else without_own_origin)


def with_own_origin(source: str) -> str:
    """The script with the rule, once.

    Raises:
        RuntimeError: the script is not the one this plugin was written for.
    """
    source = without_own_origin(source)
    if source.count(ANCHOR) != 1:
        raise unknown(STATE_JS, f"`{ANCHOR.strip()}`", "own_origin")
    return source.replace(ANCHOR, ANCHOR + OWN_ORIGIN)


def without_own_origin(source: str) -> str:
    """The script as Reflex wrote it."""
    return INSERTED.sub("", source)

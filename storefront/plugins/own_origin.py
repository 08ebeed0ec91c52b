"""Makes the browser talk to the origin its page came from.

Reflex bakes `http://localhost:8000` into the pages and corrects only the host name when they run. A production build
must work on any host and port and behind https, so there the address is the page's own. In development Vite serves the
pages on another port than the backend, and the baked address is the right one.
"""

from storefront.plugins import STATE_JS, unknown

ANCHOR = "  const endpoint = new URL(url_str);\n"
OWN_ORIGIN = """\
  if (typeof window !== "undefined") {
    const own = new URL(endpoint.pathname, window.location.origin);
    if (endpoint.protocol.startsWith("ws")) {
      own.protocol = own.protocol === "https:" ? "wss:" : "ws:";
    }
    return own;
  }
"""


def with_own_origin(source: str) -> str:
    """The script with the rule, once.

    Raises:
        RuntimeError: the script is not the one this plugin was written for.
    """
    if OWN_ORIGIN in source:
        return source
    if source.count(ANCHOR) != 1:
        raise unknown(STATE_JS, f"`{ANCHOR.strip()}`", "own_origin")
    return source.replace(ANCHOR, ANCHOR + OWN_ORIGIN)

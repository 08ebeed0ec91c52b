"""Detection of clients that depend on the rendered HTML because they run no scripts.

The shop waits longer for the rendering of a page if the client is one of these:

- crawlers, recognised by words in their user agent;
- text browsers and tools, whose user agent is not that of a browser;
- browsers with scripts disabled: their first document requests `WITHOUT_SCRIPTS` from a `<noscript>` element, and
  the response sets a cookie.
"""

import re

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from backend.core.config.settings import Settings
from backend.edge.auth.cookies import cookie_name, is_secure

WITHOUT_SCRIPTS = "/without-scripts"
COOKIE = "trompo_without_scripts"
COOKIE_NAMES = frozenset({COOKIE, f"__Host-{COOKIE}"})
"""The cookie's names without and with https."""
COOKIE_LIFETIME_S = 24 * 60 * 60
"""Lifetime of the cookie. After it, a client that has enabled scripts again is treated like every other browser."""
BROWSER = "mozilla/"
"""Start of the user agent of every browser with scripts."""
CRAWLER = re.compile(
    "bot|crawl|spider|slurp|preview|externalhit|fetch|scan|whatsapp|lighthouse|google-|mediapartners|archive"
)


def is_patient(scope: Scope) -> bool:
    """Return True if the client runs no scripts, and so has to wait for rendered HTML."""
    headers = Headers(scope=scope)
    agent = headers.get("user-agent", "").lower()
    if BROWSER not in agent or CRAWLER.search(agent):
        return True
    return not COOKIE_NAMES.isdisjoint(cookie_parser(headers.get("cookie", "")))


def cookie_of(settings: Settings) -> str:
    """Return the `Set-Cookie` header of the cookie by which `is_patient` recognizes a browser without scripts."""
    secure = "; Secure" if is_secure(settings) else ""
    name = cookie_name(settings, COOKIE)
    return f"{name}=1; Path=/; Max-Age={COOKIE_LIFETIME_S}; SameSite=Lax; HttpOnly{secure}"

"""Who reads a document: a browser that can draw the page itself, or a reader who has only what is sent.

Whoever has only what is sent waits longer for a rendering. Those are programs that do not call themselves a browser
(text browsers, tools), crawlers, by the words they put into their name, and browsers whose scripts are off: their first
document asks for `WITHOUT_SCRIPTS`, inside a `<noscript>`, and the answer sets a cookie.
"""

import re

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from backend.core.config.settings import Settings
from backend.edge.auth.cookies import cookie_name, is_secure

WITHOUT_SCRIPTS = "/without-scripts"
COOKIE = "trompo_without_scripts"
NAMES = frozenset({COOKIE, f"__Host-{COOKIE}"})
"""What it is called without and with https."""
SECONDS = 24 * 60 * 60
"""How long the cookie is kept: who turns scripts on again waits no longer than others from the next day on."""
BROWSER = "mozilla/"
"""What every browser with scripts calls itself."""
CRAWLER = re.compile(
    "bot|crawl|spider|slurp|preview|externalhit|fetch|scan|whatsapp|lighthouse|google-|mediapartners|archive"
)


def is_patient(scope: Scope) -> bool:
    """Whether the reader of this request has only what is sent."""
    headers = Headers(scope=scope)
    agent = headers.get("user-agent", "").lower()
    if BROWSER not in agent or CRAWLER.search(agent):
        return True
    return not NAMES.isdisjoint(cookie_parser(headers.get("cookie", "")))


def cookie_of(settings: Settings) -> str:
    """The `Set-Cookie` of a browser whose scripts are off."""
    secure = "; Secure" if is_secure(settings) else ""
    name = cookie_name(settings, COOKIE)
    return f"{name}=1; Path=/; Max-Age={SECONDS}; SameSite=Lax; HttpOnly{secure}"

"""`/sw.js`: the service worker. Without network, it shows a page of the shop instead of the browser's error page.

The script contains this page, so it caches nothing. A new build, or a new name of the shop, changes the script.
Browsers install the changed script at the next visit.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

import orjson

from backend.app import current_shop
from backend.core.templates import Templates, read_templates
from backend.core.texts import _, html_language
from storefront.components.icons import SHAPES
from storefront.documents.security_headers import hash_scripts, inline_scripts
from storefront.documents.web_manifest import PAPER
from storefront.links import ACCOUNT, CHECKOUT
from storefront.url_prefixes import API_SEGMENTS, OFFICE

PATH = "/sw.js"
SCRIPT = "text/javascript; charset=utf-8"
SOURCE = Path(__file__).with_suffix(".js")
BUILD_LENGTH = 16
UNHANDLED_SEGMENTS = API_SEGMENTS | {
    path.split("/")[1] for path in (OFFICE, ACCOUNT, CHECKOUT, "/order", "/pay", "/review", "/_event")
}
"""First path segments of requests that the worker leaves to the browser: the office, personal pages and the API."""


async def service_worker(build: bytes) -> str:
    """Return the script of the service worker.

    Args:
        build: identifies the build of the pages.
    """
    page = render_offline_page((await current_shop().effective_settings.now()).store_name)
    constants = {
        "BUILD": sha256(build).hexdigest()[:BUILD_LENGTH],
        "OFFLINE_PAGE": page,
        "OFFLINE_HEADERS": {
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-store",
            "content-security-policy": offline_policy(page),
        },
        "UNHANDLED": sorted(UNHANDLED_SEGMENTS),
    }
    lines = [f"const {name} = {orjson.dumps(value).decode()};" for name, value in constants.items()]
    return "\n".join([*lines, _read_source()])


def render_offline_page(store_name: str) -> str:
    """Return the offline page as a document that needs no other file."""
    template = _templates().get_template("offline.html")
    return template.render(language=html_language, store_name=store_name, icon=SHAPES["offline"], paper=PAPER)


def offline_policy(page: str) -> str:
    """Return the Content-Security-Policy of the offline page. It allows the page's own styles and scripts."""
    scripts = " ".join(hash_scripts(inline_scripts(page)))
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; font-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@cache
def _templates() -> Templates:
    templates = read_templates([Path(__file__).parent / "templates"])
    templates.globals.update(_=_)
    return templates


@cache
def _read_source() -> str:
    return SOURCE.read_text("utf-8")

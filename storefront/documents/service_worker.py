"""`/sw.js`: the service worker. Without network, it shows a page of the shop instead of the browser's error page.

The script contains this page, so it caches nothing. A new build, or a new name of the shop, changes the script.
Browsers install the changed script at the next visit.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

import orjson

from backend.content.brand import Brand
from backend.content.fonts import DEMO_FONT, FONTS
from backend.content.palette import derive_variables
from backend.core.templates import Templates, read_templates
from backend.core.texts import _, html_language
from backend.media.brand_pictures import IconKind
from storefront.brand_icons import find_icon_url, get_brand
from storefront.components.icons import SHAPES
from storefront.documents.security_headers import hash_scripts, inline_scripts
from storefront.links import ACCOUNT, CHECKOUT
from storefront.url_prefixes import API_SEGMENTS, OFFICE

DEMO_VARIABLES = {
    "paper": "#fbf6ec",
    "ink": "#1f1b16",
    "ink-soft": "#5c5347",
    "tint-sunflower": "#fbe7bd",
    "tomato-dark": "#b93420",
    "tomato-deep": "#8e2414",
    "card": "#fffdf8",
    "sky": "#2b78c5",
}
"""The demo's colours on this page, as in `assets/styles/tokens.css`."""
PATH = "/sw.js"
SCRIPT = "text/javascript; charset=utf-8"
SOURCE = Path(__file__).with_suffix(".js")
BUILD_LENGTH = 16
OFFLINE_RETRY_MS = 5_000
"""Time limit of each attempt of the offline page to reach the shop, and the pause before the next attempt.

The page makes further attempts only while the browser says that it is online.
"""
UNHANDLED_SEGMENTS = API_SEGMENTS | {
    path.split("/")[1] for path in (OFFICE, ACCOUNT, CHECKOUT, "/order", "/pay", "/review", "/_event")
}
"""First path segments of requests that the worker leaves to the browser: the office, personal pages and the API."""


async def service_worker(build: bytes) -> str:
    """Return the script of the service worker.

    Args:
        build: identifies the build of the pages.
    """
    brand = await get_brand()
    page = render_offline_page(brand)
    constants = {
        "BUILD": sha256(build).hexdigest()[:BUILD_LENGTH],
        "OFFLINE_PAGE": page,
        "OFFLINE_HEADERS": {
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-store",
            "content-security-policy": offline_policy(page),
        },
        "ICON": find_icon_url(brand, IconKind.SMALL),
        "UNHANDLED": sorted(UNHANDLED_SEGMENTS),
    }
    lines = [f"const {name} = {orjson.dumps(value).decode()};" for name, value in constants.items()]
    return "\n".join([*lines, _read_source()])


def render_offline_page(brand: Brand) -> str:
    """Return the offline page as a document that needs no other file."""
    template = _templates().get_template("offline.html")
    variables = {**DEMO_VARIABLES, **(derive_variables(brand.palette) if brand.has_own_colors else {})}
    colors = {name.replace("-", "_"): color for name, color in variables.items()}
    return template.render(
        language=html_language,
        store_name=brand.name,
        icon=SHAPES["offline"],
        colors=colors,
        display=FONTS[brand.font].page,
        is_rounded=brand.font == DEMO_FONT,
        probe=PATH,
        retry_ms=OFFLINE_RETRY_MS,
    )


def offline_policy(page: str) -> str:
    """Return the Content-Security-Policy of the offline page. It allows the page's own styles and scripts."""
    scripts = " ".join(hash_scripts(inline_scripts(page)))
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; font-src 'self'; connect-src 'self'; "
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

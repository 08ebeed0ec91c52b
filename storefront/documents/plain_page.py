"""A page as plain text and links, made from its initial state alone.

The document contains it when the page was not rendered in time, so that no document is empty. The templates are
Jinja files in `templates/`; all values are escaped. As soon as the browser has rendered the page, a rule in
`assets/styles/frame.css` hides the plain page, and `assets/scripts/arrival.jsx` removes it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from backend.content.areas import BrandBody
from backend.content.brand import resolve_brand
from backend.core.config.settings import Settings
from backend.core.templates import Templates, read_templates
from backend.core.texts import _
from storefront.components.gallery import SIZES as PRODUCT_SIZES
from storefront.components.icons import SHAPES
from storefront.components.pictures import MARK
from storefront.components.product_card import CARD_SIZES
from storefront.documents.client_detection import WITHOUT_SCRIPTS
from storefront.documents.page_cache import LoadedPage
from storefront.links import (
    FIND_ORDER,
    GIFT,
    LEGAL_LINKS,
    PQRS,
    catalog_path,
    gift_path,
    product_path,
)
from storefront.pages import find_order, gift_finder, pqrs, stock_notices
from storefront.pages.catalog_list import HEAD_SIZES
from storefront.pages.page_loader import PageParams
from storefront.pages.routes import Page
from storefront.reflex_ext.variable_names import from_browser_names
from storefront.state.frame import SHOP_UNAVAILABLE, FrameState, brand_info, shop_info
from storefront.state.search import MAX_INPUT_LENGTH, to_search_text

OTHER = "other.html"
OF_ROUTES = {
    "/": "home.html",
    "/catalog": "catalog.html",
    "/age/[slug]": "catalog.html",
    "/brand/[slug]": "catalog.html",
    "/collection/[slug]": "catalog.html",
    GIFT: "gift.html",
    "/product/[slug]": "product.html",
    FIND_ORDER: "find_order.html",
    "/legal/[slug]": "legal.html",
    "/notify": "notice.html",
    "/unsubscribe": "notice.html",
    PQRS: "pqrs.html",
}
"""Templates by route, for pages whose content is the same for all visitors. All other pages use `OTHER`."""


@cache
def _templates() -> Templates:
    templates = read_templates([Path(__file__).parent / "templates"])
    templates.globals.update(
        _=_, icons=SHAPES, mark=MARK, card_sizes=CARD_SIZES, head_sizes=HEAD_SIZES, product_sizes=PRODUCT_SIZES,
        longest_search=MAX_INPUT_LENGTH, product_path=product_path, catalog_path=catalog_path,
        gift_path=gift_path, without_scripts=WITHOUT_SCRIPTS, find_order=find_order,
        legal_links=LEGAL_LINKS, gift=gift_finder, notify=stock_notices, pqrs=pqrs,
    )  # fmt: skip
    return templates


def plain_page(loaded: LoadedPage) -> str:
    """Return an element with the page as plain text and links, for the end of the document's body."""
    page = loaded.page
    state = orjson.loads(loaded.initial_state)
    frame = _values(state, FrameState.get_full_name())
    own = _values(state, page.state.get_full_name()) if isinstance(page, Page) and page.state else {}
    return _rendered(
        OF_ROUTES.get(page.route, OTHER) if "content" in own else OTHER,
        frame,
        title=loaded.meta.title,
        description=page.description if isinstance(page, Page) else "",
        text=to_search_text(PageParams.from_url(loaded.url).query.get("q", "").strip()),
        content=own.get("content"),
    )


def plain_failure(settings: Settings) -> str:
    """Return an element with the message that the shop cannot read its data now, for the end of the document's body."""
    brand = resolve_brand(BrandBody(), settings)
    frame = {
        "shop": shop_info(settings, brand),
        "brand": brand_info(brand),
        "departments": [],
        "ages": [],
    }
    return _rendered(
        OTHER, frame, title=settings.store_name, description=SHOP_UNAVAILABLE, text="", content=None
    )


def _rendered(template: str, frame: Mapping[str, Any], **values: Any) -> str:
    return (
        _templates()
        .get_template(template)
        .render(
            shop=frame["shop"],
            departments=frame["departments"],
            age_ranges=frame["ages"],
            brand=frame["brand"],
            announcement=frame.get("announcement"),
            said=frame.get("footer"),
            **values,
        )
    )


def _values(state: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the variables of the state with this name, by their Python names."""
    return from_browser_names(state[name])

"""Paths and links of the storefront's pages."""

from urllib.parse import quote

import reflex as rx

from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.reflex_ext.hooks import encoded

HOME = "/"
CATALOG = "/catalog"
GIFT = "/gift"
AGE = "/age"
AGES_ID = "por-edad"
"""Id of the links to all age ranges on the home page."""
AGES = f"/#{AGES_ID}"
BRAND = "/brand"
COLLECTION = "/collection"
CART = "/cart"
CHECKOUT = "/checkout"
WISHLIST = "/wishlist"
ACCOUNT = "/account"
LOGIN = "/account/login"
REGISTER = "/account/register"
RESET = "/account/reset"
CONSENT = "/account/consent"
OPEN_ACCOUNT = "/account/open"
FIND_ORDER = "/order/find"
SIC_URL = "https://www.sic.gov.co"


def legal_path(kind: LegalKind) -> str:
    """Return the path of a legal text's page."""
    return f"/legal/{kind}"


PQRS = "/pqrs"
LEGAL_LINKS = [*((legal_path(kind), title) for kind, title in TITLES.items()), (PQRS, _("PQRS"))]
"""Paths and titles of all legal texts, and of the page for complaints (PQRS)."""


def sic_link() -> rx.Component:
    """Build the link to the authority that supervises shops in Colombia.

    The law requires this link (Ley 1480 of 2011, art. 50).
    """
    return rx.el.a(
        _("Superintendencia de Industria y Comercio"), href=SIC_URL, rel="noopener", target="_blank"
    )


def catalog_path(
    category: str = "",
    text: str = "",
    *,
    age: str = "",
    brand: str = "",
    collection: str = "",
    sale: str = "",
    page: int = 1,
) -> str:
    """Return the path of a catalogue page: all products, a category, an age, a brand, a collection or a search.

    Args:
        category: the category's handle.
        text: the search text.
        age: an age range, such as `3-5`.
        brand: the handle of a brand (`backend.catalog.handles.brand_handle`).
        collection: the handle of a collection.
        sale: `1` for products on sale only.
        page: the number of the page in the list.
    """
    path = CATALOG
    if collection:
        path = f"{COLLECTION}/{quote(collection)}"
    elif brand:
        path = f"{BRAND}/{quote(brand)}"
    elif age:
        path = f"{AGE}/{quote(age, safe='+')}"
    params = {"category": category, "q": text, "sale": sale, "page": str(page) if page > 1 else ""}
    query = "&".join(f"{name}={quote(value)}" for name, value in params.items() if value)
    return f"{path}?{query}" if query else path


def gift_path(age: str = "", interest: str = "", budget: int = 0) -> str:
    """Return the path of the gift finder with these answers. Empty or 0 means that the question is not answered."""
    params = {"age": age, "interest": interest, "budget": str(budget) if budget else ""}
    query = "&".join(f"{name}={quote(value)}" for name, value in params.items() if value)
    return f"{GIFT}?{query}" if query else GIFT


def product_path(handle: str) -> str:
    """Return the path of a product's page."""
    return f"/product/{quote(handle)}"


def order_path(order_id: str, token: str) -> str:
    """Return the path of an order's page. The token in it gives access to the order."""
    return f"/order/{quote(order_id)}?token={quote(token)}"


def category_href(handle: rx.Var[str]) -> rx.Var[str]:
    """Return a category's path, computed in the browser.

    A handle needs no encoding, because it has only letters, digits and hyphens.
    """
    return f"{CATALOG}?category=" + handle.to(str)


def age_href(age: rx.Var[str]) -> rx.Var[str]:
    """Return the path of an age range, computed in the browser.

    An age range needs no encoding, because it has only digits, hyphens and plus signs.
    """
    return f"{AGE}/" + age.to(str)


def brand_href(handle: rx.Var[str]) -> rx.Var[str]:
    """Return a brand's path from its handle, computed in the browser."""
    return f"{BRAND}/" + handle.to(str)


def collection_href(handle: rx.Var[str]) -> rx.Var[str]:
    """Return a collection's path from its handle, computed in the browser."""
    return f"{COLLECTION}/" + handle.to(str)


def product_href(handle: rx.Var[str]) -> rx.Var[str]:
    """Return a product's path from its handle, computed in the browser."""
    return "/product/" + handle.to(str)


def variant_href(handle: rx.Var[str], name: rx.Var[str], variant_id: rx.Var[str]) -> rx.Var[str]:
    """Return the path of a product with this variant chosen, computed in the browser.

    `name` is the variant's name; if it is empty, the product has no choice of variants, and the path names no
    variant.
    """
    page = product_href(handle)
    return rx.cond(name != "", f"{page}?variant={variant_id}", page).to(str)


def search_href(text: rx.Var[str]) -> rx.Var[str]:
    """Return the path of a search's results, computed in the browser."""
    return rx.Var.create(f"{CATALOG}?q={encoded(text)}")

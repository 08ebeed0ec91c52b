"""The addresses of the storefront's pages."""

from urllib.parse import quote

import reflex as rx

from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.reflex_ext.hooks import encoded

HOME = "/"
CATALOG = "/catalog"
GIFT = "/gift"
AGE = "/age"
BRAND = "/brand"
CART = "/cart"
CHECKOUT = "/checkout"
WISHLIST = "/wishlist"
ACCOUNT = "/account"
LOGIN = "/account/login"
REGISTER = "/account/register"
RESET = "/account/reset"
CONSENT = "/account/consent"
FIND_ORDER = "/order/find"
SIC_ADDRESS = "https://www.sic.gov.co"


def legal_path(kind: LegalKind) -> str:
    """The page of a legal text."""
    return f"/legal/{kind}"


PQRS = "/pqrs"
LEGAL_LINKS = [*((legal_path(kind), title) for kind, title in TITLES.items()), (PQRS, _("PQRS"))]
"""The pages of all legal texts, with their titles, and where one complains."""


def sic_link() -> rx.Component:
    """The way to who watches over shops in Colombia (Ley 1480 of 2011, art. 50)."""
    return rx.el.a(
        _("Superintendencia de Industria y Comercio"), href=SIC_ADDRESS, rel="noopener", target="_blank"
    )


def catalog_path(
    category: str = "", text: str = "", *, age: str = "", brand: str = "", sale: str = "", page: int = 1
) -> str:
    """The catalogue, of one category or as the answer to a search; of an age or a brand, its own; from this page on.

    Args:
        category: its handle.
        text: what is looked for.
        age: an age range, such as `3-5`.
        brand: the handle of a brand (`backend.catalog.handles.brand_handle`).
        sale: `1` for what is on sale.
        page: the page of the list.
    """
    path = f"{BRAND}/{quote(brand)}" if brand else f"{AGE}/{quote(age, safe='+')}" if age else CATALOG
    asked = {"category": category, "q": text, "sale": sale, "page": str(page) if page > 1 else ""}
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.items() if value)
    return f"{path}?{query}" if query else path


def gift_path(age: str = "", interest: str = "", budget: int = 0) -> str:
    """The gift finder with these answers; empty and 0 for those that were not given."""
    asked = {"age": age, "interest": interest, "budget": str(budget) if budget else ""}
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.items() if value)
    return f"{GIFT}?{query}" if query else GIFT


def product_path(handle: str) -> str:
    """A product's page."""
    return f"/product/{quote(handle)}"


def order_path(order_id: str, token: str) -> str:
    """An order's page, for whoever bought it."""
    return f"/order/{quote(order_id)}?token={quote(token)}"


def to_category(handle: rx.Var[str]) -> rx.Var[str]:
    """The catalogue of a category, known in the browser. Handles need no encoding: letters, digits and hyphens."""
    return f"{CATALOG}?category=" + handle.to(str)


def to_age(age: rx.Var[str]) -> rx.Var[str]:
    """The page of an age range, known in the browser. Ranges need no encoding: digits, hyphens and plus signs."""
    return f"{AGE}/" + age.to(str)


def to_brand(handle: rx.Var[str]) -> rx.Var[str]:
    """A brand's page, by the brand's handle, known in the browser."""
    return f"{BRAND}/" + handle.to(str)


def to_product(handle: rx.Var[str]) -> rx.Var[str]:
    """A product's page, known in the browser."""
    return "/product/" + handle.to(str)


def to_variant(handle: rx.Var[str], name: rx.Var[str], variant_id: rx.Var[str]) -> rx.Var[str]:
    """A product's page, with this variant chosen; `name` is empty where there is nothing to choose."""
    page = to_product(handle)
    return rx.cond(name != "", f"{page}?variant={variant_id}", page).to(str)


def to_search(text: rx.Var[str]) -> rx.Var[str]:
    """The catalogue as the answer to a search, known in the browser."""
    return rx.Var.create(f"{CATALOG}?q={encoded(text)}")

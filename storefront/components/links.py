"""The addresses of the storefront's pages."""

from urllib.parse import quote

import reflex as rx
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData

HOME = "/"
CATALOG = "/catalog"
CART = "/cart"
CHECKOUT = "/checkout"
WISHLIST = "/wishlist"
ACCOUNT = "/account"
LOGIN = "/account/login"
REGISTER = "/account/register"
RESET = "/account/reset"
FIND_ORDER = "/order/find"


def catalog_path(category: str = "", text: str = "", *, age: str = "", sale: str = "", page: int = 1) -> str:
    """The catalogue, of one category or as the answer to a search; from this page on."""
    asked = {"category": category, "q": text, "age": age, "sale": sale, "page": str(page) if page > 1 else ""}
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.items() if value)
    return f"{CATALOG}?{query}" if query else CATALOG


def product_path(handle: str) -> str:
    """A product's page."""
    return f"/product/{quote(handle)}"


def order_path(order_id: str, token: str) -> str:
    """An order's page, for whoever bought it."""
    return f"/order/{quote(order_id)}?token={quote(token)}"


def to_category(handle: rx.Var[str]) -> rx.Var[str]:
    """The catalogue of a category, known in the browser. Handles need no encoding: letters, digits and hyphens."""
    return f"{CATALOG}?category=" + handle.to(str)


def to_product(handle: rx.Var[str]) -> rx.Var[str]:
    """A product's page, known in the browser."""
    return "/product/" + handle.to(str)


def to_variant(handle: rx.Var[str], name: rx.Var[str], variant_id: rx.Var[str]) -> rx.Var[str]:
    """A product's page, with this variant chosen; `name` is empty where there is nothing to choose."""
    page = to_product(handle)
    return rx.cond(name != "", f"{page}?variant={variant_id}", page).to(str)


_PARAMS = VarData(
    imports={"react-router": [ImportVar(tag="useParams")]}, hooks={"const addressParts = useParams()": None}
)


def address_part(name: str) -> rx.Var[str]:
    """A varying part of the path, such as the `slug` of `/product/[slug]`."""
    return rx.Var(f'(addressParts["{name}"] ?? "")', _var_type=str, _var_data=_PARAMS).to(str)

"""Messages of a cart to its shopper, for the storefront: stored ones, and current problems of lines and codes.

| kind | event | text | link |
|---|---|---|---|
| joined | carts were merged at sign-in | both carts' products with their units | the cart |
| no_stock | units were not moved, because they are not available | the products with the missing units | product,
catalogue |
| no_room | units were not moved, because the cart is full | the products with the missing units | the cart |
| deleted | a variant was deleted | its title, the units that left the cart | product or its category |
| code | a code was not moved | the code and why | the cart |
| withdrawn (current) | a product is no longer for sale | its title | its category |
| sold_out (current) | no unit is available | its title | product |
| short (current) | fewer units are available than are in the cart | its title, both numbers | product |
| code (current) | a code no longer gives a discount | the code and why | the cart |

The shopper dismisses stored messages. Current problems end with the line, the code or the problem itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import CartNews
from backend.cart.notices import MAX_NEWS, NewsKind
from backend.cart.promotion_codes import SHOPPER_REFUSALS
from backend.catalog.category_tree import is_visible_category
from backend.catalog.models import Category, Product, ProductCategory, for_sale
from backend.core.money import format_cop
from backend.core.texts import _
from backend.promotions.eligibility import CandidateResult, Obstacle

MAX_TITLES = 5
"""Number of products that one sentence names."""
RETIRED = _("La tienda lo retiró.")
NO_ROOM_FOR_CODE = _("Tu carrito ya tiene todos los códigos que caben.")


class NewsTarget(StrEnum):
    """The page that a message links to."""

    PRODUCT = "product"
    CATEGORY = "category"
    CATALOG = "catalog"
    CART = "cart"


@dataclass(frozen=True, slots=True)
class NewsView:
    """A message of a cart to its shopper.

    `target` is the kind of page that the message links to. `handle` identifies the product or category; it is empty
    for other pages.
    """

    id: str
    text: str
    target: str
    handle: str
    is_dismissible: bool


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that cannot be paid unchanged: it is not for sale, or only `units` of `quantity` are available."""

    line_id: str
    product_id: str
    title: str
    quantity: int
    units: int
    is_for_sale: bool
    is_wrapping: bool


@dataclass(frozen=True, slots=True)
class _Link:
    target: NewsTarget
    handle: str = ""


_TO_CATALOG, _TO_CART = _Link(NewsTarget.CATALOG), _Link(NewsTarget.CART)


async def list_cart_news(
    session: AsyncSession,
    cart_id: str,
    problems: Sequence[LineProblem],
    codes: Sequence[CandidateResult],
    *,
    has_stored: bool,
) -> list[NewsView]:
    """Return the cart's messages to its shopper: the stored ones, oldest first, then the current problems.

    Args:
        session: reads the database.
        cart_id: the cart's id.
        problems: the problems of its lines.
        codes: the codes that the shopper typed and that give no discount.
        has_stored: False if the caller knows that the cart has no stored messages. Then they are not queried.
    """
    stored: list[CartNews] = []
    if has_stored:
        latest = select(CartNews).where(CartNews.cart_id == cart_id).order_by(CartNews.id.desc())
        stored = list((await session.execute(latest.limit(MAX_NEWS))).scalars())[::-1]
    ids = {one.product_id for one in problems if not one.is_wrapping}
    for one in stored:
        ids |= {units["product_id"] for units in one.detail.get("units", ())}
    links = await _find_links(session, ids) if ids else {}
    return [
        *(_stored_view(one, links) for one in stored),
        *(_problem_view(one, links) for one in problems),
        *(_code_view(one) for one in codes),
    ]


async def _find_links(session: AsyncSession, product_ids: set[str]) -> dict[str, _Link]:
    """Return a link for each product, by product id.

    The link leads to the product if that is for sale, else to a visible category of the product, else to the
    catalogue.
    """
    query = (
        select(Product.id, Product.handle, for_sale().label("for_sale"), func.min(Category.handle))
        .outerjoin(ProductCategory, ProductCategory.product_id == Product.id)
        .outerjoin(Category, (Category.id == ProductCategory.category_id) & is_visible_category())
        .where(Product.id.in_(product_ids))
        .group_by(Product.id, Product.handle, Product.status, Product.deleted_at)
    )
    found = {}
    for product_id, handle, is_for_sale, category in await session.execute(query):
        if is_for_sale:
            found[product_id] = _Link(NewsTarget.PRODUCT, handle)
        else:
            found[product_id] = _Link(NewsTarget.CATEGORY, category) if category else _TO_CATALOG
    return found


def _stored_view(news: CartNews, links: Mapping[str, _Link]) -> NewsView:
    detail, link = news.detail, _TO_CART
    units = detail.get("units", ())
    match NewsKind(news.kind):
        case NewsKind.JOINED:
            text = _("Juntamos este carrito con el que tenías en tu cuenta.")
            if detail["added"]:
                text += " " + _("Se agregó: {toys}.").format(toys=_format_units(detail["added"]))
            text += " " + _("Ya estaba en tu cuenta: {toys}.").format(toys=_format_units(detail["had"]))
        case NewsKind.NO_STOCK:
            text = _("Esto ya no está disponible y no pasó a tu carrito: {toys}.")
            text = text.format(toys=_format_units(units))
            link = links.get(units[0]["product_id"], _TO_CATALOG) if len(units) == 1 else _TO_CATALOG
        case NewsKind.NO_ROOM:
            text = _("Tu carrito está lleno, así que esto no cupo: {toys}.").format(toys=_format_units(units))
        case NewsKind.DELETED:
            text = _("Ya no vendemos {toy} y salió de tu carrito ({units}).").format(
                toy=units[0]["title"], units=_format_count(units[0]["quantity"])
            )
            link = links.get(units[0]["product_id"], _TO_CATALOG)
        case NewsKind.CODE:
            text = _format_code_text(detail["code"], detail["obstacle"], detail["missing"])
    return NewsView(news.id, text, str(link.target), link.handle, is_dismissible=True)


def _problem_view(problem: LineProblem, links: Mapping[str, _Link]) -> NewsView:
    if not problem.is_for_sale:
        kind, text = "withdrawn", _("{toy} ya no está a la venta. Quítalo del carrito para poder pagar.")
    elif problem.units <= 0:
        kind, text = "sold_out", _("{toy} se agotó. Quítalo del carrito para poder pagar.")
    else:
        kind, text = "short", _("De {toy} hay {units} y en tu carrito hay {wanted}.")
    text = text.format(toy=problem.title, units=_format_count(problem.units), wanted=problem.quantity)
    link = links.get(problem.product_id, _TO_CATALOG)
    return NewsView(f"{kind}:{problem.line_id}", text, str(link.target), link.handle, is_dismissible=False)


def _code_view(result: CandidateResult) -> NewsView:
    code, obstacle = result.candidate.promotion.code, result.obstacle or Obstacle.OFF
    text = _format_code_text(code, obstacle, result.missing)
    return NewsView(f"code:{code}", text, str(_TO_CART.target), "", is_dismissible=False)


def _format_code_text(code: str, obstacle: str | None, missing: int) -> str:
    if obstacle is None:
        reason = NO_ROOM_FOR_CODE
    elif obstacle == Obstacle.OFF:
        reason = RETIRED
    else:
        reason = SHOPPER_REFUSALS[Obstacle(obstacle)].format(missing=format_cop(missing))
    return _("El código {code} dejó de aplicarse. {why}").format(code=code, why=reason)


def _format_units(units: Sequence[Mapping[str, Any]]) -> str:
    """Format units as `2 × Trompo, 1 × Yoyo`, with at most `MAX_TITLES` products."""
    text = ", ".join(f"{one['quantity']} × {one['title']}" for one in units[:MAX_TITLES])
    rest = len(units) - MAX_TITLES
    return text if rest <= 0 else text + " " + _("y {n} más").format(n=rest)


def _format_count(units: int) -> str:
    return _("1 unidad") if units == 1 else _("{n} unidades").format(n=units)

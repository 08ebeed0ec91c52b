"""Views of a cart for the storefront."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, exists
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.access import NOT_FOUND, Caller, require_access
from backend.cart.contents import CART_AND_CONTENTS, Line, count_units_by_variant, parse_contents
from backend.cart.lines import MAX_QUANTITY
from backend.cart.models import Cart, CartNews
from backend.cart.notice_views import LineProblem, NewsView, list_cart_news
from backend.cart.notices import format_full_title
from backend.cart.promotion_codes import format_refusal
from backend.cart.totals import read_discounted_totals
from backend.catalog.gift_wrapping import find_gift_wrapping
from backend.catalog.models import Picture, Product, Variant
from backend.catalog.preorder_texts import describe_variant
from backend.catalog.price_labels import format_price
from backend.catalog.storefront.product_cards import picture_view
from backend.catalog.views import PictureView
from backend.core.errors import NotFound
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.inventory.statements import available_units_query
from backend.pricing import CartTotals, PartTotals
from backend.promotions.eligibility import Discounts
from backend.promotions.free_shipping import FreeShipping, find_free_shipping
from backend.promotions.further_units import find_further_unit


@dataclass(frozen=True, slots=True)
class CartLine:
    """One line of a cart.

    `variant` is the variant's name, if it adds something to the product's title. `problem` must be solved by
    the shopper before paying: `gone` if the product is no longer for sale or sold out, `short` if only
    `max_quantity` units are available. It is None if there is no problem.
    """

    id: str
    variant_id: str
    product_id: str
    product_handle: str
    title: str
    variant: str
    brand: str
    quantity: int
    max_quantity: int
    unit_price: Cop
    unit_price_label: str
    compare_at_label: str | None
    line_total_label: str
    picture: PictureView | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class SavingView:
    """The discount of a promotion: its code, and the amount in pesos with a minus sign."""

    code: str
    amount_label: str


@dataclass(frozen=True, slots=True)
class CodeView:
    """A typed code. `refusal` is the reason why the code gives no discount now; empty if it gives one."""

    code: str
    refusal: str


@dataclass(frozen=True, slots=True)
class WrappingView:
    """Gift wrapping that can be added; `price_label` is empty if it is free."""

    variant_id: str
    title: str
    price_label: str


@dataclass(frozen=True, slots=True)
class FreeShippingView:
    """A sentence with the pesos that are missing for free shipping, and the reached percentage of the minimum."""

    text: str
    percent: int


@dataclass(frozen=True, slots=True)
class CartView:
    """A cart with its totals, at current prices. `shipping_total` is None without a quote.

    The amounts of the lines, `subtotal_label` and `shipping_total` are before the discounts in `savings`.
    `item_total` is the total of the lines after these discounts.
    """

    id: str
    lines: list[CartLine]
    count: int
    item_total: Cop
    item_total_label: str
    subtotal_label: str
    savings: list[SavingView]
    codes: list[CodeView]
    shipping_name: str
    shipping_total: Cop | None
    shipping_total_label: str
    total: Cop
    total_label: str
    is_free: bool
    """True if the shipping was chosen and nothing is left to pay."""
    tax_label: str
    """The IVA in the total."""
    news: list[NewsView]
    """Events that the shopper has not caused, and current problems."""
    wrapping: WrappingView | None
    """The gift wrapping on offer; None if there is none, or it is already in the cart."""
    free_shipping: FreeShippingView | None = None
    """The free shipping of a promotion; None if no promotion gives it."""
    hint: str = ""
    """A sentence about a further unit that a promotion such as 2×1 rewards; empty if there is none."""


_LINE_PRODUCT = aliased(Product)
"""The product of a line, for sale or not."""
_CART_ROWS = (
    CART_AND_CONTENTS.add_columns(
        available_units_query(Variant.id),
        Picture,
        _LINE_PRODUCT.title,
        exists().where(CartNews.cart_id == Cart.id),
    )
    .outerjoin(
        Picture,
        (Picture.product_id == Variant.product_id)
        & case((Variant.thumbnail.is_not(None), Picture.url == Variant.thumbnail), else_=Picture.rank == 0),
    )
    .outerjoin(_LINE_PRODUCT, _LINE_PRODUCT.id == Variant.product_id)
)


async def read_cart_view(
    session: AsyncSession, cart_id: str, caller: Caller | None = None, *, requires_owner: bool = False
) -> CartView:
    """Return the cart for the storefront.

    Args:
        session: reads the database.
        cart_id: the cart's id.
        caller: the caller; None if their access was checked before.
        requires_owner: True if the cart must already be assigned to the calling customer; then a guest's cart is
            refused.

    Raises:
        NotFound: no cart has this id, it has become an order, or it is not the caller's.
    """
    rows = (await session.execute(_CART_ROWS, {"cart_id": cart_id, "holder": cart_id})).all()
    cart = require_access(rows[0][8] if rows else None, cart_id, caller, NOT_FOUND)
    is_anothers = requires_owner and (caller is None or cart.customer_id != caller.customer_id)
    if is_anothers or cart.completed_at is not None:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    contents = parse_contents(rows)
    lines, method = contents.lines, contents.method
    units = {row[0].id: int(row[9]) for row in rows if row[0] is not None}
    units_in_cart = count_units_by_variant(lines)
    pictures = {row[0].id: picture_view(row[10]) for row in rows if row[10] is not None}
    titles = {row[0].id: row[11] for row in rows if row[0] is not None}
    totals, discounts = await read_discounted_totals(session, cart_id, contents)
    shipping = totals.shipping.original_total
    parts = totals.by_line
    typed = [judged for judged in discounts.results if judged.candidate.typed_at is not None]
    views = [
        _line_view(
            line,
            titles[line.item.id],
            parts.get(line.item.id),
            pictures.get(line.item.id),
            units[line.item.id] - (units_in_cart[line.variant.id] - line.item.quantity),
        )
        for line in lines
    ]
    return CartView(
        id=cart_id,
        lines=views,
        count=sum(line.item.quantity for line in lines),
        item_total=totals.item_total,
        item_total_label=format_cop(totals.item_total),
        subtotal_label=format_cop(totals.items.original_total),
        savings=list_savings(totals),
        codes=[
            CodeView(judged.candidate.promotion.code, format_refusal(judged) if judged.obstacle else "")
            for judged in typed
        ],
        shipping_name=method.name if method else "",
        shipping_total=shipping if method else None,
        shipping_total_label=format_cop(shipping) if method else "",
        total=totals.total,
        total_label=format_cop(totals.total),
        is_free=method is not None and not totals.total,
        tax_label=format_cop(totals.tax_total),
        news=await list_cart_news(
            session,
            cart_id,
            [_to_line_problem(line, view) for line, view in zip(lines, views, strict=True) if view.problem],
            [judged for judged in typed if judged.obstacle is not None],
            has_stored=rows[0][12],
        ),
        wrapping=await _find_wrapping(session, lines),
        free_shipping=_free_shipping_view(find_free_shipping(discounts)) if lines else None,
        hint=_describe_further_unit(discounts, views),
    )


def _free_shipping_view(found: FreeShipping | None) -> FreeShippingView | None:
    if found is None:
        return None
    if not found.missing:
        return FreeShippingView(_("¡Tu envío es gratis!"), 100)
    reached = (found.minimum - found.missing) * 100 // found.minimum
    text = _("Te faltan {amount} para el envío gratis").format(amount=format_cop(found.missing))
    return FreeShippingView(text, reached)


def _describe_further_unit(discounts: Discounts, views: Sequence[CartLine]) -> str:
    addable = {view.id: view for view in views if view.quantity < view.max_quantity and not view.problem}
    further = find_further_unit(discounts, addable)
    if further is None:
        return ""
    title = addable[further.line_id].title
    if further.percent == 100:
        return _("Lleva otra unidad de «{title}» y una te sale gratis.").format(title=title)
    return _("Lleva otra unidad de «{title}» y una te sale con {percent} % menos.").format(
        title=title, percent=further.percent
    )


async def _find_wrapping(session: AsyncSession, lines: Sequence[Line]) -> WrappingView | None:
    if not lines or any(line.is_wrapping for line in lines):
        return None
    offered = await find_gift_wrapping(session)
    if offered is None:
        return None
    variant, product = offered
    return WrappingView(variant.id, product.title, format_cop(variant.price) if variant.price else "")


def list_savings(totals: CartTotals) -> list[SavingView]:
    """Return the cart's discounts by code, with amounts to show."""
    return [SavingView(code, f"-{format_cop(amount)}") for code, amount in totals.savings]


def _to_line_problem(line: Line, view: CartLine) -> LineProblem:
    return LineProblem(
        line_id=line.item.id,
        product_id=line.variant.product_id,
        title=format_full_title(view.title, line.variant.title),
        quantity=view.quantity,
        units=view.max_quantity,
        is_for_sale=line.product is not None,
        is_wrapping=line.is_wrapping,
    )


def _line_view(
    line: Line, title: str, part: PartTotals | None, picture: PictureView | None, units: int
) -> CartLine:
    """Return the view of a line.

    `part` has the line's totals. It is None if the product is no longer for sale. `units` is the number of
    units that can be sold.
    """
    product = line.product
    total = part.original_total if part else line.priced.amount
    sellable = units if product else 0
    short = "gone" if sellable <= 0 else "short" if sellable < line.item.quantity else None
    saving = (
        line.variant.compare_at_price if (line.variant.compare_at_price or 0) > line.variant.price else None
    )
    return CartLine(
        id=line.item.id,
        variant_id=line.variant.id,
        product_id=line.variant.product_id,
        product_handle=product.handle if product and not line.is_wrapping else "",  # the wrapping has no page
        title=title,
        variant=describe_variant(line.variant.title, product.preorder_day if product else None),
        brand=product.brand if product else "",
        quantity=line.item.quantity,
        max_quantity=min(max(sellable, 0), MAX_QUANTITY),
        unit_price=line.variant.price,
        unit_price_label=format_price(line.variant),
        compare_at_label=format_cop(saving) if saving else None,
        line_total_label=format_cop(total) if total else format_price(line.variant),
        picture=picture,
        problem=short,
    )

"""The content and the price of an order after an edit, computed but not stored.

A line of the order keeps the price at which it was sold; added units have the current price. The shipping keeps its
price, unless the edit has another shipping option. Promotions are evaluated again for the new lines. A promotion that
the order has used still applies, even if it has ended, as long as the new lines meet its conditions. A staff member's
discount stays with the units that remain.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.lines import MAX_LINES, MAX_QUANTITY
from backend.catalog.gift_wrapping import can_be_bought
from backend.catalog.models import Collection, Product, ProductHasType, ProductType, Variant
from backend.checkout.quotes.shipping_quotes import QuoteInput
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory import service as inventory
from backend.order_edits.edited_shipping import EditedShipping, build_contents, parse_shipping
from backend.order_edits.models import ActionKind, OrderEdit, OrderEditAction
from backend.orders.models import Order, OrderLine
from backend.orders.preorders import PREORDER_DAY
from backend.orders.service import compute_order_totals, get_shipping_charge, list_order_lines
from backend.payment.payments import sum_captured_and_refunded
from backend.pricing import (
    SHIPPING,
    Adjustment,
    CartTotals,
    PricedLine,
    ShippingCharge,
    price_cart,
    price_of_units,
)
from backend.promotions.eligibility import BoughtLine, PromotionContext, evaluate_cart_promotions
from backend.promotions.uses import PromotionClaims


@dataclass(frozen=True, slots=True)
class EditedLine:
    """A line of the order after the edit.

    Attributes:
        line: the stored line of the order; for added units, a new line that is not stored.
        action_id: the action that adds or changes it; empty for an unchanged line.
        before: the line's units before the edit; 0 for added units.
        quantity: the line's units after the edit; 0 if the edit removes the line.
        product: the line's product; None if it was deleted.
    """

    line: OrderLine
    action_id: str
    before: int
    quantity: int
    product: Product | None

    @property
    def is_new(self) -> bool:
        """True if the edit adds the line."""
        return not self.before

    @property
    def priced(self) -> PricedLine:
        """The line as input for pricing."""
        return PricedLine(self.line.id, self.quantity, self.line.unit_price, self.line.tax_rate)


@dataclass(frozen=True, slots=True)
class EditedOrder:
    """An order with the changes of an edit.

    Attributes:
        lines: all lines, removed ones with a quantity of 0.
        totals: totals of the remaining lines and of the shipping.
        held: pesos captured for the order, minus refunds.
        contents: the values that decide the price of the shipping.
        shipping: the shipping that replaces the order's; None if it keeps its own.
        missing: units that are not in stock, by variant id.
    """

    order: Order
    edit: OrderEdit
    lines: Sequence[EditedLine]
    totals: CartTotals
    held: Cop
    contents: QuoteInput
    shipping: EditedShipping | None = None
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def remaining(self) -> list[EditedLine]:
        """The lines with at least one unit after the edit."""
        return [one for one in self.lines if one.quantity]

    @property
    def is_changed(self) -> bool:
        """True if the edit changes the units of a line, or the shipping."""
        return self.is_shipping_changed or any(one.quantity != one.before for one in self.lines)

    @property
    def is_shipping_changed(self) -> bool:
        """True if the edit gives the order another shipping option, or another price of the same one."""
        before = (self.order.shipping_option_id, get_shipping_charge(self.order).amount)
        return self.shipping is not None and before != (
            self.shipping.option_id,
            self.totals.shipping.original_total,
        )

    @property
    def is_shipping_outdated(self) -> bool:
        """True if the chosen shipping was priced for other products or another address."""
        return self.shipping is not None and self.shipping.is_outdated(self.contents)

    @property
    def units(self) -> dict[str, int]:
        """The units of the order after the edit, by variant id."""
        units: Counter[str] = Counter()
        for one in self.remaining:
            units[one.line.variant_id] += one.quantity
        return dict(units)

    @property
    def owed(self) -> Cop:
        """Pesos that the customer still has to pay."""
        return max(0, self.totals.total - self.held)

    @property
    def surplus(self) -> Cop:
        """Pesos that the shop has to give back."""
        return max(0, self.held - self.totals.total)

    @property
    def changes(self) -> list[JsonObject]:
        """The changed lines, each with its id, its titles, and its units before and after the edit.

        If the shipping changes, the final item has its names before and after the edit, and its new price.
        """
        changed: list[JsonObject] = [
            {
                "line_id": one.line.id,
                "title": one.line.title,
                "variant_title": one.line.variant_title,
                "before": one.before,
                "after": one.quantity,
            }
            for one in self.lines
            if one.quantity != one.before
        ]
        if self.shipping is not None and self.is_shipping_changed:
            amount = self.totals.shipping.original_total
            changed.append(
                {"before": self.order.shipping_name, "after": self.shipping.name, "amount": amount}
            )
        return changed

    def to_claims(self) -> PromotionClaims:
        """Return the promotions that the edited order uses."""
        return PromotionClaims(_to_context(self.order), self.totals.discounts_by_promotion)


async def list_actions(session: AsyncSession, edit_id: str) -> Sequence[OrderEditAction]:
    """Return the actions of an edit, the oldest first."""
    query = select(OrderEditAction).where(OrderEditAction.edit_id == edit_id).order_by(OrderEditAction.id)
    return (await session.execute(query)).scalars().all()


async def compute_edited_order(session: AsyncSession, order: Order, edit: OrderEdit) -> EditedOrder:
    """Return the order with the changes of the edit, at the current prices and promotions.

    Raises:
        InvalidData: added units are no longer for sale, or the order would have more than `MAX_LINES` lines.
    """
    lines = await list_order_lines(session, order.id)
    actions = await list_actions(session, edit.id)
    edited = await _list_edited_lines(session, order, lines, actions)
    shipping = parse_shipping(edit.shipping)
    totals = await _compute_totals(session, order, lines, edited, shipping)
    captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    sold = [(one.product, one.priced) for one in edited if one.quantity and one.product is not None]
    contents = build_contents(order, sold)
    result = EditedOrder(order, edit, edited, totals, captured - refunded, contents, shipping)
    available = await inventory.read_available_units(session, list(result.units), holder=order.cart_id)
    missing = {
        variant_id: units - max(0, available[variant_id])
        for variant_id, units in result.units.items()
        if available[variant_id] < units
    }
    return replace(result, missing=missing)


async def read_new_line(session: AsyncSession, order_id: str, variant_id: str, quantity: int) -> OrderLine:
    """Return a new line of the order for units of a variant at its current price. It is not stored.

    Raises:
        InvalidData: the variant is not for sale, or the quantity is not between 1 and `MAX_QUANTITY`.
    """
    if not 1 <= quantity <= MAX_QUANTITY:
        text = _("Escribe un número entre {least} y {most}.").format(least=1, most=MAX_QUANTITY)
        raise InvalidData(f"The quantity must be between 1 and {MAX_QUANTITY}", fields={"quantity": text})
    query = (
        select(Variant, Product, Collection.title, ProductType.value, ProductType.id)
        .join(Product, Product.id == Variant.product_id)
        .outerjoin(Collection, Collection.id == Product.collection_id)
        .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
        .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
        .where(Variant.id == variant_id, can_be_bought())
    )
    found = (await session.execute(query)).first()
    if found is None:
        raise InvalidData(
            f"Variant {variant_id} does not exist or is not for sale",
            staff_text=_("No está a la venta: publícalo y ponle precio en Productos."),
        )
    variant, product, collection, type_value, type_id = found
    return OrderLine(
        order_id=order_id,
        product_id=product.id,
        variant_id=variant.id,
        title=product.title,
        product_handle=product.handle,
        variant_title=variant.title,
        sku=variant.sku,
        thumbnail=variant.thumbnail or product.thumbnail,
        quantity=quantity,
        unit_price=variant.price,
        compare_at_price=variant.compare_at_price,
        unit_cost=variant.cost,
        tax_rate=product.tax_rate,
        tax_excluded=product.tax_excluded,
        facts={
            "product_description": product.description,
            "product_subtitle": product.subtitle,
            "product_collection": collection,
            "product_type": type_value,
            "product_type_id": type_id,
            **({PREORDER_DAY: product.preorder_day.isoformat()} if product.preorder_day else {}),
        },
    )


async def _list_edited_lines(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], actions: Sequence[OrderEditAction]
) -> list[EditedLine]:
    updates = {one.line_id: one for one in actions if one.kind == ActionKind.UPDATE}
    added = [
        (one, await read_new_line(session, order.id, one.variant_id, one.quantity))
        for one in actions
        if one.kind == ActionKind.ADD
    ]
    for action, line in added:
        line.id = action.id  # the line gets its own id when it is stored
    product_ids = {line.product_id for line in (*lines, *(line for _action, line in added))}
    rows = await session.execute(select(Product).where(Product.id.in_(sorted(product_ids))))
    products = {product.id: product for product in rows.scalars()}
    edited = [
        EditedLine(
            line,
            updates[line.id].id if line.id in updates else "",
            line.quantity,
            updates[line.id].quantity if line.id in updates else line.quantity,
            products.get(line.product_id),
        )
        for line in lines
    ]
    edited += [
        EditedLine(line, action.id, 0, action.quantity, products.get(line.product_id))
        for action, line in added
    ]
    if sum(1 for one in edited if one.quantity) > MAX_LINES:
        raise InvalidData(f"An order has at most {MAX_LINES} different products")
    return edited


async def _compute_totals(
    session: AsyncSession,
    order: Order,
    lines: Sequence[OrderLine],
    edited: Sequence[EditedLine],
    shipping: EditedShipping | None,
) -> CartTotals:
    remaining = [one for one in edited if one.quantity]
    if shipping is None and all(one.quantity == one.before for one in edited):
        return compute_order_totals(order, lines)
    bought = [
        BoughtLine(one.priced, one.product, one.line.variant_id)
        for one in remaining
        if one.product is not None
    ]
    promotions = await evaluate_cart_promotions(session, _to_context(order), bought)
    kept, priced = _list_kept_adjustments(order, remaining), [one.priced for one in remaining]
    charge = get_shipping_charge(order)
    if shipping is not None:
        goods_total = price_cart(priced, None, [*promotions.apply(None).adjustments, *kept]).item_total
        charge = ShippingCharge(shipping.compute_price(goods_total))
    return price_cart(priced, charge, [*promotions.apply(charge.amount).adjustments, *kept])


def _list_kept_adjustments(order: Order, remaining: Sequence[EditedLine]) -> list[Adjustment]:
    """Return the order's discounts that are not evaluated again, for the remaining lines and the shipping.

    These are discounts by staff, and discounts on products that have been deleted.
    """
    by_id = {one.line.id: one for one in remaining}
    kept = []
    for stored in order.adjustments:
        one = by_id.get(stored["target"])
        is_free = stored.get("promotion_id") is None
        if stored["target"] == SHIPPING and is_free:
            kept.append(Adjustment(**stored))
        elif one is not None and (is_free or one.product is None):
            amount = price_of_units(stored["amount"], one.before, min(one.quantity, one.before))
            kept.append(Adjustment(**{**stored, "amount": amount}))
    return kept


def _to_context(order: Order) -> PromotionContext:
    return PromotionContext(
        cart_id=order.cart_id,
        customer_id=order.customer_id,
        email=order.email or None,
        region_id=order.region_id,
        sales_channel_id=order.sales_channel_id,
        country=order.shipping_address.get("country_code"),
    )

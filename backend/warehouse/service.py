"""Receive, count and write off units, for staff in the stockroom and for API clients.

If a change would leave fewer units than are reserved, it is refused, and the error names the orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.models import Product, Variant
from backend.core.errors import InsufficientStock, InvalidData, NotFound, require_found
from backend.core.texts import _, format_count
from backend.inventory.movements import (
    MAX_MOVED_UNITS,
    MovementDetails,
    Reason,
    StockReserved,
    count_stock,
    lock_level,
    move_stock,
)
from backend.orders.models import Order
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

MAX_RECEIPT_LINES = 100
COUNT_REASONS = (Reason.COUNT, Reason.DAMAGED, Reason.LOST)
"""Reasons that staff in the stockroom give when they correct a stock."""
MANUAL_REASONS = (
    Reason.RECEIVED,
    Reason.COUNT,
    Reason.DAMAGED,
    Reason.LOST,
    Reason.RETURN,
    Reason.CORRECTION,
)
"""Reasons that API clients may give. Sales have no such reason: their units are removed when the order is packed."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A delivery: units by variant id, the supplier and the delivery document."""

    units: dict[str, int]
    supplier: str = ""
    document: str = ""
    note: str = ""


class ReservedForOrders(InsufficientStock):
    """Fewer units would remain than are reserved. `orders` are the numbers of the orders that reserved them."""

    def __init__(self, reserved: int, orders: Sequence[int]) -> None:
        named = f" for orders {', '.join(map(str, orders))}" if orders else ""
        super().__init__(f"{reserved} units are reserved{named}: fewer cannot be stocked at the location")
        self.reserved = reserved
        self.orders = orders

    @property
    def text(self) -> str:
        """Description of the reservations, for staff."""
        if not self.orders:
            one = _("Hay {n} apartada para un comprador que está pagando.")
            return format_count(
                self.reserved, one, _("Hay {n} apartadas para compradores que están pagando.")
            )
        numbers = ", ".join(map(str, self.orders))
        return _("Apartadas para los pedidos {orders}: {n}.").format(n=self.reserved, orders=numbers)


async def receive_units(session: AsyncSession, actor: Actor, location_id: str, receipt: Receipt) -> None:
    """Add the units of a delivery to the stock. Either all units are added, or none.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: there are no units, or too many at once.
    """
    actor.require(Right.CHANGE_STOCK)
    if not receipt.units or len(receipt.units) > MAX_RECEIPT_LINES:
        raise InvalidData(f"Between 1 and {MAX_RECEIPT_LINES} products are received at once")
    details = MovementDetails(
        Reason.RECEIVED, actor, note=receipt.note, supplier=receipt.supplier, document=receipt.document
    )
    for variant_id, units in sorted(receipt.units.items()):  # a fixed order prevents deadlocks
        if not 0 < units <= MAX_MOVED_UNITS:
            raise InvalidData("Units are whole numbers above 0")
        await _move_units(session, actor, (variant_id, location_id), units, details)


async def move_units(
    session: AsyncSession, actor: Actor, level_key: tuple[str, str], delta: int, details: MovementDetails
) -> None:
    """Add `delta` units, or remove units if it is negative. `level_key` is the variant's id and the location's id.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: `delta` is 0 or too large, or the reason is not allowed here.
        ReservedForOrders: fewer units would remain than are reserved.
    """
    actor.require(Right.CHANGE_STOCK)
    if not 0 < abs(delta) <= MAX_MOVED_UNITS or details.reason not in MANUAL_REASONS:
        raise InvalidData(f"Some units, {MAX_MOVED_UNITS} at most, for one of: {', '.join(MANUAL_REASONS)}")
    await _move_units(session, actor, level_key, delta, details)


async def correct_stock(
    session: AsyncSession,
    actor: Actor,
    level_key: tuple[str, str],
    counted: int,
    details: MovementDetails,
    *,
    expected: int | None,
) -> int:
    """Set the stock to the counted units.

    `level_key` is the variant's id and the location's id. `expected` is the stock that was displayed to the actor;
    None skips the check.

    Returns:
        The units stocked there before.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: the number is out of range.
        StockCountOutdated: the stock has changed since it was displayed.
        ReservedForOrders: more units are reserved than were counted.
    """
    actor.require(Right.CHANGE_STOCK)
    if not 0 <= counted <= MAX_MOVED_UNITS:
        raise InvalidData(f"Between 0 and {MAX_MOVED_UNITS} units")
    variant_id, location_id = level_key
    await _require_variant_and_location(session, variant_id, location_id)
    before = (await lock_level(session, variant_id, location_id)).stocked
    changes = {"stocked": (before, counted), "reason": (None, str(details.reason))}
    await record(session, actor, "stock changed", Subject(SubjectType.VARIANT, variant_id), changes)
    try:
        await count_stock(session, variant_id, location_id, counted, details, expected=expected)
    except StockReserved as error:
        raise await _to_reserved_for_orders(session, error) from None
    return before


async def set_low_stock(session: AsyncSession, actor: Actor, product_id: str, low_at: int | None) -> None:
    """Set the number of units at or below which a product is low in stock; None restores the shop's default.

    Raises:
        NotFound: there is no such product.
        InvalidData: the number is negative or too large.
    """
    actor.require(Right.CHANGE_STOCK)
    if low_at is not None and not 0 <= low_at <= MAX_MOVED_UNITS:
        raise InvalidData(f"Between 0 and {MAX_MOVED_UNITS} units")
    product = await session.get(Product, product_id)
    if product is None or product.deleted_at is not None:
        raise NotFound(f'Product with id "{product_id}" not found')
    await record(session, actor, "changed", Subject(SubjectType.PRODUCT, product_id))
    product.low_stock_at = low_at
    await session.flush()


async def _move_units(
    session: AsyncSession, actor: Actor, level_key: tuple[str, str], delta: int, details: MovementDetails
) -> None:
    variant_id, location_id = level_key
    await _require_variant_and_location(session, variant_id, location_id)
    before = (await lock_level(session, variant_id, location_id)).stocked
    changes = {"stocked": (before, before + delta), "reason": (None, str(details.reason))}
    await record(session, actor, "stock changed", Subject(SubjectType.VARIANT, variant_id), changes)
    try:
        await move_stock(session, variant_id, location_id, delta, details)
    except StockReserved as error:
        raise await _to_reserved_for_orders(session, error) from None


async def _require_variant_and_location(session: AsyncSession, variant_id: str, location_id: str) -> None:
    variant = select(Variant.id).join(Product, Product.id == Variant.product_id)
    variant = variant.where(Variant.id == variant_id, Product.deleted_at.is_(None))
    require_found((await session.execute(variant)).first(), "Product variant", variant_id)
    require_found(await session.get(StockLocation, location_id), "Stock location", location_id)


async def _to_reserved_for_orders(session: AsyncSession, error: StockReserved) -> ReservedForOrders:
    numbers = select(Order.number).where(Order.cart_id.in_(error.holders)).order_by(Order.number)
    found = (await session.execute(numbers)).scalars().all()
    return ReservedForOrders(error.reserved, [number for number in found if number is not None])

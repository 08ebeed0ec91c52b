"""Units that come, are counted or are lost, as somebody in the stockroom or a program says.

Where fewer units would be stocked there than are promised to buyers, the refusal says to which orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.models import Product, Variant
from backend.core.errors import InsufficientStock, InvalidData, NotFound, require_found
from backend.core.texts import _, counted
from backend.inventory.movements import (
    MOST_UNITS,
    Reason,
    StockReserved,
    Why,
    count_stock,
    lock_level,
    move_stock,
)
from backend.orders.models import Order
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

MOST_LINES = 100
CORRECTING = (Reason.COUNT, Reason.DAMAGED, Reason.LOST)
"""Why somebody in the stockroom says that another number is stocked there."""
BY_HAND = (Reason.RECEIVED, Reason.COUNT, Reason.DAMAGED, Reason.LOST, Reason.RETURN, Reason.CORRECTION)
"""The reasons that programs may give; a sale moves units by being packed."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came: units by variant id, from whom, with which paper."""

    units: dict[str, int]
    supplier: str = ""
    document: str = ""
    note: str = ""


class ReservedForOrders(InsufficientStock):
    """More units are promised to buyers than would be left. `orders` are the numbers of those that are orders."""

    def __init__(self, reserved: int, orders: Sequence[int]) -> None:
        named = f" for orders {', '.join(map(str, orders))}" if orders else ""
        super().__init__(f"{reserved} units are reserved{named}: fewer cannot be stocked at the location")
        self.reserved = reserved
        self.orders = orders

    @property
    def text(self) -> str:
        """For whom the units are reserved, in words for staff."""
        if not self.orders:
            one = _("Hay {n} apartada para un comprador que está pagando.")
            return counted(self.reserved, one, _("Hay {n} apartadas para compradores que están pagando."))
        numbers = ", ".join(map(str, self.orders))
        return _("Apartadas para los pedidos {orders}: {n}.").format(n=self.reserved, orders=numbers)


async def receive(session: AsyncSession, actor: Actor, location_id: str, receipt: Receipt) -> None:
    """Units came: all of them, or none.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: there are no units, or too many at once.
    """
    actor.require(Right.CHANGE_STOCK)
    if not receipt.units or len(receipt.units) > MOST_LINES:
        raise InvalidData(f"Between 1 and {MOST_LINES} toys are received at once")
    why = Why(Reason.RECEIVED, actor, note=receipt.note, supplier=receipt.supplier, document=receipt.document)
    for variant_id, units in sorted(receipt.units.items()):  # in one order: two at once never deadlock
        if not 0 < units <= MOST_UNITS:
            raise InvalidData("Units are whole and more than none")
        await _move(session, actor, (variant_id, location_id), units, why)


async def move(session: AsyncSession, actor: Actor, row: tuple[str, str], delta: int, why: Why) -> None:
    """So many units came, or (negative) left; `row` is the variant's id and the location's.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: none came, or too many; or a reason that nobody gives by hand.
        ReservedForOrders: more are promised to buyers than would be left.
    """
    actor.require(Right.CHANGE_STOCK)
    if not 0 < abs(delta) <= MOST_UNITS or why.reason not in BY_HAND:
        raise InvalidData(f"Some units, {MOST_UNITS} at most, for one of: {', '.join(BY_HAND)}")
    await _move(session, actor, row, delta, why)


async def correct(
    session: AsyncSession, actor: Actor, row: tuple[str, str], counted: int, why: Why, *, seen: int | None
) -> int:
    """So many units are stocked there; `row` is the variant's id and the location's, `seen` what the screen said.

    Returns:
        How many were stocked there before.

    Raises:
        NotFound: there is no such variant or location.
        InvalidData: nobody counts that many.
        StockMoved: others moved units since.
        ReservedForOrders: more are promised to buyers.
    """
    actor.require(Right.CHANGE_STOCK)
    if not 0 <= counted <= MOST_UNITS:
        raise InvalidData(f"Between 0 and {MOST_UNITS} units")
    variant_id, location_id = row
    await _require_place(session, variant_id, location_id)
    before = (await lock_level(session, variant_id, location_id)).stocked
    changes = {"stocked": (before, counted), "reason": (None, str(why.reason))}
    await record(session, actor, "stock changed", Subject(Thing.VARIANT, variant_id), changes)
    try:
        await count_stock(session, variant_id, location_id, counted, why, seen=seen)
    except StockReserved as error:
        raise await _named(session, error) from None
    return before


async def set_low_stock(session: AsyncSession, actor: Actor, product_id: str, low_at: int | None) -> None:
    """From how many units on a toy counts as running out; None: as the shop's others do.

    Raises:
        NotFound: there is no such toy.
        InvalidData: it is less than none, or too many.
    """
    actor.require(Right.CHANGE_STOCK)
    if low_at is not None and not 0 <= low_at <= MOST_UNITS:
        raise InvalidData(f"Between 0 and {MOST_UNITS} units")
    product = await session.get(Product, product_id)
    if product is None or product.deleted_at is not None:
        raise NotFound(f'Product with id "{product_id}" not found')
    await record(session, actor, "changed", Subject(Thing.PRODUCT, product_id))
    product.low_stock_at = low_at
    await session.flush()


async def _move(session: AsyncSession, actor: Actor, row: tuple[str, str], delta: int, why: Why) -> None:
    variant_id, location_id = row
    await _require_place(session, variant_id, location_id)
    before = (await lock_level(session, variant_id, location_id)).stocked
    changes = {"stocked": (before, before + delta), "reason": (None, str(why.reason))}
    await record(session, actor, "stock changed", Subject(Thing.VARIANT, variant_id), changes)
    try:
        await move_stock(session, variant_id, location_id, delta, why)
    except StockReserved as error:
        raise await _named(session, error) from None


async def _require_place(session: AsyncSession, variant_id: str, location_id: str) -> None:
    known = select(Variant.id).join(Product, Product.id == Variant.product_id)
    known = known.where(Variant.id == variant_id, Product.deleted_at.is_(None))
    require_found((await session.execute(known)).first(), "Product variant", variant_id)
    require_found(await session.get(StockLocation, location_id), "Stock location", location_id)


async def _named(session: AsyncSession, error: StockReserved) -> ReservedForOrders:
    numbers = select(Order.number).where(Order.cart_id.in_(error.holders)).order_by(Order.number)
    found = (await session.execute(numbers)).scalars().all()
    return ReservedForOrders(error.reserved, [number for number in found if number is not None])

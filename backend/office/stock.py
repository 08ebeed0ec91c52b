"""Bodega: what is stocked there, receiving, counting, and every movement.

A screen for the stockroom, and `POST /admin/stock-movements`. Where fewer units would be stocked there than are
promised to buyers, the refusal says to which orders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.picture_addresses import picture_address
from backend.catalog.staff_search import ProductFilter, by_title, conditions_of, variant_with_code
from backend.database import planned_for
from backend.dates import time_label
from backend.errors import InsufficientStock, InvalidData, NotFound
from backend.inventory.models import FREE_UNITS, InventoryLevel, StockMovement
from backend.inventory.movements import (
    MOST_UNITS,
    Reason,
    StockReserved,
    Why,
    count_stock,
    lock_level,
    move_stock,
)
from backend.office.people import names_of
from backend.office_settings import read_low_stock
from backend.orders.models import Order
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right
from backend.texts import _

MOST_ROWS = 40
MOST_LINES = 100
MOST_MATCHES = 6
MOST_MOVEMENTS = 30
SEPARATOR = "|"
REASONS = {
    Reason.RECEIVED: _("Llegaron"),
    Reason.COUNT: _("Conteo"),
    Reason.DAMAGED: _("Dañadas"),
    Reason.LOST: _("Perdidas"),
    Reason.SALE: _("Venta"),
    Reason.RETURN: _("Devolución"),
    Reason.CORRECTION: _("Corrección"),
}
CORRECTING = (Reason.COUNT, Reason.DAMAGED, Reason.LOST)
"""Why somebody in the stockroom says that another number is stocked there."""
BY_HAND = (Reason.RECEIVED, Reason.COUNT, Reason.DAMAGED, Reason.LOST, Reason.RETURN, Reason.CORRECTION)
"""The reasons that programs may give; a sale moves units by being packed."""
LOW, OUT = "low", "out"


@dataclass(frozen=True, slots=True)
class StockRow:
    """Units of a variant at a location.

    Attributes:
        key: of this row among all: the variant's id and the location's.
        detail: its variant where there are several, and its code.
        free: units that can be sold.
        low_at: so many, or fewer, are few.
    """

    key: str
    variant_id: str
    product_id: str
    location_id: str
    title: str
    detail: str
    picture: str
    stocked: int
    reserved: int
    free: int
    low_at: int
    is_low: bool


@dataclass(frozen=True, slots=True)
class LocationView:
    """A place where units are stocked."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class StockPage:
    """Rows by title; `cursor` reads the next ones and is empty when there are none."""

    rows: list[StockRow]
    cursor: str = ""
    locations: list[LocationView] | None = None


@dataclass(frozen=True, slots=True)
class StockFilter:
    """What is wanted: a code, or words of a title; `only`: `low`, `out`, or all."""

    text: str = ""
    only: str = ""


@dataclass(frozen=True, slots=True)
class MovementView:
    """Units that came or left, for people."""

    id: str
    delta: int
    stocked: int
    reason: str
    who: str
    about: str
    moment_label: str


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


async def stock_page(session: AsyncSession, actor: Actor, wanted: StockFilter, cursor: str = "") -> StockPage:
    """What is stocked where.

    Raises:
        Forbidden: see `Actor.require`.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_STOCK)
    if wanted.only not in {LOW, OUT}:
        return await _by_title(session, wanted.text, cursor)
    query = _LEVELS.where(*await _condition(session, wanted)).order_by(FREE_UNITS, InventoryLevel.id)
    if cursor:
        query = query.where(tuple_(FREE_UNITS, InventoryLevel.id) > _place(cursor))
    found = (await session.execute(query.limit(planned_for(MOST_ROWS + 1)))).all()
    usual = await read_low_stock(session)
    rows = [_row(*one, usual) for one in found[:MOST_ROWS]]
    following = ""
    if len(found) > MOST_ROWS:
        _product, _variant, level = found[MOST_ROWS - 1]
        following = f"{level.stocked - level.reserved}{SEPARATOR}{level.id}"
    return StockPage(rows, following, await _locations(session))


async def variants_found(session: AsyncSession, actor: Actor, text: str) -> list[StockRow]:
    """The variants that a scanned code or some words mean: one where the code is somebody's, else the likeliest.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.READ_STOCK)
    if not text.strip():
        return []
    toys, only, _cursor = await _toys(session, text, MOST_MATCHES)
    query = (
        select(Product, Variant)
        .join(Variant, Variant.product_id == Product.id)
        .where(Product.id.in_(toys), *only)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MOST_MATCHES)
    )
    empty = InventoryLevel(id="", variant_id="", location_id="")
    usual = await read_low_stock(session)
    return [_row(product, variant, empty, usual) for product, variant in (await session.execute(query)).all()]


async def stock_row(session: AsyncSession, actor: Actor, variant_id: str, location_id: str) -> StockRow:
    """One row.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such variant, or none of it was ever stocked there.
    """
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id)
    found = (await session.execute(query.execution_options(populate_existing=True))).one_or_none()
    if found is None:
        raise NotFound(f"No units of variant {variant_id} are stocked at {location_id}")
    return _row(*found, await read_low_stock(session))


async def rows_now(session: AsyncSession, actor: Actor, rows: Sequence[StockRow]) -> list[StockRow]:
    """These rows as they are now, in their order; one that is gone stays as it was.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id.in_([row.variant_id for row in rows]))
    usual = await read_low_stock(session)
    found = {one.key: one for one in (_row(*level, usual) for level in (await session.execute(query)).all())}
    return [found.get(row.key, row) for row in rows]


async def movements_of(session: AsyncSession, actor: Actor, variant_id: str) -> list[MovementView]:
    """The last movements of a variant, the newest first.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.READ_STOCK)
    query = (
        select(StockMovement, Order.number)
        .outerjoin(Order, Order.id == StockMovement.order_id)
        .where(StockMovement.variant_id == variant_id)
        .order_by(StockMovement.created_at.desc(), StockMovement.id.desc())
        .limit(MOST_MOVEMENTS)
    )
    found = (await session.execute(query)).all()
    names = await names_of(session, {movement.actor_id for movement, _number in found})
    return [_movement(movement, names, number) for movement, number in found]


async def receive(session: AsyncSession, actor: Actor, location_id: str, receipt: Receipt) -> None:
    """Units came: all of them, or none.

    Raises:
        Forbidden: see `Actor.require`.
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
        Forbidden: see `Actor.require`.
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
        Forbidden: see `Actor.require`.
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
        Forbidden: see `Actor.require`.
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


async def _by_title(session: AsyncSession, text: str, cursor: str) -> StockPage:
    """A page by title. The toys come from the index of titles first: joined at once, all rows would be sorted."""
    toys, only, following = await _toys(session, text, MOST_ROWS, cursor)
    levels = _LEVELS.where(Product.id.in_(toys), *only)
    levels = levels.order_by(Product.title_key, Product.id, Variant.rank, InventoryLevel.id)
    usual = await read_low_stock(session)
    rows = [_row(*one, usual) for one in (await session.execute(levels)).all()]
    return StockPage(rows, following, await _locations(session))


async def _toys(
    session: AsyncSession, text: str, limit: int, cursor: str = ""
) -> tuple[list[str], list[ColumnElement[bool]], str]:
    """The products that the text means, which of their variants, and the cursor of the next page."""
    if (variant := await _named_variant(session, text)) is not None:
        return [variant.product_id], [Variant.id == variant.id], ""
    conditions = await conditions_of(session, ProductFilter(text))
    toys, following = await by_title(session, conditions, limit, cursor)
    return toys, [], following


async def _named_variant(session: AsyncSession, text: str) -> Variant | None:
    """The variant whose code it is, if it is one's."""
    return await variant_with_code(session, text.strip()) if text.strip() else None


async def _locations(session: AsyncSession) -> list[LocationView]:
    places = select(StockLocation.id, StockLocation.name).order_by(StockLocation.created_at, StockLocation.id)
    return [LocationView(*one) for one in (await session.execute(places)).all()]


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
    if (await session.execute(known)).first() is None:
        raise NotFound(f"Product variant with id: {variant_id} was not found")
    if await session.get(StockLocation, location_id) is None:
        raise NotFound(f"Stock location with id: {location_id} was not found")


async def _named(session: AsyncSession, error: StockReserved) -> ReservedForOrders:
    numbers = select(Order.number).where(Order.cart_id.in_(error.holders)).order_by(Order.number)
    found = (await session.execute(numbers)).scalars().all()
    return ReservedForOrders(error.reserved, [number for number in found if number is not None])


async def _condition(session: AsyncSession, wanted: StockFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if (variant := await _named_variant(session, wanted.text)) is not None:
        conditions = [Variant.id == variant.id]
    elif wanted.text.strip():
        conditions = await conditions_of(session, ProductFilter(wanted.text))
    if wanted.only == OUT:
        return [*conditions, planned_for(0) >= FREE_UNITS]
    most = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
    usual = await read_low_stock(session)
    is_low = func.coalesce(Product.low_stock_at, usual) >= FREE_UNITS
    return [*conditions, planned_for(max(most or 0, usual)) >= FREE_UNITS, is_low]


_LEVELS: Select[Product, Variant, InventoryLevel] = (
    select(Product, Variant, InventoryLevel)
    .join(Variant, Variant.product_id == Product.id)
    .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .where(Product.deleted_at.is_(None))
)


def _row(product: Product, variant: Variant, level: InventoryLevel, usual: int) -> StockRow:
    low_at = usual if product.low_stock_at is None else product.low_stock_at
    free = level.stocked - level.reserved
    return StockRow(
        key=f"{variant.id}{SEPARATOR}{level.location_id}",
        variant_id=variant.id,
        product_id=product.id,
        location_id=level.location_id,
        title=product.title,
        detail=" · ".join(filter(None, (variant_name(variant.title), variant.sku, variant.ean))),
        picture=picture_address(product.thumbnail or ""),
        stocked=level.stocked,
        reserved=level.reserved,
        free=free,
        low_at=low_at,
        is_low=free <= low_at,
    )


def _movement(movement: StockMovement, names: Mapping[str, str], number: int | None) -> MovementView:
    about = [
        *([_("Pedido {number}").format(number=number)] if number is not None else []),
        *(said for said in (movement.supplier, movement.document, movement.note) if said),
    ]
    reason = movement.reason
    return MovementView(
        id=movement.id,
        delta=movement.delta,
        stocked=movement.stocked,
        reason=REASONS[Reason(reason)] if reason in tuple(Reason) else reason,
        who=names.get(movement.actor_id, movement.actor_id),
        about=" · ".join(about),
        moment_label=time_label(movement.created_at),
    )


def _place(cursor: str) -> tuple[int, str]:
    free, _separator, level_id = cursor.rpartition(SEPARATOR)
    try:
        return int(free), level_id
    except ValueError:
        raise InvalidData("The cursor is none of ours") from None

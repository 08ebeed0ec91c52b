"""Sending an order: its parcels get their guides, and the warehouse gives up the units (spec: createFulfillment).

A parcel's guide is asked for outside any transaction, exactly once (see `backend.shipping.guides`). Only when the guide
is there do units leave: under the order's lock, and once, however often this is called. A crash in between leaves a
parcel with a guide that is not packed; asking for the same parcel again finds and packs it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.clock import now
from backend.database import Database, locked
from backend.edge.wire import iso
from backend.errors import Conflict, InsufficientStock, InvalidData, NotAllowed, NotFound
from backend.events import publish
from backend.inventory import service as inventory
from backend.orders.models import Order, OrderLine
from backend.orders.schemas import NewParcel, PackedItem, ParcelLabel, Shipment
from backend.orders.service import lines_of_order, lock_order, priced
from backend.orders.states import HAS_MONEY, FulfillmentStatus, OrderStatus, PaymentStatus
from backend.pricing import price_cart
from backend.settings import Settings
from backend.shipping.contacts import recipient, warehouse
from backend.shipping.events import ParcelShipped
from backend.shipping.guides import GuideState, NewGuide, cancel_guide, create_guide
from backend.shipping.models import Fulfillment, ShippingOption, StockLocation
from backend.shipping.parcels import Item, content_value, packages_for
from backend.shipping.providers.base import FulfillmentProvider, ShipmentRequest
from backend.shipping.service import location_of
from backend.shipping.tracking import track_no_longer
from backend.tables import JsonObject

Carriers = Mapping[str, FulfillmentProvider]

NOT_PAID = "The order is not paid: nothing is sent before it is"
PACKED, UNPACKED = "packed_at", "unpacked_at"
"""Notes in a parcel's `data`: when its units left the warehouse, and when they came back."""


@dataclass(frozen=True, slots=True)
class Packing:
    """A parcel that may be sent: by whom, and all that its guide needs."""

    provider: FulfillmentProvider
    guide: NewGuide


async def fulfill(
    database: Database, settings: Settings, carriers: Carriers, order_id: str, new: NewParcel
) -> None:
    """Send these units of the order.

    Raises:
        NotFound: there is no such order, or no such location.
        InvalidData: an item is not the order's, or more of it is wanted than is left to send; or the address cannot be
            sent to.
        NotAllowed: the order is not paid, or was cancelled; or nobody ships it.
        Conflict: another parcel of the order is being made, or it is unknown whether one was.
        LabelTooExpensive: the label costs more than the buyer paid for shipping plus `LABEL_OVER_PAID`; it waits in
            attention for a decision.
        OutsideFailure, OutcomeUnknown: see `backend.shipping.guides.create_guide`.
    """
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        packing = await _packing(session, settings, carriers, order, new)
    parcel = await create_guide(database, packing.provider, packing.guide)
    if parcel.items != packing.guide.items:
        raise Conflict("Another parcel of this order was sent at the same time: look again")
    await pack_or_cancel(database, packing.provider, order_id, parcel.id)


async def pack_or_cancel(
    database: Database, provider: FulfillmentProvider, order_id: str, parcel_id: str
) -> None:
    """The parcel has its guide: its units leave the warehouse, or, where they are gone, its guide is cancelled.

    Raises:
        InsufficientStock: the order was cancelled while the carrier answered: its parcel must not go out.
    """
    try:
        async with database.transaction() as session:
            await _pack(session, order_id, parcel_id)
    except InsufficientStock:
        await cancel_guide(database, provider, parcel_id)
        raise


async def cancel_parcel(database: Database, carriers: Carriers, order_id: str, parcel_id: str) -> None:
    """Cancel the parcel's guide; its units lie at the warehouse again, still promised to the order.

    Raises:
        NotFound: the order has no such parcel.
        NotAllowed, Conflict, OutsideFailure, OutcomeUnknown: see `backend.shipping.guides.cancel_guide`.
    """
    async with database.read() as session:
        provider = provider_of(carriers, (await lock_parcel(session, order_id, parcel_id)).provider_id)
    await cancel_guide(database, provider, parcel_id)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        parcel = await lock_parcel(session, order_id, parcel_id)
        if PACKED in parcel.data and UNPACKED not in parcel.data:
            parcel.data = {**parcel.data, UNPACKED: iso(now())}
            lines = {line.id: line for line in await lines_of_order(session, order_id)}
            for item in parcel.items:
                lines[item["line_item_id"]].fulfilled -= item["quantity"]
            await inventory.cancel_fulfillment(
                session, order.cart_id, parcel.location_id, _units(parcel.items)
            )
        await restate(session, order)


async def ship(session: AsyncSession, order_id: str, parcel_id: str, shipment: Shipment) -> None:
    """The parcel has left, as a whole.

    Raises:
        NotFound: the order has no such parcel.
        NotAllowed: it was cancelled, or has no guide.
        InvalidData: other items are named than are in it.
    """
    order = await lock_order(session, order_id)
    parcel = await _standing(session, order_id, parcel_id)
    if shipment.items is not None and _named(shipment.items) != _held(parcel):
        raise InvalidData("A parcel leaves as a whole: name all its items, or none")
    parcel.shipped_at = parcel.shipped_at or now()
    for label in shipment.labels or ():
        _relabel(parcel, label)
    await restate(session, order)
    await publish(session, ParcelShipped(parcel.id, order_id))


async def deliver(session: AsyncSession, order_id: str, parcel_id: str) -> None:
    """The parcel has arrived.

    Raises:
        NotFound: the order has no such parcel.
        NotAllowed: it was cancelled, or has no guide.
    """
    order = await lock_order(session, order_id)
    parcel = await _standing(session, order_id, parcel_id)
    parcel.delivered_at = parcel.delivered_at or now()
    await track_no_longer(session, parcel)
    await restate(session, order)


async def return_parcel(session: AsyncSession, settings: Settings, carriers: Carriers, order_id: str) -> None:
    """Have an order's goods fetched back. No provider does it, and none pretends (spec: createReturnFulfillment).

    Raises:
        NotFound: there is no such order.
        NotImplementedByProvider: always.
    """
    order = await lock_order(session, order_id)
    option = await _option(session, order)
    provider = provider_of(carriers, option.provider_id)
    await provider.create_return_fulfillment(
        ShipmentRequest(
            reference=f"{order.number}-R",
            origin=recipient(order.shipping_address, order.email),
            destination=warehouse(settings),
            packages=packages_for(()),
            content_value=content_value(order.item_total),
        )
    )


async def has_standing_parcels(session: AsyncSession, order_id: str) -> bool:
    """Whether a parcel of the order has a guide, or may have one."""
    made_none = (GuideState.FAILED, GuideState.TOO_EXPENSIVE, GuideState.CANCELED)
    query = select(Fulfillment.id).where(
        Fulfillment.order_id == order_id, Fulfillment.state.not_in(made_none)
    )
    return (await session.execute(query.limit(1))).first() is not None


def status_of(lines: Iterable[OrderLine], parcels: Iterable[Fulfillment]) -> FulfillmentStatus:
    """How far an order with these lines is, when these are its parcels."""
    lines = list(lines)
    sent = [parcel for parcel in parcels if PACKED in parcel.data and parcel.canceled_at is None]
    wanted = sum(line.quantity - line.withdrawn for line in lines)
    for units, whole, part in (
        (_count(parcel for parcel in sent if parcel.delivered_at), S.DELIVERED, S.PARTIALLY_DELIVERED),
        (_count(parcel for parcel in sent if parcel.shipped_at), S.SHIPPED, S.PARTIALLY_SHIPPED),
        (sum(line.fulfilled for line in lines), S.FULFILLED, S.PARTIALLY_FULFILLED),
    ):
        if units:
            return whole if units >= wanted else part
    return S.NOT_FULFILLED


S = FulfillmentStatus


async def _packing(
    session: AsyncSession, settings: Settings, carriers: Carriers, order: Order, new: NewParcel
) -> Packing:
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if order.payment_status != PaymentStatus.AUTHORIZED and order.payment_status not in HAS_MONEY:
        raise NotAllowed(NOT_PAID)
    lines = await _wanted_lines(session, order, new.items)
    option = await _option(session, order)
    location = await _location(session, option, new.location_id)
    return Packing(
        provider=provider_of(carriers, option.provider_id),
        guide=NewGuide(
            order_id=order.id,
            location_id=location.id,
            shipment=ShipmentRequest(
                reference=f"{order.number}-{await _parcels_before(session, order.id) + 1}",
                origin=warehouse(settings),
                destination=recipient(order.shipping_address, order.email),
                packages=packages_for(await _items(session, lines)),
                content_value=content_value(
                    price_cart([priced(line, units) for line, units in lines]).item_total
                ),
                max_price=order.shipping_total + settings.label_over_paid,
            ),
            items=[
                {
                    "line_item_id": line.id,
                    "variant_id": line.variant_id,
                    "title": line.title,
                    "sku": line.sku,
                    "quantity": units,
                }
                for line, units in lines
            ],
        ),
    )


async def _wanted_lines(
    session: AsyncSession, order: Order, items: Sequence[PackedItem]
) -> list[tuple[OrderLine, int]]:
    lines = {line.id: line for line in await lines_of_order(session, order.id)}
    wanted = _named(items)
    if unknown := [line_id for line_id in wanted if line_id not in lines]:
        raise InvalidData(f"Items with ids {', '.join(unknown)} does not exist in order with id {order.id}.")
    promised = await inventory.reserved_units(session, order.cart_id)
    for line_id, units in wanted.items():
        line = lines[line_id]
        left = min(line.quantity - line.fulfilled - line.withdrawn, promised.get(line.variant_id, 0))
        if left <= 0:
            raise InvalidData(f"No stock reservation found for item {line_id} - {line.title}")
        if units > left:
            raise InvalidData(f"Quantity to fulfill exceeds the reserved quantity for the item: {line_id}")
    return [(line, wanted[line_id]) for line_id, line in lines.items() if line_id in wanted]


async def _items(session: AsyncSession, lines: Sequence[tuple[OrderLine, int]]) -> list[Item]:
    """What a carrier measures. A product that has left the shop is taken for one of the default size."""
    found = await session.execute(
        select(Product).where(Product.id.in_([line.product_id for line, _ in lines]))
    )
    products = {product.id: product for product in found.scalars()}
    items = []
    for line, units in lines:
        product = products.get(line.product_id)
        items.append(
            Item(units, product.weight, product.length, product.height, product.width)
            if product
            else Item(units)
        )
    return items


async def _option(session: AsyncSession, order: Order) -> ShippingOption:
    option = await session.get(ShippingOption, order.shipping_option_id or "")
    if option is None:
        raise NotAllowed("The order's shipping option is gone: nobody ships it")
    return option


async def _location(session: AsyncSession, option: ShippingOption, wanted: str | None) -> StockLocation:
    """The warehouse that the option's parcels start from; another may be named, if it is one."""
    if wanted is None:
        return await location_of(session, option)
    location = await session.get(StockLocation, wanted)
    if location is None:
        raise NotFound(f"Stock location with id: {wanted} was not found")
    return location


async def _parcels_before(session: AsyncSession, order_id: str) -> int:
    """How many parcels of the order are done with: the one under way, if any, keeps its number until it is."""
    found = await session.execute(select(Fulfillment).where(Fulfillment.order_id == order_id))
    return sum(PACKED in parcel.data or parcel.state == GuideState.CANCELED for parcel in found.scalars())


async def _pack(session: AsyncSession, order_id: str, parcel_id: str) -> None:
    """The parcel has its guide: its units leave the warehouse, once."""
    order = await lock_order(session, order_id)
    parcel = await lock_parcel(session, order_id, parcel_id)
    if PACKED not in parcel.data and parcel.state == GuideState.CREATED:
        await inventory.fulfill(session, order.cart_id, _units(parcel.items))
        parcel.data = {**parcel.data, PACKED: iso(now())}
        lines = {line.id: line for line in await lines_of_order(session, order_id)}
        for item in parcel.items:
            lines[item["line_item_id"]].fulfilled += item["quantity"]
    await restate(session, order)


async def restate(session: AsyncSession, order: Order) -> None:
    """Let the (locked) order say how far its parcels are."""
    await session.flush()
    parcels = await session.execute(select(Fulfillment).where(Fulfillment.order_id == order.id))
    order.fulfillment_status = status_of(await lines_of_order(session, order.id), parcels.scalars())
    await session.flush()


async def lock_parcel(session: AsyncSession, order_id: str, parcel_id: str) -> Fulfillment:
    """The order's parcel, locked. Whoever needs the order as well locks that first.

    Raises:
        NotFound: the order has no such parcel.
    """
    query = locked(select(Fulfillment).where(Fulfillment.id == parcel_id, Fulfillment.order_id == order_id))
    parcel = (await session.execute(query)).scalar_one_or_none()
    if parcel is None:
        raise NotFound(f"Fulfillment with id: {parcel_id} was not found")
    return parcel


async def _standing(session: AsyncSession, order_id: str, parcel_id: str) -> Fulfillment:
    parcel = await lock_parcel(session, order_id, parcel_id)
    if parcel.state == GuideState.CANCELED:
        raise NotAllowed("Fulfillment has been canceled")
    if parcel.state != GuideState.CREATED:
        raise NotAllowed(f"The guide of parcel {parcel.reference} is {parcel.state}")
    return parcel


def provider_of(carriers: Carriers, provider_id: str) -> FulfillmentProvider:
    """The provider with this id.

    Raises:
        NotAllowed: the shop does not run with it.
    """
    provider = carriers.get(provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {provider_id}")
    return provider


def _relabel(parcel: Fulfillment, label: ParcelLabel) -> None:
    """What a parcel that was sent by hand travels with; a guide of the carrier keeps its own numbers."""
    parcel.tracking_number = parcel.tracking_number or label.tracking_number
    parcel.label_url = parcel.label_url or label.label_url or None


def _named(items: Iterable[PackedItem]) -> dict[str, int]:
    units: Counter[str] = Counter()
    for item in items:
        units[item.id] += item.quantity
    return dict(units)


def _held(parcel: Fulfillment) -> dict[str, int]:
    return {item["line_item_id"]: item["quantity"] for item in parcel.items}


def _units(items: Iterable[JsonObject]) -> dict[str, int]:
    units: Counter[str] = Counter()
    for item in items:
        units[item["variant_id"]] += item["quantity"]
    return dict(units)


def _count(parcels: Iterable[Fulfillment]) -> int:
    return sum(item["quantity"] for parcel in parcels for item in parcel.items)

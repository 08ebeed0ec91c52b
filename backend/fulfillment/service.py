"""Fulfilling orders: units get a label and leave the warehouse, are shipped, delivered or cancelled.

The label is made outside any transaction, exactly once (`backend.fulfillment.labels`). Only then do the units leave the
stock: under the order's lock, and once, however often this is called. A crash in between leaves a label whose units are
not packed; asking for the same units again finds and packs them. (spec: createFulfillment)
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.models import Product
from backend.clock import now
from backend.database import Database
from backend.edge.wire import iso
from backend.errors import Conflict, InsufficientStock, InvalidData, NotAllowed
from backend.events import publish
from backend.fulfillment.labels import (
    NewLabel,
    ask_to_cancel,
    cancel_label,
    create_label,
    lock_fulfillment,
    mark_canceled,
    require_retryable,
)
from backend.fulfillment.places import leaving_from, left_from
from backend.fulfillment.schemas import FulfillmentItem, NewFulfillment, NewShipment
from backend.fulfillment.tracking import stop_tracking
from backend.inventory import fulfilling
from backend.inventory import service as inventory
from backend.inventory.movements import Reason, Why
from backend.office_settings import read_effective_settings
from backend.orders.events import FulfillmentDelivered, FulfillmentShipped
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.service import lines_of_order, lock_order, priced, update_fulfillment_status
from backend.orders.states import (
    HAS_MONEY,
    METADATA,
    NO_NOTIFICATION,
    PACKED,
    TAKEN_FROM,
    TRACKING_URL,
    UNPACKED,
    LabelState,
    OrderStatus,
    PaymentStatus,
)
from backend.pricing import price_cart
from backend.settings import Settings
from backend.shipping.addresses import recipient, sender
from backend.shipping.locations import location_of
from backend.shipping.models import ShippingOption
from backend.shipping.packing import Item, content_value, packages_for
from backend.shipping.providers.base import FulfillmentProvider, FulfillmentProviders, LabelRequest
from backend.staff.rights import Actor, Right
from backend.tables import JsonObject

SENT_MEANWHILE = "Another fulfillment of this order was sent at the same time: look again"
NOT_PAID = "The order is not paid: nothing is sent before it is"


async def fulfill(  # noqa: PLR0917
    database: Database,
    actor: Actor,
    settings: Settings,
    providers: FulfillmentProviders,
    order_id: str,
    new: NewFulfillment,
    *,
    preferred: str | None = None,
) -> None:
    """Make a label for these units of the order, and take them out of the stock.

    Where `new` names no location, they leave from `preferred` if they are reserved there.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such order, or no such location.
        InvalidData: an item is not the order's, or more of it is wanted than is left to send, or is not at the location
            that was named; another shipping option is named than the order's; or the address cannot be sent to.
        NotAllowed: the order is not paid, or was cancelled; or the shop does not run with its provider.
        Conflict: another fulfillment of the order is being made, or nobody knows whether one was.
        LabelTooExpensive: the label costs more than the buyer paid for shipping plus `LABEL_OVER_PAID`; it waits in
            attention for a decision.
        OutsideFailure, OutcomeUnknown: see `backend.fulfillment.labels.create_label`.
    """
    actor.require(Right.FULFILL)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        provider, label = await _prepared(session, settings, providers, order, new, preferred)
    fulfillment = await create_label(database, provider, label, by=actor)
    if fulfillment.items != label.items:
        raise Conflict(SENT_MEANWHILE)
    await pack_or_cancel(database, actor, provider, order_id, fulfillment.id)


async def pack_or_cancel(
    database: Database, actor: Actor, provider: FulfillmentProvider, order_id: str, fulfillment_id: str
) -> None:
    """Take the units of a fulfillment with a label out of the stock. Where they are gone, cancel the label.

    Raises:
        InsufficientStock: the order was cancelled while the carrier answered. Its units must not be sent.
    """
    try:
        async with database.transaction() as session:
            await _pack(session, actor, order_id, fulfillment_id)
    except InsufficientStock:
        await cancel_label(database, provider, fulfillment_id, by=actor)
        raise


async def cancel_fulfillment(
    database: Database, actor: Actor, providers: FulfillmentProviders, order_id: str, fulfillment_id: str
) -> None:
    """Cancel the fulfillment's label. Its units are in stock again, and still reserved for the order.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: the order has no such fulfillment.
        NotAllowed, Conflict, OutsideFailure, OutcomeUnknown: see `backend.fulfillment.labels.ask_to_cancel`.
    """
    actor.require(Right.FULFILL)
    async with database.read() as session:
        provider = provider_of(
            providers, (await lock_fulfillment(session, fulfillment_id, order_id)).provider_id
        )
    await ask_to_cancel(database, provider, fulfillment_id)
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
        await mark_canceled(session, fulfillment, by=actor)
        await record(session, actor, "unpacked", Subject(Thing.ORDER, order_id))
        if PACKED in fulfillment.data and UNPACKED not in fulfillment.data:
            fulfillment.data = {**fulfillment.data, UNPACKED: iso(now())}
            lines = {line.id: line for line in await lines_of_order(session, order_id)}
            back = Counter(_units(fulfillment.items))
            for item in fulfillment.items:
                line = lines[item["line_item_id"]]
                back[line.variant_id] -= _unpack(line, item["quantity"])
            await fulfilling.cancel_fulfillment(
                session,
                order.cart_id,
                await left_from(session, fulfillment, +back),
                Why(Reason.CORRECTION, actor, order_id=order_id),
            )
        await update_fulfillment_status(session, order)


async def mark_shipped(
    session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str, shipment: NewShipment
) -> None:
    """Record that the fulfillment has left, as a whole.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: the order has no such fulfillment.
        NotAllowed: it was cancelled, or has no label.
        InvalidData: other items are named than are in it, or another tracking number than it has.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    fulfillment = await _lock_labelled(session, order_id, fulfillment_id)
    await record(session, actor, "shipped", Subject(Thing.ORDER, order_id))
    if shipment.items is not None and _named(shipment.items) != _held(fulfillment):
        raise InvalidData("A fulfillment leaves as a whole: name all its items, or none")
    fulfillment.shipped_at = fulfillment.shipped_at or now()
    _note(fulfillment, shipment)
    await update_fulfillment_status(session, order)
    await publish(session, FulfillmentShipped(fulfillment.id, order_id))


async def mark_delivered(session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str) -> None:
    """Record that the fulfillment has arrived.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: the order has no such fulfillment.
        NotAllowed: it was cancelled, or has no label.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    fulfillment = await _lock_labelled(session, order_id, fulfillment_id)
    await record(session, actor, "delivered", Subject(Thing.ORDER, order_id))
    is_news = fulfillment.delivered_at is None
    fulfillment.delivered_at = fulfillment.delivered_at or now()
    await stop_tracking(session, fulfillment)
    await update_fulfillment_status(session, order)
    if is_news:
        await publish(session, FulfillmentDelivered(fulfillment.id, order_id))


async def request_return(
    session: AsyncSession, actor: Actor, settings: Settings, providers: FulfillmentProviders, order_id: str
) -> None:
    """Ask the provider for the label of a return. None of today's makes any (spec: createReturnFulfillment).

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such order.
        NotImplementedByProvider: always.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    option = await _option(session, order)
    provider = provider_of(providers, option.provider_id)
    start = await location_of(session, option)
    await provider.create_return_fulfillment(
        LabelRequest(
            reference=f"{order.number}-R",
            origin=recipient(order.shipping_address, order.email),
            destination=sender(start.address, await read_effective_settings(session, settings)),
            packages=packages_for(()),
            content_value=content_value(order.item_total),
        )
    )


async def _prepared(  # noqa: PLR0917
    session: AsyncSession,
    settings: Settings,
    providers: FulfillmentProviders,
    order: Order,
    new: NewFulfillment,
    preferred: str | None,
) -> tuple[FulfillmentProvider, NewLabel]:
    """Who sends these units, and the label to make for them."""
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if order.payment_status != PaymentStatus.AUTHORIZED and order.payment_status not in HAS_MONEY:
        raise NotAllowed(NOT_PAID)
    lines = await _wanted_lines(session, order, new.items)
    option = await _option(session, order)
    if new.shipping_option_id not in (None, option.id):
        raise InvalidData(f"The order is sent by the shipping option that was bought with it, {option.id}")
    items: list[JsonObject] = [
        {
            "line_item_id": line.id,
            "variant_id": line.variant_id,
            "title": line.title,
            "sku": line.sku,
            "quantity": units,
        }
        for line, units in lines
    ]
    await _require_none_under_way(session, order.id, items, new.location_id)
    location = await leaving_from(session, order, option, _units(items), new.location_id, preferred)
    effective = await read_effective_settings(session, settings)
    label = NewLabel(
        order_id=order.id,
        location_id=location.id,
        request=LabelRequest(
            reference=f"{order.number}-{await _finished_before(session, order.id) + 1}",
            origin=sender(location.address, effective),
            destination=recipient(order.shipping_address, order.email),
            packages=packages_for(await _items(session, lines)),
            content_value=content_value(
                price_cart([priced(line, units) for line, units in lines]).item_total
            ),
            max_price=order.shipping_total + effective.label_over_paid,
        ),
        items=items,
        data=_said_of(new),
    )
    return provider_of(providers, option.provider_id), label


async def _require_none_under_way(
    session: AsyncSession, order_id: str, items: Sequence[JsonObject], location_id: str | None
) -> None:
    """While a label of the order is not decided, its units stay reserved where they are.

    One that was made and whose units are not packed may be asked for again, as it is: that packs them.

    Raises:
        Conflict: there is such a label.
    """
    for fulfillment in await fulfillments_of_order(session, order_id):
        if fulfillment.state not in (LabelState.CREATED, LabelState.CANCELED):
            require_retryable(fulfillment)
        elif fulfillment.state == LabelState.CREATED and PACKED not in fulfillment.data:
            is_same = fulfillment.items == items and location_id in (None, fulfillment.location_id)
            if not is_same:
                raise Conflict(SENT_MEANWHILE)


async def _wanted_lines(
    session: AsyncSession, order: Order, items: Sequence[FulfillmentItem]
) -> list[tuple[OrderLine, int]]:
    lines = {line.id: line for line in await lines_of_order(session, order.id)}
    wanted = _named(items)
    if unknown := [line_id for line_id in wanted if line_id not in lines]:
        raise InvalidData(f"Items with ids {', '.join(unknown)} does not exist in order with id {order.id}.")
    reserved = await inventory.reserved_units(session, order.cart_id)
    for line_id, units in wanted.items():
        line = lines[line_id]
        left = min(line.quantity - line.fulfilled - line.withdrawn, reserved.get(line.variant_id, 0))
        if left <= 0:
            raise InvalidData(f"No stock reservation found for item {line_id} - {line.title}")
        if units > left:
            raise InvalidData(f"Quantity to fulfill exceeds the reserved quantity for the item: {line_id}")
    return [(line, wanted[line_id]) for line_id, line in lines.items() if line_id in wanted]


async def _items(session: AsyncSession, lines: Sequence[tuple[OrderLine, int]]) -> list[Item]:
    """The units with their weights and sides. A deleted product counts with the default size."""
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


async def _finished_before(session: AsyncSession, order_id: str) -> int:
    """How many fulfillments of the order were packed or cancelled. One under way keeps its number until then."""
    return sum(
        PACKED in fulfillment.data or fulfillment.state == LabelState.CANCELED
        for fulfillment in await fulfillments_of_order(session, order_id)
    )


async def _pack(session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str) -> None:
    """Take the units out of the stock, once."""
    order = await lock_order(session, order_id)
    fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    await record(session, actor, "packed", Subject(Thing.ORDER, order_id))
    if PACKED not in fulfillment.data and fulfillment.state == LabelState.CREATED:
        why = Why(Reason.SALE, actor, order_id=order_id)
        taken = await fulfilling.fulfill(
            session, order.cart_id, _units(fulfillment.items), why, location_id=fulfillment.location_id
        )
        fulfillment.data = {**fulfillment.data, PACKED: iso(now()), TAKEN_FROM: taken}
        lines = {line.id: line for line in await lines_of_order(session, order_id)}
        for item in fulfillment.items:
            lines[item["line_item_id"]].fulfilled += item["quantity"]
    await update_fulfillment_status(session, order)


def _unpack(line: OrderLine, units: int) -> int:
    """So many units of the line are in no parcel any more.

    Returns:
        How many of them count as returned already: paid back while they were packed, they are not sent any more.
    """
    line.fulfilled -= units
    withdrawn = max(0, line.returned - line.fulfilled)
    line.returned -= withdrawn
    line.withdrawn += withdrawn
    return withdrawn


async def _lock_labelled(session: AsyncSession, order_id: str, fulfillment_id: str) -> Fulfillment:
    fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    if fulfillment.state == LabelState.CANCELED:
        raise NotAllowed("Fulfillment has been canceled")
    if fulfillment.state != LabelState.CREATED:
        raise NotAllowed(f"The label of fulfillment {fulfillment.reference} is {fulfillment.state}")
    return fulfillment


def provider_of(providers: FulfillmentProviders, provider_id: str) -> FulfillmentProvider:
    """The provider with this id.

    Raises:
        NotAllowed: the shop does not run with it.
    """
    provider = providers.get(provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {provider_id}")
    return provider


def _note(fulfillment: Fulfillment, shipment: NewShipment) -> None:
    """Keep what a program of the staff says of a fulfillment that left. A carrier's label stays as it is.

    Raises:
        InvalidData: there is another tracking number already.
    """
    data = {**fulfillment.data, **_said_of(shipment)}
    for label in shipment.labels or ():
        fulfillment.tracking_number = fulfillment.tracking_number or label.tracking_number or None
        if label.tracking_number not in ("", fulfillment.tracking_number):
            raise InvalidData(
                f"A fulfillment has one label, and the tracking number of this one is {fulfillment.tracking_number}"
            )
        fulfillment.label_url = fulfillment.label_url or label.label_url or None
        data[TRACKING_URL] = label.tracking_url or data.get(TRACKING_URL)
    fulfillment.data = data


def _said_of(body: NewFulfillment | NewShipment) -> JsonObject:
    """What a body says that is kept with the fulfillment."""
    said = {NO_NOTIFICATION: body.no_notification, METADATA: body.metadata}
    return {name: value for name, value in said.items() if value is not None}


def _named(items: Iterable[FulfillmentItem]) -> dict[str, int]:
    units: Counter[str] = Counter()
    for item in items:
        units[item.id] += item.quantity
    return dict(units)


def _held(fulfillment: Fulfillment) -> dict[str, int]:
    return {item["line_item_id"]: item["quantity"] for item in fulfillment.items}


def _units(items: Iterable[JsonObject]) -> dict[str, int]:
    units: Counter[str] = Counter()
    for item in items:
        units[item["variant_id"]] += item["quantity"]
    return dict(units)

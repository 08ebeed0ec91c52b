"""A parcel of an order: the units that may be sent, their location, and the label that they need."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.core.config.settings import Settings
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InsufficientStock, InvalidData, NotAllowed
from backend.core.texts import _
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.label_states import require_retryable
from backend.fulfillment.labels import NewLabel
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.office_settings import read_effective_settings
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.packing_holds import require_not_held
from backend.orders.service import get_shipping_charge, list_order_lines, to_priced_line
from backend.orders.states import HAS_MONEY, PACKED, LabelState, OrderStatus, PaymentStatus
from backend.pricing import price_cart
from backend.shipping.addresses import build_recipient, build_sender
from backend.shipping.locations import find_location_of_option, lock_location
from backend.shipping.models import ShippingOption, StockLocation
from backend.shipping.packages import Item, limit_content_value, pack_items
from backend.shipping.providers.base import LabelRequest

CONCURRENT_FULFILLMENT = "Another fulfillment of this order was sent at the same time: check it"
NOT_PAID = "The order is not paid: it cannot be sent"


class ParcelsChanged(Conflict):
    """Units of the order were packed, or a label was cancelled, since the staff member looked."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """Units of an order that are sent together.

    Attributes:
        option: the shipping option of the order.
        lines: the order's lines in the parcel, each with its number of units in the parcel.
        staff_data: data sent by an API client of the staff; it is stored with the fulfillment.
    """

    order: Order
    option: ShippingOption
    lines: Sequence[tuple[OrderLine, int]]
    staff_data: JsonObject

    @property
    def items(self) -> list[JsonObject]:
        """The units in the parcel, in the form that a fulfillment stores."""
        return [
            {
                "line_item_id": line.id,
                "variant_id": line.variant_id,
                "title": line.title,
                "sku": line.sku,
                "quantity": units,
            }
            for line, units in self.lines
        ]

    @property
    def units(self) -> Counter[str]:
        """The number of units in the parcel, by variant id."""
        units: Counter[str] = Counter()
        for line, count in self.lines:
            units[line.variant_id] += count
        return units


async def build_parcel(session: AsyncSession, order: Order, new: CreateFulfillment) -> Parcel:
    """Return the requested parcel of the (locked) order.

    Raises:
        InvalidData: an item is not in the order, or too few units are left to send; or the shipping option is not the
            order's.
        NotAllowed: the order is not paid, was cancelled, or is held (`PackingHeld`); preordered units have not
            arrived (`PreorderNotArrived`); or its shipping option was deleted.
        Conflict: another fulfillment of the order is being created, or may exist.
        ParcelsChanged: another fulfillment was packed or cancelled since the staff member looked.
    """
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if order.payment_status != PaymentStatus.AUTHORIZED and order.payment_status not in HAS_MONEY:
        raise NotAllowed(NOT_PAID)
    await require_not_held(session, order)
    if new.seen_parcels is not None:
        finished = count_finished(await list_order_fulfillments(session, order.id))
        if finished != new.seen_parcels:
            raise ParcelsChanged("Other units of the order were packed since the staff member looked")
    lines = await _requested_lines(session, order, new.units)
    option = await find_order_option(session, order)
    if new.shipping_option_id not in (None, option.id):
        raise InvalidData(f"The order is sent with its own shipping option, {option.id}")
    parcel = Parcel(order, option, lines, new.data)
    await _require_no_pending_label(session, parcel, new.location_id)
    return parcel


async def find_order_option(session: AsyncSession, order: Order) -> ShippingOption:
    """Return the shipping option of the order.

    Raises:
        NotAllowed: the shipping option was deleted.
    """
    option = await session.get(ShippingOption, order.shipping_option_id or "")
    if option is None:
        raise NotAllowed("The order's shipping option was deleted: it cannot be shipped")
    return option


async def choose_location(
    session: AsyncSession, parcel: Parcel, location_id: str | None, preferred: str | None
) -> StockLocation:
    """Return the location from which the parcel leaves.

    With `location_id` it is that location, and the reservation of the units moves there. Without it, it is a
    location where all units are reserved: first `preferred`, then the shipping option's location, then any other.
    If no location has all units reserved, it is the shipping option's location.

    Raises:
        NotFound: there is no such location.
        InvalidData: too few of the units are in stock there.
    """
    cart_id, units = parcel.order.cart_id, parcel.units
    if location_id is None:
        held = await stock_fulfillment.read_reserved_by_location(session, cart_id)
        usual = await find_location_of_option(session, parcel.option)
        places = [place for place, there in held.items() if units <= Counter(there)]
        if preferred in places:
            return await lock_location(session, preferred)
        if usual.id in places or not places:
            return usual
        return await lock_location(session, places[0])
    location = await lock_location(session, location_id)
    try:
        await stock_fulfillment.move_reservation(session, cart_id, units, location.id)
    except InsufficientStock:
        raise InvalidData(f"Not enough stock available for the items at location {location.id}") from None
    return location


async def build_label(
    session: AsyncSession, settings: Settings, parcel: Parcel, location: StockLocation
) -> NewLabel:
    """Return the label to create for the parcel from this location."""
    order, lines = parcel.order, parcel.lines
    effective = await read_effective_settings(session, settings)
    finished = count_finished(await list_order_fulfillments(session, order.id))
    return NewLabel(
        order_id=order.id,
        location_id=location.id,
        request=LabelRequest(
            reference=f"{order.number}-{finished + 1}",
            origin=build_sender(location.address, effective),
            destination=build_recipient(order.shipping_address, order.email),
            packages=pack_items(await _read_items(session, lines)),
            content_value=limit_content_value(
                price_cart([to_priced_line(line, units) for line, units in lines]).item_total
            ),
            max_price=get_shipping_charge(order).amount + effective.label_over_paid,
        ),
        items=parcel.items,
        data=parcel.staff_data,
    )


class PreorderNotArrived(NotAllowed):
    """Units of a preorder have not arrived at the shop yet, so they cannot be packed."""

    def __init__(self, line: OrderLine) -> None:
        super().__init__(f"Units of the preorder have not arrived: {line.title}")
        self.staff_text = _("«{toy}» es de una preventa y no ha llegado: recíbelo primero en Bodega.").format(
            toy=line.title
        )


async def _requested_lines(
    session: AsyncSession, order: Order, requested: Mapping[str, int]
) -> list[tuple[OrderLine, int]]:
    lines = {line.id: line for line in await list_order_lines(session, order.id)}
    if unknown := [line_id for line_id in requested if line_id not in lines]:
        raise InvalidData(f"Items with ids {', '.join(unknown)} does not exist in order with id {order.id}.")
    reserved = await inventory.read_reserved_units(session, order.cart_id)
    arrived = await stock_fulfillment.read_arrived_units(session, order.cart_id)
    for line_id, units in requested.items():
        line = lines[line_id]
        left = min(line.quantity - line.fulfilled - line.withdrawn, reserved.get(line.variant_id, 0))
        if left <= 0:
            raise InvalidData(f"No stock reservation found for item {line_id} - {line.title}")
        if units > left:
            raise InvalidData(f"Quantity to fulfill exceeds the reserved quantity for the item: {line_id}")
        if units > arrived.get(line.variant_id, 0):
            raise PreorderNotArrived(line)
    return [(line, requested[line_id]) for line_id, line in lines.items() if line_id in requested]


async def _require_no_pending_label(session: AsyncSession, parcel: Parcel, location_id: str | None) -> None:
    """Check that no other label of the order is pending: one that is being created, or whose units are not packed yet.

    A request for the same units and location as an existing label is allowed: it packs the units of that label.

    Raises:
        Conflict: another label is pending.
    """
    for fulfillment in await list_order_fulfillments(session, parcel.order.id):
        if fulfillment.state not in (LabelState.CREATED, LabelState.CANCELED):
            require_retryable(fulfillment)
        elif fulfillment.state == LabelState.CREATED and PACKED not in fulfillment.data:
            is_same = fulfillment.items == parcel.items and location_id in (None, fulfillment.location_id)
            if not is_same:
                raise Conflict(CONCURRENT_FULFILLMENT)


def count_finished(fulfillments: Iterable[Fulfillment]) -> int:
    """Return the number of packed or cancelled fulfillments among the given ones of an order.

    The reference of the next fulfillment is made from this number. Pending fulfillments do not count, so that a
    repeated request gets the same reference.
    """
    return sum(
        PACKED in fulfillment.data or fulfillment.state == LabelState.CANCELED for fulfillment in fulfillments
    )


async def _read_items(session: AsyncSession, lines: Sequence[tuple[OrderLine, int]]) -> list[Item]:
    """Return the units with their weights and dimensions. Units of a deleted product get the default values."""
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

"""A parcel of an order: which of its units may be sent, from which location, and the label that they need."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.core.config.settings import Settings
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InsufficientStock, InvalidData, NotAllowed
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.label_states import require_retryable
from backend.fulfillment.labels import NewLabel
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.office_settings import read_effective_settings
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import Order, OrderLine
from backend.orders.packing_holds import require_not_held
from backend.orders.service import lines_of_order, priced, shipping_of
from backend.orders.states import HAS_MONEY, PACKED, LabelState, OrderStatus, PaymentStatus
from backend.pricing import price_cart
from backend.shipping.addresses import recipient, sender
from backend.shipping.locations import find_location, location_of
from backend.shipping.models import ShippingOption, StockLocation
from backend.shipping.packages import Item, content_value, packages_for
from backend.shipping.providers.base import LabelRequest

SENT_MEANWHILE = "Another fulfillment of this order was sent at the same time: look again"
NOT_PAID = "The order is not paid: nothing is sent before it is"


@dataclass(frozen=True, slots=True)
class Parcel:
    """Units of an order that are sent together.

    Attributes:
        option: the way to ship that was bought with the order.
        lines: the order's lines that are in it, and how many units of each.
        said: what a program of the staff said of it, kept with the fulfillment.
    """

    order: Order
    option: ShippingOption
    lines: Sequence[tuple[OrderLine, int]]
    said: JsonObject

    @property
    def items(self) -> list[JsonObject]:
        """The units as a fulfillment keeps them."""
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
        """The units by variant id."""
        units: Counter[str] = Counter()
        for line, count in self.lines:
            units[line.variant_id] += count
        return units


async def parcel_of(session: AsyncSession, order: Order, new: CreateFulfillment) -> Parcel:
    """The parcel of the (locked) order that is asked for.

    Raises:
        InvalidData: an item is not the order's, or more of it is wanted than is left to send; or another shipping
            option is named than the order's.
        NotAllowed: the order is not paid, was cancelled, or is held (`PackingHeld`); or its shipping option is gone.
        Conflict: another fulfillment of the order is being made, or nobody knows whether one was.
    """
    if order.status == OrderStatus.CANCELED:
        raise NotAllowed("The order was cancelled")
    if order.payment_status != PaymentStatus.AUTHORIZED and order.payment_status not in HAS_MONEY:
        raise NotAllowed(NOT_PAID)
    await require_not_held(session, order)
    lines = await _wanted_lines(session, order, new.units)
    option = await option_of(session, order)
    if new.shipping_option_id not in (None, option.id):
        raise InvalidData(f"The order is sent by the shipping option that was bought with it, {option.id}")
    parcel = Parcel(order, option, lines, new.data)
    await _require_none_under_way(session, parcel, new.location_id)
    return parcel


async def option_of(session: AsyncSession, order: Order) -> ShippingOption:
    """The shipping option that was bought with the order.

    Raises:
        NotAllowed: it is gone.
    """
    option = await session.get(ShippingOption, order.shipping_option_id or "")
    if option is None:
        raise NotAllowed("The order's shipping option is gone: nobody ships it")
    return option


async def leaving_from(
    session: AsyncSession, parcel: Parcel, wanted: str | None, preferred: str | None
) -> StockLocation:
    """The location that the parcel leaves from: the `wanted` one, where its units are reserved from now on.

    Without one it is where they are reserved: `preferred` before the option's location, and that before others. It is
    the option's for units that are reserved in several places.

    Raises:
        NotFound: there is no such location.
        InvalidData: too few of the units are stocked there.
    """
    cart_id, units = parcel.order.cart_id, parcel.units
    if wanted is None:
        held = await stock_fulfillment.reserved_at(session, cart_id)
        usual = await location_of(session, parcel.option)
        places = [place for place, there in held.items() if units <= Counter(there)]
        if preferred in places:
            return await find_location(session, preferred)
        if usual.id in places or not places:
            return usual
        return await find_location(session, places[0])
    location = await find_location(session, wanted)
    try:
        await stock_fulfillment.reserve_at(session, cart_id, units, location.id)
    except InsufficientStock:
        raise InvalidData(f"Not enough stock available for the items at location {location.id}") from None
    return location


async def label_for(
    session: AsyncSession, settings: Settings, parcel: Parcel, location: StockLocation
) -> NewLabel:
    """The label that the parcel needs to leave from the location."""
    order, lines = parcel.order, parcel.lines
    effective = await read_effective_settings(session, settings)
    return NewLabel(
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
            max_price=shipping_of(order).amount + effective.label_over_paid,
        ),
        items=parcel.items,
        data=parcel.said,
    )


async def _wanted_lines(
    session: AsyncSession, order: Order, wanted: Mapping[str, int]
) -> list[tuple[OrderLine, int]]:
    lines = {line.id: line for line in await lines_of_order(session, order.id)}
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


async def _require_none_under_way(session: AsyncSession, parcel: Parcel, location_id: str | None) -> None:
    """While a label of the order is not decided, its units stay reserved where they are.

    One that was made and whose units are not packed may be asked for again, as it is: that packs them.

    Raises:
        Conflict: there is such a label.
    """
    for fulfillment in await fulfillments_of_order(session, parcel.order.id):
        if fulfillment.state not in (LabelState.CREATED, LabelState.CANCELED):
            require_retryable(fulfillment)
        elif fulfillment.state == LabelState.CREATED and PACKED not in fulfillment.data:
            is_same = fulfillment.items == parcel.items and location_id in (None, fulfillment.location_id)
            if not is_same:
                raise Conflict(SENT_MEANWHILE)


async def _finished_before(session: AsyncSession, order_id: str) -> int:
    """How many fulfillments of the order were packed or cancelled. One under way keeps its number until then."""
    return sum(
        PACKED in fulfillment.data or fulfillment.state == LabelState.CANCELED
        for fulfillment in await fulfillments_of_order(session, order_id)
    )


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

"""Orders as staff see them: with whose document the invoice is for, and the relations that only staff may ask for."""

from collections.abc import Sequence
from typing import cast

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.products.sales_channels import the_profile
from backend.channels.answers import ChannelOut, RegionOut
from backend.channels.models import Region, SalesChannel
from backend.channels.wire import channel_wire, profile_wire, region_wire
from backend.customers.answers import PersonOut
from backend.customers.directory import person_wire, persons_by_id
from backend.inventory_items.service import linked_items_of
from backend.orders.answers import OrderWithPayer, StaffOrderOut
from backend.orders.models import Order
from backend.orders.wire.orders import PLAIN, OrderView, buyer_of, orders_wire
from backend.staff.rights import Actor, Right


async def orders_for_staff(
    session: AsyncSession, actor: Actor, orders: Sequence[Order], view: OrderView = PLAIN
) -> list[StaffOrderOut]:
    """The orders, each with its payer, and with what was asked for of customer, channel, region and stock.

    An actor who may not see customers gets neither e-mail nor document.
    """
    actor.require(Right.READ_ORDERS)
    plain = await orders_wire(session, orders, view)
    shown = [
        cast(StaffOrderOut, OrderWithPayer(**wire, payer=order.payer))
        for wire, order in zip(plain, orders, strict=True)
    ]
    wants = view.fields.wants
    customers = await _customers(session, orders) if wants("customer") else None
    channels = await _channels(session, orders) if wants("sales_channel") else None
    regions = await _regions(session, orders) if wants("region") else None
    for wire, order in zip(shown, orders, strict=True):
        if not actor.may(Right.READ_CUSTOMERS):
            _hide_buyer(wire)
        if customers is not None and actor.may(Right.READ_CUSTOMERS):
            wire["customer"] = customers.get(buyer_of(order) or "")
        if channels is not None:
            wire["sales_channel"] = channels.get(order.sales_channel_id)
        if regions is not None:
            wire["region"] = regions.get(order.region_id)
    if wants("items.variant.inventory_items"):
        await _add_stock(session, shown)
    if wants("items.variant.product.shipping_profile"):
        await _add_profile(session, shown)
    return shown


def _hide_buyer(wire: StaffOrderOut) -> None:
    """Take the buyer's e-mail and document out of an order."""
    wire["email"] = wire["payer"] = None
    for collection in wire["payment_collections"]:
        for payment in collection["payment_sessions"]:
            payment["data"] = {}


async def _customers(session: AsyncSession, orders: Sequence[Order]) -> dict[str, PersonOut]:
    ids = {buyer for order in orders if (buyer := buyer_of(order)) is not None}
    return {id_: person_wire(person) for id_, person in (await persons_by_id(session, ids)).items()}


async def _channels(session: AsyncSession, orders: Sequence[Order]) -> dict[str, ChannelOut]:
    ids = {order.sales_channel_id for order in orders}
    rows = await session.execute(select(SalesChannel).where(SalesChannel.id.in_(ids)))
    return {channel.id: channel_wire(channel) for channel in rows.scalars()}


async def _regions(session: AsyncSession, orders: Sequence[Order]) -> dict[str, RegionOut]:
    rows = await session.execute(select(Region).where(Region.id.in_({order.region_id for order in orders})))
    return {region.id: region_wire(region) for region in rows.scalars()}


async def _add_stock(session: AsyncSession, shown: Sequence[StaffOrderOut]) -> None:
    """What is stocked of each line's variant; shoppers are never shown it."""
    lines = [line for order in shown for line in order["items"]]
    items = await linked_items_of(session, {line["variant_id"] for line in lines if line["variant_id"]})
    for line in lines:
        line["variant"] = {**line["variant"], "inventory_items": items.get(line["variant_id"], [])}


async def _add_profile(session: AsyncSession, shown: Sequence[StaffOrderOut]) -> None:
    """How each line's product is shipped: everything alike, by the shop's one profile."""
    profile = await the_profile(session)
    wire = profile and profile_wire(profile)
    for line in (line for order in shown for line in order["items"]):
        variant = line["variant"]
        line["variant"] = {**variant, "product": {**variant["product"], "shipping_profile": wire}}

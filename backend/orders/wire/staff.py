"""Orders for staff: with the payer's identity document, and the relations that only staff may request."""

from collections.abc import Sequence
from typing import cast

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.products.sales_channels import read_shipping_profile
from backend.channels.answers import ChannelOut, RegionOut
from backend.channels.models import Region, SalesChannel
from backend.channels.wire import channel_wire, profile_wire, region_wire
from backend.customers.answers import PersonOut
from backend.customers.directory import person_wire, persons_by_id
from backend.inventory_items.service import read_linked_items
from backend.orders.answers import OrderWithPayer, StaffOrderOut
from backend.orders.models import Order
from backend.orders.wire.orders import PLAIN, OrderView, get_customer_id, orders_wire
from backend.staff.rights import Actor, Right


async def orders_for_staff(
    session: AsyncSession, actor: Actor, orders: Sequence[Order], view: OrderView = PLAIN
) -> list[StaffOrderOut]:
    """Return the orders, each with its payer and the requested relations: customer, channel, region and stock.

    Without the right to see customers, e-mail address and identity document are left out.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    plain = await orders_wire(session, orders, view)
    shown = [
        cast(StaffOrderOut, OrderWithPayer(**wire, payer=order.payer))
        for wire, order in zip(plain, orders, strict=True)
    ]
    wants = view.fields.wants
    customers = await _read_customers(session, orders) if wants("customer") else None
    channels = await _read_channels(session, orders) if wants("sales_channel") else None
    regions = await _read_regions(session, orders) if wants("region") else None
    for wire, order in zip(shown, orders, strict=True):
        if not actor.may(Right.READ_CUSTOMERS):
            _hide_customer(wire)
        if customers is not None and actor.may(Right.READ_CUSTOMERS):
            wire["customer"] = customers.get(get_customer_id(order) or "")
        if channels is not None:
            wire["sales_channel"] = channels.get(order.sales_channel_id)
        if regions is not None:
            wire["region"] = regions.get(order.region_id)
    if wants("items.variant.inventory_items"):
        await _add_stock(session, shown)
    if wants("items.variant.product.shipping_profile"):
        await _add_profile(session, shown)
    return shown


def _hide_customer(wire: StaffOrderOut) -> None:
    """Remove the customer's e-mail and document, and the data of the payments, from an order."""
    wire["email"] = wire["payer"] = None
    for collection in wire["payment_collections"]:
        for payment in collection["payment_sessions"]:
            payment["data"] = {}


async def _read_customers(session: AsyncSession, orders: Sequence[Order]) -> dict[str, PersonOut]:
    ids = {customer_id for order in orders if (customer_id := get_customer_id(order)) is not None}
    return {id_: person_wire(person) for id_, person in (await persons_by_id(session, ids)).items()}


async def _read_channels(session: AsyncSession, orders: Sequence[Order]) -> dict[str, ChannelOut]:
    ids = {order.sales_channel_id for order in orders}
    rows = await session.execute(select(SalesChannel).where(SalesChannel.id.in_(ids)))
    return {channel.id: channel_wire(channel) for channel in rows.scalars()}


async def _read_regions(session: AsyncSession, orders: Sequence[Order]) -> dict[str, RegionOut]:
    rows = await session.execute(select(Region).where(Region.id.in_({order.region_id for order in orders})))
    return {region.id: region_wire(region) for region in rows.scalars()}


async def _add_stock(session: AsyncSession, shown: Sequence[StaffOrderOut]) -> None:
    """Add the inventory items of each line's variant, which shoppers never see."""
    lines = [line for order in shown for line in order["items"]]
    items = await read_linked_items(session, {line["variant_id"] for line in lines if line["variant_id"]})
    for line in lines:
        line["variant"] = {**line["variant"], "inventory_items": items.get(line["variant_id"], [])}


async def _add_profile(session: AsyncSession, shown: Sequence[StaffOrderOut]) -> None:
    """Add the shipping profile to each line's product: the shop has one profile for all products."""
    profile = await read_shipping_profile(session)
    wire = profile and profile_wire(profile)
    for line in (line for order in shown for line in order["items"]):
        variant = line["variant"]
        line["variant"] = {**variant, "product": {**variant["product"], "shipping_profile": wire}}

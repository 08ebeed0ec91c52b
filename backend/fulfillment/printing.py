"""Printed documents for parcels: the carriers' labels of several orders as one PDF, and packing slips."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.brand import Brand
from backend.content.palette import derive_variables
from backend.core import texts
from backend.core.dates import time_label
from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.core.templates import Templates, read_templates
from backend.core.texts import _
from backend.core.threads import Threads
from backend.core.web.contact import full_name
from backend.fulfillment.label_merging import merge_labels
from backend.orders.delivery_kinds import DeliveryKind, read_delivery_kinds
from backend.orders.gifts import read_gift_message
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.parties import find_party_name
from backend.orders.service import count_units_to_box, format_line_detail
from backend.orders.states import LabelState
from backend.shipping.addresses import format_address_lines
from backend.staff.rights import Actor, Right

MAX_PRINTED_ORDERS = 100
MERGERS = Threads("labels", 1)


@cache
def _read_slip_templates() -> Templates:
    return read_templates([Path(__file__).parent / "templates"])


@dataclass(frozen=True, slots=True)
class SlipItem:
    """Units of a product to put into the box."""

    units: int
    title: str
    code: str


@dataclass(frozen=True, slots=True)
class Slip:
    """A packing slip for one box: contents and recipient, without prices. A gift message has a separate page.

    `address` is empty if the customer collects the order.
    """

    number: int
    placed: str
    name: str
    phone: str
    address: list[str]
    shipping: str
    items: list[SlipItem]
    gift_message: str


async def merge_order_labels(database: Database, actor: Actor, order_ids: Sequence[str]) -> bytes:
    """Return the labels of these orders as one PDF, in the given order. Orders without a label are left out.

    Raises:
        NotFound: none of these orders has a label that can be printed.
    """
    actor.require(Right.READ_ORDERS)
    ids = list(order_ids)[:MAX_PRINTED_ORDERS]
    async with database.read() as session:
        query = select(Fulfillment.order_id, Fulfillment.reference, Fulfillment.label_pdf).where(
            Fulfillment.order_id.in_(ids),
            Fulfillment.state == LabelState.CREATED,
            Fulfillment.label_pdf.is_not(None),
        )
        found = (await session.execute(query.order_by(Fulfillment.id))).all()
    labels = sorted(found, key=lambda row: ids.index(row.order_id))
    merged = await MERGERS.run(merge_labels, [(row.reference, row.label_pdf) for row in labels])
    if merged is None:
        raise NotFound("None of these orders has a label to print")
    return merged


async def read_label_paths(session: AsyncSession, order_id: str) -> dict[str, str]:
    """Return the paths of the order's printable labels, by the id of the fulfillment."""
    query = select(Fulfillment.id).where(
        Fulfillment.order_id == order_id,
        Fulfillment.state == LabelState.CREATED,
        Fulfillment.label_pdf.is_not(None),
    )
    return {
        fulfillment_id: f"/admin/orders/{order_id}/fulfillments/{fulfillment_id}/label"
        for fulfillment_id in (await session.execute(query)).scalars()
    }


async def list_numbers_without_label(
    session: AsyncSession, actor: Actor, order_ids: Sequence[str]
) -> list[int]:
    """Return the numbers of the orders that have no label to print."""
    actor.require(Right.READ_ORDERS)
    printable = select(Fulfillment.order_id).where(
        Fulfillment.state == LabelState.CREATED, Fulfillment.label_pdf.is_not(None)
    )
    query = select(Order.number).where(Order.id.in_(order_ids), Order.id.not_in(printable))
    return [number or 0 for number in (await session.execute(query.order_by(Order.number))).scalars()]


async def render_packing_slips(
    session: AsyncSession, actor: Actor, brand: Brand, order_ids: Sequence[str]
) -> str:
    """Return the packing slips of the orders as HTML with the shop's brand, one page per order, in the given order.

    Raises:
        NotFound: none of these orders exists.
    """
    actor.require(Right.READ_ORDERS)
    ids = list(order_ids)[:MAX_PRINTED_ORDERS]
    orders = (await session.execute(select(Order).where(Order.id.in_(ids)))).scalars().all()
    if not orders:
        raise NotFound("None of these orders exists")
    query = select(OrderLine).where(OrderLine.order_id.in_(ids)).order_by(OrderLine.id)
    lines = (await session.execute(query)).scalars().all()
    kinds = await read_delivery_kinds(session, orders)
    slips = [
        _build_slip(order, kinds[order.id], [line for line in lines if line.order_id == order.id])
        for order in sorted(orders, key=lambda order: ids.index(order.id))
    ]
    page = _read_slip_templates().get_template("packing_slips.html.jinja")
    return page.render(
        slips=slips,
        shop=brand.name,
        logo=brand.logo,
        colors=derive_variables(brand.palette),
        language=texts.language,
        _=_,
    )


def _build_slip(order: Order, kind: DeliveryKind, lines: Sequence[OrderLine]) -> Slip:
    names = {DeliveryKind.OWN: _("Entrega propia"), DeliveryKind.PICKUP: _("Recoge en tienda")}
    address, units = order.shipping_address, count_units_to_box(lines)
    return Slip(
        number=order.number or 0,
        placed=time_label(order.created_at),
        name=full_name(address or find_party_name(order.billing_address, None, "")._asdict()),
        phone=str(address.get("phone") or ""),
        address=[] if kind is DeliveryKind.PICKUP else format_address_lines(address),
        shipping=" · ".join(filter(None, (names.get(kind, ""), order.shipping_name))),
        items=[
            SlipItem(
                units[line.id],
                line.title,
                format_line_detail(line),
            )
            for line in lines
            if line.id in units
        ],
        gift_message=read_gift_message(order.meta),
    )

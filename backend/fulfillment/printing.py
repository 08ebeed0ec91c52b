"""What is printed for a parcel: the carrier's labels of several orders as one document, and packing slips."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core import texts
from backend.core.dates import time_label
from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.core.templates import Templates, read_templates
from backend.core.texts import _
from backend.core.threads import Threads
from backend.core.web.contact import full_name
from backend.fulfillment.label_merging import merge_labels
from backend.orders.gifts import gift_message
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.service import units_to_box
from backend.orders.states import LabelState
from backend.shipping.addresses import address_lines
from backend.staff.rights import Actor, Right

MOST_AT_ONCE = 100
MERGERS = Threads("labels", 1)


@cache
def _pages() -> Templates:
    return read_templates([Path(__file__).parent / "templates"])


@dataclass(frozen=True, slots=True)
class SlipItem:
    """Units of a toy to put into the box."""

    units: int
    title: str
    code: str


@dataclass(frozen=True, slots=True)
class Slip:
    """What goes into the next box of an order, and where it goes; no prices. A gift's message has a page of its own."""

    number: int
    placed: str
    name: str
    phone: str
    address: list[str]
    shipping: str
    items: list[SlipItem]
    gift_message: str


async def merged_labels(database: Database, actor: Actor, order_ids: Sequence[str]) -> bytes:
    """The labels of these orders as one PDF, in the orders' order. Orders without a label are left out.

    Raises:
        NotFound: none of them has a label that can be printed.
    """
    actor.require(Right.READ_ORDERS)
    wanted = list(order_ids)[:MOST_AT_ONCE]
    async with database.read() as session:
        made = select(Fulfillment.order_id, Fulfillment.reference, Fulfillment.label_pdf).where(
            Fulfillment.order_id.in_(wanted),
            Fulfillment.state == LabelState.CREATED,
            Fulfillment.label_pdf.is_not(None),
        )
        found = (await session.execute(made.order_by(Fulfillment.id))).all()
    labels = sorted(found, key=lambda row: wanted.index(row.order_id))
    merged = await MERGERS.run(merge_labels, [(row.reference, row.label_pdf) for row in labels])
    if merged is None:
        raise NotFound("None of these orders has a label to print")
    return merged


async def without_label(session: AsyncSession, actor: Actor, order_ids: Sequence[str]) -> list[int]:
    """The numbers of those of the orders that have no label to print."""
    actor.require(Right.READ_ORDERS)
    printable = select(Fulfillment.order_id).where(
        Fulfillment.state == LabelState.CREATED, Fulfillment.label_pdf.is_not(None)
    )
    query = select(Order.number).where(Order.id.in_(order_ids), Order.id.not_in(printable))
    return [number or 0 for number in (await session.execute(query.order_by(Order.number))).scalars()]


async def packing_slips(session: AsyncSession, actor: Actor, shop_name: str, order_ids: Sequence[str]) -> str:
    """A page in HTML an order, to print: what goes into its box, and where it goes. In the order of the ids.

    Raises:
        NotFound: there is none of these orders.
    """
    actor.require(Right.READ_ORDERS)
    wanted = list(order_ids)[:MOST_AT_ONCE]
    orders = (await session.execute(select(Order).where(Order.id.in_(wanted)))).scalars().all()
    if not orders:
        raise NotFound("There is none of these orders")
    query = select(OrderLine).where(OrderLine.order_id.in_(wanted)).order_by(OrderLine.id)
    lines = (await session.execute(query)).scalars().all()
    slips = [
        _slip(order, [line for line in lines if line.order_id == order.id])
        for order in sorted(orders, key=lambda order: wanted.index(order.id))
    ]
    page = _pages().get_template("packing_slips.html.jinja")
    return page.render(slips=slips, shop=shop_name, language=texts.language, _=_)


def _slip(order: Order, lines: Sequence[OrderLine]) -> Slip:
    address, units = order.shipping_address, units_to_box(lines)
    return Slip(
        number=order.number or 0,
        placed=time_label(order.created_at),
        name=full_name(address),
        phone=str(address.get("phone") or ""),
        address=address_lines(address),
        shipping=order.shipping_name,
        items=[
            SlipItem(
                units[line.id],
                line.title,
                " · ".join(filter(None, (line.variant_title, line.sku or ""))),
            )
            for line in lines
            if line.id in units
        ],
        gift_message=gift_message(order.meta),
    )

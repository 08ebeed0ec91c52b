"""The packing screen: the order that has waited longest, with the content of its box."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.bar_codes import equivalent_codes
from backend.catalog.models import Variant
from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.dates import day_label
from backend.core.errors import NotFound
from backend.fulfillment.parcels import count_finished
from backend.fulfillment.printing import read_label_paths
from backend.office.customer_labels import recipient_name
from backend.office.orders.listing import describe_difference
from backend.office.orders.timeline import PACKED_ACTIONS, describe_last_action
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.gifts import read_gift_message
from backend.orders.models import Fulfillment, Order, OrderLine, OrderNote
from backend.orders.money.captured_money import read_order_money
from backend.orders.packing_holds import IS_HELD, is_held
from backend.orders.search import TO_PACK
from backend.orders.service import count_units_to_box, format_line_detail, list_order_lines, read_order
from backend.orders.states import LabelState
from backend.shipping.providers.base import IS_TEST_LABEL
from backend.staff.rights import Actor, Right

DOUBTFUL = (LabelState.UNKNOWN, LabelState.TOO_EXPENSIVE)
UNDECIDED = (*DOUBTFUL, LabelState.CREATING)
_LABEL_IS_PENDING = exists().where(Fulfillment.order_id == Order.id, Fulfillment.state.in_(UNDECIDED))
"""SQL condition: a label of the order is being created or waits for a decision, so it cannot be packed now."""


@dataclass(frozen=True, slots=True)
class PackLine:
    """Units to put into the box. `codes`: the SKU and bar codes that a scanner can read on them, in capitals."""

    id: str
    title: str
    detail: str
    units: int
    codes: list[str]
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class PackedParcel:
    """A packed parcel of the order, with its label if a carrier needs one.

    Attributes:
        reference: the shop's number of the parcel, such as `1024-1`.
        guide: the tracking number; empty without one.
        label_path: path of the label's file; empty without one.
        is_test: True if no courier picks up the parcel.
    """

    id: str
    reference: str
    guide: str
    label_path: str
    is_test: bool


@dataclass(frozen=True, slots=True)
class PackOrder:
    """An order to pack.

    Attributes:
        is_pickup: True if its customer collects it.
        is_own: True if the shop itself delivers it.
        needs_label: True if a carrier needs a label for it.
        state: `open` (to be packed), `packed`, `doubt` (its label waits for a decision), `held` (its
            payment waits for a decision: `backend.orders.packing_holds`), `busy` (its label is being created) or
            `closed` (cancelled or not paid).
        difference: difference between the paid amount and the total, as a sentence; empty if there is none.
        gift_message: text to print for the box; empty without one.
        parcels: number of its finished fulfillments. `send_units` compares it with the current number.
        made: its packed parcels.
        packed_by: the staff member who packed the order, and when; empty until it is packed.
    """

    id: str
    number: int
    customer_name: str
    town: str
    since_label: str
    is_pickup: bool
    is_own: bool
    needs_label: bool
    notes: list[str]
    difference: str
    gift_message: str
    lines: list[PackLine]
    state: str
    parcels: int
    made: list[PackedParcel]
    packed_by: str


@dataclass(frozen=True, slots=True)
class PackView:
    """The packing screen.

    Attributes:
        waiting: number of orders that can be packed.
        doubtful: number of orders whose label waits for a decision.
        held: number of orders whose payment waits for a decision.
    """

    waiting: int
    doubtful: int
    held: int
    order: PackOrder | None


async def pack_view(session: AsyncSession, actor: Actor, order_id: str = "", *, after: str = "") -> PackView:
    """Return the order to pack and the number of waiting orders.

    Args:
        session: for reading.
        actor: the staff member who packs.
        order_id: the order to return; empty for the order that has waited longest.
        after: if `order_id` is empty, return the waiting order that follows the order with this id. After the
            newest order, start again with the oldest.

    Raises:
        Forbidden: the actor may not pack.
        NotFound: the order does not exist.
    """
    actor.require(Right.FULFILL)
    can_pack = select(func.count()).select_from(Order).where(TO_PACK, ~_LABEL_IS_PENDING, ~IS_HELD)
    waiting = (await session.execute(can_pack)).scalar_one()
    in_hold = select(func.count()).select_from(Order).where(TO_PACK, ~_LABEL_IS_PENDING, IS_HELD)
    held = (await session.execute(in_hold)).scalar_one()
    in_doubt = select(func.count(Fulfillment.order_id.distinct())).where(Fulfillment.state.in_(DOUBTFUL))
    doubtful = (await session.execute(in_doubt)).scalar_one()
    order = await read_order(session, order_id) if order_id else await _next_order(session, after)
    return PackView(waiting, doubtful, held, await _pack_order(session, order) if order else None)


async def _next_order(session: AsyncSession, after: str) -> Order | None:
    oldest = (
        select(Order)
        .where(TO_PACK, ~_LABEL_IS_PENDING, ~IS_HELD)
        .order_by(Order.paid_at, Order.number)
        .limit(1)
    )
    if after:
        try:
            last = await read_order(session, after)
        except NotFound:
            last = None
        if last is not None and last.paid_at is not None:
            later = oldest.where(tuple_(Order.paid_at, Order.number) > (last.paid_at, last.number))
            following = (await session.execute(later)).scalar_one_or_none()
            if following is not None:
                return following
    return (await session.execute(oldest)).scalar_one_or_none()


async def _pack_order(session: AsyncSession, order: Order) -> PackOrder:
    lines = await list_order_lines(session, order.id)
    fulfillments = await list_order_fulfillments(session, order.id)
    label_paths = await read_label_paths(session, order.id)
    kind, _note = await read_delivery(session, order)
    state = _pack_state(order, lines, {one.state for one in fulfillments})
    if state == "open" and await is_held(session, order.id):
        state = "held"
    is_packed = state == "packed"
    units = count_units_to_box(lines)
    shown = [line for line in lines if line.id in units]
    pictures = await line_pictures(session, shown)
    bar_codes = await _bar_codes(session, [line.variant_id for line in shown])
    notes = select(OrderNote.text).where(OrderNote.order_number == order.number).order_by(OrderNote.id)
    return PackOrder(
        id=order.id,
        number=order.number or 0,
        customer_name=recipient_name(order),
        town=str(order.shipping_address.get("city") or ""),
        since_label=day_label(order.paid_at or order.created_at),
        is_pickup=kind is DeliveryKind.PICKUP,
        is_own=kind is DeliveryKind.OWN,
        needs_label=kind.has_label,
        difference=describe_difference(await read_order_money(session, order)),
        gift_message=read_gift_message(order.meta),
        notes=list((await session.execute(notes)).scalars()),
        lines=[
            _pack_line(
                line, units[line.id], pictures.get(line.variant_id), bar_codes.get(line.variant_id, "")
            )
            for line in shown
        ],
        state=state,
        parcels=count_finished(fulfillments),
        made=[
            _packed_parcel(one, label_paths.get(one.id, ""))
            for one in fulfillments
            if one.state == LabelState.CREATED
        ],
        packed_by=await describe_last_action(session, order.id, PACKED_ACTIONS) if is_packed else "",
    )


def _packed_parcel(one: Fulfillment, label_path: str) -> PackedParcel:
    return PackedParcel(
        id=one.id,
        reference=one.reference,
        guide=one.tracking_number or "",
        label_path=label_path,
        is_test=bool(one.data.get(IS_TEST_LABEL)),
    )


def _pack_state(order: Order, lines: Sequence[OrderLine], labels: set[str]) -> str:
    if labels & set(DOUBTFUL):
        return "doubt"
    if LabelState.CREATING in labels:
        return "busy"
    if lines and all(line.quantity <= line.fulfilled + line.withdrawn for line in lines):
        return "packed"
    is_open = order.status == "pending" and order.payment_status in {
        "captured",
        "partially_refunded",
        "authorized",
        "partially_captured",
    }
    return "open" if is_open else "closed"


def _pack_line(line: OrderLine, units: int, picture: PictureView | None, bar_code: str) -> PackLine:
    return PackLine(
        id=line.id,
        title=line.title,
        detail=format_line_detail(line),
        units=units,
        codes=[
            *([line.sku.strip().upper()] if line.sku else []),
            *(equivalent_codes(bar_code) if bar_code else []),
        ],
        picture=picture,
    )


async def _bar_codes(session: AsyncSession, variant_ids: Sequence[str]) -> dict[str, str]:
    """Return the bar codes (EAN) that these variants have in the catalogue now, by variant id."""
    query = select(Variant.id, Variant.ean).where(Variant.id.in_(variant_ids), Variant.ean.is_not(None))
    return {variant_id: code or "" for variant_id, code in (await session.execute(query)).all()}

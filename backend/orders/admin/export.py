"""Export of orders as a CSV file, one row per order with its customer. The file contains personal data."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.dates import TIME_ZONE
from backend.core.db.database import Database
from backend.core.spreadsheet import format_csv_for_people
from backend.core.texts import _
from backend.orders.delivery_kinds import DeliveryKind, read_delivery_kinds
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.parties import find_party_name, format_party_name
from backend.orders.search import find_orders_with_money_to_accept, read_page_where
from backend.orders.state_labels import LABELS_BY_KIND, ORDER_LABELS, get_payment_label
from backend.orders.states import LabelState
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.states import SessionState
from backend.staff.rights import Actor, Right

BATCH_SIZE = 500
MAX_ORDERS = 20_000
COLUMNS = (
    _("Pedido"),
    _("Fecha"),
    _("Estado"),
    _("Pago"),
    _("Despacho"),
    _("Nombre"),
    _("Correo"),
    _("Teléfono"),
    _("Documento"),
    _("A nombre de"),
    _("Dirección"),
    _("Ciudad"),
    _("Departamento"),
    _("Productos"),
    _("Subtotal"),
    _("Envío"),
    _("Total"),
    _("Guía"),
    _("CUS"),
)


async def export_orders_csv(
    database: Database, actor: Actor, conditions: Sequence[ColumnElement[bool]]
) -> str:
    """Return the orders as CSV with a header row; amounts in whole pesos, times in Colombian time.

    The export is recorded in the audit log.

    Args:
        database: the database with the orders.
        actor: the staff member who exports them.
        conditions: SQL conditions on `Order`. If more than `MAX_ORDERS` orders match, only the newest are exported.

    Raises:
        Forbidden: the actor may not export personal data.
    """
    actor.require(Right.EXPORT_PERSONAL_DATA)
    async with database.transaction() as session:
        await record(session, actor, "exported", Subject(SubjectType.EXPORT, "orders"))
    parts = [format_csv_for_people([COLUMNS], is_beginning=True)]
    cursor, exported_count = "", 0
    while exported_count < MAX_ORDERS:
        async with database.read() as session:
            orders, cursor = await read_page_where(session, actor, conditions, BATCH_SIZE, cursor)
            parts.append(format_csv_for_people(await order_rows(session, orders), is_beginning=False))
        exported_count += len(orders)
        if not cursor:
            break
    return "".join(parts)


async def order_rows(session: AsyncSession, orders: Sequence[Order]) -> list[Sequence[object]]:
    """Return one row per order, with the cells in the order of `COLUMNS`. The caller has checked the actor's rights."""
    ids = [order.id for order in orders]
    items: dict[str, list[str]] = {}
    sold = select(OrderLine.order_id, OrderLine.quantity, OrderLine.title).where(OrderLine.order_id.in_(ids))
    for order_id, quantity, title in await session.execute(sold.order_by(OrderLine.id)):
        items.setdefault(order_id, []).append(f"{quantity} × {title}")
    labels = select(Fulfillment.order_id, Fulfillment.tracking_number).where(
        Fulfillment.order_id.in_(ids), Fulfillment.state == LabelState.CREATED
    )
    guides: dict[str, list[str]] = {}
    for order_id, guide in await session.execute(labels.order_by(Fulfillment.id)):
        guides.setdefault(order_id, []).append(guide or "")
    paid = (
        select(PaymentCollection.cart_id, PaymentSession.transaction_id)
        .join(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
        .where(
            PaymentCollection.cart_id.in_([order.cart_id for order in orders]),
            PaymentSession.state == SessionState.CAPTURED,
        )
    )
    codes = {cart_id: code or "" for cart_id, code in await session.execute(paid)}
    kinds = await read_delivery_kinds(session, orders)
    unaccepted = await find_orders_with_money_to_accept(session, ids)
    return [
        _order_row(
            order,
            items.get(order.id, []),
            guides.get(order.id, []),
            codes.get(order.cart_id, ""),
            kind=kinds[order.id],
            payment_label=get_payment_label(order.payment_status, has_money_to_accept=order.id in unaccepted),
        )
        for order in orders
    ]


def _order_row(
    order: Order,
    items: Sequence[str],
    guides: Sequence[str],
    code: str,
    *,
    kind: DeliveryKind,
    payment_label: str,
) -> Sequence[object]:
    address, payer = order.shipping_address, order.payer or {}
    return (
        order.number,
        order.created_at.astimezone(TIME_ZONE).strftime("%Y-%m-%d %H:%M"),
        ORDER_LABELS[order.status],
        payment_label,
        LABELS_BY_KIND[kind][order.fulfillment_status],
        format_party_name(find_party_name(None, address, "")),
        order.email,
        address.get("phone"),
        " ".join(filter(None, (payer.get("doc_type"), payer.get("doc_number")))),
        format_party_name(find_party_name(order.billing_address, address, str(payer.get("doc_type") or ""))),
        ", ".join(filter(None, (address.get("address_1"), address.get("address_2")))),
        address.get("city"),
        address.get("province"),
        "; ".join(items),
        order.item_total,
        order.shipping_total,
        order.total,
        " ".join(filter(None, guides)),
        code,
    )

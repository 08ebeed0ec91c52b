"""Confirm an edit: lines, price, stock, promotions, invoice and the money that is owed change in one transaction.

The cart is locked first, then the order, like everywhere else. Everything is read again under the locks: packing, a
return, a cancellation or another edit may have come first.
"""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.audit import Subject, SubjectType, record
from backend.cart.access import lock_cart
from backend.checkout.quotes.own_delivery_prices import require_unchanged_zone
from backend.checkout.quotes.unquoted_delivery import report_unquoted
from backend.core.db.database import database_now
from backend.core.db.tables import insert_row
from backend.core.errors import InsufficientStock, InvalidData, NotAllowed, TotalChanged
from backend.core.events import publish
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory import service as inventory
from backend.order_edits.difference import settle_difference
from backend.order_edits.editability import require_editable
from backend.order_edits.edited_order import EditedOrder, compute_edited_order
from backend.order_edits.edited_shipping import EditedShipping
from backend.order_edits.editing import check_reason, lock_edit, read_edit
from backend.order_edits.models import EditStatus, OrderEdit
from backend.orders.events import OrderEdited
from backend.orders.models import Order
from backend.orders.preorders import find_ready_day
from backend.orders.search import index_order
from backend.orders.service import SoldShipping, read_order, update_fulfillment_status
from backend.payment.sessions import read_cart_payments
from backend.pricing import SHIPPING
from backend.promotions.uses import confirm_uses, lock_promotions, reserve_uses
from backend.shipping.delivery_promise import parse_promised_day
from backend.staff.rights import Actor, Right


class EditTotalChanged(TotalChanged):
    """The total of the order would differ from the total that the actor saw."""

    staff_text = _("El total cambió. Míralo y guárdalo otra vez.")


class ShippingOutdated(NotAllowed):
    """The shipping that the edit chose was priced for other products or another address."""

    staff_text = _("Cambiaron los productos o la dirección después de elegir el envío: elígelo otra vez.")


async def confirm_edit(
    session: AsyncSession,
    actor: Actor,
    edit_id: str,
    *,
    expected_total: Cop | None = None,
    reason: str = "",
) -> OrderEdit:
    """Apply the edit to its order. If it is already confirmed, change nothing.

    If the order costs more than was paid, packing waits until the difference is paid; if it costs less, an attention
    row asks staff to refund the difference.

    Args:
        session: a transaction.
        actor: the staff member or key.
        edit_id: the edit.
        expected_total: the total of the order that the actor saw; None to accept any.
        reason: replaces the reason of the edit, if it is not empty.

    Raises:
        NotFound: there is no such edit.
        EditEnded: the edit was cancelled.
        NotEditable, DifferenceAtBank: see `backend.order_edits.editability.require_editable`.
        InvalidData: the edit changes nothing, leaves no units or a total of 0 in a paid order, adds units
            that are no longer for sale, or the reason is too long.
        InsufficientStock: units are not in stock.
        ShippingOutdated: the chosen shipping was priced for other products or another address.
        OptionNotOffered, TotalChanged: the chosen own delivery is not offered any more, or has another price.
        EditTotalChanged: the total of the order would not be `expected_total`.
    """
    actor.require(Right.EDIT_ORDERS)
    known = await read_edit(session, actor, edit_id)
    await lock_cart(session, (await read_order(session, known.order_id)).cart_id)
    if (await session.get_one(OrderEdit, edit_id, populate_existing=True)).status == EditStatus.CONFIRMED:
        return known
    locked = await lock_edit(session, actor, edit_id)
    order, edit = locked.order, locked.edit
    await require_editable(session, order)
    edited = await compute_edited_order(session, order, edit)
    _require_confirmable(edited, expected_total)
    await _require_same_zone(session, edited)
    total = edited.totals.total
    edit.reason = check_reason(reason) or edit.reason
    change: dict[str, Any] = {"total": (order.total, total), "reason": (None, edit.reason or None)}
    if edited.shipping is not None and edited.is_shipping_changed:
        change["shipping"] = (order.shipping_name, edited.shipping.name)
    await record(session, actor, "order edited", Subject(SubjectType.ORDER, order.id), change)
    claims = edited.to_claims()
    await lock_promotions(session, claims)
    await reserve_uses(session, claims)
    await confirm_uses(session, claims)
    await inventory.reserve(session, order.cart_id, edited.units, until=None)
    edit.changes, edit.total_before, edit.total_after = edited.changes, order.total, total
    edit.status, edit.confirmed_by = EditStatus.CONFIRMED, actor.id
    edit.confirmed_at = await database_now(session)
    await _store_content(session, order, edited)
    if edited.shipping is not None:
        await _store_shipping(session, order, edited, edited.shipping, edit.confirmed_at)
    await close_attention(session, AttentionKind.STOCK_SHORT, order.id, note="The order was edited")
    await settle_difference(session, order)
    await publish(session, OrderEdited(order.id, edit.id))
    return edit


def _require_confirmable(edited: EditedOrder, expected_total: Cop | None) -> None:
    if not edited.is_changed:
        raise InvalidData("The edit changes nothing", staff_text=_("Todavía no cambiaste nada."))
    if not edited.remaining or (edited.held and not edited.totals.total):
        raise InvalidData(
            "Nothing that costs money would remain: return the order instead",
            staff_text=_("Así no queda nada que pagar. Si no quiere nada, abre una devolución."),
        )
    if edited.missing:
        named = ", ".join(f"{count} of {variant_id}" for variant_id, count in sorted(edited.missing.items()))
        raise InsufficientStock(f"Units are missing: {named}", staff_text=_("No quedan tantas unidades."))
    if edited.is_shipping_outdated:
        raise ShippingOutdated(f"The shipping of edit {edited.edit.id} was priced for another content")
    if expected_total not in (None, edited.totals.total):
        raise EditTotalChanged(
            f"The total would be {edited.totals.total}, not {expected_total}: show it and ask again"
        )


async def _require_same_zone(session: AsyncSession, edited: EditedOrder) -> None:
    if edited.shipping is not None:
        sold = SoldShipping(
            edited.shipping.option_id, edited.shipping.name, edited.shipping.amount, edited.shipping.data
        )
        await require_unchanged_zone(session, sold, edited.contents.dane_code)


async def _store_shipping(
    session: AsyncSession, order: Order, edited: EditedOrder, shipping: EditedShipping, moment: datetime
) -> None:
    """Replace the shipping of the (locked) order. The promised day is counted from `moment`."""
    ready_on = find_ready_day(one.line.facts for one in edited.remaining)
    order.shipping_option_id, order.shipping_name = shipping.option_id, shipping.name
    order.shipping_tax_rate = edited.totals.shipping.tax_rate
    order.shipping_data = shipping.build_sold_data(ready_on, moment)
    order.promised_day = parse_promised_day(order.shipping_data)
    await session.flush()
    await close_attention(session, AttentionKind.NO_COURIER, order.id, note="The shipping was changed")
    await report_unquoted(session, order)


async def _store_content(session: AsyncSession, order: Order, edited: EditedOrder) -> None:
    """Store the edited lines, discounts and totals in the (locked) order and its payment collection."""
    for one in edited.lines:
        if not one.quantity:
            await session.delete(one.line)
        elif not one.is_new:
            one.line.quantity = one.quantity
    await session.flush()
    targets = []
    for one in edited.remaining:
        if one.is_new:
            one.line.id = new_id("ordli")
            await insert_row(session, one.line)
        targets.append(one.line.id)
    totals = edited.totals
    parts = zip((*targets, SHIPPING), (*totals.lines, totals.shipping), strict=True)
    order.adjustments = [
        asdict(replace(taken, target=target)) for target, part in parts for taken in part.adjustments
    ]
    order.item_total, order.shipping_total, order.total = (
        totals.item_total,
        totals.shipping_total,
        totals.total,
    )
    collection = (await read_cart_payments(session, order.cart_id)).collection
    if collection is not None:
        collection.amount = totals.total
    await session.flush()
    await index_order(session, order)
    await update_fulfillment_status(session, order)

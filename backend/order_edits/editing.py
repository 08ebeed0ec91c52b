"""Prepare an edit of an order: begin it, add and change units, request or cancel it. The order does not change.

Every step locks the order first. So two staff members who edit the same order change the same edit, one after the
other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.lines import MAX_QUANTITY
from backend.core.db.database import database_now
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.order_edits.editability import require_editable
from backend.order_edits.edited_order import EditedOrder, compute_edited_order, list_actions, read_new_line
from backend.order_edits.models import OPEN_STATUSES, ActionKind, EditStatus, OrderEdit, OrderEditAction
from backend.orders.models import Order, OrderLine
from backend.orders.preorders import has_same_preorder
from backend.orders.service import list_order_lines, lock_order, read_order
from backend.staff.rights import Actor, Right

AUDIT_ACTION = "order edit written"
MAX_REASON_LENGTH = 500
NO_EDIT = OrderEdit(id="", order_id="", created_by="")
"""An edit without changes, for an order that has no open one."""


class EditExists(NotAllowed):
    """The order has an open edit."""

    staff_text = _("Ya hay un cambio abierto de este pedido.")

    def __init__(self, order_id: str) -> None:
        super().__init__(f"Order {order_id} already has an existing active order change")


class EditEnded(NotAllowed):
    """The edit is already confirmed or cancelled."""

    staff_text = _("Este cambio ya se guardó o se descartó. Mira el pedido.")


@dataclass(frozen=True, slots=True)
class LockedEdit:
    """An open edit and its order, locked for a change."""

    edit: OrderEdit
    order: Order


async def begin_edit(session: AsyncSession, actor: Actor, order_id: str, reason: str = "") -> OrderEdit:
    """Begin an edit of a paid order.

    Raises:
        NotFound: there is no such order.
        NotEditable, DifferenceAtBank: see `backend.order_edits.editability.require_editable`.
        InvalidData: the reason is too long.
        EditExists: the order has an open edit.
    """
    actor.require(Right.EDIT_ORDERS)
    order = await lock_order(session, order_id)
    await require_editable(session, order)
    if await find_open_edit(session, actor, order.id) is not None:
        raise EditExists(order.id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, order.id))
    edit = OrderEdit(order_id=order.id, reason=check_reason(reason), created_by=actor.id)
    try:
        async with session.begin_nested():
            session.add(edit)
            await session.flush()
    except IntegrityError:
        raise EditExists(order.id) from None
    return edit


async def open_edit(session: AsyncSession, actor: Actor, order_id: str) -> OrderEdit:
    """Return the open edit of the order; begin one if there is none.

    Raises:
        NotFound, NotEditable, DifferenceAtBank: see `begin_edit`.
    """
    actor.require(Right.EDIT_ORDERS)
    await lock_order(session, order_id)
    existing = await find_open_edit(session, actor, order_id)
    return existing or await begin_edit(session, actor, order_id)


async def find_open_edit(session: AsyncSession, actor: Actor, order_id: str) -> OrderEdit | None:
    """Return the open edit of the order; None if there is none."""
    actor.require(Right.READ_ORDERS)
    query = select(OrderEdit).where(OrderEdit.order_id == order_id, OrderEdit.status.in_(OPEN_STATUSES))
    return (await session.execute(query.execution_options(populate_existing=True))).scalar_one_or_none()


async def preview_edit(session: AsyncSession, actor: Actor, edit_id: str) -> EditedOrder:
    """Return the order with the changes of the edit, at the current prices and promotions.

    Raises:
        NotFound: there is no such edit.
        InvalidData: see `backend.order_edits.edited_order.compute_edited_order`.
    """
    actor.require(Right.READ_ORDERS)
    edit = await read_edit(session, actor, edit_id)
    return await compute_edited_order(session, await read_order(session, edit.order_id), edit)


async def add_variant(
    session: AsyncSession, actor: Actor, edit_id: str, variant_id: str, quantity: int = 1
) -> OrderEditAction:
    """Add units of a variant to an edit.

    If a line of the order has this variant at the current price and preorder day, the units are added to that line.

    Raises:
        NotFound, EditEnded: see `lock_edit`.
        InvalidData: the variant is not for sale, or there would be too many units.
    """
    locked = await lock_edit(session, actor, edit_id)
    new = await read_new_line(session, locked.order.id, variant_id, quantity)
    actions = await list_actions(session, locked.edit.id)
    for line in await list_order_lines(session, locked.order.id):
        is_same = line.unit_price == new.unit_price and has_same_preorder(line, new)
        if line.variant_id == variant_id and is_same and not line.meta:
            return await _store_quantity(
                session, actor, locked, line, _read_quantity(line, actions) + quantity
            )
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    same = [one for one in actions if one.kind == ActionKind.ADD and one.variant_id == variant_id]
    if same:
        same[0].quantity = _check_quantity(same[0].quantity + quantity)
        await session.flush()
        return same[0]
    action = OrderEditAction(
        edit_id=locked.edit.id, kind=ActionKind.ADD, variant_id=variant_id, quantity=quantity
    )
    session.add(action)
    await session.flush()
    return action


async def set_line_quantity(
    session: AsyncSession, actor: Actor, edit_id: str, line_id: str, quantity: int
) -> OrderEditAction:
    """Set the number of units that a line of the order has in the edit; 0 removes the line.

    Raises:
        NotFound, EditEnded: see `lock_edit`; also if the order has no such line.
        InvalidData: the quantity is negative or too large.
    """
    locked = await lock_edit(session, actor, edit_id)
    line = await _find_line(session, locked.order, line_id)
    return await _store_quantity(session, actor, locked, line, quantity)


async def change_variant(
    session: AsyncSession, actor: Actor, edit_id: str, line_id: str, variant_id: str
) -> OrderEditAction:
    """Remove a line in the edit, and add the same number of units of another variant, at the current price.

    The number is the line's current number in the edit; if the edit has already removed the line, the sold number.

    Raises:
        NotFound, EditEnded: see `lock_edit`; also if the order has no such line.
        InvalidData: the variant is not for sale, or is the line's own variant.
    """
    locked = await lock_edit(session, actor, edit_id)
    line = await _find_line(session, locked.order, line_id)
    if line.variant_id == variant_id:
        raise InvalidData("The line already has this variant", staff_text=_("Es el mismo producto."))
    units = _read_quantity(line, await list_actions(session, locked.edit.id)) or line.quantity
    await _store_quantity(session, actor, locked, line, 0)
    return await add_variant(session, actor, edit_id, variant_id, units)


async def change_action(
    session: AsyncSession, actor: Actor, edit_id: str, action_id: str, quantity: int
) -> None:
    """Set the number of units of an edit's action. 0 removes an action that adds units.

    Raises:
        NotFound, EditEnded: see `lock_edit`; also if the edit has no such action.
        InvalidData: the quantity is negative or too large.
    """
    locked = await lock_edit(session, actor, edit_id)
    action = await _find_action(session, locked.edit, action_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    if action.kind == ActionKind.ADD and quantity == 0:
        await session.delete(action)
    else:
        action.quantity = _check_quantity(quantity)
    await session.flush()


async def remove_action(session: AsyncSession, actor: Actor, edit_id: str, action_id: str) -> None:
    """Remove an action from the edit: its line stays unchanged, or its units are not added.

    Raises:
        NotFound, EditEnded: see `lock_edit`; also if the edit has no such action.
    """
    locked = await lock_edit(session, actor, edit_id)
    action = await _find_action(session, locked.edit, action_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    await session.delete(action)
    await session.flush()


async def set_reason(session: AsyncSession, actor: Actor, edit_id: str, reason: str) -> OrderEdit:
    """Replace the reason of an open edit.

    Raises:
        NotFound, EditEnded: see `lock_edit`.
        InvalidData: the reason is too long.
    """
    locked = await lock_edit(session, actor, edit_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    locked.edit.reason = check_reason(reason)
    await session.flush()
    return locked.edit


async def request_edit(session: AsyncSession, actor: Actor, edit_id: str) -> OrderEdit:
    """Mark the edit as requested: it waits for its confirmation.

    Raises:
        NotFound, EditEnded: see `lock_edit`.
        InvalidData: the edit changes nothing; or see `preview_edit`.
    """
    locked = await lock_edit(session, actor, edit_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    edited = await compute_edited_order(session, locked.order, locked.edit)
    if not edited.is_changed:
        raise InvalidData("The edit changes nothing", staff_text=_("Todavía no cambiaste nada."))
    locked.edit.status = EditStatus.REQUESTED
    locked.edit.requested_at = locked.edit.requested_at or await database_now(session)
    await session.flush()
    return locked.edit


async def cancel_edit(session: AsyncSession, actor: Actor, edit_id: str) -> OrderEdit:
    """Cancel an open edit. The order does not change.

    Raises:
        NotFound, EditEnded: see `lock_edit`.
    """
    locked = await lock_edit(session, actor, edit_id)
    await record(session, actor, "order edit canceled", Subject(SubjectType.ORDER, locked.order.id))
    locked.edit.status = EditStatus.CANCELED
    locked.edit.canceled_at = await database_now(session)
    locked.edit.shipping = None
    await session.execute(delete(OrderEditAction).where(OrderEditAction.edit_id == locked.edit.id))
    await session.flush()
    return locked.edit


async def lock_edit(session: AsyncSession, actor: Actor, edit_id: str) -> LockedEdit:
    """Lock the order of an open edit, and return the edit and the order.

    Raises:
        NotFound: there is no such edit.
        EditEnded: the edit is confirmed or cancelled.
    """
    actor.require(Right.EDIT_ORDERS)
    order = await lock_order(session, (await read_edit(session, actor, edit_id)).order_id)
    edit = await session.get_one(OrderEdit, edit_id, populate_existing=True)
    if edit.status not in OPEN_STATUSES:
        raise EditEnded(f"The order change {edit_id} is {edit.status}")
    return LockedEdit(edit, order)


async def read_edit(session: AsyncSession, actor: Actor, edit_id: str) -> OrderEdit:
    """Return the edit with this id.

    Raises:
        NotFound: there is no such edit.
    """
    actor.require(Right.READ_ORDERS)
    return await get_or_404(session, select(OrderEdit).where(OrderEdit.id == edit_id), "Order edit", edit_id)


def _read_quantity(line: OrderLine, actions: Sequence[OrderEditAction]) -> int:
    """Return the number of units of the line after these actions of an edit."""
    return next((one.quantity for one in actions if one.line_id == line.id), line.quantity)


async def _store_quantity(
    session: AsyncSession, actor: Actor, locked: LockedEdit, line: OrderLine, quantity: int
) -> OrderEditAction:
    quantity = _check_quantity(quantity)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, locked.order.id))
    for action in await list_actions(session, locked.edit.id):
        if action.line_id == line.id:
            action.quantity = quantity
            await session.flush()
            return action
    action = OrderEditAction(
        edit_id=locked.edit.id,
        kind=ActionKind.UPDATE,
        line_id=line.id,
        variant_id=line.variant_id,
        quantity=quantity,
    )
    session.add(action)
    await session.flush()
    return action


async def _find_line(session: AsyncSession, order: Order, line_id: str) -> OrderLine:
    for line in await list_order_lines(session, order.id):
        if line.id == line_id:
            return line
    raise NotFound(f"Line item with id: {line_id} was not found")


async def _find_action(session: AsyncSession, edit: OrderEdit, action_id: str) -> OrderEditAction:
    action = await session.get(OrderEditAction, action_id, populate_existing=True)
    if action is None or action.edit_id != edit.id:
        raise NotFound(f"Order change action with id: {action_id} was not found")
    return action


def _check_quantity(quantity: int) -> int:
    if not 0 <= quantity <= MAX_QUANTITY:
        text = _("Escribe un número entre {least} y {most}.").format(least=0, most=MAX_QUANTITY)
        raise InvalidData(f"The quantity must be between 0 and {MAX_QUANTITY}", fields={"quantity": text})
    return quantity


def check_reason(reason: str) -> str:
    """Return the reason on one line.

    Raises:
        InvalidData: it is longer than `MAX_REASON_LENGTH`.
    """
    reason = to_one_line(reason)
    if len(reason) > MAX_REASON_LENGTH:
        text = _("Usa máximo {count} caracteres.").format(count=MAX_REASON_LENGTH)
        raise InvalidData("The reason is too long", fields={"reason": text})
    return reason

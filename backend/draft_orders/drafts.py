"""Prepare a draft order: its lines, its discount and its delivery. Prices and stock come from the cart's services.

A draft is a cart without a customer: customers cannot find it, and it holds no stock. Every change locks the
cart. The audit log records discounts and cancellations, but not changes of lines.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import create_empty_cart, lock_cart, open_cart
from backend.cart.contents import read_contents
from backend.cart.lines import add_to_cart, change_line
from backend.cart.models import Cart, LineItem
from backend.cart.shipping_method import mark_cart_changed
from backend.cart.staff_discounts import list_staff_adjustments, store_staff_discount
from backend.cart.totals import read_discounted_totals
from backend.core.config.settings import Settings
from backend.core.db.database import database_now
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.money import Cop
from backend.core.texts import _
from backend.draft_orders.models import DraftOrder, DraftOrderEdit
from backend.office_settings import read_effective_settings
from backend.orders.origins import OrderOrigin
from backend.pricing import percent_of
from backend.staff.rights import Actor, Right

MAX_REASON_LENGTH = 200

_CURRENT = select(DraftOrder).where(DraftOrder.created_by == bindparam("staff_id"), DraftOrder.is_current)
_DRAFT = select(DraftOrder).where(DraftOrder.id == bindparam("draft_id"))


class DiscountTooLarge(NotAllowed):
    """The discount exceeds the shop's limit, and the seller may not exceed it."""

    def __init__(self, limit_percent: int) -> None:
        super().__init__(
            f"The discount is above {limit_percent} % of the products' price",
            staff_text=_("Puedes descontar hasta el {percent} %. Más, solo el dueño.").format(
                percent=limit_percent
            ),
        )


@dataclass(frozen=True, slots=True)
class LockedDraft:
    """A draft order and its cart, both locked for a change."""

    draft: DraftOrder
    cart: Cart


async def read_draft(session: AsyncSession, actor: Actor, draft_id: str) -> DraftOrder:
    """Return the draft order with this id.

    Raises:
        NotFound: there is no draft order with this id.
    """
    actor.require(Right.READ_ORDERS)
    return await _find_draft(session, draft_id)


async def find_current_draft(session: AsyncSession, actor: Actor) -> DraftOrder | None:
    """Return the sale that the staff member is preparing; None if there is none."""
    actor.require(Right.READ_ORDERS)
    return await _find_current(session, actor.id)


async def open_current_draft(session: AsyncSession, actor: Actor) -> DraftOrder:
    """Return the sale that the staff member is preparing; create it if there is none.

    Concurrent calls return the same sale.
    """
    actor.require(Right.SELL)
    current = await _find_current(session, actor.id)
    if current is not None:
        return current
    try:
        async with session.begin_nested():
            return await _create_draft(session, actor)
    except IntegrityError:
        current = await _find_current(session, actor.id)
        if current is None:
            raise
        return current


async def _create_draft(session: AsyncSession, actor: Actor) -> DraftOrder:
    cart_id = await create_empty_cart(session)
    cart = await lock_cart(session, cart_id)
    cart.origin = OrderOrigin.COUNTER
    draft = DraftOrder(id=cart.order_id, cart_id=cart_id, is_current=True, created_by=actor.id)
    session.add(draft)
    await session.flush()
    return draft


async def lock_draft(session: AsyncSession, actor: Actor, draft_id: str) -> LockedDraft:
    """Lock an open draft order for a change.

    Raises:
        NotFound: there is no such draft.
        NotAllowed: it was cancelled, has become an order, or belongs to an exchange.
        Conflict: a customer is paying it at the bank.
    """
    actor.require(Right.SELL)
    cart = await open_cart(session, (await _find_draft(session, draft_id)).cart_id)
    return LockedDraft(await reread_draft(session, draft_id), cart)


async def reread_draft(session: AsyncSession, draft_id: str, exchange_id: str | None = None) -> DraftOrder:
    """Read the draft again, after its cart was locked.

    Raises:
        NotAllowed: the draft was cancelled, or it belongs to another exchange than `exchange_id` (None for no
            exchange).
    """
    draft = await session.get_one(DraftOrder, draft_id, populate_existing=True)
    if draft.canceled_at is not None:
        raise NotAllowed(
            f"Draft order {draft_id} was cancelled", staff_text=_("Esta venta se canceló. Empieza otra.")
        )
    if draft.exchange_id != exchange_id:
        raise NotAllowed(
            f"Draft order {draft_id} belongs to exchange {draft.exchange_id}",
            staff_text=_("Esta venta es parte de un cambio: hazla en el pedido que se cambia."),
        )
    return draft


async def add_units(
    session: AsyncSession, actor: Actor, draft_id: str, variant_id: str, quantity: int = 1
) -> None:
    """Add units of a variant to a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_draft`.
        InvalidData, InsufficientStock: see `backend.cart.lines.add_to_cart`.
    """
    locked = await lock_draft(session, actor, draft_id)
    await add_to_cart(session, locked.cart.id, variant_id, quantity)


async def set_units(session: AsyncSession, actor: Actor, draft_id: str, line_id: str, quantity: int) -> None:
    """Set the units of a line of a draft order; 0 removes the line.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_draft`.
        NotFound: the draft has no such line.
        InvalidData, InsufficientStock: see `backend.cart.lines.change_line`.
    """
    locked = await lock_draft(session, actor, draft_id)
    await change_line(session, locked.cart.id, line_id, quantity)


async def set_origin(session: AsyncSession, actor: Actor, draft_id: str, origin: OrderOrigin) -> None:
    """Store where the draft order is sold. A sale at the counter has no right of withdrawal (retracto)."""
    locked = await lock_draft(session, actor, draft_id)
    locked.cart.origin = origin


async def take_along(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Remove the delivery of a draft order, because the customer takes the products along."""
    locked = await lock_draft(session, actor, draft_id)
    locked.cart.shipping_address = None
    await mark_cart_changed(session, locked.cart)


async def set_discount(
    session: AsyncSession, actor: Actor, settings: Settings, draft_id: str, *, amount: Cop, reason: str
) -> None:
    """Set the seller's discount on a draft order, in pesos; 0 removes the discount.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_draft`.
        InvalidData: the amount is negative or above the price, or the reason is missing or too long.
        DiscountTooLarge: see `require_allowed_discount`.
    """
    locked = await lock_draft(session, actor, draft_id)
    reason = " ".join(reason.split())
    problems = {}
    contents = await read_contents(session, locked.cart.id)
    store_staff_discount(locked.cart, contents.lines, 0, "")
    totals, _discounts = await read_discounted_totals(session, locked.cart.id, contents)
    if not 0 <= amount <= totals.item_total:
        problems["discount"] = _("El descuento no puede ser mayor que lo que vale la venta.")
    if amount and not reason:
        problems["reason"] = _("Escribe por qué.")
    if len(reason) > MAX_REASON_LENGTH:
        problems["reason"] = _("Usa máximo {count} caracteres.").format(count=MAX_REASON_LENGTH)
    if problems:
        raise InvalidData("The discount is not valid", fields=problems)
    changes = {"discount": (None, amount), "reason": (None, reason)}
    await record(session, actor, "discounted", Subject(SubjectType.DRAFT_ORDER, draft_id), changes)
    store_staff_discount(locked.cart, contents.lines, amount, reason)
    await require_allowed_discount(session, actor, settings, locked.cart)
    await session.flush()


async def require_allowed_discount(
    session: AsyncSession, actor: Actor, settings: Settings, cart: Cart
) -> None:
    """Check that the actor may give the discount that the (locked) cart has.

    Raises:
        DiscountTooLarge: it exceeds the setting `sell_discount_percent`, and the actor may not exceed it.
    """
    if not cart.staff_discount or actor.may(Right.EXCEED_DISCOUNT):
        return
    contents = await read_contents(session, cart.id)
    if not list_staff_adjustments(cart, contents.lines):
        return  # the lines have changed since: it no longer applies
    limit = (await read_effective_settings(session, settings)).sell_discount_percent
    totals, _discounts = await read_discounted_totals(session, cart.id, contents)
    if cart.staff_discount > percent_of(totals.items.original_total, limit, 1, rounds_down=True):
        raise DiscountTooLarge(limit)


async def cancel_draft(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Cancel an open draft order: see `cancel_locked_draft`.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_draft`.
    """
    locked = await lock_draft(session, actor, draft_id)
    await record(session, actor, "canceled", Subject(SubjectType.DRAFT_ORDER, draft_id))
    await cancel_locked_draft(session, locked)


async def cancel_locked_draft(session: AsyncSession, locked: LockedDraft) -> None:
    """Cancel the draft and empty its cart, so that it cannot be paid any more, not even with an open checkout.

    Its edit is deleted.
    """
    locked.draft.canceled_at = await database_now(session)
    locked.draft.is_current = False
    await session.execute(delete(LineItem).where(LineItem.cart_id == locked.cart.id))
    await mark_cart_changed(session, locked.cart)
    await session.flush()
    await delete_edit(session, locked.draft.id)


async def delete_edit(session: AsyncSession, draft_id: str) -> None:
    """Delete the edit of a (locked) draft, if there is one, with its copy of the cart."""
    copy = select(DraftOrderEdit.cart_id).where(DraftOrderEdit.draft_order_id == draft_id)
    carts = table_of(Cart)
    await session.execute(delete(carts).where(carts.c.id.in_(copy)))  # the edit is deleted with it


async def _find_draft(session: AsyncSession, draft_id: str) -> DraftOrder:
    return await get_or_404(session, _DRAFT.params(draft_id=draft_id), "Draft order", draft_id)


async def _find_current(session: AsyncSession, staff_id: str) -> DraftOrder | None:
    return (await session.execute(_CURRENT, {"staff_id": staff_id})).scalar_one_or_none()

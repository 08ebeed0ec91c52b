"""Reminders of abandoned carts: the job that requests them, and the content of the e-mail.

A reminder is only sent while the shop has turned reminders on, to a customer with an account and a marketing consent
that is not withdrawn, and in the hours of `backend.cart_reminders.contact_hours`. All conditions are checked when the
e-mail is enqueued, and again when it is written. If one of them no longer holds by then, nothing is sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.contents import read_contents
from backend.cart.models import Cart, LineItem
from backend.cart.notices import format_full_title
from backend.cart.totals import read_discounted_totals
from backend.cart_reminders.contact_hours import is_contact_allowed
from backend.cart_reminders.events import CartReminderDue
from backend.cart_reminders.models import CartReminder
from backend.core.db.database import Database, database_now, db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.events import publish
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.customers.models import Customer
from backend.draft_orders.models import DraftOrder
from backend.inventory.service import read_available_units
from backend.jobs import JobRun, periodic
from backend.legal.consents import ConsentKind
from backend.legal.models import Consent
from backend.office_settings import read_cart_reminders
from backend.orders.models import Order

CHECK_INTERVAL = timedelta(minutes=15)
MIN_CART_AGE = timedelta(hours=4)
"""A cart is abandoned when it has not changed for this time."""
MAX_CART_AGE = timedelta(days=3)
"""A cart that has not changed for longer gets no reminder. A long weekend is shorter."""
CUSTOMER_INTERVAL = timedelta(days=14)
"""Minimum time between two reminders to the same customer, of different carts."""
BATCH_SIZE = 200

_other = aliased(Cart)
_CAN_BE_REMINDED: tuple[ColumnElement[bool], ...] = (
    Cart.customer_id == Customer.id,
    Cart.completed_at.is_(None),
    Cart.payment_session_id.is_(None),
    exists().where(LineItem.cart_id == Cart.id),
    exists().where(
        Consent.customer_id == Customer.id,
        Consent.kind == ConsentKind.MARKETING,
        Consent.withdrawn_at.is_(None),
    ),
    ~exists().where(DraftOrder.cart_id == Cart.id),
    # the customer has another cart by now: the shop shows that one
    ~exists().where(
        _other.customer_id == Customer.id, _other.completed_at.is_(None), _other.created_at > Cart.created_at
    ),
    ~exists().where(
        or_(Order.customer_id == Customer.id, Order.email == Customer.email),
        Order.created_at >= Cart.updated_at,
    ),
)
_DUE = (
    select(Cart.id, Customer.id)
    .where(
        *_CAN_BE_REMINDED,
        Cart.updated_at <= db_now(-MIN_CART_AGE),
        Cart.updated_at > db_now(-MAX_CART_AGE),
        ~exists().where(CartReminder.cart_id == Cart.id),
        ~exists().where(
            CartReminder.customer_id == Customer.id, CartReminder.requested_at > db_now(-CUSTOMER_INTERVAL)
        ),
    )
    .order_by(Cart.updated_at, Cart.id)
    .limit(BATCH_SIZE)
)
_INSERT = (
    insert_into(table_of(CartReminder))
    .on_conflict_do_nothing(index_elements=["cart_id"])
    .returning(table_of(CartReminder).c.id)
)


@dataclass(frozen=True, slots=True)
class CartReminderEmail:
    """Content of a reminder. `items` are the lines that can be bought now: units and name, and the current total."""

    customer_id: str
    address: str
    items: Sequence[tuple[str, Cop]]


async def read_reminder_email(session: AsyncSession, reminder_id: str) -> CartReminderEmail | None:
    """Return the content of the reminder; None if it must not be sent (any more)."""
    found = (
        select(Cart.id, Customer.id, Customer.email)
        .join(CartReminder, CartReminder.cart_id == Cart.id)
        .where(CartReminder.id == reminder_id, *_CAN_BE_REMINDED)
    )
    row = (await session.execute(found)).first()
    if row is None or not await _is_allowed_now(session):
        return None
    cart_id, customer_id, address = row
    items = await _list_items(session, cart_id)
    return CartReminderEmail(customer_id, address, items) if items else None


async def _is_allowed_now(session: AsyncSession) -> bool:
    """Return True if the shop sends reminders, and the law allows them now, by the database's clock."""
    return await read_cart_reminders(session) and await is_contact_allowed(await database_now(session))


async def _list_items(session: AsyncSession, cart_id: str) -> list[tuple[str, Cop]]:
    """Return names and totals of the cart's lines that are for sale and in stock, without the gift wrapping."""
    contents = await read_contents(session, cart_id)
    totals, _discounts = await read_discounted_totals(session, cart_id, contents)
    variant_ids = sorted({line.variant.id for line in contents.lines})
    units = await read_available_units(session, variant_ids, holder=cart_id)
    return [
        (
            f"{line.item.quantity} × {format_full_title(line.product.title, line.variant.title)}",
            totals.by_line[line.item.id].total,
        )
        for line in contents.lines
        if line.product and not line.is_wrapping and line.item.quantity <= units[line.variant.id]
    ]


class CartReminders:
    """The job that requests reminders of abandoned carts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("cart_reminders.request", every=CHECK_INTERVAL)
    async def request_due(self, _run: JobRun) -> None:
        """Request a reminder of each abandoned cart that may get one. Each cart has its own transaction."""
        async with self._database.read() as session:
            if not await _is_allowed_now(session):
                return
            due = (await session.execute(_DUE)).all()
        for cart_id, _customer_id in due:
            async with self._database.transaction() as session:
                await _request(session, cart_id)


async def _request(session: AsyncSession, cart_id: str) -> None:
    """Request the reminder of a cart, unless the cart or its customer must not be reminded any more."""
    row = (await session.execute(_DUE.where(Cart.id == cart_id))).first()
    if row is None or not await _list_items(session, cart_id):
        return
    values = {"id": new_id("carem"), "cart_id": cart_id, "customer_id": row[1]}
    added = await session.execute(_INSERT.values(requested_at=db_now()), values)
    if (reminder_id := added.scalar_one_or_none()) is not None:
        await publish(session, CartReminderDue(reminder_id))

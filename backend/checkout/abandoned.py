"""Carts that nobody came back to: what was typed of a document goes after a day, the whole cart after a month.

A cart that became an order stays, and one whose payment may still bring money, or has.
"""

import logging
from datetime import timedelta

from sqlalchemy import delete, exists, or_, select, update
from sqlalchemy.orm import aliased

from backend.cart.models import Cart
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.database import Database, db_now
from backend.inventory.models import Reservation
from backend.jobs import JobRun, periodic
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.states import SessionState
from backend.tables import table_of

log = logging.getLogger(__name__)

CART_KEPT_FOR = timedelta(days=30)
DOCUMENT_KEPT_FOR = timedelta(hours=24)
"""Both count from the last change of the cart, by the database's clock."""
BATCH = 200
MAX_BATCHES = 100
"""Of one run; what is left waits for the next."""

_WITHOUT_MONEY = (
    SessionState.PENDING,
    SessionState.REJECTED,
    SessionState.CANCELED,
    SessionState.EXPIRED,
    SessionState.FAILED,
)
_later = aliased(Cart)
_ABANDONED = (
    select(Cart.id)
    .where(
        Cart.completed_at.is_(None),
        Cart.updated_at <= db_now(-CART_KEPT_FOR),
        ~exists().where(
            PaymentCollection.cart_id == Cart.id,
            PaymentSession.collection_id == PaymentCollection.id,
            or_(
                PaymentSession.state.not_in(_WITHOUT_MONEY),
                PaymentSession.captured_amount.is_not(None),
            ),
        ),
        ~exists().where(Reservation.holder == Cart.id),
        ~exists().where(_later.replaces_cart_id == Cart.id),
    )
    .limit(BATCH)
    .with_for_update(of=Cart, skip_locked=True)
)
_WITH_DOCUMENT = (
    select(Cart.id, Cart.draft)
    .where(
        Cart.updated_at <= db_now(-DOCUMENT_KEPT_FOR),
        or_(*(Cart.draft[name].as_string().is_not(None) for name in DOCUMENT_FIELDS)),
    )
    .limit(BATCH)
    .with_for_update(of=Cart, skip_locked=True)
)


class AbandonedCarts:
    """The jobs that delete what shoppers left behind."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("cart.delete_abandoned", every=timedelta(hours=1))
    async def delete_abandoned(self, _run: JobRun) -> None:
        """Delete the carts that have not changed for `CART_KEPT_FOR`, with their lines and unpaid payment sessions."""
        count = 0
        for _batch in range(MAX_BATCHES):
            deleted = await self._delete_batch()
            count += deleted
            if deleted < BATCH:
                break
        if count:
            log.info("deleted %d abandoned carts", count)

    @periodic("cart.forget_documents", every=timedelta(hours=1))
    async def forget_documents(self, _run: JobRun) -> None:
        """Take type and number of the document out of drafts that have not changed for `DOCUMENT_KEPT_FOR`."""
        for _batch in range(MAX_BATCHES):
            if await self._forget_batch() < BATCH:
                return

    async def _delete_batch(self) -> int:
        async with self._database.transaction() as session:
            ids = (await session.execute(_ABANDONED)).scalars().all()
            if ids:
                await session.execute(delete(table_of(Cart)).where(Cart.id.in_(ids)))
        return len(ids)

    async def _forget_batch(self) -> int:
        cart = table_of(Cart)
        async with self._database.transaction() as session:
            rows = (await session.execute(_WITH_DOCUMENT)).all()
            for cart_id, draft in rows:
                rest = {name: text for name, text in draft.items() if name not in DOCUMENT_FIELDS}
                # this is no change of the shopper's: the cart does not become younger by it
                kept = {"draft": rest, "updated_at": cart.c.updated_at}
                await session.execute(update(cart).where(cart.c.id == cart_id).values(kept))
        return len(rows)

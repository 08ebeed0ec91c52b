"""Delete data of abandoned carts: the payer's identity document after a day, the whole cart after a month.

A cart is not deleted if it became an order, if units are reserved for it, if another cart replaces it, or if
one of its payments has taken money or may still take it.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.models import HAS_DOCUMENT, Cart
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.core.db.database import Database, db_now
from backend.core.db.tables import table_of
from backend.inventory.models import Reservation
from backend.jobs import JobRun, periodic
from backend.jobs.tidy_rule import TidyRule
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.payments import HAS_UNUSED_MONEY
from backend.payment.states import SessionState

log = logging.getLogger(__name__)

CART_RETENTION = timedelta(days=30)
DOCUMENT_RETENTION = timedelta(hours=24)
"""How long the payer's document is stored in an abandoned cart.

This period and `CART_RETENTION` start at the latest change of the cart, by the database's clock.
"""

_WITHOUT_MONEY = (
    SessionState.PENDING,
    SessionState.REJECTED,
    SessionState.CANCELED,
    SessionState.EXPIRED,
    SessionState.FAILED,
)
_later = aliased(Cart)


async def _delete_documents(session: AsyncSession, cart_ids: Sequence[str]) -> None:
    cart = table_of(Cart)
    rows = await session.execute(select(cart.c.id, cart.c.draft).where(cart.c.id.in_(cart_ids)))
    for cart_id, draft in rows.all():
        rest = {name: text for name, text in draft.items() if name not in DOCUMENT_FIELDS}
        # keep `updated_at`: only changes by the shopper count for the retention periods
        values = {"draft": rest, "updated_at": cart.c.updated_at}
        await session.execute(update(cart).where(cart.c.id == cart_id).values(values))


ABANDONED = TidyRule(
    "abandoned carts",
    Cart,
    (
        Cart.completed_at.is_(None),
        Cart.updated_at <= db_now(-CART_RETENTION),
        ~exists().where(
            PaymentCollection.cart_id == Cart.id,
            PaymentSession.collection_id == PaymentCollection.id,
            or_(
                PaymentSession.state.not_in(_WITHOUT_MONEY),
                HAS_UNUSED_MONEY,
            ),
        ),
        ~exists().where(Reservation.holder == Cart.id),
        ~exists().where(_later.replaces_cart_id == Cart.id),
    ),
)
"""Delete open carts that did not change for `CART_RETENTION`, with their lines and unpaid payment sessions."""
OLD_DOCUMENTS = TidyRule(
    "documents typed at the checkout",
    Cart,
    (Cart.updated_at <= db_now(-DOCUMENT_RETENTION), HAS_DOCUMENT),
    _delete_documents,
)
"""Delete the payer's document type and number from drafts that did not change for `DOCUMENT_RETENTION`."""


class AbandonedCarts:
    """Hourly jobs: delete abandoned carts, and delete the payer's identity document from carts unchanged for a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("cart.delete_abandoned", every=timedelta(hours=1))
    async def delete_abandoned(self, _run: JobRun) -> None:
        """Delete the carts that the rule `ABANDONED` selects."""
        count = await ABANDONED.apply(self._database)
        if count:
            log.info("deleted %d abandoned carts", count)

    @periodic("cart.forget_documents", every=timedelta(hours=1))
    async def forget_documents(self, _run: JobRun) -> None:
        """Delete the payers' identity documents that the rule `OLD_DOCUMENTS` selects."""
        await OLD_DOCUMENTS.apply(self._database)

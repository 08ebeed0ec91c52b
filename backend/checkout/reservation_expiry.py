"""Release expired reservations and cancel the payment sessions that they belong to.

Payments at a bank are not cancelled here: only their provider reports how they end (`backend.payment.checks`).
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import ShopError
from backend.inventory import service as inventory
from backend.jobs import JobRun, periodic
from backend.orders.service import has_active_fulfillments, lock_order_of_cart
from backend.payment.models import PaymentSession
from backend.payment.service import PaymentService
from backend.payment.sessions import to_started_payment
from backend.payment.states import SessionState
from backend.payment.transitions import apply_report, lock_session, move

log = logging.getLogger(__name__)

BATCH_SIZE = 200


class ReservationExpiry:
    """The job that releases reservations for payments that never arrived."""

    def __init__(self, database: Database, payments: PaymentService) -> None:
        self._database = database
        self._payments = payments

    @periodic("inventory.release_expired", every=timedelta(minutes=1))
    async def release_expired(self, _run: JobRun) -> None:
        """Release every expired reservation, and cancel the expired payment sessions that are not at a bank."""
        for session_id in await self._list_expired(SessionState.PENDING):
            await self._cancel_pending(session_id)
        for session_id in await self._list_expired(SessionState.AUTHORIZED):
            await self._cancel_authorized(session_id)
        async with self._database.transaction() as session:
            count = await inventory.release_expired(session)
        if count:
            log.info("released %d expired reservations", count)

    async def _list_expired(self, state: SessionState) -> Sequence[str]:
        expired = (
            select(PaymentSession.id)
            .where(PaymentSession.state == state, PaymentSession.expires_at <= db_now())
            .order_by(PaymentSession.expires_at)
            .limit(BATCH_SIZE)
        )
        async with self._database.read() as session:
            return (await session.execute(expired)).scalars().all()

    async def _cancel_pending(self, session_id: str) -> None:
        """Cancel an expired, pending payment session, unless its state has changed in the meantime."""
        async with self._database.transaction() as session:
            payment, cart = await lock_session(session, session_id)
            if payment.state == SessionState.PENDING:
                await move(session, payment, cart, SessionState.CANCELED)

    async def _cancel_authorized(self, session_id: str) -> None:
        """Cancel a payment that staff did not confirm in time, and its order.

        If the order has active fulfillments, nothing is cancelled: the reservation of its units no longer expires,
        and staff must decide.
        """
        async with self._database.transaction() as session:
            payment, cart = await lock_session(session, session_id)
            if payment.state != SessionState.AUTHORIZED or not await _is_expired(session, payment):
                return
            order = await lock_order_of_cart(session, cart.id)
            if order is not None and await has_active_fulfillments(session, order.id):
                payment.expires_at = None
                await inventory.confirm(session, cart.id)
                return
        provider = self._payments.find_provider(payment.provider_id)
        if provider is None:
            return
        try:
            report = await provider.cancel(to_started_payment(payment))
            await apply_report(self._database, session_id, report)
        except (
            ShopError
        ) as error:  # the provider could not be reached, or the order was packed in the meantime
            log.warning("payment %s was not cancelled: %s", session_id, error.message)


async def _is_expired(session: AsyncSession, payment: PaymentSession) -> bool:
    return payment.expires_at is not None and payment.expires_at <= await database_now(session)

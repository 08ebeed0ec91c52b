"""Reservations that end: their units can be sold again, and what waited for them in the shop is given up.

Payments at a bank are not ended here: only their provider says how they end (`backend.payment.checks`).
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.database import Database, database_now, db_now
from backend.errors import ShopError
from backend.inventory import service as inventory
from backend.jobs import JobRun, periodic
from backend.orders.service import has_standing_fulfillments, order_of_cart
from backend.payment.models import PaymentSession
from backend.payment.service import PaymentService
from backend.payment.sessions import started_payment
from backend.payment.states import SessionState
from backend.payment.transitions import apply_report, lock_session, move

log = logging.getLogger(__name__)

AT_A_TIME = 200


class ReservationExpiry:
    """Gives back what was reserved for payments that never came."""

    def __init__(self, database: Database, payments: PaymentService) -> None:
        self._database = database
        self._payments = payments

    @periodic("inventory.release_expired", every=timedelta(minutes=1))
    async def release_expired(self, _run: JobRun) -> None:
        """Give back every reservation whose time is over, and end the payments that wait in the shop for nobody."""
        for session_id in await self._over(SessionState.PENDING):
            await self._void(session_id)
        for session_id in await self._over(SessionState.AUTHORIZED):
            await self._let_go(session_id)
        async with self._database.transaction() as session:
            count = await inventory.release_expired(session)
        if count:
            log.info("gave back %d reservations whose time was over", count)

    async def _over(self, state: SessionState) -> Sequence[str]:
        over = (
            select(PaymentSession.id)
            .where(PaymentSession.state == state, PaymentSession.expires_at <= db_now())
            .order_by(PaymentSession.expires_at)
            .limit(AT_A_TIME)
        )
        async with self._database.read() as session:
            return (await session.execute(over)).scalars().all()

    async def _void(self, session_id: str) -> None:
        """A payment that never left the shop ends: its cart was not completed in time."""
        async with self._database.transaction() as session:
            payment, cart = await lock_session(session, session_id)
            if payment.state == SessionState.PENDING:
                await move(session, payment, cart, SessionState.CANCELED)

    async def _let_go(self, session_id: str) -> None:
        """Nobody has confirmed the money of an order in time: its provider lets go, and the order is cancelled.

        An order of which something was sent already is left to staff.
        """
        async with self._database.transaction() as session:
            payment, cart = await lock_session(session, session_id)
            if payment.state != SessionState.AUTHORIZED or not await _is_over(session, payment):
                return
            order = await order_of_cart(session, cart.id)
            if order is not None and await has_standing_fulfillments(session, order.id):
                payment.expires_at = None
                await inventory.confirm(session, cart.id)
                return
        provider = self._payments.provider(payment.provider_id)
        if provider is None:
            return
        try:
            report = await provider.cancel(started_payment(payment))
        except ShopError as error:
            log.warning("payment %s: the provider could not be asked: %s", session_id, error.message)
            return
        await apply_report(self._database, session_id, report)


async def _is_over(session: AsyncSession, payment: PaymentSession) -> bool:
    return payment.expires_at is not None and payment.expires_at <= await database_now(session)

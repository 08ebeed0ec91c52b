"""Reservations that end: their units can be sold again, and what waited for them in the shop is given up.

Payments at a bank are not ended here: only their provider says how they end (`backend.payment.inquiry`).
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
from backend.payment.desk import PaymentDesk
from backend.payment.models import PaymentSession
from backend.payment.service import facts_of
from backend.payment.settlement import lock_attempt, move, settle
from backend.payment.states import SessionState

log = logging.getLogger(__name__)

AT_A_TIME = 200


class ReservationExpiry:
    """Gives back what was reserved for payments that never came."""

    def __init__(self, database: Database, payments: PaymentDesk) -> None:
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
            attempt, cart = await lock_attempt(session, session_id)
            if attempt.state == SessionState.PENDING:
                await move(session, attempt, cart, SessionState.CANCELED)

    async def _let_go(self, session_id: str) -> None:
        """Nobody has confirmed the money of an order in time: its provider lets go, and the order is cancelled.

        An order of which something was sent already is left to staff.
        """
        async with self._database.transaction() as session:
            attempt, cart = await lock_attempt(session, session_id)
            if attempt.state != SessionState.AUTHORIZED or not await _is_over(session, attempt):
                return
            order = await order_of_cart(session, cart.id)
            if order is not None and await has_standing_fulfillments(session, order.id):
                attempt.expires_at = None
                await inventory.confirm(session, cart.id)
                return
        provider = self._payments.provider(attempt.provider_id)
        if provider is None:
            return
        try:
            report = await provider.cancel(facts_of(attempt))
        except ShopError as error:
            log.warning("payment %s: the provider could not be asked: %s", session_id, error.message)
            return
        await settle(self._database, session_id, report)


async def _is_over(session: AsyncSession, attempt: PaymentSession) -> bool:
    return attempt.expires_at is not None and attempt.expires_at <= await database_now(session)

"""What all replicas share, read from the database when it is asked for: orders, payments, jobs, attention, stock."""

import asyncio
import logging
from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.core.db.database import Database, database_now
from backend.inventory.models import InventoryLevel
from backend.jobs import stats
from backend.orders.models import Order
from backend.outbox.models import OutboxEvent
from backend.payment.models import PaymentSession
from backend.payment.states import OPEN

log = logging.getLogger(__name__)

WITHIN = 2.0
"""Seconds for all of them."""


async def shared_figures(database: Database) -> bytes:
    """The figures in Prometheus' text format. Without an answer in time, only that the database is not up."""
    families: list[Metric] = []
    is_up = True
    try:
        async with asyncio.timeout(WITHIN), database.read() as session:
            families = await read_figures(session)
    except (SQLAlchemyError, OSError) as error:  # TimeoutError is an OSError
        log.warning("the figures for /metrics cannot be read: %s", type(error).__name__)
        is_up = False
    up = GaugeMetricFamily("trompo_database_up", "Whether the database answered in time.", value=is_up)
    registry = CollectorRegistry()
    registry.register(_Read([up, *families]))
    return generate_latest(registry)


async def read_figures(session: AsyncSession) -> list[Metric]:
    """The figures as they are now. Every state and kind that there is any of has a line."""
    orders = await _counted(
        session, select(Order.payment_status, func.count()).group_by(Order.payment_status)
    )
    payments = await _counted(
        session, select(PaymentSession.state, func.count()).group_by(PaymentSession.state)
    )
    oldest = select(func.min(PaymentSession.created_at)).where(PaymentSession.state.in_(OPEN))
    since, moment = (await session.execute(oldest)).scalar_one(), await database_now(session)
    is_open = Attention.resolved_at.is_(None)
    attention = await _counted(
        session, select(Attention.kind, func.count()).where(is_open).group_by(Attention.kind)
    )
    late = select(func.count()).where(is_open, Attention.due_at < moment)
    empty = select(func.count()).where(InventoryLevel.stocked <= InventoryLevel.reserved)
    jobs = await stats(session)
    return [
        _by("trompo_orders", "Orders by payment status.", "payment_status", orders),
        _by("trompo_payments", "Payment sessions by state.", "state", payments),
        GaugeMetricFamily(
            "trompo_oldest_open_payment_seconds",
            "Age of the oldest payment that the provider has not ended.",
            value=(moment - since).total_seconds() if since else 0,
        ),
        _by(
            "trompo_jobs_waiting",
            "Jobs to be done, now or later.",
            "kind",
            [(job.kind, job.waiting) for job in jobs],
        ),
        _by(
            "trompo_job_late_seconds",
            "For how long the oldest job that is due has waited.",
            "kind",
            [(job.kind, job.late_seconds) for job in jobs],
        ),
        _by(
            "trompo_jobs_failing",
            "Jobs that failed and are tried again.",
            "kind",
            [(job.kind, job.failing) for job in jobs],
        ),
        _by(
            "trompo_jobs_given_up",
            "Jobs that were given up.",
            "kind",
            [(job.kind, job.failed) for job in jobs],
        ),
        _by("trompo_attention_open", "What a person must settle.", "kind", attention),
        GaugeMetricFamily(
            "trompo_attention_overdue",
            "What should have been settled by now.",
            value=await _one(session, late),
        ),
        GaugeMetricFamily(
            "trompo_stock_levels_empty",
            "Variants at a location of which no unit can be sold.",
            value=await _one(session, empty),
        ),
        GaugeMetricFamily(
            "trompo_outbox_events",
            "Changes of products that the storefront was not told of.",
            value=await _one(session, select(func.count()).select_from(OutboxEvent)),
        ),
    ]


async def _counted(session: AsyncSession, query: Select[str, int]) -> list[tuple[str, float]]:
    return [(name, count) for name, count in (await session.execute(query)).all()]


async def _one(session: AsyncSession, query: Select[int]) -> float:
    return (await session.execute(query)).scalar_one()


def _by(name: str, told: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(name, told, labels=[label])
    for of, value in values:
        family.add_metric([of], value)
    return family


class _Read:
    """Families of metrics that were read already, for prometheus_client."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """The families."""
        return self._families

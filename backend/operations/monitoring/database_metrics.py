"""Metrics that all replicas share, read from the database on request: orders, payments, jobs, attention, stock."""

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
from backend.jobs import read_stats
from backend.orders.models import Order
from backend.outbox.models import OutboxEvent
from backend.payment.models import PaymentSession
from backend.payment.states import OPEN_STATES

log = logging.getLogger(__name__)

READ_TIMEOUT_S = 2.0
"""Timeout for reading all metrics of the database together."""


async def format_database_metrics(database: Database) -> bytes:
    """Return the metrics in Prometheus' text format.

    If the database does not answer in time, the only metric is that the database is down.
    """
    families: list[Metric] = []
    is_up = True
    try:
        async with asyncio.timeout(READ_TIMEOUT_S), database.read() as session:
            families = await read_database_metrics(session)
    except (SQLAlchemyError, OSError) as error:  # TimeoutError is an OSError
        log.warning("the figures for /metrics cannot be read: %s", type(error).__name__)
        is_up = False
    up = GaugeMetricFamily("trompo_database_up", "Whether the database answered in time.", value=is_up)
    registry = CollectorRegistry()
    registry.register(_FixedCollector([up, *families]))
    return generate_latest(registry)


async def read_database_metrics(session: AsyncSession) -> list[Metric]:
    """Return the current metrics. Every existing state and kind has a line, also with the value 0."""
    orders = await _read_counts(
        session, select(Order.payment_status, func.count()).group_by(Order.payment_status)
    )
    payments = await _read_counts(
        session, select(PaymentSession.state, func.count()).group_by(PaymentSession.state)
    )
    oldest = select(func.min(PaymentSession.created_at)).where(PaymentSession.state.in_(OPEN_STATES))
    since, moment = (await session.execute(oldest)).scalar_one(), await database_now(session)
    is_open = Attention.resolved_at.is_(None)
    attention = await _read_counts(
        session, select(Attention.kind, func.count()).where(is_open).group_by(Attention.kind)
    )
    late = select(func.count()).where(is_open, Attention.due_at < moment)
    empty = select(func.count()).where(InventoryLevel.stocked <= InventoryLevel.reserved)
    jobs = await read_stats(session)
    return [
        _labelled_gauge("trompo_orders", "Orders by payment status.", "payment_status", orders),
        _labelled_gauge("trompo_payments", "Payment sessions by state.", "state", payments),
        GaugeMetricFamily(
            "trompo_oldest_open_payment_seconds",
            "Age of the oldest payment that is not final.",
            value=(moment - since).total_seconds() if since else 0,
        ),
        _labelled_gauge(
            "trompo_jobs_waiting",
            "Jobs to be done, now or later.",
            "kind",
            [(job.kind, job.waiting) for job in jobs],
        ),
        _labelled_gauge(
            "trompo_job_late_seconds",
            "Waiting time of the oldest due job.",
            "kind",
            [(job.kind, job.late_seconds) for job in jobs],
        ),
        _labelled_gauge(
            "trompo_jobs_failing",
            "Jobs that failed and are tried again.",
            "kind",
            [(job.kind, job.failing) for job in jobs],
        ),
        _labelled_gauge(
            "trompo_jobs_given_up",
            "Jobs that were given up.",
            "kind",
            [(job.kind, job.failed) for job in jobs],
        ),
        _labelled_gauge("trompo_attention_open", "Decisions that wait for a person.", "kind", attention),
        GaugeMetricFamily(
            "trompo_attention_overdue",
            "Decisions whose deadline has passed.",
            value=await _read_number(session, late),
        ),
        GaugeMetricFamily(
            "trompo_stock_levels_empty",
            "Stock levels without a unit that can be sold.",
            value=await _read_number(session, empty),
        ),
        GaugeMetricFamily(
            "trompo_outbox_events",
            "Changes of products that the storefront has not received.",
            value=await _read_number(session, select(func.count()).select_from(OutboxEvent)),
        ),
    ]


async def _read_counts(session: AsyncSession, query: Select[str, int]) -> list[tuple[str, float]]:
    return [(name, count) for name, count in (await session.execute(query)).all()]


async def _read_number(session: AsyncSession, query: Select[int]) -> float:
    return (await session.execute(query)).scalar_one()


def _labelled_gauge(name: str, help_text: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(name, help_text, labels=[label])
    for label_value, value in values:
        family.add_metric([label_value], value)
    return family


class _FixedCollector:
    """A prometheus_client collector that returns the given metric families."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """Return the metric families."""
        return self._families

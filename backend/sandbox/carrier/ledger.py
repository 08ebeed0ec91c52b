"""The carrier's stored labels and the states of their shipments. All processes of a shop share them.

Offered rates are not stored: the number of a rate contains the courier and the time of the offer.
"""

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from sqlalchemy import delete, select, update
from sqlmodel import col

from backend.core.clock import now
from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import insert_into, table_of
from backend.migrations.sandbox_tables import SandboxLabel
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.sandbox.carrier.quoting import COURIERS

MAX_LABELS = 10_000
"""Maximum number of stored labels; the oldest are deleted first."""
RATE_VALIDITY_S, CLOCK_TOLERANCE_S = 24 * 60 * 60, 5 * 60
"""Seconds for which a rate is valid, and tolerated seconds by which the clock of another process may be ahead."""
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
LABEL_NUMBERS = range(10**12, 10**13)
"""Range of labels' numbers. They are random, so that they are unique and a label's address cannot be guessed."""
MAX_ORDER_ID = 2**63 - 1

_LABELS = table_of(SandboxLabel)
_INSERT = insert_into(_LABELS).on_conflict_do_nothing()
"""Insert a label, and ignore a conflict with any constraint.

If the statement named one constraint, a row of another process could still violate another one on PostgreSQL.
"""


class Ledger:
    """The labels of the embedded carrier, in the shop's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_label(self, carrier: str, reference: str, *, is_test: bool) -> SandboxLabel:
        """Create a label, and delete the oldest ones beyond `MAX_LABELS`.

        All test labels have the same number, so a new test label replaces the previous one.
        """
        number = TEST_ORDER_ID if is_test else secrets.choice(LABEL_NUMBERS)
        label = SandboxLabel(
            order_id=number,
            tracker=TEST_TRACKER if is_test else f"TRM{number}",
            reference=reference,
            carrier=carrier,
            is_test=is_test,
            status=Status.PENDING,
        )
        async with self._database.transaction() as session:
            values = label.model_dump(exclude={"id"})
            await session.execute(_INSERT, values)
            store = update(_LABELS).where(_LABELS.c.order_id == number).values(values).returning(_LABELS.c.id)
            label.id = (await session.execute(store)).scalar_one()
            await session.execute(delete(_LABELS).where(_LABELS.c.id <= label.id - MAX_LABELS))
        return label

    async def find_label(self, order_id: int) -> SandboxLabel | None:
        """Return the label with this number; None if it does not exist."""
        return next(iter(await self.find_labels([order_id])), None)

    async def find_labels(self, order_ids: Iterable[int]) -> Sequence[SandboxLabel]:
        """Return the existing labels with these numbers."""
        known = [number for number in order_ids if number <= MAX_ORDER_ID]
        async with self._database.read() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.order_id).in_(known))
            return (await session.execute(query)).scalars().all()

    async def find_label_by_tracker(self, tracker: str) -> SandboxLabel | None:
        """Return the label with this tracking code; None if it does not exist."""
        async with self._database.read() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.tracker) == tracker)
            return (await session.execute(query)).scalar_one_or_none()

    async def list_labels(self) -> Sequence[SandboxLabel]:
        """Return every label, oldest first."""
        async with self._database.read() as session:
            query = select(SandboxLabel).order_by(col(SandboxLabel.created_at))
            return (await session.execute(query)).scalars().all()

    async def move_shipment(self, order_id: int, status: Status) -> None:
        """Set the status of a shipment, and store the time of its pickup or delivery.

        Raises:
            KeyError: the label does not exist.
        """
        async with self._database.transaction() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.order_id) == order_id)
            label = (await session.execute(lock_rows(query))).scalar_one_or_none()
            if label is None:
                raise KeyError(order_id)
            _set_status(label, status)

    async def cancel_labels(self, order_ids: Iterable[int]) -> list[tuple[SandboxLabel, bool]] | None:
        """Cancel these labels, except those whose parcel was already collected.

        Returns:
            Each label, with True if it was cancelled. None if one of the labels does not exist: no label is cancelled
                then.
        """
        requested_ids = set(order_ids)
        async with self._database.transaction() as session:
            known = [number for number in requested_ids if number <= MAX_ORDER_ID]
            query = select(SandboxLabel).where(col(SandboxLabel.order_id).in_(known))
            labels = (
                (await session.execute(lock_rows(query.order_by(col(SandboxLabel.order_id))))).scalars().all()
            )
            if len(labels) < len(requested_ids):
                return None
            done = [(label, label.status == Status.PENDING) for label in labels]
            for label, is_pending in done:
                if is_pending:
                    label.status = Status.CANCELLED
        return done


def make_rate_number(courier_id: int) -> int:
    """Return a number for a rate that this courier offers now. It contains the time and the courier's id."""
    return _seconds_since_epoch() * 10 + courier_id


def find_courier(rate: int) -> str | None:
    """Return the name of the courier of this rate number; None if the rate was never offered or is too old."""
    offered, courier_id = divmod(rate, 10)
    if not -CLOCK_TOLERANCE_S <= _seconds_since_epoch() - offered <= RATE_VALIDITY_S:
        return None
    return next((courier.name for courier in COURIERS if courier.id == courier_id), None)


def to_tracking_data(label: SandboxLabel) -> dict[str, Any]:
    """Return the progress of a label in the format of the carrier's tracking response."""
    return {
        "status": label.status,
        "statusDetail": f"{label.status} ({label.carrier})",
        "arrivalDate": label.times.get("arrivalDate"),
        "realPickupDate": label.times.get("realPickupDate"),
        "realDeliveryDate": label.times.get("realDeliveryDate"),
        "receivedBy": "Portería" if label.status == Status.DELIVERED else None,
    }


def _set_status(label: SandboxLabel, status: Status) -> None:
    label.status = status
    reached: tuple[str, ...] = ()
    if status not in (Status.PENDING, Status.CANCELLED, Status.INCIDENT):
        reached = ("realPickupDate",)
    if status is Status.DELIVERED:
        reached += ("realDeliveryDate",)
    label.times = {**dict.fromkeys(reached, _local_now()), **label.times}


def _seconds_since_epoch() -> int:
    return int((now() - EPOCH).total_seconds())


def _local_now() -> str:
    """Return the current time in the carrier's format: Colombia's time, without a zone."""
    return f"{now().astimezone(timezone(timedelta(hours=-5))):%Y-%m-%d %H:%M:%S}"

"""What the carrier remembers: the labels it made and where their shipments are. Every process of a shop asks the same.

The rates it offered are not remembered: a rate's number says which courier's it is, and since when it is good.
"""

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from sqlalchemy import delete, select, update
from sqlmodel import col

from backend.core.clock import now
from backend.core.db.database import Database, locked
from backend.core.db.tables import insert_into, table_of
from backend.migrations.sandbox_tables import SandboxLabel
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER, Status
from backend.sandbox.carrier.quoting import COURIERS

KEPT = 10_000
"""So many labels are remembered; the oldest are forgotten first."""
RATE_IS_GOOD, CLOCKS_DIFFER = 24 * 60 * 60, 5 * 60
"""Seconds: how long a rate may be used, and how much ahead the clock of the process that offered it may be."""
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = range(10**12, 10**13)
"""Labels' numbers: drawn at random, so that none is given twice and nobody can guess the address of one."""
MOST = 2**63 - 1

_LABELS = table_of(SandboxLabel)
_INSERT = insert_into(_LABELS).on_conflict_do_nothing()
"""Of any of its constraints: with one named, PostgreSQL may still meet a rival's row in another."""


class Ledger:
    """The labels that were made, in the shop's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def issue(self, carrier: str, reference: str, *, is_test: bool) -> SandboxLabel:
        """Make a label. All test labels have one number, and making one starts it anew."""
        number = TEST_ORDER_ID if is_test else secrets.choice(NUMBERS)
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
            anew = update(_LABELS).where(_LABELS.c.order_id == number).values(values).returning(_LABELS.c.id)
            label.id = (await session.execute(anew)).scalar_one()
            await session.execute(delete(_LABELS).where(_LABELS.c.id <= label.id - KEPT))
        return label

    async def label(self, order_id: int) -> SandboxLabel | None:
        """The label with this number."""
        return next(iter(await self.labels_with([order_id])), None)

    async def labels_with(self, order_ids: Iterable[int]) -> Sequence[SandboxLabel]:
        """The labels with these numbers, as far as there are any."""
        known = [number for number in order_ids if number <= MOST]
        async with self._database.read() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.order_id).in_(known))
            return (await session.execute(query)).scalars().all()

    async def label_tracked_by(self, tracker: str) -> SandboxLabel | None:
        """The label with this tracking code."""
        async with self._database.read() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.tracker) == tracker)
            return (await session.execute(query)).scalar_one_or_none()

    async def labels(self) -> Sequence[SandboxLabel]:
        """Every label, the oldest first."""
        async with self._database.read() as session:
            query = select(SandboxLabel).order_by(col(SandboxLabel.created_at))
            return (await session.execute(query)).scalars().all()

    async def move(self, order_id: int, status: Status) -> None:
        """Let a shipment go on to a state, and remember when; KeyError for an unknown one."""
        async with self._database.transaction() as session:
            query = select(SandboxLabel).where(col(SandboxLabel.order_id) == order_id)
            label = (await session.execute(locked(query))).scalar_one_or_none()
            if label is None:
                raise KeyError(order_id)
            _move(label, status)

    async def cancel(self, order_ids: Iterable[int]) -> list[tuple[SandboxLabel, bool]] | None:
        """Cancel what is not collected yet, when all of them are known.

        Returns:
            Each label with whether it was cancelled; None where one is unknown: nothing is cancelled then.
        """
        asked = set(order_ids)
        async with self._database.transaction() as session:
            known = [number for number in asked if number <= MOST]
            query = select(SandboxLabel).where(col(SandboxLabel.order_id).in_(known))
            labels = (
                (await session.execute(locked(query.order_by(col(SandboxLabel.order_id))))).scalars().all()
            )
            if len(labels) < len(asked):
                return None
            done = [(label, label.status == Status.PENDING) for label in labels]
            for label, is_pending in done:
                if is_pending:
                    label.status = Status.CANCELLED
        return done


def rate_number(courier_id: int) -> int:
    """A number for a courier's rate, offered now."""
    return _seconds() * 10 + courier_id


def courier_of(rate: int) -> str | None:
    """The courier whose rate it is; None for one that was never offered or is too old."""
    offered, courier_id = divmod(rate, 10)
    if not -CLOCKS_DIFFER <= _seconds() - offered <= RATE_IS_GOOD:
        return None
    return next((courier.name for courier in COURIERS if courier.id == courier_id), None)


def tracking(label: SandboxLabel) -> dict[str, Any]:
    """The data of a tracking answer."""
    return {
        "status": label.status,
        "statusDetail": f"{label.status} ({label.carrier})",
        "arrivalDate": label.times.get("arrivalDate"),
        "realPickupDate": label.times.get("realPickupDate"),
        "realDeliveryDate": label.times.get("realDeliveryDate"),
        "receivedBy": "Portería" if label.status == Status.DELIVERED else None,
    }


def _move(label: SandboxLabel, status: Status) -> None:
    label.status = status
    reached: tuple[str, ...] = ()
    if status not in (Status.PENDING, Status.CANCELLED, Status.INCIDENT):
        reached = ("realPickupDate",)
    if status is Status.DELIVERED:
        reached += ("realDeliveryDate",)
    label.times = {**dict.fromkeys(reached, _local_now()), **label.times}


def _seconds() -> int:
    return int((now() - EPOCH).total_seconds())


def _local_now() -> str:
    """Now, as the carrier writes it: Colombia's time, without its zone."""
    return f"{now().astimezone(timezone(timedelta(hours=-5))):%Y-%m-%d %H:%M:%S}"

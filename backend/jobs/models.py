"""Table of background jobs."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Index, Integer, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject


class Job(SQLModel, table=True):
    """Work to be done at `run_at` or soon after. The row is deleted when the work is done.

    All times except `created_at` are taken from the database's clock. For a claimed job, `run_at` is the end of its
    claim, so the jobs of a crashed worker become due again.
    """

    __tablename__ = "job"
    __table_args__: ClassVar = (
        UniqueConstraint("kind", "key"),
        Index("ix_job_failed_at_run_at", "failed_at", "run_at"),
        {"sqlite_autoincrement": True},  # an id is never used twice
    )

    id: int | None = Field(
        default=None,
        primary_key=True,
        sa_type=BigInteger().with_variant(Integer, "sqlite"),
    )
    kind: str
    key: str | None = None
    """The subject of the job. There is at most one job of a kind and key; with None, any number."""
    payload: JsonObject = Field(default_factory=dict, sa_type=Json)
    run_at: datetime = Field(sa_type=UtcDateTime)
    claim: str | None = None
    """The run that has claimed the job; None while the job waits."""
    again_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """The earliest time of another run after the current one, if the job was enqueued again while it was claimed."""
    delay_s: float | None = None
    """Delay in seconds when `run_at` was written; None for rows of earlier versions."""
    again_delay_s: float | None = None
    """Delay in seconds when `again_at` was written."""
    attempts: int = 0
    """Number of runs that were started."""
    failures: int = 0
    """Number of consecutive failures."""
    failing_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    failed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Moment when the job was given up; None while it is still tried."""
    error: str | None = None
    """Message of the latest failure."""
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)

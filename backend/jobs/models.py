"""The one table of later work."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Index, Integer, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject


class Job(SQLModel, table=True):
    """Work to be done at `run_at` or soon after. The row goes when it is done.

    All moments but `created_at` are the database's. `run_at` of a claimed job is when its claim ends: a worker that
    died loses its jobs by itself.
    """

    __tablename__ = "job"
    __table_args__: ClassVar = (
        UniqueConstraint("kind", "key"),
        Index("ix_job_failed_at_run_at", "failed_at", "run_at"),
        {"sqlite_autoincrement": True},  # a number is never given twice
    )

    id: int | None = Field(
        default=None,
        primary_key=True,
        sa_type=BigInteger().with_variant(Integer, "sqlite"),
    )
    kind: str
    key: str | None = None
    """What the job is about: there is at most one job of a kind and key. None: as many as were enqueued."""
    payload: JsonObject = Field(default_factory=dict, sa_type=Json)
    run_at: datetime = Field(sa_type=UtcDateTime)
    claim: str | None = None
    """Which run holds it; None while it waits."""
    again_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """It was enqueued once more while it was claimed: when it is to run after this run."""
    delay_s: float | None = None
    """For how many seconds it was to wait when `run_at` was written; None for rows of earlier versions."""
    again_delay_s: float | None = None
    """The same of `again_at`."""
    attempts: int = 0
    """How often it was begun."""
    failures: int = 0
    """How often it failed in a row."""
    failing_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    failed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was given up; None while it is still tried."""
    error: str | None = None
    """Why it failed last."""
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)

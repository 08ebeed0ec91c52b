"""Kinds of jobs: the decorators for methods that run jobs (`@job`, `@job_batch`, `@periodic`), job runs and results."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.core.errors import ShopError

KIND_ATTRIBUTE = "__job_kind__"
DEFAULT_TIMEOUT = timedelta(seconds=60)
DEFAULT_GIVE_UP_AFTER = timedelta(days=1)
_PAUSES: dict[str, timedelta] = {}
"""Pause of each kind of periodic work, for processes without a worker."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job. `attempt` is 1 for the first run, and counts successful and failed runs."""

    id: int
    kind: str
    key: str | None
    payload: JsonObject
    attempt: int


@dataclass(frozen=True, slots=True)
class RunAgain:
    """Result of a job that is not finished: it runs again after the time `after`. This is not a failure.

    With `reset`, the `attempt` of its next run is 1 again.
    """

    after: timedelta
    reset: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """Result of a finished job with a change to store: `store` runs in the transaction that deletes the job.

    `store` runs even if another worker has claimed the job in the meantime. Periodic work must not return this.
    """

    store: Callable[[AsyncSession], Awaitable[None]]


class RetryLater(ShopError):
    """Raised by a job to set the pause before the next attempt, or a maximum number of failures.

    Attributes:
        after: the pause before the next attempt.
        max_failures: maximum number of consecutive failures of this cause; then the job is given up. None: no
            maximum.
        cause: the beginning of the message, which identifies failures of the same cause; by default the whole
            message.
    """

    def __init__(
        self, message: str, *, after: timedelta, max_failures: int | None = None, cause: str | None = None
    ) -> None:
        super().__init__(f"{cause}: {message}" if cause else message)
        self.after, self.max_failures, self.cause = after, max_failures, cause or message


Result = RunAgain | Finished | None
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


@dataclass(frozen=True, slots=True)
class JobKind:
    """Settings of the jobs of one kind.

    Attributes:
        timeout: maximum duration of a run; a longer run is a failure.
        give_up_after: a job that has been failing for this long is given up; None for never.
        concurrency: maximum number of concurrent runs in one process.
        batch_size: maximum number of jobs in one run.
        every: for periodic work, the pause between two runs.
    """

    name: str
    timeout: timedelta = DEFAULT_TIMEOUT
    give_up_after: timedelta | None = DEFAULT_GIVE_UP_AFTER
    concurrency: int = 4
    batch_size: int = 1
    every: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Handler:
    """A kind of job and the bound method that runs its jobs."""

    kind: JobKind
    bound_method: Callable[..., Awaitable[Any]]

    async def __call__(self, runs: Sequence[JobRun]) -> Sequence[Result]:
        """Run these jobs. Return the result of each."""
        if self.kind.batch_size > 1:
            results: Sequence[Result] | None = await self.bound_method(runs)
            return results if results is not None else [None] * len(runs)
        result: Result = await self.bound_method(runs[0])
        if self.kind.every is not None and result is None:
            result = RunAgain(self.kind.every)
        return [result]


def job(
    name: str,
    *,
    timeout: timedelta = DEFAULT_TIMEOUT,
    give_up_after: timedelta | None = DEFAULT_GIVE_UP_AFTER,
    concurrency: int = 4,
) -> Callable[[F], F]:
    """Mark `async def method(self, run: JobRun) -> RunAgain | Finished | None` as the method for the jobs `name`."""
    return _mark_as(JobKind(name, timeout, give_up_after, concurrency))


def job_batch(
    name: str,
    *,
    batch_size: int,
    timeout: timedelta = DEFAULT_TIMEOUT,
    give_up_after: timedelta | None = DEFAULT_GIVE_UP_AFTER,
) -> Callable[[F], F]:
    """Mark the method that runs the jobs `name` in batches.

    The method is `async def method(self, runs: Sequence[JobRun]) -> Sequence[RunAgain | None] | None`. If it raises,
    all jobs of the batch have failed.
    """
    return _mark_as(JobKind(name, timeout, give_up_after, concurrency=1, batch_size=batch_size))


def periodic(name: str, *, every: timedelta, timeout: timedelta = DEFAULT_TIMEOUT) -> Callable[[F], F]:
    """Mark `async def method(self, run: JobRun) -> None` as periodic work, run by one replica at a time."""
    _PAUSES[name] = every
    return _mark_as(JobKind(name, timeout, give_up_after=None, concurrency=1, every=every))


def pause_of(kind: str) -> timedelta | None:
    """Return the pause between two runs of periodic work; None for other jobs."""
    return _PAUSES.get(kind)


def periodic_kinds() -> dict[str, timedelta]:
    """Return the pause of each kind of periodic work."""
    return dict(_PAUSES)


def collect_handlers(services: Iterable[object]) -> dict[str, Handler]:
    """Return the methods of these objects that are marked to run jobs, by the kind of job.

    Raises:
        ValueError: two methods have the same kind.
    """
    handlers: dict[str, Handler] = {}
    for service in services:
        for name in dir(type(service)):
            kind = getattr(getattr(type(service), name), KIND_ATTRIBUTE, None)
            if isinstance(kind, JobKind):
                if kind.name in handlers:
                    raise ValueError(f"two methods run jobs of kind {kind.name}")
                handlers[kind.name] = Handler(kind, getattr(service, name))
    return handlers


def _mark_as(kind: JobKind) -> Callable[[F], F]:
    def mark(method: F) -> F:
        setattr(method, KIND_ATTRIBUTE, kind)
        return method

    return mark


@dataclass(frozen=True, slots=True)
class JobFailed:
    """Event: a job failed repeatedly and was given up, so staff must look at it.

    Published in the transaction that gives up the job.
    """

    job_id: int
    kind: str
    key: str | None
    error: str

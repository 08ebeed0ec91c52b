"""Kinds of jobs: the marks of methods that do them (`@job`, `@job_batch`, `@periodic`), their runs and results."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from backend.core.db.tables import JsonObject
from backend.core.errors import ShopError

MARK = "__job_kind__"
TIMEOUT = timedelta(seconds=60)
GIVE_UP_AFTER = timedelta(days=1)
_PAUSES: dict[str, timedelta] = {}
"""Of each kind of periodic work, for whoever has no worker."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job. `attempt` is 1 for the first and counts every run, failed or asked for again."""

    id: int
    kind: str
    key: str | None
    payload: JsonObject
    attempt: int


@dataclass(frozen=True, slots=True)
class RunAgain:
    """What a job returns that is not done: it runs once more, `after` from now. This is no failure.

    With `reset` its attempts are counted from the start again.
    """

    after: timedelta
    reset: bool = False


class RetryLater(ShopError):
    """What a job raises that would be tried again too soon or too often otherwise.

    Attributes:
        after: the pause before the next try.
        most: how many failures of this cause in a row there are at most: with the last the job is given up.
        cause: what the message begins with each time; the whole message where none is named.
    """

    def __init__(
        self, message: str, *, after: timedelta, most: int | None = None, cause: str | None = None
    ) -> None:
        super().__init__(f"{cause}: {message}" if cause else message)
        self.after, self.most, self.cause = after, most, cause or message


Result = RunAgain | None
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


@dataclass(frozen=True, slots=True)
class JobKind:
    """How jobs of a kind are run.

    Attributes:
        timeout: a run that takes longer has failed.
        give_up_after: a job that has failed for so long is given up; None for never.
        at_once: how many run at the same time in one process.
        batch: how many are handed over at once.
        every: for periodic work, the pause between two runs.
    """

    name: str
    timeout: timedelta = TIMEOUT
    give_up_after: timedelta | None = GIVE_UP_AFTER
    at_once: int = 4
    batch: int = 1
    every: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Handler:
    """A kind and the bound method that does its jobs."""

    kind: JobKind
    do: Callable[..., Awaitable[Any]]

    async def __call__(self, runs: Sequence[JobRun]) -> Sequence[Result]:
        """Do these jobs. Gives what each returned."""
        if self.kind.batch > 1:
            results: Sequence[Result] | None = await self.do(runs)
            return results if results is not None else [None] * len(runs)
        result: Result = await self.do(runs[0])
        if self.kind.every is not None and result is None:
            result = RunAgain(self.kind.every)
        return [result]


def job(
    name: str,
    *,
    timeout: timedelta = TIMEOUT,
    give_up_after: timedelta | None = GIVE_UP_AFTER,
    at_once: int = 4,
) -> Callable[[F], F]:
    """Mark `async def method(self, run: JobRun) -> RunAgain | None` as what does jobs of this kind."""
    return _marked(JobKind(name, timeout, give_up_after, at_once))


def job_batch(
    name: str,
    *,
    batch: int,
    timeout: timedelta = TIMEOUT,
    give_up_after: timedelta | None = GIVE_UP_AFTER,
) -> Callable[[F], F]:
    """Mark `async def method(self, runs: Sequence[JobRun]) -> Sequence[RunAgain | None] | None`: many at a time.

    An exception is a failure of all of them.
    """
    return _marked(JobKind(name, timeout, give_up_after, at_once=1, batch=batch))


def periodic(name: str, *, every: timedelta, timeout: timedelta = TIMEOUT) -> Callable[[F], F]:
    """Mark `async def method(self, run: JobRun) -> None` as work that is done again and again, by one replica."""
    _PAUSES[name] = every
    return _marked(JobKind(name, timeout, give_up_after=None, at_once=1, every=every))


def pause_of(kind: str) -> timedelta | None:
    """The pause between two runs of periodic work; None for other jobs."""
    return _PAUSES.get(kind)


def periodic_kinds() -> dict[str, timedelta]:
    """Return the pause of each kind of periodic work."""
    return dict(_PAUSES)


def handlers_of(services: Iterable[object]) -> dict[str, Handler]:
    """The marked methods of these objects, by kind.

    Raises:
        ValueError: two methods do the same kind.
    """
    handlers: dict[str, Handler] = {}
    for service in services:
        for name in dir(type(service)):
            kind = getattr(getattr(type(service), name), MARK, None)
            if isinstance(kind, JobKind):
                if kind.name in handlers:
                    raise ValueError(f"two methods do jobs of kind {kind.name}")
                handlers[kind.name] = Handler(kind, getattr(service, name))
    return handlers


def _marked(kind: JobKind) -> Callable[[F], F]:
    def mark(method: F) -> F:
        setattr(method, MARK, kind)
        return method

    return mark


@dataclass(frozen=True, slots=True)
class JobFailed:
    """A job kept failing and is given up: a person must look. Published in the transaction that gives it up."""

    job_id: int
    kind: str
    key: str | None
    error: str

"""Work that is done again and again: at once when called for, after a failure too, and never after it was stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from backend.errors import OutsideFailure
from backend.rounds import Rounds

NEVER = 3600.0


class Work:
    """Counts its rounds; fails in those it is told to."""

    def __init__(self, **failures: Exception) -> None:
        self.done = 0
        self._failures = {int(key.removeprefix("round_")): error for key, error in failures.items()}
        self._ended = asyncio.Condition()

    async def __call__(self) -> None:
        async with self._ended:
            self.done += 1
            self._ended.notify_all()
        if self.done in self._failures:
            raise self._failures[self.done]

    async def times(self, rounds: int) -> None:
        async with asyncio.timeout(10), self._ended:
            await self._ended.wait_for(lambda: self.done >= rounds)


@asynccontextmanager
async def _running(work: Work, every: float) -> AsyncIterator[Rounds]:
    rounds = Rounds("sweeping", work, every)
    rounds.start()
    rounds.start()  # once more changes nothing
    yield rounds
    await rounds.stop()


async def test_the_first_round_begins_at_once_and_the_next_when_called_for() -> None:
    work = Work()
    async with _running(work, NEVER) as rounds:
        await work.times(1)
        rounds.call()
        await work.times(2)
    assert work.done == 2


async def test_a_round_follows_by_itself() -> None:
    work = Work()
    async with _running(work, 0.001):
        await work.times(3)


async def test_a_call_in_the_middle_of_a_round_is_not_lost() -> None:
    begun, may_end, rounds_done = asyncio.Event(), asyncio.Event(), 0

    async def work() -> None:
        nonlocal rounds_done
        begun.set()
        await may_end.wait()
        rounds_done += 1
        if rounds_done == 2:
            again.set()

    again = asyncio.Event()
    rounds = Rounds("sweeping", work, NEVER)
    rounds.start()
    await begun.wait()
    rounds.call()
    may_end.set()
    async with asyncio.timeout(10):
        await again.wait()
    await rounds.stop()


@pytest.mark.parametrize(
    ("failure", "said"),
    [(OutsideFailure("Nobody answers"), "Nobody answers"), (ZeroDivisionError("by zero"), "by zero")],
)
async def test_a_round_that_fails_is_told_of_and_another_follows(
    failure: Exception, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    work = Work(round_1=failure)
    async with _running(work, 0.001):
        await work.times(2)
    assert "sweeping" in caplog.text
    assert said in caplog.text


async def test_stopped_means_stopped() -> None:
    rounds = Rounds("sweeping", work := Work(), NEVER)
    await rounds.stop()
    rounds.start()
    await work.times(1)
    await rounds.stop()
    rounds.call()
    assert [task for task in asyncio.all_tasks() if task.get_name() == "sweeping"] == []
    assert work.done == 1


async def test_a_round_under_way_is_ended() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    rounds = Rounds("sweeping", work, NEVER)
    rounds.start()
    await begun.wait()
    await rounds.stop()
    assert ended.is_set()

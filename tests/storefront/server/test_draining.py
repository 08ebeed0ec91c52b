import asyncio

import pytest

from backend.edge.health.readiness import Readiness
from storefront.server import draining
from storefront.server.draining import Drain


def drain_of(readiness: Readiness, busy: list[bool], ends: list[int]) -> Drain:
    """Return a drain that appends to `ends` when it stops the server.

    Each check for running events removes and returns the final item of `busy`; the only item left is returned
    by all further checks.
    """
    return Drain(
        readiness, 0, is_busy=lambda: busy.pop() if len(busy) > 1 else busy[0], end=lambda: ends.append(1)
    )


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove all pauses except the wait for events."""
    monkeypatch.setattr(draining, "BETWEEN_LOOKS", 0)
    monkeypatch.setattr(draining, "LAST_ANSWERS", 0)


async def test_running_events_finish_before_the_server_stops() -> None:
    readiness, busy = Readiness({}), [False, True, True, True]
    ends: list[int] = []
    drain = drain_of(readiness, busy, ends)
    drain.begin()
    assert readiness.is_draining
    assert drain.task is not None
    await drain.task
    assert (busy, ends) == ([False], [1])


async def test_endless_events_are_cancelled_when_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "EVENTS_TIMEOUT_S", 0.01)
    ends: list[int] = []
    drain = drain_of(Readiness({}), [True], ends)
    drain.begin()
    assert drain.task is not None
    await drain.task
    assert ends == [1]


async def test_draining_of_the_server_begins_only_once() -> None:
    ends: list[int] = []
    drain = drain_of(Readiness({}), [False], ends)
    drain.begin()
    first = drain.task
    drain.begin()
    assert drain.task is first
    assert first is not None
    await asyncio.wait_for(first, 10)
    assert ends == [1]

"""Separate thread pools for slow work."""

import asyncio
from threading import Event

import pytest

from backend.core.threads import Threads


async def test_call_waiting_for_a_thread_can_be_cancelled() -> None:
    began, may_end = Event(), Event()
    called: list[str] = []

    def wait() -> str:
        began.set()
        may_end.wait()
        return "done"

    threads = Threads("test", 1)
    waiting = asyncio.create_task(threads.run(wait))
    await asyncio.to_thread(began.wait)  # other pools are not affected
    forgotten = asyncio.create_task(threads.run(called.append, "forgotten"))
    await asyncio.sleep(0)
    forgotten.cancel()
    await asyncio.wait({forgotten})  # the event loop passes the cancellation on to the pool
    may_end.set()
    assert await waiting == "done"
    await threads.run(called.append, "last")
    assert called == ["last"]


async def test_exception_in_the_thread_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        await Threads("test", 1).run(int, "x")

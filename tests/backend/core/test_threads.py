"""Threads of their own for what waits."""

import asyncio
from threading import Event

import pytest

from backend.core.threads import Threads


async def test_what_waits_for_a_thread_can_be_forgotten() -> None:
    began, may_end = Event(), Event()
    called: list[str] = []

    def wait() -> str:
        began.set()
        may_end.wait()
        return "done"

    threads = Threads("test", 1)
    waiting = asyncio.create_task(threads.run(wait))
    await asyncio.to_thread(began.wait)  # the threads of others are free
    forgotten = asyncio.create_task(threads.run(called.append, "forgotten"))
    await asyncio.sleep(0)
    forgotten.cancel()
    await asyncio.wait({forgotten})  # the pool hears of it from the event loop
    may_end.set()
    assert await waiting == "done"
    await threads.run(called.append, "last")
    assert called == ["last"]


async def test_what_it_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        await Threads("test", 1).run(int, "x")

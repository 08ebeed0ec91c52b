"""Requests share what was read, and nobody gets what was read before they asked."""

import asyncio

import pytest

from storefront.documents.together import Together


async def test_those_who_come_while_one_reads_read_the_next_together() -> None:
    together: Together[int] = Together()
    begun, go_on = [asyncio.Event(), asyncio.Event()], [asyncio.Event(), asyncio.Event()]
    numbers = iter(range(2))

    async def read() -> int:
        number = next(numbers)
        begun[number].set()
        await go_on[number].wait()
        return number

    first = asyncio.create_task(together.ask("page", read))
    await begun[0].wait()
    later = [asyncio.create_task(together.ask("page", read)) for _ in range(5)]
    go_on[0].set()
    assert await first == 0
    await begun[1].wait()
    go_on[1].set()
    assert await asyncio.gather(*later) == [1] * 5


async def test_different_questions_do_not_wait_for_each_other() -> None:
    together: Together[str] = Together()
    never = asyncio.Event()

    async def wait() -> str:
        await never.wait()
        return "late"

    async def answer() -> str:
        return "at once"

    slow = asyncio.create_task(together.ask("slow", wait))
    assert await together.ask("quick", answer) == "at once"
    never.set()
    assert await slow == "late"


async def test_a_failure_is_told_to_all_and_forgotten() -> None:
    together: Together[str] = Together()

    async def fail() -> str:
        raise ValueError("no")

    async def answer() -> str:
        return "yes"

    failed = await asyncio.gather(*(together.ask("page", fail) for _ in range(3)), return_exceptions=True)
    assert [str(error) for error in failed] == ["no"] * 3
    assert await together.ask("page", answer) == "yes"


async def test_who_goes_away_does_not_take_the_answer_along() -> None:
    together: Together[str] = Together()
    go_on = asyncio.Event()

    async def read() -> str:
        await go_on.wait()
        return "read"

    leaving = asyncio.create_task(together.ask("page", read))
    staying = asyncio.create_task(together.ask("page", read))
    await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    go_on.set()
    assert await staying == "read"

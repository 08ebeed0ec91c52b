import asyncio
import gc
import random
from collections.abc import Awaitable, Callable

import pytest

from backend.core.caching.single_flight import SingleFlight


class CountedCall:
    """A call that counts how often it is made, and answers when allowed."""

    def __init__(self) -> None:
        self.calls = 0
        self.cancellations = 0
        self.reached = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def ask(self) -> int:
        self.calls += 1
        mine = self.calls
        self.reached.set()
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancellations += 1
            raise
        return mine


@pytest.fixture
async def counted() -> CountedCall:
    return CountedCall()


@pytest.fixture
def flights() -> SingleFlight[str, int]:
    return SingleFlight()


def is_idle(flights: SingleFlight[str, int]) -> bool:
    """Return True if no call is stored any more."""
    waiting = flights.wait_until_idle()
    try:
        waiting.send(None)
    except StopIteration:
        return True
    waiting.close()
    return False


async def start(times: int, call: Callable[[], Awaitable[int]]) -> list["asyncio.Task[int]"]:
    async def call_once() -> int:
        return await call()

    tasks = [asyncio.create_task(call_once()) for _ in range(times)]
    await asyncio.sleep(0)  # all of them are waiting now
    return tasks


async def test_concurrent_calls_with_one_key_are_shared(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    tasks = await start(20, lambda: flights.share("a", counted.ask))
    counted.may_answer.set()
    assert await asyncio.gather(*tasks) == [1] * 20
    assert counted.calls == 1


async def test_calls_with_different_keys_are_not_shared(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    tasks = await start(1, lambda: flights.share("a", counted.ask))
    tasks += await start(1, lambda: flights.share("b", counted.ask))
    counted.may_answer.set()
    assert sorted(await asyncio.gather(*tasks)) == [1, 2]


async def test_result_of_a_shared_call_is_not_stored(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    counted.may_answer.set()
    assert [await flights.share("a", counted.ask) for _ in range(3)] == [1, 2, 3]
    assert is_idle(flights)


async def test_request_after_the_result_of_a_call_starts_a_new_call(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    answers: list[int] = []

    async def ask_twice() -> None:
        answers.append(await flights.share("a", counted.ask))
        answers.append(await flights.share("a", counted.ask))

    counted.may_answer.set()
    await asyncio.gather(ask_twice(), ask_twice())
    assert sorted(answers) == [1, 1, 2, 2]


async def test_cancelled_caller_does_not_affect_other_callers_of_a_shared_call(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    first, *others = await start(3, lambda: flights.share("a", counted.ask))
    first.cancel()
    await asyncio.wait([first])
    counted.may_answer.set()
    assert await asyncio.gather(*others) == [1, 1]
    assert first.cancelled()
    assert (counted.calls, counted.cancellations) == (1, 0)


async def test_call_is_cancelled_when_all_callers_are_cancelled(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    tasks = await start(2, lambda: flights.share("a", counted.ask))
    await counted.reached.wait()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    again = await start(1, lambda: flights.share("a", counted.ask))
    counted.may_answer.set()
    assert await again[0] == 2
    assert counted.cancellations == 1
    assert is_idle(flights)


async def test_failure_of_a_shared_call_is_raised_for_all_callers_and_not_stored(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    async def fail() -> int:
        await counted.ask()
        raise LookupError

    tasks = await start(3, lambda: flights.share("a", fail))
    counted.may_answer.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [LookupError] * 3
    assert await flights.share("a", counted.ask) == 2


async def test_failure_of_a_call_without_remaining_callers_is_not_logged(
    flights: SingleFlight[str, int],
) -> None:
    noises: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: noises.append(context))
    failing = asyncio.Event()

    async def fail() -> int:
        failing.set()
        raise LookupError

    (task,) = await start(1, lambda: flights.share("a", fail))
    await failing.wait()
    task.cancel()
    await asyncio.wait([task])
    del task
    gc.collect()
    await asyncio.sleep(0)
    assert noises == []


async def test_callers_that_arrive_during_a_call_share_the_next_call(flights: SingleFlight[str, int]) -> None:
    begun, go_on = [asyncio.Event(), asyncio.Event()], [asyncio.Event(), asyncio.Event()]
    numbers = iter(range(2))

    async def read() -> int:
        number = next(numbers)
        begun[number].set()
        await go_on[number].wait()
        return number

    first = asyncio.create_task(flights.share_next("a", read))
    await begun[0].wait()
    later = await start(5, lambda: flights.share_next("a", read))
    joining = await start(3, lambda: flights.share("a", read))
    go_on[0].set()
    assert await asyncio.gather(first, *joining) == [0] * 4
    await begun[1].wait()
    go_on[1].set()
    assert await asyncio.gather(*later) == [1] * 5
    assert is_idle(flights)


async def test_share_next_returns_no_value_older_than_the_request(flights: SingleFlight[str, int]) -> None:
    """Check random orders of calls and writes: an answer contains all writes made before its call."""
    written = running = 0
    chance = random.Random(18)

    async def read() -> int:
        nonlocal running
        running += 1
        assert running == 1
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        seen = written
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        running -= 1
        return seen

    async def ask() -> None:
        nonlocal written
        for _ in range(50):
            written += 1
            mine = written
            assert await flights.share_next("a", read) >= mine
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)

    await asyncio.gather(*(ask() for _ in range(20)))


async def test_different_keys_do_not_wait_for_each_other(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    async def answer() -> int:
        return 7

    (slow,) = await start(1, lambda: flights.share_next("slow", counted.ask))
    assert await flights.share_next("quick", answer) == 7
    counted.may_answer.set()
    assert await slow == 1


async def test_waiting_next_call_is_dropped_when_its_callers_are_cancelled(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    (first,) = await start(1, lambda: flights.share_next("a", counted.ask))
    await counted.reached.wait()
    (leaving,) = await start(1, lambda: flights.share_next("a", counted.ask))
    leaving.cancel()
    await asyncio.wait([leaving])
    counted.may_answer.set()
    assert await first == 1
    await flights.wait_until_idle()
    assert counted.calls == 1
    assert is_idle(flights)


async def test_call_that_continues_after_a_cancellation_serves_later_callers(counted: CountedCall) -> None:
    flights = SingleFlight[str, int](runs_to_end=True)
    (leaving,) = await start(1, lambda: flights.share("a", counted.ask))
    await counted.reached.wait()
    leaving.cancel()
    await asyncio.wait([leaving])
    (coming,) = await start(1, lambda: flights.share("a", counted.ask))
    counted.may_answer.set()
    assert await coming == 1
    assert (counted.calls, counted.cancellations) == (1, 0)


async def test_wait_until_idle_waits_for_running_and_waiting_calls(counted: CountedCall) -> None:
    flights = SingleFlight[str, int](runs_to_end=True)
    await flights.wait_until_idle()
    tasks = await start(1, lambda: flights.share_next("a", counted.ask))
    await counted.reached.wait()
    tasks += await start(1, lambda: flights.share_next("a", counted.ask))
    counted.may_answer.set()
    await flights.wait_until_idle()
    assert counted.calls == 2
    assert await asyncio.gather(*tasks) == [1, 2]


async def test_shared_call_cancelled_before_it_began_is_replaced(
    flights: SingleFlight[str, int], counted: CountedCall
) -> None:
    """Cancel a call's task from outside, as when a program stops and ends all tasks one by one."""
    earlier = asyncio.all_tasks()
    (caller,) = await start(1, lambda: flights.share("a", counted.ask))
    (call,) = asyncio.all_tasks() - earlier - {caller}
    call.cancel()
    await asyncio.wait([call, caller])
    assert counted.calls == 0
    counted.may_answer.set()
    assert await flights.share_next("a", counted.ask) == 1
    assert is_idle(flights)

import asyncio
import gc
import random
from collections.abc import Awaitable, Callable

import pytest

from backend.core.caching.single_flight import SingleFlight


class Question:
    """Counts how often it is asked, and answers when it is let."""

    def __init__(self) -> None:
        self.asked = 0
        self.dropped = 0
        self.reached = asyncio.Event()
        self.answered = asyncio.Event()

    async def ask(self) -> int:
        self.asked += 1
        mine = self.asked
        self.reached.set()
        try:
            await self.answered.wait()
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        return mine


@pytest.fixture
async def question() -> Question:
    return Question()


@pytest.fixture
def flights() -> SingleFlight[str, int]:
    return SingleFlight()


async def start(times: int, call: Callable[[], Awaitable[int]]) -> list["asyncio.Task[int]"]:
    async def one() -> int:
        return await call()

    tasks = [asyncio.create_task(one()) for _ in range(times)]
    await asyncio.sleep(0)  # each of them is waiting now
    return tasks


async def test_the_same_question_at_once_is_asked_once(
    flights: SingleFlight[str, int], question: Question
) -> None:
    tasks = await start(20, lambda: flights.share("a", question.ask))
    question.answered.set()
    assert await asyncio.gather(*tasks) == [1] * 20
    assert question.asked == 1


async def test_another_question_is_another_call(flights: SingleFlight[str, int], question: Question) -> None:
    tasks = await start(1, lambda: flights.share("a", question.ask))
    tasks += await start(1, lambda: flights.share("b", question.ask))
    question.answered.set()
    assert sorted(await asyncio.gather(*tasks)) == [1, 2]


async def test_nothing_is_kept_once_the_answer_is_there(
    flights: SingleFlight[str, int], question: Question
) -> None:
    question.answered.set()
    assert [await flights.share("a", question.ask) for _ in range(3)] == [1, 2, 3]
    assert not flights._running
    assert not flights._next


async def test_whoever_asks_when_the_answer_has_just_come_asks_anew(
    flights: SingleFlight[str, int], question: Question
) -> None:
    answers: list[int] = []

    async def ask_twice() -> None:
        answers.append(await flights.share("a", question.ask))
        answers.append(await flights.share("a", question.ask))

    question.answered.set()
    await asyncio.gather(ask_twice(), ask_twice())
    assert sorted(answers) == [1, 1, 2, 2]


async def test_one_who_leaves_does_not_take_the_answer_from_the_others(
    flights: SingleFlight[str, int], question: Question
) -> None:
    first, *others = await start(3, lambda: flights.share("a", question.ask))
    first.cancel()
    await asyncio.wait([first])
    question.answered.set()
    assert await asyncio.gather(*others) == [1, 1]
    assert first.cancelled()
    assert (question.asked, question.dropped) == (1, 0)


async def test_when_all_have_left_the_question_is_dropped_and_can_be_asked_anew(
    flights: SingleFlight[str, int], question: Question
) -> None:
    tasks = await start(2, lambda: flights.share("a", question.ask))
    await question.reached.wait()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    again = await start(1, lambda: flights.share("a", question.ask))
    question.answered.set()
    assert await again[0] == 2
    assert question.dropped == 1
    assert not flights._running
    assert not flights._next


async def test_a_failure_is_everybodys_and_is_not_kept(
    flights: SingleFlight[str, int], question: Question
) -> None:
    async def fail() -> int:
        await question.ask()
        raise LookupError

    tasks = await start(3, lambda: flights.share("a", fail))
    question.answered.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [LookupError] * 3
    assert await flights.share("a", question.ask) == 2


async def test_a_failure_that_nobody_waits_for_any_more_is_no_noise(flights: SingleFlight[str, int]) -> None:
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


async def test_those_who_come_while_one_runs_share_the_next(flights: SingleFlight[str, int]) -> None:
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
    assert not flights._running
    assert not flights._next


async def test_no_answer_is_older_than_its_question(flights: SingleFlight[str, int]) -> None:
    """Whatever the order of questions and writes: an answer holds all that was written before its question."""
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


async def test_different_questions_do_not_wait_for_each_other(
    flights: SingleFlight[str, int], question: Question
) -> None:
    async def answer() -> int:
        return 7

    (slow,) = await start(1, lambda: flights.share_next("slow", question.ask))
    assert await flights.share_next("quick", answer) == 7
    question.answered.set()
    assert await slow == 1


async def test_the_next_is_dropped_when_all_who_wanted_it_have_left(
    flights: SingleFlight[str, int], question: Question
) -> None:
    (first,) = await start(1, lambda: flights.share_next("a", question.ask))
    await question.reached.wait()
    (leaving,) = await start(1, lambda: flights.share_next("a", question.ask))
    leaving.cancel()
    await asyncio.wait([leaving])
    question.answered.set()
    assert await first == 1
    await flights.idle()
    assert question.asked == 1
    assert not flights._next


async def test_a_call_that_finishes_is_there_for_who_comes_after_all_have_left(question: Question) -> None:
    flights = SingleFlight[str, int](finishes=True)
    (leaving,) = await start(1, lambda: flights.share("a", question.ask))
    await question.reached.wait()
    leaving.cancel()
    await asyncio.wait([leaving])
    (coming,) = await start(1, lambda: flights.share("a", question.ask))
    question.answered.set()
    assert await coming == 1
    assert (question.asked, question.dropped) == (1, 0)


async def test_idle_waits_for_what_is_under_way_and_for_what_comes_next(question: Question) -> None:
    flights = SingleFlight[str, int](finishes=True)
    await flights.idle()
    tasks = await start(1, lambda: flights.share_next("a", question.ask))
    await question.reached.wait()
    tasks += await start(1, lambda: flights.share_next("a", question.ask))
    question.answered.set()
    await flights.idle()
    assert question.asked == 2
    assert await asyncio.gather(*tasks) == [1, 2]


async def test_a_call_that_was_ended_before_it_began_is_not_waited_for(
    flights: SingleFlight[str, int], question: Question
) -> None:
    """As when a program that stops ends all tasks one by one."""
    call = flights._next_call("a", question.ask)
    call.task.cancel()
    await asyncio.wait([call.task])
    question.answered.set()
    assert await flights.share_next("a", question.ask) == 1
    assert not flights._next

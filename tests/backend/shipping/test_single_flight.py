import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from backend.shipping.single_flight import SingleFlight


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
    assert flights._flights == {}


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
    assert flights._flights == {}


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

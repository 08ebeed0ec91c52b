"""The next test gets the event loop of a test. The tasks, generators and threads of the test have ended."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from threading import Event

import pytest

from tests.lasting_loops import LastingLoops


@pytest.fixture
def loops() -> Iterator[LastingLoops]:
    loops = LastingLoops()
    yield loops
    loops.close()


def test_tests_reuse_one_event_loop_apart_from_that_of_wider_fixtures(loops: LastingLoops) -> None:
    with asyncio.Runner(loop_factory=loops.open) as wider:
        kept = wider.get_loop()
        opened = []
        for _test in range(2):
            with asyncio.Runner(loop_factory=loops.open) as runner:
                opened.append(runner.get_loop())
    assert opened[0] is opened[1]
    assert opened[0] is not kept


class UnfinishedTest:
    """A test that ends with an unfinished task, generator and thread."""

    def __init__(self) -> None:
        self.may_finish = Event()
        self.has_finished = Event()
        self.is_generator_closed = False
        self.generator = self._generate()
        self.task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        asyncio.get_running_loop().run_in_executor(None, self._wait)
        await anext(self.generator)
        self.task = asyncio.create_task(asyncio.sleep(3600))

    async def _generate(self) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            self.is_generator_closed = True

    def _wait(self) -> None:
        self.may_finish.wait()
        self.has_finished.set()


def test_tasks_generators_and_threads_of_a_test_end_before_the_next_one(loops: LastingLoops) -> None:
    for test in (UnfinishedTest(), UnfinishedTest()):
        with asyncio.Runner(loop_factory=loops.open) as runner:
            runner.run(test.run())
            test.may_finish.set()
        assert test.task is not None
        assert (test.task.cancelled(), test.is_generator_closed, test.has_finished.is_set()) == (
            True,
            True,
            True,
        )


def test_loops_are_closed_at_the_end() -> None:
    loops = LastingLoops()
    with asyncio.Runner(loop_factory=loops.open) as runner:
        loop = runner.get_loop()
    assert not loop.is_closed()
    loops.close()
    assert loop.is_closed()


def test_timer_of_a_test_does_not_run_in_the_next_one(loops: LastingLoops) -> None:
    called: list[int] = []

    async def start_timer() -> None:
        asyncio.get_running_loop().call_later(0.001, called.append, 1)

    with asyncio.Runner(loop_factory=loops.open) as runner:
        runner.run(start_timer())
    with asyncio.Runner(loop_factory=loops.open) as runner:
        runner.run(asyncio.sleep(0.01))
    assert called == []

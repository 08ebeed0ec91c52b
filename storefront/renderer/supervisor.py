"""Keeps the renderer's processes running: started and ended with the shop, replaced when they end, grow or hang.

When no page was asked for in a while they end, which frees their memory, and the next reader starts them again.
"""

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from backend.core.observability.logs import path_of
from backend.core.observability.metrics import PAGES_RENDERED, RENDERER_MEMORY, RENDERER_STARTS, RENDERERS
from backend.edge.health.readiness import OK
from storefront.renderer.process import NotRendered, RendererEnded, RendererProcess

log = logging.getLogger(__name__)

AT_ONCE = 2
"""How many pages a process is asked for at a time: one to render, and the next one waiting there."""
LONGEST_WAIT = 0.15
"""Seconds after which a page that waits for its turn is given up: its reader has the shell by then."""
PATIENCE = 3.0
"""Seconds that a patient reader waits: for a process that is starting, and for a turn."""
TRIES = 2
"""How often a page is tried for a patient reader when a process ends at it."""
HANGS_AFTER = 5.0
"""Seconds for one page after which a process is taken for hanging."""
MOST_RENDERED = 50_000
MOST_MEMORY_KIB = 140 * 1024
SHORT_LIFE = 2.0
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
SECONDS_TO_START = 5.0


class RendererSupervisor:
    """Renders pages with a number of processes, and fails at once when none is there."""

    def __init__(
        self,
        script: Path,
        size: int,
        samples: Sequence[str] = (),
        *,
        rests_after: float = math.inf,
    ) -> None:
        """Nothing runs before `start`.

        Args:
            script: the `renderer.mjs` of the build.
            size: how many processes.
            samples: addresses that a new process renders before it is used, so that its first reader does not wait.
            rests_after: seconds without a page asked for, after which the processes end until one is.
        """
        self._script = script
        self._size = size
        self._samples = samples
        self._rests_after = rests_after
        self._last_used = 0.0
        self._readers = 0
        """How many wait for a page."""
        self._is_wanted = asyncio.Event()
        """Not set while the processes rest."""
        self._is_waking = False
        """Whether nothing has come of the processes' start since their rest."""
        self._up: list[RendererProcess] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(AT_ONCE * size)
        self._patient_turns = asyncio.Semaphore(size)
        self._is_ready = asyncio.Event()
        self.starts = 0
        """How many processes were started so far."""
        self.rendered = 0
        """How many pages were rendered so far."""

    async def start(self) -> None:
        """Start the processes, and wait until one can render, up to five seconds; the shop opens without it then."""
        self.wake()
        self._tasks = [asyncio.create_task(self._run()) for _ in range(self._size)]
        if self._size and self._rests_after < math.inf:
            self._tasks.append(asyncio.create_task(self._rest_when_idle()))
        try:
            if self._size:
                await asyncio.wait_for(self._is_ready.wait(), SECONDS_TO_START)
        except TimeoutError:
            log.warning("the renderer is not up yet: until it is, browsers render the pages")

    async def stop(self) -> None:
        """End the processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(process.close() for process in self._up), *self._closing)
        self._up.clear()
        self._tasks.clear()

    @property
    def is_up(self) -> bool:
        """Whether a process can be asked."""
        return any(process.is_up for process in self._up)

    @property
    def is_resting(self) -> bool:
        """Whether no process runs because no page was asked for in a while."""
        return bool(self._tasks) and not self._is_wanted.is_set()

    @property
    def is_waking(self) -> bool:
        """Whether a process is starting after a rest, or would with the next reader: it is worth waiting for."""
        return self._is_waking or self.is_resting

    async def look(self) -> str:
        """The check of `/readyz`: `ok`, also at rest, or that no process is up."""
        return OK if self.is_up or self.is_resting else "none is up"

    def sample(self) -> None:
        """Tell the metrics how it stands. Who rests can be asked."""
        RENDERERS.set(self._size if self.is_resting else sum(process.is_up for process in self._up))
        RENDERER_MEMORY.set(self.memory_kib * 1024)

    @property
    def memory_kib(self) -> int:
        """The memory of all processes at their last responses."""
        return sum(process.memory_kib for process in self._up if process.is_up)

    def wake(self) -> None:
        """Somebody is here: the processes start if they rest."""
        self._last_used = time.monotonic()
        self._is_waking |= self.is_resting
        self._is_wanted.set()

    async def render(self, url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        """The HTML of the page at `url` (path and query), rendered with this state (JSON).

        Who is patient waits up to `PATIENCE` seconds, also for a process that is starting, and lets the others go
        first: no more of the patient than there are processes stand in one line with them.

        Raises:
            NotRendered: no process is there, all are too busy, or the one that was asked failed.
        """
        self.wake()
        self._readers += 1
        try:
            if is_patient:
                return await self._render_patiently(url, initial_state)
            if not self.is_up:
                raise NotRendered("no renderer is up")
            return await self._render_in_turn(url, initial_state, LONGEST_WAIT)
        finally:
            self._readers -= 1

    async def _render_patiently(self, url: str, initial_state: bytes) -> str:
        if not self._size:
            raise NotRendered("there is no renderer")
        until = time.monotonic() + PATIENCE
        await _acquire(self._patient_turns, PATIENCE)
        try:
            for _try in range(TRIES):
                try:
                    await asyncio.wait_for(self._until_up(), until - time.monotonic())
                except TimeoutError:
                    raise NotRendered("no renderer is up") from None
                with suppress(RendererEnded):
                    return await self._render_in_turn(url, initial_state, until - time.monotonic())
            raise NotRendered("the renderer ended at it again")
        finally:
            self._patient_turns.release()

    async def _until_up(self) -> None:
        while not self.is_up:
            self._is_ready.clear()
            await self._is_ready.wait()

    async def _render_in_turn(self, url: str, initial_state: bytes, longest_wait: float) -> str:
        await _acquire(self._turns, longest_wait)
        try:
            return await self._render(url, initial_state)
        finally:
            self._turns.release()

    async def _render(self, url: str, initial_state: bytes) -> str:
        up = [process for process in self._up if process.is_up]
        if not up:
            raise RendererEnded("no renderer is up")
        process = min(up, key=lambda process: process.waiting)
        try:
            html = await asyncio.wait_for(process.render(url, initial_state), HANGS_AFTER)
        except TimeoutError:
            log.warning("the renderer hung at %s and is started again", path_of(url))
            process.kill()
            raise NotRendered("the renderer hung") from None
        self.rendered += 1
        PAGES_RENDERED.inc()
        if process.rendered >= MOST_RENDERED or process.memory_kib >= MOST_MEMORY_KIB:
            process.is_spent.set()
        return html

    async def _rest_when_idle(self) -> None:
        """Let the processes end whenever no page was asked for in `rests_after` seconds, and nobody waits for one."""
        while True:
            await self._is_wanted.wait()
            left = self._last_used + self._rests_after - time.monotonic()
            if left > 0 or self._readers or not self.is_up:
                await asyncio.sleep(left if left > 0 else self._rests_after)
                continue
            log.info("no page was asked for in %.0f s: the renderer rests", self._rests_after)
            self._is_wanted.clear()
            for process in self._up:
                process.is_spent.set()

    async def _run(self) -> None:
        """Keep one process running: the next one is started when it has ended, or beside it when it is spent.

        Processes that do not last are started again ever more slowly.
        """
        pause, last = FIRST_PAUSE, None
        while True:
            if not self._is_wanted.is_set():
                if last is not None:
                    self._retire(last)
                    last = None
                await self._is_wanted.wait()
                pause = FIRST_PAUSE
            began = time.monotonic()
            try:
                process = await self._started()
            except (OSError, NotRendered):
                log.exception("a renderer could not be started")
                self._is_waking = False
            else:
                self._use(process, instead_of=last)
                if not self._is_wanted.is_set():
                    process.is_spent.set()
                await process.is_spent.wait()
                last = process
                if not self._is_wanted.is_set():
                    continue
            pause = FIRST_PAUSE if time.monotonic() - began > SHORT_LIFE else min(pause * 2, LONGEST_PAUSE)
            if last is None or not last.is_up:
                log.warning("a renderer has ended; the next one starts in %.2f s", pause)
            await asyncio.sleep(pause)

    async def _started(self) -> RendererProcess:
        """A process that has rendered every sample.

        Raises:
            OSError: it could not be started.
            NotRendered: it cannot render.
        """
        process = await RendererProcess.start(self._script)
        self.starts += 1
        RENDERER_STARTS.inc()
        try:
            for sample in self._samples:
                await process.render(sample, b"{}")
        except BaseException:
            process.kill()
            await process.close()
            raise
        return process

    def _use(self, process: RendererProcess, instead_of: RendererProcess | None) -> None:
        self._up.append(process)
        self._is_waking = False
        self._is_ready.set()
        if instead_of is not None:
            self._retire(instead_of)

    def _retire(self, process: RendererProcess) -> None:
        """No longer ask it; it ends when what it was asked for is done."""
        self._up.remove(process)
        self._closing.add(closing := asyncio.create_task(process.close()))
        closing.add_done_callback(self._closing.discard)


async def _acquire(turns: asyncio.Semaphore, longest_wait: float) -> None:
    """Take a turn.

    Raises:
        NotRendered: none came within so many seconds.
    """
    try:
        await asyncio.wait_for(turns.acquire(), longest_wait)
    except TimeoutError:
        raise NotRendered("the renderer is too busy") from None

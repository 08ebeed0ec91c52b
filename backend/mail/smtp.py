"""One dialogue with a mail server. `smtplib` waits in a thread; the time limits are kept outside of it.

Until the final dot the server has no mail, and everything may be tried again. After it the server may deliver the mail
even if no answer comes. Some look through it before they answer: RFC 5321, 4.5.3.2.6 asks for ten minutes.
"""

import asyncio
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage
from ipaddress import ip_address
from typing import Any

from backend.core.config.settings import Settings
from backend.core.threads import Threads

REPLY_WITHIN = 15.0
"""Seconds for each answer but that to the final dot, and for each address of the server to connect to."""
TALK_WITHIN = 45.0
"""Seconds for all up to the final dot, waiting for a thread included."""
TAKEN_WITHIN = 600.0
"""Seconds after the final dot."""
ENDS_WITHIN = 2.0
"""Seconds for the thread to notice that it was hung up."""
LONGEST = timedelta(seconds=TALK_WITHIN + TAKEN_WITHIN + REPLY_WITHIN + ENDS_WITHIN)
"""What all of it takes at most."""

TLS_FROM_THE_START = 465
"""The port on which a server speaks TLS before anything else."""

_THREADS = Threads("mails", 4)


def tls_to(host: str) -> ssl.SSLContext:
    """How TLS is spoken with the mail server: its certificate must be good, unless it is on this machine."""
    context = ssl.create_default_context()
    if is_here(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def is_here(host: str) -> bool:
    """Whether the host is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Dialogue:
    """A dialogue in which a mail is handed over; without one, the shop says hello and signs in.

    Attributes:
        is_handed_over: the final dot was sent, or is about to be: the server may have the mail.
    """

    def __init__(self, settings: Settings, mail: EmailMessage | None) -> None:
        self.is_handed_over = False
        self._settings, self._mail = settings, mail
        self._lock = threading.Lock()
        self._server: smtplib.SMTP | None = None
        self._is_over = False

    async def hold(self) -> None:
        """Hold it. Who is cancelled hangs up.

        Raises:
            OSError: the server does not answer, answers too slowly or refuses; smtplib's errors are such.
        """
        thread = _THREADS.start(self._talk)
        try:
            await asyncio.wait({thread}, timeout=TALK_WITHIN)
            if self.is_handed_over:
                await asyncio.wait({thread}, timeout=TAKEN_WITHIN + REPLY_WITHIN)
            self._hang_up()
            await asyncio.wait({thread}, timeout=ENDS_WITHIN)
            if not thread.done():
                raise TimeoutError
            thread.result()
        finally:
            self._hang_up()
            thread.cancel()

    def _talk(self) -> None:
        self._go_on()
        settings = self._settings
        host, port = settings.smtp_host, settings.smtp_port
        if port == TLS_FROM_THE_START:
            server: _Server = _TlsServer(host, port, timeout=REPLY_WITHIN, context=tls_to(host))
        else:
            server = _Server(host, port, timeout=REPLY_WITHIN)
        try:
            self._connected(server)
            if settings.smtp_starttls and port != TLS_FROM_THE_START:
                server.starttls(context=tls_to(host))
            if settings.smtp_user:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            if self._mail is None:
                server.noop()
            else:
                server.before_the_dot = self._hand_over
                server.send_message(self._mail)
        finally:
            with suppress(OSError):  # the server has accepted the mail: an error of QUIT changes nothing
                server.quit()
            server.close()

    def _connected(self, server: smtplib.SMTP) -> None:
        with self._lock:
            self._server = server
        self._go_on()

    def _hand_over(self) -> None:
        with self._lock:
            self._go_on()
            self.is_handed_over = True

    def _go_on(self) -> None:
        if self._is_over:
            raise smtplib.SMTPServerDisconnected("hung up")

    def _hang_up(self) -> None:
        """End the connection under the thread, which then fails if it has not ended."""
        with self._lock:
            self._is_over = True
            connection = self._server.sock if self._server is not None else None
        if connection is not None:
            with suppress(OSError):
                # not the method of a TLS connection: it would let the thread go on without TLS
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _Server(smtplib.SMTP):
    """A mail server that is told apart before and after the final dot."""

    before_the_dot: Callable[[], None]

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the text, whose lines end with CRLF, and wait longer for the last answer than for any other.

        Raises:
            smtplib.SMTPDataError: the server wants no mail.
            smtplib.SMTPServerDisconnected: the connection ended.
        """
        code, answer = self.docmd("DATA")
        if code != 354:
            raise smtplib.SMTPDataError(code, answer)
        self._wait(TAKEN_WITHIN)
        text = re.sub(rb"(?m)^\.", b"..", msg)  # RFC 5321, 4.5.2
        self.send(text if text.endswith(b"\r\n") else text + b"\r\n")
        self.before_the_dot()
        self.send(b".\r\n")
        answered = self.getreply()
        self._wait(REPLY_WITHIN)
        return answered

    def _wait(self, seconds: float) -> None:
        if self.sock is not None:
            self.sock.settimeout(seconds)


class _TlsServer(_Server, smtplib.SMTP_SSL):
    """One that speaks TLS from the start."""

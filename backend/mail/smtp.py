"""SMTP client for the shop's mail server.

Until the client has sent the text of a mail, the server cannot deliver it, and the client may retry. After that the
server may deliver the mail even if it does not answer. Some servers scan the mail before they answer: RFC 5321,
4.5.3.2.6 asks clients to wait ten minutes.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage
from ipaddress import ip_address

from aiosmtplib import SMTP, SMTPDataError, SMTPException, SMTPResponse, SMTPServerDisconnected
from aiosmtplib.protocol import PERIOD_REGEX, normalize_message_line_endings
from aiosmtplib.typing import SMTPStatus

from backend.core.config.settings import Settings

REPLY_TIMEOUT_S = 15.0
"""Timeout of each answer except the one to the mail's text, and of connecting to each address of the server."""
TALK_TIMEOUT_S = 45.0
"""Timeout of everything before the mail's text."""
ACCEPT_TIMEOUT_S = 600.0
"""Timeout of the answer to the mail's text."""
MAX_DURATION = timedelta(seconds=TALK_TIMEOUT_S + ACCEPT_TIMEOUT_S + REPLY_TIMEOUT_S)

IMPLICIT_TLS_PORT = 465
"""The port on which a server speaks TLS before anything else."""


def create_tls_context(host: str) -> ssl.SSLContext:
    """Return the TLS context for a mail server. Its certificate must be valid, unless the server is on this machine."""
    context = ssl.create_default_context()
    if is_local_host(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def is_local_host(host: str) -> bool:
    """Return True if the host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class SmtpClient(SMTP):
    """One connection to the shop's mail server.

    Attributes:
        may_have_mail: True if the text was sent and the server did not refuse it.
    """

    def __init__(self, settings: Settings) -> None:
        self.may_have_mail = False
        self._server = settings.smtp_host, settings.smtp_port
        self._limit = asyncio.timeout(TALK_TIMEOUT_S)
        has_implicit_tls = settings.smtp_port == IMPLICIT_TLS_PORT
        self._has_tls = has_implicit_tls or settings.smtp_starttls
        super().__init__(
            hostname=settings.smtp_host,
            local_hostname=settings.store_email.rpartition("@")[2],
            username=settings.smtp_user or None,
            password=settings.smtp_password.get_secret_value(),
            timeout=REPLY_TIMEOUT_S,
            use_tls=has_implicit_tls,
            start_tls=settings.smtp_starttls and not has_implicit_tls,
        )

    async def deliver(self, mail: EmailMessage | None) -> None:
        """Connect, log in, send the mail and disconnect. Without a mail, only check that the server answers.

        The connection is also closed after an error and after a cancellation.

        Raises:
            OSError: the server does not answer, or answers too slowly.
            SMTPException: the server refuses.
            ValueError: an address contains characters that SMTP does not allow.
        """
        try:
            async with self._limit:
                host, port = self._server
                if self._has_tls:
                    self.tls_context = await asyncio.to_thread(create_tls_context, host)
                await self.connect(sock=await _open_socket(host, port))
                if mail is None:
                    await self.noop()
                else:
                    await self.send_message(mail)
                with suppress(OSError, SMTPException):  # the server has accepted the mail
                    await self.quit()
        finally:
            self.close()

    async def data(self, message: str | bytes, /, *, timeout: object = None) -> SMTPResponse:  # noqa: ARG002, ASYNC109
        """Send the text of a mail. The base class's method does not report if the text was sent, and waits too briefly.

        Raises:
            SMTPDataError: the server refuses the mail.
            SMTPServerDisconnected: the connection ended.
        """
        answer = await self.execute_command(b"DATA")
        if answer.code != SMTPStatus.start_input:
            raise SMTPDataError(answer.code, answer.message)
        if self.protocol is None:
            raise SMTPServerDisconnected("Connection lost")
        text = message.encode("ascii") if isinstance(message, str) else message
        self._limit.reschedule(None)
        self.protocol.write(PERIOD_REGEX.sub(b"..", normalize_message_line_endings(text)) + b".\r\n")
        self.may_have_mail = True
        answer = await self.protocol.read_response(timeout=ACCEPT_TIMEOUT_S)
        self.may_have_mail = answer.code < 400
        if answer.code != SMTPStatus.completed:
            raise SMTPDataError(answer.code, answer.message)
        return answer


async def _open_socket(host: str, port: int) -> socket.socket:
    """Connect to the first address of the host that answers.

    The standard library is not used, because it could spend the whole timeout on an address that does not answer.

    Raises:
        OSError: the name is unknown, or no address answers.
    """
    loop = asyncio.get_running_loop()
    failure = OSError(f"{host} has no address")
    for family, kind, protocol, _name, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await asyncio.wait_for(loop.sock_connect(connection, address), REPLY_TIMEOUT_S)
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure

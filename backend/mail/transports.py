"""How a mail leaves: by SMTP when the settings name a server, else as a file in the data folder."""

import asyncio
import re
import smtplib
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from backend.errors import OutsideFailure
from backend.ids import new_id
from backend.settings import Settings

SMTP_TIMEOUT = 15.0
"""Seconds."""


class MailRefused(OutsideFailure):
    """The mail server does not take the mail."""


class Transport(Protocol):
    """A way for mails to leave."""

    async def send(self, mail: EmailMessage) -> None:
        """Send the mail.

        Raises:
            OutsideFailure: the mail server does not answer, or refuses (MailRefused).
            OSError: the file could not be written.
        """


class FolderTransport:
    """Writes each mail to `data/outbox/mail_….eml`, for a shop without a mail server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def send(self, mail: EmailMessage) -> None:
        """Write it, readable by this user only: it may hold a link that opens an account."""
        await asyncio.to_thread(self._write, bytes(mail))

    def _write(self, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.folder / f"{new_id('mail')}.eml"
        part = file.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_bytes(content)
        part.rename(file)  # whole or not at all


class SmtpTransport:
    """Hands each mail to a mail server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def send(self, mail: EmailMessage) -> None:
        """Hand it over.

        Raises:
            MailRefused: the server does not take it. The message does not name the address: it is logged and stored.
            OutsideFailure: the server does not answer.
        """
        try:
            await asyncio.to_thread(self._send, mail)
        except smtplib.SMTPException as error:
            raise MailRefused(_without_address(error, str(mail["To"]))) from None
        except OSError as error:
            raise OutsideFailure(f"the mail server does not answer ({type(error).__name__})") from error

    async def greet(self) -> None:
        """Say hello, and sign in where the settings name a user; no mail is sent.

        Raises:
            OSError: the server does not answer or refuses; smtplib's errors are such.
        """
        await asyncio.to_thread(self._send, None)

    def _send(self, mail: EmailMessage | None) -> None:
        settings = self._settings
        connect = smtplib.SMTP_SSL if settings.smtp_port == 465 else smtplib.SMTP
        with connect(settings.smtp_host, settings.smtp_port, timeout=SMTP_TIMEOUT) as server:
            if settings.smtp_starttls and settings.smtp_port != 465:
                server.starttls()
            if settings.smtp_user:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            if mail is None:
                server.noop()
            else:
                server.send_message(mail)


def _without_address(error: smtplib.SMTPException, address: str) -> str:
    """What the server said, without the address that it repeats."""
    said: object = error
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        said = next(iter(error.recipients.values()), "")
    elif isinstance(error, smtplib.SMTPResponseException):
        said = (error.smtp_code, error.smtp_error)
    if isinstance(said, tuple):
        code, answer = said
        said = f"{code} {answer.decode('utf-8', 'replace') if isinstance(answer, bytes) else answer}"
    words = re.sub(re.escape(address), "…", str(said), flags=re.IGNORECASE)
    return f"the mail server refuses ({type(error).__name__}): {words}"


def transport_of(settings: Settings) -> Transport:
    """The transport that the settings name."""
    return SmtpTransport(settings) if settings.smtp_host else FolderTransport(settings.data_dir / "outbox")

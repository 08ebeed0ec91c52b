"""How a mail leaves: by SMTP when the settings name a server, else as a file in the data folder."""

import asyncio
import re
from email.message import EmailMessage
from enum import Enum
from pathlib import Path
from typing import Protocol

from aiosmtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from backend.core.config.settings import Settings
from backend.core.errors import OutcomeUnknown, OutsideFailure
from backend.core.ids import new_id
from backend.mail.smtp import SmtpClient

IN_DOUBT = "the mail server did not say that it took the mail: it may have left"

_QUOTA = re.compile(r"\b5\.4\.5\b|quota|limit", re.IGNORECASE)


class Lasts(Enum):
    """For how long a mail server refuses a mail, by what it says."""

    SHORT = "short"
    A_WHILE = "a while"
    """A quota."""
    FOR_GOOD = "for good"


class MailRefused(OutsideFailure):
    """The mail server does not take the mail."""

    lasts = Lasts.SHORT


class MailInDoubt(OutcomeUnknown):
    """The mail server got the whole mail, and did not say whether it took it."""


class Transport(Protocol):
    """A way for mails to leave."""

    async def send(self, mail: EmailMessage) -> None:
        """Send the mail.

        Raises:
            OutsideFailure: the mail server does not answer, refuses (MailRefused) or may have it (MailInDoubt).
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
        """Hand the mail over.

        Raises:
            MailRefused: the server does not accept it. The message does not name the address: it is logged and stored.
            MailInDoubt: it may have accepted it. Cancelling after the mail's text was sent raises this, too: a freed
                job would send the mail again at once.
            OutsideFailure: the server does not answer or does not let the shop in.
        """
        await self._talk(mail)

    async def greet(self) -> None:
        """Check that the server answers and lets the shop in; no mail is sent.

        Raises:
            OutsideFailure: it does not.
        """
        await self._talk(None)

    async def _talk(self, mail: EmailMessage | None) -> None:
        client = SmtpClient(self._settings)
        try:
            await client.deliver(mail)
        except asyncio.CancelledError:
            if client.may_have_mail:
                raise MailInDoubt(IN_DOUBT) from None
            raise
        except (OSError, SMTPException, ValueError) as error:
            if client.may_have_mail:
                raise MailInDoubt(IN_DOUBT) from None
            raise _failure(error, str(mail["To"]) if mail is not None else "") from None


def _failure(error: Exception, address: str) -> OutsideFailure:
    """Convert an error of the conversation, without the address that the server may repeat."""
    if isinstance(error, SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, OSError) and not isinstance(error, SMTPResponseException):
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        return OutsideFailure(f"the mail server does not answer ({type(cause).__name__})")
    if not isinstance(error, SMTPException):
        refusal = MailRefused("an address of the mail is missing, or SMTP does not allow it")
        refusal.lasts = Lasts.FOR_GOOD
        return refusal
    said = f"{error.code} {error.message}" if isinstance(error, SMTPResponseException) else error.message
    words = re.sub(re.escape(address), "…", said, flags=re.IGNORECASE) if address else said
    text = f"the mail server refuses ({type(error).__name__}): {words}"
    if not isinstance(error, (SMTPRecipientRefused, SMTPSenderRefused, SMTPDataError)):
        return OutsideFailure(text)
    refusal = MailRefused(text)
    if 500 <= error.code < 600:
        refusal.lasts = Lasts.A_WHILE if _QUOTA.search(words) else Lasts.FOR_GOOD
    return refusal


def transport_of(settings: Settings) -> Transport:
    """The transport that the settings name."""
    return SmtpTransport(settings) if settings.smtp_host else FolderTransport(settings.data_dir / "outbox")

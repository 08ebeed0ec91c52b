"""Transports of mails: SMTP if the settings name a server, otherwise files in the data folder."""

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

IN_DOUBT = "the mail server did not confirm the mail: it may have been sent"

_QUOTA = re.compile(r"\b5\.4\.5\b|quota|limit", re.IGNORECASE)


class RefusalDuration(Enum):
    """The duration of a refusal, derived from the server's answer."""

    TEMPORARY = "short"
    QUOTA = "a while"
    """A quota is used up."""
    PERMANENT = "for good"


class MailRefused(OutsideFailure):
    """The mail server refuses the mail."""

    duration = RefusalDuration.TEMPORARY


class MailInDoubt(OutcomeUnknown):
    """The mail server received the whole mail, but did not confirm that it accepts it."""


class Transport(Protocol):
    """A channel that sends mails."""

    async def send(self, mail: EmailMessage) -> None:
        """Send the mail.

        Raises:
            OutsideFailure: the mail server does not answer, refuses the mail (`MailRefused`), or may have it
                (`MailInDoubt`).
            OSError: the file could not be written.
        """


class FolderTransport:
    """Writes each mail to `data/outbox/mail_….eml`, for a shop without a mail server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def send(self, mail: EmailMessage) -> None:
        """Write the mail to a file that only this system user can read: it may contain a login link."""
        await asyncio.to_thread(self._write, bytes(mail))

    def _write(self, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.folder / f"{new_id('mail')}.eml"
        part = file.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_bytes(content)
        part.rename(file)  # the file is never partial


class SmtpTransport:
    """Sends each mail to a mail server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def send(self, mail: EmailMessage) -> None:
        """Send the mail.

        Raises:
            MailRefused: the server does not accept it. The message of the error does not contain the
                recipient's address, because the message is logged and stored.
            MailInDoubt: the server may have accepted it. A cancellation after the mail's text was sent also raises
                this; otherwise the job would send the mail again immediately.
            OutsideFailure: the server does not answer or rejects the login.
        """
        await self._deliver(mail)

    async def check_connection(self) -> None:
        """Check that the server answers and accepts the login; no mail is sent.

        Raises:
            OutsideFailure: the server does not answer or rejects the login.
        """
        await self._deliver(None)

    async def _deliver(self, mail: EmailMessage | None) -> None:
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
            raise _to_outside_failure(error, str(mail["To"]) if mail is not None else "") from None


def _to_outside_failure(error: Exception, address: str) -> OutsideFailure:
    """Convert an SMTP error. Remove the recipient's address, which the server may repeat in its message."""
    if isinstance(error, SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, OSError) and not isinstance(error, SMTPResponseException):
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        return OutsideFailure(f"the mail server does not answer ({type(cause).__name__})")
    if not isinstance(error, SMTPException):
        refusal = MailRefused("an address of the mail is missing, or SMTP does not allow it")
        refusal.duration = RefusalDuration.PERMANENT
        return refusal
    answer = f"{error.code} {error.message}" if isinstance(error, SMTPResponseException) else error.message
    answer_without_address = (
        re.sub(re.escape(address), "…", answer, flags=re.IGNORECASE) if address else answer
    )
    text = f"the mail server refuses ({type(error).__name__}): {answer_without_address}"
    if not isinstance(error, (SMTPRecipientRefused, SMTPSenderRefused, SMTPDataError)):
        return OutsideFailure(text)
    refusal = MailRefused(text)
    if 500 <= error.code < 600:
        refusal.duration = (
            RefusalDuration.QUOTA if _QUOTA.search(answer_without_address) else RefusalDuration.PERMANENT
        )
    return refusal


def create_transport(settings: Settings) -> Transport:
    """Return the transport that the settings select."""
    return SmtpTransport(settings) if settings.smtp_host else FolderTransport(settings.data_dir / "outbox")

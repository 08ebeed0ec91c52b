"""How a mail leaves: by SMTP when the settings name a server, else as a file in the data folder."""

import asyncio
import re
import smtplib
from email.message import EmailMessage
from enum import Enum
from pathlib import Path
from typing import Protocol

from backend.core.config.settings import Settings
from backend.core.errors import OutcomeUnknown, OutsideFailure
from backend.core.ids import new_id
from backend.mail.smtp import Dialogue

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
        """Hand it over.

        Raises:
            MailRefused: the server does not take it. The message does not name the address: it is logged and stored.
            MailInDoubt: it may have taken it. Who is cancelled after the final dot gets this too: freed, the mail would
                leave again at once.
            OutsideFailure: the server does not answer.
        """
        dialogue = Dialogue(self._settings, mail)
        try:
            await dialogue.hold()
        except asyncio.CancelledError:
            if dialogue.is_handed_over:
                raise MailInDoubt(IN_DOUBT) from None
            raise
        except OSError as error:
            is_answer = isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= 400
            if dialogue.is_handed_over and not is_answer:
                raise MailInDoubt(IN_DOUBT) from None
            if isinstance(error, smtplib.SMTPException):
                raise _refusal(error, str(mail["To"])) from None
            raise OutsideFailure(f"the mail server does not answer ({type(error).__name__})") from error

    async def greet(self) -> None:
        """Say hello, and sign in where the settings name a user; no mail is sent.

        Raises:
            OSError: the server does not answer or refuses; smtplib's errors are such.
        """
        await Dialogue(self._settings, None).hold()


def _refusal(error: smtplib.SMTPException, address: str) -> MailRefused:
    """What the server said, without the address that it repeats."""
    answer: bytes | str
    code, answer = 0, str(error)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, answer = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        code, answer = error.smtp_code, error.smtp_error
    said = answer if isinstance(answer, str) else answer.decode("utf-8", "replace")
    words = re.sub(re.escape(address), "…", f"{code} {said}" if code else said, flags=re.IGNORECASE)
    is_about_the_mail = isinstance(
        error, (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)
    )
    refusal = MailRefused(f"the mail server refuses ({type(error).__name__}): {words}")
    if is_about_the_mail and 500 <= code < 600:
        refusal.lasts = Lasts.A_WHILE if _QUOTA.search(words) else Lasts.FOR_GOOD
    return refusal


def transport_of(settings: Settings) -> Transport:
    """The transport that the settings name."""
    return SmtpTransport(settings) if settings.smtp_host else FolderTransport(settings.data_dir / "outbox")

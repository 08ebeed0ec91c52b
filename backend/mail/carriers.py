"""How a mail leaves: by SMTP where the settings name a server, and else as a file in the data folder."""

import asyncio
import smtplib
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from backend.ids import new_id
from backend.settings import Settings

ANSWER_WITHIN = 15.0


class Carrier(Protocol):
    """Something that takes mails away."""

    async def send(self, letter: EmailMessage) -> None:
        """Take the mail away.

        Raises:
            OSError: it could not be taken; smtplib's errors are such.
        """


class Folder:
    """Writes each mail into a folder, for a shop without a mail server: `data/outbox/mail_….eml`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def send(self, letter: EmailMessage) -> None:
        """Write it. A mail may hold a link that opens an account: nobody else on this machine may read it."""
        await asyncio.to_thread(self._write, bytes(letter))

    def _write(self, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.folder / f"{new_id('mail')}.eml"
        part = file.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_bytes(content)
        part.rename(file)  # whole or not at all


class Smtp:
    """Hands each mail to a mail server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def send(self, letter: EmailMessage) -> None:
        """Hand it over."""
        await asyncio.to_thread(self._send, letter)

    def _send(self, letter: EmailMessage) -> None:
        settings = self._settings
        kind = smtplib.SMTP_SSL if settings.smtp_port == 465 else smtplib.SMTP
        with kind(settings.smtp_host, settings.smtp_port, timeout=ANSWER_WITHIN) as server:
            if settings.smtp_starttls and settings.smtp_port != 465:
                server.starttls()
            if settings.smtp_user:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            server.send_message(letter)


def mail_carrier(settings: Settings) -> Carrier:
    """The way that the settings name."""
    return Smtp(settings) if settings.smtp_host else Folder(settings.data_dir / "outbox")

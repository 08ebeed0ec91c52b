"""Fixtures of a shop that collects its mails; a test sends the mails that are due."""

from email.message import EmailMessage

import pytest

from backend.app import Shop
from backend.jobs import Worker
from backend.mail.mailer import Mailer


class Inbox:
    """A transport that collects the mails; it fails while `is_broken`."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.is_broken = False

    async def send(self, mail: EmailMessage) -> None:
        if self.is_broken:
            raise ConnectionRefusedError
        self.mails.append(mail)

    def subjects(self) -> list[str]:
        return [str(mail["Subject"]) for mail in self.mails]


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def worker(shop: Shop, inbox: Inbox) -> Worker:
    """Return a worker that sends the mails to the inbox."""
    return Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """Return a part of the mail: plain text or HTML."""
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())

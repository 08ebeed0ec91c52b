"""A shop whose mails are collected; a test sends those that are due."""

from email.message import EmailMessage

import pytest

from backend.app import Shop
from backend.jobs import Worker
from backend.mail.mailer import Mailer


class Inbox:
    """A transport that collects what it is given to send; it fails while `is_broken`."""

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
    """Sends the mails into the inbox."""
    return Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """What a mail says: its plain text, or its page."""
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())

"""A shop whose post is not running by itself: a test sends what is due."""

from email.message import EmailMessage

import pytest

from backend.app import Shop
from backend.jobs import Worker
from backend.mail.mailer import Mailer


class Pocket:
    """Keeps what it is given to send; fails while `is_broken`."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.is_broken = False

    async def send(self, letter: EmailMessage) -> None:
        if self.is_broken:
            raise ConnectionRefusedError
        self.letters.append(letter)

    def subjects(self) -> list[str]:
        return [str(letter["Subject"]) for letter in self.letters]


@pytest.fixture
def pocket() -> Pocket:
    return Pocket()


@pytest.fixture
def post(shop: Shop, pocket: Pocket) -> Worker:
    """What sends the mails into the pocket."""
    return Worker(shop.database, [Mailer(shop.database, shop.settings, pocket)])


def text_of(letter: EmailMessage, kind: str = "plain") -> str:
    """What a mail says: its plain text, or its page."""
    part = letter.get_body((kind,))
    assert part is not None
    return str(part.get_content())

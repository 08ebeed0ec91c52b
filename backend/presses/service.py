"""Presses: form submissions and button clicks that change data.

Each is executed once, even if it is sent several times.

A browser gives every press a random id. It sends the press again, over a new connection or from the next page,
until the shop has confirmed it. The id is stored in the transaction that executes the press, so a repeated request
finds it and changes nothing. The id grants no rights: owner, price and rights are checked as for any other event.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from secrets import token_hex

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import ShopError
from backend.presses.models import Press


class PressUsed(ShopError):
    """The press was already executed by an earlier request.

    Attributes:
        subject: see `Press`.
    """

    status, type = 409, "conflict"

    def __init__(self, subject: str) -> None:
        super().__init__("This was done before")
        self.subject = subject


@dataclass(frozen=True, slots=True)
class Sending:
    """One request in which a browser sends a press. A repetition of the press is another `Sending`.

    Attributes:
        event: the event's name, as given by the browser.
        press_id: the press's id, as given by the browser.
        id: a random id of this request.
    """

    event: str
    press_id: str
    id: str = field(default_factory=lambda: token_hex(8))

    @property
    def digest(self) -> str:
        """Return the hash of the event and the press id. It is the id of the stored `Press`."""
        return hashlib.sha256(f"{self.event} {self.press_id}".encode()).hexdigest()


_sending: ContextVar[Sending | None] = ContextVar("the sending of a press that is handled", default=None)

_INSERT = insert_into(table_of(Press)).values(created_at=db_now()).on_conflict_do_nothing()


@contextmanager
def handle_press(sending: Sending | None) -> Iterator[None]:
    """Make `sending` the current press during the `with` block; with None, the block has no current press."""
    token = _sending.set(sending)
    try:
        yield
    finally:
        _sending.reset(token)


def current_press_id() -> str:
    """Return the id that the browser gave the current press; empty if there is no current press."""
    sending = _sending.get()
    return sending.press_id if sending else ""


async def require_unused_press(session: AsyncSession) -> None:
    """Check that no earlier request executed the current press. Call this before anything is changed.

    Raises:
        PressUsed: an earlier request executed the press.
    """
    sending = _sending.get()
    if sending is None:
        return
    query = select(Press.subject).where(Press.id == sending.digest)
    subject = (await session.execute(query)).scalar_one_or_none()
    if subject is not None:
        raise PressUsed(subject)


async def use_press(session: AsyncSession, subject: str = "") -> None:
    """Store the current press as executed, in the transaction that executes it. Do nothing if there is no press.

    A handler may use several transactions for one press and call this in each of them: `PressUsed` is raised only if
    another request has executed the press.

    Args:
        session: the transaction that executes the press.
        subject: the id that a repeated request gets in `PressUsed`.

    Raises:
        PressUsed: an earlier request executed the press.
    """
    sending = _sending.get()
    if sending is None:
        return
    row = {"id": sending.digest, "subject": subject, "sending": sending.id}
    await session.execute(_INSERT, row)
    query = select(Press.subject, Press.sending).where(Press.id == sending.digest)
    stored_subject, stored_sending = (await session.execute(query)).one()
    if stored_sending != sending.id:
        raise PressUsed(stored_subject)

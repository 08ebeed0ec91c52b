"""A lost link to an order: whoever knows its number and its e-mail address has it mailed there again.

An order that does not exist, or that is another address's, is answered like one that does, with the same work: which
it was is found out only when the mail is written.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, invalid, one_line, read_form
from backend.orders.events import OrderLinkAsked
from backend.orders.models import Order
from backend.orders.search import LONGEST_NUMBER
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit, SubjectExhausted

LINKS = RateLimit("order link", per_pair=3, per_client=30, per_subject=5, per_day=10)
"""A subject is an order's number with an address, so that strangers use up the tries of nothing else."""


def require_number(value: Any) -> int:
    """An order's number, as people copy it: `1024`, `#1024`, `Pedido 1024`.

    Raises:
        PydanticCustomError: it holds no number, or one that no order has.
    """
    digits = "".join(c for c in one_line(value) if c in "0123456789")
    if not 0 < len(digits) <= LONGEST_NUMBER:
        raise invalid(_("Escribe el número de tu pedido, como 1024."))
    return int(digits)


class LinkRequest(BaseModel):
    """Which order's link is wanted, and where it is mailed to."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    number: Annotated[int, BeforeValidator(require_number)] = 0
    email: AccountEmail = ""


async def ask_link(database: Database, number: str, email: str, *, client: Client) -> None:
    """Have the link mailed, if the order is this address's. Nothing tells whether it is.

    Once many clients have asked for the same order, nothing more is mailed for some time, and nobody is told: the
    links that went out open it for good.

    Raises:
        InvalidData: one of them is none (`fields`).
        TooManyRequests: this client asked too often lately.
    """
    asked = read_form(LinkRequest, {"number": number, "email": email})
    try:
        await limiter.hit(database, LINKS, f"{asked.number} {asked.email}", client)
    except SubjectExhausted:
        return
    async with database.transaction() as session:
        await publish(session, OrderLinkAsked(asked.number, asked.email))


async def order_at(session: AsyncSession, number: int, email: str) -> Order | None:
    """The order with this number, if this is its address, in small letters; else None."""
    query = select(Order).where(Order.number == number, func.lower(Order.email) == email)
    return (await session.execute(query)).scalar_one_or_none()

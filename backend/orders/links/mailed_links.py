"""Request for a lost order link, which is then sent again to the order's e-mail address.

The response and its duration do not reveal if the order exists or has this address: this is checked only when the
e-mail is written.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, field_error, read_form, to_one_line
from backend.orders.events import OrderLinkRequested
from backend.orders.models import Order
from backend.orders.search import MAX_NUMBER_DIGITS
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit, SubjectExhausted

LINK_RATE_LIMIT = RateLimit("order link", per_pair=3, per_client=30, per_subject=5, per_day=10)
"""Limits per order number and address (the subject): strangers cannot use up the attempts of other customers."""


def parse_order_number(value: Any) -> int:
    """Parse an order's number as it is copied from an e-mail: `1024`, `#1024`, `Pedido 1024`.

    Raises:
        PydanticCustomError: there is no number, or it has too many digits.
    """
    digits = "".join(c for c in to_one_line(value) if c in "0123456789")
    if not 0 < len(digits) <= MAX_NUMBER_DIGITS:
        raise field_error(_("Escribe el número de tu pedido, como 1024."))
    return int(digits)


class LinkRequest(BaseModel):
    """The number of the order, and the address for its link."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    number: Annotated[int, BeforeValidator(parse_order_number)] = 0
    email: AccountEmail = ""


async def request_order_link(database: Database, number: str, email: str, *, client: Client) -> None:
    """Request the e-mail with the order's link. The result does not reveal if the order has this e-mail address.

    If many clients have requested the link of the same order, no further e-mail is sent for some time, and no error
    is raised: the links that were sent before remain valid.

    Raises:
        InvalidData: the number or the e-mail address is invalid (`fields`).
        TooManyRequests: this client sent too many requests recently.
    """
    form = read_form(LinkRequest, {"number": number, "email": email})
    try:
        await limiter.hit(database, LINK_RATE_LIMIT, f"{form.number} {form.email}", client)
    except SubjectExhausted:
        return
    async with database.transaction() as session:
        await publish(session, OrderLinkRequested(form.number, form.email))


async def find_order_of_address(session: AsyncSession, number: int, email: str) -> Order | None:
    """Return the order with this number and this (lower case) e-mail address; None if there is no such order."""
    query = select(Order).where(Order.number == number, func.lower(Order.email) == email)
    return (await session.execute(query)).scalar_one_or_none()

"""Comparison of the day of delivery that a shopper saw with the day that is promised when the payment starts."""

import re
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import read_ready_day
from backend.cart.shipping_method import find_shipping_method
from backend.core.clock import now
from backend.core.dates import day_name
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData
from backend.core.texts import _
from backend.shipping.delivery_promise import add_promised_day, add_ready_day, parse_promised_day

ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class DeliveryLater(Conflict):
    """The order would arrive later than on the day that the customer saw; the customer must confirm the new day."""

    def __init__(self, seen: date, day: date | None) -> None:
        if day is None:
            text = _(
                "Ya no podemos prometer el día, que era el {before}. "
                "Revisa cómo lo recibes y, si estás de acuerdo, paga."
            ).format(before=day_name(seen))
        else:
            text = _(
                "El día prometido cambió: antes era el {before} y ahora es el {now}. "
                "Revísalo y, si estás de acuerdo, paga."
            ).format(before=day_name(seen), now=day_name(day))
        super().__init__(f"The promised day is now {day}, not {seen}: show it and ask again")
        self.shopper_text = text


def parse_expected_day(sent: object) -> date | None:
    """Return the day that the shopper saw, as an ISO date that a program or page sent; None if it is missing or empty.

    Raises:
        InvalidData: the value is not an ISO date.
    """
    if sent is None or sent == "":
        return None
    try:
        if isinstance(sent, str) and ISO_DATE.fullmatch(sent):
            return date.fromisoformat(sent)
    except ValueError:
        pass  # no such day
    raise InvalidData("'promised_day' must be a day like 2026-12-10")


def find_later_delivery(data: JsonObject, seen: date | None) -> DeliveryLater | None:
    """Return an error if the sale promises no day, or a later one than the shopper saw; otherwise None.

    Args:
        data: the data of the sold shipping method.
        seen: the day that the shopper saw; None if they saw none, so that any day is accepted.
    """
    day = parse_promised_day(data)
    return DeliveryLater(seen, day) if seen is not None and (day is None or day > seen) else None


async def find_later_delivery_of_cart(
    session: AsyncSession, cart_id: str, seen: date | None
) -> DeliveryLater | None:
    """Return an error if the cart would now promise no day, or a later one than `seen`; otherwise None.

    Return None also if the cart has no shipping method.
    """
    method = await find_shipping_method(session, cart_id)
    if method is None:
        return None
    data = add_ready_day(method.data, await read_ready_day(session, cart_id))
    return find_later_delivery(add_promised_day(data, now()), seen)

"""A courier that counts what it is asked, and labels of it without an order around them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import select

from backend.attention.models import Attention
from backend.core.db.database import Database
from backend.core.errors import NotImplementedByProvider, OutcomeUnknown
from backend.fulfillment.labels import NewLabel, create_label
from backend.orders.models import Fulfillment
from backend.shipping.providers.base import FulfillmentProvider, Label, LabelRequest, Quote, QuoteRequest
from backend.staff.rights import COMMAND_LINE
from tests.backend.shipping.samples import shipment_request
from tests.store_defaults import Defaults

Hook = Callable[[], Awaitable[None]]


class Courier(FulfillmentProvider):
    """Counts what it is asked; `meanwhile` happens while it is being asked."""

    id = "courier"
    can_calculate = False

    def __init__(self, meanwhile: Hook | None = None, answer: Label | BaseException | None = None) -> None:
        self.made = 0
        self.cancelled = 0
        self.meanwhile = meanwhile
        self.answer = answer

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        raise NotImplementedByProvider("no")

    async def create_fulfillment(self, request: LabelRequest) -> Label:
        self.made += 1
        await self._answered()
        return self.answer if isinstance(self.answer, Label) else Label(f"T{self.made}", self.made)

    async def cancel_fulfillment(self, label: Label) -> None:
        self.cancelled += 1
        await self._answered()

    async def _answered(self) -> None:
        if self.meanwhile is not None:
            await self.meanwhile()
        if isinstance(self.answer, BaseException):
            raise self.answer


def new_label(defaults: Defaults, order_id: str = "order_1", **changes: Any) -> NewLabel:
    return NewLabel(
        order_id, defaults.location_id, shipment_request(**changes), [{"id": "ordli_1", "quantity": 2}]
    )


async def stored(database: Database) -> list[Fulfillment]:
    async with database.read() as session:
        return list((await session.execute(select(Fulfillment).order_by(Fulfillment.id))).scalars())


async def doubts(database: Database) -> list[Attention]:
    """What is open, as staff see it."""
    async with database.read() as session:
        return list(
            (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalars()
        )


async def lost_answer(database: Database, defaults: Defaults) -> Fulfillment:
    """A label of which nobody knows whether it was made."""
    with pytest.raises(OutcomeUnknown):
        await create_label(
            database, Courier(answer=OutcomeUnknown("lost")), new_label(defaults), by=COMMAND_LINE
        )
    return (await stored(database))[0]

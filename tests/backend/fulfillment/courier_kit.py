"""A provider that counts its requests, and functions that create and list its labels, which have no order."""

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
    """A provider that counts its requests; `during_request` runs during each request."""

    id = "courier"
    can_calculate = False

    def __init__(
        self, during_request: Hook | None = None, answer: Label | BaseException | None = None
    ) -> None:
        self.made = 0
        self.cancelled = 0
        self.during_request = during_request
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
        if self.during_request is not None:
            await self.during_request()
        if isinstance(self.answer, BaseException):
            raise self.answer


def new_label(defaults: Defaults, order_id: str = "order_1", **changes: Any) -> NewLabel:
    return NewLabel(
        order_id, defaults.location_id, shipment_request(**changes), [{"id": "ordli_1", "quantity": 2}]
    )


async def list_fulfillments(database: Database) -> list[Fulfillment]:
    async with database.read() as session:
        return list((await session.execute(select(Fulfillment).order_by(Fulfillment.id))).scalars())


async def list_open_attention(database: Database) -> list[Attention]:
    """Return the open attention rows."""
    async with database.read() as session:
        return list(
            (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalars()
        )


async def create_label_in_doubt(database: Database, defaults: Defaults) -> Fulfillment:
    """Create a label while the response of the courier is lost. Return the fulfillment, whose label is in doubt."""
    with pytest.raises(OutcomeUnknown):
        await create_label(
            database, Courier(answer=OutcomeUnknown("lost")), new_label(defaults), actor=COMMAND_LINE
        )
    return (await list_fulfillments(database))[0]

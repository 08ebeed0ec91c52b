"""Kinds of delivery: by a carrier, by the shop itself, or by pickup. They decide the words about an order."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import OWN_DELIVERY
from backend.orders.models import Order
from backend.shipping.models import ShippingOption
from backend.shipping.terms.own_delivery import PICKUP, describe_option


class DeliveryKind(StrEnum):
    """A way in which an order reaches its customer."""

    CARRIER = "carrier"
    OWN = "own"
    PICKUP = "pickup"

    @property
    def has_label(self) -> bool:
        """True if a parcel needs a carrier's label."""
        return self is DeliveryKind.CARRIER


async def list_delivery_kinds(session: AsyncSession) -> dict[str, DeliveryKind]:
    """Return the kinds of all shipping options by id, also of deleted ones."""
    found = await session.execute(select(ShippingOption.id, ShippingOption.provider_id, ShippingOption.data))
    return {option_id: _kind_of(provider_id, data) for option_id, provider_id, data in found}


async def read_delivery_kinds(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, DeliveryKind]:
    """Return the kinds of these orders by id. Orders without a shipping option are left out."""
    query = (
        select(Order.id, ShippingOption.provider_id, ShippingOption.data)
        .join(ShippingOption, ShippingOption.id == Order.shipping_option_id)
        .where(Order.id.in_(order_ids))
    )
    found = await session.execute(query)
    return {order_id: _kind_of(provider_id, data) for order_id, provider_id, data in found}


async def read_delivery(session: AsyncSession, order: Order) -> tuple[DeliveryKind, str]:
    """Return how the order reaches its customer, and what the customer must know.

    That is the pickup point's address and hours, or the days and hours of own delivery, as they are now; empty for a
    carrier.
    """
    option = await session.get(ShippingOption, order.shipping_option_id or "")
    if option is None:
        return DeliveryKind.CARRIER, ""
    return _kind_of(option.provider_id, option.data), describe_option(option)


def _kind_of(provider_id: str, data: Mapping[str, Any]) -> DeliveryKind:
    if provider_id == OWN_DELIVERY:
        return DeliveryKind.OWN
    return DeliveryKind.PICKUP if data.get(PICKUP) else DeliveryKind.CARRIER

"""Kinds of delivery: by a carrier, by the shop itself, or by pickup. They decide the words about an order."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import OWN_DELIVERY
from backend.core.texts import _
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


async def read_delivery_kinds(session: AsyncSession, orders: Collection[Order]) -> dict[str, DeliveryKind]:
    """Return the delivery kinds by order id: `CARRIER` for an order without a shipping option."""
    option_ids = {order.shipping_option_id for order in orders if order.shipping_option_id}
    query = select(ShippingOption.id, ShippingOption.provider_id, ShippingOption.data)
    found = await session.execute(query.where(ShippingOption.id.in_(option_ids)))
    kinds = {option_id: _kind_of(provider_id, data) for option_id, provider_id, data in found}
    return {order.id: kinds.get(order.shipping_option_id or "", DeliveryKind.CARRIER) for order in orders}


async def read_delivery(session: AsyncSession, order: Order) -> tuple[DeliveryKind, str]:
    """Return the kind of delivery of the order, and a text with its current details for the customer.

    The text has the address and hours of the pickup point, or the days and hours of own delivery; it is empty for a
    carrier.
    """
    option = await session.get(ShippingOption, order.shipping_option_id or "")
    if option is None:
        return DeliveryKind.CARRIER, ""
    return _kind_of(option.provider_id, option.data), describe_option(option)


async def read_option_kind(session: AsyncSession, option_id: str) -> DeliveryKind:
    """Return how orders with this shipping option reach their customers."""
    option = await session.get(ShippingOption, option_id)
    return DeliveryKind.CARRIER if option is None else _kind_of(option.provider_id, option.data)


def name_shipping(order: Order, kind: DeliveryKind) -> str:
    """Return the label of the shipping price for staff: the name of the pickup point, otherwise «Envío»."""
    return order.shipping_name if kind is DeliveryKind.PICKUP and order.shipping_name else _("Envío")


def _kind_of(provider_id: str, data: Mapping[str, Any]) -> DeliveryKind:
    if provider_id == OWN_DELIVERY:
        return DeliveryKind.OWN
    return DeliveryKind.PICKUP if data.get(PICKUP) else DeliveryKind.CARRIER

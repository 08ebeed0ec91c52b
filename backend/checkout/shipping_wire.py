"""Shipping options as a cart is offered them."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.checkout.views import ShippingChoice
from backend.edge.prices import price
from backend.edge.wire import JsonDict, sibling_id
from backend.shipping.models import FulfillmentSet, ServiceZone, ShippingOption, StockLocation
from backend.shipping.wire import address_of, metadata_of, option_price, option_type


async def choices_wire(session: AsyncSession, choices: Sequence[ShippingChoice]) -> list[JsonDict]:
    """The choices with all that is known of their options, in the same order."""
    rows = await session.execute(
        select(ShippingOption, ServiceZone, FulfillmentSet, StockLocation)
        .join(ServiceZone, ServiceZone.id == ShippingOption.service_zone_id)
        .join(FulfillmentSet, FulfillmentSet.id == ServiceZone.fulfillment_set_id)
        .join(StockLocation, StockLocation.id == FulfillmentSet.location_id)
        .where(ShippingOption.id.in_([choice.id for choice in choices]))
    )
    found = {row[0].id: row for row in rows}
    return [_choice(choice, *found[choice.id]) for choice in choices if choice.id in found]


def _choice(
    choice: ShippingChoice,
    option: ShippingOption,
    zone: ServiceZone,
    fulfillment_set: FulfillmentSet,
    location: StockLocation,
) -> JsonDict:
    return {
        "id": option.id,
        "name": option.name,
        "price_type": option.price_type,
        "service_zone_id": zone.id,
        "shipping_profile_id": option.shipping_profile_id,
        "provider_id": option.provider_id,
        "provider": {"id": option.provider_id, "is_enabled": True},
        "data": option.data or None,
        "amount": choice.amount,
        "is_tax_inclusive": True,
        "insufficient_inventory": False,
        "metadata": {
            **(metadata_of(option) or {}),
            "carrier": choice.carrier or None,
            "delivery_days": choice.delivery_days,
            "is_fallback": choice.is_fallback,
        },
        "type": option_type(option),
        "rules": [],
        "calculated_price": price(sibling_id("pset", option.id), choice.amount),
        "prices": [option_price(option)] if option.amount is not None else [],
        "service_zone": {
            "id": zone.id,
            "fulfillment_set_id": fulfillment_set.id,
            "fulfillment_set": {
                "id": fulfillment_set.id,
                "type": fulfillment_set.type,
                "location": {"id": location.id, "address": address_of(location)},
            },
        },
    }

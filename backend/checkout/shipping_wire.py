"""Shipping options as a cart is offered them."""

from backend.edge.prices import price
from backend.edge.wire import JsonDict, sibling_id
from backend.shipping.providers.base import Quote
from backend.shipping.service import Offer
from backend.shipping.wire import address_of, metadata_of, option_price, option_type


def offer_wire(offer: Offer, quote: Quote | None) -> JsonDict:
    """The option at the price it was quoted for; without one (None) while the cart has no destination."""
    option, zone, fulfillment_set, location = offer
    return {
        "id": option.id,
        "name": option.name,
        "price_type": option.price_type,
        "service_zone_id": zone.id,
        "shipping_profile_id": option.shipping_profile_id,
        "provider_id": option.provider_id,
        "provider": {"id": option.provider_id, "is_enabled": True},
        "data": option.data or None,
        "amount": quote.amount if quote else None,
        "is_tax_inclusive": True,
        "insufficient_inventory": False,
        "metadata": {
            **(metadata_of(option) or {}),
            "carrier": (quote.carrier if quote else None) or None,
            "delivery_days": quote.delivery_days if quote else None,
            "is_fallback": quote.is_fallback if quote else False,
        },
        "type": option_type(option),
        "rules": [],
        "calculated_price": price(sibling_id("pset", option.id), quote.amount) if quote else None,
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

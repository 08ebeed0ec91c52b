"""Deliveries that no courier quoted: use the fixed price and inform staff, or refuse them if the settings say so."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.attention.descriptions import PLACE
from backend.core.config.settings import Settings
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.orders.models import Order
from backend.shipping.addresses import find_municipality_code
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.providers.base import Quote

NO_COURIER = "no_courier"
"""Key in the data of a shipping method: its price is the fixed one because no courier quoted the place."""


class NoCourier(InvalidData):
    """No courier delivers to the place, and the shop's settings refuse such deliveries."""

    def __init__(self, dane_code: str) -> None:
        place = format_place_name(dane_code)
        text = _(
            "Por ahora ninguna transportadora lleva pedidos a {place}. Escoge otra dirección o escríbenos."
        )
        super().__init__(f"No courier delivers to {place}", shopper_text=text.format(place=place))


def is_refused(settings: Settings, quote: Quote | None) -> bool:
    """Return True if no courier delivers to the destination, and the effective settings refuse such deliveries."""
    return quote is not None and quote.no_courier and settings.refuse_unquoted


def format_place_name(dane_code: str) -> str:
    """Return the municipality's name with its department. If the code is unknown, return the code."""
    place = find_municipality_by_code(dane_code)
    return f"{place.name}, {place.department}" if place is not None else dane_code


async def report_unquoted(session: AsyncSession, order: Order) -> None:
    """Raise attention for a paid order that no courier quoted: staff must find a way to ship it."""
    if not order.shipping_data.get(NO_COURIER):
        return
    place = format_place_name(find_municipality_code(order.shipping_address))
    await raise_attention(
        session,
        AttentionKind.NO_COURIER,
        message=f"No courier quoted {place}: the customer paid {order.shipping_total} for shipping",
        amount=order.shipping_total,
        order_id=order.id,
        data={PLACE: place},
    )

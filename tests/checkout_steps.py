"""Input of the checkout form, and helpers for own delivery, pickup and the destination of a cart."""

from backend.app import Shop
from backend.cart.access import open_cart
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.form import Destination
from backend.core.db.database import Database
from backend.core.money import Cop
from backend.office.deliveries.form import ZoneForm
from backend.office.deliveries.saving import save_zone
from backend.shipping.providers.registry import OwnDeliveryProvider
from backend.shipping.terms.own_delivery import ZoneTerms
from backend.shipping.terms.weekly_schedules import WeeklySchedule
from backend.staff.rights import COMMAND_LINE

MEDELLIN = "05001000"
CHECKOUT_INPUT = {
    "email": "ana@example.com",
    "first_name": "Ana",
    "last_name": "Gómez",
    "phone": "300 123 4567",
    "dane_code": MEDELLIN,
    "address": "Carrera 43A # 1-50",
    "suburb": "El Poblado",
    "reference": "",
    "person_type": "0",
    "doc_type": "CC",
    "doc_number": "1020304050",
    "bank": "1022",
    "consent_data": "on",
    "consent_terms": "on",
}


async def add_own_delivery(database: Database, price: Cop) -> None:
    """Offer own delivery in Medellín from Monday to Saturday, as the shipping option `Domicilio`."""
    terms = ZoneTerms(WeeklySchedule((0, 1, 2, 3, 4, 5), 9, 18), 0, 11, None)
    form = ZoneForm("Domicilio", (MEDELLIN,), price, terms)
    async with database.transaction() as session:
        await save_zone(session, COMMAND_LINE, {"own_delivery": OwnDeliveryProvider()}, form)


async def choose_pickup(shop: Shop, cart_id: str) -> str:
    """Choose pickup at the store, which is free, as the cart's shipping.

    Returns:
        The id of that shipping option.
    """
    await shop.checkout.set_town(cart_id, MEDELLIN)
    offer = await shop.checkout.offer_shipping(cart_id, ip="190.24.1.1")
    pickup = next(choice for choice in offer.choices if choice.is_pickup)
    await shop.checkout.offer_shipping(cart_id, pickup.id, is_choice=True, ip="190.24.1.1")
    return pickup.id


async def set_destination(database: Database, cart_id: str, destination: Destination) -> None:
    """Set the recipient and the address of the cart."""
    async with database.transaction() as session:
        cart = await open_cart(session, cart_id)
        cart.email = destination.email
        await set_shipping_address(session, cart, destination.to_address())

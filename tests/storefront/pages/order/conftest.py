"""An order that waits at the bank."""

import pytest

from backend.app import Shop
from backend.cart import service as carts
from backend.checkout.views import PlacedOrder
from tests.shop_floor import Floor, make_toy

MEDELLIN = "05001000"
TYPED = {
    "email": "ana@example.com",
    "first_name": "Ana",
    "last_name": "Gómez",
    "phone": "300 123 4567",
    "dane_code": MEDELLIN,
    "address": "Carrera 43A # 1-50",
    "suburb": "El Poblado",
    "person_type": "0",
    "doc_type": "CC",
    "doc_number": "1020304050",
    "bank": "1022",
}


@pytest.fixture
async def placed(shop: Shop, floor: Floor) -> PlacedOrder:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, floor, "trompo", stock=5, price=18_900)
        cart_id = await carts.create(session)
        await carts.add(session, cart_id, toy, 2)
    await shop.checkout.set_town(cart_id, MEDELLIN)
    pickup = next(choice for choice in await shop.checkout.shipping_choices(cart_id) if choice.is_pickup)
    await shop.checkout.choose_shipping(cart_id, pickup.id)
    return await shop.checkout.place_order(cart_id, TYPED, expected_total=37_800, ip="190.24.1.1")

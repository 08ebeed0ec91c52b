"""An order's page shows itself to whoever holds its signed link, and to nobody else."""

from dataclasses import asdict

import pytest

from backend.app import Shop
from backend.cart import service as carts
from backend.checkout.views import PlacedOrder
from backend.shipping.stages import Stage
from storefront.pages.loading import PageParams
from storefront.pages.order import texts
from storefront.pages.order.loader import load, token_of
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


@pytest.mark.parametrize("end", ["", "?ref_payco=abc", "&ref_payco=abc", "?ref_payco=a&x=1", "&token=other"])
async def test_the_link_opens_the_order_whatever_a_gateway_hangs_on_it(placed: PlacedOrder, end: str) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}?token={placed.token}{end}"))
    order = data.content.order
    assert order is not None
    assert (order.number, order.status, order.total) == (placed.number, "pending", 37_800)
    assert data.content.bank == placed.redirect_url
    assert data.facts.status == 200
    assert data.facts.robots.startswith("noindex")
    assert f"Pedido {placed.number}" in data.facts.title


@pytest.mark.parametrize(
    "end", ["", "?token=", "?token=forged", "?token=\ud800", "?token={token}x", "?x={token}"]
)
async def test_without_its_token_there_is_no_order(placed: PlacedOrder, end: str) -> None:
    data = await load(PageParams.from_url(f"/order/{placed.order_id}" + end.format(token=placed.token)))
    assert (data.content.order, data.content.bank) == (None, "")
    assert data.facts.status == 404
    assert "ana@example.com" not in str(asdict(data))


async def test_a_token_opens_no_other_order(placed: PlacedOrder) -> None:
    data = await load(PageParams.from_url(f"/order/order_0?token={placed.token}"))
    assert data.content.order is None
    assert data.facts.status == 404


def test_the_token_ends_where_a_gateway_s_own_words_begin() -> None:
    assert token_of(PageParams.from_url("/order/1?token=abc-_9?ref_payco=1")) == "abc-_9"
    assert token_of(PageParams.from_url("/order/1")) == ""


def test_every_status_has_its_words() -> None:
    assert texts.TITLES.keys() == texts.EXPLANATIONS.keys() == texts.DRAWINGS.keys()
    assert set(texts.TITLES) == {"pending", "held", "paid", "rejected", "canceled", "expired"}
    assert next(iter(texts.TITLES)) == "pending"  # what an unknown status is told as


def test_every_stage_of_a_parcel_has_its_words() -> None:
    assert set(texts.STAGES) == {"preparing", "ready", "shipped", *Stage} - {Stage.AWAITING_PICKUP}
    assert texts.JOURNEY_TITLES.keys() == texts.JOURNEY_WORDS.keys() == {"shipped", "delivered"}

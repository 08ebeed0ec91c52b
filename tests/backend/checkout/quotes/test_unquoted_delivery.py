"""Places that no courier quotes: the carrier answers with an empty list.

fault                                              | outcome
---------------------------------------------------|------------------------------------------------------------
no courier, by default                             | the fixed price; the owner is notified once, when it is paid
no courier, the office refuses                     | left out of the list; 400 with a sentence for the choice
chosen before the office refused                   | refused by the next choice and by the payment
the carrier fails, the office refuses              | the fixed price: a failure is no refusal
rates that are all void                            | the fixed price, no notice: a failure too
a flat option next to it                           | stays, with a sentence that explains the missing option
"""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention.descriptions import describe_facts
from backend.attention.models import Attention
from backend.mail.models import Mail
from backend.office_settings import save_settings
from backend.rate_limit.limiter import Client
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.shipping.providers.fallback import FALLBACK_PRICE
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    PAYER,
    PSE,
    complete_purchase,
    create_addressed_cart,
    create_cart_with_shipping,
    find_shipping_option,
    get,
    post,
)

REFUSED = "No courier delivers to Medellín, Antioquia"
SENTENCE = "Por ahora ninguna transportadora lleva pedidos a Medellín, Antioquia. Escoge otra dirección o escríbenos."


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=9)


def plan(shop: Shop, fault: Fault) -> None:
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.plan(fault, Operation.QUOTATION)


async def refuse(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"refuse_unquoted": "true"})


async def notices(shop: Shop) -> list[Attention]:
    async with shop.database.read() as session:
        found = await session.execute(select(Attention).where(Attention.kind == "no_courier"))
        return list(found.scalars())


async def capture(admin: httpx.AsyncClient, order_id: str) -> None:
    """Capture the order's only payment, as staff do when the money of a manual payment has arrived."""
    order = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    (payment,) = order["payment_collections"][0]["payments"]
    await post(admin, f"/admin/payments/{payment['id']}/capture")


async def test_owner_is_notified_when_an_order_to_an_unquoted_place_is_paid(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    plan(shop, Fault.NO_RATES)
    order = await complete_purchase(store, trompo, 1, price_type="calculated")
    assert order["shipping_total"] == FALLBACK_PRICE
    assert await notices(shop) == []  # not paid yet
    await capture(admin, order["id"])
    (notice,) = await notices(shop)
    assert (notice.order_id, notice.amount, notice.resolved_at) == (order["id"], FALLBACK_PRICE, None)
    assert describe_facts(notice).startswith("Ninguna transportadora cotizó a Medellín, Antioquia")
    async with shop.database.read() as session:
        mails = (await session.execute(select(Mail).where(Mail.kind == "attention"))).scalars().all()
    assert len(mails) == 1


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.NEGATIVE_RATES, Fault.MALFORMED])
async def test_delivery_is_accepted_without_a_notice_if_the_carrier_fails(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str, fault: Fault
) -> None:
    await refuse(shop)
    plan(shop, fault)
    order = await complete_purchase(store, trompo, 1, price_type="calculated")
    assert order["shipping_total"] == FALLBACK_PRICE
    await capture(admin, order["id"])
    assert await notices(shop) == []


async def test_checkout_explains_that_delivery_to_an_unquoted_place_is_refused(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    calculated = await find_shipping_option(store, cart_id, "calculated")
    plan(shop, Fault.NO_RATES)
    stored = await find_shipping_option(
        store, cart_id, "calculated"
    )  # its quote is stored before the office refuses
    assert stored["amount"] == FALLBACK_PRICE
    await refuse(shop)
    chosen = {"option_id": calculated["id"]}
    refused = await store.post(f"/store/carts/{cart_id}/shipping-methods", json=chosen)
    assert (refused.status_code, refused.json()["message"]) == (400, REFUSED)
    path = f"/store/shipping-options/{calculated['id']}/calculate"
    refused = await store.post(path, json={"cart_id": cart_id})
    assert (refused.status_code, refused.json()["message"]) == (400, REFUSED)
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    assert {one["price_type"] for one in offered} == {"flat"}
    offer = await shop.checkout.offer_shipping(cart_id, "", ip="190.24.1.1")
    assert calculated["id"] not in {choice.id for choice in offer.choices}
    assert offer.notice == SENTENCE
    assert calculated["id"] not in {
        way.id for way in await shop.estimates.estimate_cart(cart_id, "05001000", Client("190.24.1.1"))
    }
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.clear()
    offer = await shop.checkout.offer_shipping(cart_id, "", ip="190.24.1.1")
    assert calculated["id"] in {choice.id for choice in offer.choices}
    assert offer.notice == ""


async def test_payment_is_refused_if_the_owner_stopped_unquoted_deliveries_meanwhile(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    plan(shop, Fault.NO_RATES)
    cart_id = await create_cart_with_shipping(store, trompo, price_type="calculated")
    await refuse(shop)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    refused = await store.post(path, json={"provider_id": PSE, "data": PAYER})
    assert (refused.status_code, refused.json()["message"]) == (400, REFUSED)


async def test_cart_to_a_place_without_a_courier_has_no_shipping_method(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_addressed_cart(store, trompo)
    flat = await find_shipping_option(store, cart_id, "flat")
    await admin.delete(f"/admin/shipping-options/{flat['id']}")
    plan(shop, Fault.NO_RATES)
    offer = await shop.checkout.offer_shipping(cart_id, "", ip="190.24.1.1")
    assert [choice.no_courier for choice in offer.choices] == [True]
    await refuse(shop)
    offer = await shop.checkout.offer_shipping(cart_id, "", ip="190.24.1.1")
    assert (offer.choices, offer.chosen, offer.notice) == ([], "", SENTENCE)
    cart = (await get(store, f"/store/carts/{cart_id}"))["cart"]
    assert cart["shipping_methods"] == []

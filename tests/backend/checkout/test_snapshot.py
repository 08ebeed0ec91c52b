"""An order contains the paid purchase: a snapshot from the start of the payment.

Until the payment ends, the cart refuses changes.
"""

import asyncio
from decimal import Decimal

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.access import read_cart
from backend.cart.checkout_drafts import save_draft
from backend.cart.models import LineItem
from backend.catalog.models import Variant
from backend.core.errors import Conflict, TotalChanged
from backend.inventory.models import InventoryLevel
from backend.mail.models import Mail
from backend.orders.models import Order, OrderLine
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.providers.pse.banks import BankListUnavailable
from backend.payment.providers.pse.requests import Bank
from backend.payment.transitions import apply_report
from tests.backend.checkout.paying_kit import ANA, PRICE, Till
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    HOME,
    PAYER,
    PSE,
    create_cart_with_shipping,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)


async def _change_during_payment(till: Till, cart_id: str) -> None:
    """Change a cart and its prices in the database during its payment: the shop's own functions refuse this."""
    async with till.database.transaction() as session:
        await session.execute(update(LineItem).where(LineItem.cart_id == cart_id).values(quantity=3))
        await session.execute(update(Variant).values(price=PRICE * 2))
        cart = await read_cart(session, cart_id)
        cart.email, cart.shipping_address = (
            "otra@example.com",
            {"address_1": "Otra calle", "country_code": "co"},
        )


@pytest.mark.parametrize("completes_first", [True, False])
async def test_order_contains_the_purchase_that_was_paid_and_not_the_changed_cart(
    till: Till, completes_first: bool
) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    payment = await till.start(cart_id)
    if completes_first:
        await till.checkout.complete(cart_id)
    await _change_during_payment(till, cart_id)
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    (order,) = await till.orders()
    assert (order.total, order.payment_status, order.email) == (PRICE, "captured", ANA.email)
    assert order.shipping_address["address_1"] == ANA.address
    assert await till.sold(order.id) == {trompo: 1}
    assert await till.available(trompo) == 2
    assert await till.attention() == []


async def test_order_keeps_the_cost_from_the_start_of_the_payment(till: Till) -> None:
    trompo = await till.make_variant()
    async with till.database.transaction() as session:
        await session.execute(update(Variant).values(cost=4_000))
    payment = await till.start(await till.cart(trompo))
    async with till.database.transaction() as session:
        await session.execute(update(Variant).values(cost=9_000))
    await till.decide(payment, ProviderState.CAPTURED)
    async with till.database.read() as session:
        assert (await session.execute(select(OrderLine.unit_cost))).scalars().all() == [4_000]


async def test_cart_with_a_payment_at_the_bank_refuses_changes_until_the_payment_ends(till: Till) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    refusals: list[Conflict] = []

    async def rival() -> None:
        with pytest.raises(Conflict, match=r"data\.replace"):
            await till.add(cart_id, trompo)
        refusals.append(Conflict(""))

    till.bank.on_call = rival
    payment = await till.start(cart_id)
    till.bank.on_call = None
    await rival()
    assert len(refusals) == 2
    async with till.database.transaction() as session:
        assert await save_draft(session, cart_id, {"suburb": "Centro"}) == {"suburb": "Centro"}
    await till.decide(payment, ProviderState.REJECTED)
    await till.add(cart_id, trompo)


async def test_cart_change_cancels_a_payment_that_is_not_at_a_bank(till: Till) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    payment = await till.start(cart_id, "pp_system_default")
    await till.add(cart_id, trompo)
    assert await till.state(payment) == "canceled"
    assert await till.available(trompo) == 3


async def test_price_changed_before_the_cart_is_completed_raises_total_changed(till: Till) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    await till.start(cart_id, "pp_system_default")
    async with till.database.transaction() as session:
        await session.execute(update(Variant).values(price=PRICE + 1))
    with pytest.raises(TotalChanged):
        await till.checkout.complete(cart_id)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)


async def test_products_added_after_the_payment_started_are_not_in_the_order(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, trompo: str
) -> None:
    async with shop.database.transaction() as session:
        tricycle = await add_product(session, shop_defaults, "triciclo", stock=5, price=300_000)
    cart_id = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, cart_id, PSE)
    here, item = f"/store/carts/{cart_id}", {"variant_id": tricycle, "quantity": 2}
    chosen = {"option_id": "so_any"}
    for path, body in [
        (f"{here}/line-items", item),
        (here, {"shipping_address": {**HOME, "address_1": "Otra calle"}}),
        (here, {"email": "otra@example.com"}),
        (f"{here}/promotions", {"promo_codes": []}),
    ]:
        answer = await store.post(path, json=body)
        assert (answer.status_code, answer.json()["type"]) == (409, "conflict"), path
        assert answer.json()["code"] == "invalid_state_error"
    flat = await find_shipping_option(store, cart_id, "flat")
    chosen = {"option_id": flat["id"]}
    assert (await store.post(f"{here}/shipping-methods", json=chosen)).status_code == 409
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
    report = ProviderReport(
        state=ProviderState.CAPTURED, amount=Decimal(payment.amount), currency="COP", invoice=payment.invoice
    )
    await apply_report(shop.database, payment.id, report)
    order = (await post(store, f"{here}/complete"))["order"]
    assert (order["total"], order["payment_status"], order["summary"]["paid_total"]) == (
        PRICE,
        "captured",
        PRICE,
    )


async def test_cart_with_a_failed_payment_is_not_completed(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Let the provider reject the payment (wire: commerce-api, Guest checkout)."""
    cart_id = await create_cart_with_shipping(store, trompo)
    (payment,) = (await create_payment_collection(store, cart_id, PSE))["payment_sessions"]
    async with shop.database.read() as session:
        known = await session.get_one(PaymentSession, payment["id"])
    report = ProviderReport(
        state=ProviderState.REJECTED, amount=Decimal(known.amount), currency="COP", invoice=known.invoice
    )
    await apply_report(shop.database, known.id, report)
    refused = await store.post(f"/store/carts/{cart_id}/complete")
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "type": "not_allowed",
            "message": f"Session: {known.id} was not authorized with the provider.",
        },
    )


async def test_new_payment_replaces_the_payment_at_the_bank(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = await create_payment_collection(store, cart_id, PSE)
    (first,) = owed["payment_sessions"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    refused = await store.post(path, json={"provider_id": PSE, "data": PAYER})
    assert refused.status_code == 409
    assert "data.replace" in refused.json()["message"]
    again = await post(store, path, {"provider_id": PSE, "data": {**PAYER, "replace": True}})
    (second,) = again["payment_collection"]["payment_sessions"]
    assert second["id"] != first["id"]
    assert first["data"]["invoice"] in second["data"]["note"]
    async with shop.database.read() as session:
        known = await session.get_one(PaymentSession, first["id"])
        assert (known.state, known.close_reason) == ("closed", "replaced")


@pytest.mark.parametrize("is_ordered", [True, False])
async def test_wrong_payer_answers_do_not_close_the_payment_at_the_bank(
    store: httpx.AsyncClient, shop: Shop, trompo: str, is_ordered: bool
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = await create_payment_collection(store, cart_id, PSE)
    (first,) = owed["payment_sessions"]
    if is_ordered:
        await post(store, f"/store/carts/{cart_id}/complete")
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    wrong = {**PAYER, "doc_number": "1O2O", "replace": True}
    refused = await store.post(path, json={"provider_id": PSE, "data": wrong})
    assert (refused.status_code, "doc_number" in refused.json()["message"]) == (400, True)
    await _assert_only_payment(shop, first["id"], is_ordered=is_ordered)
    again = await post(store, path, {"provider_id": PSE, "data": {**PAYER, "replace": True}})
    assert again["payment_collection"]["payment_sessions"][0]["id"] != first["id"]


async def test_payment_is_not_replaced_while_the_list_of_banks_is_unavailable(
    store: httpx.AsyncClient, shop: Shop, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = await create_payment_collection(store, cart_id, PSE)
    (first,) = owed["payment_sessions"]
    await post(store, f"/store/carts/{cart_id}/complete")

    async def no_list(*_asked: object, **_more: object) -> list[Bank]:
        raise BankListUnavailable

    monkeypatch.setattr("backend.payment.providers.pse.provider.list_offered_banks", no_list)
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    refused = await store.post(path, json={"provider_id": PSE, "data": {**PAYER, "replace": True}})
    assert refused.status_code >= 500
    await _assert_only_payment(shop, first["id"], is_ordered=True)


async def _assert_only_payment(shop: Shop, session_id: str, *, is_ordered: bool) -> None:
    """Check that this payment is the only one, is at the bank and holds a unit, and that its order (if any) waits."""
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        orders = (await session.execute(select(Order))).scalars().all()
        mails = (await session.execute(select(Mail.kind))).scalars().all()
        level = (await session.execute(select(InventoryLevel))).scalar_one()
    assert (payment.id, payment.state, level.reserved) == (session_id, "pending_authorization", 1)
    stands = [("pending", "awaiting")] if is_ordered else []
    assert [(order.status, order.payment_status) for order in orders] == stands
    assert "order_unconfirmed" not in mails


async def test_payment_at_the_bank_can_be_closed_without_a_new_payment(
    store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = await create_payment_collection(store, cart_id, PSE)
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    answer = await post(store, path, {"provider_id": PSE, "data": {"replace": True}})
    (given_up,) = answer["payment_collection"]["payment_sessions"]
    assert (given_up["status"], "may still approve it" in given_up["data"]["note"]) == ("canceled", True)
    await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 1})
    assert (await get(store, f"/store/carts/{cart_id}"))["cart"]["items"][0]["quantity"] == 2


async def test_two_concurrent_replacements_start_one_payment(till: Till) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    await till.start(cart_id)
    both_asked = asyncio.Barrier(2)
    asked: list[str] = []

    async def wait_for_the_rival() -> None:
        if len(asked) < 2:
            asked.append("how the first payment stands")
            await both_asked.wait()

    till.bank.on_call = wait_for_the_rival
    both = await asyncio.gather(
        *(till.start(cart_id, replace=True) for _ in range(2)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in both) == ["PaymentSession", "PaymentUnderWay"]
    assert len(till.bank.started) == 2
    assert await till.available(trompo) == 2


async def test_payment_approved_before_its_replacement_stays_valid(till: Till) -> None:
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    payment = await till.start(cart_id)
    till.bank.states[payment.invoice] = ProviderState.CAPTURED
    with pytest.raises(Conflict, match="approved"):
        await till.start(cart_id, replace=True)
    (order,) = await till.orders()
    assert (order.payment_status, len(till.bank.started)) == ("captured", 1)


async def test_waiting_order_is_paid_by_the_payment_that_replaced_the_first(till: Till) -> None:
    trompo = await till.make_variant()
    order, first = await till.order(trompo)
    second = await till.start(order.cart_id, replace=True)
    assert await till.state(first) == "closed"
    assert (await till.read_order(order.id)).status == "pending"
    await till.decide(second, ProviderState.CAPTURED)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.decide(first, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", first.id, PRICE)]
    assert (await till.read_order(order.id)).payment_status == "captured"


async def test_late_approval_of_a_closed_payment_orders_the_cart_of_its_start(till: Till) -> None:
    """Close a payment, add units to the cart, and order with a second payment: then the bank approves the first one."""
    trompo = await till.make_variant()
    cart_id = await till.cart(trompo)
    first = await till.start(cart_id)
    await till.checkout.close_payment(cart_id)
    await till.add(cart_id, trompo, 2)
    await till.ship(cart_id)
    second = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    assert order.total == 3 * PRICE
    assert await till.decide(first, ProviderState.CAPTURED) == "captured"
    paid = await till.read_order(order.id)
    assert (paid.total, paid.payment_status) == (PRICE, "captured")
    assert await till.sold(order.id) == {trompo: 1}
    assert await till.available(trompo) == 2
    assert await till.decide(second, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", second.id, 3 * PRICE)]

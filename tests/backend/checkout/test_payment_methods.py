"""The checkout page pays with the provider that the form names, and only with one that the server offers.

| form names | regions offer | outcome |
|---|---|---|
| nothing | PSE, transfer | the bank's page |
| transfer | PSE, transfer | order that staff confirm, with instructions on its page and in its mail |
| transfer | PSE | refused, nothing reserved |
| `pp_system_default`, or an unknown id | all | refused: the page does not offer it |
| transfer, without document or its own field | PSE, transfer | the problems of these fields |
| transfer, then «Pagar de otra forma» | PSE, transfer | the order is cancelled, and its cart is back |
| the same, but staff confirm the money or pack first | PSE, transfer | refused, the order stays |
| transfer, after a started payment by PSE whose answer was lost | PSE, transfer | the payment by PSE is closed |
"""

from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest
from sqlalchemy import delete, select

from backend.app import Shop
from backend.checkout.form import PAYMENT_PROVIDER
from backend.checkout.payment.start import PaymentOff
from backend.checkout.service import Checkout
from backend.core.config.modules import GATEWAY_PSE, MANUAL, SYSTEM_PAYMENT
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.mail.messages import compose_message, join_messages
from backend.mail.models import Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.office.orders.detail import order_detail
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order
from backend.payment.providers.base import ProviderReport, StartedPayment
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.order_page import order_view
from tests.backend.orders.paying import list_sessions, order_row, read_order_status, read_stock
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_cart_with_shipping, post
from tests.transfer_provider import FROM_BANK, TRANSFER, Transfer, add_transfer

IP = "190.24.1.1"
PRICE = 40_000
BY_TRANSFER = {
    **{name: text for name, text in CHECKOUT_INPUT.items() if name != "bank"},
    PAYMENT_PROVIDER: TRANSFER,
    FROM_BANK: "nu",
}


@pytest.fixture
async def transfer(shop: Shop, shop_defaults: Defaults) -> Transfer:
    return await add_transfer(shop)


@pytest.fixture
async def cart_id(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, transfer: Transfer) -> str:
    """Return a cart with one product, picked up at the shop."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)
    cart_id = await create_cart_with_shipping(store, variant_id)
    await choose_pickup(shop, cart_id)
    return cart_id


async def place_order(shop: Shop, cart_id: str, **typed: str) -> Order:
    placed = await shop.checkout.place_order(cart_id, {**BY_TRANSFER, **typed}, expected_total=PRICE, ip=IP)
    return await order_row(shop, placed.order_id)


async def read_mail(shop: Shop, order: Order, *, is_joined: bool = False) -> str:
    async with shop.database.read() as session:
        mail = Mail(kind=MailKind.ORDER_PLACED, about=order.id)
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    if is_joined:
        message = join_messages(message.to, [message])
    written = MailRenderer(shop.settings).render(message, shop.settings)
    text: str = written.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    return text


async def test_order_is_placed_with_the_chosen_provider(shop: Shop, cart_id: str) -> None:
    order = await place_order(shop, cart_id)
    assert await read_order_status(shop, order.id) == ("pending", "authorized")
    (payment,) = await list_sessions(shop, order.id)
    assert (payment.provider_id, payment.amount) == (TRANSFER, PRICE)
    assert order.payer is not None
    assert order.payer["doc_number"] == CHECKOUT_INPUT["doc_number"]
    assert await read_stock(shop) == (5, 1)


async def test_order_shows_how_to_pay_until_the_money_is_confirmed(
    shop: Shop, admin: httpx.AsyncClient, cart_id: str
) -> None:
    order = await place_order(shop, cart_id)
    (payment,) = await list_sessions(shop, order.id)
    async with shop.database.read() as session:
        facts = (await order_view(session, shop.settings, order.id)).payment
        in_office = (await order_detail(session, COMMAND_LINE, order.id, "Trompo")).payment
    assert (facts.is_pse, facts.method, facts.instructions) == (
        False,
        "Transferencia",
        "Transfiere el valor exacto.",
    )
    assert facts.instruction_facts == [("Referencia", payment.reference)]
    assert in_office.method == "Transferencia"
    assert ("Referencia", payment.reference) in in_office.facts
    for text in (await read_mail(shop, order), await read_mail(shop, order, is_joined=True)):
        assert "Transfiere el valor exacto." in text
        assert f"Referencia: {payment.reference}" in text
        assert "Pago: Transferencia" in text
    await post(admin, f"/admin/payments/{payment.id}/capture")
    async with shop.database.read() as session:
        view = await order_view(session, shop.settings, order.id)
    assert (view.status, view.payment.instructions, view.payment.instruction_facts) == ("paid", "", [])
    assert "Transfiere" not in await read_mail(shop, order)


async def test_order_without_a_chosen_payment_method_is_paid_by_pse(shop: Shop, cart_id: str) -> None:
    typed = {**CHECKOUT_INPUT, FROM_BANK: ""}
    placed = await shop.checkout.place_order(cart_id, typed, expected_total=PRICE, ip=IP)
    assert placed.redirect_url
    (payment,) = await list_sessions(shop, placed.order_id)
    assert payment.provider_id == GATEWAY_PSE


@pytest.mark.parametrize("named", [SYSTEM_PAYMENT, "other_bank"])
async def test_provider_that_the_page_does_not_offer_is_refused(shop: Shop, cart_id: str, named: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await place_order(shop, cart_id, **{PAYMENT_PROVIDER: named})
    assert list(refused.value.fields) == [PAYMENT_PROVIDER]
    typed = {**BY_TRANSFER, PAYMENT_PROVIDER: named, "phone": "12"}
    assert set(await shop.checkout.find_problems(typed, IP)) == {PAYMENT_PROVIDER, "phone"}
    assert await read_stock(shop) == (5, 0)


async def test_provider_that_is_switched_off_is_refused(shop: Shop, cart_id: str) -> None:
    await add_transfer(shop, GATEWAY_PSE)
    assert [one.id for one in await shop.checkout.list_payment_methods(cart_id)] == [GATEWAY_PSE]
    with pytest.raises(PaymentOff):
        await place_order(shop, cart_id)
    assert await read_stock(shop) == (5, 0)


async def test_wrong_provider_fields_and_a_missing_document_are_reported_by_field(
    shop: Shop, cart_id: str
) -> None:
    wrong = {FROM_BANK: "other", "phone": "12"}
    with pytest.raises(InvalidData) as refused:
        await place_order(shop, cart_id, **wrong)
    assert set(refused.value.fields) == {FROM_BANK, "phone"}
    with pytest.raises(InvalidData) as refused:
        await place_order(shop, cart_id, doc_number="")
    assert set(refused.value.fields) == {"doc_number"}
    assert shop.checkout.list_payer_field_names() == {FROM_BANK}


async def test_document_typed_for_pse_does_not_matter_if_the_provider_needs_none(
    shop: Shop, cart_id: str, transfer: Transfer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Transfer, "asks_document", False)
    hidden: dict[str, Any] = {"person_type": "1", "company_name": "", "doc_type": "NIT", "doc_number": "1"}
    order = await place_order(shop, cart_id, **hidden)
    assert order.payer == {}


async def test_payment_with_another_provider_replaces_one_whose_answer_was_lost(
    shop: Shop, cart_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as cut:
        cut.setattr(Checkout, "complete", AsyncMock(side_effect=ConnectionError))
        with pytest.raises(ConnectionError):
            await place_order(shop, cart_id, **{PAYMENT_PROVIDER: "", "bank": CHECKOUT_INPUT["bank"]})
    order = await place_order(shop, cart_id)
    states = {one.provider_id: one.state for one in await list_sessions(shop, order.id)}
    assert states == {GATEWAY_PSE: "closed", TRANSFER: "authorized"}


async def can_change(shop: Shop, order: Order) -> bool:
    async with shop.database.read() as session:
        return (await order_view(session, shop.settings, order.id)).can_change_method


async def change_method(shop: Shop, order: Order) -> str:
    token = ORDER_LINK.token(shop.settings.signing_key, order.id)
    return await shop.placed_orders.change_bank(order.id, token)


async def test_unpaid_transfer_is_changed_to_pse(shop: Shop, cart_id: str) -> None:
    order = await place_order(shop, cart_id)
    assert await can_change(shop, order)
    restored = await change_method(shop, order)
    assert await change_method(shop, order) == restored  # repeated
    assert await read_order_status(shop, order.id) == ("canceled", "canceled")
    assert await read_stock(shop) == (5, 0)
    assert not await can_change(shop, order)
    async with shop.database.read() as session:
        kinds = set((await session.execute(select(Mail.kind))).scalars())
    assert not kinds & {MailKind.ORDER_LOST, MailKind.ORDER_UNCONFIRMED}
    await choose_pickup(shop, restored)
    placed = await shop.checkout.place_order(restored, CHECKOUT_INPUT, expected_total=PRICE, ip=IP)
    assert placed.redirect_url
    assert await read_stock(shop) == (5, 1)


async def test_transfer_that_is_confirmed_or_packed_first_is_not_changed_to_another_method(  # noqa: PLR0917 - fixtures
    shop: Shop,
    shop_defaults: Defaults,
    admin: httpx.AsyncClient,
    cart_id: str,
    transfer: Transfer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = await place_order(shop, cart_id)
    (payment,) = await list_sessions(shop, order.id)
    cancel = transfer.cancel

    async def pack_first(started: StartedPayment) -> ProviderReport:
        async with shop.database.transaction() as session:
            label = Fulfillment(
                order_id=order.id,
                reference="1-1",
                location_id=shop_defaults.location_id,
                provider_id=MANUAL,
                state="created",
            )
            session.add(label)
        return await cancel(started)

    async def confirm_first(started: StartedPayment) -> ProviderReport:
        await post(admin, f"/admin/payments/{payment.id}/capture")
        return await cancel(started)

    for rival, status in ((pack_first, "authorized"), (confirm_first, "captured")):
        monkeypatch.setattr(transfer, "cancel", rival)
        with pytest.raises(Conflict):
            await change_method(shop, order)
        assert await read_order_status(shop, order.id) == ("pending", status)
        assert await read_stock(shop) == (5, 1)
        async with shop.database.transaction() as session:
            await session.execute(delete(Fulfillment))


async def test_payment_method_without_an_alternative_cannot_be_changed(shop: Shop, cart_id: str) -> None:
    order = await place_order(shop, cart_id)
    await add_transfer(shop, TRANSFER)
    assert not await can_change(shop, order)


async def test_transfer_of_another_customer_is_not_cancelled(shop: Shop, cart_id: str) -> None:
    order = await place_order(shop, cart_id)
    with pytest.raises(NotFound):
        await shop.placed_orders.change_bank(order.id, "forged")
    assert await read_order_status(shop, order.id) == ("pending", "authorized")

"""Payer, recipient and invoice party are three roles.

| billing address | document | bank and UBL invoice show | label shows |
|---|---|---|---|
| none | of a person | the recipient | the recipient |
| names another person | of a person | that person | the recipient |
| has no person (a country, a company) | of a person | the recipient | the recipient |
| names a company | NIT | the company | the recipient |
| names a person, no company | NIT | that person | the recipient |
| none, the recipient's address names a company | NIT | that company | the recipient |
| none, another name typed with the document | of a person, NIT | what was typed | the recipient |
| names another person than was typed | of a person | bank: what was typed; invoice: that person | the recipient |
| has a place of its own | any | bank: that place; without a municipality the recipient's | the recipient's |
"""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.models import Cart
from backend.checkout.carts.restoration import restore_cart
from backend.invoices.parties import build_customer_party
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.office.orders.detail import order_detail
from backend.orders.admin.export import COLUMNS, order_rows
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.shipping.addresses import build_recipient
from backend.staff.rights import COMMAND_LINE
from tests.backend.orders.paying import list_sessions, order_row, report_payment
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, PAYER, PSE, create_cart_with_shipping, post

CC = {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}
NIT = {"bank": "1022", "person_type": "1", "doc_type": "NIT", "doc_number": "900123456"}
LUCIA = {"first_name": "Lucía", "last_name": "Ñungo", "phone": "6012345678"}
IVAN = {"first_name": "Iván", "last_name": "Rey"}
OFFICE = {"address_1": "Calle 80 # 68-20", "city": "Cali", "province": "Valle del Cauca"}


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


async def start(store: httpx.AsyncClient, cart_id: str, payer: dict[str, Any]) -> dict[str, Any]:
    """Start a payment, and return the payment session of the API."""
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    answer = await post(store, path, {"provider_id": PSE, "data": payer})
    session: dict[str, Any] = answer["payment_collection"]["payment_sessions"][0]
    return session


async def read_bank_request(shop: Shop) -> dict[str, str]:
    """Return the decrypted fields of the newest request to the gateway."""
    newest = select(SandboxTransaction.fields).order_by(SandboxTransaction.ref_payco.desc()).limit(1)
    async with shop.database.read() as session:
        return dict((await session.execute(newest)).scalar_one())


async def buy(
    shop: Shop,
    store: httpx.AsyncClient,
    variant: str,
    payer: dict[str, Any],
    billing: dict[str, Any] | None,
    **recipient_more: str,
) -> tuple[dict[str, str], Order]:
    """Buy with these addresses, and return the request to the gateway and the order."""
    cart_id = await create_cart_with_shipping(store, variant)
    more: dict[str, Any] = {"shipping_address": {**HOME, **recipient_more}}
    if billing is not None:
        more["billing_address"] = billing
    await post(store, f"/store/carts/{cart_id}", more)
    await start(store, cart_id, payer)
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    return await read_bank_request(shop), await order_row(shop, order["id"])


@pytest.mark.parametrize(
    ("payer", "billing", "recipient_more", "names", "invoiced", "customer"),
    [
        (CC, None, {}, ("Ana", "Gómez"), "Ana Gómez", "Ana Gómez"),
        (CC, LUCIA, {}, ("Lucía", "Ñungo"), "Lucía Ñungo", "Lucía Ñungo"),
        (CC, {**LUCIA, "company": "La Peonza"}, {}, ("Lucía", "Ñungo"), "Lucía Ñungo", "Lucía Ñungo"),
        (CC, {"country_code": "co"}, {}, ("Ana", "Gómez"), "Ana Gómez", "Ana Gómez"),
        (CC, {"company": "La Peonza"}, {"company": "Otra"}, ("Ana", "Gómez"), "Ana Gómez", "Ana Gómez"),
        (NIT, {"company": "Peonza S.A.S."}, {}, ("Peonza S.A.S.",) * 2, "Peonza S.A.S.", "Ana Gómez"),
        (NIT, {**LUCIA, "company": "La Peonza"}, {}, ("La Peonza", "Ñungo"), "La Peonza", "Lucía Ñungo"),
        (NIT, LUCIA, {"company": "Otra"}, ("Lucía", "Ñungo"), "Lucía Ñungo", "Lucía Ñungo"),
        (NIT, None, {"company": "3M & Hijos"}, ("3M & Hijos", "Gómez"), "3M & Hijos", "Ana Gómez"),
        ({**CC, **IVAN}, None, {}, ("Iván", "Rey"), "Iván Rey", "Iván Rey"),
        ({**CC, **IVAN}, LUCIA, {}, ("Iván", "Rey"), "Lucía Ñungo", "Lucía Ñungo"),
        ({**NIT, **IVAN}, None, {"company": "Otra"}, ("Iván", "Rey"), "Iván Rey", "Ana Gómez"),
    ],
)
async def test_bank_and_invoice_have_the_payer_and_the_label_has_the_recipient(
    *,
    shop: Shop,
    store: httpx.AsyncClient,
    trompo: str,
    payer: dict[str, Any],
    billing: dict[str, Any] | None,
    recipient_more: dict[str, str],
    names: tuple[str, str],
    invoiced: str,
    customer: str,
) -> None:
    sent, order = await buy(shop, store, trompo, payer, billing, **recipient_more)
    assert (sent["nombres"], sent["apellidos"], sent["documento"]) == (*names, payer["doc_number"])
    document = f"{payer['doc_type']} {payer['doc_number']}"
    document += "" if invoiced == customer else f" · {invoiced}"
    party = build_customer_party(order)
    assert (party.name, party.document) == (invoiced, payer["doc_number"])
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, order.id, "Trompo")
    assert (detail.customer_name, detail.recipient, detail.document) == (customer, "Ana Gómez", document)
    label = build_recipient(order.shipping_address, order.email)
    assert (label.first_name, label.last_name, label.phone) == ("Ana", "Gómez", HOME["phone"])
    assert label.address == HOME["address_1"]


async def test_exported_order_has_the_names_of_recipient_and_invoice(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    _sent, order = await buy(shop, store, trompo, NIT, {"company": "La Peonza S.A.S."})
    async with shop.database.read() as session:
        (row,) = await order_rows(session, [order])
    cells = dict(zip(COLUMNS, row, strict=True))
    assert (cells["Nombre"], cells["Documento"], cells["A nombre de"]) == (
        "Ana Gómez", "NIT 900123456", "La Peonza S.A.S.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("billing", "place"),
    [
        ({**LUCIA, **OFFICE}, ("Calle 80 # 68-20", "Cali", "Valle del Cauca", "6012345678")),
        (
            {**OFFICE, "phone": "+57 310 555 0101"},
            ("Calle 80 # 68-20", "Cali", "Valle del Cauca", "3105550101"),
        ),
        ({**LUCIA, "city": "Cali"}, (HOME["address_1"], "Medellín", "Antioquia", "6012345678")),
        ({**OFFICE, "city": "Atlantis"}, (HOME["address_1"], "Medellín", "Antioquia", HOME["phone"])),
        ({**LUCIA, "phone": "12"}, (HOME["address_1"], "Medellín", "Antioquia", HOME["phone"])),
    ],
)
async def test_payers_address_is_taken_completely_from_one_address(
    shop: Shop, store: httpx.AsyncClient, trompo: str, billing: dict[str, Any], place: tuple[str, ...]
) -> None:
    sent, _order = await buy(shop, store, trompo, CC, billing)
    assert (sent["direccion"], sent["ciudad"], sent["depto"], sent["celular"]) == place


async def test_missing_last_name_of_the_payer_is_not_taken_from_the_recipient(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    """Check that the recipient's surname is not used for the payer."""
    cart_id = await create_cart_with_shipping(store, trompo)
    await post(store, f"/store/carts/{cart_id}", {"billing_address": {"first_name": "Lucía"}})
    asked = await start(store, cart_id, {})
    fields = {one["field"] for one in asked["data"]["missing"]}
    assert "last_name" in fields
    assert "first_name" not in fields
    await start(store, cart_id, {**CC, "last_name": "Ñungo"})
    sent = await read_bank_request(shop)
    assert (sent["nombres"], sent["apellidos"]) == ("Lucía", "Ñungo")


async def test_billing_address_of_the_cart_is_used_for_a_checkout_page_order(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    await post(store, f"/store/carts/{cart_id}", {"billing_address": {**LUCIA, **OFFICE}})
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=40_000, ip="190.24.1.1")
    sent, order = await read_bank_request(shop), await order_row(shop, placed.order_id)
    assert (sent["nombres"], sent["apellidos"], sent["ciudad"]) == ("Lucía", "Ñungo", "Cali")
    assert sent["email"] == CHECKOUT_INPUT["email"]
    assert build_customer_party(order).name == "Lucía Ñungo"
    assert build_recipient(order.shipping_address, order.email).first_name == "Ana"
    assert order.payer == {
        "person_type": "0",
        "doc_type": "CC",
        "doc_number": "1020304050",
        "email": CHECKOUT_INPUT["email"],
    }


async def test_restored_cart_has_the_same_payer(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    _sent, order = await buy(shop, store, trompo, PAYER, {**LUCIA, **OFFICE})
    (payment,) = await list_sessions(shop, order.id)
    await report_payment(shop, payment.id, ProviderState.REJECTED)
    cart_id = await restore_cart(shop.database, order.id, "")
    async with shop.database.read() as session:
        cart = (await session.execute(select(Cart).where(Cart.id == cart_id))).scalar_one()
    assert cart.billing_address is not None
    assert cart.billing_address["first_name"] == "Lucía"


async def test_payment_started_by_the_previous_release_is_invoiced_to_the_recipient(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    """Store the shipping address as the snapshot's billing address, as the previous release did."""
    cart_id = await create_cart_with_shipping(store, trompo)
    await start(store, cart_id, CC)
    async with shop.database.transaction() as session:
        payment = (await session.execute(select(PaymentSession))).scalar_one()
        snapshot = {**payment.snapshot, "billing_address": payment.snapshot["shipping_address"]}
        await session.execute(update(PaymentSession).values(snapshot=snapshot))
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert build_customer_party(await order_row(shop, order["id"])).name == "Ana Gómez"

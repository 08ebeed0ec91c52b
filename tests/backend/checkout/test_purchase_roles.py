"""Gift for another person, and purchase of a company, with the checkout's form.

| form | cart or draft before | bank's name, document | label | invoice |
|---|---|---|---|---|
| gift with a recipient | | the contact | the recipient | the contact, without a place |
| gift with a message only | | the contact | the contact | the contact |
| gift unticked again, fields still typed | | the contact | the contact | the contact |
| company | | company, NIT | the contact | company, NIT with digit, place |
| company and gift | | company, NIT | the recipient | company, without a place |
| recipient without phone, name as a link, foreign phone | | problem at the recipient's field | | |
| gift ticked by hand, nothing filled in | | problem | | |
| gift ticked by the wrapping, nothing filled in | | the contact | the contact | the contact |
| neither, after a failed attempt as a gift | billing address of the form | the contact | the contact | the contact |
| neither | billing address sent by an API client | that person | the contact | that person |
"""

from dataclasses import replace
from xml.etree import ElementTree

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.checkout_drafts import save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.checkout.carts.restoration import restore_cart
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData, TotalChanged
from backend.invoices.parties import build_customer_party
from backend.invoices.providers.ubl.codes import TESTS, Software
from backend.invoices.providers.ubl.xml import CAC, CBC, build_ubl_xml
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.office.orders.detail import order_detail
from backend.office.orders.packing import pack_view
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.privacy.customer_data import find_data_subject, read_held_data
from backend.privacy.erasure import erase_person
from backend.shipping.addresses import build_recipient
from backend.staff.rights import COMMAND_LINE
from tests.backend.invoices.sample import INVOICE
from tests.backend.orders.paying import list_sessions, order_row, report_payment
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product

PRICE = 43_700
RECIPIENT = {
    "recipient_first_name": "Rosa",
    "recipient_last_name": "Quiñónez",
    "recipient_phone": "0057 312 000 1122",
}
GIFT = {"gift_recipient": "on", **RECIPIENT, "gift_message": "Para Rosa, de Ana"}
COMPANY = {
    "person_type": "1",
    "doc_type": "NIT",
    "doc_number": "NIT 890.903.938-8",
    "company_name": "Jardín Los Trompos S.A.S.",
}
SELF = ("Ana", "Gómez", "3001234567")
ROSA = ("Rosa", "Quiñónez", "3120001122")


@pytest.fixture
async def cart_id(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5, price=PRICE)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant)
    await choose_pickup(shop, cart_id)
    return cart_id


async def buy(shop: Shop, cart_id: str, **typed: str) -> tuple[dict[str, str], Order, str]:
    """Place the order with these fields; return the bank's request, the order and the order's token."""
    placed = await shop.checkout.place_order(
        cart_id, {**CHECKOUT_INPUT, **typed}, expected_total=PRICE, ip="190.24.1.1"
    )
    newest = select(SandboxTransaction.fields).order_by(SandboxTransaction.ref_payco.desc()).limit(1)
    async with shop.database.read() as session:
        sent = dict((await session.execute(newest)).scalar_one())
    return sent, await order_row(shop, placed.order_id), placed.token


async def find_problems(shop: Shop, cart_id: str, **typed: str) -> dict[str, str]:
    with pytest.raises(InvalidData) as refused:
        await buy(shop, cart_id, **typed)
    return refused.value.fields


@pytest.mark.parametrize(
    ("typed", "names", "document", "label", "invoiced", "has_place"),
    [
        ({}, ("Ana", "Gómez"), "1020304050", SELF, "Ana Gómez", True),
        (GIFT, ("Ana", "Gómez"), "1020304050", ROSA, "Ana Gómez", False),
        ({**GIFT, "gift_recipient": "wrapped"}, ("Ana", "Gómez"), "1020304050", ROSA, "Ana Gómez", False),
        (
            {"gift_recipient": "on", "gift_message": "Para ti"},
            ("Ana", "Gómez"),
            "1020304050",
            SELF,
            "Ana Gómez",
            True,
        ),
        ({"gift_recipient": "wrapped"}, ("Ana", "Gómez"), "1020304050", SELF, "Ana Gómez", True),
        ({**GIFT, "gift_recipient": ""}, ("Ana", "Gómez"), "1020304050", SELF, "Ana Gómez", True),
        (
            COMPANY,
            ("Jardín Los Trompos S.A.S.", "Gómez"),
            "890903938",
            SELF,
            "Jardín Los Trompos S.A.S.",
            True,
        ),
        (
            {**COMPANY, **GIFT},
            ("Jardín Los Trompos S.A.S.", "Gómez"),
            "890903938",
            ROSA,
            "Jardín Los Trompos S.A.S.",
            False,
        ),
        (
            {"company_name": "Olvidada S.A.S."},  # typed before the checkbox was unticked
            ("Ana", "Gómez"),
            "1020304050",
            SELF,
            "Ana Gómez",
            True,
        ),
    ],
)
async def test_bank_and_invoice_have_the_payer_and_the_label_has_the_recipient(
    *,
    shop: Shop,
    cart_id: str,
    typed: dict[str, str],
    names: tuple[str, str],
    document: str,
    label: tuple[str, str, str],
    invoiced: str,
    has_place: bool,
) -> None:
    sent, order, _token = await buy(shop, cart_id, **typed)
    assert (sent["nombres"], sent["apellidos"], sent["documento"]) == (*names, document)
    assert (sent["celular"], sent["email"]) == ("3001234567", CHECKOUT_INPUT["email"])
    recipient = build_recipient(order.shipping_address, order.email)
    assert (recipient.first_name, recipient.last_name, recipient.phone) == label
    assert recipient.address == CHECKOUT_INPUT["address"]
    party = build_customer_party(order)
    assert (party.name, party.document, party.place is not None) == (invoiced, document, has_place)
    is_company = typed.get("person_type") == "1"
    assert (party.is_company, party.check_digit) == ((True, "8") if is_company else (False, ""))


async def test_office_and_order_page_distinguish_payer_and_recipient(
    shop: Shop, admin: httpx.AsyncClient, cart_id: str
) -> None:
    _sent, order, token = await buy(shop, cart_id, **GIFT, **COMPANY)
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, order.id, "Trompo")
        packed = (await pack_view(session, COMMAND_LINE, order.id)).order
        mail = await compose_message(session, shop.settings, Mail(kind=MailKind.ORDER_PLACED, about=order.id))
    page = await shop.placed_orders.get_order_page(order.id, token)
    assert (detail.customer_name, detail.phone) == ("Ana Gómez", "3001234567")
    assert detail.document == "NIT 890903938 · Jardín Los Trompos S.A.S."
    assert (detail.recipient, detail.recipient_phone) == ("Rosa Quiñónez", "3120001122")
    assert packed is not None
    assert packed.customer_name == "Rosa Quiñónez"
    assert (page.recipient, page.payer) == ("Rosa Quiñónez", "Jardín Los Trompos S.A.S.")
    assert mail is not None
    assert (mail.to, mail.values["is_gift"]) == (CHECKOUT_INPUT["email"], True)
    assert "Rosa" not in str(mail.values)
    slip = (await admin.get("/admin/packing-slips", params={"id": [order.id]})).text
    assert "Rosa Quiñónez" in slip
    assert "3120001122" in slip
    for private in ("$", "43.700", "Ana", "3001234567", "890903938", CHECKOUT_INPUT["email"]):
        assert private not in slip.replace("Para Rosa, de Ana", "")


async def test_order_whose_recipient_pays_shows_no_separate_payer(shop: Shop, cart_id: str) -> None:
    _sent, order, token = await buy(shop, cart_id)
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, order.id, "Trompo")
    page = await shop.placed_orders.get_order_page(order.id, token)
    assert (page.recipient, page.payer, detail.recipient_phone) == ("Ana Gómez", "", "")
    assert detail.document == "CC 1020304050"


@pytest.mark.parametrize(
    ("typed", "problems"),
    [
        (
            {"gift_recipient": "on"},
            {"recipient_first_name": "Escribe quién lo recibe o un mensaje, o quita la marca de regalo."},
        ),
        (
            {"gift_recipient": "on", "recipient_first_name": "Rosa"},
            {
                "recipient_last_name": "Escribe su apellido.",
                "recipient_phone": "Escribe su celular: ahí llama la transportadora.",
            },
        ),
        (
            {"gift_recipient": "wrapped", **RECIPIENT, "recipient_first_name": "visita evil.example"},
            {"recipient_first_name": "Usa solo letras."},
        ),
        (
            {"gift_recipient": "on", **RECIPIENT, "recipient_phone": "12345"},
            {"recipient_phone": "El celular debe tener 10 dígitos, como 300 123 4567."},
        ),
        ({**COMPANY, "company_name": " "}, {"company_name": "Escribe la razón social."}),
        ({**COMPANY, "company_name": "x" * 51}, {"company_name": "Usa máximo 50 caracteres."}),
        (
            {**COMPANY, "company_name": "www.estafa.example"},
            {"company_name": "Escribe el nombre de la empresa, sin enlaces."},
        ),
        (
            {**COMPANY, "doc_number": "890903938-7"},
            {"doc_number": "Revisa el NIT: su dígito de verificación no corresponde."},
        ),
    ],
)
async def test_wrong_recipient_or_company_is_reported_at_its_field(
    shop: Shop, cart_id: str, typed: dict[str, str], problems: dict[str, str]
) -> None:
    assert await find_problems(shop, cart_id, **typed) == problems
    async with shop.database.read() as session:
        assert not (await session.execute(select(Order))).all()


async def test_foreign_recipient_phone_is_refused_with_its_reason(shop: Shop, cart_id: str) -> None:
    problems = await find_problems(shop, cart_id, **{**GIFT, "recipient_phone": "+34 612 345 678"})
    assert set(problems) == {"recipient_phone"}
    assert problems["recipient_phone"].startswith("Ese número es de otro país.")


async def test_payer_of_an_abandoned_payment_attempt_is_not_used_for_the_next(
    shop: Shop, cart_id: str
) -> None:
    async with shop.database.transaction() as session:
        await save_draft(session, cart_id, {**GIFT, **COMPANY})
    typed = {**CHECKOUT_INPUT, **GIFT, **COMPANY}
    with pytest.raises(TotalChanged):
        await shop.checkout.place_order(cart_id, typed, expected_total=PRICE + 1, ip="190.24.1.1")
    async with shop.database.transaction() as session:
        cart = (await session.execute(select(Cart).where(Cart.id == cart_id))).scalar_one()
        assert (cart.billing_address or {})["company"] == "Jardín Los Trompos S.A.S."
        await save_draft(session, cart_id, {"gift_recipient": "", "person_type": "0", "doc_type": "CC"})
    sent, order, _token = await buy(shop, cart_id, **{**RECIPIENT, "gift_recipient": ""})
    assert (sent["nombres"], sent["documento"]) == ("Ana", "1020304050")
    assert build_recipient(order.shipping_address, "").first_name == "Ana"
    assert build_customer_party(order).name == "Ana Gómez"
    assert order.meta == {}


def build_invoice_xml(order: Order) -> str:
    """Return the XML of an invoice to the order's payer."""
    software = Software("id", "pin", "900373076", "4", TESTS)
    return build_ubl_xml(replace(INVOICE, buyer=build_customer_party(order)), "c" * 96, software).decode()


async def test_invoice_of_a_gift_names_the_payer_and_never_the_recipient(shop: Shop, cart_id: str) -> None:
    _sent, order, _token = await buy(shop, cart_id, **GIFT)
    xml = build_invoice_xml(order)
    buyer = ElementTree.fromstring(xml).find(f"{{{CAC}}}AccountingCustomerParty")
    assert buyer is not None
    found = {
        name: {one.text for one in buyer.iter(f"{{{CBC}}}{name}")}
        for name in ("RegistrationName", "CompanyID", "ElectronicMail")
    }
    assert found == {
        "RegistrationName": {"Ana Gómez"},
        "CompanyID": {"1020304050"},
        "ElectronicMail": {CHECKOUT_INPUT["email"]},
    }
    for private in ("Rosa", "Quiñónez", "3120001122", CHECKOUT_INPUT["address"], "Para Rosa"):
        assert private not in xml


async def test_invoice_of_a_company_has_its_name_nit_and_check_digit(shop: Shop, cart_id: str) -> None:
    _sent, order, _token = await buy(shop, cart_id, **COMPANY)
    xml = build_invoice_xml(order)
    party = ElementTree.fromstring(xml).find(f"{{{CAC}}}AccountingCustomerParty/{{{CAC}}}Party")
    assert party is not None
    for part in ("PartyTaxScheme", "PartyLegalEntity"):
        name = party.find(f"{{{CAC}}}{part}/{{{CBC}}}RegistrationName")
        number = party.find(f"{{{CAC}}}{part}/{{{CBC}}}CompanyID")
        assert name is not None
        assert number is not None
        assert (name.text, number.text) == ("Jardín Los Trompos S.A.S.", "890903938")
        assert (number.get("schemeID"), number.get("schemeName")) == ("8", "31")


async def test_recipient_and_gift_message_are_exported_and_deleted_with_personal_data(
    shop: Shop, cart_id: str
) -> None:
    """Check an order whose payment has failed, and an open cart with the same fields typed."""
    _sent, order, _token = await buy(shop, cart_id, **GIFT, **COMPANY)
    (payment,) = await list_sessions(shop, order.id)
    await report_payment(shop, payment.id, ProviderState.REJECTED)
    restored = await restore_cart(shop.database, order.id, "")
    async with shop.database.transaction() as session:
        await save_draft(session, restored, {**GIFT, **COMPANY})
        person = await find_data_subject(session, str(order.guest_id))
        held = str([one.rows for one in await read_held_data(session, person)])
    for datum in ("Rosa", "Quiñónez", "3120001122", "Para Rosa, de Ana", "Jardín Los Trompos S.A.S."):
        assert datum in held
    async with shop.database.transaction() as session:
        await erase_person(session, COMMAND_LINE, str(order.guest_id), CHECKOUT_INPUT["email"])
    async with shop.database.read() as session:
        rows = [
            dict(row)
            for model in (Order, Cart, PaymentSession)
            for row in (await session.execute(select(*table_of(model).columns))).mappings()
        ]
    for datum in ("Rosa", "Quiñónez", "3120001122", "312 000 1122", "Para Rosa", "Jardín"):
        assert datum not in str(rows)

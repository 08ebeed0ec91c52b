"""Privacy of the log: a purchase with known personal data while external services fail.

No log line may contain the data.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from email.message import EmailMessage
from io import StringIO
from typing import Any

import httpx
import pytest
from aiosmtplib import SMTPRecipientRefused, SMTPRecipientsRefused
from fastapi import FastAPI
from sqlalchemy import insert, select

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.channels.models import PublishableKey
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.errors import OutcomeUnknown, ShopError
from backend.core.observability.logs import JsonFormatter, LineFormatter, log_scope
from backend.customers.models import Customer
from backend.edge.middleware.instrumentation import REQUEST_ID, with_instrumentation
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.payment import sessions
from backend.payment.providers.pse.client import GatewayClient
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.responses import CarrierError
from tests.backend.conftest import SHOPPER
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

NAME, SURNAME, EMAIL, PHONE = "Zoraida", "Quimbaya", "zoraida.q@correo.example", "3109876543"
DOCUMENT, STREET, SUBURB = "79555123", "Transversal 91 # 63-07", "Cantalejo"
MESSAGE, COMPANY = "Para tu cumpleaños, tía Zoila", "Jardín Los Trompos S.A.S."
PERSONAL_DATA = (NAME, SURNAME, EMAIL, PHONE, DOCUMENT, STREET, SUBURB)
ADDRESS = {
    "first_name": NAME,
    "last_name": SURNAME,
    "address_1": STREET,
    "city": "Medellín",
    "province": "Antioquia",
    "country_code": "co",
    "phone": PHONE,
    "metadata": {"suburb": SUBURB},
}
PAYER = {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": DOCUMENT}


@pytest.fixture(params=[LineFormatter, JsonFormatter])
def log_text(request: pytest.FixtureRequest) -> Iterator[StringIO]:
    """Yield a buffer that receives the whole log with debug messages: once as lines, once as JSON."""
    text = StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(request.param())
    root, own = logging.getLogger(), logging.getLogger("backend")
    before = own.level
    root.addHandler(handler)
    own.setLevel(logging.DEBUG)
    yield text
    own.setLevel(before)
    root.removeHandler(handler)


@pytest.fixture
async def store(api: FastAPI, shop: Shop, shop_defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    """Return a storefront client whose requests get ids and metrics, as in a running shop."""
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport = httpx.ASGITransport(with_instrumentation(api, ""), client=SHOPPER, raise_app_exceptions=False)
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield client


class RefusingServer:
    """A mail server whose refusal contains the recipient."""

    async def send(self, mail: EmailMessage) -> None:
        raise SMTPRecipientsRefused([SMTPRecipientRefused(550, "nobody here", str(mail["to"]))])


async def start_payment(store: httpx.AsyncClient, variant: str) -> tuple[str, httpx.Response]:
    """Do the steps up to the payment. Return the cart and the answer to the start of the payment."""
    item = {"variant_id": variant, "quantity": 1}
    cart = (await post(store, "/store/carts", {"items": [item], "email": EMAIL}))["cart"]["id"]
    await post(store, f"/store/carts/{cart}", {"shipping_address": ADDRESS})
    options = (await get(store, "/store/shipping-options", cart_id=cart))["shipping_options"]
    chosen = next(option for option in options if option["price_type"] == "calculated")
    await post(store, f"/store/carts/{cart}/shipping-methods", {"option_id": chosen["id"]})
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart}))["payment_collection"]["id"]
    body = {"provider_id": "gateway_pse", "data": PAYER}
    return cart, await store.post(f"/store/payment-collections/{owed}/payment-sessions", json=body)


def read_log(log_text: StringIO) -> str:
    """Return the log, after checking that it contains no personal data."""
    text = log_text.getvalue()
    for known in PERSONAL_DATA:
        assert known.lower() not in text.lower(), (known, text)
    return text


async def test_carrier_that_echoes_its_request_reveals_nothing_in_the_log(
    shop: Shop,
    store: httpx.AsyncClient,
    shop_defaults: Defaults,
    log_text: StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def echo(_client: CarrierClient, quotation: Any) -> Any:
        raise CarrierError(f"cannot quote {quotation!r}", http_status=400)

    monkeypatch.setattr(CarrierClient, "request_quotation", echo)
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    cart, answer = await start_payment(store, variant)
    assert answer.status_code == 200, answer.text
    await post(store, f"/store/carts/{cart}/complete")
    assert "the carrier refuses a quotation" in read_log(log_text)


async def test_gateway_that_echoes_its_request_reveals_nothing_in_the_log(
    shop: Shop,
    store: httpx.AsyncClient,
    shop_defaults: Defaults,
    log_text: StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def echo(_client: GatewayClient, asked: Any) -> Any:
        monkeypatch.setattr(sessions, "lock_session", fail)  # so that the outcome cannot be stored
        logging.getLogger("backend.somewhere").error("the gateway was asked %r", asked)
        raise OutcomeUnknown(f"what is {asked!r}")

    async def fail(*_args: Any) -> Any:
        raise RuntimeError(f"of {NAME} {SURNAME}, {EMAIL}, {STREET}, {DOCUMENT}")

    monkeypatch.setattr(GatewayClient, "create_bank_payment", echo)
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    _cart, answer = await start_payment(store, variant)
    assert answer.status_code == 500
    text = read_log(log_text)
    assert "the gateway was asked" in text
    assert "RuntimeError" in text
    assert answer.headers[REQUEST_ID] in text


async def test_form_of_a_gift_and_of_a_company_reveals_nothing_in_the_log(
    shop: Shop, shop_defaults: Defaults, log_text: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Log all fields of the form, and let the gateway fail with an error that repeats its request."""

    async def echo(_client: GatewayClient, asked: Any) -> Any:
        logging.getLogger("backend.somewhere").error("the gateway was asked %r", asked)
        raise OutcomeUnknown(f"what is {asked!r}")

    monkeypatch.setattr(GatewayClient, "create_bank_payment", echo)
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", price=40_000)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant)
    await choose_pickup(shop, cart_id)
    typed = {**CHECKOUT_INPUT, "email": EMAIL, "address": STREET, "suburb": SUBURB, "gift_recipient": "on",
             "recipient_first_name": NAME, "recipient_last_name": SURNAME, "recipient_phone": PHONE,
             "gift_message": MESSAGE, "person_type": "1", "doc_type": "NIT", "doc_number": "890903938-8",
             "company_name": COMPANY}  # fmt: skip
    with log_scope(request_id="r1"):
        with suppress(ShopError):
            await shop.checkout.place_order(cart_id, typed, expected_total=40_000, ip="190.24.1.1")
        logging.getLogger("backend.somewhere").error("%r was typed", typed)
    text = read_log(log_text)
    assert "the gateway was asked" in text
    assert "was typed" in text
    assert not [known for known in (MESSAGE, COMPANY) if known in text]


async def test_mail_server_that_names_the_recipient_reveals_nothing_in_the_log(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, log_text: StringIO
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    cart, _answer = await start_payment(store, variant)
    await post(store, f"/store/carts/{cart}/complete")
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, RefusingServer())])
    assert await worker.run_due("mail.send") == 1
    assert "SMTPRecipientsRefused" in read_log(log_text)


async def test_failing_statement_reveals_nothing_in_the_log(database: Database, log_text: StringIO) -> None:
    row = {"id": "cus_1", "email": EMAIL, "first_name": NAME, "last_name": SURNAME, "has_account": True}
    with log_scope(request_id="r1"):
        try:
            async with database.transaction() as session:
                await session.execute(insert(table_of(Customer)), row)
                await session.execute(insert(table_of(Customer)), row)
        except Exception:
            logging.getLogger("backend.somewhere").exception("failed")
    assert "IntegrityError" in read_log(log_text)


async def test_request_id_is_accepted_from_trusted_proxies_only(api: FastAPI) -> None:
    async def answered(trusted: str, *given: str) -> str:
        transport = httpx.ASGITransport(with_instrumentation(api, trusted), client=("10.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.test") as client:
            answer = await client.get("/livez", headers=[(REQUEST_ID, one) for one in given])
        (one,) = answer.headers.get_list(REQUEST_ID)
        return one

    assert await answered("10.0.0.0/8", "abcdef12-3456") == "abcdef12-3456"
    made = {
        await answered("", "abcdef12-3456"),
        await answered("10.0.0.0/8", "abcdef12", "abcdef13"),
        await answered("10.0.0.0/8", "a b c d e f g"),
        await answered("10.0.0.0/8", "a" * 65),
        await answered("10.0.0.0/8"),
    }
    assert len(made) == 5
    assert all(len(one) == 16 and one.isalnum() for one in made)


async def test_successful_purchase_reveals_nothing_in_the_log(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, log_text: StringIO
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    await complete_purchase(store, variant)
    cart, answer = await start_payment(store, variant)
    assert answer.status_code == 200, answer.text
    await post(store, f"/store/carts/{cart}/complete")
    await shop.worker.run_due("mail.send", "payment.check")
    read_log(log_text)

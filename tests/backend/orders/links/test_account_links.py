"""Accounts opened after a purchase: by a mailed link only, once, with consents, and with the orders of the address.

| fault | outcome |
|---|---|
| the link is forged, altered, used, or older than a day | it opens nothing |
| staff have corrected the order's e-mail address since | it opens nothing |
| the data of the order were deleted since | it opens nothing |
| the e-mail address has got an account since | it opens nothing, and the page says so |
| the password is too short, or a box is not ticked | the link stays valid |
"""

import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import NotFound, TooManyRequests
from backend.customers.auth.sessions import COOKIE, find_session_customer
from backend.customers.models import Customer
from backend.jobs import Worker
from backend.legal.consents import ConsentContext, ConsentSource, consents_of_customer
from backend.mail.models import Mail
from backend.orders.links import account_links
from backend.orders.links.account_links import (
    ACCOUNT_LINKS,
    LIFETIME,
    AccountExists,
    InvalidAccountLink,
    create_account_token,
    open_account,
    request_account_link,
)
from backend.orders.models import Order
from backend.rate_limit.limiter import Client
from backend.storefront_views.account_page import list_customer_orders
from tests.backend.mail.conftest import Inbox, inbox, text_of, worker
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, complete_purchase

OWN_PAGE = {"origin": "http://shop.test"}
CLIENT = Client("190.24.1.9")
TYPED = {"password": "trompos y yoyos", "consent_data": "on", "consent_terms": "on"}
__all__ = ["inbox", "worker"]


@pytest.fixture
async def orders(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> list[dict[str, Any]]:
    """Return two orders of Ana, who has no account, without pending mails."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    placed = [await complete_purchase(store, trompo, 1, provider=MANUAL) for _ in range(2)]
    async with shop.database.transaction() as session:
        await session.execute(update(Mail).values(sent_at=Mail.created_at))
    return placed


@pytest.fixture
def consenting(shop: Shop) -> ConsentContext:
    return ConsentContext(shop.settings, "102.3.4.5", ConsentSource.ORDER)


async def request(shop: Shop, order: dict[str, Any], *, client: Client = CLIENT) -> None:
    key = shop.settings.signing_key
    await request_account_link(shop.database, key, order["id"], order["access_token"], client=client)


async def create_token(shop: Shop, order: dict[str, Any]) -> str:
    async with shop.database.read() as session:
        row = (await session.execute(select(Order).where(Order.id == order["id"]))).scalar_one()
        return create_account_token(shop.settings.signing_key, row)


async def list_orders(shop: Shop, customer_id: str) -> list[str]:
    async with shop.database.read() as session:
        shown = await list_customer_orders(session, shop.settings.signing_key, customer_id)
    return [order.id for order in shown]


async def add_customer(shop: Shop, email: str = "ana@example.com") -> str:
    async with shop.database.transaction() as session:
        session.add(customer := Customer(email=email))
        await session.flush()
        return customer.id


async def count_customers(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Customer))).scalar_one()


async def test_mailed_link_creates_an_account_with_all_orders_of_the_email(
    shop: Shop,
    anyone: httpx.AsyncClient,
    orders: list[dict[str, Any]],
    worker: Worker,
    inbox: Inbox,
) -> None:
    await request(shop, orders[0])
    assert await count_customers(shop) == 0  # until the link is opened
    await worker.run_due()
    (mail,) = inbox.mails
    assert mail["To"] == "ana@example.com"
    assert mail["Subject"] == f"Una cuenta para tu pedido {orders[0]['display_id']}"
    link = re.search(r"(\S+)#token=(\S+)", text_of(mail))
    assert link is not None
    assert link[1] == f"{shop.settings.base_url}/account/open"
    sent = {**TYPED, "token": link[2]}
    answer = await anyone.post("/auth/account/open", json=sent, headers=OWN_PAGE)
    assert answer.status_code == 200, answer.text
    async with shop.database.read() as session:
        customer = await find_session_customer(session, anyone.cookies[COOKIE])
        assert customer is not None
        assert (customer.email, customer.first_name, customer.last_name) == (
            "ana@example.com",
            "Ana",
            "Gómez",
        )
        given = await consents_of_customer(session, customer.id)
    assert {(one.kind, one.source) for one in given} >= {("data", "order"), ("terms", "order")}
    assert all(one.text for one in given if one.source == "order")
    assert set(await list_orders(shop, customer.id)) == {order["id"] for order in orders}
    login = {"email": "ana@example.com", "password": TYPED["password"]}
    assert (await anyone.post("/auth/account/login", json=login, headers=OWN_PAGE)).status_code == 200
    again = await anyone.post("/auth/account/open", json=sent, headers=OWN_PAGE)
    assert (again.status_code, again.json()["message"]) == (400, InvalidAccountLink.shopper_text)


async def test_new_account_does_not_get_orders_of_other_emails_or_accounts(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext
) -> None:
    luis = await add_customer(shop, "luis@example.com")
    first, second = orders
    async with shop.database.transaction() as session:
        is_second = Order.id == second["id"]
        await session.execute(update(Order).where(is_second).values(email="luis@example.com"))
    ana = await open_account(shop.database, await create_token(shop, first), TYPED, consenting=consenting)
    assert await list_orders(shop, ana) == [first["id"]]
    assert await list_orders(shop, luis) == []


async def test_email_that_already_has_an_account_gets_a_mail_with_the_sign_in_link(
    shop: Shop, orders: list[dict[str, Any]], worker: Worker, inbox: Inbox
) -> None:
    ana = await add_customer(shop)
    await request(shop, orders[0])
    await worker.run_due()
    (mail,) = inbox.mails
    assert f"{shop.settings.base_url}/account/login" in text_of(mail)
    assert "Ya tienes una con este correo" in text_of(mail)
    assert "token" not in text_of(mail)
    assert await list_orders(shop, ana) == []


async def test_account_link_is_mailed_only_for_a_guest_order_with_its_own_token(
    shop: Shop, orders: list[dict[str, Any]], worker: Worker, inbox: Inbox
) -> None:
    first, second = orders
    for wrong in ({**first, "access_token": second["access_token"]}, {**first, "id": "order_nobody"}):
        with pytest.raises(NotFound):
            await request(shop, wrong)
    ana = await add_customer(shop)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(customer_id=ana))
    with pytest.raises(NotFound):
        await request(shop, first)
    await worker.run_due()
    assert inbox.mails == []


async def test_requests_of_a_stranger_do_not_lock_out_the_owner_of_the_order(
    shop: Shop, orders: list[dict[str, Any]]
) -> None:
    for _ in range(ACCOUNT_LINKS.per_pair):
        await request(shop, orders[0])
    with pytest.raises(TooManyRequests):
        await request(shop, orders[0])
    for stranger in range(10):  # no stranger learns that their requests together are limited
        await request(shop, orders[0], client=Client(f"190.24.2.{stranger}"))


async def test_account_link_stays_valid_after_an_invalid_form(
    shop: Shop, anyone: httpx.AsyncClient, orders: list[dict[str, Any]]
) -> None:
    sent = {"password": "corta", "token": await create_token(shop, orders[0])}
    answer = await anyone.post("/auth/account/open", json=sent, headers=OWN_PAGE)
    assert set(answer.json()["fields"]) == {"password", "consent_data", "consent_terms"}
    answer = await anyone.post("/auth/account/open", json={**sent, **TYPED}, headers=OWN_PAGE)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda token: "",
        lambda token: "x",
        lambda token: token + "x",
        lambda token: token[:-1],
        lambda token: re.sub(r"\.\d+\.", lambda found: f".{int(found[0][1:-1]) + 1}.", token),
        lambda token: re.sub(r"\.\d+\.", ".x.", token),
        lambda token: token.replace("order_", "order_0", 1),
    ],
    ids=["empty", "no token", "longer", "shorter", "later", "no time", "another order"],
)
async def test_altered_account_link_is_refused(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext, change: Any
) -> None:
    token = change(await create_token(shop, orders[0]))
    with pytest.raises(InvalidAccountLink):
        await open_account(shop.database, token, TYPED, consenting=consenting)
    assert await count_customers(shop) == 0


async def test_account_link_expires(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await create_token(shop, orders[0])
    moment = now() + LIFETIME
    monkeypatch.setattr(account_links, "now", lambda: moment + timedelta(seconds=1))
    with pytest.raises(InvalidAccountLink):
        await open_account(shop.database, token, TYPED, consenting=consenting)
    monkeypatch.setattr(account_links, "now", lambda: moment - timedelta(minutes=1))
    await open_account(shop.database, token, TYPED, consenting=consenting)


@pytest.mark.parametrize(
    "values",
    [{"email": "luis@example.com"}, {"email": ""}, {"erased_at": now()}],
    ids=["another address", "no address", "deleted data"],
)
async def test_account_link_is_refused_if_the_email_of_its_order_has_changed(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext, values: dict[str, Any]
) -> None:
    token = await create_token(shop, orders[0])
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(**values))
    with pytest.raises(InvalidAccountLink):
        await open_account(shop.database, token, TYPED, consenting=consenting)
    assert await count_customers(shop) == 0


async def test_account_link_is_refused_if_the_email_of_its_order_changes_concurrently(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext
) -> None:
    token = await create_token(shop, orders[0])

    async def correct_address(session: AsyncSession) -> None:
        await session.execute(update(Order).values(email="luis@example.com"))

    with pytest.raises(InvalidAccountLink):
        await run_against_rival(
            shop.database,
            correct_address,
            lambda: open_account(shop.database, token, TYPED, consenting=consenting),
        )
    assert await count_customers(shop) == 0


async def test_link_does_not_change_an_account_created_after_its_mail(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext
) -> None:
    token = await create_token(shop, orders[0])
    ana = await add_customer(shop)
    with pytest.raises(AccountExists):
        await open_account(shop.database, token, TYPED, consenting=consenting)
    assert await list_orders(shop, ana) == []


async def test_link_does_not_change_an_account_created_concurrently(
    shop: Shop, orders: list[dict[str, Any]], consenting: ConsentContext
) -> None:
    token = await create_token(shop, orders[0])

    async def register(session: AsyncSession) -> None:
        session.add(Customer(email="ana@example.com"))

    with pytest.raises(AccountExists):
        await run_against_rival(
            shop.database,
            register,
            lambda: open_account(shop.database, token, TYPED, consenting=consenting),
        )
    assert await count_customers(shop) == 1


async def test_page_of_another_site_cannot_open_an_account(
    shop: Shop, anyone: httpx.AsyncClient, orders: list[dict[str, Any]]
) -> None:
    sent = {**TYPED, "token": await create_token(shop, orders[0])}
    elsewhere = {"origin": "https://elsewhere.example"}
    answer = await anyone.post("/auth/account/open", json=sent, headers=elsewhere)
    assert answer.status_code == 403
    assert await count_customers(shop) == 0

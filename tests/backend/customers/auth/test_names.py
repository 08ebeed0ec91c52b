"""Names of people and companies: one rule for all routes of API and pages; old stored names are cleaned for display."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.customers.addresses import add_address
from backend.customers.auth.accounts import shopper_view
from backend.customers.auth.google import GooglePerson
from backend.customers.auth.google_accounts import find_or_create_account
from backend.customers.models import Customer
from backend.storefront_views import account_page
from tests.backend.customers.conftest import ANA, NewBrowser
from tests.backend.customers.test_store_customers import HOME, bearer_header, sign_up
from tests.store_steps import post

RELAY = "Ganaste!\r\n\r\nReclama en https://evil.example/premio " * 4
NAMES = ["María José", "O'Connor", "Núñez-Ñañez", "Å", "李", "محمد", "de la Cruz"]
NO_NAMES = [
    RELAY,
    "https://evil.example",
    "evil.example",
    "ana@evil.example",
    "<b>Ana</b>",
    "Ana 2",
    "x" * 51,
]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def send_to_all_routes(
    store: httpx.AsyncClient, browser: httpx.AsyncClient, name: str
) -> list[tuple[str, int, Any]]:
    """Send this name to every route that accepts one; return path, status and stored name of each."""
    customer = browser.headers.get("x-customer", "")
    headers, email = {"authorization": customer}, {"email": "nobody-yet@example.com"}
    cart = (await post(store, "/store/carts"))["cart"]
    answers: list[tuple[str, int, Any]] = []

    async def send(path: str, body: dict[str, Any], *keys: str | int) -> None:
        answer = await store.post(path, json=body, headers=headers)
        kept: Any = answer.json()
        for key in keys if answer.status_code == 200 else ():
            kept = kept[key]
        answers.append((path, answer.status_code, kept))

    person = {"first_name": name, "last_name": name}
    for part in ("shipping_address", "billing_address"):
        await send(f"/store/carts/{cart['id']}", {part: person}, "cart", part, "last_name")
        await send("/store/carts", {part: person}, "cart", part, "first_name")
    me = "/store/customers/me"
    await send(me, person, "customer", "last_name")
    await send(f"{me}/addresses", {**HOME, **person}, "customer", "addresses", -1, "first_name")
    answer = await browser.post("/auth/account/register", json={**ANA, **email, **person})
    answers.append(("/auth/account/register", answer.status_code, name if answer.is_success else ""))
    return answers


@pytest.fixture
async def known(store: httpx.AsyncClient, new_browser: NewBrowser) -> httpx.AsyncClient:
    """Return a browser whose header `x-customer` has the bearer token of a customer."""
    _, token = await sign_up(store)
    browser = new_browser("190.24.1.5")
    browser.headers["x-customer"] = bearer_header(token)["authorization"]
    return browser


@pytest.mark.parametrize("name", NAMES)
async def test_valid_name_is_accepted_by_every_route(
    store: httpx.AsyncClient, known: httpx.AsyncClient, name: str
) -> None:
    assert {(status, kept) for _path, status, kept in await send_to_all_routes(store, known, name)} == {
        (200, name)
    }


@pytest.mark.parametrize("name", NO_NAMES, ids=lambda name: name[:20].split()[0])
async def test_invalid_name_is_refused_by_every_route(
    store: httpx.AsyncClient, known: httpx.AsyncClient, name: str
) -> None:
    answers = await send_to_all_routes(store, known, name)
    assert {status for _path, status, _answer in answers} == {400}, answers
    in_english = [answer["message"] for path, _status, answer in answers if path.startswith("/store")]
    assert all("name has at most" in message for message in in_english)
    assert not any("evil" in message for message in in_english)


async def test_names_of_a_new_customer_are_checked_and_cleaned(store: httpx.AsyncClient) -> None:
    register = "/auth/customer/emailpass/register"
    login = {"email": "ana@example.com", "password": "una clave larga"}
    token = (await store.post(register, json=login)).json()["token"]
    for values in ({"first_name": RELAY}, {"last_name": RELAY}, {"company_name": "visita www.evil.example"}):
        body = {"email": login["email"], **values}
        answer = await store.post("/store/customers", json=body, headers=bearer_header(token))
        assert answer.status_code == 400
    body = {
        "email": login["email"],
        "first_name": " Ana\nMaría ",
        "last_name": "",
        "company_name": "3M & Cía.",
    }
    made = await store.post("/store/customers", json=body, headers=bearer_header(token))
    customer = made.json()["customer"]
    assert (customer["first_name"], customer["last_name"], customer["company_name"]) == (
        "Ana María",
        None,
        "3M & Cía.",
    )


@pytest.mark.parametrize(
    ("company", "is_one"),
    [("D1 S.A.S.", True), ("3M & Hijos S.A.S.", True), ("http://evil.example", False), ("ana@evil", False)],
)
async def test_invalid_company_name_in_an_address_is_refused(
    store: httpx.AsyncClient, company: str, is_one: bool
) -> None:
    answer = await store.post("/store/carts", json={"shipping_address": {"company": company}})
    assert answer.status_code == (200 if is_one else 400)


async def test_invalid_or_long_name_from_google_is_cleaned_and_shortened(shop: Shop) -> None:
    person = GooglePerson("77", "ana@example.com", True, "Ana 🎉 evil.example\n2", "x" * 300)
    assert await find_or_create_account(shop.database, person, by_program=True) is not None
    async with shop.database.read() as session:
        ana = (await session.execute(select(Customer))).scalar_one()
    assert (ana.first_name, ana.last_name) == ("Ana evil. example", "x" * 50)


async def test_old_invalid_names_are_cleaned_for_display(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        old = Customer(email="ana@example.com", first_name=RELAY, last_name="\u202e<b>", phone="300")
        session.add(old)
        await session.flush()
        await add_address(session, old.id, {"first_name": RELAY, "last_name": None})
    async with shop.database.read() as session:
        (entry,) = await account_page.list_address_views(session, old.id)
    shown = shopper_view(old)
    for name in (shown.first_name, entry.first_name):
        assert name.startswith("Ganaste Reclama en https evil. example")
        assert len(name) <= 50
    assert (shown.last_name, entry.last_name) == ("b", "")

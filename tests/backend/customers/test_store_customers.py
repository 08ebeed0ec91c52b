"""The platform's customer routes (wire: commerce-api, Customers and auth)."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.channels.models import PublishableKey
from backend.core.db.database import db_now
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, issue_token
from backend.orders.models import Order
from backend.orders.service import JUST_PLACED
from tests.backend.customers.conftest import ANA
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought, pay, shipped_cart

LOGIN = {"email": "ana@example.com", "password": "Clave-123456"}
HOME = {"first_name": "Ana", "address_1": "Calle 10 # 5-51", "city": "Bogotá", "country_code": "co"}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def token_of(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    token: str = answer.json()["token"]
    return token


async def signed_up(store: httpx.AsyncClient, email: str = LOGIN["email"]) -> tuple[str, str]:
    """A new customer: their id and a token."""
    login = {**LOGIN, "email": email}
    token = await token_of(await store.post("/auth/customer/emailpass/register", json=login))
    made = await store.post(
        "/store/customers", json={"email": email, "first_name": "Ana"}, headers=bearer(token)
    )
    assert made.status_code == 200, made.text
    return made.json()["customer"]["id"], await token_of(
        await store.post("/auth/customer/emailpass", json=login)
    )


async def test_from_a_login_to_a_customer(store: httpx.AsyncClient) -> None:
    register = "/auth/customer/emailpass/register"
    first = await token_of(await store.post(register, json=LOGIN))
    again = await token_of(await store.post(register, json=LOGIN))
    person = {"email": LOGIN["email"], "first_name": "Ana", "last_name": "Díaz", "phone": "300"}
    assert (await store.get("/store/customers/me", headers=bearer(again))).status_code == 401
    assert (await store.post("/store/customers", json=person)).status_code == 401
    assert (
        await store.post("/store/customers", json=person, headers=bearer(first))
    ).status_code == 401  # replaced
    made = await store.post("/store/customers", json=person, headers=bearer(again))
    customer = made.json()["customer"]
    shown = {
        name: customer[name] for name in (*person, "company_name", "metadata", "has_account", "addresses")
    }
    assert shown == {**person, "company_name": None, "metadata": None, "has_account": True, "addresses": []}
    refused = await store.post("/store/customers", json={"email": LOGIN["email"]}, headers=bearer(again))
    assert (refused.status_code, refused.json()) == (
        422,
        {
            "code": "invalid_request_error",
            "type": "duplicate_error",
            "message": "Customer with this email already has an account",
        },
    )
    taken = await store.post(register, json=LOGIN)
    assert (taken.status_code, taken.json()) == (
        401,
        {"type": "unauthorized", "message": "Identity with email already exists"},
    )


async def test_a_login_makes_no_customer_of_another_address(store: httpx.AsyncClient) -> None:
    token = await token_of(await store.post("/auth/customer/emailpass/register", json=LOGIN))
    answer = await store.post("/store/customers", json={"email": "victim@example.com"}, headers=bearer(token))
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({**LOGIN, "password": "nope"}, "Invalid email or password"),
        ({**LOGIN, "email": "no@example.com"}, "Invalid email or password"),
        ({"email": LOGIN["email"]}, "Password should be a string"),
    ],
)
async def test_who_is_not_let_in(store: httpx.AsyncClient, typed: dict[str, Any], message: str) -> None:
    await signed_up(store)
    answer = await store.post("/auth/customer/emailpass", json=typed)
    assert (answer.status_code, answer.json()) == (401, {"type": "unauthorized", "message": message})


async def test_an_account_of_the_pages_signs_in_here(
    store: httpx.AsyncClient, ana: httpx.AsyncClient
) -> None:
    login = {"email": ANA["email"], "password": ANA["password"]}
    token = await token_of(await store.post("/auth/customer/emailpass", json=login))
    me = (await store.get("/store/customers/me", headers=bearer(token))).json()["customer"]
    assert (me["email"], me["last_name"]) == (ANA["email"], ANA["last_name"])
    fresh = await token_of(await store.post("/auth/token/refresh", headers=bearer(token)))
    assert (await store.get("/store/customers/me", headers=bearer(fresh))).status_code == 200
    assert (await ana.post("/auth/account/logout-everywhere")).status_code == 200
    for old in (token, fresh):
        assert (await store.get("/store/customers/me", headers=bearer(old))).status_code == 401
        assert (await store.get("/store/orders", headers=bearer(old))).status_code == 401
        assert (await store.post("/auth/token/refresh", headers=bearer(old))).status_code == 401


async def test_profile_and_address_book(store: httpx.AsyncClient) -> None:
    _, token = await signed_up(store)
    changed = await store.post("/store/customers/me", json={"phone": "+573000000000"}, headers=bearer(token))
    assert changed.json()["customer"]["phone"] == "+573000000000"
    assert changed.json()["customer"]["first_name"] == "Ana"
    book = "/store/customers/me/addresses"
    added = await store.post(book, json={**HOME, "address_name": "Casa"}, headers=bearer(token))
    (entry,) = added.json()["customer"]["addresses"]
    assert (entry["address_name"], entry["address_1"], entry["is_default_shipping"]) == (
        "Casa",
        HOME["address_1"],
        True,
    )
    path = f"{book}/{entry['id']}"
    await store.post(path, json={"city": "Cali"}, headers=bearer(token))
    listed = (await store.get(book, headers=bearer(token))).json()
    assert (listed["count"], listed["offset"]) == (1, 0)
    assert (listed["addresses"][0]["city"], listed["addresses"][0]["address_name"]) == ("Cali", "Casa")
    gone = (await store.delete(path, headers=bearer(token))).json()
    assert (gone["deleted"], gone["object"], gone["parent"]["addresses"]) == (True, "address", [])


async def test_anothers_address_is_not_there(store: httpx.AsyncClient) -> None:
    _, ana = await signed_up(store)
    _, mallory = await signed_up(store, "mallory@example.com")
    book = "/store/customers/me/addresses"
    added = await store.post(book, json=HOME, headers=bearer(ana))
    path = f"{book}/{added.json()['customer']['addresses'][0]['id']}"
    refused = [
        await store.get(path, headers=bearer(mallory)),
        await store.post(path, json={"city": "Cali"}, headers=bearer(mallory)),
        await store.delete(path, headers=bearer(mallory)),
        await store.get(path),
    ]
    assert [answer.status_code for answer in refused] == [404, 404, 404, 401]
    kept = (await store.get(path, headers=bearer(ana))).json()["address"]
    assert kept["city"] == HOME["city"]
    assert (await store.get(book, headers=bearer(mallory))).json()["addresses"] == []


async def test_orders_are_their_customers_alone(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    """A customer's order by its id.

    | who asks | in the first hour | later |
    |---|---|---|
    | its customer | everything | everything |
    | another customer, or a guest | how it stands | how it stands |
    | whoever holds its token | everything | everything |
    """
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo")
    _, ana = await signed_up(store)
    _, mallory = await signed_up(store, "mallory@example.com")
    cart_id = await shipped_cart(store, toy)
    await store.post(f"/store/carts/{cart_id}/customer", json={}, headers=bearer(ana))
    store.headers.update(bearer(ana))
    await pay(store, cart_id)
    order = (await store.post(f"/store/carts/{cart_id}/complete")).json()["order"]
    del store.headers["authorization"]
    await bought(store, toy)  # a guest with Ana's address
    mine = (await store.get("/store/orders", headers=bearer(ana))).json()
    assert [one["id"] for one in mine["orders"]] == [order["id"]]
    assert (await store.get("/store/orders", headers=bearer(mallory))).json()["orders"] == []
    assert (await store.get("/store/orders")).status_code == 401
    for stranger in (bearer(mallory), {}):
        seen = (await store.get(f"/store/orders/{order['id']}", headers=stranger)).json()["order"]
        assert seen["display_id"] == order["display_id"]
        assert not seen.keys() & {"email", "items", "shipping_address", "billing_address", "customer_id"}
    link = {"x-order-token": order["access_token"]}
    linked = (await store.get(f"/store/orders/{order['id']}", headers=link)).json()["order"]
    assert linked["email"] == order["email"]
    async with shop.database.transaction() as session:  # the hour in which its id opens it is over
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    own = (await store.get(f"/store/orders/{order['id']}", headers=bearer(ana))).json()["order"]
    assert own["items"][0]["variant_id"] == toy
    seen = (await store.get(f"/store/orders/{order['id']}", headers=bearer(mallory))).json()["order"]
    assert "email" not in seen
    assert "items" not in seen


@pytest.mark.parametrize("kind", ["none", "forged", "tampered", "of staff", "of nobody", "other key"])
async def test_a_token_that_is_no_good(store: httpx.AsyncClient, shop: Shop, kind: str) -> None:
    customer_id, token = await signed_up(store)
    key = shop.settings.signing_key
    tampered = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")
    headers = {
        "none": {},
        "forged": bearer("e30.e30.e30"),
        "tampered": bearer(tampered),
        "of staff": bearer(issue_token(key, TokenOwner(customer_id, USER))),
        "of nobody": bearer(issue_token(key, TokenOwner("cus_nobody", CUSTOMER))),
        "other key": bearer(issue_token("another key", TokenOwner(customer_id, CUSTOMER))),
    }[kind]
    for path in ("/store/customers/me", "/store/customers/me/addresses", "/store/orders"):
        answer = await store.get(path, headers=headers)
        assert (answer.status_code, answer.json()) == (401, {"message": "Unauthorized"})


async def test_nobody_names_an_owner(store: httpx.AsyncClient, shop: Shop) -> None:
    _, token = await signed_up(store)
    for path, body in (
        ("/store/customers/me", {"id": "cus_other"}),
        ("/store/customers/me", {"email": "other@example.com"}),
        ("/store/customers/me/addresses", {**HOME, "customer_id": "cus_other"}),
    ):
        assert (await store.post(path, json=body, headers=bearer(token))).status_code == 400
    async with shop.database.read() as session:
        assert (await session.execute(select(Customer.email))).scalars().all() == [LOGIN["email"]]


async def test_a_reset_is_asked_for_without_telling_who_exists(store: httpx.AsyncClient) -> None:
    await signed_up(store)
    path = "/auth/customer/emailpass/reset-password"
    for email in (LOGIN["email"], "no@example.com"):
        answer = await store.post(path, json={"identifier": email})
        assert (answer.status_code, answer.text) == (201, "Created")


async def test_a_key_is_needed(anyone: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop) -> None:
    _, token = await signed_up(store)
    async with shop.database.read() as session:
        assert (await session.execute(select(PublishableKey.token))).first() is not None
    assert (await anyone.get("/store/customers/me", headers=bearer(token))).status_code == 400

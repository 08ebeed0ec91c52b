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
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, create_cart_with_shipping, create_payment_collection

LOGIN = {"email": "ana@example.com", "password": "Clave-123456"}
HOME = {"first_name": "Ana", "address_1": "Calle 10 # 5-51", "city": "Bogotá", "country_code": "co"}


def bearer_header(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def sign_in_token(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    token: str = answer.json()["token"]
    return token


async def sign_up(store: httpx.AsyncClient, email: str = LOGIN["email"]) -> tuple[str, str]:
    """Create a customer and return the id and a token."""
    login = {**LOGIN, "email": email}
    token = await sign_in_token(await store.post("/auth/customer/emailpass/register", json=login))
    made = await store.post(
        "/store/customers", json={"email": email, "first_name": "Ana"}, headers=bearer_header(token)
    )
    assert made.status_code == 200, made.text
    return made.json()["customer"]["id"], await sign_in_token(
        await store.post("/auth/customer/emailpass", json=login)
    )


async def test_registered_login_can_create_its_customer(store: httpx.AsyncClient) -> None:
    register = "/auth/customer/emailpass/register"
    first = await sign_in_token(await store.post(register, json=LOGIN))
    again = await sign_in_token(await store.post(register, json=LOGIN))
    person = {"email": LOGIN["email"], "first_name": "Ana", "last_name": "Díaz", "phone": "300"}
    assert (await store.get("/store/customers/me", headers=bearer_header(again))).status_code == 401
    assert (await store.post("/store/customers", json=person)).status_code == 401
    assert (
        await store.post("/store/customers", json=person, headers=bearer_header(first))
    ).status_code == 401  # replaced
    made = await store.post("/store/customers", json=person, headers=bearer_header(again))
    customer = made.json()["customer"]
    shown = {
        name: customer[name] for name in (*person, "company_name", "metadata", "has_account", "addresses")
    }
    assert shown == {**person, "company_name": None, "metadata": None, "has_account": True, "addresses": []}
    refused = await store.post(
        "/store/customers", json={"email": LOGIN["email"]}, headers=bearer_header(again)
    )
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


async def test_login_cannot_create_a_customer_with_another_email(store: httpx.AsyncClient) -> None:
    token = await sign_in_token(await store.post("/auth/customer/emailpass/register", json=LOGIN))
    answer = await store.post(
        "/store/customers", json={"email": "victim@example.com"}, headers=bearer_header(token)
    )
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({**LOGIN, "password": "nope"}, "Invalid email or password"),
        ({**LOGIN, "email": "no@example.com"}, "Invalid email or password"),
        ({"email": LOGIN["email"]}, "Password should be a string"),
    ],
)
async def test_invalid_credentials_are_refused(
    store: httpx.AsyncClient, typed: dict[str, Any], message: str
) -> None:
    await sign_up(store)
    answer = await store.post("/auth/customer/emailpass", json=typed)
    assert (answer.status_code, answer.json()) == (401, {"type": "unauthorized", "message": message})


async def test_account_registered_on_the_pages_can_sign_in_over_the_api(
    store: httpx.AsyncClient, ana: httpx.AsyncClient
) -> None:
    login = {"email": ANA["email"], "password": ANA["password"]}
    token = await sign_in_token(await store.post("/auth/customer/emailpass", json=login))
    me = (await store.get("/store/customers/me", headers=bearer_header(token))).json()["customer"]
    assert (me["email"], me["last_name"]) == (ANA["email"], ANA["last_name"])
    fresh = await sign_in_token(await store.post("/auth/token/refresh", headers=bearer_header(token)))
    assert (await store.get("/store/customers/me", headers=bearer_header(fresh))).status_code == 200
    assert (await ana.post("/auth/account/logout-everywhere")).status_code == 200
    for old in (token, fresh):
        assert (await store.get("/store/customers/me", headers=bearer_header(old))).status_code == 401
        assert (await store.get("/store/orders", headers=bearer_header(old))).status_code == 401
        assert (await store.post("/auth/token/refresh", headers=bearer_header(old))).status_code == 401


async def test_profile_and_address_book_are_changed(store: httpx.AsyncClient) -> None:
    _, token = await sign_up(store)
    changed = await store.post(
        "/store/customers/me", json={"phone": "+573000000000"}, headers=bearer_header(token)
    )
    assert changed.json()["customer"]["phone"] == "+573000000000"
    assert changed.json()["customer"]["first_name"] == "Ana"
    book = "/store/customers/me/addresses"
    added = await store.post(book, json={**HOME, "address_name": "Casa"}, headers=bearer_header(token))
    (entry,) = added.json()["customer"]["addresses"]
    assert (entry["address_name"], entry["address_1"], entry["is_default_shipping"]) == (
        "Casa",
        HOME["address_1"],
        True,
    )
    path = f"{book}/{entry['id']}"
    await store.post(path, json={"city": "Cali"}, headers=bearer_header(token))
    listed = (await store.get(book, headers=bearer_header(token))).json()
    assert (listed["count"], listed["offset"]) == (1, 0)
    assert (listed["addresses"][0]["city"], listed["addresses"][0]["address_name"]) == ("Cali", "Casa")
    gone = (await store.delete(path, headers=bearer_header(token))).json()
    assert (gone["deleted"], gone["object"], gone["parent"]["addresses"]) == (True, "address", [])


async def test_address_of_another_customer_returns_404(store: httpx.AsyncClient) -> None:
    _, ana = await sign_up(store)
    _, mallory = await sign_up(store, "mallory@example.com")
    book = "/store/customers/me/addresses"
    added = await store.post(book, json=HOME, headers=bearer_header(ana))
    path = f"{book}/{added.json()['customer']['addresses'][0]['id']}"
    refused = [
        await store.get(path, headers=bearer_header(mallory)),
        await store.post(path, json={"city": "Cali"}, headers=bearer_header(mallory)),
        await store.delete(path, headers=bearer_header(mallory)),
        await store.get(path),
    ]
    assert [answer.status_code for answer in refused] == [404, 404, 404, 401]
    kept = (await store.get(path, headers=bearer_header(ana))).json()["address"]
    assert kept["city"] == HOME["city"]
    assert (await store.get(book, headers=bearer_header(mallory))).json()["addresses"] == []


async def test_order_details_are_shown_only_to_its_customer_and_with_its_token(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    """Read a customer's order by its id.

    | requester | in the first hour | later |
    |---|---|---|
    | its customer | everything | everything |
    | another customer, or a guest | only the status | only the status |
    | a client with its token | everything | everything |
    """
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo")
    _, ana = await sign_up(store)
    _, mallory = await sign_up(store, "mallory@example.com")
    cart_id = await create_cart_with_shipping(store, toy)
    await store.post(f"/store/carts/{cart_id}/customer", json={}, headers=bearer_header(ana))
    store.headers.update(bearer_header(ana))
    await create_payment_collection(store, cart_id)
    order = (await store.post(f"/store/carts/{cart_id}/complete")).json()["order"]
    del store.headers["authorization"]
    await complete_purchase(store, toy)  # a guest with Ana's address
    mine = (await store.get("/store/orders", headers=bearer_header(ana))).json()
    assert [one["id"] for one in mine["orders"]] == [order["id"]]
    assert (await store.get("/store/orders", headers=bearer_header(mallory))).json()["orders"] == []
    assert (await store.get("/store/orders")).status_code == 401
    for stranger in (bearer_header(mallory), {}):
        seen = (await store.get(f"/store/orders/{order['id']}", headers=stranger)).json()["order"]
        assert seen["display_id"] == order["display_id"]
        assert not seen.keys() & {"email", "items", "shipping_address", "billing_address", "customer_id"}
    link = {"x-order-token": order["access_token"]}
    linked = (await store.get(f"/store/orders/{order['id']}", headers=link)).json()["order"]
    assert linked["email"] == order["email"]
    async with shop.database.transaction() as session:  # the hour in which the id gives access has passed
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    own = (await store.get(f"/store/orders/{order['id']}", headers=bearer_header(ana))).json()["order"]
    assert own["items"][0]["variant_id"] == toy
    seen = (await store.get(f"/store/orders/{order['id']}", headers=bearer_header(mallory))).json()["order"]
    assert "email" not in seen
    assert "items" not in seen


@pytest.mark.parametrize("kind", ["none", "forged", "tampered", "of staff", "of nobody", "other key"])
async def test_invalid_token_is_refused(store: httpx.AsyncClient, shop: Shop, kind: str) -> None:
    customer_id, token = await sign_up(store)
    key = shop.settings.signing_key
    tampered = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")
    headers = {
        "none": {},
        "forged": bearer_header("e30.e30.e30"),
        "tampered": bearer_header(tampered),
        "of staff": bearer_header(issue_token(key, TokenOwner(customer_id, USER))),
        "of nobody": bearer_header(issue_token(key, TokenOwner("cus_nobody", CUSTOMER))),
        "other key": bearer_header(issue_token("another key", TokenOwner(customer_id, CUSTOMER))),
    }[kind]
    for path in ("/store/customers/me", "/store/customers/me/addresses", "/store/orders"):
        answer = await store.get(path, headers=headers)
        assert (answer.status_code, answer.json()) == (401, {"message": "Unauthorized"})


async def test_customer_id_or_email_in_the_body_of_a_request_is_refused(
    store: httpx.AsyncClient, shop: Shop
) -> None:
    _, token = await sign_up(store)
    for path, body in (
        ("/store/customers/me", {"id": "cus_other"}),
        ("/store/customers/me", {"email": "other@example.com"}),
        ("/store/customers/me/addresses", {**HOME, "customer_id": "cus_other"}),
    ):
        assert (await store.post(path, json=body, headers=bearer_header(token))).status_code == 400
    async with shop.database.read() as session:
        assert (await session.execute(select(Customer.email))).scalars().all() == [LOGIN["email"]]


async def test_reset_request_does_not_reveal_accounts(store: httpx.AsyncClient) -> None:
    await sign_up(store)
    path = "/auth/customer/emailpass/reset-password"
    for email in (LOGIN["email"], "no@example.com"):
        answer = await store.post(path, json={"identifier": email})
        assert (answer.status_code, answer.text) == (201, "Created")


async def test_customer_routes_without_a_publishable_key_are_refused(
    anyone: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop
) -> None:
    _, token = await sign_up(store)
    async with shop.database.read() as session:
        assert (await session.execute(select(PublishableKey.token))).first() is not None
    assert (await anyone.get("/store/customers/me", headers=bearer_header(token))).status_code == 400

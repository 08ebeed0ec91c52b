"""The platform's session: a cookie in place of a bearer token, for pages of the shop (wire: /auth/session)."""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import PublishableKey
from backend.customers.authentication import issue_token
from backend.customers.models import Customer
from backend.customers.sessions import COOKIE, close_all
from backend.edge.authentication import CUSTOMER, USER, Actor
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.shop_floor import Floor, make_toy

LOGIN = {"email": ANA["email"], "password": ANA["password"]}
EVIL = "https://evil.example"


@pytest.fixture
async def key(shop: Shop, shop_floor: Floor) -> dict[str, str]:
    """The header that every program at the Store API sends."""
    async with shop.database.read() as session:
        return {"x-publishable-api-key": (await session.execute(select(PublishableKey.token))).scalar_one()}


async def bearer(browser: httpx.AsyncClient) -> dict[str, str]:
    """What a customer's program sends beside the cookie, once: Ana's, who has an account."""
    token = (await browser.post("/auth/customer/emailpass", json=LOGIN)).json()["token"]
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
async def browser(ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]) -> httpx.AsyncClient:
    """A browser whose page signed Ana in by the platform's session."""
    browser = new_browser()
    browser.headers.update(key)
    answer = await browser.post("/auth/session", headers=await bearer(browser))
    assert answer.status_code == 200
    return browser


async def test_a_session_in_place_of_a_token(
    ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]
) -> None:
    browser = new_browser()
    answer = await browser.post("/auth/session", headers=await bearer(browser))
    user = answer.json()["user"]
    assert user["actor_type"] == "customer"
    assert user["app_metadata"] == {"customer_id": user["actor_id"]}
    assert set(user) == {
        "actor_id",
        "actor_type",
        "auth_identity_id",
        "auth_provider",
        "app_metadata",
        "user_metadata",
        "iat",
        "exp",
    }
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert browser.cookies[COOKIE] not in answer.text
    me = await browser.get("/store/customers/me", headers=key)
    assert me.json()["customer"]["email"] == ANA["email"]


async def test_the_cookie_does_what_the_token_does(
    browser: httpx.AsyncClient, shop: Shop, shop_floor: Floor
) -> None:
    changed = await browser.post("/store/customers/me", json={"first_name": "Ana Inés"})
    assert changed.json()["customer"]["first_name"] == "Ana Inés"
    added = await browser.post("/store/customers/me/addresses", json={"address_1": "Calle 10 # 5-51"})
    assert len(added.json()["customer"]["addresses"]) == 1
    assert (await browser.get("/store/orders")).json()["count"] == 0
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_floor, "trompo")
    item = {"items": [{"variant_id": variant, "quantity": 1}]}
    cart = (await browser.post("/store/carts", json=item)).json()["cart"]
    bound = await browser.post(f"/store/carts/{cart['id']}/customer", json={})
    assert bound.json()["cart"]["customer_id"] is not None


@pytest.mark.parametrize("origin", [None, "null", EVIL, f"{SHOP}.evil.example"])
async def test_another_sites_page_changes_nothing_with_the_cookie(
    browser: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str], origin: str | None
) -> None:
    """Cross-site request forgery, with a browser that sends the cookie along all the same."""
    forged = new_browser(origin=origin)
    forged.cookies.set(COOKIE, browser.cookies[COOKIE])
    forged.headers.update(key)
    for call in (
        forged.post("/store/customers/me", json={"first_name": "Mallory"}),
        forged.post("/store/customers/me/addresses", json={"address_1": "Calle 1 # 1-11"}),
        forged.delete("/store/customers/me/addresses/cuaddr_1"),
    ):
        assert (await call).status_code == 401
    assert (await forged.delete("/auth/session")).status_code == 403
    assert (await browser.get("/store/customers/me")).json()["customer"]["first_name"] == ANA["first_name"]


async def test_another_site_signs_nobody_in(
    ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]
) -> None:
    """Mallory would like the victim to go on as Mallory."""
    page = new_browser(origin=EVIL)
    answer = await page.post("/auth/session", headers=await bearer(page))
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


async def test_a_session_rotates_and_ends(browser: httpx.AsyncClient, new_browser: NewBrowser) -> None:
    before = browser.cookies[COOKIE]
    assert (await browser.post("/auth/session", headers=await bearer(browser))).status_code == 200
    assert browser.cookies[COOKIE] != before
    planted = new_browser()
    planted.cookies.set(COOKIE, before)
    planted.headers.update(browser.headers)
    assert (await planted.get("/store/customers/me")).status_code == 401
    assert (await browser.delete("/auth/session")).json() == {"success": True}
    assert COOKIE not in browser.cookies
    assert (await browser.get("/store/customers/me")).status_code == 401


async def test_nobodys_token_begins_no_session(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    async with shop.database.read() as session:
        customer = (await session.execute(select(Customer))).scalar_one()
    good = await bearer(ana)
    async with shop.database.transaction() as session:
        await close_all(session, customer.id)  # the good one is of an epoch that is over
    signing = shop.settings.signing_key
    forged = issue_token("another key", Actor(customer.id, CUSTOMER, "", 1))
    staff = issue_token(signing, Actor(customer.id, USER, "", 1))
    nobody = issue_token(signing, Actor("", CUSTOMER, "authid_1"))
    tampered = good["authorization"][:-3] + "abc"
    tokens = [good["authorization"], tampered, *(f"Bearer {one}" for one in (forged, staff, nobody))]
    for headers in ({}, *({"authorization": token} for token in tokens)):
        answer = await new_browser().post("/auth/session", headers=headers)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


async def test_a_bad_token_is_not_made_good_by_a_cookie(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/store/customers/me", headers={"authorization": "Bearer forged"})
    assert answer.status_code == 401


async def test_a_cookie_gives_no_token_to_a_script(browser: httpx.AsyncClient) -> None:
    assert (await browser.post("/auth/token/refresh")).status_code == 401

"""Sessions of customers: sign-in and sign-out by the pages' forms, and cookies in exchange for a bearer token."""

from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.channels.models import PublishableKey
from backend.core.clock import now
from backend.core.web.passwords import hash_token
from backend.customers.auth.sessions import COOKIE, close_all, find_session_customer
from backend.customers.models import Customer, CustomerSession, Login
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, issue_token
from backend.edge.auth.cookies import RENAMED_FILE, renamed_at
from backend.edge.auth.devices import COOKIE as DEVICE
from backend.legal.consents import consents_of_customer
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.store_defaults import Defaults, add_product

LOGIN = {"email": ANA["email"], "password": ANA["password"]}


async def read_session_email(shop: Shop, token: str | None) -> str | None:
    """Return the address of the customer with this session token; None without a session."""
    async with shop.database.read() as session:
        customer = await find_session_customer(session, token or "")
    return customer.email if customer else None


async def test_registration_sets_an_http_only_cookie(new_browser: NewBrowser, shop: Shop) -> None:
    answer = await new_browser().post("/auth/account/register", json={**ANA, "email": " Ana@Example.COM "})
    attributes = answer.headers["set-cookie"].lower()
    assert "httponly" in attributes
    assert "samesite=lax" in attributes
    assert "path=/" in attributes
    assert "secure" not in attributes  # the test shop uses http
    assert await read_session_email(shop, answer.cookies[COOKIE]) == ANA["email"]
    assert answer.cookies[COOKIE] not in answer.text


async def test_only_hashes_of_session_tokens_and_passwords_are_stored(
    ana: httpx.AsyncClient, shop: Shop
) -> None:
    async with shop.database.read() as session:
        kept = (await session.execute(select(CustomerSession))).scalar_one()
        login = (await session.execute(select(Login))).scalar_one()
    assert kept.token_hash == hash_token(ana.cookies[COOKIE])
    assert kept.token_hash != ana.cookies[COOKIE]
    assert (login.password_hash or "").startswith("$argon2id$")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("first_name", ""),
        ("last_name", "7"),
        ("email", "ana@"),
        ("password", "corta"),
        ("password", "x" * 201),
    ],
)
async def test_invalid_registration_value_is_reported_at_its_field(
    new_browser: NewBrowser, shop: Shop, field: str, value: str
) -> None:
    answer = await new_browser().post("/auth/account/register", json={**ANA, field: value})
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [field]
    assert "set-cookie" not in answer.headers
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Customer))).scalar_one() == 0


async def test_login_replaces_the_session_token(ana: httpx.AsyncClient, shop: Shop) -> None:
    before = ana.cookies[COOKIE]
    assert (await ana.post("/auth/account/login", json=LOGIN)).status_code == 200
    assert ana.cookies[COOKIE] != before
    assert await read_session_email(shop, before) is None
    assert await read_session_email(shop, ana.cookies[COOKIE]) == ANA["email"]


async def test_session_token_planted_before_login_is_invalid(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    """Sign in as a victim in whose browser an attacker has put a token, valid or made up (session fixation)."""
    mallory, victim = new_browser("190.24.1.9"), new_browser()
    await mallory.post("/auth/account/register", json={**ANA, "email": "mallory@example.com"})
    planted = mallory.cookies[COOKIE]
    answer = await victim.post("/auth/account/login", json=LOGIN, headers={"cookie": f"{COOKIE}={planted}"})
    assert answer.cookies[COOKIE] != planted
    assert await read_session_email(shop, planted) is None
    made_up = {"cookie": f"{COOKIE}=chosen-by-mallory"}
    assert (await victim.post("/auth/account/login", json=LOGIN, headers=made_up)).status_code == 200
    assert await read_session_email(shop, "chosen-by-mallory") is None


async def test_sign_out_ends_only_the_session_of_this_browser(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    phone = new_browser()
    await phone.post("/auth/account/login", json=LOGIN)
    token = ana.cookies[COOKIE]
    assert (await ana.post("/auth/account/logout")).status_code == 200
    assert COOKIE not in ana.cookies
    assert await read_session_email(shop, token) is None
    assert await read_session_email(shop, phone.cookies[COOKIE]) == ANA["email"]


async def test_sign_out_everywhere_ends_all_sessions(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    phone, other = new_browser(), new_browser()
    await phone.post("/auth/account/login", json=LOGIN)
    await other.post("/auth/account/register", json={**ANA, "email": "luis@example.com"})
    await ana.post("/auth/account/logout-everywhere")
    assert await read_session_email(shop, phone.cookies[COOKIE]) is None
    assert await read_session_email(shop, other.cookies[COOKIE]) == "luis@example.com"


async def test_expired_session_is_not_accepted(ana: httpx.AsyncClient, shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(CustomerSession).values(expires_at=now() - timedelta(seconds=1)))
    assert await read_session_email(shop, ana.cookies[COOKIE]) is None


@pytest.mark.parametrize(
    "change", [str.swapcase, lambda token: token[:-1], lambda token: token + "x", hash_token]
)
async def test_tampered_token_does_not_sign_in(ana: httpx.AsyncClient, shop: Shop, change: object) -> None:
    token = ana.cookies[COOKIE]
    assert await read_session_email(shop, change(token)) is None  # type: ignore[operator]
    assert await read_session_email(shop, token) == ANA["email"]


@pytest.mark.parametrize(
    "origin", [None, "null", "http://[", "https://evil.example", "http://shop.test.evil.example"]
)
@pytest.mark.parametrize(
    "action", ["register", "login", "logout", "logout-everywhere", "password", "forgot", "reset"]
)
async def test_account_actions_from_a_page_of_another_site_are_refused(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop, origin: str | None, action: str
) -> None:
    """Send a request as a page of another site, in a browser that adds the cookie although it should not."""
    token = ana.cookies[COOKIE]
    forged = new_browser(origin=origin)
    answer = await forged.post(f"/auth/account/{action}", json=LOGIN, headers={"cookie": f"{COOKIE}={token}"})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert await read_session_email(shop, token) == ANA["email"]


async def test_sign_in_with_a_body_that_is_not_json_is_refused(ana: httpx.AsyncClient) -> None:
    """Send a non-JSON body: another site can send only this without a preflight request."""
    answer = await ana.post("/auth/account/login", data=LOGIN)
    assert answer.status_code == 400


async def test_session_cookie_is_secure_under_https(new_browser: NewBrowser, shop: Shop, api: object) -> None:
    api.state.settings = shop.settings.model_copy(update={"public_url": "https://trompo.example"})  # type: ignore[attr-defined]
    answer = await new_browser(origin="https://trompo.example").post("/auth/account/register", json=ANA)
    assert "secure" in answer.headers["set-cookie"].lower()
    assert {one.partition("=")[0] for one in answer.headers.get_list("set-cookie")} == {
        f"__Host-{COOKIE}",
        f"__Secure-{DEVICE}",
    }


@pytest.mark.parametrize(("days", "is_read"), [(0, True), (29, True), (30, False)])
async def test_session_cookie_with_its_old_name_is_accepted_for_30_days(
    ana: httpx.AsyncClient, shop: Shop, api: FastAPI, days: int, is_read: bool
) -> None:
    """Ana signed in before the cookie names changed; the shop started to use the new names `days` ago."""
    settings = shop.settings.model_copy(update={"public_url": SHOP.replace("http:", "https:")})
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    (settings.data_dir / RENAMED_FILE).write_text((now() - timedelta(days=days)).isoformat())
    renamed_at.cache_clear()
    api.state.settings = settings
    token = ana.cookies[COOKIE]
    answer = await ana.post("/auth/account/logout", headers={"origin": settings.base_url})
    assert answer.status_code == 200
    assert await read_session_email(shop, token) == (None if is_read else ANA["email"])
    deleted = [one.partition("=")[0] for one in answer.headers.get_list("set-cookie")]
    assert deleted == ([f"__Host-{COOKIE}", COOKIE] if is_read else [f"__Host-{COOKIE}"])


async def test_new_password_signs_out_other_browsers(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    phone = new_browser()
    await phone.post("/auth/account/login", json=LOGIN)
    wrong = await ana.post(
        "/auth/account/password", json={"password": "no es", "new_password": "otra clave larga"}
    )
    assert wrong.status_code == 400
    assert list(wrong.json()["fields"]) == ["password"]
    changed = {"password": ANA["password"], "new_password": "otra clave larga"}
    assert (await ana.post("/auth/account/password", json=changed)).status_code == 200
    assert await read_session_email(shop, ana.cookies[COOKIE]) == ANA["email"]
    assert await read_session_email(shop, phone.cookies[COOKIE]) is None
    assert (await phone.post("/auth/account/login", json=LOGIN)).status_code == 401


async def test_password_change_without_a_session_is_refused(new_browser: NewBrowser) -> None:
    forged = {"cookie": f"{COOKIE}=forged"}
    typed = {"password": "x", "new_password": "otra clave larga"}
    assert (await new_browser().post("/auth/account/password", json=typed, headers=forged)).status_code == 401


EVIL = "https://evil.example"


@pytest.fixture
async def key(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Return the header with the publishable key of the Store API."""
    async with shop.database.read() as session:
        return {"x-publishable-api-key": (await session.execute(select(PublishableKey.token))).scalar_one()}


async def get_bearer_header(browser: httpx.AsyncClient) -> dict[str, str]:
    """Return the header with a bearer token of Ana, who has an account."""
    token = (await browser.post("/auth/customer/emailpass", json=LOGIN)).json()["token"]
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
async def browser(ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]) -> httpx.AsyncClient:
    """Return a browser with a session, which it got for Ana's bearer token."""
    browser = new_browser()
    browser.headers.update(key)
    answer = await browser.post("/auth/session", headers=await get_bearer_header(browser))
    assert answer.status_code == 200
    return browser


async def test_bearer_token_is_exchanged_for_a_session_cookie(
    ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]
) -> None:
    browser = new_browser()
    answer = await browser.post("/auth/session", headers=await get_bearer_header(browser))
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


async def test_session_cookie_has_the_same_rights_as_the_token(
    browser: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    changed = await browser.post("/store/customers/me", json={"first_name": "Ana Inés"})
    assert changed.json()["customer"]["first_name"] == "Ana Inés"
    added = await browser.post("/store/customers/me/addresses", json={"address_1": "Calle 10 # 5-51"})
    assert len(added.json()["customer"]["addresses"]) == 1
    assert (await browser.get("/store/orders")).json()["count"] == 0
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    item = {"items": [{"variant_id": variant, "quantity": 1}]}
    cart = (await browser.post("/store/carts", json=item)).json()["cart"]
    bound = await browser.post(f"/store/carts/{cart['id']}/customer", json={})
    assert bound.json()["cart"]["customer_id"] is not None


@pytest.mark.parametrize("origin", [None, "null", "http://[", EVIL, f"{SHOP}.evil.example"])
async def test_session_cookie_sent_by_a_page_of_another_site_is_refused(
    browser: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str], origin: str | None
) -> None:
    """Send a request as a page of another site, in a browser that adds the cookie although it should not."""
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


async def test_another_site_cannot_start_a_session(
    ana: httpx.AsyncClient, new_browser: NewBrowser, key: dict[str, str]
) -> None:
    """Mallory tries to sign the victim's browser in as Mallory."""
    page = new_browser(origin=EVIL)
    answer = await page.post("/auth/session", headers=await get_bearer_header(page))
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


async def test_new_session_replaces_the_earlier_one_and_can_be_ended(
    browser: httpx.AsyncClient, new_browser: NewBrowser
) -> None:
    before = browser.cookies[COOKIE]
    assert (await browser.post("/auth/session", headers=await get_bearer_header(browser))).status_code == 200
    assert browser.cookies[COOKIE] != before
    planted = new_browser()
    planted.cookies.set(COOKIE, before)
    planted.headers.update(browser.headers)
    assert (await planted.get("/store/customers/me")).status_code == 401
    assert (await browser.delete("/auth/session")).json() == {"success": True}
    assert COOKIE not in browser.cookies
    assert (await browser.get("/store/customers/me")).status_code == 401


async def test_invalid_token_starts_no_session(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    async with shop.database.read() as session:
        customer = (await session.execute(select(Customer))).scalar_one()
    good = await get_bearer_header(ana)
    async with shop.database.transaction() as session:
        await close_all(session, customer.id)  # the valid token now has an old epoch
    signing = shop.settings.signing_key
    forged = issue_token("another key", TokenOwner(customer.id, CUSTOMER, "", 1))
    staff = issue_token(signing, TokenOwner(customer.id, USER, "", 1))
    nobody = issue_token(signing, TokenOwner("", CUSTOMER, "authid_1"))
    tampered = good["authorization"][:-3] + "abc"
    tokens = [good["authorization"], tampered, *(f"Bearer {one}" for one in (forged, staff, nobody))]
    for headers in ({}, *({"authorization": token} for token in tokens)):
        answer = await new_browser().post("/auth/session", headers=headers)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


async def test_invalid_token_with_a_valid_cookie_is_refused(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/store/customers/me", headers={"authorization": "Bearer forged"})
    assert answer.status_code == 401


async def test_session_cookie_cannot_be_exchanged_for_a_token(browser: httpx.AsyncClient) -> None:
    assert (await browser.post("/auth/token/refresh")).status_code == 401


@pytest.mark.parametrize(
    ("box", "value"), [("consent_data", None), ("consent_data", "off"), ("consent_terms", "")]
)
async def test_registration_without_both_consents_is_refused(
    new_browser: NewBrowser, shop: Shop, box: str, value: str | None
) -> None:
    typed = {name: text for name, text in {**ANA, box: value}.items() if text is not None}
    answer = await new_browser().post("/auth/account/register", json=typed)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [box])
    async with shop.database.read() as session:
        assert (await session.execute(select(Customer.id))).first() is None


async def test_registration_stores_the_consents(new_browser: NewBrowser, shop: Shop) -> None:
    assert (await new_browser().post("/auth/account/register", json=ANA)).status_code == 200
    async with shop.database.read() as session:
        customer_id = (await session.execute(select(Customer.id))).scalar_one()
        given = await consents_of_customer(session, customer_id)
    assert [(one.kind, one.source, one.version) for one in given] == [
        ("data", "register", "1"),
        ("terms", "register", "1"),
    ]

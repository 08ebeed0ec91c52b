"""Signing in and out: the cookie of a browser, got by the pages' forms or for a bearer token."""

from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.channels.models import PublishableKey
from backend.core.clock import now
from backend.core.web.passwords import hash_of
from backend.customers.auth.sessions import COOKIE, close_all, customer_of
from backend.customers.models import Customer, CustomerSession, Login
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, issue_token
from backend.edge.auth.cookies import RENAMED_FILE, renamed_at
from backend.edge.auth.devices import COOKIE as DEVICE
from backend.legal.consents import consents_of_customer
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.store_defaults import Defaults, make_toy

LOGIN = {"email": ANA["email"], "password": ANA["password"]}


async def whose(shop: Shop, token: str | None) -> str | None:
    """The address of whoever is signed in with this token."""
    async with shop.database.read() as session:
        customer = await customer_of(session, token or "")
    return customer.email if customer else None


async def test_registering_signs_in_with_a_cookie_no_script_reads(
    new_browser: NewBrowser, shop: Shop
) -> None:
    answer = await new_browser().post("/auth/account/register", json={**ANA, "email": " Ana@Example.COM "})
    attributes = answer.headers["set-cookie"].lower()
    assert "httponly" in attributes
    assert "samesite=lax" in attributes
    assert "path=/" in attributes
    assert "secure" not in attributes  # this shop is reached by http
    assert await whose(shop, answer.cookies[COOKIE]) == ANA["email"]
    assert answer.cookies[COOKIE] not in answer.text


async def test_only_hashes_are_kept(ana: httpx.AsyncClient, shop: Shop) -> None:
    async with shop.database.read() as session:
        kept = (await session.execute(select(CustomerSession))).scalar_one()
        login = (await session.execute(select(Login))).scalar_one()
    assert kept.token_hash == hash_of(ana.cookies[COOKIE])
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
async def test_a_problem_stands_beside_its_field(
    new_browser: NewBrowser, shop: Shop, field: str, value: str
) -> None:
    answer = await new_browser().post("/auth/account/register", json={**ANA, field: value})
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [field]
    assert "set-cookie" not in answer.headers
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Customer))).scalar_one() == 0


async def test_login_rotates_the_session(ana: httpx.AsyncClient, shop: Shop) -> None:
    before = ana.cookies[COOKIE]
    assert (await ana.post("/auth/account/login", json=LOGIN)).status_code == 200
    assert ana.cookies[COOKIE] != before
    assert await whose(shop, before) is None
    assert await whose(shop, ana.cookies[COOKIE]) == ANA["email"]


async def test_a_token_planted_before_the_login_is_worth_nothing(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    """Fixation: the attacker's own, valid token lies in the victim's browser when the victim signs in."""
    mallory, victim = new_browser("190.24.1.9"), new_browser()
    await mallory.post("/auth/account/register", json={**ANA, "email": "mallory@example.com"})
    planted = mallory.cookies[COOKIE]
    answer = await victim.post("/auth/account/login", json=LOGIN, headers={"cookie": f"{COOKIE}={planted}"})
    assert answer.cookies[COOKIE] != planted
    assert await whose(shop, planted) is None
    made_up = {"cookie": f"{COOKIE}=chosen-by-mallory"}
    assert (await victim.post("/auth/account/login", json=LOGIN, headers=made_up)).status_code == 200
    assert await whose(shop, "chosen-by-mallory") is None


async def test_signing_out_ends_this_browser_and_no_other(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop
) -> None:
    phone = new_browser()
    await phone.post("/auth/account/login", json=LOGIN)
    token = ana.cookies[COOKIE]
    assert (await ana.post("/auth/account/logout")).status_code == 200
    assert COOKIE not in ana.cookies
    assert await whose(shop, token) is None
    assert await whose(shop, phone.cookies[COOKIE]) == ANA["email"]


async def test_signing_out_everywhere(ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop) -> None:
    phone, other = new_browser(), new_browser()
    await phone.post("/auth/account/login", json=LOGIN)
    await other.post("/auth/account/register", json={**ANA, "email": "luis@example.com"})
    await ana.post("/auth/account/logout-everywhere")
    assert await whose(shop, phone.cookies[COOKIE]) is None
    assert await whose(shop, other.cookies[COOKIE]) == "luis@example.com"


async def test_a_session_ends_by_itself(ana: httpx.AsyncClient, shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(CustomerSession).values(expires_at=now() - timedelta(seconds=1)))
    assert await whose(shop, ana.cookies[COOKIE]) is None


@pytest.mark.parametrize(
    "change", [str.swapcase, lambda token: token[:-1], lambda token: token + "x", hash_of]
)
async def test_a_tampered_token_is_nobodys(ana: httpx.AsyncClient, shop: Shop, change: object) -> None:
    token = ana.cookies[COOKIE]
    assert await whose(shop, change(token)) is None  # type: ignore[operator]
    assert await whose(shop, token) == ANA["email"]


@pytest.mark.parametrize(
    "origin", [None, "null", "http://[", "https://evil.example", "http://shop.test.evil.example"]
)
@pytest.mark.parametrize(
    "action", ["register", "login", "logout", "logout-everywhere", "password", "forgot", "reset"]
)
async def test_another_sites_page_changes_nothing(
    ana: httpx.AsyncClient, new_browser: NewBrowser, shop: Shop, origin: str | None, action: str
) -> None:
    """Cross-site request forgery, with a browser that sends the cookie along all the same."""
    token = ana.cookies[COOKIE]
    forged = new_browser(origin=origin)
    answer = await forged.post(f"/auth/account/{action}", json=LOGIN, headers={"cookie": f"{COOKIE}={token}"})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert await whose(shop, token) == ANA["email"]


async def test_a_plain_form_cannot_sign_in(ana: httpx.AsyncClient) -> None:
    """What a site can send without asking first is no JSON."""
    answer = await ana.post("/auth/account/login", data=LOGIN)
    assert answer.status_code == 400


async def test_under_https_the_cookie_is_secure(new_browser: NewBrowser, shop: Shop, api: object) -> None:
    api.state.settings = shop.settings.model_copy(update={"public_url": "https://trompo.example"})  # type: ignore[attr-defined]
    answer = await new_browser(origin="https://trompo.example").post("/auth/account/register", json=ANA)
    assert "secure" in answer.headers["set-cookie"].lower()
    assert {one.partition("=")[0] for one in answer.headers.get_list("set-cookie")} == {
        f"__Host-{COOKIE}",
        f"__Secure-{DEVICE}",
    }


@pytest.mark.parametrize(("days", "is_read"), [(0, True), (29, True), (30, False)])
async def test_cookie_with_its_old_name_is_read_for_30_days(
    ana: httpx.AsyncClient, shop: Shop, api: FastAPI, days: int, is_read: bool
) -> None:
    """Ana signed in before the names changed; the shop has started with the new ones so many days ago."""
    settings = shop.settings.model_copy(update={"public_url": SHOP.replace("http:", "https:")})
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    (settings.data_dir / RENAMED_FILE).write_text((now() - timedelta(days=days)).isoformat())
    renamed_at.cache_clear()
    api.state.settings = settings
    token = ana.cookies[COOKIE]
    answer = await ana.post("/auth/account/logout", headers={"origin": settings.base_url})
    assert answer.status_code == 200
    assert await whose(shop, token) == (None if is_read else ANA["email"])
    deleted = [one.partition("=")[0] for one in answer.headers.get_list("set-cookie")]
    assert deleted == ([f"__Host-{COOKIE}", COOKIE] if is_read else [f"__Host-{COOKIE}"])


async def test_a_new_password_signs_every_other_browser_out(
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
    assert await whose(shop, ana.cookies[COOKIE]) == ANA["email"]
    assert await whose(shop, phone.cookies[COOKIE]) is None
    assert (await phone.post("/auth/account/login", json=LOGIN)).status_code == 401


async def test_nobody_changes_a_password_without_a_session(new_browser: NewBrowser) -> None:
    forged = {"cookie": f"{COOKIE}=forged"}
    typed = {"password": "x", "new_password": "otra clave larga"}
    assert (await new_browser().post("/auth/account/password", json=typed, headers=forged)).status_code == 401


EVIL = "https://evil.example"


@pytest.fixture
async def key(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
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
    browser: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    changed = await browser.post("/store/customers/me", json={"first_name": "Ana Inés"})
    assert changed.json()["customer"]["first_name"] == "Ana Inés"
    added = await browser.post("/store/customers/me/addresses", json={"address_1": "Calle 10 # 5-51"})
    assert len(added.json()["customer"]["addresses"]) == 1
    assert (await browser.get("/store/orders")).json()["count"] == 0
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo")
    item = {"items": [{"variant_id": variant, "quantity": 1}]}
    cart = (await browser.post("/store/carts", json=item)).json()["cart"]
    bound = await browser.post(f"/store/carts/{cart['id']}/customer", json={})
    assert bound.json()["cart"]["customer_id"] is not None


@pytest.mark.parametrize("origin", [None, "null", "http://[", EVIL, f"{SHOP}.evil.example"])
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
    forged = issue_token("another key", TokenOwner(customer.id, CUSTOMER, "", 1))
    staff = issue_token(signing, TokenOwner(customer.id, USER, "", 1))
    nobody = issue_token(signing, TokenOwner("", CUSTOMER, "authid_1"))
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


@pytest.mark.parametrize(
    ("box", "value"), [("consent_data", None), ("consent_data", "off"), ("consent_terms", "")]
)
async def test_nobody_registers_without_both_consents(
    new_browser: NewBrowser, shop: Shop, box: str, value: str | None
) -> None:
    typed = {name: text for name, text in {**ANA, box: value}.items() if text is not None}
    answer = await new_browser().post("/auth/account/register", json=typed)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [box])
    async with shop.database.read() as session:
        assert (await session.execute(select(Customer.id))).first() is None


async def test_an_account_is_made_with_its_consents(new_browser: NewBrowser, shop: Shop) -> None:
    assert (await new_browser().post("/auth/account/register", json=ANA)).status_code == 200
    async with shop.database.read() as session:
        customer_id = (await session.execute(select(Customer.id))).scalar_one()
        given = await consents_of_customer(session, customer_id)
    assert [(one.kind, one.source, one.version) for one in given] == [
        ("data", "register", "1"),
        ("terms", "register", "1"),
    ]

"""Signing in with Google: only its own answer, to this very browser, opens only one's own account."""

import time
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from joserfc.jwk import RSAKey
from pydantic import SecretStr
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.customers.auth.google import Google, GooglePerson
from backend.customers.auth.google_accounts import account_of
from backend.customers.auth.google_routes import ATTEMPT_COOKIE
from backend.customers.auth.sessions import COOKIE, customer_of
from backend.customers.models import Customer, Login
from backend.legal.consents import consents_of_customer
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.backend.rivals import overtaken
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

ISSUER = "http://google.test"


@pytest.fixture
def provider(api: FastAPI, shop: Shop) -> OpenIdProvider:
    """The provider that the shop's settings name."""
    provider = OpenIdProvider(ISSUER)
    settings = shop.settings.model_copy(
        update={
            "public_url": SHOP,
            "google_client_id": CLIENT_ID,
            "google_client_secret": SecretStr(CLIENT_SECRET),
            "google_issuer": ISSUER,
        }
    )
    api.state.settings = settings
    api.state.google = Google(settings, httpx.ASGITransport(provider.app()))
    return provider


async def to_google(browser: httpx.AsyncClient, provider: OpenIdProvider, wanted: str = "") -> str:
    """Go to Google and agree: the address that leads back."""
    there = await browser.get("/auth/google", params={"next": wanted})
    assert there.status_code == 303
    async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app())) as google:
        back = (await google.get(there.headers["location"])).headers["location"]
    assert back.startswith(f"{SHOP}/auth/google/callback?")
    return back


AGREED = {"consent_data": "on", "consent_terms": "on"}


async def through_google(browser: httpx.AsyncClient, provider: OpenIdProvider) -> str:
    """Go there and back, and agree to what a new account needs: where it leads."""
    answer = await browser.get(await to_google(browser, provider))
    assert answer.status_code == 303
    if answer.headers["location"] == "/account/consent":
        assert (await browser.post("/auth/account/google", json=AGREED)).status_code == 200
        return "/account"
    return answer.headers["location"]


async def whose(shop: Shop, browser: httpx.AsyncClient) -> str | None:
    async with shop.database.read() as session:
        customer = await customer_of(session, browser.cookies.get(COOKIE) or "")
    return customer.email if customer else None


async def customers(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Customer))).scalar_one()


async def test_a_new_person_gets_an_account_and_comes_back_to_it(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    first, second = new_browser(), new_browser()
    assert await through_google(first, provider) == "/account"
    assert await whose(shop, first) == "ana@example.com"
    provider.person["email"] = "ana.nueva@example.com"  # the same person, whose address changed
    assert await through_google(second, provider) == "/account"
    assert await whose(shop, second) == "ana@example.com"
    assert await customers(shop) == 1
    assert all(asked["code_challenge_method"] == "S256" for asked in provider.asked)
    assert len({(asked["state"], asked["nonce"], asked["code_challenge"]) for asked in provider.asked}) == 2


async def test_coming_back_from_google_works_with_the_names_of_https(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, api: FastAPI
) -> None:
    """The attempt, the consent of a new account and the joining of an old one each travel in a cookie."""
    https = SHOP.replace("http:", "https:")
    settings = api.state.settings.model_copy(update={"public_url": https})
    api.state.settings = settings
    api.state.google = Google(settings, httpx.ASGITransport(provider.app()))
    seen: set[str] = set()

    async def go(browser: httpx.AsyncClient) -> str:
        there = await browser.get("/auth/google")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app())) as google:
            back = (await google.get(there.headers["location"])).headers["location"]
        seen.update(browser.cookies)
        location = (await browser.get(back)).headers["location"]
        seen.update(browser.cookies)
        assert f"__Secure-{ATTEMPT_COOKIE}" not in browser.cookies
        return str(location)

    known, other = new_browser(origin=https), new_browser(origin=https)
    known.base_url = other.base_url = https
    assert await go(known) == "/account/login?google=join"
    right = {"email": ANA["email"], "password": ANA["password"]}
    assert (await known.post("/auth/account/login", json=right)).status_code == 200
    provider.person |= {"sub": "another", "email": "luis@example.com"}
    assert await go(other) == "/account/consent"
    assert (await other.post("/auth/account/google", json=AGREED)).status_code == 200
    async with shop.database.read() as session:
        luis = await customer_of(session, other.cookies[f"__Host-{COOKIE}"])
    assert luis is not None
    assert luis.email == "luis@example.com"
    assert seen == {"__Secure-trompo_google", "__Secure-trompo_join", "__Secure-trompo_new"}
    assert set(other.cookies) == {"__Host-trompo_session"}


async def test_an_account_that_is_there_is_joined_after_its_owner_proves_it(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    browser = new_browser()
    assert await through_google(browser, provider) == "/account/login?google=join"
    assert await whose(shop, browser) is None
    wrong = {"email": ANA["email"], "password": "no es esta"}
    assert (await browser.post("/auth/account/login", json=wrong)).status_code == 401
    assert await through_google(new_browser(), provider) == "/account/login?google=join"
    right = {"email": ANA["email"], "password": ANA["password"]}
    assert (await browser.post("/auth/account/login", json=right)).status_code == 200
    again = new_browser()
    assert await through_google(again, provider) == "/account"
    assert await whose(shop, again) == ANA["email"]
    assert await customers(shop) == 1


async def test_another_account_is_not_joined(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Ana's Google is waiting to be joined, and somebody else signs in at that browser."""
    browser = new_browser()
    other = {**ANA, "email": "luis@example.com"}
    await new_browser().post("/auth/account/register", json=other)
    await through_google(browser, provider)
    login = {"email": other["email"], "password": other["password"]}
    assert (await browser.post("/auth/account/login", json=login)).status_code == 200
    async with shop.database.read() as session:
        found = await session.execute(select(Login.id).where(Login.provider == "google"))
    assert found.first() is None


@pytest.mark.parametrize("verified", [False, None, "true"])
async def test_an_address_that_is_not_verified_opens_nothing(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, verified: object
) -> None:
    provider.person["email_verified"] = verified
    assert await through_google(new_browser(), provider) == "/account/login?google=unverified"
    assert await customers(shop) == 0


HOUR_AGO = int(time.time()) - 3600


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "http://evil.test"},
        {"aud": "another client"},
        {"nonce": "of another attempt"},
        {"exp": HOUR_AGO},
        {"azp": "another client"},
        {"sub": None},
    ],
)
async def test_an_id_token_that_is_not_for_us_now(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, claims: dict[str, Any]
) -> None:
    provider.spoil = claims
    assert await through_google(new_browser(), provider) == "/account/login?google=failed"
    assert await customers(shop) == 0


async def test_an_id_token_that_somebody_else_signed(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    provider.signs_with = RSAKey.generate_key(2048, {"kid": "one"})
    assert await through_google(new_browser(), provider) == "/account/login?google=failed"
    assert await customers(shop) == 0


async def test_an_answer_belongs_to_the_browser_that_asked(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Mallory sends the victim the address that leads back into Mallory's account."""
    mallory, victim = new_browser(), new_browser()
    back = await to_google(mallory, provider)
    for _ in range(2):  # without an attempt of their own, and with one
        answer = await victim.get(back)
        assert answer.headers["location"] == "/account/login?google=failed"
        await victim.get("/auth/google")
    assert await whose(shop, victim) is None


async def test_an_answer_is_good_once(new_browser: NewBrowser, provider: OpenIdProvider) -> None:
    browser = new_browser()
    back = await to_google(browser, provider)
    assert (await browser.get(back)).headers["location"] == "/account/consent"
    assert (await browser.get(back)).headers["location"] == "/account/login?google=failed"


async def test_a_forged_attempt(new_browser: NewBrowser, provider: OpenIdProvider) -> None:
    browser = new_browser()
    back = await to_google(browser, provider)
    kept = browser.cookies[ATTEMPT_COOKIE]
    browser.cookies.clear()
    forged = f"{kept[:-20]}{'A' if kept[-20] != 'A' else 'B'}{kept[-19:]}"
    answer = await browser.get(back, headers={"cookie": f"{ATTEMPT_COOKIE}={forged}"})
    assert answer.headers["location"] == "/account/login?google=failed"


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("/checkout", "/checkout"),
        ("/catalog?category=musica", "/catalog?category=musica"),
        ("//evil.example", "/account"),
        ("/\\evil.example", "/account"),
        ("https://evil.example", "/account"),
        ("/\nset-cookie: x=1", "/account"),
        ("/" + "x" * 300, "/account"),
        ("", "/account"),
    ],
)
async def test_it_leads_back_to_a_page_of_the_shop_only(
    new_browser: NewBrowser, provider: OpenIdProvider, wanted: str, leads_to: str
) -> None:
    await through_google(new_browser(), provider)  # who is known goes on at once
    browser = new_browser()
    back = await to_google(browser, provider, wanted)
    assert (await browser.get(back)).headers["location"] == leads_to


async def test_coming_back_rotates_the_session(
    ana: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    provider.person = {**provider.person, "sub": "2", "email": "luis@example.com"}
    before = ana.cookies[COOKIE]
    assert await through_google(ana, provider) == "/account"
    async with shop.database.read() as session:
        assert await customer_of(session, before) is None
    assert await whose(shop, ana) == "luis@example.com"


async def test_without_settings_there_is_no_way(new_browser: NewBrowser) -> None:
    browser = new_browser()
    assert (await browser.get("/auth/google")).status_code == 404
    assert (await browser.get("/auth/google/callback?code=x&state=y")).status_code == 404


async def test_without_settings_a_browser_that_comes_back_is_shown_the_other_ways_in(
    new_browser: NewBrowser,
) -> None:
    browser = new_browser()
    answer = await browser.get(
        "/auth/google/callback?code=x&state=y", headers={"accept": "text/html,application/xhtml+xml;q=0.9"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/account/login?google=failed")


PROGRAM = "https://tienda.example/auth/google"


async def brought_back(program: httpx.AsyncClient, provider: OpenIdProvider) -> dict[str, str]:
    """What a program's shopper brings back from Google."""
    begun = await program.post("/auth/customer/google", json={"callback_url": PROGRAM})
    assert begun.status_code == 200
    async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app())) as google:
        back = (await google.get(begun.json()["location"])).headers["location"]
    assert back.startswith(f"{PROGRAM}?")
    return dict(httpx.URL(back).params)


async def test_a_program_signs_its_shopper_in(
    anyone: httpx.AsyncClient, store: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    """wire: commerce-api, Customers and auth; the platform's SDK: `auth.login`, then `auth.callback`."""
    callback = "/auth/customer/google/callback"
    for _ in range(2):  # the second time it is the same customer
        answer = await anyone.get(callback, params=await brought_back(anyone, provider))
        assert answer.status_code == 200
        store.headers["authorization"] = f"Bearer {answer.json()['token']}"
        me = (await store.get("/store/customers/me")).json()["customer"]
        assert me["email"] == "ana@example.com"
    assert await customers(shop) == 1
    assert len({asked["code_challenge"] for asked in provider.asked}) == 2


async def test_a_program_gets_no_token_for_another_answer(
    ana: httpx.AsyncClient, anyone: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    callback = "/auth/customer/google/callback"
    first, second = [await brought_back(anyone, provider) for _ in range(2)]
    for wrong in (
        {},
        {"code": first["code"]},
        {**first, "state": first["state"][:-1] + "x"},
        {**first, "state": second["state"]},  # another attempt's: its verifier is another
        {**second, "code": ""},
    ):
        refused = await anyone.get(callback, params=wrong)
        assert (refused.status_code, "token" in refused.text) == (401, False), wrong
    taken = await anyone.get(callback, params=await brought_back(anyone, provider))
    assert (taken.status_code, taken.json()["message"].partition(".")[0]) == (
        401,
        "An account with this e-mail address exists already",
    )
    provider.person["email_verified"] = False
    assert (await anyone.get(callback, params=await brought_back(anyone, provider))).status_code == 401
    assert await customers(shop) == 1
    for wrong_page in ("javascript:alert(1)", "tienda.example", "https://tienda.example/#a", "https://["):
        refused = await anyone.post("/auth/customer/google", json={"callback_url": wrong_page})
        assert refused.status_code == 400


async def test_a_new_person_is_asked_before_there_is_an_account(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    browser = new_browser()
    answer = await browser.get(await to_google(browser, provider, "/cart"))
    assert answer.headers["location"] == "/account/consent?next=%2Fcart"
    assert (await whose(shop, browser), await customers(shop)) == (None, 0)
    for missing in ({}, {"consent_data": "on"}, {**AGREED, "consent_data": "off"}):
        refused = await browser.post("/auth/account/google", json=missing)
        assert (refused.status_code, bool(refused.json()["fields"])) == (400, True)
    other = await new_browser().post("/auth/account/google", json=AGREED)  # nobody who came from Google
    assert (other.status_code, other.json()["fields"]) == (400, {})
    assert await customers(shop) == 0
    assert (await browser.post("/auth/account/google", json=AGREED)).status_code == 200
    assert await whose(shop, browser) == "ana@example.com"
    async with shop.database.read() as session:
        customer_id = (await session.execute(select(Customer.id))).scalar_one()
        given = await consents_of_customer(session, customer_id)
    assert [(one.kind, one.source) for one in given] == [("data", "google"), ("terms", "google")]
    assert (await browser.post("/auth/account/google", json=AGREED)).status_code == 400  # good once


async def test_a_login_that_a_program_began_for_the_address_is_not_the_accounts(
    anyone: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Somebody registered Ana's address by the API, and no further, before she came from Google."""
    register, theirs = (
        "/auth/customer/emailpass/register",
        {"email": "ana@example.com", "password": "de otro, larga"},
    )
    assert (await anyone.post(register, json=theirs)).status_code == 200
    browser = new_browser()
    assert await through_google(browser, provider) == "/account"
    chosen = {"password": "", "new_password": ANA["password"]}
    assert (await browser.post("/auth/account/password", json=chosen)).status_code == 200
    for password, expected in ((theirs["password"], 401), (ANA["password"], 200)):
        login = {"email": "ana@example.com", "password": password}
        assert (await new_browser().post("/auth/account/login", json=login)).status_code == expected
    again = {"password": "", "new_password": "otra clave larga"}
    assert (await browser.post("/auth/account/password", json=again)).status_code == 400  # it has one now


async def test_who_comes_from_google_twice_at_once_has_one_account(shop: Shop) -> None:
    """The button was pressed twice."""
    person = GooglePerson("77", "ana@example.com", True, "Ana", "Gómez")
    made = Customer(email=person.email)

    async def rival(session: AsyncSession) -> None:
        session.add(made)
        await session.flush()
        session.add(Login(provider="google", subject=person.subject, customer_id=made.id))

    async def act() -> str | None:
        return await account_of(shop.database, person, by_program=True)

    assert await overtaken(shop.database, rival, act) == made.id
    another = replace(person, subject="78")
    assert await account_of(shop.database, another, by_program=True) is None  # has to prove it first

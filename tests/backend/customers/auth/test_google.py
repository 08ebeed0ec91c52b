"""Sign-in with Google: only Google's own answer, in the same browser, gives access to the person's account."""

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
from backend.customers.auth.google_accounts import find_or_create_account
from backend.customers.auth.google_routes import ATTEMPT_COOKIE
from backend.customers.auth.sessions import COOKIE, find_session_customer
from backend.customers.models import Customer, Login
from backend.legal.consents import consents_of_customer
from tests.backend.customers.conftest import ANA, SHOP, NewBrowser
from tests.backend.rivals import run_against_rival
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

ISSUER = "http://google.test"


@pytest.fixture
def provider(api: FastAPI, shop: Shop) -> OpenIdProvider:
    """Start an OpenID provider and configure it in the shop's settings."""
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


async def get_callback_url(browser: httpx.AsyncClient, provider: OpenIdProvider, wanted: str = "") -> str:
    """Go to Google and agree; return the callback URL."""
    there = await browser.get("/auth/google", params={"next": wanted})
    assert there.status_code == 303
    async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app())) as google:
        back = (await google.get(there.headers["location"])).headers["location"]
    assert back.startswith(f"{SHOP}/auth/google/callback?")
    return back


AGREED = {"consent_data": "on", "consent_terms": "on"}


async def sign_in_with_google(browser: httpx.AsyncClient, provider: OpenIdProvider) -> str:
    """Sign in with Google, with the consents that a new account needs; return the location of the final redirect."""
    answer = await browser.get(await get_callback_url(browser, provider))
    assert answer.status_code == 303
    if answer.headers["location"] == "/account/consent":
        assert (await browser.post("/auth/account/google", json=AGREED)).status_code == 200
        return "/account"
    return answer.headers["location"]


async def read_session_email(shop: Shop, browser: httpx.AsyncClient) -> str | None:
    async with shop.database.read() as session:
        customer = await find_session_customer(session, browser.cookies.get(COOKIE) or "")
    return customer.email if customer else None


async def count_customers(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Customer))).scalar_one()


async def test_later_google_sign_ins_open_the_account_that_the_first_created(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    first, second = new_browser(), new_browser()
    assert await sign_in_with_google(first, provider) == "/account"
    assert await read_session_email(shop, first) == "ana@example.com"
    provider.person["email"] = "ana.nueva@example.com"  # the same person with a new address
    assert await sign_in_with_google(second, provider) == "/account"
    assert await read_session_email(shop, second) == "ana@example.com"
    assert await count_customers(shop) == 1
    assert all(sent["code_challenge_method"] == "S256" for sent in provider.authorization_requests)
    assert (
        len(
            {
                (sent["state"], sent["nonce"], sent["code_challenge"])
                for sent in provider.authorization_requests
            }
        )
        == 2
    )


async def test_google_callback_works_with_https_cookie_names(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, api: FastAPI
) -> None:
    """Use one cookie each for the attempt, the consent of a new account and the link to an existing account."""
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
        luis = await find_session_customer(session, other.cookies[f"__Host-{COOKIE}"])
    assert luis is not None
    assert luis.email == "luis@example.com"
    assert seen == {"__Secure-trompo_google", "__Secure-trompo_join", "__Secure-trompo_new"}
    assert set(other.cookies) == {"__Host-trompo_session"}


async def test_existing_account_is_linked_to_google_after_its_password_is_entered(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    browser = new_browser()
    assert await sign_in_with_google(browser, provider) == "/account/login?google=join"
    assert await read_session_email(shop, browser) is None
    wrong = {"email": ANA["email"], "password": "no es esta"}
    assert (await browser.post("/auth/account/login", json=wrong)).status_code == 401
    assert await sign_in_with_google(new_browser(), provider) == "/account/login?google=join"
    right = {"email": ANA["email"], "password": ANA["password"]}
    assert (await browser.post("/auth/account/login", json=right)).status_code == 200
    again = new_browser()
    assert await sign_in_with_google(again, provider) == "/account"
    assert await read_session_email(shop, again) == ANA["email"]
    assert await count_customers(shop) == 1


async def test_account_with_another_email_is_not_linked_to_the_google_identity(
    ana: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Leave Ana's Google identity waiting to be linked, and sign in as another person in the same browser."""
    browser = new_browser()
    other = {**ANA, "email": "luis@example.com"}
    await new_browser().post("/auth/account/register", json=other)
    await sign_in_with_google(browser, provider)
    login = {"email": other["email"], "password": other["password"]}
    assert (await browser.post("/auth/account/login", json=login)).status_code == 200
    async with shop.database.read() as session:
        found = await session.execute(select(Login.id).where(Login.provider == "google"))
    assert found.first() is None


@pytest.mark.parametrize("verified", [False, None, "true"])
async def test_google_identity_with_an_unverified_email_is_not_signed_in(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, verified: object
) -> None:
    provider.person["email_verified"] = verified
    assert await sign_in_with_google(new_browser(), provider) == "/account/login?google=unverified"
    assert await count_customers(shop) == 0


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
async def test_id_token_with_invalid_claims_is_refused(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop, claims: dict[str, Any]
) -> None:
    provider.claim_overrides = claims
    assert await sign_in_with_google(new_browser(), provider) == "/account/login?google=failed"
    assert await count_customers(shop) == 0


async def test_id_token_with_a_foreign_signature_is_refused(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "one"})
    assert await sign_in_with_google(new_browser(), provider) == "/account/login?google=failed"
    assert await count_customers(shop) == 0


async def test_google_callback_in_another_browser_is_refused(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Mallory sends the victim the callback URL of Mallory's own account."""
    mallory, victim = new_browser(), new_browser()
    back = await get_callback_url(mallory, provider)
    for _ in range(2):  # without an own attempt, and with one
        answer = await victim.get(back)
        assert answer.headers["location"] == "/account/login?google=failed"
        await victim.get("/auth/google")
    assert await read_session_email(shop, victim) is None


async def test_google_callback_url_works_only_once(new_browser: NewBrowser, provider: OpenIdProvider) -> None:
    browser = new_browser()
    back = await get_callback_url(browser, provider)
    assert (await browser.get(back)).headers["location"] == "/account/consent"
    assert (await browser.get(back)).headers["location"] == "/account/login?google=failed"


async def test_google_callback_with_a_forged_attempt_cookie_is_refused(
    new_browser: NewBrowser, provider: OpenIdProvider
) -> None:
    browser = new_browser()
    back = await get_callback_url(browser, provider)
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
async def test_redirect_after_a_google_sign_in_stays_in_the_shop(
    new_browser: NewBrowser, provider: OpenIdProvider, wanted: str, leads_to: str
) -> None:
    await sign_in_with_google(new_browser(), provider)  # a known person is signed in immediately
    browser = new_browser()
    back = await get_callback_url(browser, provider, wanted)
    assert (await browser.get(back)).headers["location"] == leads_to


async def test_google_sign_in_rotates_the_session(
    ana: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    provider.person = {**provider.person, "sub": "2", "email": "luis@example.com"}
    before = ana.cookies[COOKIE]
    assert await sign_in_with_google(ana, provider) == "/account"
    async with shop.database.read() as session:
        assert await find_session_customer(session, before) is None
    assert await read_session_email(shop, ana) == "luis@example.com"


async def test_google_routes_are_not_found_without_settings(new_browser: NewBrowser) -> None:
    browser = new_browser()
    assert (await browser.get("/auth/google")).status_code == 404
    assert (await browser.get("/auth/google/callback?code=x&state=y")).status_code == 404


async def test_callback_without_settings_redirects_a_browser_to_login(
    new_browser: NewBrowser,
) -> None:
    browser = new_browser()
    answer = await browser.get(
        "/auth/google/callback?code=x&state=y", headers={"accept": "text/html,application/xhtml+xml;q=0.9"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/account/login?google=failed")


PROGRAM = "https://tienda.example/auth/google"


async def get_callback_params(program: httpx.AsyncClient, provider: OpenIdProvider) -> dict[str, str]:
    """Start a program's sign-in with Google and return the query of its callback."""
    begun = await program.post("/auth/customer/google", json={"callback_url": PROGRAM})
    assert begun.status_code == 200
    async with httpx.AsyncClient(transport=httpx.ASGITransport(provider.app())) as google:
        back = (await google.get(begun.json()["location"])).headers["location"]
    assert back.startswith(f"{PROGRAM}?")
    return dict(httpx.URL(back).params)


async def test_api_client_signs_its_shopper_in_with_google(
    anyone: httpx.AsyncClient, store: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    """Sign in twice with the SDK's `auth.login` and `auth.callback` (wire: commerce-api, Customers and auth)."""
    callback = "/auth/customer/google/callback"
    for _ in range(2):  # the second time it is the same customer
        answer = await anyone.get(callback, params=await get_callback_params(anyone, provider))
        assert answer.status_code == 200
        store.headers["authorization"] = f"Bearer {answer.json()['token']}"
        me = (await store.get("/store/customers/me")).json()["customer"]
        assert me["email"] == "ana@example.com"
    assert await count_customers(shop) == 1
    assert len({sent["code_challenge"] for sent in provider.authorization_requests}) == 2


async def test_api_client_gets_no_token_for_a_callback_of_another_attempt(
    ana: httpx.AsyncClient, anyone: httpx.AsyncClient, provider: OpenIdProvider, shop: Shop
) -> None:
    callback = "/auth/customer/google/callback"
    first, second = [await get_callback_params(anyone, provider) for _ in range(2)]
    for wrong in (
        {},
        {"code": first["code"]},
        {**first, "state": first["state"][:-1] + "x"},
        {**first, "state": second["state"]},  # state of another attempt, with another verifier
        {**second, "code": ""},
    ):
        refused = await anyone.get(callback, params=wrong)
        assert (refused.status_code, "token" in refused.text) == (401, False), wrong
    taken = await anyone.get(callback, params=await get_callback_params(anyone, provider))
    assert (taken.status_code, taken.json()["message"].partition(".")[0]) == (
        401,
        "An account with this e-mail address exists already",
    )
    provider.person["email_verified"] = False
    assert (await anyone.get(callback, params=await get_callback_params(anyone, provider))).status_code == 401
    assert await count_customers(shop) == 1
    for wrong_page in ("javascript:alert(1)", "tienda.example", "https://tienda.example/#a", "https://["):
        refused = await anyone.post("/auth/customer/google", json={"callback_url": wrong_page})
        assert refused.status_code == 400


async def test_new_google_account_requires_both_consents(
    new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    browser = new_browser()
    answer = await browser.get(await get_callback_url(browser, provider, "/cart"))
    assert answer.headers["location"] == "/account/consent?next=%2Fcart"
    assert (await read_session_email(shop, browser), await count_customers(shop)) == (None, 0)
    for missing in ({}, {"consent_data": "on"}, {**AGREED, "consent_data": "off"}):
        refused = await browser.post("/auth/account/google", json=missing)
        assert (refused.status_code, bool(refused.json()["fields"])) == (400, True)
    other = await new_browser().post(
        "/auth/account/google", json=AGREED
    )  # a browser that did not come from Google
    assert (other.status_code, other.json()["fields"]) == (400, {})
    assert await count_customers(shop) == 0
    assert (await browser.post("/auth/account/google", json=AGREED)).status_code == 200
    assert await read_session_email(shop, browser) == "ana@example.com"
    async with shop.database.read() as session:
        customer_id = (await session.execute(select(Customer.id))).scalar_one()
        given = await consents_of_customer(session, customer_id)
    assert [(one.kind, one.source) for one in given] == [("data", "google"), ("terms", "google")]
    assert (
        await browser.post("/auth/account/google", json=AGREED)
    ).status_code == 400  # the cookie works once


async def test_login_registered_earlier_by_a_stranger_does_not_open_the_google_account(
    anyone: httpx.AsyncClient, new_browser: NewBrowser, provider: OpenIdProvider, shop: Shop
) -> None:
    """Register a login with Ana's address over the API, as a stranger, before she comes from Google."""
    register, theirs = (
        "/auth/customer/emailpass/register",
        {"email": "ana@example.com", "password": "de otro, larga"},
    )
    assert (await anyone.post(register, json=theirs)).status_code == 200
    browser = new_browser()
    assert await sign_in_with_google(browser, provider) == "/account"
    chosen = {"password": "", "new_password": ANA["password"]}
    assert (await browser.post("/auth/account/password", json=chosen)).status_code == 200
    for password, expected in ((theirs["password"], 401), (ANA["password"], 200)):
        login = {"email": "ana@example.com", "password": password}
        assert (await new_browser().post("/auth/account/login", json=login)).status_code == expected
    again = {"password": "", "new_password": "otra clave larga"}
    assert (
        await browser.post("/auth/account/password", json=again)
    ).status_code == 400  # the account now has a password


async def test_concurrent_google_sign_ins_create_one_account(shop: Shop) -> None:
    """Let another request of the same person create the account first."""
    person = GooglePerson("77", "ana@example.com", True, "Ana", "Gómez")
    made = Customer(email=person.email)

    async def rival(session: AsyncSession) -> None:
        session.add(made)
        await session.flush()
        session.add(Login(provider="google", subject=person.subject, customer_id=made.id))

    async def act() -> str | None:
        return await find_or_create_account(shop.database, person, by_program=True)

    assert await run_against_rival(shop.database, rival, act) == made.id
    another = replace(person, subject="78")
    assert (
        await find_or_create_account(shop.database, another, by_program=True) is None
    )  # the owner must prove it first

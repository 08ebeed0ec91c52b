"""Consents: every purchase and account needs them, on all routes, and their proofs stay."""

from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart.owners import assign_customer, find_browser_cart
from backend.core.db.database import db_now
from backend.core.errors import InvalidData
from backend.customers.models import Customer
from backend.legal.consents import (
    ConsentContext,
    ConsentKind,
    ConsentProof,
    ConsentSource,
    consents_of_cart,
    consents_of_customer,
    give_consents,
    require_consents,
    withdraw_consent,
)
from backend.legal.models import Consent
from backend.legal.texts import LegalKind, current_text, fill_text, save_text
from backend.staff.rights import COMMAND_LINE
from tests.backend.rivals import run_against_rival
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, create_addressed_cart, find_shipping_option, post

IP = "190.24.1.1"


@pytest.fixture
async def variant(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", price=18_900, stocked=9)


async def create_cart(shop: Shop, variant: str) -> str:
    async with shop.database.transaction() as session:
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 1)
    await choose_pickup(shop, cart_id)
    return cart_id


async def read_proofs(shop: Shop, cart_id: str) -> list[ConsentProof]:
    async with shop.database.read() as session:
        return await consents_of_cart(session, cart_id)


@pytest.mark.parametrize(
    ("box", "value"), [("consent_data", ""), ("consent_data", None), ("consent_terms", "true")]
)
async def test_purchase_without_both_consents_is_refused(
    shop: Shop, variant: str, box: str, value: str | None
) -> None:
    cart_id = await create_cart(shop, variant)
    typed = {name: text for name, text in {**CHECKOUT_INPUT, box: value}.items() if text is not None}
    with pytest.raises(InvalidData) as refused:
        await shop.checkout.place_order(cart_id, typed, expected_total=18_900, ip=IP)
    assert list(refused.value.fields) == [box]
    assert await shop.checkout.find_placed_order(cart_id) is None
    assert await read_proofs(shop, cart_id) == []
    assert list(await shop.checkout.find_problems(typed, IP)) == [box]


async def test_proof_of_consent_contains_the_text_shown_at_that_time(shop: Shop, variant: str) -> None:
    cart_id = await create_cart(shop, variant)
    async with shop.database.read() as session:
        shown = fill_text(await current_text(session, LegalKind.TERMS), await shop.effective_settings.now())
    await shop.checkout.place_order(cart_id, CHECKOUT_INPUT, expected_total=18_900, ip=IP)
    async with shop.database.transaction() as session:
        await save_text(session, COMMAND_LINE, LegalKind.TERMS, "Otro", seen=1, is_reviewed=True)
    await shop.checkout.place_order(
        cart_id, CHECKOUT_INPUT, expected_total=18_900, ip="10.0.0.9"
    )  # the form is sent again
    data, terms = await read_proofs(shop, cart_id)
    assert (data.kind, terms.kind) == (ConsentKind.DATA, ConsentKind.TERMS)
    assert (terms.version, terms.digest, terms.text) == ("1", shown.digest, shown.text)
    assert (terms.client_ip, terms.source, terms.withdrawn_at) == (IP, "checkout", None)


async def test_repeated_consent_is_stored_once_per_version_of_the_text(shop: Shop) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.CHECKOUT)
    for version in (1, 1, 2):
        async with shop.database.transaction() as session:
            if version == 2:
                await save_text(session, COMMAND_LINE, LegalKind.TERMS, "Dos", seen=1, is_reviewed=True)
            await give_consents(session, who, cart_id="cart_1")
    given = [(one.kind, one.version) for one in await read_proofs(shop, "cart_1")]
    assert sorted(given) == [("data", "1"), ("terms", "1"), ("terms", "2")]


async def test_proof_of_a_withdrawn_consent_is_kept(shop: Shop) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.REGISTER)
    async with shop.database.transaction() as session:
        for customer in ("cus_1", "cus_2"):
            await give_consents(session, who, customer_id=customer)
    async with shop.database.transaction() as session:
        assert await withdraw_consent(session, "cus_1", ConsentKind.DATA) == 1
        assert await withdraw_consent(session, "cus_1", ConsentKind.DATA) == 0
    async with shop.database.read() as session:
        data, terms = await consents_of_customer(session, "cus_1")
        assert (data.withdrawn_at is not None, data.text != "", terms.withdrawn_at) == (True, True, None)
        assert [one.withdrawn_at for one in await consents_of_customer(session, "cus_2")] == [None, None]


async def test_withdrawn_consent_can_be_given_again_for_the_cart(shop: Shop) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.CHECKOUT)
    for agreed_before in (False, True):
        async with shop.database.transaction() as session:
            if agreed_before:
                assert await withdraw_consent(session, "cus_1", ConsentKind.DATA) == 1
                with pytest.raises(InvalidData):
                    await require_consents(session, "cart_1")
            for _pressed in range(2):
                await give_consents(session, who, cart_id="cart_1", customer_id="cus_1")
            await require_consents(session, "cart_1")
    given = [(one.kind, one.withdrawn_at is None) for one in await read_proofs(shop, "cart_1")]
    assert sorted(given) == [("data", False), ("data", True), ("terms", True)]


async def test_consent_given_during_a_withdrawal_is_valid(shop: Shop) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.CHECKOUT)

    async def give() -> None:
        async with shop.database.transaction() as session:
            await give_consents(session, who, cart_id="cart_1", customer_id="cus_1")

    async def rival(session: AsyncSession) -> None:
        assert await withdraw_consent(session, "cus_1", ConsentKind.DATA) == 1

    await give()
    await run_against_rival(shop.database, rival, give)
    async with shop.database.read() as session:
        await require_consents(session, "cart_1")


async def test_guest_consents_are_assigned_to_the_customer_who_agrees_again(shop: Shop) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.CHECKOUT)
    async with shop.database.transaction() as session:
        await give_consents(session, who, cart_id="cart_1")
        await give_consents(session, who, cart_id="cart_2")
        for customer in ("cus_1", "cus_2"):  # they stay assigned to the first
            await give_consents(session, who, cart_id="cart_1", customer_id=customer)
        owners = select(Consent.cart_id, Consent.customer_id).distinct().order_by(Consent.cart_id)
        assert (await session.execute(owners)).all() == [("cart_1", "cus_1"), ("cart_2", None)]
        assert await withdraw_consent(session, "cus_1", ConsentKind.DATA) == 1


@pytest.mark.parametrize(
    "way", ["a program gives it", "a browser signs in", "a browser signs in where there is a cart"]
)
async def test_guest_consents_are_assigned_to_the_customer_together_with_the_cart(
    shop: Shop, variant: str, way: str
) -> None:
    who = ConsentContext(shop.settings, IP, ConsentSource.CHECKOUT)
    cart_id = await create_cart(shop, variant)
    async with shop.database.transaction() as session:
        customer = Customer(email="ana@example.com")
        session.add(customer)
        await give_consents(session, who, cart_id=cart_id)
        await withdraw(session, cart_id, ConsentKind.TERMS)
    own = cart_id
    if way == "a browser signs in where there is a cart":
        own = await find_browser_cart(shop.database, await create_cart(shop, variant), customer.id)
    if way.startswith("a browser"):
        assert await find_browser_cart(shop.database, cart_id, customer.id) == own
    else:
        async with shop.database.transaction() as session:
            await assign_customer(session, await session.get_one(Cart, cart_id), customer.id)
    async with shop.database.read() as session:
        assert [one.kind for one in await consents_of_customer(session, customer.id)] == ["data"]


async def withdraw(session: AsyncSession, cart_id: str, kind: ConsentKind) -> None:
    """Withdraw a consent of a cart that has no customer yet."""
    ended = update(Consent).where(Consent.cart_id == cart_id, Consent.kind == kind)
    await session.execute(ended.values(withdrawn_at=db_now()))


async def test_consents_reported_by_an_api_client_are_stored_for_its_cart(
    shop: Shop, store: httpx.AsyncClient, variant: str
) -> None:
    told = [{"kind": "data", "version": "2026-01"}, {"kind": "terms", "version": "3"}]
    body = {"items": [{"variant_id": variant, "quantity": 1}], "consents": told[:1]}
    cart_id = (await post(store, "/store/carts", body))["cart"]["id"]
    await post(store, f"/store/carts/{cart_id}", {"consents": told})
    given = await read_proofs(shop, cart_id)
    assert [(one.kind, one.version, one.source, one.digest) for one in given] == [
        ("data", "2026-01", "api", ""),
        ("terms", "3", "api", ""),
    ]
    for wrong in ([{"kind": "soul", "version": "1"}], [{"kind": "data"}], [{"kind": "data", "version": ""}]):
        assert (await store.post(f"/store/carts/{cart_id}", json={"consents": wrong})).status_code == 400
    many = [{"kind": "data", "version": f"v{n}"} for n in range(10)]
    for batch in range(4):
        more = [{**one, "version": f"{one['version']}-{batch}"} for one in many]
        answer = await store.post(f"/store/carts/{cart_id}", json={"consents": more})
    assert answer.status_code == 400
    assert len(await read_proofs(shop, cart_id)) <= 30
    stranger = await store.post("/store/carts/cart_none", json={"consents": told})
    assert stranger.status_code == 404
    async with shop.database.read() as session:
        assert set((await session.execute(select(Consent.cart_id))).scalars()) == {cart_id}


@pytest.mark.parametrize("required", [False, True])
async def test_api_clients_must_report_consents_only_if_the_setting_requires_it(
    shop: Shop, api: FastAPI, store: httpx.AsyncClient, variant: str, required: bool
) -> None:
    settings = shop.settings.model_copy(update={"store_api_consents_required": required})
    api.state.checkout = replace(shop.checkout, settings=settings)
    cart_id = await create_addressed_cart(store, variant)
    chosen = await find_shipping_option(store, cart_id, "flat")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": chosen["id"]})
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    sessions = f"/store/payment-collections/{owed['id']}/payment-sessions"
    answer = await store.post(sessions, json={"provider_id": MANUAL})
    if required:
        assert (answer.status_code, "data, terms" in answer.text) == (400, True)
        told = [{"kind": kind, "version": "1"} for kind in ("data", "terms")]
        await post(store, f"/store/carts/{cart_id}", {"consents": told})
        await post(store, sessions, {"provider_id": MANUAL})
    assert (await post(store, f"/store/carts/{cart_id}/complete"))["type"] == "order"

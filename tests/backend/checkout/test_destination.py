"""A destination is one municipality, or refused: the fixed price is for a carrier that fails, not for wrong data."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.shipping.addresses import recipient
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import HOME, ok, option, post

LETICIA = "91001000"
NO_MUNICIPALITY = "The shipping address names no municipality"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=5)


def to(city: Any = None, province: Any = None, dane_code: Any = None) -> dict[str, Any]:
    code = {} if dane_code is None else {"dane_code": dane_code}
    return {**HOME, "city": city, "province": province, "metadata": {"suburb": "Centro", **code}}


async def cart_to(store: httpx.AsyncClient, trompo: str, address: dict[str, Any]) -> str:
    items = [{"variant_id": trompo, "quantity": 1}]
    told = {"items": items, "email": "ana@example.com", "shipping_address": address}
    cart = (await post(store, "/store/carts", told))["cart"]
    kept = {name: value for name, value in cart["shipping_address"].items() if name in address}
    assert kept == address  # as it was sent
    return str(cart["id"])


def asked_for(shop: Shop) -> list[str]:
    assert shop.sandbox.carrier is not None
    return [
        body["destination"]["daneCode"]
        for _, path, body in shop.sandbox.carrier.requests
        if path == "/quotation"
    ]


@pytest.mark.parametrize(
    "address",
    [
        to(dane_code=LETICIA),
        to(dane_code="91001"),
        to(dane_code=91001000),
        to("Leticia", "Amazonas", LETICIA),
        to("LETICIA", "AMAZONAS"),
        to("LETICIA (AMAZONAS)"),
        to("leticia, amazonas", "Amazonas"),
        to("Leticia", "91"),
        to("Leticia", "CO-AMA"),
        to("Leticia", "ama"),
        to("Leticia"),
    ],
)
async def test_a_municipality_is_understood_however_it_is_written(
    store: httpx.AsyncClient, shop: Shop, trompo: str, address: dict[str, Any]
) -> None:
    cart_id = await cart_to(store, trompo, address)
    offered = await option(store, cart_id, "calculated")
    assert asked_for(shop) == [LETICIA]
    path = f"/store/carts/{cart_id}/shipping-methods"
    cart = (await post(store, path, {"option_id": offered["id"]}))["cart"]
    assert cart["shipping_total"] == offered["amount"] > 15_000
    assert recipient(cart["shipping_address"], "ana@example.com").dane_code == LETICIA


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        (to(dane_code="zzz"), "metadata.dane_code: 'zzz' is no DANE code of a municipality"),
        (to(dane_code="99999999"), "metadata.dane_code: '99999999' is no DANE code of a municipality"),
        (to(dane_code=["91001000"]), "metadata.dane_code: 'what is no text' is no DANE code of a municipality"),
        (to(dane_code=10**15), "metadata.dane_code: 'a number' is no DANE code of a municipality"),
        (to("Macondo", "Magdalena"), "city: there is no municipality 'Macondo' in 'Magdalena'"),
        (to("Macondo"), "city: there is no municipality 'Macondo'"),
        (to("Leticia", "Antioquia"), "city: there is no municipality 'Leticia' in 'Antioquia'"),
        (
            to("Armenia"),
            "province: there are several municipalities 'Armenia' (Antioquia, Quindío): say which",
        ),
        (to("Leticia", "Amazonas", "11001000"), "province: 11001000 is Bogotá, D.C., Bogotá, D.C., not 'Amazonas'"),
        (to("LETICIA (AMAZONAS)", None, "05001"), "city: 05001000 is Medellín, Antioquia, not 'LETICIA (AMAZONAS)'"),
    ],
)  # fmt: skip
async def test_a_destination_that_is_none_is_refused_and_never_costs_the_fixed_price(
    store: httpx.AsyncClient, shop: Shop, trompo: str, address: dict[str, Any], problem: str
) -> None:
    bare = (await post(store, "/store/carts"))["cart"]["id"]
    calculated = await option(store, bare, "calculated")
    cart_id = await cart_to(store, trompo, address)
    refused = {"type": "invalid_data", "message": f"{NO_MUNICIPALITY} (shipping_address.{problem})"}
    listed = await store.get("/store/shipping-options", params={"cart_id": cart_id})
    assert (listed.status_code, listed.json()) == (400, refused)
    path = f"/store/shipping-options/{calculated['id']}/calculate"
    one = await store.post(path, json={"cart_id": cart_id})
    assert (one.status_code, one.json()) == (400, refused)
    chosen = await store.post(
        f"/store/carts/{cart_id}/shipping-methods", json={"option_id": calculated["id"]}
    )
    assert (chosen.status_code, chosen.json()) == (400, refused)
    assert asked_for(shop) == []


async def test_a_village_with_the_code_of_its_municipality_is_no_contradiction(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await cart_to(store, trompo, to("Santa Elena", "Antioquia", "05001000"))
    assert not (await option(store, cart_id, "calculated"))["metadata"]["is_fallback"]
    assert asked_for(shop) == ["05001000"]


async def test_another_city_voids_the_price_and_what_was_known_of_the_old_one(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await cart_to(store, trompo, to("Bogotá", "Cundinamarca", "11001000"))
    chosen = {"option_id": (await option(store, cart_id, "calculated"))["id"]}
    path = f"/store/carts/{cart_id}"
    await post(store, f"{path}/shipping-methods", chosen)
    moved = (await post(store, path, {"shipping_address": {"city": "Leticia", "province": "Amazonas"}}))[
        "cart"
    ]
    assert (moved["shipping_methods"], moved["shipping_total"]) == ([], 0)
    assert moved["shipping_address"]["metadata"] == {"suburb": "Centro"}
    await post(store, f"{path}/shipping-methods", chosen)
    assert asked_for(shop) == ["11001000", LETICIA]


async def test_a_city_that_is_written_otherwise_keeps_the_price(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await cart_to(store, trompo, to("Leticia", "Amazonas"))
    chosen = {"option_id": (await option(store, cart_id, "calculated"))["id"]}
    path = f"/store/carts/{cart_id}"
    cart = (await post(store, f"{path}/shipping-methods", chosen))["cart"]
    same = (await post(store, path, {"shipping_address": {"city": "LETICIA", "province": "CO-AMA"}}))["cart"]
    assert same["shipping_total"] == cart["shipping_total"] > 0


async def test_a_carrier_that_fails_costs_the_fixed_price(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """spec: Errors, calculatePrice fails."""
    assert shop.sandbox.carrier is not None
    shop.sandbox.carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION)
    offered = await option(store, await cart_to(store, trompo, to("Leticia", "Amazonas")), "calculated")
    assert (offered["amount"], offered["metadata"]["is_fallback"]) == (15_000, True)


async def test_a_customers_address_without_a_code_finds_its_municipality_in_the_address_book(
    store: httpx.AsyncClient, shop: Shop, settings: Settings
) -> None:
    from backend.storefront_views.account_page import address_book

    identity = {"email": "ana@example.com", "password": "un trompo rojo 7"}
    token = (await post(store, "/auth/customer/emailpass/register", identity))["token"]
    person = {"email": "ana@example.com", "first_name": "Ana", "last_name": "Gómez"}
    headers = {"authorization": f"Bearer {token}"}
    customer = (await ok(await store.post("/store/customers", json=person, headers=headers)))["customer"]
    login = (await post(store, "/auth/customer/emailpass", identity))["token"]
    headers = {"authorization": f"Bearer {login}"}
    await ok(await store.post("/store/customers/me/addresses", json=HOME, headers=headers))
    async with shop.database.read() as session:
        (entry,) = await address_book(session, customer["id"])
    assert entry.dane_code == "05001000"

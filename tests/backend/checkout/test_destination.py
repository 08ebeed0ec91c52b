"""A destination is one municipality, or is refused: the fixed price is for a failed carrier, not for wrong data."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.shipping.addresses import build_recipient
from tests.store_defaults import Defaults, add_product
from tests.store_steps import HOME, find_shipping_option, post, read_ok

LETICIA = "91001000"
NO_MUNICIPALITY = "The shipping address has no valid municipality"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5)


def make_address(city: Any = None, province: Any = None, dane_code: Any = None) -> dict[str, Any]:
    code = {} if dane_code is None else {"dane_code": dane_code}
    return {**HOME, "city": city, "province": province, "metadata": {"suburb": "Centro", **code}}


async def create_cart(store: httpx.AsyncClient, trompo: str, address: dict[str, Any]) -> str:
    items = [{"variant_id": trompo, "quantity": 1}]
    told = {"items": items, "email": "ana@example.com", "shipping_address": address}
    cart = (await post(store, "/store/carts", told))["cart"]
    kept = {name: value for name, value in cart["shipping_address"].items() if name in address}
    assert kept == address  # unchanged
    return str(cart["id"])


def list_requested_places(shop: Shop) -> list[str]:
    assert shop.sandbox.carrier is not None
    return [
        body["destination"]["daneCode"]
        for _, path, body in shop.sandbox.carrier.requests
        if path == "/quotation"
    ]


@pytest.mark.parametrize(
    "address",
    [
        make_address(dane_code=LETICIA),
        make_address(dane_code="91001"),
        make_address(dane_code=91001000),
        make_address("Leticia", "Amazonas", LETICIA),
        make_address("LETICIA", "AMAZONAS"),
        make_address("LETICIA (AMAZONAS)"),
        make_address("leticia, amazonas", "Amazonas"),
        make_address("Leticia", "91"),
        make_address("Leticia", "CO-AMA"),
        make_address("Leticia", "ama"),
        make_address("Leticia"),
    ],
)
async def test_municipality_is_recognized_in_any_spelling(
    store: httpx.AsyncClient, shop: Shop, trompo: str, address: dict[str, Any]
) -> None:
    cart_id = await create_cart(store, trompo, address)
    offered = await find_shipping_option(store, cart_id, "calculated")
    assert list_requested_places(shop) == [LETICIA]
    path = f"/store/carts/{cart_id}/shipping-methods"
    cart = (await post(store, path, {"option_id": offered["id"]}))["cart"]
    assert cart["shipping_total"] == offered["amount"] > 15_000
    assert build_recipient(cart["shipping_address"], "ana@example.com").dane_code == LETICIA


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        (make_address(dane_code="zzz"), "metadata.dane_code: 'zzz' is not a DANE code of a municipality"),
        (make_address(dane_code="99999999"), "metadata.dane_code: '99999999' is not a DANE code of a municipality"),
        (make_address(dane_code=["91001000"]), "metadata.dane_code: 'not a text' is not a DANE code of a municipality"),
        (make_address(dane_code=10**15), "metadata.dane_code: 'a number' is not a DANE code of a municipality"),
        (make_address("Macondo", "Magdalena"), "city: there is no municipality 'Macondo' in 'Magdalena'"),
        (make_address("Macondo"), "city: there is no municipality 'Macondo'"),
        (
            make_address("Leticia", "Antioquia"),
            "city: there is no municipality 'Leticia' in 'Antioquia'; similar names: Leticia (Amazonas)",
        ),
        (
            make_address("Armenia"),
            "province: there are several municipalities 'Armenia' (Antioquia, Quindío): choose one",
        ),
        (
            make_address("Leticia", "Amazonas", "11001000"),
            "province: 11001000 is Bogotá, D.C., Bogotá, D.C., not 'Amazonas'",
        ),
        (
            make_address("LETICIA (AMAZONAS)", None, "05001"),
            "city: 05001000 is Medellín, Antioquia, not 'LETICIA (AMAZONAS)'",
        ),
    ],
)  # fmt: skip
async def test_invalid_destination_is_refused_instead_of_priced_with_the_fixed_price(
    store: httpx.AsyncClient, shop: Shop, trompo: str, address: dict[str, Any], problem: str
) -> None:
    bare = (await post(store, "/store/carts"))["cart"]["id"]
    calculated = await find_shipping_option(store, bare, "calculated")
    cart_id = await create_cart(store, trompo, address)
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
    assert list_requested_places(shop) == []


async def test_village_with_the_code_of_its_municipality_is_accepted(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart(store, trompo, make_address("Santa Elena", "Antioquia", "05001000"))
    assert not (await find_shipping_option(store, cart_id, "calculated"))["metadata"]["is_fallback"]
    assert list_requested_places(shop) == ["05001000"]


async def test_new_city_removes_the_shipping_price_and_the_old_municipality_code(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart(store, trompo, make_address("Bogotá", "Cundinamarca", "11001000"))
    chosen = {"option_id": (await find_shipping_option(store, cart_id, "calculated"))["id"]}
    path = f"/store/carts/{cart_id}"
    await post(store, f"{path}/shipping-methods", chosen)
    moved = (await post(store, path, {"shipping_address": {"city": "Leticia", "province": "Amazonas"}}))[
        "cart"
    ]
    assert (moved["shipping_methods"], moved["shipping_total"]) == ([], 0)
    assert moved["shipping_address"]["metadata"] == {"suburb": "Centro"}
    await post(store, f"{path}/shipping-methods", chosen)
    assert list_requested_places(shop) == ["11001000", LETICIA]


async def test_other_spelling_of_the_city_does_not_change_the_shipping_price(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_id = await create_cart(store, trompo, make_address("Leticia", "Amazonas"))
    chosen = {"option_id": (await find_shipping_option(store, cart_id, "calculated"))["id"]}
    path = f"/store/carts/{cart_id}"
    cart = (await post(store, f"{path}/shipping-methods", chosen))["cart"]
    same = (await post(store, path, {"shipping_address": {"city": "LETICIA", "province": "CO-AMA"}}))["cart"]
    assert same["shipping_total"] == cart["shipping_total"] > 0


async def test_shipping_has_the_fixed_price_if_the_carrier_fails(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    """Let the carrier refuse the quotation (spec: Errors, calculatePrice fails)."""
    assert shop.sandbox.carrier is not None
    shop.sandbox.carrier.faults.plan(Fault.UNAUTHORIZED, Operation.QUOTATION)
    offered = await find_shipping_option(
        store, await create_cart(store, trompo, make_address("Leticia", "Amazonas")), "calculated"
    )
    assert (offered["amount"], offered["metadata"]["is_fallback"]) == (15_000, True)


async def test_address_in_the_address_book_gets_the_code_of_its_municipality(
    store: httpx.AsyncClient, shop: Shop, settings: Settings
) -> None:
    from backend.storefront_views.account_page import list_address_views

    identity = {"email": "ana@example.com", "password": "un trompo rojo 7"}
    token = (await post(store, "/auth/customer/emailpass/register", identity))["token"]
    person = {"email": "ana@example.com", "first_name": "Ana", "last_name": "Gómez"}
    headers = {"authorization": f"Bearer {token}"}
    customer = (await read_ok(await store.post("/store/customers", json=person, headers=headers)))["customer"]
    login = (await post(store, "/auth/customer/emailpass", identity))["token"]
    headers = {"authorization": f"Bearer {login}"}
    await read_ok(await store.post("/store/customers/me/addresses", json=HOME, headers=headers))
    async with shop.database.read() as session:
        (entry,) = await list_address_views(session, customer["id"])
    assert entry.dane_code == "05001000"

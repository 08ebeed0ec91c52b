"""A region offers exactly the payment providers in its list (spec: What the service does 1)."""

import asyncio

import httpx
import pytest
from sqlalchemy import delete

from backend.app import Shop
from backend.channels.models import Region
from tests.store_defaults import Defaults, add_product, offer_payment
from tests.store_steps import MANUAL, PSE, create_cart_with_shipping, create_payment_collection, get, post


@pytest.fixture
async def region(shop: Shop, admin: httpx.AsyncClient) -> str:
    """Return the path of the region, which offers only PSE, like a new shop's."""
    async with shop.database.transaction() as session:
        await offer_payment(session, PSE)
    (region,) = (await get(admin, "/admin/regions"))["regions"]
    return f"/admin/regions/{region['id']}"


async def test_only_payment_providers_offered_by_the_region_can_be_used(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, region: str
) -> None:
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo")
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    refused = await store.post(path, json={"provider_id": MANUAL})
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert MANUAL in refused.json()["message"]
    providers = {"payment_providers": [PSE, MANUAL]}
    changed = (await post(admin, region, providers))["region"]
    assert [list_offered["id"] for list_offered in changed["payment_providers"]] == [PSE, MANUAL]
    session = (await create_payment_collection(store, cart_id))["payment_sessions"][0]
    assert (session["provider_id"], session["status"]) == (MANUAL, "pending")


async def test_store_api_lists_the_payment_providers_of_the_region(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, region: str
) -> None:
    region_id = region.rsplit("/", 1)[1]

    async def list_offered() -> list[str]:
        answer = await get(store, "/store/payment-providers", region_id=region_id)
        return [provider["id"] for provider in answer["payment_providers"]]

    assert await list_offered() == [PSE]
    await post(admin, region, {"payment_providers": [PSE, MANUAL]})
    assert await list_offered() == [PSE, MANUAL]


async def test_new_region_that_names_no_provider_offers_only_pse(
    admin: httpx.AsyncClient, shop: Shop, region: str
) -> None:
    """Check that a new region offers `pp_system_default` only if its request names it, as on the platform."""
    async with shop.database.transaction() as session:
        await session.execute(delete(Region))
    made = (await post(admin, "/admin/regions", {"name": "Colombia", "currency_code": "cop"}))["region"]
    assert made["payment_providers"] == [{"id": PSE, "is_enabled": True}]


async def test_provider_that_the_shop_does_not_use_is_not_listed(
    admin: httpx.AsyncClient, shop: Shop, region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shop.payments, "providers", {MANUAL: shop.payments.providers[MANUAL]})
    shown = (await get(admin, region))["region"]
    assert shown["payment_providers"] == []
    assert (await get(admin, "/admin/regions"))["regions"] == [shown]
    providers = {"payment_providers": [one["id"] for one in shown["payment_providers"]]}
    await post(admin, region, {"name": "Toda Colombia", **providers})  # a form that returns its values


async def test_region_accepts_only_providers_of_the_shop(admin: httpx.AsyncClient, region: str) -> None:
    answer = await admin.post(region, json={"payment_providers": ["pp_stripe"]})
    assert (answer.status_code, "pp_stripe" in answer.json()["message"]) == (400, True)
    assert (await get(admin, region))["region"]["payment_providers"] == [{"id": PSE, "is_enabled": True}]
    assert (await admin.post("/admin/regions/reg_nobody", json={})).status_code == 404


async def test_region_change_without_payment_providers_does_not_change_them(
    admin: httpx.AsyncClient, region: str
) -> None:
    changed = (await post(admin, region, {}))["region"]
    assert changed["payment_providers"] == [{"id": PSE, "is_enabled": True}]


async def test_changed_region_is_returned_with_its_new_values(admin: httpx.AsyncClient, region: str) -> None:
    change = {
        "name": "Toda Colombia",
        "currency_code": "COP",
        "countries": ["co"],
        "automatic_taxes": True,
        "metadata": {"a": 1},
    }
    changed = (await post(admin, region, change))["region"]
    assert (changed["name"], changed["currency_code"], changed["metadata"]) == (
        "Toda Colombia",
        "cop",
        {"a": 1},
    )
    assert (await get(admin, region))["region"] == changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"currency_code": "usd"}, '"cop", not "usd"'),
        ({"countries": ["ve"]}, '["co"]'),
        ({"countries": ["co", "ve"]}, '["co"]'),
        ({"countries": []}, '["co"]'),
        ({"automatic_taxes": False}, "automatic_taxes"),
    ],
)
async def test_region_other_than_colombia_in_pesos_is_refused(
    admin: httpx.AsyncClient, region: str, change: dict[str, object], message: str
) -> None:
    for path, body in (
        (region, change),
        ("/admin/regions", {"name": "Otra", "currency_code": "cop", **change}),
    ):
        answer = await admin.post(path, json=body)
        assert (answer.status_code, message in answer.json()["message"]) == (400, True), answer.text


async def test_second_region_is_refused_and_the_only_one_cannot_be_deleted(
    admin: httpx.AsyncClient, region: str
) -> None:
    again = await admin.post("/admin/regions", json={"name": "Colombia 2", "currency_code": "cop"})
    assert (again.status_code, "already assigned" in again.json()["message"]) == (400, True)
    gone = await admin.delete(region)
    assert (gone.status_code, "last region" in gone.json()["message"]) == (400, True)


async def test_only_one_of_two_concurrently_created_regions_is_stored(
    admin: httpx.AsyncClient, shop: Shop, region: str
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(Region))
    new = {"name": "Colombia", "currency_code": "cop", "countries": ["co"], "payment_providers": [MANUAL]}
    wrong = await admin.post("/admin/regions", json={**new, "payment_providers": ["pp_stripe"]})
    assert wrong.status_code == 400
    answers = await asyncio.gather(*(admin.post("/admin/regions", json=new) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    (made,) = (await get(admin, "/admin/regions"))["regions"]
    assert made["payment_providers"] == [{"id": MANUAL, "is_enabled": True}]


async def test_second_region_can_be_deleted_if_no_cart_uses_it(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, region: str
) -> None:
    async with shop.database.transaction() as session:
        other = Region(name="Colombia, por error")
        session.add(other)
    await post(store, "/store/carts", {"region_id": region.rsplit("/", 1)[1]})
    used = await admin.delete(region)
    assert (used.status_code, "Carts or orders" in used.json()["message"]) == (400, True)
    gone = await admin.delete(f"/admin/regions/{other.id}")
    assert gone.json() == {"id": other.id, "object": "region", "deleted": True}
    assert (await admin.delete(f"/admin/regions/{other.id}")).status_code == 404

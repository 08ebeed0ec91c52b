"""Regions of new carts are cached until the database reports a change."""

import httpx
from sqlalchemy import update

from backend.app import Shop
from backend.channels.models import Region
from tests.store_defaults import Defaults


async def region_of_new_cart(store: httpx.AsyncClient, **sent: str) -> dict[str, str]:
    answer = await store.post("/store/carts", json=sent)
    assert answer.status_code == 200, answer.text
    region: dict[str, str] = answer.json()["cart"]["region"]
    return region


async def test_new_cart_has_the_latest_region_values_on_every_replica(
    store: httpx.AsyncClient, replica: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    first = await region_of_new_cart(store)
    assert await region_of_new_cart(replica, region_id=first["id"]) == first
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(name="Todo el país"))
    for anywhere in (store, replica):
        assert (await region_of_new_cart(anywhere))["name"] == "Todo el país"
        assert (await region_of_new_cart(anywhere, region_id=first["id"]))["name"] == "Todo el país"


async def test_region_of_new_carts_is_read_from_the_database_only_once(
    store: httpx.AsyncClient, shop_defaults: Defaults, statements: list[str]
) -> None:
    await region_of_new_cart(store)
    statements.clear()
    await region_of_new_cart(store)
    assert not any("FROM region" in statement for statement in statements)


async def test_unknown_region_is_refused_until_it_is_created(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    answer = await store.post("/store/carts", json={"region_id": "reg_new"})
    assert (answer.status_code, answer.json()["message"]) == (404, "No regions found")
    async with shop.database.transaction() as session:
        session.add(Region(id="reg_new", name="Las islas"))
    assert (await region_of_new_cart(store, region_id="reg_new"))["name"] == "Las islas"


async def test_empty_region_id_is_not_the_default_region(
    store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await region_of_new_cart(store)
    answer = await store.post("/store/carts", json={"region_id": "None"})
    assert (answer.status_code, answer.json()["message"]) == (404, "No regions found")

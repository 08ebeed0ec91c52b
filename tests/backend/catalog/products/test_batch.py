"""Batches of products in the Admin API: all changes are made, or none."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from tests.backend.catalog.test_admin_catalogue import TROMPO, list_published_products, product
from tests.store_steps import get, post

BATCH = "/admin/products/batch"


async def sample_products(admin: httpx.AsyncClient) -> list[dict[str, Any]]:
    return (await get(admin, "/admin/products", fields="id,title,handle", order="handle"))["products"]  # type: ignore[no-any-return]


async def test_batch_deletes_changes_and_creates_products(admin: httpx.AsyncClient, shop: Shop) -> None:
    old = await product(admin)
    kept = await product(admin, title="Yoyó", variants=[{"prices": [{"amount": 9_000}]}])
    answer = await post(
        admin,
        BATCH,
        {
            # the new product takes the handle and the SKU of the deleted one
            "create": [TROMPO, {"title": "Balero", "price": 20_000}],
            "update": [{"id": kept["id"], "price": 8_000}],
            "delete": [old["id"]],
        },
    )
    assert answer["deleted"] == {"ids": [old["id"]], "object": "product", "deleted": True}
    (changed,) = answer["updated"]
    assert (changed["id"], changed["variants"][0]["prices"][0]["amount"]) == (kept["id"], 8_000)
    trompo, balero = answer["created"]
    assert (trompo["handle"], trompo["variants"][0]["sku"]) == ("trompo-de-lamina", "TR-1")
    assert (balero["title"], balero["status"]) == ("Balero", "draft")
    assert {toy["id"] for toy in await sample_products(admin)} == {kept["id"], trompo["id"], balero["id"]}
    assert await list_published_products(shop) == {old["id"], kept["id"], trompo["id"], balero["id"]}


async def test_batch_returns_requested_fields_and_may_be_empty(admin: httpx.AsyncClient) -> None:
    answer = (await admin.post(f"{BATCH}?fields=id,title", json={"create": [TROMPO]})).json()
    (made,) = answer["created"]
    assert made == {"id": made["id"], "title": TROMPO["title"]}
    nothing = {"created": [], "updated": [], "deleted": {"ids": [], "object": "product", "deleted": True}}
    assert await post(admin, BATCH, {}) == nothing


@pytest.mark.parametrize(
    ("batch", "status", "message"),
    [
        ({"create": [{"title": "Otro", "handle": "trompo-de-lamina"}]}, 400, "trompo-de-lamina"),
        ({"create": [{"title": "Uno", "handle": "uno"}, {"title": "Dos", "handle": "uno"}]}, 400, "uno"),
        ({"update": [{"id": "prod_nosuch", "title": "Nada"}]}, 404, "prod_nosuch"),
        ({"delete": ["prod_nosuch"]}, 404, "prod_nosuch"),
        ({"update": [{"title": "Nada"}]}, 400, "'update, 0, id' is required"),
        ({"update": [{"id": "{toy}", "title": "Va"}], "delete": ["{toy}"]}, 404, "{toy}"),
        ({"create": [{"title": "Va"}], "delete": ["{toy}", "prod_nosuch"]}, 404, "prod_nosuch"),
        ({"delete": ["prod_1"] * 101}, 400, "A batch has 100 products at most"),
    ],
)
async def test_invalid_product_rejects_the_whole_batch(
    admin: httpx.AsyncClient, batch: dict[str, Any], status: int, message: str
) -> None:
    toy = await product(admin)
    before = await sample_products(admin)

    def replace_names(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: replace_names(one) for name, one in value.items()}
        if isinstance(value, list):
            return [replace_names(one) for one in value]
        return value.replace("{toy}", toy["id"])

    first = {"title": "Antes", "handle": "antes"}  # would be created if the rest were valid
    refused = await admin.post(
        BATCH, json=replace_names({**batch, "create": [*batch.get("create", []), first]})
    )
    assert refused.status_code == status, refused.text
    assert replace_names(message) in refused.json()["message"]
    assert await sample_products(admin) == before


async def test_product_listed_twice_in_a_batch_is_deleted_once(admin: httpx.AsyncClient) -> None:
    toy = await product(admin)
    answer = await post(admin, BATCH, {"delete": [toy["id"], toy["id"]]})
    assert answer["deleted"]["ids"] == [toy["id"]]
    assert await sample_products(admin) == []

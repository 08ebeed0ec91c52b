"""Batches of variants in the Admin API: all changes are made, or none."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from tests.backend.catalog.products.test_options import (
    PRODUCTS,
    create_product,
    read_variant_values,
    variant_body,
)
from tests.backend.catalog.test_admin_catalogue import list_published_products
from tests.store_steps import get, post


async def test_batch_deletes_changes_and_creates_variants(admin: httpx.AsyncClient, shop: Shop) -> None:
    cart = await create_product(
        admin, variants=[variant_body("Rojo", "S", sku="R"), variant_body("Azul", "S", sku="A")]
    )
    red, blue = cart["variants"]
    path = f"{PRODUCTS}/{cart['id']}/variants/batch"
    answer = await post(
        admin,
        path,
        {
            # the new variant takes the SKU and the values of the deleted one
            "create": [variant_body("Rojo", "S", 30_000, sku="R")],
            "update": [{"id": blue["id"], "sku": "B", "prices": [{"amount": 20_000}]}],
            "delete": [red["id"]],
        },
    )
    assert answer["deleted"] == {"ids": [red["id"]], "object": "variant", "deleted": True}
    (new,), (changed,) = answer["created"], answer["updated"]
    assert (changed["id"], changed["sku"], changed["prices"][0]["amount"]) == (blue["id"], "B", 20_000)
    assert (new["title"], new["sku"], new["prices"][0]["amount"]) == ("Rojo / S", "R", 30_000)
    left = (await get(admin, f"{PRODUCTS}/{cart['id']}"))["product"]
    assert [one["id"] for one in left["variants"]] == [blue["id"], new["id"]]
    assert await list_published_products(shop) == {cart["id"]}
    none_left = await admin.post(path, json={"delete": [blue["id"], new["id"]]})
    assert (none_left.status_code, none_left.json()["message"]) == (
        400,
        "A product keeps at least one variant",
    )
    # all are deleted, and a new one is created
    answer = await post(
        admin, path, {"create": [variant_body("Azul", "M")], "delete": [blue["id"], new["id"]]}
    )
    left = (await get(admin, f"{PRODUCTS}/{cart['id']}"))["product"]
    assert read_variant_values(left) == [("Azul / M", {"Color": "Azul", "Talla": "M"})]


@pytest.mark.parametrize(
    ("batch", "status", "message"),
    [
        ({"delete": ["variant_nosuch"]}, 404, "variant_nosuch"),
        ({"update": [{"id": "variant_nosuch", "sku": "X"}]}, 404, "variant_nosuch"),
        ({"update": [{"id": "{first}", "sku": "X"}], "delete": ["{first}"]}, 404, "{first}"),
        ({"update": [{"sku": "X"}]}, 400, "'update, 0, id' is required"),
        ({"create": [{"title": "Sin precio"}]}, 400, "'create, 0, prices' is required"),
        ({"create": [variant_body("Rojo", "S")]}, 400, "same combination of option values"),
        ({"create": [variant_body("Verde", "S")]}, 400, "Verde does not exist"),
    ],
)
async def test_invalid_variant_rejects_the_whole_batch(
    admin: httpx.AsyncClient, batch: dict[str, Any], status: int, message: str
) -> None:
    cart = await create_product(admin)
    ids = dict(zip(("{first}", "{second}", "{third}"), (one["id"] for one in cart["variants"]), strict=True))

    def replace_names(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: replace_names(one) for name, one in value.items()}
        if isinstance(value, list):
            return [replace_names(one) for one in value]
        return ids.get(value, value)

    path = f"{PRODUCTS}/{cart['id']}"
    wanted = {**batch, "update": [*batch.get("update", []), {"id": ids["{second}"], "sku": "NO"}]}
    refused = await admin.post(f"{path}/variants/batch", json=replace_names(wanted))
    assert refused.status_code == status, refused.text
    assert replace_names(message) in refused.json()["message"]
    assert (await get(admin, path))["product"]["variants"] == cart["variants"]


async def test_path_variants_batch_is_not_read_as_a_variant_id(admin: httpx.AsyncClient) -> None:
    missing = await admin.post(f"{PRODUCTS}/prod_nosuch/variants/batch", json={})
    assert (missing.status_code, missing.json()["message"]) == (
        404, 'Product with id "prod_nosuch" not found',
    )  # fmt: skip

"""Several variants of a product at once over the Admin API: all of it, or nothing."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from tests.backend.catalog.products.test_options import PRODUCTS, made, variant, variants_of
from tests.backend.catalog.test_admin_catalogue import told_of
from tests.store_steps import get, post


async def test_a_batch_deletes_changes_and_creates(admin: httpx.AsyncClient, shop: Shop) -> None:
    cart = await made(admin, variants=[variant("Rojo", "S", sku="R"), variant("Azul", "S", sku="A")])
    red, blue = cart["variants"]
    path = f"{PRODUCTS}/{cart['id']}/variants/batch"
    answer = await post(
        admin,
        path,
        {
            # the new one takes the SKU and the values of the one that goes
            "create": [variant("Rojo", "S", 30_000, sku="R")],
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
    assert await told_of(shop) == {cart["id"]}
    none_left = await admin.post(path, json={"delete": [blue["id"], new["id"]]})
    assert (none_left.status_code, none_left.json()["message"]) == (
        400,
        "A product keeps at least one variant",
    )
    # all of them go, and another comes
    answer = await post(admin, path, {"create": [variant("Azul", "M")], "delete": [blue["id"], new["id"]]})
    left = (await get(admin, f"{PRODUCTS}/{cart['id']}"))["product"]
    assert variants_of(left) == [("Azul / M", {"Color": "Azul", "Talla": "M"})]


@pytest.mark.parametrize(
    ("batch", "status", "said"),
    [
        ({"delete": ["variant_nosuch"]}, 404, "variant_nosuch"),
        ({"update": [{"id": "variant_nosuch", "sku": "X"}]}, 404, "variant_nosuch"),
        ({"update": [{"id": "{first}", "sku": "X"}], "delete": ["{first}"]}, 404, "{first}"),
        ({"update": [{"sku": "X"}]}, 400, "'update, 0, id' is required"),
        ({"create": [{"title": "Sin precio"}]}, 400, "'create, 0, prices' is required"),
        ({"create": [variant("Rojo", "S")]}, 400, "same combination of option values"),
        ({"create": [variant("Verde", "S")]}, 400, "Verde does not exist"),
    ],
)
async def test_what_cannot_be_done_stops_the_rest(
    admin: httpx.AsyncClient, batch: dict[str, Any], status: int, said: str
) -> None:
    cart = await made(admin)
    ids = dict(zip(("{first}", "{second}", "{third}"), (one["id"] for one in cart["variants"]), strict=True))

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: named(one) for name, one in value.items()}
        if isinstance(value, list):
            return [named(one) for one in value]
        return ids.get(value, value)

    path = f"{PRODUCTS}/{cart['id']}"
    wanted = {**batch, "update": [*batch.get("update", []), {"id": ids["{second}"], "sku": "NO"}]}
    refused = await admin.post(f"{path}/variants/batch", json=named(wanted))
    assert refused.status_code == status, refused.text
    assert named(said) in refused.json()["message"]
    assert (await get(admin, path))["product"]["variants"] == cart["variants"]


async def test_batch_is_no_id(admin: httpx.AsyncClient) -> None:
    missing = await admin.post(f"{PRODUCTS}/prod_nosuch/variants/batch", json={})
    assert (missing.status_code, missing.json()["message"]) == (
        404, 'Product with id "prod_nosuch" not found',
    )  # fmt: skip

"""Routes of options of all products in both APIs, on both databases."""

from typing import Any

import httpx

from tests.backend.catalog.products.test_options import PRODUCTS, create_product, read_variant_values
from tests.backend.catalog.test_admin_catalogue import product
from tests.store_steps import get, post

OPTIONS = "/admin/product-options"


async def test_options_of_all_products_are_listed(admin: httpx.AsyncClient, store: httpx.AsyncClient) -> None:
    cart = await create_product(admin)
    hidden = await create_product(admin, title="Oculto", handle="oculto", status="draft")
    colour, size = cart["options"]

    async def find_ids(client: httpx.AsyncClient, **asked: Any) -> list[str]:
        path = OPTIONS if client is admin else "/store/product-options"
        return [one["id"] for one in (await get(client, path, **asked))["product_options"]]

    assert await find_ids(store) == [colour["id"], size["id"]]
    assert set(await find_ids(admin)) == {one["id"] for one in (*cart["options"], *hidden["options"])}
    assert await find_ids(store, q="tal") == await find_ids(store, title="Talla") == [size["id"]]
    assert await find_ids(store, order="-title") == [size["id"], colour["id"]]
    assert await find_ids(store, is_exclusive=True) == []
    assert await find_ids(store, **{"$or[0][title]": "Talla", "$or[1][q]": "x"}) == [size["id"]]

    one = (await get(store, f"/store/product-options/{size['id']}"))["product_option"]
    assert [value["value"] for value in one["values"]] == ["S", "M", "L"]
    assert (await store.get(f"/store/product-options/{hidden['options'][0]['id']}")).status_code == 404
    mine = (await get(admin, f"{OPTIONS}/{hidden['options'][0]['id']}"))["product_option"]
    assert [of["id"] for of in mine["products"]] == [hidden["id"]]
    assert (await admin.get(f"{OPTIONS}/opt_nosuch")).status_code == 404


async def test_products_are_filtered_by_options(admin: httpx.AsyncClient, store: httpx.AsyncClient) -> None:
    cart = await create_product(admin)
    hidden = await create_product(admin, title="Oculto", handle="oculto", status="draft")
    values = {option["title"]: option["values"][0]["id"] for option in cart["options"]}

    async def find_ids(client: httpx.AsyncClient, **asked: Any) -> list[str]:
        path = "/admin/products" if client is admin else "/store/products"
        return [one["id"] for one in (await get(client, path, **asked))["products"]]

    assert await find_ids(store, option_id=cart["options"][0]["id"]) == [cart["id"]]
    assert await find_ids(store, option_value_id=values["Talla"]) == [cart["id"]]
    assert await find_ids(store, option_id=hidden["options"][0]["id"]) == []
    assert await find_ids(admin, option_id=hidden["options"][0]["id"]) == [hidden["id"]]
    implied = f"opt_{cart['id'].partition('_')[2]}"
    assert await find_ids(store, option_id=implied) == []
    either = {"$or[0][option_id]": "opt_nosuch", "$or[1][option_value_id]": values["Talla"]}
    assert await find_ids(store, **either) == [cart["id"]]


async def test_default_option_of_a_product_without_options_can_be_read_and_changed(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    created = await product(admin)
    (option,) = created["options"]
    shown = (await get(store, f"/store/product-options/{option['id']}"))["product_option"]
    assert (shown["title"], [one["value"] for one in shown["values"]]) == ("Presentación", ["Grande"])
    changed = (await post(admin, f"{OPTIONS}/{option['id']}", {"title": "Tamaño"}))["product_option"]
    assert (changed["title"], changed["values"][0]["id"]) == ("Tamaño", option["values"][0]["id"])


async def test_option_and_values_are_changed_and_deleted(admin: httpx.AsyncClient) -> None:
    cart = await create_product(admin)
    colour, size = cart["options"]
    path = f"{OPTIONS}/{size['id']}"
    listing = await get(admin, f"{path}/values", limit=2)
    assert ([one["value"] for one in listing["product_option_values"]], listing["count"]) == (["S", "M"], 3)
    small, _medium, large = size["values"]
    value = f"{path}/values/{small['id']}"
    assert (await get(admin, value))["product_option_value"]["value"] == "S"
    of_another = await admin.get(f"{OPTIONS}/{colour['id']}/values/{small['id']}")
    assert of_another.status_code == 404

    renamed = (await post(admin, value, {"value": "Pequeño"}))["product_option_value"]
    assert (renamed["id"], renamed["value"]) == (small["id"], "Pequeño")
    now = (await get(admin, f"{PRODUCTS}/{cart['id']}"))["product"]
    assert [title for title, _ in read_variant_values(now)] == ["Rojo / Pequeño", "Rojo / M", "El azul"]
    assert (await admin.post(value, json={"value": "M"})).status_code == 400

    used = await admin.delete(value)
    assert (used.status_code, used.json()["type"]) == (400, "not_allowed")
    gone = await admin.delete(f"{path}/values/{large['id']}")
    assert gone.json() == {"id": large["id"], "object": "product_option_value", "deleted": True}
    changed = await post(admin, path, {"values": ["M", "Pequeño", "XL"], "metadata": {"a": 1}})
    option = changed["product_option"]
    assert [one["value"] for one in option["values"]] == ["M", "Pequeño", "XL"]
    assert option["metadata"] == {"a": 1}

    kept = await admin.delete(path)  # two variants would have equal values
    assert kept.status_code == 400
    alone = await create_product(admin, title="Solo", handle="solo", variants=[cart_variant()])
    gone = await admin.delete(f"{OPTIONS}/{alone['options'][0]['id']}")
    assert gone.json() == {"id": alone["options"][0]["id"], "object": "product_option", "deleted": True}
    left = (await get(admin, f"{PRODUCTS}/{alone['id']}"))["product"]
    assert [one["title"] for one in left["options"]] == ["Talla"]


def cart_variant() -> dict[str, Any]:
    return {"options": {"Color": "Rojo", "Talla": "S"}, "prices": [{"amount": 1}]}

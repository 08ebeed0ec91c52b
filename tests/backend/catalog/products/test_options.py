"""Options of products: API clients and customers see what was sent, and invalid options are refused."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.views import ProductDetail
from tests.store_steps import get, post

PRODUCTS = "/admin/products"


def variant_body(colour: str, size: str, amount: int = 10_000, **more: Any) -> dict[str, Any]:
    """Return the body of a variant."""
    return {"options": {"Color": colour, "Talla": size}, "prices": [{"amount": amount}], **more}


CART = {
    "title": "Carro",
    "handle": "carro",
    "status": "published",
    "options": [
        {"title": "Color", "values": ["Rojo", "Azul"]},
        {"title": "Talla", "values": ["S", "M", "L"]},
    ],
    "variants": [
        variant_body("Rojo", "S"),
        variant_body("Rojo", "M", 12_000),
        variant_body("Azul", "S", title="El azul"),
    ],
}


async def create_product(admin: httpx.AsyncClient, **other: Any) -> dict[str, Any]:
    """Create the product and return the response."""
    product: dict[str, Any] = (await post(admin, PRODUCTS, {**CART, **other}))["product"]
    return product


def read_option_values(product: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the options of a product with their values."""
    return [(one["title"], [value["value"] for value in one["values"]]) for one in product["options"]]


def read_variant_values(product: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Return the titles of the variants with their values."""
    return [
        (one["title"], {chosen["option"]["title"]: chosen["value"] for chosen in one["options"]})
        for one in product["variants"]
    ]


async def read_detail(shop: Shop) -> ProductDetail:
    """Return the content of the product page."""
    async with shop.database.read() as session:
        return await product_detail(session, "carro")


async def test_options_of_a_product_are_returned_as_sent(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop
) -> None:
    product = await create_product(admin)
    options = [("Color", ["Rojo", "Azul"]), ("Talla", ["S", "M", "L"])]
    variants = [
        ("Rojo / S", {"Color": "Rojo", "Talla": "S"}),
        ("Rojo / M", {"Color": "Rojo", "Talla": "M"}),
        ("El azul", {"Color": "Azul", "Talla": "S"}),
    ]
    shown = (await get(store, f"/store/products/{product['id']}"))["product"]
    for one in (product, shown):
        assert read_option_values(one) == options
        assert read_variant_values(one) == variants
    colour = product["options"][0]
    chosen = product["variants"][0]["options"][0]
    assert chosen["option_id"] == colour["id"]
    assert chosen["id"] == colour["values"][0]["id"]
    # no variant is an L, so it cannot be chosen
    page = await read_detail(shop)
    assert [(one.title, one.choices) for one in page.options] == [
        ("Color", ["Rojo", "Azul"]), ("Talla", ["S", "M"])
    ]  # fmt: skip
    assert [one.values for one in page.variants] == [["Rojo", "S"], ["Rojo", "M"], ["Azul", "S"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"variants": [variant_body("Rojo", "S"), variant_body("Rojo", "S", title="Otro")]},
            'Variant "Rojo / S" has same combination of option values as "Otro".',
        ),
        ({"variants": [variant_body("Verde", "S")]}, "Option value Verde does not exist for option Color"),
        (
            {"variants": [{"title": "X", "options": {"Color": "Rojo"}, "prices": [{"amount": 1}]}]},
            'Product "Carro" has variants with missing options: [Color, Talla]',
        ),
        (
            {"options": [{"title": "Color", "values": ["Rojo"]}, {"title": "Color", "values": ["Azul"]}]},
            "Product has several options with the same title: Color, Color.",
        ),
        ({"options": None}, "Product options are not provided for: [Carro]."),
    ],
)
async def test_invalid_options_are_refused_without_changes(
    admin: httpx.AsyncClient, change: dict[str, Any], message: str
) -> None:
    body = {name: value for name, value in {**CART, **change}.items() if value is not None}
    refused = await admin.post(PRODUCTS, json=body)
    assert (refused.status_code, refused.json()["message"]) == (400, message)
    assert (await get(admin, PRODUCTS))["count"] == 0


async def test_options_sent_back_with_changes_update_the_product_and_its_variants(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    product = await create_product(admin)
    path = f"{PRODUCTS}/{product['id']}"
    red, _medium, blue = product["variants"]
    options = [
        {"title": "Talla", "values": ["S", "XL"]},
        {"id": product["options"][0]["id"], "title": "Tono", "values": ["Azul", "Rojo"]},
    ]
    said = [
        {"id": blue["id"], "options": {"Tono": "Azul", "Talla": "XL"}},
        {"id": red["id"]},
        {"options": {"Tono": "Azul", "Talla": "S"}, "prices": [{"amount": 5_000}]},
    ]
    changed = (await post(admin, path, {"options": options, "variants": said}))["product"]
    assert read_option_values(changed) == [("Talla", ["S", "XL"]), ("Tono", ["Azul", "Rojo"])]
    assert sorted(read_variant_values(changed), key=str) == [
        ("El azul", {"Talla": "XL", "Tono": "Azul"}),
        ("Rojo / S", {"Talla": "S", "Tono": "Rojo"}),
        ("S / Azul", {"Talla": "S", "Tono": "Azul"}),
    ]
    one = next(one for one in changed["variants"] if one["title"] == "S / Azul")
    moved = await post(admin, f"{path}/variants/{one['id']}", {"options": {"Tono": "Rojo", "Talla": "XL"}})
    assert ("XL / Rojo", {"Talla": "XL", "Tono": "Rojo"}) in read_variant_values(moved["product"])
    taken = await admin.post(
        f"{path}/variants/{one['id']}", json={"options": {"Tono": "Azul", "Talla": "XL"}}
    )
    assert taken.status_code == 400
    few = await admin.post(f"{path}/variants/{one['id']}", json={"options": {"Tono": "Azul"}})
    assert few.json()["message"] == (
        "Product has 2 option values but there were 1 provided option values for the variant: XL / Rojo."
    )
    left_out = await admin.post(path, json={"options": [{"title": "Tono", "values": ["Rojo"]}]})
    assert left_out.json()["message"] == "Cannot delete option value Azul: a variant has it."
    # without options, variants differ only by their titles again
    assert read_option_values((await post(admin, path, {"options": []}))["product"])[0][0] == "Presentación"
    assert [one.title for one in (await read_detail(shop)).options] == ["Presentación"]


async def test_default_option_that_is_sent_back_unchanged_is_not_stored(admin: httpx.AsyncClient) -> None:
    price = {"prices": [{"amount": 10_000}]}
    body = {"title": "Yoyo", "variants": [{"title": "Rojo", **price}, {"title": "Azul", **price}]}
    product = (await post(admin, PRODUCTS, body))["product"]
    path = f"{PRODUCTS}/{product['id']}"
    assert read_option_values(product) == [("Presentación", ["Rojo", "Azul"])]
    (option,) = product["options"]
    # sent back unchanged, it is not stored
    same = {"options": [{"id": option["id"], "title": option["title"], "values": ["Rojo", "Azul"]}]}
    (sent_back,) = (await post(admin, path, same))["product"]["options"]
    assert {**sent_back, "updated_at": ""} == {**option, "updated_at": ""}
    assert (await get(admin, f"{path}/options"))["product_options"] == [sent_back]
    renamed = (await post(admin, f"{path}/options/{option['id']}", {"title": "Color"}))["product"]
    assert read_option_values(renamed) == [("Color", ["Rojo", "Azul"])]
    assert read_variant_values(renamed) == [("Rojo", {"Color": "Rojo"}), ("Azul", {"Color": "Azul"})]
    assert renamed["options"][0]["id"] == option["id"]


async def test_options_are_created_changed_and_deleted_one_by_one(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    product = await create_product(admin)
    path = f"{PRODUCTS}/{product['id']}/options"
    added = (await post(admin, path, {"title": "Motor", "values": ["Sí", "No"]}))["product"]
    assert read_option_values(added)[2] == ("Motor", ["Sí", "No"])
    # no variant has a value of the new option yet: customers choose by title in the meantime
    assert [one.title for one in (await read_detail(shop)).options] == ["Presentación"]
    motor, size = added["options"][2]["id"], added["options"][1]["id"]
    changed = (await post(admin, f"{path}/{motor}", {"title": "Pilas", "values": ["No", "Sí", "AA"]}))[
        "product"
    ]
    assert read_option_values(changed)[2] == ("Pilas", ["No", "Sí", "AA"])
    assert (await get(admin, f"{path}/{motor}"))["product_option"]["title"] == "Pilas"
    twice = await admin.post(path, json={"title": "Color", "values": ["Verde"]})
    assert twice.status_code == 400
    used = await admin.post(f"{path}/{size}", json={"values": ["S"]})
    assert (used.status_code, used.json()["type"]) == (400, "not_allowed")
    gone = await admin.delete(f"{path}/{motor}")
    assert gone.json() == {"id": motor, "object": "product_option", "deleted": True}
    needed = await admin.delete(f"{path}/{size}")
    assert (
        needed.json()["message"] == 'Variant "Rojo / S" has same combination of option values as "Rojo / M".'
    )
    for unknown in (await admin.get(f"{path}/{motor}"), await admin.delete(f"{path}/opt_nosuch")):
        assert unknown.status_code == 404
    assert read_option_values(
        (await get(admin, f"{PRODUCTS}/{product['id']}"))["product"]
    ) == read_option_values(product)

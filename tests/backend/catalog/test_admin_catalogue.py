"""The catalogue over the Admin API, on both databases (spec: Admin API; Errors)."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.catalog.models import Variant
from backend.outbox.models import OutboxEvent
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

STATUSES = "draft, proposed, published, rejected"
TROMPO = {
    "title": "Trompo de lámina",
    "status": "published",
    "featured": True,
    "weight": 0.3,
    "images": [{"url": "/demo/trompo (1).webp"}, {"url": "/demo/trompo 2.webp"}],
    "metadata": {"brand": "Artesanos", "ageRange": "6-8", "color": "rojo"},
    "variants": [
        {
            "title": "Grande",
            "sku": "TR-1",
            "prices": [{"currency_code": "cop", "amount": 12_000}],
            "compare_at_price": 15_000,
        }
    ],
}


async def product(admin: httpx.AsyncClient, **said: Any) -> dict[str, Any]:
    made: dict[str, Any] = (await post(admin, "/admin/products", {**TROMPO, **said}))["product"]
    return made


async def list_published_products(shop: Shop) -> set[str]:
    """Return the ids of the products whose changes were published (in the outbox)."""
    async with shop.database.read() as session:
        return set((await session.execute(select(OutboxEvent.product_id))).scalars())


async def test_collection_is_created_and_found_by_title(admin: httpx.AsyncClient) -> None:
    """Create a collection and query it by its exact title (spec: Admin API, POST and GET /admin/collections)."""
    assert await get(admin, "/admin/collections", title="Día de los niños & más") == {
        "collections": [],
        "count": 0,
        "offset": 0,
        "limit": 50,
    }
    made = (await post(admin, "/admin/collections", {"title": "Día de los niños & más"}))["collection"]
    assert made["handle"] == "dia-de-los-ninos-mas"
    found = await get(admin, "/admin/collections", title="Día de los niños & más")
    assert [collection["id"] for collection in found["collections"]] == [made["id"]]
    again = await admin.post("/admin/collections", json={"title": "Otra", "handle": made["handle"]})
    message = "Product collection with handle: dia-de-los-ninos-mas, already exists."
    assert (again.status_code, again.json()) == (400, {"type": "invalid_data", "message": message})
    assert (await admin.post("/admin/collections", json={})).json()["message"] == (
        "Invalid request: Field 'title' is required"
    )


async def test_products_are_added_to_and_removed_from_a_collection(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    """Check also a product that is added to a second collection (spec: Admin API, POST …/{collection_id}/products)."""
    created = await product(admin)
    first = (await post(admin, "/admin/collections", {"title": "Uno"}))["collection"]
    second = (await post(admin, "/admin/collections", {"title": "Dos"}))["collection"]
    path = f"/admin/collections/{first['id']}/products"
    answer = await post(admin, path, {"add": [created["id"], "prod_nosuch"]})
    assert answer["collection"]["id"] == first["id"]
    assert (await get(admin, f"/admin/products/{created['id']}"))["product"]["collection"]["title"] == "Uno"
    await post(admin, f"/admin/collections/{second['id']}/products", {"add": [created["id"]]})
    await post(admin, path, {"remove": [created["id"]]})  # it is in the other collection now
    assert (await get(admin, f"/admin/products/{created['id']}"))["product"]["collection_id"] == second["id"]
    await post(admin, f"/admin/collections/{second['id']}/products", {"remove": [created["id"]]})
    assert (await get(admin, f"/admin/products/{created['id']}"))["product"]["collection_id"] is None
    unknown = await admin.post("/admin/collections/pcol_nosuch/products", json={"add": [created["id"]]})
    assert unknown.status_code == 404
    assert await list_published_products(shop) == {created["id"]}


async def test_collection_is_changed_and_deleted(admin: httpx.AsyncClient) -> None:
    created = await product(admin)
    made = (await post(admin, "/admin/collections", {"title": "Uno", "metadata": {"a": 1}}))["collection"]
    await post(admin, f"/admin/collections/{made['id']}/products", {"add": [created["id"]]})
    changed = (await post(admin, f"/admin/collections/{made['id']}", {"title": "Nueva"}))["collection"]
    assert (changed["title"], changed["handle"], changed["metadata"]) == ("Nueva", "uno", {"a": 1})
    gone = (await admin.delete(f"/admin/collections/{made['id']}")).json()
    assert gone == {"id": made["id"], "object": "collection", "deleted": True}
    assert (await admin.get(f"/admin/collections/{made['id']}")).status_code == 404
    assert (await get(admin, f"/admin/products/{created['id']}"))["product"]["collection_id"] is None


async def test_products_are_added_to_a_category(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop
) -> None:
    """Check also that the search finds the product at once (spec: Admin API, POST …/{category_id}/products)."""
    created = await product(admin)
    root = (await post(admin, "/admin/product-categories", {"name": "Juguetes"}))["product_category"]
    child = (
        await post(
            admin, "/admin/product-categories", {"name": "Aire libre", "parent_category_id": root["id"]}
        )
    )["product_category"]
    assert (child["handle"], child["parent_category"]["id"]) == ("aire-libre", root["id"])
    path = f"/admin/product-categories/{child['id']}/products"
    for _ in range(2):  # repeated ids count once
        answer = await post(admin, path, {"add": [created["id"], "prod_nosuch"]})
    assert answer["product_category"]["id"] == child["id"]
    assert (await get(store, "/store/products", category_id=root["id"]))["count"] == 1
    assert (await get(store, "/store/products", q="aire"))["count"] == 1  # the search finds it immediately
    await post(admin, path, {"remove": [created["id"]]})
    assert (await get(store, "/store/products", category_id=root["id"]))["count"] == 0
    assert (await get(store, "/store/products", q="aire"))["count"] == 0
    assert (await admin.post("/admin/product-categories/pcat_nosuch/products", json={})).status_code == 404


async def test_rank_change_of_a_category_moves_its_siblings(admin: httpx.AsyncClient) -> None:
    """Check the ranks of siblings: they are always 0, 1, 2, and a rank after all siblings is reduced.

    | change | ranks of the siblings |
    |---|---|
    | created with a rank | later siblings move down |
    | moved up or down | siblings in between move |
    | moved below another parent, or deleted | the gap closes |
    """

    async def names(**asked: str) -> list[str]:
        found = (await get(admin, "/admin/product-categories", order="rank", **asked))["product_categories"]
        assert [one["rank"] for one in found] == list(range(len(found)))
        return [one["name"] for one in found]

    async def create(name: str, **more: object) -> str:
        made = await post(admin, "/admin/product-categories", {"name": name, **more})
        return str(made["product_category"]["id"])

    async def change(category: str, **body: object) -> None:
        await post(admin, f"/admin/product-categories/{category}", body)

    ids = {name: await create(name) for name in ("Arte", "Bloques", "Cometas")}
    ids["Dados"] = await create("Dados", rank=1)
    assert await names() == ["Arte", "Dados", "Bloques", "Cometas"]
    await change(ids["Cometas"], rank=0)
    assert await names() == ["Cometas", "Arte", "Dados", "Bloques"]
    await change(ids["Cometas"], rank=2)
    assert await names() == ["Arte", "Dados", "Cometas", "Bloques"]
    await change(ids["Arte"], rank=99)
    assert await names() == ["Dados", "Cometas", "Bloques", "Arte"]
    await change(ids["Arte"], name="Artes")  # without a rank the position stays
    assert await names() == ["Dados", "Cometas", "Bloques", "Artes"]
    await change(ids["Cometas"], parent_category_id=ids["Dados"])
    assert await names(parent_category_id="null") == ["Dados", "Bloques", "Artes"]
    await create("Agujas", parent_category_id=ids["Dados"], rank=0)
    assert await names(parent_category_id=ids["Dados"]) == ["Agujas", "Cometas"]
    assert (await admin.delete(f"/admin/product-categories/{ids['Bloques']}")).status_code == 200
    assert await names(parent_category_id="null") == ["Dados", "Artes"]


async def test_category_tree_refuses_cycles_and_deletion_of_parents(admin: httpx.AsyncClient) -> None:
    root = (await post(admin, "/admin/product-categories", {"name": "Raíz"}))["product_category"]["id"]
    child = (await post(admin, "/admin/product-categories", {"name": "Hija", "parent_category_id": root}))[
        "product_category"
    ]["id"]
    cycle = await admin.post(f"/admin/product-categories/{root}", json={"parent_category_id": child})
    assert cycle.status_code == 400
    itself = await admin.post(f"/admin/product-categories/{root}", json={"parent_category_id": root})
    assert itself.status_code == 400
    full = await admin.delete(f"/admin/product-categories/{root}")
    assert full.json()["type"] == "not_allowed"
    moved = await post(admin, f"/admin/product-categories/{child}", {"parent_category_id": None, "rank": 7})
    assert (moved["product_category"]["parent_category_id"], moved["product_category"]["rank"]) == (None, 1)
    assert (await admin.delete(f"/admin/product-categories/{root}")).status_code == 200
    listing = await get(admin, "/admin/product-categories", order="name")
    assert [category["name"] for category in listing["product_categories"]] == ["Hija"]


@pytest.mark.parametrize(
    "body",
    [
        {"category_ids": ["pcat_1"]},
        {"categories": [{"id": "pcat_1"}]},
        {"collection_id": "pcol_1"},
    ],
)
async def test_product_body_cannot_assign_categories_or_collection(
    admin: httpx.AsyncClient, body: dict[str, Any]
) -> None:
    """Send fields that the platform does not accept either (spec: Errors, Admin call to a non-existent body field)."""
    created = await product(admin)
    for path in ("/admin/products", f"/admin/products/{created['id']}"):
        refused = await admin.post(path, json={"title": "X", **body})
        (field,) = body
        message = f"Invalid request: Unrecognized fields: '{field}'"
        assert (refused.status_code, refused.json()["message"]) == (400, message)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
async def test_route_for_the_categories_of_a_product_does_not_exist(
    admin: httpx.AsyncClient, method: str
) -> None:
    """Call a route that the platform does not have (spec: Errors, Admin call to a non-existent assignment route)."""
    refused = await admin.request(method, "/admin/products/prod_1/categories", json={})
    assert (refused.status_code, refused.json()["type"]) == (404, "not_found")


async def test_product_is_created_and_returned_by_both_apis(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    """Create published and draft products, and query them (spec: Entities, Product)."""
    created = await product(admin)
    assert (created["handle"], created["status"], created["featured"], created["weight"]) == (
        "trompo-de-lamina",
        "published",
        True,
        0.3,
    )
    assert created["metadata"] == {"brand": "Artesanos", "ageRange": "6-8", "color": "rojo"}
    assert [image["url"] for image in created["images"]] == ["/demo/trompo (1).webp", "/demo/trompo 2.webp"]
    assert created["thumbnail"] == "/demo/trompo (1).webp"
    (variant,) = created["variants"]
    assert (variant["prices"][0]["amount"], variant["compare_at_price"]) == (12_000, 15_000)
    (shown,) = (await get(store, "/store/products", q="lamina"))["products"]
    assert shown["thumbnail"] == "http://localhost:3000/demo/trompo%20%281%29.webp"
    drafts = await product(admin, title="Borrador", status="draft", variants=None, price=5_000)
    assert drafts["variants"][0]["prices"][0]["amount"] == 5_000
    assert (await get(store, "/store/products"))["count"] == 1
    assert (await get(admin, "/admin/products"))["count"] == 2
    assert (await get(admin, "/admin/products", status="draft", q="borra"))["count"] == 1
    for text, count in (("tr-1", 1), ("lámina trompo", 1), ("LAMI", 1), ("lamina borra", 0), ("%", 0)):
        assert (await get(admin, "/admin/products", q=text))["count"] == count, text
    either = {"$or[0][q]": "lámin", "$or[1][q]": "bórra"}
    assert (await get(admin, "/admin/products", **either))["count"] == 2


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:image/png;base64,AAAA", "\tdata:,x", "ftp://x.example/a.png"]
)
async def test_picture_address_with_another_scheme_is_refused(admin: httpx.AsyncClient, url: str) -> None:
    created = await product(admin)
    for change in ({"images": [{"url": "/demo/a.webp"}, {"url": url}]}, {"thumbnail": url}):
        new = {"title": "Pirinola", "options": [], **change}
        for path, body in (
            ("/admin/products", new),
            (f"/admin/products/{created['id']}", change),
            ("/admin/products/batch", {"create": [new]}),
            ("/admin/products/batch", {"update": [{"id": created["id"], **change}]}),
        ):
            answer = await admin.post(path, json=body)
            assert answer.status_code == 400, (path, body)
            assert "A picture's address is a path" in answer.json()["message"]
    assert (await get(admin, f"/admin/products/{created['id']}"))["product"]["images"] == created["images"]


async def test_product_changes_only_the_given_fields(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    created = await product(admin)
    path = f"/admin/products/{created['id']}"
    images = [
        {"url": "/demo/trompo 2.webp"},
        {"url": "/demo/nuevo.webp"},
        {"url": "/demo/trompo (1).webp"},
    ]
    change = {
        "title": "Trompo azul",
        "metadata": {"color": "", "material": "madera"},
        "featured": False,
        "weight": None,
        "price": 9_000,
        "compare_at_price": None,
        "images": images,
    }
    changed = (await post(admin, path, change))["product"]
    assert changed["metadata"] == {"brand": "Artesanos", "ageRange": "6-8", "material": "madera"}
    assert (changed["title"], changed["handle"]) == ("Trompo azul", created["handle"])
    assert (changed["featured"], changed["weight"]) == (False, None)
    (variant,) = changed["variants"]
    assert (variant["prices"][0]["amount"], variant["compare_at_price"]) == (9_000, None)
    assert [image["url"] for image in changed["images"]] == [image["url"] for image in images]
    assert {image["id"] for image in created["images"]} <= {image["id"] for image in changed["images"]}
    assert (await get(store, "/store/products", q="azul"))["count"] == 1
    assert (await get(store, "/store/products", q="lamina"))["count"] == 0
    draft = (await post(admin, path, {"status": "draft"}))["product"]
    assert draft["status"] == "draft"
    assert (await store.get(f"/store/products/{created['id']}")).status_code == 404


async def test_variant_prices_are_created_and_changed(admin: httpx.AsyncClient) -> None:
    """Check also that a product keeps at least one variant (wire: commerce-api, Admin, variants)."""
    created = await product(admin)
    path = f"/admin/products/{created['id']}/variants"
    price = {"prices": [{"currency_code": "COP", "amount": 99_000}]}
    changed = (await post(admin, f"{path}/{created['variants'][0]['id']}", price))["product"]
    assert changed["variants"][0]["prices"][0]["amount"] == 99_000
    small = {"title": "Pequeño", "sku": "TR-2", "options": {"Presentación": "Pequeño"}, **price}
    added = (await post(admin, path, small))["product"]
    assert [variant["title"] for variant in added["variants"]] == ["Grande", "Pequeño"]
    assert (await get(admin, path))["count"] == 2
    ambiguous = await admin.post(f"/admin/products/{created['id']}", json={"price": 1})
    assert ambiguous.status_code == 400
    for body in (
        {**small, "sku": "TR-1"},
        {"title": "X", "prices": [{"currency_code": "usd", "amount": 1}]},
        {"title": "X", "prices": [{"amount": -1}]},
        {"title": "X", "prices": [{"amount": 1.5}]},
        {"title": "X", "prices": []},
        {"title": "X", "options": {"Tamaño": "Mediano"}, **price},
    ):
        assert (await admin.post(path, json=body)).status_code == 400
    assert (await admin.delete(f"{path}/{added['variants'][0]['id']}")).status_code == 200
    last = await admin.delete(f"{path}/{added['variants'][1]['id']}")
    assert last.json()["message"] == "A product keeps at least one variant"
    assert (await admin.post(f"{path}/variant_nosuch", json=price)).status_code == 404


async def test_reserved_variant_is_not_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    from tests.store_steps import complete_purchase

    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "balero", stock=2)
    order = await complete_purchase(store, variant)
    product_id = order["items"][0]["product_id"]
    refused = await admin.post(f"/admin/products/{product_id}", json={"variants": []})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")


async def test_handle_of_a_deleted_product_can_be_used_again(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    created = await product(admin)
    gone = (await admin.delete(f"/admin/products/{created['id']}")).json()
    assert gone == {"id": created["id"], "object": "product", "deleted": True}
    for client, area in ((admin, "admin"), (store, "store")):
        assert (await client.get(f"/{area}/products/{created['id']}")).status_code == 404
    assert (await product(admin))["handle"] == created["handle"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"nosuch": 1}, "Invalid request: Unrecognized fields: 'nosuch'"),
        (
            {"status": "nope"},
            f"Invalid request: Expected: '{STATUSES}' for field 'status', but got: 'nope'",
        ),
        ({"weight": -1}, "Invalid request: Value for field 'weight' too small, expected at least: '0'"),
        ({"handle": "con espacios"}, "Invalid request: A handle has only letters, digits and hyphens"),
        ({"metadata": {"brand": 5}}, "Invalid request: Expected type: 'string' for field 'metadata, brand'"),
    ],
)
async def test_malformed_product_is_refused(
    admin: httpx.AsyncClient, body: dict[str, Any], message: str
) -> None:
    """Check the status, type and message of each refusal (wire: commerce-api, Error bodies)."""
    created = await product(admin)
    refused = await admin.post(f"/admin/products/{created['id']}", json=body)
    assert (refused.status_code, refused.json()) == (400, {"type": "invalid_data", "message": message})


async def test_unknown_product_is_not_found(admin: httpx.AsyncClient) -> None:
    refused = await admin.post("/admin/products/prod_nosuch", json={"title": "x"})
    message = 'Product with id "prod_nosuch" not found'
    assert (refused.status_code, refused.json()) == (404, {"type": "not_found", "message": message})


async def test_only_one_of_concurrent_products_with_the_same_handle_is_created(
    admin: httpx.AsyncClient,
) -> None:
    said = {"title": "Trompo", "handle": "trompo"}
    answers = await asyncio.gather(*(admin.post("/admin/products", json=said) for _ in range(5)))
    assert min(answer.status_code for answer in answers) == 200
    assert {answer.status_code for answer in answers} <= {200, 400, 409}
    assert (await get(admin, "/admin/products"))["count"] == 1


async def test_bar_code_of_another_variant_is_refused(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        rival_id = await add_product(session, shop_defaults, "yoyo")
        mine_id = await add_product(session, shop_defaults, "trompo")
        mine = (await session.get_one(Variant, mine_id)).product_id
    code = "7701234567897"

    async def rival(session: AsyncSession) -> None:
        await session.execute(update(Variant).where(Variant.id == rival_id).values(ean=code))

    def take() -> Awaitable[httpx.Response]:
        return admin.post(f"/admin/products/{mine}/variants/{mine_id}", json={"ean": code})

    known = {
        "type": "invalid_data",
        "message": f"Product variant with ean: {code}, already exists.",
    }
    at_once = {
        "type": "conflict",
        "code": "invalid_state_error",
        "message": "Another request changed this at the same time: try again",
    }
    answer = await run_against_rival(shop.database, rival, take)
    wanted = (400, known) if shop.database.is_sqlite else (409, at_once)
    assert (answer.status_code, answer.json()) == wanted
    answer = await take()
    assert (answer.status_code, answer.json()) == (400, known)


async def test_admin_api_lists_keys_channels_and_regions(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    (key,) = (await get(admin, "/admin/api-keys"))["api_keys"]
    assert (key["type"], key["sales_channels"][0]["id"]) == ("publishable", shop_defaults.channel_id)
    (channel,) = (await get(admin, "/admin/sales-channels"))["sales_channels"]
    assert channel["id"] == shop_defaults.channel_id
    assert (await get(admin, "/admin/regions"))["regions"][0]["name"] == "Colombia"


async def test_product_has_its_own_tax_rate(admin: httpx.AsyncClient, store: httpx.AsyncClient) -> None:
    created = await product(admin)
    assert created["tax_rate"] == 19
    path = f"/admin/products/{created['id']}"
    for rate in (5, 0, 0.0, 19.0):
        changed = (await post(admin, path, {"tax_rate": rate}))["product"]
        assert changed["tax_rate"] == rate
    assert (await post(admin, path, {"tax_rate": None}))["product"]["tax_rate"] == 19  # the body had no rate
    for wrong in (16, -5, 5.5, "5", False, True):
        refused = await admin.post(path, json={"tax_rate": wrong})
        assert (refused.status_code, "tax_rate" in refused.json()["message"]) == (400, True), wrong
    book = await product(admin, title="Cuento", handle="cuento", tax_rate=0, variants=None, price=20_000)
    assert book["tax_rate"] == 0
    assert "tax_rate" not in (await get(store, f"/store/products/{book['id']}"))["product"]
    asked = await get(store, f"/store/products/{book['id']}", fields="+tax_rate")
    assert asked["product"]["tax_rate"] == 0


async def test_product_excluded_from_tax_has_the_rate_zero(admin: httpx.AsyncClient) -> None:
    created = await product(admin, tax_excluded=True)
    assert (created["tax_rate"], created["tax_excluded"]) == (0, True)
    path = f"/admin/products/{created['id']}"
    for change, expected in (
        ({"title": "Trompo"}, (0, True)),
        ({"tax_rate": 5}, (5, False)),
        ({"tax_excluded": True}, (0, True)),
        ({"tax_rate": 0, "tax_excluded": False}, (0, False)),
        ({"tax_rate": 0}, (0, False)),
    ):
        changed = (await post(admin, path, change))["product"]
        assert (changed["tax_rate"], changed["tax_excluded"]) == expected, change
    refused = await admin.post(path, json={"tax_rate": 19, "tax_excluded": True})
    assert refused.status_code == 400
    assert refused.json()["message"] == "A product that is excluded from IVA has the tax_rate 0"


async def test_unsupported_tax_rate_is_refused_by_the_database(shop: Shop, shop_defaults: Defaults) -> None:
    with pytest.raises(IntegrityError, match="tax_rate"):
        async with shop.database.transaction() as session:
            await add_product(session, shop_defaults, "trompo", tax_rate=16)


async def test_new_variant_always_has_managed_stock(admin: httpx.AsyncClient) -> None:
    """Send `manage_inventory: false`, as the platform's dashboard does by default."""
    said = {"prices": [{"amount": 9_000}], "manage_inventory": False}
    made = await product(admin, variants=[said])
    added = {**said, "title": "Otra", "sku": "TR-2"}
    path = f"/admin/products/{made['id']}"
    after = (await post(admin, f"{path}/variants", added))["product"]
    assert [one["manage_inventory"] for one in after["variants"]] == [True, True]

    known = after["variants"][0]["id"]
    change = {"manage_inventory": False, "title": "Nueva"}
    for where, body in (
        (f"{path}/variants/{known}", change),
        (path, {"variants": [{"id": known, **change}]}),
        (f"{path}/variants/batch", {"update": [{"id": known, **change}]}),
        ("/admin/products/batch", {"update": [{"id": made["id"], "variants": [{"id": known, **change}]}]}),
    ):
        refused = await admin.post(where, json=body)
        assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data"), where
        assert "manage_inventory" in refused.json()["message"]
    assert (await get(admin, path))["product"] == after


async def test_unknown_sales_channel_or_shipping_profile_of_a_product_is_refused(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Check also that existing ones are accepted, without effect: a product always has all of them."""
    other = (await post(admin, "/admin/sales-channels", {"name": "Feria"}))["sales_channel"]["id"]
    [profile] = (await get(admin, "/admin/shipping-profiles"))["shipping_profiles"]
    places = {"sales_channels": [{"id": shop_defaults.channel_id}], "shipping_profile_id": profile["id"]}
    made = await product(admin, **places)
    path = f"/admin/products/{made['id']}"
    assert [one["id"] for one in made["sales_channels"]] == [shop_defaults.channel_id, other]
    assert "shipping_profile" not in made
    await post(admin, path, places)
    shown = (await get(admin, path, fields="*shipping_profile,-sales_channels"))["product"]
    assert (shown["shipping_profile"], "sales_channels" in shown) == (profile, False)

    for wrong, message in (
        ({"sales_channels": [{"id": "sc_x"}]}, "Sales channels with ids: sc_x were not found"),
        ({"shipping_profile_id": "sp_x"}, "Shipping profile with id: sp_x was not found"),
    ):
        for where, body in (
            ("/admin/products", {"title": "Nada", **wrong}),
            (path, {"title": "Nada", **wrong}),
            ("/admin/products/batch", {"create": [{"title": "Nada", **wrong}]}),
        ):
            refused = await admin.post(where, json=body)
            assert (refused.status_code, refused.json()["message"]) == (404, message), where
    assert (await get(admin, "/admin/products", q="Nada"))["count"] == 0


async def test_products_are_filtered_by_sales_channel(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await product(admin)
    for client, path in ((admin, "/admin/products"), (store, "/store/products")):
        every = (await get(client, path))["count"]
        assert every
        for asked, count in (
            ({"sales_channel_id": shop_defaults.channel_id}, every),
            ({"sales_channel_id[]": [shop_defaults.channel_id, "sc_x"]}, every),
            ({"sales_channel_id": "sc_x"}, 0),
            ({"$or[0][sales_channel_id]": "sc_x", "$or[1][title]": TROMPO["title"]}, 1),
        ):
            assert (await get(client, path, **asked))["count"] == count, (path, asked)

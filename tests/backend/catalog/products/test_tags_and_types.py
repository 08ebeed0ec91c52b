"""Tags and types of products in both APIs, on both databases.

| fault | result |
|---|---|
| two tags or types get the same value, created or renamed, also concurrently | the second is refused |
| a product gets a tag or type that does not exist | refused; nothing of the change is written |
| a tag or a type is deleted | its products stay, without it, and the change is published |
| a change omits tags and type, or sends null | omitted: they stay; null: no type |
| a product is sent back unchanged | nothing changes |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from tests.backend.catalog.test_admin_catalogue import list_published_products, product
from tests.store_steps import get, post

KINDS = [("product_tag", "/product-tags"), ("product_type", "/product-types")]


async def create_word(admin: httpx.AsyncClient, kind: str, value: str, **more: Any) -> dict[str, Any]:
    path = dict(KINDS)[kind]
    made: dict[str, Any] = (await post(admin, f"/admin{path}", {"value": value, **more}))[kind]
    return made


@pytest.mark.parametrize(("kind", "path"), KINDS)
async def test_tag_or_type_is_created_read_changed_and_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, kind: str, path: str
) -> None:
    made = await create_word(admin, kind, "De madera", metadata={"a": 1})
    assert (made["value"], made["metadata"], made["deleted_at"]) == ("De madera", {"a": 1}, None)
    one = f"/admin{path}/{made['id']}"
    assert (await get(admin, one))[kind] == made
    assert (await get(admin, one, fields="value"))[kind] == {"id": made["id"], "value": "De madera"}
    changed = (await post(admin, one, {"value": "De pino"}))[kind]
    assert (changed["value"], changed["metadata"]) == ("De pino", {"a": 1})
    assert (await post(admin, one, {"value": None, "metadata": None}))[kind]["metadata"] is None
    shown = (await get(store, f"/store{path}/{made['id']}"))[kind]
    assert (shown["value"], "deleted_at" in shown) == ("De pino", False)

    taken = await admin.post(f"/admin{path}", json={"value": "De pino"})
    message = f"{kind.replace('_', ' ').capitalize()} with value: De pino, already exists."
    assert (taken.status_code, taken.json()) == (400, {"type": "invalid_data", "message": message})
    other = await create_word(admin, kind, "De tela")
    assert (await admin.post(f"/admin{path}/{other['id']}", json={"value": "De pino"})).json() == taken.json()
    unknown = await admin.post(f"/admin{path}", json={"value": "X", "handle": "x"})
    assert unknown.json()["message"] == "Invalid request: Unrecognized fields: 'handle'"

    gone = await admin.delete(one)
    assert gone.json() == {"id": made["id"], "object": kind, "deleted": True}
    for client, address in ((admin, one), (store, f"/store{path}/{made['id']}")):
        assert (await client.get(address)).status_code == 404
    assert (await admin.delete(one)).status_code == 404
    async with shop.database.read() as session:
        query = select(AuditEntry.action).where(AuditEntry.subject_id == made["id"])
        done = (await session.execute(query.order_by(AuditEntry.id))).scalars().all()
    assert done == ["created", "changed", "changed", "deleted"]


async def test_only_one_of_two_concurrent_tags_with_the_same_value_is_created(
    admin: httpx.AsyncClient,
) -> None:
    answers = await asyncio.gather(
        *(admin.post("/admin/product-tags", json={"value": "Nuevo"}) for _ in range(2))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]


async def test_tags_and_types_are_filtered(admin: httpx.AsyncClient, store: httpx.AsyncClient) -> None:
    made = {
        value: (await create_word(admin, "product_tag", value))["id"] for value in ("Agua", "Aire", "Fuego")
    }

    async def find_values(**asked: Any) -> list[str]:
        listing = await get(admin, "/admin/product-tags", **asked)
        assert (await get(store, "/store/product-tags", **asked))["count"] == listing["count"]
        return [one["value"] for one in listing["product_tags"]]

    assert await find_values() == ["Agua", "Aire", "Fuego"]
    assert await find_values(q="ai") == ["Aire"]
    assert await find_values(q="ÁI") == await find_values(q="re ai") == ["Aire"]
    assert await find_values(q="fue ai") == []
    assert await find_values(value="Agua") == ["Agua"]
    assert await find_values(order="-value", limit=1, offset=1) == ["Aire"]
    assert await find_values(**{"id[]": [made["Fuego"], "ptag_nosuch"]}) == ["Fuego"]
    assert await find_values(**{"$or[0][value]": "Agua", "$or[1][q]": "fue"}) == ["Agua", "Fuego"]
    assert await find_values(**{"$and[0][q]": "a", "$and[1][q]": "u"}) == ["Agua"]
    assert await find_values(**{"$or[0][$and][0][q]": "a", "$or[0][$and][1][q]": "g", "q": "u"}) == ["Agua"]
    assert await find_values(**{"created_at[$gt]": "2100-01-01"}) == []
    for asked in ({"$or[0][limit]": 3}, {"$or[0][color]": "x"}, {"$or[a][q]": "x"}, {"$not[0][q]": "x"}):
        assert (await admin.get("/admin/product-tags", params=asked)).status_code == 400


async def test_product_gets_tags_and_a_type_over_the_api(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop
) -> None:
    wood, new = [await create_word(admin, "product_tag", value) for value in ("Madera", "Nuevo")]
    top, kite = [await create_word(admin, "product_type", value) for value in ("Trompo", "Cometa")]
    toy = await product(admin, tags=[{"id": new["id"]}, {"id": wood["id"]}], type_id=top["id"])
    await product(admin, title="Otro", handle="otro", variants=[{"prices": [{"amount": 1}]}])
    path = f"/admin/products/{toy['id']}"
    for shown in (toy, (await get(store, f"/store/products/{toy['id']}"))["product"]):
        assert [one["value"] for one in shown["tags"]] == ["Madera", "Nuevo"]
        assert (shown["type_id"], shown["type"]["value"]) == (top["id"], "Trompo")

    async def find_values(**asked: Any) -> list[str]:
        return [one["id"] for one in (await get(store, "/store/products", **asked))["products"]]

    assert (
        await find_values(**{"tag_id[]": [wood["id"]]}) == [toy["id"]] == await find_values(type_id=top["id"])
    )
    assert await find_values(type_id=kite["id"]) == []
    assert await find_values(**{"$or[0][type_id]": kite["id"], "$or[1][tag_id][]": new["id"]}) == [toy["id"]]
    assert await find_values(**{"$or[0][q]": "lamina", "$or[1][q]": "cometa"}) == [toy["id"]]
    listing = await get(admin, "/admin/products", **{"$or[0][q]": "lámina", "$or[1][status]": "draft"})
    assert [one["id"] for one in listing["products"]] == [toy["id"]]

    same = await post(admin, path, {"title": toy["title"]})
    assert [one["value"] for one in same["product"]["tags"]] == ["Madera", "Nuevo"]
    for wrong in ({"tags": [{"id": "ptag_nosuch"}]}, {"type_id": "ptyp_nosuch"}):
        refused = await admin.post(path, json={"title": "Nada", **wrong})
        assert (refused.status_code, refused.json()["type"]) == (404, "not_found")
    changed = (await post(admin, path, {"tags": [{"id": new["id"]}], "type_id": kite["id"]}))["product"]
    assert (changed["title"], changed["type"]["value"]) == (toy["title"], "Cometa")
    assert [one["value"] for one in changed["tags"]] == ["Nuevo"]
    bare = (await get(admin, path, fields="id,title"))["product"]
    assert bare == {"id": toy["id"], "title": toy["title"]}
    assert (await post(admin, path, {"type_id": None}))["product"]["type"] is None

    await post(admin, path, {"type_id": top["id"]})
    before = await list_published_products(shop)
    await admin.delete(f"/admin/product-tags/{new['id']}")
    await admin.delete(f"/admin/product-types/{top['id']}")
    left = (await get(admin, path))["product"]
    assert (left["tags"], left["type_id"], left["type"]) == ([], None, None)
    assert await list_published_products(shop) == before >= {toy["id"]}

"""Tags and types of products over both APIs, on both databases.

| what can go wrong | what happens |
|---|---|
| two are called alike, made or renamed, also by two at once | the second is refused |
| a product is to have a tag or a type that is not there | refused; nothing of the change is written |
| a tag or a type goes | its products stay, without it, and programs are told |
| a change leaves tags and type out, or says null | left out: they stay; null: no type |
| a product is sent back as it was shown | nothing changes |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from tests.backend.catalog.test_admin_catalogue import product, told_of
from tests.store_steps import get, post

KINDS = [("product_tag", "/product-tags"), ("product_type", "/product-types")]


async def word(admin: httpx.AsyncClient, kind: str, value: str, **more: Any) -> dict[str, Any]:
    path = dict(KINDS)[kind]
    made: dict[str, Any] = (await post(admin, f"/admin{path}", {"value": value, **more}))[kind]
    return made


@pytest.mark.parametrize(("kind", "path"), KINDS)
async def test_one_is_made_read_changed_and_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, kind: str, path: str
) -> None:
    made = await word(admin, kind, "De madera", metadata={"a": 1})
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
    other = await word(admin, kind, "De tela")
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


async def test_of_two_who_make_one_at_once_the_second_is_refused(admin: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(
        *(admin.post("/admin/product-tags", json={"value": "Nuevo"}) for _ in range(2))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]


async def test_they_are_listed_by_what_is_asked_for(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    made = {value: (await word(admin, "product_tag", value))["id"] for value in ("Agua", "Aire", "Fuego")}

    async def found(**asked: Any) -> list[str]:
        listing = await get(admin, "/admin/product-tags", **asked)
        assert (await get(store, "/store/product-tags", **asked))["count"] == listing["count"]
        return [one["value"] for one in listing["product_tags"]]

    assert await found() == ["Agua", "Aire", "Fuego"]
    assert await found(q="ai") == ["Aire"]
    assert await found(q="ÁI") == await found(q="re ai") == ["Aire"]
    assert await found(q="fue ai") == []
    assert await found(value="Agua") == ["Agua"]
    assert await found(order="-value", limit=1, offset=1) == ["Aire"]
    assert await found(**{"id[]": [made["Fuego"], "ptag_nosuch"]}) == ["Fuego"]
    assert await found(**{"$or[0][value]": "Agua", "$or[1][q]": "fue"}) == ["Agua", "Fuego"]
    assert await found(**{"$and[0][q]": "a", "$and[1][q]": "u"}) == ["Agua"]
    assert await found(**{"$or[0][$and][0][q]": "a", "$or[0][$and][1][q]": "g", "q": "u"}) == ["Agua"]
    assert await found(**{"created_at[$gt]": "2100-01-01"}) == []
    for asked in ({"$or[0][limit]": 3}, {"$or[0][color]": "x"}, {"$or[a][q]": "x"}, {"$not[0][q]": "x"}):
        assert (await admin.get("/admin/product-tags", params=asked)).status_code == 400


async def test_products_have_tags_and_a_type(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop
) -> None:
    wood, new = [await word(admin, "product_tag", value) for value in ("Madera", "Nuevo")]
    top, kite = [await word(admin, "product_type", value) for value in ("Trompo", "Cometa")]
    toy = await product(admin, tags=[{"id": new["id"]}, {"id": wood["id"]}], type_id=top["id"])
    await product(admin, title="Otro", handle="otro", variants=[{"prices": [{"amount": 1}]}])
    path = f"/admin/products/{toy['id']}"
    for shown in (toy, (await get(store, f"/store/products/{toy['id']}"))["product"]):
        assert [one["value"] for one in shown["tags"]] == ["Madera", "Nuevo"]
        assert (shown["type_id"], shown["type"]["value"]) == (top["id"], "Trompo")

    async def found(**asked: Any) -> list[str]:
        return [one["id"] for one in (await get(store, "/store/products", **asked))["products"]]

    assert await found(**{"tag_id[]": [wood["id"]]}) == [toy["id"]] == await found(type_id=top["id"])
    assert await found(type_id=kite["id"]) == []
    assert await found(**{"$or[0][type_id]": kite["id"], "$or[1][tag_id][]": new["id"]}) == [toy["id"]]
    assert await found(**{"$or[0][q]": "lamina", "$or[1][q]": "cometa"}) == [toy["id"]]
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
    before = await told_of(shop)
    await admin.delete(f"/admin/product-tags/{new['id']}")
    await admin.delete(f"/admin/product-types/{top['id']}")
    left = (await get(admin, path))["product"]
    assert (left["tags"], left["type_id"], left["type"]) == ([], None, None)
    assert await told_of(shop) == before >= {toy["id"]}

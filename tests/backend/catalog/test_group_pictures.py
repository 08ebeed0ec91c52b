"""Pictures of categories and collections in the Admin API: `thumbnail` in the metadata."""

from typing import Any, NamedTuple

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Category, Collection, Product
from tests.store_defaults import add_product
from tests.store_steps import get, post

PICTURE = "/pictures/0123456789abcdef/foto-960x640-960.webp"


class Group(NamedTuple):
    """Categories or collections: their route, the key in responses, the field of the name, and the table."""

    path: str
    key: str
    name: str
    table: Any


CATEGORY = Group("/admin/product-categories", "product_category", "name", Category)
COLLECTION = Group("/admin/collections", "collection", "title", Collection)
GROUPS = pytest.mark.parametrize("group", [CATEGORY, COLLECTION], ids=["category", "collection"])


async def find_picture(shop: Shop, table: Any, group_id: str) -> tuple[str, object]:
    async with shop.database.read() as session:
        return (await session.execute(select(table.picture, table.meta).where(table.id == group_id))).one()


@GROUPS
async def test_group_picture_is_set_and_removed_only_by_the_metadata_key_thumbnail(
    admin: httpx.AsyncClient, shop: Shop, group: Group
) -> None:
    """Check that metadata without a picture keeps it, null removes it, and each change has an audit entry."""
    path, key, name, table = group
    body = {name: "Poesía", "metadata": {"a": 1, "thumbnail": PICTURE}}
    made = (await post(admin, path, body))[key]
    assert made["metadata"] == {"a": 1, "thumbnail": PICTURE}
    assert await find_picture(shop, table, made["id"]) == (PICTURE, {"a": 1})
    one = f"{path}/{made['id']}"
    assert (await post(admin, one, {"metadata": {"b": 2}}))[key]["metadata"] == {"b": 2, "thumbnail": PICTURE}
    assert (await get(admin, one))[key]["metadata"] == {"b": 2, "thumbnail": PICTURE}
    assert (await post(admin, one, {"metadata": {"thumbnail": None}}))[key]["metadata"] is None
    assert await find_picture(shop, table, made["id"]) == ("", {})
    assert (await post(admin, one, {"metadata": {"thumbnail": PICTURE}}))[key]["metadata"] == {
        "thumbnail": PICTURE
    }
    async with shop.database.read() as session:
        entries = (
            await session.execute(select(AuditEntry.changes).where(AuditEntry.subject_id == made["id"]))
        ).scalars()
        changed = [
            (one["before"], one["after"])
            for changes in entries
            for one in changes
            if one["field"] == "picture"
        ]
    assert (PICTURE, "") in changed


@GROUPS
@pytest.mark.parametrize("picture", ["https://elsewhere.example/x.jpg", "/pictures/x.jpg", 5, ["x"]])
async def test_picture_that_was_not_uploaded_is_refused(
    admin: httpx.AsyncClient, shop: Shop, group: Group, picture: object
) -> None:
    path, key, name, table = group
    made = (await post(admin, path, {name: "Poesía"}))[key]
    answer = await admin.post(f"{path}/{made['id']}", json={"metadata": {"thumbnail": picture}})
    assert answer.json() == {
        "type": "invalid_data",
        "message": "Invalid request: Field 'metadata, thumbnail' is not the address of an uploaded picture",
    }
    assert (await find_picture(shop, table, made["id"]))[0] == ""


async def test_product_shows_the_pictures_of_its_groups(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Any
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "la-voragine", stock=3)
        product_id = (await session.execute(select(Product.id))).scalar_one()
    for path, key, name, _table in (CATEGORY, COLLECTION):
        made = (await post(admin, path, {name: "Poesía", "metadata": {"thumbnail": PICTURE}}))[key]
        await post(admin, f"{path}/{made['id']}/products", {"add": [product_id]})
    found = (await get(admin, f"/admin/products/{product_id}", fields="+categories"))["product"]
    assert found["collection"]["metadata"] == {"thumbnail": PICTURE}
    assert [one["metadata"] for one in found["categories"]] == [{"thumbnail": PICTURE}]

"""`/admin/redirects` over HTTP."""

import httpx
import pytest

from backend.catalog.collections import create_collection, delete_collection, set_collection_display
from backend.catalog.redirects.models import UnknownAddress
from backend.core.clock import now
from backend.staff.rights import COMMAND_LINE
from tests.backend.catalog.redirects.conftest import FormerShop

PATH = "/admin/redirects"


async def create(admin: httpx.AsyncClient, path: str, **target: str | None) -> httpx.Response:
    return await admin.post(PATH, json={"path": path, **target})


async def test_redirects_are_created_listed_and_deleted(admin: httpx.AsyncClient, former: FormerShop) -> None:
    product_id = former.products["balero"].product_id
    category_id = former.categories["de-madera"].category_id
    first = (
        await create(admin, "https://vieja.com/Productos/Balero.html?utm_source=x", product_id=product_id)
    ).json()
    redirect = first["redirect"]
    assert {name: redirect[name] for name in ("path", "target", "product_id", "category_id")} == {
        "path": "/productos/balero.html",
        "target": "/product/balero",
        "product_id": product_id,
        "category_id": None,
    }
    assert (await create(admin, "/productos/balero.html/", product_id=product_id)).json() == first
    second = (await create(admin, "/?cat=7", category_id=category_id)).json()["redirect"]
    assert (second["path"], second["target"]) == ("/?cat=7", "/catalog?category=de-madera")
    third = (await create(admin, "/yo-yo", target="SKU-yoyo")).json()["redirect"]
    listed = (await admin.get(PATH, params={"limit": 2})).json()
    assert [one["id"] for one in listed["redirects"]] == [third["id"], second["id"]]
    assert (listed["count"], listed["limit"], listed["offset"]) == (3, 2, 0)
    by_text = (await admin.get(PATH, params={"q": "Balero"})).json()
    assert [one["id"] for one in by_text["redirects"]] == [redirect["id"]]
    of_category = (await admin.get(PATH, params={"category_id": category_id})).json()
    assert [one["id"] for one in of_category["redirects"]] == [second["id"]]
    sorted_by_path = (await admin.get(PATH, params={"order": "path", "fields": "path"})).json()["redirects"]
    assert [one["path"] for one in sorted_by_path] == ["/?cat=7", "/productos/balero.html", "/yo-yo"]
    assert (await admin.get(f"{PATH}/{third['id']}")).json()["redirect"] == third
    deleted = await admin.delete(f"{PATH}/{third['id']}")
    assert deleted.json() == {"id": third["id"], "object": "redirect", "deleted": True}
    assert (await admin.get(f"{PATH}/{third['id']}")).status_code == 404
    assert (await admin.delete(f"{PATH}/{third['id']}")).status_code == 404


@pytest.mark.parametrize(
    ("path", "target", "status"),
    [
        ("/a", {}, 400),
        ("/a", {"target": "balero", "product_id": "prod_x"}, 400),
        ("/a", {"target": "nada"}, 400),
        ("/a", {"target": "https://evil.example/"}, 400),
        ("/a", {"target": "//evil.example/product"}, 400),
        ("/a", {"product_id": "prod_x"}, 404),
        ("/a", {"category_id": "pcat_x"}, 404),
        ("/", {"target": "balero"}, 400),
        ("/product/balero", {"target": "yoyo"}, 400),
        ("/catalog?category=juguetes", {"target": "yoyo"}, 400),
        ("/admin/x", {"target": "yoyo"}, 400),
        ("/" + "a" * 501, {"target": "yoyo"}, 400),
        ("/" + "a" * 2_001, {"target": "yoyo"}, 400),
    ],
)
async def test_invalid_redirect_is_refused(
    admin: httpx.AsyncClient, former: FormerShop, path: str, target: dict[str, str], status: int
) -> None:
    assert (await create(admin, path, **target)).status_code == status
    assert (await admin.get(PATH)).json()["count"] == 0


async def test_second_redirect_of_an_address_to_another_page_is_refused(
    admin: httpx.AsyncClient, former: FormerShop
) -> None:
    assert (await create(admin, "/a", target="balero")).status_code == 200
    refused = await create(admin, "/A", target="yoyo")
    assert refused.status_code == 400
    assert refused.json()["message"].startswith("This address is redirected to another page")


async def test_unknown_addresses_are_listed_redirected_and_dismissed(
    admin: httpx.AsyncClient, former: FormerShop
) -> None:
    async with former.shop.database.transaction() as session:
        for number, address in enumerate(("/balero", "/yoyo", "/aro"), start=1):
            session.add(UnknownAddress(former_address=address, visits=number, seen_at=now()))
    found = (await admin.get(f"{PATH}/unknown")).json()
    assert [(one["path"], one["visits"]) for one in found["unknown_addresses"]] == [
        ("/aro", 3), ("/yoyo", 2), ("/balero", 1),
    ]  # fmt: skip
    await create(admin, "/yoyo", target="yoyo")
    unknown_id = found["unknown_addresses"][0]["id"]
    assert (await admin.delete(f"{PATH}/unknown/{unknown_id}")).json()["deleted"] is True
    left = (await admin.get(f"{PATH}/unknown")).json()
    assert ([one["path"] for one in left["unknown_addresses"]], left["count"]) == (["/balero"], 1)
    assert (await admin.delete(f"{PATH}/unknown/unk_x")).status_code == 404


async def test_redirects_of_an_uploaded_spreadsheet_are_stored(
    admin: httpx.AsyncClient, former: FormerShop
) -> None:
    content = b"/p/1;balero\n/p/2;nada\n"
    answer = await admin.post(f"{PATH}/import", files={"file": ("viejas.csv", content, "text/csv")})
    assert answer.json() == {
        "created": 1,
        "changed": 0,
        "same": 0,
        "problem_count": 1,
        "problems": [
            {
                "row": 2,
                "value": "nada",
                "message": "No encontramos «nada». Escribe el nombre o el SKU de un producto, "
                "una categoría o una colección.",
            }
        ],
    }
    assert (await admin.post(f"{PATH}/import", json={})).status_code == 400
    refused = await admin.post(f"{PATH}/import", files={"file": ("x.csv", b"nada", "text/csv")})
    assert (refused.status_code, refused.json()["message"][:13]) == (400, "No encontramo")


async def test_redirect_to_a_collection_works_until_the_collection_is_hidden_or_deleted(
    admin: httpx.AsyncClient, former: FormerShop
) -> None:
    async with former.shop.database.transaction() as session:
        collection = await create_collection(session, COMMAND_LINE, title="Navidad 2026", handle="navidad")
    by_id = (await create(admin, "/collections/xmas", collection_id=collection.id)).json()["redirect"]
    assert (by_id["target"], by_id["collection_id"]) == ("/collection/navidad", collection.id)
    assert (by_id["product_id"], by_id["category_id"]) == (None, None)
    for number, target in enumerate(("Navidad 2026", "navidad", "/collection/navidad", "/collections/xmas")):
        named = (await create(admin, f"/viejo/{number}", target=target)).json()["redirect"]
        assert named["collection_id"] == collection.id, target
    assert await former.visit("/viejo/0") == "/collection/navidad"
    for path in ("/collection/navidad", "/collection/Navidad"):
        assert (await create(admin, path, target="balero")).status_code == 400
    assert (await create(admin, "/x", collection_id="pcol_gone")).status_code == 404
    assert (await create(admin, "/x", collection_id=collection.id, target="balero")).status_code == 400
    listed = (await admin.get(PATH, params={"collection_id": collection.id})).json()
    assert (listed["count"], len(listed["redirects"])) == (5, 5)
    assert (await admin.get(PATH, params={"collection_id": "pcol_gone"})).json()["count"] == 0
    async with former.shop.database.transaction() as session:
        await set_collection_display(session, COMMAND_LINE, collection.id, is_active=False)
    assert await former.visit("/viejo/0") == ""
    async with former.shop.database.transaction() as session:
        await delete_collection(session, COMMAND_LINE, collection.id)
    assert (await admin.get(PATH)).json()["count"] == 0

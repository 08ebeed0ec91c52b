"""The platform's import of products over HTTP: headings, responses and refusals."""

import csv
from io import StringIO
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Collection, Product, ProductTag, Variant
from backend.catalog.products.tags_and_types import read_tags_and_types
from backend.imports.confirmation import JOB
from backend.imports.models import ProductImport

HEAD = (
    "Product Id,Product Handle,Product Title,Product Status,Product Collection Id,Product Category 1,"
    "Product Category 2,Product Tag 1,Product Tag 2,Product Discountable,Variant Id,Variant Title,Variant Sku,"
    "Variant Price COP,Variant Option 1 Name,Variant Option 1 Value,Variant Option 2 Name,Variant Option 2 Value,"
    "Product Image 1 Url\n"
)


async def send(admin: httpx.AsyncClient, text: str, path: str = "/admin/products/import") -> httpx.Response:
    field = "files" if path == "/admin/uploads" else "file"
    return await admin.post(path, files={field: ("products.csv", text.encode(), "text/csv")})


async def read_groups(shop: Shop) -> dict[str, str]:
    rows: dict[str, Any] = {
        "wood": Category(name="Madera", handle="madera"),
        "yard": Category(name="Patio", handle="patio"),
        "old": Collection(title="De toda la vida", handle="de-toda-la-vida"),
        "tag": ProductTag(value="A mano"),
    }
    async with shop.database.transaction() as session:
        session.add_all(rows.values())
    return {name: row.id for name, row in rows.items()}


async def test_platform_file_is_imported_completely(admin: httpx.AsyncClient, shop: Shop) -> None:
    of = await read_groups(shop)
    first = f",balero,Balero,draft,{of['old']},{of['wood']},{of['yard']},A mano,,TRUE,"
    rows = f"{first},Chico y rojo,B-1,20000,Talla,S,Color,Rojo,\n{first},,B-2,21000,Talla,M,Color,Rojo,\n"
    answer = await send(admin, HEAD + rows)
    assert (answer.status_code, answer.json()["summary"]) == (202, {"toCreate": 1, "toUpdate": 0})
    confirm = f"/admin/products/imports/{answer.json()['transaction_id']}/confirm"
    assert [(one.status_code, one.json()) for one in [await admin.post(confirm, json={})]] == [(202, {})]
    assert (await admin.post(confirm, json={})).status_code == 400
    await shop.worker.run_due(JOB)
    found = (
        await admin.get(
            "/admin/products?handle=balero&fields=*categories,*tags,*variants,status,collection_id"
        )
    ).json()
    (product,) = found["products"]
    assert [product["status"], product["collection_id"]] == ["draft", of["old"]]
    assert {one["id"] for one in product["categories"]} == {of["wood"], of["yard"]}
    assert [one["value"] for one in product["tags"]] == ["A mano"]
    assert [(one["title"], one["sku"]) for one in product["variants"]] == [
        ("Chico y rojo", "B-1"),
        ("M / Rojo", "B-2"),
    ]
    ids = [one["id"] for one in product["variants"]]
    changed = rows.replace(",balero,Balero", f"{product['id']},bolero,Bolero").replace("A mano", "")
    changed = changed.replace(",,B-2", f"{ids[1]},,B-3")
    uploaded = (await send(admin, HEAD + changed, "/admin/uploads")).json()["files"][0]
    begun = await admin.post(
        "/admin/products/imports", json={"file_key": uploaded["id"], "originalname": "products.csv"}
    )
    assert (begun.status_code, begun.json()["summary"]) == (202, {"toCreate": 0, "toUpdate": 1})
    assert (await admin.get(uploaded["url"])).json()["product_import"]["changed"] == 2
    confirm = f"/admin/products/imports/{begun.json()['transaction_id']}/confirm"
    refused = await admin.post(confirm, json={})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert await admin.post(confirm, json={"confirm_losses": True})
    await shop.worker.run_due(JOB)
    async with shop.database.read() as session:
        assert (await session.execute(select(Product.handle, Product.title))).all() == [("bolero", "Bolero")]
        assert set((await session.execute(select(Variant.id, Variant.sku))).all()) == {
            (ids[0], "B-1"),
            (ids[1], "B-3"),
        }
        assert await read_tags_and_types(session, [product["id"]]) == {}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (",a,A,draft,,,,,,,,,A-1,mucho,,,,,", "Fila 2 · Precio: "),
        (",a,A,draft,,,,,,,,,A-1,5000,,M,,,", "Fila 2 · Opción 1: "),
        (",a,A,draft,,,,Nueva,,,,,A-1,5000,,,,,", "Fila 2 · Etiquetas: No hay etiqueta «Nueva»."),
        (",a,A,draft,,pcat_1,,,,,,,A-1,5000,,,,,", "Fila 2 · Categorías: "),
        ("prod_1,a,A,draft,,,,,,,,,A-1,5000,,,,,", "Fila 2 · Id del producto: La tienda no tiene «prod_1»."),
        (",a,A,gone,,,,,,,,,A-1,5000,,,,,", "Fila 2 · Estado: "),
        (",a,A,draft,,,,,,,,,A-1,,,,,,", "Fila 2 · Precio: Hace falta"),
    ],
)
async def test_file_with_an_invalid_cell_is_refused_completely(
    admin: httpx.AsyncClient, shop: Shop, cells: str, message: str
) -> None:
    await read_groups(shop)
    answer = await send(admin, f"{HEAD}{cells}\n,b,B,draft,,,,,,,,,B-1,5000,,,,,\n")
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)
    async with shop.database.read() as session:
        assert (await session.execute(select(ProductImport.id))).all() == []


async def test_missing_file_or_unknown_import_is_refused(admin: httpx.AsyncClient, shop: Shop) -> None:
    for text in ("", "color\nrojo\n", "\x00"):
        assert (await send(admin, text)).status_code == 400
        assert (await send(admin, text, "/admin/uploads")).status_code == 400
    assert (await admin.post("/admin/products/import", json={})).status_code == 400
    body = {"file_key": "imp_1", "originalname": "a.csv"}
    assert (await admin.post("/admin/products/imports", json=body)).status_code == 404
    assert (await admin.post("/admin/products/imports", json={})).status_code == 400
    assert (await admin.post("/admin/products/imports/imp_1/confirm", json={})).status_code == 404
    place = {"originalname": "a.csv", "mime_type": "text/csv", "size": 12}
    answer = (await admin.post("/admin/uploads/presigned-urls", json=place)).json()
    assert answer == {**place, "url": "/admin/uploads", "filename": "a.csv", "extension": "csv"}


async def test_import_file_without_changes_is_completed_at_once(admin: httpx.AsyncClient, shop: Shop) -> None:
    rows = HEAD + ",a,A,published,,,,,,,,,A-1,5000,,,,,\n"
    first = (await send(admin, rows)).json()["transaction_id"]
    await admin.post(f"/admin/products/import/{first}/confirm", json={})
    await shop.worker.run_due(JOB)
    again = (await send(admin, rows)).json()
    assert again["summary"] == {"toCreate": 0, "toUpdate": 1}
    assert (await admin.post(f"/admin/products/imports/{again['transaction_id']}/confirm")).status_code == 202
    assert (await admin.get(f"/admin/imports/{again['transaction_id']}")).status_code == 404


async def export_rows(admin: httpx.AsyncClient, shop: Shop, query: str = "") -> list[dict[str, str]]:
    """Export the products, check the notification about the file, and return the file's rows."""
    answer = await admin.post(f"/admin/products/export{query}", json={})
    assert answer.status_code == 202
    assert (await admin.get("/admin/notifications?channel=feed")).json()["count"] == 0
    await shop.worker.run_due("export.make")
    feed = (await admin.get("/admin/notifications?channel=feed&to[0]=user_1&to[1]=")).json()
    notification = feed["notifications"][0]
    assert [notification["id"], notification["data"]["title"]] == [
        f"noti_{answer.json()['transaction_id']}",
        "Product export",
    ]
    assert (await admin.get(f"/admin/notifications/{notification['id']}")).json()[
        "notification"
    ] == notification
    assert notification in (await admin.get("/admin/notifications?limit=50")).json()["notifications"]
    file = await admin.get(notification["data"]["file"]["url"])
    return list(csv.DictReader(StringIO(file.text, newline="")))


async def test_exported_products_are_imported_without_changes(admin: httpx.AsyncClient, shop: Shop) -> None:
    of = await read_groups(shop)
    price = [{"amount": 20_000, "currency_code": "cop"}]
    odd = ["Rojo, claro", "a/b", "ñandú «É»", "=1+1"]
    body = {
        "title": 'Balero "de" gala', "handle": "balero", "status": "proposed", "tags": [{"id": of["tag"]}],
        "weight": 0.35, "images": [{"url": "/pictures/ab/un balero-960.webp"}, {"url": "https://example.com/b.jpg"}],
        "options": [{"title": "Color, ñ", "values": odd}],
        "variants": [{"title": one, "options": {"Color, ñ": one}, "prices": price} for one in odd],
    }  # fmt: skip
    product = (await admin.post("/admin/products", json=body)).json()["product"]
    for place in ("wood", "yard"):
        await admin.post(f"/admin/product-categories/{of[place]}/products", json={"add": [product["id"]]})
    await admin.post(f"/admin/collections/{of['old']}/products", json={"add": [product["id"]]})
    await admin.post(
        "/admin/products", json={"title": "Yoyo", "variants": [{"title": "Única", "prices": price}]}
    )
    rows = await export_rows(admin, shop)
    assert len(rows) == 5
    assert [row["Variant Option 1 Value"].removeprefix("'") for row in rows[:4]] == odd
    first = rows[0]
    assert [first[f"Product {name}"] for name in ("Status", "Tag 1", "Image 2", "Weight", "Discountable")] == [
        "proposed", "A mano", "https://example.com/b.jpg", "0.35", "true",
    ]  # fmt: skip
    assert {first["Product Category 1"], first["Product Category 2"]} == {of["wood"], of["yard"]}
    assert (first["Product Collection Id"], first["Variant Price COP"]) == (of["old"], "20000")
    text = StringIO(newline="")
    writer = csv.DictWriter(text, list(first))
    writer.writeheader()
    writer.writerows(rows)
    answer = (await send(admin, text.getvalue())).json()
    assert answer["summary"] == {"toCreate": 0, "toUpdate": 2}
    found = (await admin.get(f"/admin/imports/{answer['transaction_id']}")).json()["product_import"]
    assert [found[name] for name in ("new", "changed", "same", "wrong", "changes")] == [0, 0, 5, 0, []]


async def test_free_variant_is_free_after_a_platform_export_and_import(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    """Export prices of 0 and import them.

    | the variant | after |
    |---|---|
    | free | free |
    | free when it was exported, not when it is imported | free again |
    | not free | not free |
    """
    price = [{"amount": 0, "currency_code": "cop"}]
    ids = {}
    for title, is_free in (("Calcomanía", True), ("Catálogo", True), ("Trompo", False)):
        variant = {"title": "Única", "prices": price, "metadata": {"is_free": is_free}}
        body = {"title": title, "variants": [variant]}
        product = (await admin.post("/admin/products", json=body)).json()["product"]
        ids[title] = product["variants"][0]["id"]
    rows = await export_rows(admin, shop)
    assert {row["Product Title"]: row["Variant Is Free"] for row in rows} == {
        "Calcomanía": "true", "Catálogo": "true", "Trompo": "false",
    }  # fmt: skip
    async with shop.database.transaction() as session:
        changed = await session.get_one(Variant, ids["Catálogo"])
        changed.is_free = False
    text = StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    answer = (await send(admin, text.getvalue())).json()
    await admin.post(f"/admin/products/imports/{answer['transaction_id']}/confirm", json={})
    await shop.worker.run_due(JOB)
    async with shop.database.read() as session:
        found = {title: (await session.get_one(Variant, id_)).is_free for title, id_ in ids.items()}
    assert found == {"Calcomanía": True, "Catálogo": True, "Trompo": False}


async def test_export_contains_the_queried_products(admin: httpx.AsyncClient, shop: Shop) -> None:
    price = [{"amount": 20_000, "currency_code": "cop"}]
    for title, status in (("Yoyo", "draft"), ("Balón", "published")):
        body = {"title": title, "status": status, "variants": [{"title": "Única", "prices": price}]}
        await admin.post("/admin/products", json=body)
    rows = await export_rows(admin, shop, "?status[0]=draft&limit=20&offset=20")
    assert [row["Product Title"] for row in rows] == ["Yoyo"]
    assert (await admin.post("/admin/products/export?color=rojo", json={})).status_code == 400
    assert (await admin.post("/admin/products/export", json={"a": 1})).status_code == 400

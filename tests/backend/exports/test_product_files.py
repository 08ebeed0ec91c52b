"""Products in the files of Shopify and WooCommerce, which the shop's own import reads again."""

import csv
from io import StringIO

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.importer.formats.convert import convert_table
from backend.catalog.importer.formats.models import SourceFormat
from backend.catalog.importer.formats.recognition import recognise
from backend.catalog.models import Category, Picture, Product, ProductCategory, Variant
from backend.exports.kinds import KINDS
from backend.exports.service import JOB, list_kinds, open_export_file, request_export
from tests.backend.catalog.importer.formats.tables import list_cells, read_table
from tests.backend.exports.test_exports import DAYS, OWNER
from tests.backend.imports.sender import Sender
from tests.store_defaults import Defaults

SHEET = (
    "Nombre;Dirección;SKU;Precio;Precio antes;Unidades;Opción 1;Valor 1;Marca;Peso (kg);Estado;Descripción;IVA\n"
    'Gorra;gorra;G-S;20000;;5;Talla;S, chica;Lúdica;0,2;publicado;"Uno\n\n• a\n• b & c";5\n'
    "Gorra;gorra;G-M;21000;25000;0;Talla;M;;;;;\n"
    "Yoyo, profesional;yoyo;Y-1;5000;6000;3;;;;;oculto;;\n"
)


@pytest.fixture
async def products(shop: Shop, shop_defaults: Defaults) -> None:
    sender = Sender(shop, shop_defaults)
    await sender.send_spreadsheet(SHEET)
    await sender.run_import()
    async with shop.database.transaction() as session:
        toys = Category(name="Juguetes", handle="juguetes")
        wood = Category(name="Madera, fina", handle="madera", parent_id=toys.id)
        session.add_all([toys, Category(name="Otros", handle="otros"), wood])
        await session.flush()
        cap = (await session.execute(Product.__table__.select().where(Product.handle == "gorra"))).one()  # type: ignore[attr-defined]
        session.add(ProductCategory(product_id=cap.id, category_id=wood.id))
        for rank, url in enumerate(["/pictures/a ñ.webp", "https://x.co/b,1.jpg", "https://x.co/c.jpg"]):
            session.add(Picture(product_id=cap.id, url=url, rank=rank))


async def export_text(shop: Shop, kind: str) -> str:
    async with shop.database.transaction() as session:
        export_id = await request_export(session, OWNER, kind, "xlsx", DAYS)
    await shop.worker.run_due(JOB)
    file = await open_export_file(shop.database, OWNER, export_id)
    assert file.media_type.startswith("text/csv")
    return b"".join([piece async for piece in file.pieces]).decode()


def read_cells(text: str) -> list[dict[str, str]]:
    return [
        {name: cell for name, cell in row.items() if cell}
        for row in csv.DictReader(StringIO(text, newline=""))
    ]


@pytest.mark.usefixtures("products")
async def test_shopify_file_has_a_row_for_each_variant_and_picture(shop: Shop) -> None:
    text = await export_text(shop, "shopify")
    assert text.startswith("Handle,Title,Body (HTML),Vendor,")
    small, large, picture, yoyo = read_cells(text)
    base = shop.settings.base_url
    every = {
        "Variant Inventory Tracker": "shopify", "Variant Inventory Policy": "deny",
        "Variant Fulfillment Service": "manual", "Variant Requires Shipping": "TRUE", "Variant Taxable": "TRUE",
        "Variant Weight Unit": "kg",
    }  # fmt: skip
    assert small == {
        **every, "Handle": "gorra", "Title": "Gorra",
        "Body (HTML)": "<p>Uno</p>\n<ul><li>a</li><li>b &amp; c</li></ul>",
        "Vendor": "Lúdica", "Tags": "Madera fina", "Published": "TRUE", "Option1 Name": "Talla",
        "Option1 Value": "S, chica", "Variant SKU": "G-S", "Variant Grams": "200.0", "Variant Inventory Qty": "5",
        "Variant Price": "20000", "Image Src": f"{base}/pictures/a%20%C3%B1.webp", "Image Position": "1",
        "Gift Card": "FALSE", "Status": "active",
    }  # fmt: skip
    assert large == {
        **every, "Handle": "gorra", "Option1 Name": "Talla", "Option1 Value": "M", "Variant SKU": "G-M",
        "Variant Grams": "200.0", "Variant Inventory Qty": "0", "Variant Price": "21000",
        "Variant Compare At Price": "25000", "Image Src": "https://x.co/b,1.jpg", "Image Position": "2",
    }  # fmt: skip
    assert picture == {"Handle": "gorra", "Image Src": "https://x.co/c.jpg", "Image Position": "3"}
    assert yoyo == {
        **every, "Handle": "yoyo", "Title": "Yoyo, profesional", "Published": "FALSE", "Option1 Name": "Title",
        "Option1 Value": "Default Title", "Variant SKU": "Y-1", "Variant Grams": "0", "Variant Inventory Qty": "3",
        "Variant Price": "5000", "Variant Compare At Price": "6000", "Gift Card": "FALSE", "Status": "draft",
    }  # fmt: skip


@pytest.mark.usefixtures("products")
async def test_woocommerce_file_has_parents_and_variations(shop: Shop) -> None:
    parent, small, large, yoyo = read_cells(await export_text(shop, "woocommerce"))
    assert parent == {
        "Type": "variable", "SKU": "gorra", "Name": "Gorra", "Published": "1", "Is featured?": "0",
        "Visibility in catalog": "visible", "Description": r"<p>Uno</p>\n<ul><li>a</li><li>b &amp; c</li></ul>",
        "Tax status": "taxable", "Tax class": "reduced-rate", "In stock?": "1", "Backorders allowed?": "0",
        "Weight (kg)": "0.2", "Categories": r"Juguetes > Madera\, fina", "Brands": "Lúdica",
        "Images": rf"{shop.settings.base_url}/pictures/a%20%C3%B1.webp, https://x.co/b\,1.jpg, https://x.co/c.jpg",
        "Attribute 1 name": "Talla", "Attribute 1 value(s)": r"S\, chica, M", "Attribute 1 visible": "1",
        "Attribute 1 global": "0",
    }  # fmt: skip
    assert large == {
        "Type": "variation", "SKU": "G-M", "Name": "Gorra - M", "Published": "1", "Tax status": "taxable",
        "Tax class": "parent", "In stock?": "0", "Stock": "0", "Sale price": "21000", "Regular price": "25000",
        "Parent": "gorra", "Attribute 1 name": "Talla", "Attribute 1 value(s)": "M", "Attribute 1 visible": "1",
        "Attribute 1 global": "0",
    }  # fmt: skip
    assert (small["Attribute 1 value(s)"], small["Regular price"], small.get("Sale price")) == (
        r"S\, chica", "20000", None,
    )  # fmt: skip
    assert (yoyo["Type"], yoyo["SKU"], yoyo["Published"], yoyo["Sale price"]) == (
        "simple",
        "Y-1",
        "0",
        "5000",
    )


@pytest.mark.usefixtures("products")
@pytest.mark.parametrize("source_format", [SourceFormat.SHOPIFY, SourceFormat.WOOCOMMERCE])
async def test_exported_files_can_be_read_by_the_import_of_the_shop(
    shop: Shop, source_format: SourceFormat
) -> None:
    table = read_table(await export_text(shop, source_format))
    assert recognise(table.headings) is source_format
    small, large, yoyo = list_cells(convert_table(table, source_format))
    offers = [
        [row.get(name) for name in ("sku", "price", "compare_at_price", "stock", "option_1", "value_1")]
        for row in (small, large, yoyo)
    ]
    assert offers == [
        ["G-S", "20000", "", "5", "Talla", "S, chica"],
        ["G-M", "21000", "25000", "0", "Talla", "M"],
        ["Y-1", "5000", "6000", "3", None, None],
    ]
    assert (small["title"], small["brand"], small["weight"], small["status"], yoyo["status"]) == (
        "Gorra", "Lúdica", "0.2", "published", "draft",
    )  # fmt: skip
    assert small["pictures"].split("|")[1:] == ["https://x.co/b,1.jpg", "https://x.co/c.jpg"]
    assert small["description"].replace("\n", "") == "<p>Uno</p><ul><li>a</li><li>b &amp; c</li></ul>"


@pytest.mark.usefixtures("products")
async def test_costs_and_texts_for_search_engines_are_in_the_files(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Export to Shopify's columns and convert the file back; then import the shop's own columns."""
    async with shop.database.transaction() as session:
        await session.execute(
            update(Variant).where(Variant.sku == "G-S").values(cost=8_000, thumbnail="/pictures/s.webp")
        )
        cap = (await session.execute(select(Product).where(Product.handle == "gorra"))).scalar_one()
        cap.seo_title, cap.seo_description = "Gorra =1+1", "La de siempre"
    rows = read_cells(await export_text(shop, "shopify"))
    first = {
        name: rows[0].get(name) for name in ("SEO Title", "SEO Description", "Cost per item", "Variant Image")
    }
    assert first == {
        "SEO Title": "Gorra =1+1",
        "SEO Description": "La de siempre",
        "Cost per item": "8000",
        "Variant Image": "http://localhost:3000/pictures/s.webp",
    }
    table = read_table(await export_text(shop, "shopify"))
    small = list_cells(convert_table(table, SourceFormat.SHOPIFY))[0]
    assert [small[name] for name in ("cost", "seo_title", "seo_description")] == [
        "8000",
        "Gorra =1+1",
        "La de siempre",
    ]
    sender = Sender(shop, shop_defaults)
    await sender.send_spreadsheet(
        "SKU;Dirección;Costo;Encabezado en Google;Resumen en Google\nG-M;gorra;9.500;Gorra nueva;Otra\n"
    )
    await sender.run_import()
    async with shop.database.read() as session:
        costs = dict((await session.execute(select(Variant.sku, Variant.cost))).all())
        cap = (await session.execute(select(Product).where(Product.handle == "gorra"))).scalar_one()
    assert (costs["G-S"], costs["G-M"], cap.seo_title, cap.seo_description) == (
        8_000,
        9_500,
        "Gorra nueva",
        "Otra",
    )


async def test_office_offers_product_files_for_shopify_and_woocommerce() -> None:
    assert {"shopify", "woocommerce", "import"} <= list_kinds(OWNER).keys() < KINDS.keys()

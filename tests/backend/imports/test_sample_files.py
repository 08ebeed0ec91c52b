"""Files as programs and people write them, in `cases`: each is imported and compared with the shop."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from backend.catalog.models import Category, Picture, Product, ProductCategory, Variant
from backend.catalog.products.options import read_named_values
from backend.imports import import_job
from backend.inventory.models import InventoryLevel
from tests.backend.catalog.importer.formats.tables import CASES
from tests.backend.imports import catalogs
from tests.backend.imports.catalogs import to_csv
from tests.backend.imports.sender import Sender
from tests.backend.imports.test_imports import picture
from tests.backend.imports.test_random_catalogs import FORMATS


async def import_case(sender: Sender, name: str) -> dict[str, dict[str, Any]]:
    """Import a file, without the pictures at invented addresses, and return the shop's values by SKU."""
    found = await sender.send_spreadsheet((CASES / name).read_bytes(), makes_places=True)
    assert [one for one in found.problems if one.column != "pictures"] == []
    await sender.run_import()
    return await read_shop(sender)


async def read_shop(sender: Sender) -> dict[str, dict[str, Any]]:
    query = (
        select(Product, Variant, InventoryLevel.stocked)
        .join(Variant, Variant.product_id == Product.id)
        .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    )
    async with sender.shop.database.read() as session:
        rows = (await session.execute(query)).all()
        of_products: dict[str, list[Variant]] = {}
        for product, variant, _stock in rows:
            of_products.setdefault(product.id, []).append(variant)
        options = await read_named_values(session, of_products)
        placed = (
            await session.execute(
                select(ProductCategory.product_id, Category.name).join(
                    Category, Category.id == ProductCategory.category_id
                )
            )
        ).all()
        pictures = (await session.execute(select(Picture.product_id))).scalars().all()
    return {
        variant.sku or "": {
            "title": product.title,
            "brand": product.brand,
            "status": product.status,
            "weight": product.weight,
            "tax_rate": product.tax_rate,
            "price": variant.price,
            "before": variant.compare_at_price,
            "ean": variant.ean,
            "stock": stock,
            "options": dict(options[variant.id]),
            "categories": {name for product_id, name in placed if product_id == product.id},
            "pictures": pictures.count(product.id),
        }
        for product, variant, stock in rows
    }


def pick(shop: dict[str, dict[str, Any]], *names: str) -> dict[str, list[Any]]:
    return {sku: [values[name] for name in names] for sku, values in sorted(shop.items())}


async def test_total_row_of_a_list_is_not_imported_as_a_product(sender: Sender) -> None:
    shop = await import_case(sender, "s3-clean-but-total.xlsx")
    assert pick(shop, "price", "stock", "tax_rate") == {
        "0001a3": [89_900, 12, 19], "0002a3": [35_000, 4, 19], "0003a3": [12_000, 2, 0],
    }  # fmt: skip


async def test_percents_and_cents_are_read(sender: Sender) -> None:
    shop = await import_case(sender, "s1-pct-cents.xlsx")
    assert pick(shop, "price", "stock", "tax_rate") == {
        "0001a1": [89_900, 12, 19], "0002a1": [35_001, 4, 19], "0003a1": [12_000, 0, 0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s7-cover.xlsx", {"CV-1": ["Trompo portada", 1_000]}),
        ("s11-hidden-row.xlsx", {"HR-1": ["Fila vista", 1_000]}),
        ("numbers.xlsx", {"NU-1": ["Yoyo luz", 15_000], "NU-2": ["Yoyo pro", 45_000]}),
        ("01-0.csv", {"DOT-0": ["Trompo punto 0", 89_900]}),
        ("14-zeros-handle.xlsx", {"0017": ["Ceros", 2_000]}),
    ],
)
async def test_sample_list_is_imported_without_corrections(
    sender: Sender, name: str, expected: dict[str, list[Any]]
) -> None:
    assert pick(await import_case(sender, name), "title", "price") == expected


async def test_export_of_shopify_saved_by_libreoffice_is_imported(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "fetch", lambda _address, **_how: picture())
    shop = await import_case(sender, "lo-shopify.xlsx")
    assert pick(shop, "title", "price", "before", "stock", "status", "ean", "options", "pictures") == {
        "RM-100": ["Rompecabezas mapa", 45_900, 52_000, 7, "published", "7701234567897", {}, 1],
        "CO-RG": ["Cometa tela", 25_000, None, 3, "draft", None, {"Color": "Rojo", "Tamaño": "Grande"}, 0],
        "CO-RP": ["Cometa tela", 19_000, None, 0, "draft", None, {"Color": "Rojo", "Tamaño": "Pequeño"}, 0],
        "CO-AG": ["Cometa tela", 25_000, None, 0, "draft", None, {"Color": "Azul", "Tamaño": "Grande"}, 0],
    }  # fmt: skip


async def test_sizes_below_a_merged_name_are_imported_as_variants(sender: Sender) -> None:
    shop = await import_case(sender, "lo-merged-sizes.xlsx")
    assert pick(shop, "title", "price", "stock", "categories", "options") == {
        "ME-S": ["Disfraz pirata", 80_000, 3, {"Disfraces"}, {"Talla": "S"}],
        "ME-M": ["Disfraz pirata", 80_000, 2, {"Disfraces"}, {"Talla": "M"}],
        "ME-L": ["Disfraz pirata", 85_000, 0, {"Disfraces"}, {"Talla": "L"}],
        "ME-T": ["Títere lobo", 25_000, 4, {"Títeres"}, {}],
    }  # fmt: skip


async def test_subtotals_and_footers_are_not_imported_as_products(sender: Sender) -> None:
    shop = await import_case(sender, "lo-subtotals.xlsx")
    assert pick(shop, "title", "price", "stock", "tax_rate") == {
        "J-01": ["Trompo metálico", 12_500, 12, 19],
        "J-02": ["Canicas x 50", 8_000, 1_200, 19],
        "J-03": ["Cartilla", 15_000, 3, 0],
    }


async def test_merged_category_cell_is_imported_for_each_of_its_rows(sender: Sender) -> None:
    shop = await import_case(sender, "09-merged-b.xlsx")
    assert pick(shop, "categories") == {
        "TRO-MUN-017": [{"Muñecas y muñecos"}], "TRO-MUN-018": [{"Muñecas y muñecos"}],
    }  # fmt: skip


async def test_paths_of_categories_are_created(sender: Sender) -> None:
    shop = await import_case(sender, "26-path.csv")
    assert pick(shop, "categories") == {"P-1": [{"Madera", "Bebés"}]}


async def test_short_row_is_imported_with_the_cells_that_it_has(sender: Sender) -> None:
    shop = await import_case(sender, "n18.csv")
    assert pick(shop, "title", "price") == {"F1-66245": ["Corta 66245", 25_000]}


async def test_price_list_of_prestashop_is_imported(sender: Sender) -> None:
    content = (CASES / "m-prestashop-list.csv").read_bytes()
    address = b"https://example.com/31-small_default/trompo.jpg"
    found = await sender.send_spreadsheet(content.replace(address, b""), makes_places=True)
    assert found.problems == []
    await sender.run_import()
    assert pick(await read_shop(sender), "title", "price", "stock", "status") == {
        "PS-1": ["Trompo prestado", 89_900, 7, "published"], "PS-2": ["Yoyo prestado", 35_000, 0, "draft"],
    }  # fmt: skip


RANDOM_LIMITS = settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.data_too_large,
    ],
)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "accounting"])
@RANDOM_LIMITS
@given(data=st.data())
async def test_products_of_a_random_file_are_imported_with_all_values(
    sender: Sender, name: str, data: st.DataObject
) -> None:
    """Import a random catalogue without pictures, and compare the products of the shop with it."""
    _format, write, has_options = FORMATS[name]
    prefix = f"{uuid4().hex[:8]} "
    products = [
        replace(one, pictures=0)
        for one in data.draw(catalogs.catalogs(has_options=has_options, prefix=prefix))
    ]
    file = write(products)
    if name in ("shopify", "trompo"):  # their files have handles, which must differ between the examples
        place = file.headings.index("Handle" if name == "shopify" else "Dirección")
        for row in file.rows:
            row[place] = f"{prefix.strip()}-{row[place]}"
    before = await read_shop(sender)
    found = await sender.send_spreadsheet(to_csv(file, ",", "\n", "utf-8"), makes_places=True)
    assert found.problems == []
    await sender.run_import()
    shop = await read_shop(sender)
    assert {sku: shop[sku] for sku in before} == before
    imported = {sku: values for sku, values in shop.items() if sku not in before}
    assert imported.keys() == file.expected.keys()
    titles: dict[str, str] = {}
    for sku, expected in file.expected.items():
        values = imported[sku]
        if "title" in expected:
            titles[sku.rpartition("-")[0]] = str(expected["title"])
        stock = expected.get("stock", None)
        assert (values["price"], values["before"], values["ean"] or "", values["options"]) == (
            expected["price"], expected.get("compare_at_price"), expected.get("ean", ""),
            dict(expected.get("options", ())),  # type: ignore[call-overload]
        )  # fmt: skip
        assert stock is None or values["stock"] == stock
        assert values["title"] == expected.get("title", titles.get(sku.rpartition("-")[0], values["title"]))

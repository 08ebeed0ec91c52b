"""Stored values that an import would clear (losses) must be confirmed, and new products are drafts until published."""

import pytest
from sqlalchemy import select

from backend.catalog.models import Category, Product, ProductCategory, Variant
from backend.core.clock import now
from backend.imports.confirmation import UnconfirmedLosses, set_publishes, start_import
from backend.imports.models import ImportStatus
from backend.imports.rows.losses import find_losses
from backend.inventory.models import InventoryLevel
from tests.backend.imports.sender import OWNER, Sender, list_problems
from tests.backend.imports.test_imports import picture
from tests.store_defaults import add_product

HEAD = "Nombre;SKU;Dirección;Precio;Unidades;Categorías;Marca\n"


async def add_yoyo(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "yoyo", price=9_900, stock=4, brand="Lúdica")
        wood = (await session.execute(select(Category.id).where(Category.handle == "madera"))).scalar_one()
        product = (await session.execute(select(Product.id))).scalar_one()
        session.add(ProductCategory(product_id=product, category_id=wood))


async def read_status(sender: Sender, sku: str) -> str:
    status: str = await sender.value(Product.status, sku)
    return status


async def test_losses_are_counted_and_must_be_confirmed(sender: Sender) -> None:
    await add_yoyo(sender)
    found = await sender.send_spreadsheet(f"{HEAD}Yoyo;SKU-yoyo;;9900;0;;\n")
    assert (found.loss_count, dict(found.losses)) == (3, {"stock": 1, "categories": 1, "brand": 1})
    assert [sorted(one.losses) for one in found.changes] == [["brand", "categories", "stock"]]
    with pytest.raises(UnconfirmedLosses, match=r"would empty or take away: 3\."):
        await sender.run_import()
    assert (await sender.report()).status is ImportStatus.CHECKED
    assert await sender.value(Product.brand, "SKU-yoyo") == "Lúdica"
    assert (await sender.run_import(confirms_losses=True)).counts.refused == 0
    assert await sender.value(Product.brand, "SKU-yoyo") == ""
    assert await sender.value(InventoryLevel.stocked, "SKU-yoyo") == 0


async def test_added_values_do_not_count_as_losses(sender: Sender) -> None:
    await add_yoyo(sender)
    found = await sender.send_spreadsheet(f"{HEAD}Yoyo;SKU-yoyo;;12000;9;Madera;Otra\nTrompo;T-1;;5000;0;;\n")
    assert (found.loss_count, found.counts.changed, found.counts.new) == (0, 1, 1)
    assert (await sender.run_import()).counts.refused == 0


async def test_changed_codes_of_existing_variants_are_listed(sender: Sender) -> None:
    await add_yoyo(sender)
    found = await sender.send_spreadsheet(
        f"{HEAD}Yoyo nuevo;SKU-otro;yoyo;9900;4;Madera;Lúdica\nTrompo;T-1;;5000;1;;\n"
    )
    assert list(found.code_changes) == [
        {
            "line": 2,
            "title": "Yoyo nuevo",
            "column": "sku",
            "before": "SKU-yoyo",
            "after": "SKU-otro",
        }
    ]
    assert found.loss_count == 1
    with pytest.raises(UnconfirmedLosses):
        await sender.run_import()
    assert (await sender.run_import(confirms_losses=True)).counts.refused == 0
    assert await read_status(sender, "SKU-otro") == "published"


@pytest.mark.parametrize(
    ("column", "before", "after", "is_loss"),
    [
        ("brand", "Uno", "", True),
        ("brand", "Uno", "Dos", False),
        ("brand", "", "Dos", False),
        ("weight", 0.5, None, True),
        ("compare_at_price", 9_900, None, True),
        ("price", 9_900, 0, True),
        ("price", 9_900, 1, False),
        ("stock", 4, 0, True),
        ("stock", 4, 3, False),
        ("stock", 0, 0, False),
        ("ean", "7701234567897", "", True),
        ("ean", None, "7701234567897", False),
        ("sku", "A", "B", True),
        ("categories", ("a", "b"), ("b",), True),
        ("categories", ("a",), ("a", "b"), False),
        ("pictures", ("/a", "/b"), ("/c", "/a", "/b"), False),
        ("pictures", ("/a", "/b"), ("/a",), True),
        ("pictures", ("/a",), (), True),
        ("tags", ("a",), ("b",), True),
        ("featured", True, False, False),
        ("status", "published", "draft", True),
        ("status", "draft", "published", False),
        ("options", (("Talla", "M"), ("Color", "Rojo")), (("Talla", "M"),), True),
        ("options", (("Talla", "M"),), (("Talla", "L"), ("Color", "Rojo")), False),
        ("collection", "viejos", None, True),
    ],
)
def test_loss_is_found_for_each_kind_of_value(
    column: str, before: object, after: object, *, is_loss: bool
) -> None:
    assert find_losses({column: (before, after)}) == [column] * is_loss


async def test_new_products_are_drafts_until_they_are_published(sender: Sender) -> None:
    sheet = "Nombre;SKU;Precio;Estado\nUno;N-1;5000;\nDos;N-2;5000;publicado\nTres;N-3;5000;oculto\n"
    await sender.send_spreadsheet(sheet)
    await sender.run_import()
    assert [await read_status(sender, f"N-{n}") for n in (1, 2, 3)] == ["draft", "published", "draft"]
    found = await sender.send_spreadsheet(sheet.replace("N-", "M-").replace("os;", "os bis;"))
    await set_publishes(sender.shop.database, OWNER, found.id, publishes=True)
    shown = (await sender.report()).changes[0].changes
    assert {"column": "status", "before": "", "after": "publicado"} in shown
    sheet_with_other_names = "Nombre;SKU;Precio;Estado\nCuatro;M-1;5000;\nCinco;M-2;5000;oculto\n"
    await sender.send_spreadsheet(sheet_with_other_names)
    await set_publishes(sender.shop.database, OWNER, sender.id, publishes=True)
    await sender.run_import()
    assert [await read_status(sender, f"M-{n}") for n in (1, 2)] == ["published", "draft"]


@pytest.mark.parametrize("price", ["0", '"$ 0,00"'])
async def test_new_product_with_price_zero_is_always_a_draft(price: str, sender: Sender) -> None:
    await sender.send_spreadsheet(
        f"SKU,Nombre,Precio,Gratis,Estado\nZ-1,Cero,{price},,publicado\nZ-2,Regalo,{price},sí,publicado\n"
    )
    await set_publishes(sender.shop.database, OWNER, sender.id, publishes=True)
    found = await sender.report()
    assert list_problems(found) == []
    assert [(one.line, one.column, one.code) for one in found.notes] == [(2, "price", "price zero")]
    assert found.note_count == 1
    await sender.run_import()
    assert [await read_status(sender, sku) for sku in ("Z-1", "Z-2")] == ["draft", "published"]


async def test_new_product_with_an_unpriced_variant_is_a_draft(sender: Sender) -> None:
    await sender.send_spreadsheet(
        "Nombre;SKU;Precio;Opción 1;Valor 1\nTítere;T-1;5000;Color;Rojo\nTítere;T-2;0;Color;Azul\n"
    )
    await set_publishes(sender.shop.database, OWNER, sender.id, publishes=True)
    assert [one.line for one in (await sender.report()).notes] == [3]
    await sender.run_import()
    assert [await read_status(sender, sku) for sku in ("T-1", "T-2")] == ["draft", "draft"]


async def test_product_restored_by_an_import_is_a_draft(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "yoyo", price=9_900, deleted_at=now())
    await sender.send_spreadsheet("Nombre;SKU;Precio\nYoyo;SKU-yoyo;9900\n")
    assert (await sender.run_import()).counts.refused == 0
    assert await sender.value(Product.deleted_at, "SKU-yoyo") is None
    assert await read_status(sender, "SKU-yoyo") == "draft"


async def test_changed_product_retains_its_status(sender: Sender) -> None:
    await add_yoyo(sender)
    await sender.send_spreadsheet("SKU;Precio\nSKU-yoyo;12000\n")
    await sender.run_import()
    assert await read_status(sender, "SKU-yoyo") == "published"


async def test_import_does_not_clear_a_value_added_after_the_preview(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "yoyo", price=9_900)
    found = await sender.send_spreadsheet("SKU;Precio;Marca\nSKU-yoyo;12000;\n")
    assert found.loss_count == 0
    async with sender.shop.database.transaction() as session:
        variant = (await session.execute(select(Variant).where(Variant.sku == "SKU-yoyo"))).scalar_one()
        (await session.get_one(Product, variant.product_id)).brand = "Lúdica"
    await start_import(sender.shop.database, OWNER, found.id)
    assert (await sender.run_job()).counts.refused == 0
    assert await sender.value(Product.brand, "SKU-yoyo") == "Lúdica"


async def test_preview_lists_missing_pictures_and_pictures_that_no_row_names(sender: Sender) -> None:
    """Check that a row with another problem also counts as a row that names a picture."""
    await sender.send_spreadsheet(
        "Nombre;SKU;Precio;Fotos\nTrompo;T-1;5000;trompo.jpg\nYoyo;Y-1;mucho;yoyo.jpg\n"
        "Balero;B-1;5000;balero.jpg|balero-2.jpg\nSin foto;S-1;5000;\n"
    )
    for name in ("trompo.jpg", "yoyo.jpg", "balero.jpg", "IMG_1.jpg"):
        await sender.send_pictures(name, picture())
    found = await sender.preview()
    assert (found.pictures.row_count, found.pictures.complete_count) == (3, 2)
    assert (found.pictures.missing, found.pictures.missing_count) == (["balero-2.jpg"], 1)
    assert (found.pictures.unnamed, found.pictures.unnamed_count) == (["img_1.jpg"], 1)
    assert list_problems(found) == [(3, "price", "cell"), (4, "pictures", "picture missing")]
    assert [(one.heading, one.value) for one in found.problems] == [
        ("Precio", "mucho"), ("Fotos", "balero.jpg|balero-2.jpg"),
    ]  # fmt: skip

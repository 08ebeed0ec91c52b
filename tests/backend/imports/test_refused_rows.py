"""Refused rows as a file: it has the columns and cells of the spreadsheet, and can be corrected and imported."""

from collections.abc import Callable
from datetime import date
from io import BytesIO
from typing import Any

import pytest
import xlsxwriter
from openpyxl import load_workbook
from sqlalchemy import update

from backend.catalog.models import Product, Variant
from backend.imports.refused_rows import build_refused_file
from backend.imports.spreadsheet_parsing import read_product_file
from backend.imports.spreadsheet_upload import change_mapping
from backend.inventory.models import InventoryLevel
from tests.backend.imports.catalogs import CatalogProduct, CatalogVariant, to_csv
from tests.backend.imports.sender import OWNER, Sender, list_problems
from tests.backend.imports.test_random_catalogs import FORMATS

PRICE_HEADINGS = {
    "shopify": "Variant Price", "woocommerce-es": "Precio normal", "woocommerce-en": "Regular price",
    "prestashop": "Price tax included", "google": "price", "mercadolibre": "Precio", "accounting": "Precio 1",
    "trompo": "Precio",
}  # fmt: skip


def build_catalog(*, has_options: bool) -> list[CatalogProduct]:
    """Return two products. If `has_options`, the first one has two variants."""
    values: list[tuple[str, ...]] = [("Rojo",), ("Azul",)] if has_options else [()]
    variants = tuple(
        CatalogVariant(f"A-{place}", 20_000 + place, None, 3, "", one) for place, one in enumerate(values)
    )
    options = ("Color",) if has_options else ()
    first = CatalogProduct(
        1, "Balón de madera", "", "Lúdica", ("Bebés",), (), 350, True, 0, options, variants
    )
    single = (CatalogVariant("B-0", 30_000, None, 4, ""),)
    second = CatalogProduct(2, "Trompo clásico", "", "Taller Uno", ("Bebés",), (), 80, True, 0, (), single)
    return [first, second]


async def fetch_refused(sender: Sender) -> bytes:
    async with sender.shop.database.read() as session:
        return await build_refused_file(session, OWNER, sender.id)


def read_cells(content: bytes) -> list[list[Any]]:
    sheet = load_workbook(BytesIO(content)).worksheets[0]
    return [["" if cell is None else cell for cell in row] for row in sheet.iter_rows(values_only=True)]


def write_cells(content: bytes, change: Callable[[Any], Any]) -> bytes:
    """Return the workbook with changed cells, as a person saves it after a correction."""
    book = load_workbook(BytesIO(content))
    for row in book.worksheets[0].iter_rows():
        for cell in row:
            cell.value = change(cell.value)
    written = BytesIO()
    book.save(written)
    return written.getvalue()


@pytest.mark.parametrize("name", FORMATS)
async def test_corrected_rows_of_every_format_change_only_what_was_corrected(
    sender: Sender, name: str
) -> None:
    source_format, write, has_options = FORMATS[name]
    file = write(build_catalog(has_options=has_options))
    await sender.send_spreadsheet(to_csv(file, ",", "\n", "utf-8"), makes_places=True)
    assert (await sender.run_import()).counts.refused == 0
    async with sender.shop.database.transaction() as session:
        await session.execute(update(Product).values(warnings="No lanzar", subtitle="A mano"))
    sku = "A-1" if has_options else "A-0"
    place = file.headings.index(PRICE_HEADINGS[name])
    (row,) = [row for row in file.rows if sku in row]
    good, row[place] = row[place], "mucho"
    broken = await sender.send_spreadsheet(to_csv(file, ",", "\n", "utf-8"))
    assert (broken.format, broken.counts.wrong) == (source_format, 1)
    content = await fetch_refused(sender)
    cells = read_cells(content)
    assert cells[0] == [*file.headings, "Qué corregir", "Fila"]
    (returned,) = [one for one in cells if sku in one]
    assert [str(cell) for cell in returned[:-2]] == row
    assert PRICE_HEADINGS[name] in returned[-2]
    assert (await sender.send_spreadsheet(content)).counts.wrong == 1
    mended = good.replace("2000", "2100")
    found = await sender.send_spreadsheet(
        write_cells(content, lambda value: mended if value == "mucho" else value)
    )
    assert (found.format, list_problems(found), found.loss_count) == (source_format, [], 0)
    assert [[one["column"] for one in row.changes] for row in found.changes] == [["price"]]
    assert (await sender.run_import()).counts.refused == 0
    assert await sender.value(Variant.price, sku) == (21_001 if has_options else 21_000)
    assert await sender.value(Product.warnings, sku) == "No lanzar"
    assert await sender.value(Product.brand, "B-0") in {"Taller Uno", ""}
    assert await sender.value(InventoryLevel.stocked, "B-0") in {4, None}


async def test_missing_cells_of_a_short_row_change_nothing_after_its_correction(sender: Sender) -> None:
    await sender.send_spreadsheet("SKU,Nombre,Marca,Precio\nT-1,Trompo,Uno,1000\nY-1,Yoyo,Dos,1000\n")
    await sender.run_import()
    found = await sender.send_spreadsheet("SKU,Nombre,Precio,Marca\nT-1,Trompo\nY-1,Yoyo,2000,Dos\n")
    assert list_problems(found) == [(2, "price", "short row")]
    content = await fetch_refused(sender)
    assert read_cells(content)[1][:4] == ["T-1", "Trompo", "(sin cambio)", "(sin cambio)"]
    prices = iter([1500])
    mended = write_cells(content, lambda value: next(prices, value) if value == "(sin cambio)" else value)
    found = await sender.send_spreadsheet(mended)
    assert (list_problems(found), found.loss_count) == ([], 0)
    assert [one["column"] for one in found.changes[0].changes] == ["price"]


async def test_extra_cells_of_a_row_are_in_the_file_of_refused_rows(sender: Sender) -> None:
    sheet = "SKU,Nombre,Precio,Unidades\nC-1,Carro,rojo,64000,25\nY-1,Yoyo,2000,3\n"
    await sender.send_spreadsheet(sheet)
    content = await fetch_refused(sender)
    head, row = read_cells(content)
    assert (head[4:], row[:4], row[5:]) == (
        ["Qué corregir", "Fila", ""], ["C-1", "Carro", "rojo", "64000"], [2, "25"],
    )  # fmt: skip
    again = await sender.send_spreadsheet(content)
    assert "extra cells" in [one.code for one in again.problems]


async def test_damaged_codes_are_still_refused_when_the_file_comes_back(sender: Sender) -> None:
    written = BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("Lista")
        sheet.write_row(0, 0, ["SKU", "Nombre", "Precio 1", "IVA"])
        sheet.write_datetime(1, 0, date(2026, 3, 3), book.add_format({"num_format": "dd/mm/yyyy"}))
        sheet.write_number(2, 0, 7_701_234_567_897, book.add_format({"num_format": "0.00E+00"}))
        sheet.write_number(3, 0, 77_012_345_678_978_901)
        sheet.write_number(4, 0, 17, book.add_format({"num_format": "0000"}))
        sheet.write_string(5, 0, "OK-1")
        for row, price in enumerate(("5000", "6000", "7000", "mucho", "8000"), start=1):
            sheet.write_row(row, 1, [f"Juguete {row}", price, "19%"])
    found = await sender.send_spreadsheet(written.getvalue())
    codes = [(2, "sku", "code is date"), (3, "sku", "code is exponent"), (4, "sku", "code is rounded")]
    assert list_problems(found) == [*codes, (5, "price", "cell")]
    content = await fetch_refused(sender)
    assert list_problems(await sender.send_spreadsheet(content)) == [*codes, (5, "price", "cell")]
    (zeros,) = [row for row in read_product_file(content).rows if row.line == 5]
    assert "0017" in zeros.texts


async def test_damaged_codes_of_a_text_are_still_refused_when_the_file_comes_back(sender: Sender) -> None:
    head = "Código,Descripción,Precio 1,Saldo\n"
    found = await sender.send_spreadsheet(
        f"{head}3/03/2026,Trompo,5000,1\nmar-26,Yoyo,5000,1\nOK-1,Balero,5000,2\n"
    )
    expected = [(2, "sku", "code is date"), (3, "sku", "code is date")]
    assert list_problems(found) == expected
    assert list_problems(await sender.send_spreadsheet(await fetch_refused(sender))) == expected


async def test_chosen_columns_are_used_for_the_corrected_file(sender: Sender) -> None:
    await sender.send_spreadsheet("Col A;Col B;Col C;Col D\nT-1;Trompo rojo;mucho;3\nY-1;Yoyo azul;2000;4\n")

    await change_mapping(sender.shop.database, OWNER, sender.id, ["sku", "title", "price", "stock"])
    assert list_problems(await sender.preview()) == [(2, "price", "cell")]
    mended = write_cells(await fetch_refused(sender), lambda value: 1500 if value == "mucho" else value)
    found = await sender.send_spreadsheet(mended)
    assert (list_problems(found), found.counts.new) == ([], 1)
    assert [one.column for one in found.mapping] == ["sku", "title", "price", "stock", "", ""]

"""Columns of an unknown list: suggested, chosen by a person, and remembered."""

import pytest
from sqlalchemy import select

from backend.catalog.models import Product, Variant
from backend.core.errors import InvalidData
from backend.imports.mapping_choice import choose_column
from backend.imports.reports import ImportReport
from tests.backend.imports.sender import OWNER, Sender, list_problems

LIST = "Código;Referencia;Descripción;IVA;Precio 1;Saldo\n0001;REF-1;Trompo;19%;18900;7\n0002;REF-2;Yoyo;19%;9900;3\n"


async def choose(sender: Sender, place: int, column: str) -> ImportReport:
    await choose_column(sender.shop.database, OWNER, sender.id, place, column)
    return await sender.report()


async def test_import_is_refused_until_one_of_two_columns_for_the_sku_is_chosen(sender: Sender) -> None:
    found = await sender.send_spreadsheet(LIST, may_choose=True)
    assert found.format == "unknown"
    assert {one.heading: (one.column, one.contested) for one in found.mapping} == {
        "Código": ("sku", "sku"),
        "Referencia": ("", "sku"),
        "Descripción": ("title", ""),
        "IVA": ("tax_rate", ""),
        "Precio 1": ("price", ""),
        "Saldo": ("stock", ""),
    }
    with pytest.raises(InvalidData, match="choose one of them"):
        await sender.run_import()
    chosen = await choose(sender, 1, "sku")
    assert [one.column for one in chosen.mapping] == ["", "sku", "title", "tax_rate", "price", "stock"]
    assert (chosen.counts.new, list_problems(chosen)) == (2, [])
    assert (await sender.run_import()).counts.refused == 0
    async with sender.shop.database.read() as session:
        skus = (await session.execute(select(Variant.sku).order_by(Variant.sku))).scalars().all()
    assert skus == ["REF-1", "REF-2"]
    assert await sender.value(Product.title, "REF-1") == "Trompo"


TWO_CHOICES = "Código;Referencia;Nombre;Precio;Precio de venta\nT-1;REF-1;Trompo;5000;6000\n"


async def test_import_is_refused_until_a_column_is_chosen_for_each_contested_field(sender: Sender) -> None:
    await sender.send_spreadsheet(TWO_CHOICES, may_choose=True)
    chosen = await choose(sender, 1, "sku")
    assert [one.contested for one in chosen.mapping] == ["", "", "", "price", "price"]
    with pytest.raises(InvalidData, match="choose one of them"):
        await sender.run_import()
    again = await sender.send_spreadsheet(TWO_CHOICES, may_choose=True)
    assert [one.contested for one in again.mapping] == ["sku", "sku", "", "price", "price"]  # not remembered
    await choose(sender, 1, "sku")
    await choose(sender, 3, "price")
    assert (await sender.run_import()).counts.refused == 0
    assert await sender.value(Variant.price, "REF-1") == 5000
    remembered = await sender.send_spreadsheet(TWO_CHOICES, may_choose=True)
    assert [one.column for one in remembered.mapping] == ["", "sku", "title", "price", ""]


@pytest.mark.parametrize("column", ["", "ean"])
async def test_last_column_for_a_field_is_used_if_the_others_get_another_field(
    sender: Sender, column: str
) -> None:
    await sender.send_spreadsheet(TWO_CHOICES, may_choose=True)
    chosen = await choose(sender, 0, column)
    assert [one.column for one in chosen.mapping][:3] == [column, "sku", "title"]
    assert [one.contested for one in chosen.mapping] == ["", "", "", "price", "price"]


async def test_chosen_columns_are_used_for_the_next_list_with_the_same_headings(sender: Sender) -> None:
    await sender.send_spreadsheet(LIST, may_choose=True)
    await choose(sender, 0, "sku")
    await choose(sender, 5, "")
    found = await sender.send_spreadsheet(LIST.replace("Trompo", "Balero"), may_choose=True)
    assert [one.column for one in found.mapping] == ["sku", "", "title", "tax_rate", "price", ""]
    assert not any(one.contested for one in found.mapping)
    assert (await sender.run_import()).counts.refused == 0


async def test_invalid_column_choices_are_refused(sender: Sender) -> None:
    await sender.send_spreadsheet(LIST, may_choose=True)
    for place, column in ((9, "sku"), (-1, "sku"), (0, "product_id"), (0, "nada")):
        with pytest.raises(InvalidData):
            await choose(sender, place, column)
    await sender.send_spreadsheet("Nombre;SKU;Precio\nTrompo;T-1;5000\n")
    with pytest.raises(InvalidData):
        await choose(sender, 0, "sku")

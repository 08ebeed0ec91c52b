"""Rows with options are variants of one product: previewed and written together, and exported unchanged."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.catalog.api.product_commands import to_create_product
from backend.catalog.models import Product, ProductOptionValue, Variant
from backend.catalog.products.option_service import add_option
from backend.catalog.products.options import OptionInput, read_named_values, read_options
from backend.catalog.products.service import create_product
from backend.catalog.products.variants import read_variants
from backend.catalog.schemas.admin import NewProduct
from backend.exports.kinds import KINDS
from backend.exports.service import open_export_file
from backend.imports.confirmation import JOB, start_import
from backend.imports.files import build_template
from tests.backend.exports.test_exports import DAYS, request_file
from tests.backend.imports.sender import OWNER, Sender, list_problems

HEAD = "Nombre;Dirección;SKU;Precio;Unidades;Opción 1;Valor 1;Opción 2;Valor 2\n"
SHIRT = HEAD + (
    "Camiseta;camiseta;C-S-R;30000;5;Talla;S;Color;Rojo\n"
    "Camiseta;camiseta;C-M-R;30000;4;Talla;M;Color;Rojo\n"
    "Camiseta;camiseta;C-M-A;32000;3;Talla;M;Color;Azul\n"
)


OTHER_ROW = (2, "", "other row")
"""The problem of the first row of a new product if a later row is wrong."""


async def find_variants(sender: Sender, handle: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the title and the values of the product's variants, by SKU."""
    async with sender.shop.database.read() as session:
        product_id = (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()
        found = await read_variants(session, product_id)
        named = await read_named_values(session, {product_id: found})
    return {one.sku or "": (one.title, named[one.id]) for one in found}


async def find_options(sender: Sender, handle: str) -> list[tuple[str, list[str]]]:
    async with sender.shop.database.read() as session:
        product_id = (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()
        found = (await read_options(session, [product_id])).get(product_id, [])
    return [(one.row.title, [value.value for value in one.values]) for one in found]


async def add_product(sender: Sender, body: dict[str, Any]) -> str:
    async with sender.shop.database.transaction() as session:
        return await create_product(session, OWNER, to_create_product(NewProduct(**body)))


async def test_rows_with_one_handle_are_variants_of_one_product(sender: Sender) -> None:
    found = await sender.send_spreadsheet(SHIRT)
    assert list_problems(found) == []
    assert [one.title for one in found.changes] == [
        "Camiseta · S / Rojo", "Camiseta · M / Rojo", "Camiseta · M / Azul",
    ]  # fmt: skip
    assert {"column": "options", "before": "", "after": "Talla: S · Color: Rojo"} in found.changes[0].changes
    done = await sender.run_import()
    assert (done.counts.settled, done.counts.refused, await sender.count()) == (3, 0, 1)
    assert await find_options(sender, "camiseta") == [("Talla", ["S", "M"]), ("Color", ["Rojo", "Azul"])]
    assert await find_variants(sender, "camiseta") == {
        "C-S-R": ("S / Rojo", {"Talla": "S", "Color": "Rojo"}),
        "C-M-R": ("M / Rojo", {"Talla": "M", "Color": "Rojo"}),
        "C-M-A": ("M / Azul", {"Talla": "M", "Color": "Azul"}),
    }
    assert (await sender.send_spreadsheet(SHIRT)).counts.same == 3


async def test_later_rows_may_omit_product_values(sender: Sender) -> None:
    sheet = (
        "Product Handle,Product Title,Descripción,Variant Option 1 Name,Variant Option 1 Value,Precio\n"
        "gorra,Gorra,De lona,Talla,S,9000\ngorra,,,Talla,M,9000\ngorra,,De lana,Talla,L,9000\n"
    )
    assert list_problems(await sender.send_spreadsheet(sheet)) == [
        (2, "", "other row"), (3, "", "other row"), (4, "description", "differs"),
    ]  # fmt: skip
    done = await sender.send_spreadsheet(sheet.replace("De lana", ""))
    assert list_problems(done) == []
    await sender.run_import()
    assert await find_options(sender, "gorra") == [("Talla", ["S", "M", "L"])]
    async with sender.shop.database.read() as session:
        assert (await session.execute(select(Product.description))).scalars().all() == ["De lona"]


@pytest.mark.parametrize(
    "wrong",
    [
        "Camiseta;camiseta;C-M;-1;4;Talla;M;;\n",  # a wrong cell
        "Camiseta;;C-M;gratis;4;Talla;M;;\n",  # the same, in a product that is identified by its title
        "Camiseta;camiseta;C-M;;4;Talla;M;;\n",  # a missing value
        "Camiseta;camiseta;C-S;30000;4;Talla;M;;\n",  # a repeated SKU
    ],
)
async def test_new_product_is_imported_with_all_rows_or_not_at_all(sender: Sender, wrong: str) -> None:
    small, large = "Camiseta;camiseta;C-S;30000;5;Talla;S;;\n", "Camiseta;camiseta;C-L;30000;3;Talla;L;;\n"
    yoyo = "Yoyo;yoyo;Y-1;5000;1;;;;\n"
    found = await sender.send_spreadsheet(HEAD + small + wrong + large + yoyo)
    assert [(line, code == "other row") for line, _column, code in list_problems(found)] == [
        (2, True), (3, False), (4, True),
    ]  # fmt: skip
    assert (found.counts.new, found.counts.wrong) == (1, 3)
    done = await sender.run_import()
    assert (done.counts.settled, done.counts.refused, await sender.count()) == (4, 3, 1)

    await sender.send_spreadsheet(
        HEAD + small + large
    )  # the product exists now, so its rows are refused one by one
    await sender.run_import()
    assert len(await find_variants(sender, "camiseta")) == 2
    again = await sender.send_spreadsheet(
        HEAD + small.replace("30000", "31000") + large.replace("30000", "gratis")
    )
    assert list_problems(again) == [(3, "price", "cell")]
    await sender.run_import()
    assert len(await find_variants(sender, "camiseta")) == 2


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("A;a;A-1;1000;1;;S;;\n", [(2, "option_1", "option unnamed")]),
        ("A;a;A-1;1000;1;Talla;;;\n", [(2, "value_1", "option empty")]),
        ("A;a;A-1;1000;1;Talla;S;Talla;M\n", [(2, "option_2", "option again")]),
        (
            "A;a;A-1;1000;1;Talla;S;;\nA;a;A-2;1000;1;Tamaño;M;;\n",
            [OTHER_ROW, (3, "options", "option names")],
        ),
        (
            "A;a;A-1;1000;1;Talla;S;;\nA;a;A-2;1000;1;Talla;M;Color;Rojo\n",
            [OTHER_ROW, (3, "options", "option names")],
        ),
        (
            "A;a;A-1;1000;1;Talla;S;;\nA;a;A-2;1000;1;Talla;  S ;;\n",
            [OTHER_ROW, (3, "options", "option twice")],
        ),
        ("A;a;A-1;1000;1;Talla;S;;\nA;a;A-2;1000;1;;;;\n", [(3, "options", "option names")]),
        ("A;a;A-1;1000;1;;;;\nA;a;A-2;1000;1;Talla;S;;\n", [(3, "options", "option names")]),
        ("A;a;A-1;1000;1;Talla;S;;\nA;a;A-2;;1;Talla;M;;\n", [OTHER_ROW, (3, "price", "needed")]),
        ("A;a;A-1;1000;1;Talla;S;;\nA;a;A-1;1000;1;Talla;M;;\n", [OTHER_ROW, (3, "sku", "twice")]),
        (f"A;a;A-1;1000;1;Talla;{'x' * 256};;\n", [(2, "value_1", "cell")]),
    ],
)
async def test_contradictory_rows_of_one_product_are_reported_by_cell(
    sender: Sender, rows: str, expected: list[tuple[int, str, str]]
) -> None:
    found = await sender.send_spreadsheet(HEAD + rows)
    assert list_problems(found) == expected
    assert not [problem for problem in found.problems if "{" in problem.text or problem.text == ""]


async def test_new_option_value_adds_a_variant_and_changed_value_updates_it(sender: Sender) -> None:
    await sender.send_spreadsheet(SHIRT)
    await sender.run_import()
    found = await sender.send_spreadsheet(
        HEAD
        + "Camiseta;camiseta;C-S-R;30000;5;Talla;XS;Color;Rojo\n"
        + "Camiseta;camiseta;C-L-R;35000;1;Talla;L;Color;Rojo\n"
        + "Camiseta;camiseta;;33000;;Talla;M;Color;Azul\n"
    )
    assert list_problems(found) == []
    assert [(one.title, one.is_new) for one in found.changes] == [
        ("Camiseta · XS / Rojo", False), ("Camiseta · L / Rojo", True), ("Camiseta · M / Azul", False),
    ]  # fmt: skip
    assert (await sender.run_import()).counts.refused == 0
    shirt = await find_variants(sender, "camiseta")
    assert shirt["C-S-R"] == ("XS / Rojo", {"Talla": "XS", "Color": "Rojo"})
    assert shirt["C-L-R"][0] == "L / Rojo"
    assert await sender.value(Variant.price, "C-M-A") == 33_000
    assert await find_options(sender, "camiseta") == [
        ("Talla", ["M", "XS", "L"]),
        ("Color", ["Rojo", "Azul"]),
    ]
    taken = await sender.send_spreadsheet(HEAD + "Camiseta;camiseta;C-S-R;30000;5;Talla;M;Color;Azul\n")
    assert list_problems(taken) == [(2, "options", "option taken")]
    assert "C-M-A" in taken.problems[0].text


async def test_option_is_removed_if_no_variant_row_has_it(sender: Sender) -> None:
    """Check also that rows that omit a variant of the product, or repeat an option value, are refused."""
    await sender.send_spreadsheet(SHIRT.replace("C-M-A;32000;3;Talla;M", "C-M-A;32000;3;Talla;L"))
    await sender.run_import()
    some = await sender.send_spreadsheet(HEAD + "Camiseta;camiseta;C-S-R;30000;5;Talla;S;;\n")
    assert list_problems(some) == [(2, "options", "option rows")]
    assert "C-M-R" in some.problems[0].text
    rows = [
        f"Camiseta;camiseta;{sku};30000;5;Talla;{value};;\n"
        for sku, value in (("C-S-R", "S"), ("C-M-R", "M"))
    ]
    same = await sender.send_spreadsheet(HEAD + "".join(rows) + "Camiseta;camiseta;C-M-A;30000;5;Talla;M;;\n")
    assert [one for one in list_problems(same) if one[2] == "option twice"] == [
        (4, "options", "option twice")
    ]
    found = await sender.send_spreadsheet(
        HEAD + "".join(rows) + "Camiseta;camiseta;C-M-A;30000;5;Talla;L;;\n"
    )
    assert list_problems(found) == []
    assert (await sender.run_import(confirms_losses=True)).counts.refused == 0
    assert await find_options(sender, "camiseta") == [("Talla", ["S", "M", "L"])]
    assert {title for title, _values in (await find_variants(sender, "camiseta")).values()} == {"S", "M", "L"}
    async with sender.shop.database.read() as session:
        assert len((await session.execute(select(ProductOptionValue.id))).all()) == 3


async def test_product_with_one_variant_can_get_more_variants(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Balón;balon;B-1;1000;1;;;;\n")
    await sender.run_import()
    alone = await sender.send_spreadsheet(f"{HEAD}Balón;balon;B-2;1000;1;Color;Rojo;;\n")
    assert list_problems(alone) == [(2, "options", "option rows")]
    found = await sender.send_spreadsheet(
        f"{HEAD}Balón;balon;B-1;1000;1;Color;Azul;;\nBalón;balon;B-2;1000;1;Color;Rojo;;\n"
    )
    assert list_problems(found) == []
    await sender.run_import()
    assert await find_variants(sender, "balon") == {
        "B-1": ("Azul", {"Color": "Azul"}), "B-2": ("Rojo", {"Color": "Rojo"}),
    }  # fmt: skip


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
async def test_exported_products_with_options_are_imported_unchanged(
    sender: Sender, file_format: str
) -> None:
    odd = ["Rojo, claro", "a/b", "ñandú «É»", "=1+1", "'", "38", "1|2", "0,5", "-3"]
    await add_product(
        sender,
        {
            "title": "Camiseta; de \"gala\"",
            "handle": "camiseta",
            "options": [{"title": "Talla / pie", "values": ["S", "M"]}, {"title": "Color, ñ", "values": odd}],
            "variants": [
                {
                    "title": f"{size} {colour}",
                    "sku": None if colour == "a/b" else f"S-{size}-{number}",
                    "prices": [{"amount": 1000, "currency_code": "cop"}],
                    "options": {"Talla / pie": size, "Color, ñ": colour},
                }
                for size in ("S", "M")
                for number, colour in enumerate(odd)
            ],
        },
    )  # fmt: skip
    implied = {"prices": [{"amount": 1000, "currency_code": "cop"}]}
    alike = [{**implied, "title": one} for one in ("Uno", "Dos", "Dos")]
    await add_product(sender, {"title": "Yoyo", "variants": alike})
    told_apart = [{**implied, "title": one, "sku": one} for one in ("a", "b")]
    toy = await add_product(sender, {"title": "Balón", "variants": told_apart})
    many = [{"title": f"O{number}", "values": ["x"]} for number in range(4)]
    four = {**implied, "sku": "many", "options": {f"O{number}": "x" for number in range(4)}}
    await add_product(sender, {"title": "Cuatro", "options": many, "variants": [four]})
    async with sender.shop.database.transaction() as session:  # no variant has a value of this option
        await add_option(session, OWNER, toy, OptionInput("Edad", ["3"]))
    async with sender.shop.database.read() as session:
        product = (await session.execute(select(Product).where(Product.handle == "camiseta"))).scalar_one()
        kind = KINDS["products"]
        assert kind.sources[0].rows is not None
        (row, *_others) = await kind.sources[0].rows(session, [product])
    said = dict(zip(kind.columns, row, strict=True))
    assert [said[one] for one in ("Presentación", "Opción 1", "Valor 1", "Opción 2", "Valor 2", "Valor 3")] == [
        "S Rojo, claro", "Talla / pie", "S", "Color, ñ", "Rojo, claro", None,
    ]  # fmt: skip
    export_id = await request_file(sender.shop, "import", file_format, OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await open_export_file(sender.shop.database, OWNER, export_id)
    found = await sender.send_spreadsheet(b"".join([piece async for piece in file.pieces]))
    assert list_problems(found) == []
    assert [(one.title, one.changes) for one in found.changes] == []
    assert found.counts.same == 18 + 3 + 2 + 1


async def test_concurrent_changes_are_not_overwritten(sender: Sender) -> None:
    await sender.send_spreadsheet(SHIRT)
    await sender.run_import()
    await sender.send_spreadsheet(
        SHIRT.replace("30000;5;Talla;S", "31000;5;Talla;XS").replace("32000", "33000")
    )
    async with sender.shop.database.transaction() as session:  # a manual change after the preview
        value = (
            await session.execute(select(ProductOptionValue).where(ProductOptionValue.value == "S"))
        ).scalar_one()
        value.value = "Pequeña"
        other = (
            await session.execute(select(ProductOptionValue).where(ProductOptionValue.value == "Azul"))
        ).scalar_one()
        other.value = "Celeste"
    done = await sender.run_import()
    assert list_problems(done) == [(2, "options", "changed since")]
    assert await sender.value(Variant.price, "C-M-A") == 33_000
    shirt = await find_variants(sender, "camiseta")
    assert shirt["C-S-R"][1] == {"Talla": "Pequeña", "Color": "Rojo"}
    assert shirt["C-M-A"][1] == {"Talla": "M", "Color": "Celeste"}


async def test_product_created_after_the_preview_gets_no_variants_from_the_import(sender: Sender) -> None:
    await sender.send_spreadsheet(SHIRT)
    price = [{"amount": 1000, "currency_code": "cop"}]
    await add_product(
        sender, {"title": "Otra", "handle": "camiseta", "variants": [{"title": "X", "prices": price}]}
    )
    done = await sender.run_import()
    assert (done.counts.refused, len(await find_variants(sender, "camiseta"))) == (3, 1)


async def test_two_hundred_products_with_six_variants_are_imported(sender: Sender) -> None:
    """Use rows that are not adjacent, and interrupt the job once."""
    rows = [
        f"Juguete {product};juguete-{product};J-{product}-{size}{colour};1000;2;Talla;{size};Color;{colour}\n"
        for size in ("S", "M", "L")
        for colour in ("Rojo", "Azul")
        for product in range(200)
    ]
    found = await sender.send_spreadsheet(HEAD + "".join(rows))
    assert (found.counts.new, found.counts.wrong) == (1200, 0)
    await start_import(sender.shop.database, OWNER, sender.id)
    await sender.run_one_batch()
    assert (await sender.report()).counts.settled == 50 * 6
    await sender.shop.worker.run_due(JOB)
    done = await sender.report()
    assert (done.status, done.counts.settled, done.counts.refused) == ("done", 1200, 0)
    assert (await sender.count(), await sender.count(Variant)) == (200, 1200)
    assert len(await find_variants(sender, "juguete-199")) == 6
    assert (await sender.send_spreadsheet(HEAD + "".join(rows))).counts.same == 1200


async def test_spreadsheet_template_with_options_can_be_imported(sender: Sender) -> None:
    found = await sender.send_spreadsheet(build_template(), makes_places=True)
    assert list_problems(found) == [(2, "pictures", "picture missing"), (2, "pictures", "picture missing")]
    assert found.counts.new == 2

"""Rows with options are the variants of one product: seen before, written together, and back unchanged."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select

from backend.catalog.api.product_commands import to_create_product
from backend.catalog.models import Product, ProductOptionValue, Variant
from backend.catalog.products.option_service import add_option
from backend.catalog.products.options import SaidOption, named_values, options_of
from backend.catalog.products.service import create_product
from backend.catalog.products.variants import variants_of
from backend.catalog.schemas.admin import NewProduct
from backend.exports.kinds import KINDS
from backend.exports.service import file_of
from backend.imports.confirmation import JOB, begin
from backend.imports.files import template
from backend.imports.import_job import ProductImports
from tests.backend.exports.test_exports import DAYS, asked
from tests.backend.imports.sender import OWNER, Sender, problems

HEAD = "Nombre;Dirección;SKU;Precio;Unidades;Opción 1;Valor 1;Opción 2;Valor 2\n"
SHIRT = HEAD + (
    "Camiseta;camiseta;C-S-R;30000;5;Talla;S;Color;Rojo\n"
    "Camiseta;camiseta;C-M-R;30000;4;Talla;M;Color;Rojo\n"
    "Camiseta;camiseta;C-M-A;32000;3;Talla;M;Color;Azul\n"
)


OTHER_ROW = (2, "", "other row")
"""The first row of a new product of which a later one is wrong."""


async def variants(sender: Sender, handle: str) -> dict[str, tuple[str, dict[str, str]]]:
    """By SKU, the titles of the product's variants and their values."""
    async with sender.shop.database.read() as session:
        product_id = (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()
        found = await variants_of(session, product_id)
        named = await named_values(session, {product_id: found})
    return {one.sku or "": (one.title, named[one.id]) for one in found}


async def options(sender: Sender, handle: str) -> list[tuple[str, list[str]]]:
    async with sender.shop.database.read() as session:
        product_id = (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()
        found = (await options_of(session, [product_id])).get(product_id, [])
    return [(one.row.title, [value.value for value in one.values]) for one in found]


async def made(sender: Sender, body: dict[str, Any]) -> str:
    async with sender.shop.database.transaction() as session:
        return await create_product(session, OWNER, to_create_product(NewProduct(**body)))


async def test_rows_with_one_address_are_the_variants_of_one_product(sender: Sender) -> None:
    found = await sender.sheet(SHIRT)
    assert problems(found) == []
    assert [one.title for one in found.changes] == [
        "Camiseta · S / Rojo", "Camiseta · M / Rojo", "Camiseta · M / Azul",
    ]  # fmt: skip
    assert {"column": "options", "before": "", "after": "Talla: S · Color: Rojo"} in found.changes[0].changes
    done = await sender.begin()
    assert (done.counts.settled, done.counts.refused, await sender.count()) == (3, 0, 1)
    assert await options(sender, "camiseta") == [("Talla", ["S", "M"]), ("Color", ["Rojo", "Azul"])]
    assert await variants(sender, "camiseta") == {
        "C-S-R": ("S / Rojo", {"Talla": "S", "Color": "Rojo"}),
        "C-M-R": ("M / Rojo", {"Talla": "M", "Color": "Rojo"}),
        "C-M-A": ("M / Azul", {"Talla": "M", "Color": "Azul"}),
    }
    assert (await sender.sheet(SHIRT)).counts.same == 3


async def test_rows_after_the_first_may_leave_empty_what_is_the_products(sender: Sender) -> None:
    sheet = (
        "Product Handle,Product Title,Descripción,Variant Option 1 Name,Variant Option 1 Value,Precio\n"
        "gorra,Gorra,De lona,Talla,S,9000\ngorra,,,Talla,M,9000\ngorra,,De lana,Talla,L,9000\n"
    )
    assert problems(await sender.sheet(sheet)) == [
        (2, "", "other row"), (3, "", "other row"), (4, "description", "differs"),
    ]  # fmt: skip
    done = await sender.sheet(sheet.replace("De lana", ""))
    assert problems(done) == []
    await sender.begin()
    assert await options(sender, "gorra") == [("Talla", ["S", "M", "L"])]
    async with sender.shop.database.read() as session:
        assert (await session.execute(select(Product.description))).scalars().all() == ["De lona"]


@pytest.mark.parametrize(
    "wrong",
    [
        "Camiseta;camiseta;C-M;-1;4;Talla;M;;\n",  # its cell is wrong
        "Camiseta;;C-M;gratis;4;Talla;M;;\n",  # the same, and it is known by its title
        "Camiseta;camiseta;C-M;;4;Talla;M;;\n",  # it lacks something
        "Camiseta;camiseta;C-S;30000;4;Talla;M;;\n",  # its code stands twice
    ],
)
async def test_a_new_product_comes_with_all_its_rows_or_not_at_all(sender: Sender, wrong: str) -> None:
    small, large = "Camiseta;camiseta;C-S;30000;5;Talla;S;;\n", "Camiseta;camiseta;C-L;30000;3;Talla;L;;\n"
    yoyo = "Yoyo;yoyo;Y-1;5000;1;;;;\n"
    found = await sender.sheet(HEAD + small + wrong + large + yoyo)
    assert [(line, code == "other row") for line, _column, code in problems(found)] == [
        (2, True), (3, False), (4, True),
    ]  # fmt: skip
    assert (found.counts.new, found.counts.wrong) == (1, 3)
    done = await sender.begin()
    assert (done.counts.settled, done.counts.refused, await sender.count()) == (4, 3, 1)

    await sender.sheet(HEAD + small + large)  # once it is there, its rows are refused one by one
    await sender.begin()
    assert len(await variants(sender, "camiseta")) == 2
    again = await sender.sheet(HEAD + small.replace("30000", "31000") + large.replace("30000", "gratis"))
    assert problems(again) == [(3, "price", "cell")]
    await sender.begin()
    assert len(await variants(sender, "camiseta")) == 2


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
async def test_what_does_not_fit_together_is_said_in_its_cell(
    sender: Sender, rows: str, expected: list[tuple[int, str, str]]
) -> None:
    found = await sender.sheet(HEAD + rows)
    assert problems(found) == expected
    assert not [problem for problem in found.problems if "{" in problem.text or problem.text == ""]


async def test_a_new_value_makes_a_variant_and_a_changed_one_moves_it(sender: Sender) -> None:
    await sender.sheet(SHIRT)
    await sender.begin()
    found = await sender.sheet(
        HEAD
        + "Camiseta;camiseta;C-S-R;30000;5;Talla;XS;Color;Rojo\n"
        + "Camiseta;camiseta;C-L-R;35000;1;Talla;L;Color;Rojo\n"
        + "Camiseta;camiseta;;33000;;Talla;M;Color;Azul\n"
    )
    assert problems(found) == []
    assert [(one.title, one.is_new) for one in found.changes] == [
        ("Camiseta · XS / Rojo", False), ("Camiseta · L / Rojo", True), ("Camiseta · M / Azul", False),
    ]  # fmt: skip
    assert (await sender.begin()).counts.refused == 0
    shirt = await variants(sender, "camiseta")
    assert shirt["C-S-R"] == ("XS / Rojo", {"Talla": "XS", "Color": "Rojo"})
    assert shirt["C-L-R"][0] == "L / Rojo"
    assert await sender.value(Variant.price, "C-M-A") == 33_000
    assert await options(sender, "camiseta") == [("Talla", ["M", "XS", "L"]), ("Color", ["Rojo", "Azul"])]
    taken = await sender.sheet(HEAD + "Camiseta;camiseta;C-S-R;30000;5;Talla;M;Color;Azul\n")
    assert problems(taken) == [(2, "options", "option taken")]
    assert "C-M-A" in taken.problems[0].text


async def test_an_option_goes_when_every_variant_has_a_row_without_it(sender: Sender) -> None:
    """What was sold has its own copy of the name: nothing of an order changes."""
    await sender.sheet(SHIRT.replace("C-M-A;32000;3;Talla;M", "C-M-A;32000;3;Talla;L"))
    await sender.begin()
    some = await sender.sheet(HEAD + "Camiseta;camiseta;C-S-R;30000;5;Talla;S;;\n")
    assert problems(some) == [(2, "options", "option rows")]
    assert "C-M-R" in some.problems[0].text
    rows = [
        f"Camiseta;camiseta;{sku};30000;5;Talla;{value};;\n"
        for sku, value in (("C-S-R", "S"), ("C-M-R", "M"))
    ]
    same = await sender.sheet(HEAD + "".join(rows) + "Camiseta;camiseta;C-M-A;30000;5;Talla;M;;\n")
    assert [one for one in problems(same) if one[2] == "option twice"] == [(4, "options", "option twice")]
    found = await sender.sheet(HEAD + "".join(rows) + "Camiseta;camiseta;C-M-A;30000;5;Talla;L;;\n")
    assert problems(found) == []
    assert (await sender.begin()).counts.refused == 0
    assert await options(sender, "camiseta") == [("Talla", ["S", "M", "L"])]
    assert {title for title, _values in (await variants(sender, "camiseta")).values()} == {"S", "M", "L"}
    async with sender.shop.database.read() as session:
        assert len((await session.execute(select(ProductOptionValue.id))).all()) == 3


async def test_a_toy_of_one_variant_becomes_one_of_several(sender: Sender) -> None:
    await sender.sheet(f"{HEAD}Balón;balon;B-1;1000;1;;;;\n")
    await sender.begin()
    alone = await sender.sheet(f"{HEAD}Balón;balon;B-2;1000;1;Color;Rojo;;\n")
    assert problems(alone) == [(2, "options", "option rows")]
    found = await sender.sheet(
        f"{HEAD}Balón;balon;B-1;1000;1;Color;Azul;;\nBalón;balon;B-2;1000;1;Color;Rojo;;\n"
    )
    assert problems(found) == []
    await sender.begin()
    assert await variants(sender, "balon") == {
        "B-1": ("Azul", {"Color": "Azul"}), "B-2": ("Rojo", {"Color": "Rojo"}),
    }  # fmt: skip


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
async def test_products_with_options_come_back_unchanged(sender: Sender, file_format: str) -> None:
    odd = ["Rojo, claro", "a/b", "ñandú «É»", "=1+1", "'", "38", "1|2", "0,5", "-3"]
    await made(
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
    await made(sender, {"title": "Yoyo", "variants": alike})
    told_apart = [{**implied, "title": one, "sku": one} for one in ("a", "b")]
    toy = await made(sender, {"title": "Balón", "variants": told_apart})
    many = [{"title": f"O{number}", "values": ["x"]} for number in range(4)]
    four = {**implied, "sku": "many", "options": {f"O{number}": "x" for number in range(4)}}
    await made(sender, {"title": "Cuatro", "options": many, "variants": [four]})
    async with sender.shop.database.transaction() as session:  # no variant has a value of it
        await add_option(session, OWNER, toy, SaidOption("Edad", ["3"]))
    async with sender.shop.database.read() as session:
        product = (await session.execute(select(Product).where(Product.handle == "camiseta"))).scalar_one()
        kind = KINDS["products"]
        assert kind.sources[0].rows is not None
        (row, *_others) = await kind.sources[0].rows(session, [product])
    said = dict(zip(kind.columns, row, strict=True))
    assert [said[one] for one in ("Presentación", "Opción 1", "Valor 1", "Opción 2", "Valor 2", "Valor 3")] == [
        "S Rojo, claro", "Talla / pie", "S", "Color, ñ", "Rojo, claro", None,
    ]  # fmt: skip
    export_id = await asked(sender.shop, "import", file_format, OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await file_of(sender.shop.database, OWNER, export_id)
    found = await sender.sheet(b"".join([piece async for piece in file.pieces]))
    assert problems(found) == []
    assert [(one.title, one.changes) for one in found.changes] == []
    assert found.counts.same == 18 + 3 + 2 + 1


async def test_what_somebody_changes_meanwhile_is_left_alone(sender: Sender) -> None:
    await sender.sheet(SHIRT)
    await sender.begin()
    await sender.sheet(SHIRT.replace("30000;5;Talla;S", "31000;5;Talla;XS").replace("32000", "33000"))
    async with sender.shop.database.transaction() as session:  # by hand, after the preview
        value = (
            await session.execute(select(ProductOptionValue).where(ProductOptionValue.value == "S"))
        ).scalar_one()
        value.value = "Pequeña"
        other = (
            await session.execute(select(ProductOptionValue).where(ProductOptionValue.value == "Azul"))
        ).scalar_one()
        other.value = "Celeste"
    done = await sender.begin()
    assert problems(done) == [(2, "options", "changed since")]
    assert await sender.value(Variant.price, "C-M-A") == 33_000
    shirt = await variants(sender, "camiseta")
    assert shirt["C-S-R"][1] == {"Talla": "Pequeña", "Color": "Rojo"}
    assert shirt["C-M-A"][1] == {"Talla": "M", "Color": "Celeste"}


async def test_a_product_that_somebody_else_makes_meanwhile_gets_no_variants(sender: Sender) -> None:
    await sender.sheet(SHIRT)
    price = [{"amount": 1000, "currency_code": "cop"}]
    await made(sender, {"title": "Otra", "handle": "camiseta", "variants": [{"title": "X", "prices": price}]})
    done = await sender.begin()
    assert (done.counts.refused, len(await variants(sender, "camiseta"))) == (3, 1)


async def test_two_hundred_products_of_six_variants(sender: Sender) -> None:
    """Their rows are not beside each other, and a program that ends in between goes on."""
    rows = [
        f"Juguete {product};juguete-{product};J-{product}-{size}{colour};1000;2;Talla;{size};Color;{colour}\n"
        for size in ("S", "M", "L")
        for colour in ("Rojo", "Azul")
        for product in range(200)
    ]
    found = await sender.sheet(HEAD + "".join(rows))
    assert (found.counts.new, found.counts.wrong) == (1200, 0)
    await begin(sender.shop.database, OWNER, sender.id)
    killed = ProductImports(sender.shop.database, sender.shop.uploads)
    assert await killed._step(sender.id, Counter())
    assert (await sender.report()).counts.settled == 50 * 6
    await sender.shop.worker.run_due(JOB)
    done = await sender.report()
    assert (done.status, done.counts.settled, done.counts.refused) == ("done", 1200, 0)
    assert (await sender.count(), await sender.count(Variant)) == (200, 1200)
    assert len(await variants(sender, "juguete-199")) == 6
    assert (await sender.sheet(HEAD + "".join(rows))).counts.same == 1200


async def test_the_template_can_be_imported(sender: Sender) -> None:
    found = await sender.sheet(template(), makes_places=True)
    assert problems(found) == [(2, "pictures", "picture missing"), (2, "pictures", "picture missing")]
    assert found.counts.new == 2

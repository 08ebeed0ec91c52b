"""Former addresses of products in a spreadsheet: they redirect to the product after the import."""

import re

import pytest
from sqlalchemy import select

from backend.catalog.importer.headings import get_label
from backend.catalog.models import Product
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.core.clock import now
from backend.core.spreadsheet import build_workbook
from backend.imports.files import FILE_COLUMNS, list_product_rows
from tests.backend.catalog.importer.formats.tables import CASES
from tests.backend.imports.sender import Sender, list_problems

HEAD = "Nombre;SKU;Precio;Direcciones anteriores\n"


async def read_redirects(sender: Sender) -> dict[str, str]:
    """Return the titles of the products by former address."""
    query = select(UrlRedirect.former_address, Product.title).join(
        Product, Product.id == UrlRedirect.product_id
    )
    async with sender.shop.database.read() as session:
        return dict((await session.execute(query)).all())


async def test_imported_old_addresses_redirect_to_new_and_existing_products(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        session.add(UnknownAddress(former_address="/p/1", visits=2, seen_at=now()))
    found = await sender.send_spreadsheet(
        f"{HEAD}Trompo;T-1;18900;https://vieja.com/p/1/|/p/2?id=7\nYoyo;Y-1;9900;\n"
    )
    assert list_problems(found) == []
    await sender.run_import()
    assert await read_redirects(sender) == {"/p/1": "Trompo", "/p/2?id=7": "Trompo"}
    async with sender.shop.database.read() as session:
        assert (await session.execute(select(UnknownAddress))).first() is None
    found = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;/p/2?id=7|/p/3\nYoyo;Y-1;9900;/y\n")
    assert [(row.title, row.changes, row.losses) for row in found.changes] == [
        ("Trompo", [{"column": "old_addresses", "before": "", "after": "/p/3"}], []),
        ("Yoyo", [{"column": "old_addresses", "before": "", "after": "/y"}], []),
    ]
    await sender.run_import()
    assert await read_redirects(sender) == {
        "/p/1": "Trompo", "/p/2?id=7": "Trompo", "/p/3": "Trompo", "/y": "Yoyo",
    }  # fmt: skip
    again = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;\nYoyo;Y-1;9900;/Y/\n")
    assert (again.counts.changed, again.counts.same, again.loss_count) == (0, 2, 0)


async def test_old_address_of_another_page_is_not_changed_and_adds_a_note(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;/p/1\n")
    await sender.run_import()
    found = await sender.send_spreadsheet(f"{HEAD}Yoyo;Y-1;9900;/p/1|/p/2\nAro;A-1;5000;/p/2|/p/3\n")
    assert list_problems(found) == []
    assert [(one.line, one.code, one.text) for one in found.notes] == [
        (2, "address taken", "La dirección anterior /p/1 ya lleva a otra página: así se queda."),
        (3, "address taken", "La dirección anterior /p/2 ya lleva a otra página: así se queda."),
    ]
    await sender.run_import()
    assert await read_redirects(sender) == {"/p/1": "Trompo", "/p/2": "Yoyo", "/p/3": "Aro"}


async def test_variants_may_have_different_addresses(sender: Sender) -> None:
    rows = (
        "Dirección;Nombre;SKU;Precio;Opción 1;Valor 1;URL anterior\n"
        "gorra;Gorra;G-S;900;Talla;S;/gorra-s\ngorra;;G-M;900;Talla;M;/gorra-m, /gorra\n"
    )
    for expected in ({"/gorra-s", "/gorra-m", "/gorra"},) * 2:
        assert list_problems(await sender.send_spreadsheet(rows)) == []
        await sender.run_import() if not await read_redirects(sender) else None
        assert set(await read_redirects(sender)) == expected


async def test_invalid_old_address_is_refused_with_a_hint(sender: Sender) -> None:
    found = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;mi trompo\nYoyo;Y-1;9900;/\n")
    assert list_problems(found) == [(2, "old_addresses", "cell"), (3, "old_addresses", "cell")]
    assert "separadas por |" in found.problems[0].text


async def test_current_address_of_a_product_is_not_stored_as_a_redirect(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;/product/trompo|/viejo\n")
    await sender.run_import()
    assert await read_redirects(sender) == {"/viejo": "Trompo"}


async def test_exported_old_addresses_are_imported_without_changes(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;18900;/p/1|/p/2,3\nYoyo;Y-1;9900;/y\n")
    await sender.run_import()
    async with sender.shop.database.read() as session:
        products = (await session.execute(select(Product))).scalars().all()
        rows = await list_product_rows(session, products)
    assert {row[FILE_COLUMNS.index("old_addresses")] for row in rows} == {"/p/1|/p/2,3", "/y"}
    workbook = build_workbook([[get_label(name) for name in FILE_COLUMNS], *rows])
    found = await sender.send_spreadsheet(workbook)
    assert (found.format, found.counts.same, found.counts.changed, found.counts.wrong) == ("trompo", 2, 0, 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "m-shopify.csv",
            {"/products/trompo-shop": "Trompo de guayacán", "/products/yoyo-shop": "Yoyo profesional"},
        ),
        (
            "m-prestashop-list.csv",
            {
                "/index.php?controller=product&id_product=31": "Trompo prestado",
                "/index.php?controller=product&id_product=32": "Yoyo prestado",
            },
        ),
        ("m-google.tsv", {"/t": "Trompo"}),
    ],
)
async def test_addresses_in_files_of_other_programs_redirect(
    sender: Sender, name: str, expected: dict[str, str]
) -> None:
    content = re.sub(rb'https://[^,;\t"]+\.jpg(?:\?v=\d+)?', b"", (CASES / name).read_bytes())
    found = await sender.send_spreadsheet(content, makes_places=True)
    assert found.problems == []
    await sender.run_import()
    assert await read_redirects(sender) == expected


async def test_shopify_product_address_redirects_to_the_imported_product(sender: Sender) -> None:
    await sender.send_spreadsheet(
        "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n"
        "Trompo-Ñ,Trompo,Title,Default Title,T-1,900\n"
    )
    await sender.run_import()
    assert await read_redirects(sender) == {"/products/trompo-ñ": "Trompo"}

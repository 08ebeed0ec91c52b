"""Column mappings are stored by the headings of the spreadsheet; only the newest ones are kept."""

import pytest

from backend.app import Shop
from backend.catalog.models import Variant
from backend.core.errors import InvalidData
from backend.imports import column_mapping
from backend.imports.column_mapping import read_mapping, store_mapping
from backend.imports.spreadsheet_parsing import Fault, UnreadableProductFile
from backend.imports.spreadsheet_upload import change_mapping
from tests.backend.catalog.importer.formats.tables import CASES
from tests.backend.imports.sender import OWNER, Sender, list_problems
from tests.store_defaults import Defaults

HEAD = ["Código", "Referencia", "Nombre"]


async def test_mapping_is_remembered_for_the_same_headings(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        assert await read_mapping(session, HEAD) is None
        await store_mapping(session, HEAD, ["sku", "", "title"])
        await store_mapping(session, HEAD, ["", "sku", "title"])
    async with shop.database.read() as session:
        assert await read_mapping(session, ["CODIGO ", "referencia", "Nombre"]) == ["", "sku", "title"]
        assert await read_mapping(session, ["Referencia", "Código", "Nombre"]) is None


async def test_only_the_newest_mappings_are_stored(
    shop: Shop, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_mapping, "MAX_MAPPINGS", 2)
    for name in ("A", "B", "A", "C"):
        async with shop.database.transaction() as session:
            await store_mapping(session, [name], ["title"])
    async with shop.database.read() as session:
        stored = [name for name in ("A", "B", "C") if await read_mapping(session, [name])]
    assert stored == ["A", "C"]


async def test_column_that_is_no_longer_mappable_is_not_imported(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        await store_mapping(session, HEAD, ["sku", "product_id", "gone"])
        assert await read_mapping(session, HEAD) == ["sku", "", ""]


async def send_list(sender: Sender, content: bytes) -> list[tuple[str, str, str]]:
    """Send a list as the office does, and return the suggested mapping.

    Returns:
        For each column of the list: its heading, the importer's column that is suggested (or empty), and the
        importer's column for which other columns are suitable too (or empty).
    """
    found = await sender.send_spreadsheet(content, makes_places=True, may_choose=True)
    return [(one.heading, one.column, one.contested) for one in found.mapping]


async def choose_columns(sender: Sender, *columns: str) -> None:
    await change_mapping(sender.shop.database, OWNER, sender.id, columns)
    await sender.preview()


TWO_CODES = (CASES / "56-two.csv").read_bytes()


async def test_import_requires_a_choice_between_two_columns_for_one_field(sender: Sender) -> None:
    assert await send_list(sender, TWO_CODES) == [
        ("Código", "sku", "sku"), ("Referencia", "", "sku"), ("Nombre", "title", ""), ("Valor", "price", ""),
        ("Cantidad", "stock", ""),
    ]  # fmt: skip
    with pytest.raises(InvalidData, match="choose one"):
        await sender.run_import()
    with pytest.raises(InvalidData, match="«Código», «Referencia»"):
        await choose_columns(sender, "sku", "sku", "title", "price", "stock")
    await choose_columns(sender, "", "sku", "title", "price", "stock")
    await sender.run_import()
    assert await sender.value(Variant.price, "TR-9") == 1000


async def test_chosen_columns_are_used_again_for_the_same_headings(sender: Sender) -> None:
    await send_list(sender, TWO_CODES)
    await choose_columns(sender, "", "sku", "title", "price", "")
    mapping = await send_list(sender, TWO_CODES.replace(b"TR-9", b"TR-10"))
    assert [(column, contested) for _heading, column, contested in mapping] == [
        ("", ""), ("sku", ""), ("title", ""), ("price", ""), ("", ""),
    ]  # fmt: skip
    found = await sender.send_spreadsheet(TWO_CODES)  # the choice is remembered
    assert (found.counts.new, list_problems(found)) == (1, [])


async def test_list_with_two_columns_for_one_field_is_refused_if_the_sender_cannot_choose(
    sender: Sender,
) -> None:
    with pytest.raises(UnreadableProductFile) as refused:
        await sender.send_spreadsheet(TWO_CODES)
    assert (refused.value.fault, refused.value.detail) == (Fault.TWICE, "«Código», «Referencia»")


@pytest.mark.parametrize(
    "columns",
    [
        ("sku", "title"),
        ("sku", "", "title", "price", "gone"),
        ("", "", "", "price", "stock"),
        ("", "", "", "", ""),
    ],
)
async def test_invalid_column_mapping_is_refused(sender: Sender, columns: tuple[str, ...]) -> None:
    await send_list(sender, TWO_CODES)
    with pytest.raises(InvalidData):
        await choose_columns(sender, *columns)


async def test_columns_of_a_recognised_file_cannot_be_changed(sender: Sender) -> None:
    assert await send_list(sender, (CASES / "01-0.csv").read_bytes()) == []
    with pytest.raises(InvalidData):
        await choose_columns(sender)


@pytest.mark.parametrize("name", ["m-siigo.xlsx", "m-siigo-one-code.xlsx"])
async def test_list_of_an_accounting_program_is_imported_without_its_total_row(
    sender: Sender, name: str
) -> None:
    mapping = await send_list(sender, (CASES / name).read_bytes())
    columns = {heading: column for heading, column, _contested in mapping}
    assert columns.pop("Referencia", "") == ""
    assert columns == {
        "Código": "sku", "Descripción": "title", "Línea": "categories", "IVA": "tax_rate", "Precio 1": "price",
        "Precio 2": "", "Saldo": "stock",
    }  # fmt: skip
    await choose_columns(sender, *(column for _heading, column, _contested in mapping))
    found = await sender.report()
    assert (found.counts.new, list_problems(found)) == (3, [])
    await sender.run_import()
    assert await sender.count() == 3
    assert await sender.value(Variant.price, "0002") in (35_000, 35_001)

"""Files of every program, as `trompo catalog import` reads them."""

from collections import Counter
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from backend.catalog.importer import pictures as pictures_module
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.row_reader import UnreadableFile
from backend.catalog.importer.whole_file import product_file
from backend.catalog.importer.whole_file.command import UnconfirmedLosses, import_file
from backend.catalog.importer.whole_file.product_file import open_product_file
from backend.catalog.importer.whole_file.validation import ImportRefused
from backend.catalog.models import Product, Variant
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.imports.rows.losses import count_losses
from backend.media.picture_store import open_picture_store
from tests.backend.catalog.importer.formats.tables import CASES
from tests.store_defaults import set_up_defaults


class Command:
    """The import command in a shop, with a host of pictures that answers every address."""

    def __init__(self, database: Database, location_id: str, folder: Path) -> None:
        self.database, self.location_id, self.folder = database, location_id, folder
        self.lines: list[str] = []

    async def run(self, path: Path, **options: Any) -> Counter[str]:
        """Import a file, and return the counts. The lines that the command prints are stored in `lines`."""
        self.lines = []
        done = await import_file(
            self.database,
            path,
            PictureFolder(self.folder, open_picture_store(Settings(data_dir=self.folder))),
            self.location_id,
            lambda _total, _title: nullcontext(lambda _steps: None),
            count_losses=count_losses,
            describe=self.lines.append,
            **options,
        )
        return done.counts

    async def write(self, text: str, name: str = "list.csv", **options: Any) -> Counter[str]:
        """Write the text to a file, import it as `run` does, and return the counts."""
        file = self.folder / name
        file.write_text(text, "utf-8")
        return await self.run(file, **options)

    async def read_shop(self) -> dict[str, tuple[Any, ...]]:
        """Return title, status and price of each variant, by SKU."""
        query = select(Variant.sku, Product.title, Product.status, Variant.price).join(
            Product, Product.id == Variant.product_id
        )
        async with self.database.read() as session:
            return {sku or "": tuple(others) for sku, *others in (await session.execute(query)).all()}


@pytest.fixture
async def command(
    sqlite_url: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    picture = BytesIO()
    Image.new("RGB", (400, 300), "red").save(picture, "PNG")
    monkeypatch.setattr(pictures_module, "fetch", lambda _address, **_how: picture.getvalue())
    database = Database(sqlite_url)
    defaults = await set_up_defaults(database, settings)
    yield Command(database, defaults.location_id, tmp_path)
    await database.close()


@pytest.mark.parametrize(
    ("name", "source_format", "skus"),
    [
        ("m-shopify.csv", "shopify", ["SHO-A", "SHO-R", "YO-1"]),
        ("m-woo-es.csv", "woocommerce", ["WOO-1", "WOO-2-M", "WOO-2-S"]),
        ("m-prestashop-list.csv", "prestashop", ["PS-1", "PS-2"]),
        ("m-google.tsv", "google", ["G-1"]),
    ],
)
async def test_exports_of_other_programs_are_recognised(
    command: Command, name: str, source_format: str, skus: list[str]
) -> None:
    assert await command.run(CASES / name, makes_places=True) == {"new": len(skus)}
    assert command.lines[0] == f"The file was recognised as {source_format}."
    shop = await command.read_shop()
    assert len(shop) == len(skus)
    assert await command.run(CASES / name, makes_places=True) == {"same": len(skus)}
    assert await command.read_shop() == shop


async def test_columns_of_an_unknown_list_are_printed_and_chosen(command: Command) -> None:
    with pytest.raises(ImportRefused) as refused:
        await command.run(CASES / "m-siigo.xlsx")
    assert 'choose --column "Código=sku" or --column "Referencia=sku"' in str(refused.value.problems[0])
    assert "  Descripción = title" in str(refused.value.problems[0])
    assert await command.read_shop() == {}
    chosen = {"Código": "sku"}
    assert await command.run(CASES / "m-siigo.xlsx", makes_places=True, columns=chosen) == {"new": 3}
    assert command.lines[0] == "The list was not recognised. Its columns were taken for:"
    assert "  Código = sku" in command.lines
    assert "  Referencia = (left out)" in command.lines
    assert any(line.startswith("Left out (total): ") and "TOTAL GENERAL" in line for line in command.lines)
    assert any("negative stock (-2)" in line for line in command.lines)
    assert "0001" in await command.read_shop()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"Color": "brand"}, "the file has no column Color, only Código, Descripción, Valor"),
        ({"Código": "colour"}, "colour is none of handle, title"),
    ],
)
async def test_invalid_column_choice_is_refused_with_its_reason(
    command: Command, columns: dict[str, str], message: str
) -> None:
    with pytest.raises(ImportRefused) as refused:
        await command.write("Código;Descripción;Valor\nT-1;Trompo rojo;5000\n", columns=columns)
    assert message in str(refused.value.problems[0])


async def test_choice_of_columns_for_a_recognised_file_is_refused(command: Command) -> None:
    with pytest.raises(UnreadableFile, match="the columns of a file of google are known"):
        await open_product_file(command.database, CASES / "m-google.tsv", {"id": "sku"})


async def test_list_is_imported_without_column_choices_if_no_column_is_contested(command: Command) -> None:
    text = "Cód;Descripción del artículo;Valor;Saldo;Bodega\nT-1;Trompo rojo;5000;3;Norte\n"
    assert await command.write(text) == {"new": 1}
    assert "  Bodega = (left out)" in command.lines
    assert await command.read_shop() == {"T-1": ("Trompo rojo", "draft", 5_000)}
    assert await command.write(text.replace("5000", "6000")) == {"changed": 1}
    assert await command.write(text, columns={"Valor": ""}) == {"same": 1}


async def test_new_product_with_the_name_of_another_is_refused(command: Command) -> None:
    head = "Código;Descripción;Valor\n"
    with pytest.raises(ImportRefused) as refused:
        await command.write(f"{head}T-1;Trompo rojo;5000\nT-2;Trompo rojo;6000\n")
    assert [str(one) for one in refused.value.problems] == [
        "line 3, handle: trompo-rojo is already in line 2"
    ]
    await command.write(f"{head}T-1;Trompo rojo;5000\n")
    with pytest.raises(ImportRefused) as refused:
        await command.write(f"{head}T-2;Trompo rojo;6000\n")
    assert "is the name of another" in str(refused.value.problems[0])


async def test_refused_list_reports_the_number_of_lost_values(command: Command) -> None:
    await command.write("Código;Descripción;Valor;Saldo\nT-1;Trompo;5000;3\n")
    with pytest.raises(UnconfirmedLosses) as refused:
        await command.write("Código;Descripción;Valor;Saldo\nT-1;Trompo;5000;0\n")
    assert refused.value.counts == {"stock": 1}


async def test_hidden_rows_of_the_shops_own_format_are_left_out(command: Command) -> None:
    assert await command.run(CASES / "s11-hidden-row.xlsx") == {"new": 1}
    assert any(line.startswith("Left out (hidden row): line ") for line in command.lines)


async def test_command_prints_the_lines_of_new_products_with_a_price_of_zero(command: Command) -> None:
    await command.run(CASES / "n17b.csv", publishes=True)
    assert command.lines == ["Price 0 without is_free: the products of 2 lines are drafts (2, 3)."]
    assert {status for _title, status, _price in (await command.read_shop()).values()} == {"draft"}


async def test_long_file_of_the_shops_own_format_is_read_in_batches(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(product_file, "MAX_ROWS_IN_MEMORY", 1)
    text = "handle,title,price\na,A,5000\nb,B,5000\n"
    file = command.folder / "own.csv"
    file.write_text(text, "utf-8")
    opened = await open_product_file(command.database, file, {})
    assert opened.read.func is product_file.read_batches  # type: ignore[attr-defined]
    assert await command.run(file) == {"new": 2}
    assert await command.run(CASES / "m-siigo.xlsx", makes_places=True, columns={"Código": "sku"}) == {
        "new": 3
    }

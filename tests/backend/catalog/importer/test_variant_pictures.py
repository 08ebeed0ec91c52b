"""Pictures of variants in a file: which option value each of them shows, and the rows that the formats make."""

from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import select

from backend.catalog.importer.formats.convert import convert_table
from backend.catalog.importer.formats.recognition import recognise
from backend.catalog.importer.variant_pictures import find_shown_values, list_differing_options
from backend.catalog.models import Picture, Product, ProductOptionValue, Variant
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.backend.catalog.importer.formats.tables import list_cells, read_table
from tests.backend.catalog.importer.whole_file.test_command import Importer
from tests.store_defaults import Defaults, set_up_defaults

RED_S, RED_M = {"Talla": "S", "Color": "Rojo"}, {"Talla": "M", "Color": "Rojo"}
BLUE_S, BLUE_M = {"Talla": "S", "Color": "Azul"}, {"Talla": "M", "Color": "Azul"}
SHIRT = (
    "handle,title,price,option_1,value_1,option_2,value_2,pictures,variant_pictures\n"
    "camiseta,Camiseta,30000,Talla,S,Color,Rojo,todas.png,rojo.png\n"
    "camiseta,Camiseta,30000,Talla,M,Color,Rojo,,rojo.png\n"
    "camiseta,Camiseta,30000,Talla,S,Color,Azul,,azul.png|azul-2.png\n"
    "camiseta,Camiseta,30000,Talla,M,Color,Azul,,\n"
)


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        ({"r": [RED_S, RED_M], "b": [BLUE_S, BLUE_M]}, {"r": "Rojo", "b": "Azul"}),
        ({"r": [RED_S], "b": [BLUE_S]}, {"r": "Rojo", "b": "Azul"}),
        ({"s": [RED_S, BLUE_S], "m": [RED_M, BLUE_M]}, {"s": "S", "m": "M"}),
        ({"all": [RED_S, RED_M, BLUE_S, BLUE_M]}, {}),
        ({"all": [RED_S, BLUE_M], "r": [RED_M]}, {"r": "Rojo"}),
        ({"r": [{"Talla": "S"}, RED_M]}, {}),
        ({}, {}),
    ],
)
def test_picture_gets_the_option_value_that_all_its_variants_share(
    pictures: dict[str, list[dict[str, str]]], expected: dict[str, str]
) -> None:
    options = list_differing_options([RED_S, RED_M, BLUE_S, BLUE_M])
    assert options == ["Color", "Talla"]
    assert find_shown_values(pictures, options) == expected


def test_option_with_the_same_value_in_all_variants_is_not_listed() -> None:
    assert list_differing_options([{"Material": "Lana", "Animal": one} for one in ("Oso", "León")]) == [
        "Animal"
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Image,Image Src\n"
            "oso,Oso,Color,Rojo,5000,https://a.example/r.jpg,https://a.example/1.jpg\n"
            "oso,,,Azul,5000,https://a.example/b.jpg,\n"
        ),
        (
            "ID,Type,SKU,Name,Published,Regular price,Images,Parent,Attribute 1 name,Attribute 1 value(s)\n"
            '1,variable,,Oso,1,,https://a.example/1.jpg,,Color,"Rojo, Azul"\n'
            "2,variation,O-R,Oso,1,5000,https://a.example/r.jpg,id:1,Color,Rojo\n"
            "3,variation,O-A,Oso,1,5000,https://a.example/b.jpg,id:1,Color,Azul\n"
        ),
        (
            "id,title,price,item_group_id,color,image_link\n"
            "O-R,Oso rojo,5000 COP,oso,Rojo,https://a.example/r.jpg\n"
            "O-A,Oso azul,5000 COP,oso,Azul,https://a.example/b.jpg\n"
        ),
        (
            "Número de publicación,Título,SKU,Precio,Variante,Fotos\n"
            "MCO1,Oso,O-R,5000,Color: Rojo,https://a.example/r.jpg\n"
            "MCO1,Oso,O-A,5000,Color: Azul,https://a.example/b.jpg\n"
        ),
    ],
)
def test_converted_rows_contain_the_picture_of_each_variant(text: str) -> None:
    table = read_table(text)
    cells = list_cells(convert_table(table, recognise(table.headings)))
    pictures = {one["value_1"]: one["variant_pictures"] for one in cells}
    assert pictures == {"Rojo": "https://a.example/r.jpg", "Azul": "https://a.example/b.jpg"}
    all_pictures = {name for one in cells for name in one.get("pictures", "").split("|")}
    assert set(pictures.values()) < all_pictures | {"https://a.example/1.jpg"}


def test_picture_of_a_row_without_options_belongs_to_the_product() -> None:
    text = (
        "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Image,Image Src\n"
        "yoyo,Yoyo,Title,Default Title,5000,https://a.example/y.jpg,\n"
    )
    table = read_table(text)
    (cells,) = list_cells(convert_table(table, recognise(table.headings)))
    assert (cells["pictures"], cells.get("variant_pictures")) == ("https://a.example/y.jpg", None)


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


@pytest.fixture
def importer(database: Database, defaults: Defaults, tmp_path: Path) -> Importer:
    for number, name in enumerate(("todas", "rojo", "azul", "azul-2", "verde")):
        Image.new("RGB", (60, 40), (40 * number, 20, 20)).save(tmp_path / f"{name}.png")
    return Importer(database, defaults, tmp_path)


async def read_shown(database: Database) -> list[tuple[str, str | None]]:
    """Return each picture's name and the option value that it shows (or None), in the pictures' order."""
    query = (
        select(Picture.url, ProductOptionValue.value)
        .outerjoin(ProductOptionValue, ProductOptionValue.id == Picture.value_id)
        .order_by(Picture.rank)
    )
    async with database.read() as session:
        rows = (await session.execute(query)).all()
    return [(url.rpartition("/")[2].rpartition("-")[0], value) for url, value in rows]


async def read_thumbnails(database: Database) -> dict[str, str]:
    async with database.read() as session:
        rows = (await session.execute(select(Variant.title, Variant.thumbnail))).all()
    return {title: (url or "").rpartition("/")[2].rpartition("-")[0] for title, url in rows}


async def test_imported_pictures_get_the_option_values_of_their_variants(
    database: Database, importer: Importer
) -> None:
    """Import a file, import it unchanged, and then with a new colour and with a picture moved to another colour."""
    await importer(SHIRT)
    expected = [("todas", None), ("rojo", "Rojo"), ("azul", "Azul"), ("azul-2", "Azul")]
    assert await read_shown(database) == expected
    assert await read_thumbnails(database) == {
        "S / Rojo": "rojo", "M / Rojo": "rojo", "S / Azul": "azul", "M / Azul": "azul",
    }  # fmt: skip
    assert (await importer(SHIRT))["same"] == 4
    head, *rows = SHIRT.splitlines(keepends=True)
    rows[0] = rows[0].replace("rojo.png", "rojo.png|azul-2.png")
    rows[2] = rows[2].replace("|azul-2.png", "")
    green = "camiseta,Camiseta,30000,Talla,S,Color,Verde,,verde.png\n"
    await importer("".join([head, *rows, green]))
    assert await read_shown(database) == [
        ("todas", None), ("rojo", "Rojo"), ("azul-2", "Rojo"), ("azul", "Azul"), ("verde", "Verde"),
    ]  # fmt: skip
    assert (await read_thumbnails(database))["S / Verde"] == "verde"


async def test_other_pictures_of_a_product_keep_their_option_values(
    database: Database, importer: Importer
) -> None:
    await importer(SHIRT)
    await importer("handle,pictures\ncamiseta,rojo.png|azul.png\n")
    assert await read_shown(database) == [("rojo", "Rojo"), ("azul", "Azul")]
    assert set((await read_thumbnails(database)).values()) == {"rojo", "azul"}


async def test_pictures_of_variants_are_added_to_those_of_the_product(
    database: Database, importer: Importer
) -> None:
    head = "handle,option_1,value_1,option_2,value_2,variant_pictures\n"
    await importer(SHIRT)
    await importer(f"{head}camiseta,Talla,M,Color,Azul,verde.png\n")
    assert await read_shown(database) == [
        ("todas", None), ("rojo", "Rojo"), ("azul", "Azul"), ("azul-2", "Azul"), ("verde", "Azul"),
    ]  # fmt: skip


async def test_picture_of_all_variants_gets_no_option_value(database: Database, importer: Importer) -> None:
    shared = SHIRT.replace(",,rojo.png", ",,todas.png").replace("todas.png,rojo.png", "todas.png,todas.png")
    shared = shared.replace("azul.png|azul-2.png", "todas.png")
    await importer(shared)
    assert await read_shown(database) == [("todas", None)]
    assert (await importer(shared))["same"] == 4


async def test_picture_of_the_only_variant_belongs_to_the_product(
    database: Database, importer: Importer
) -> None:
    await importer("handle,title,price,variant_pictures\nyoyo,Yoyo,5000,rojo.png\n")
    assert await read_shown(database) == [("rojo", None)]
    async with database.read() as session:
        thumbnail = (await session.execute(select(Product.thumbnail))).scalar_one()
    assert thumbnail is not None

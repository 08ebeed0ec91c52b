"""Names of pictures in zips are found as each system writes them."""

import zipfile
from io import BytesIO
from unicodedata import normalize

import pytest

from backend.imports.pictures import PictureUploadResult
from tests.backend.catalog.importer.formats.tables import CASES
from tests.backend.imports.sender import Sender, list_problems
from tests.backend.imports.test_imports import picture

NAME = "muñeca Ú.jpg"


def write_zip(name: bytes) -> bytes:
    """Return a zip of a picture whose name has these bytes and no flag for UTF-8."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("x" * len(name), picture())
    return content.getvalue().replace(b"x" * len(name), name)


@pytest.mark.parametrize(
    "name",
    [NAME.encode("cp850"), NAME.encode(), normalize("NFD", NAME).encode(), b"fotos/" + NAME.encode("cp850")],
)
async def test_name_without_a_flag_is_decoded(sender: Sender, name: bytes) -> None:
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;Fotos\nMuñeca;M-1;1000;{NAME}\n")
    assert await sender.send_pictures("fotos.zip", write_zip(name)) == PictureUploadResult(1, [])
    assert list_problems(await sender.report()) == []


@pytest.mark.parametrize(
    ("sheet", "packed", "count"),
    [("02-sheet.csv", "02-macfinder.zip", 2), ("18-sheet.csv", "18-windows-cp850.zip", 4)],
)
async def test_pictures_of_the_cases_are_found(sender: Sender, sheet: str, packed: str, count: int) -> None:
    await sender.send_spreadsheet((CASES / sheet).read_bytes())
    result = await sender.send_pictures(packed, (CASES / packed).read_bytes())
    assert result == PictureUploadResult(count, [])
    assert list_problems(await sender.report()) == []

"""Names of pictures in zips are found as each system writes them."""

import zipfile
from io import BytesIO
from unicodedata import normalize

import pytest

from backend.imports.pictures import PictureUploadResult
from backend.media.uploads import MAX_FILE_BYTES
from tests.backend.catalog.importer.formats.tables import CASES
from tests.backend.imports.sender import Sender, list_problems
from tests.backend.imports.test_imports import picture, zip_files

NAME = "muñeca Ú.jpg"


def write_zip(name: bytes) -> bytes:
    """Return a zip of a picture. Its name consists of these bytes, and is not marked as UTF-8."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("x" * len(name), picture())
    return content.getvalue().replace(b"x" * len(name), name)


@pytest.mark.parametrize(
    "name",
    [NAME.encode("cp850"), NAME.encode(), normalize("NFD", NAME).encode(), b"fotos/" + NAME.encode("cp850")],
)
async def test_picture_name_without_the_utf8_flag_is_decoded(sender: Sender, name: bytes) -> None:
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;Fotos\nMuñeca;M-1;1000;{NAME}\n")
    assert await sender.send_pictures("fotos.zip", write_zip(name)) == PictureUploadResult(1, [])
    assert list_problems(await sender.report()) == []


@pytest.mark.parametrize(
    ("cells", "sent", "problems"),
    [
        ("trompo|yoyo", ["trompo.jpg", "yoyo.png"], []),
        ("trompo.jpeg|yoyo.JPG", ["trompo.jpg", "yoyo.jfif"], []),
        ("trompo", ["trompo.jpg", "trompo.png"], ["picture missing"]),
        ("trompo.png", ["trompo.jpg"], ["picture missing"]),
        ("yoyo/1.jpg", ["trompo/1.jpg", "yoyo/1.jpg"], []),
        ("fotos/yoyo/1", ["fotos/trompo/1.png", "fotos/yoyo/1.png"], []),
        ("1.jpg", ["trompo/1.jpg", "yoyo/1.jpg"], ["picture twice"]),
        ("1.jpg", ["1.jpg", "yoyo/1.jpg"], ["picture twice"]),
        ("otra/1.jpg", ["trompo/1.jpg"], []),
    ],
)
async def test_picture_named_in_a_cell_is_found_in_the_zip(
    sender: Sender, cells: str, sent: list[str], problems: list[str]
) -> None:
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;Fotos\nMuñeca;M-1;1000;{cells}\n")
    colours = ("red", "blue")
    await sender.send_pictures(
        "fotos.zip", zip_files({name: picture(colours[n]) for n, name in enumerate(sent)})
    )
    assert [code for _line, _column, code in list_problems(await sender.report())] == problems


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.gif", b"GIF89a", "no_picture"), ("a.svg", b"<svg/>", "no_picture"), ("a.jpg", b"", "no_picture"),
        ("a.heic", b"\0\0\0\x18ftypheic", "heic"), ("a.jpg", b"\0" * (MAX_FILE_BYTES + 1), "too_many_bytes"),
    ],
)  # fmt: skip
async def test_sent_file_that_is_no_picture_is_not_reported_as_missing(
    sender: Sender, name: str, content: bytes, code: str
) -> None:
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;Fotos\nMuñeca;M-1;1000;{name}\n")
    result = await sender.send_pictures("fotos.zip", zip_files({name: content}))
    assert result == PictureUploadResult(0, [(name, code)])
    assert list_problems(await sender.report()) == [(2, "pictures", f"picture {code}")]


async def test_system_files_in_a_zip_are_not_reported(sender: Sender) -> None:
    await sender.send_spreadsheet("Nombre;SKU;Precio;Fotos\nMuñeca;M-1;1000;a.jpg\n")
    files = {
        "fotos/a.jpg": picture(),
        "fotos/Thumbs.db": b"x",
        "fotos/.DS_Store": b"x",
        "__MACOSX/fotos/._a.jpg": b"x",
    }
    assert await sender.send_pictures("fotos.zip", zip_files(files)) == PictureUploadResult(1, [])


@pytest.mark.parametrize(
    ("sheet", "packed", "count"),
    [("02-sheet.csv", "02-macfinder.zip", 2), ("18-sheet.csv", "18-windows-cp850.zip", 4)],
)
async def test_pictures_in_zips_of_macos_and_windows_are_found(
    sender: Sender, sheet: str, packed: str, count: int
) -> None:
    await sender.send_spreadsheet((CASES / sheet).read_bytes())
    result = await sender.send_pictures(packed, (CASES / packed).read_bytes())
    assert result == PictureUploadResult(count, [])
    assert list_problems(await sender.report()) == []

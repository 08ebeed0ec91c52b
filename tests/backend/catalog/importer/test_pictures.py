"""Pictures are made into their widths once, named by their content, and never leave their folder."""

from pathlib import Path

import pytest
from PIL import Image

from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.config.settings import Settings
from backend.media.picture_store import picture_store

ORIENTATION = 0x0112


@pytest.fixture
def folder(tmp_path: Path) -> PictureFolder:
    (tmp_path / "in").mkdir()
    return PictureFolder(tmp_path / "in", picture_store(Settings(data_dir=tmp_path)))


def draw(path: Path, size: tuple[int, int] = (1200, 900), mode: str = "RGB", **save: object) -> Path:
    Image.new(mode, size, "red").save(path, **save)  # type: ignore[arg-type]
    return path


def made(tmp_path: Path) -> list[str]:
    return sorted(
        str(path.relative_to(tmp_path / "pictures")) for path in (tmp_path / "pictures").rglob("*.*")
    )


def test_a_picture_gets_its_widths_and_keeps_its_name(folder: PictureFolder, tmp_path: Path) -> None:
    draw(tmp_path / "in" / "Trompo (frente).jpg")
    prepared = folder.prepare("Trompo (frente).jpg")
    assert (prepared.width, prepared.height) == (960, 720)
    assert [width for _, width in prepared.sources] == [320, 640, 960]
    assert prepared.url == prepared.sources[-1][0]
    assert [Path(file).name for file in made(tmp_path)] == [
        f"Trompo (frente)-{width}.webp" for width in (320, 640, 960)
    ]
    for url, width in prepared.sources:
        with Image.open(tmp_path / "pictures" / url.removeprefix("/pictures/")) as image:
            assert (image.format, image.size) == ("WEBP", (width, width * 3 // 4))


def test_a_small_picture_is_never_blown_up(folder: PictureFolder, tmp_path: Path) -> None:
    draw(tmp_path / "in" / "a.png", (200, 100))
    assert [width for _, width in folder.prepare("a.png").sources] == [200]
    draw(tmp_path / "in" / "b.png", (700, 100))
    assert [width for _, width in folder.prepare("b.png").sources] == [320, 640]


def test_what_was_made_is_not_made_again_and_what_changed_is(folder: PictureFolder, tmp_path: Path) -> None:
    draw(tmp_path / "in" / "a.png")
    first = folder.prepare("a.png")
    files = {name: (tmp_path / "pictures" / name).stat().st_mtime_ns for name in made(tmp_path)}
    again = PictureFolder(tmp_path / "in", picture_store(Settings(data_dir=tmp_path)))
    assert again.prepare("a.png") == first
    assert {name: (tmp_path / "pictures" / name).stat().st_mtime_ns for name in made(tmp_path)} == files
    Image.new("RGB", (1200, 900), "blue").save(tmp_path / "in" / "a.png")
    other = PictureFolder(tmp_path / "in", picture_store(Settings(data_dir=tmp_path))).prepare("a.png")
    assert other.url != first.url


def test_transparency_becomes_paper_and_a_turned_picture_stands(
    folder: PictureFolder, tmp_path: Path
) -> None:
    Image.new("RGBA", (640, 640), (0, 0, 0, 0)).save(tmp_path / "in" / "clear.png")
    prepared = folder.prepare("clear.png")
    with Image.open(tmp_path / "pictures" / prepared.url.removeprefix("/pictures/")) as image:
        assert image.convert("RGB").getpixel((5, 5)) == (255, 255, 255)
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    draw(tmp_path / "in" / "turned.jpg", (1200, 640), exif=exif)
    prepared = folder.prepare("turned.jpg")
    assert (prepared.width, prepared.height) == (640, 1200)


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "link.png", "nothing.png", "."])
def test_nothing_outside_of_the_folder_is_touched(folder: PictureFolder, tmp_path: Path, name: str) -> None:
    draw(tmp_path / "secret.png")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(CellError, match=r"is outside of|is not in the folder"):
        folder.inspect(name)
    with pytest.raises(CellError):
        folder.prepare(name)
    assert made(tmp_path) == []


def test_what_is_no_picture_or_too_large_is_refused_by_its_head(
    folder: PictureFolder, tmp_path: Path
) -> None:
    (tmp_path / "in" / "text.jpg").write_text("not a picture")
    draw(tmp_path / "in" / "huge.png", (10_000, 5001), "1")
    draw(tmp_path / "in" / "moving.gif", (10, 10))
    for name, message in (
        ("text.jpg", "no picture"),
        ("huge.png", "too large"),
        ("moving.gif", "no picture"),
    ):
        with pytest.raises(CellError, match=message):
            folder.inspect(name)


@pytest.mark.parametrize("name", ["javascript:alert(1)", "data:image/png;base64,AAAA", "file:///etc/passwd"])
def test_address_with_another_scheme_is_no_picture(folder: PictureFolder, tmp_path: Path, name: str) -> None:
    with pytest.raises(CellError, match="not in the folder"):
        folder.inspect(name)
    with pytest.raises(CellError):
        folder.prepare(name)
    assert made(tmp_path) == []


def test_half_a_picture_is_found_when_it_is_made(folder: PictureFolder, tmp_path: Path) -> None:
    path = draw(tmp_path / "in" / "half.jpg")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    folder.inspect("half.jpg")
    with pytest.raises(CellError, match="is damaged"):
        folder.prepare("half.jpg")
    assert [name for name in made(tmp_path) if not name.endswith(".part")] == []

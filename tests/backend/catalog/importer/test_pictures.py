"""Pictures are resized once, named after their content, and only read from their folder."""

from pathlib import Path

import pytest
from PIL import Image

from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.config.settings import Settings
from backend.media.picture_store import open_picture_store

ORIENTATION = 0x0112


@pytest.fixture
def folder(tmp_path: Path) -> PictureFolder:
    (tmp_path / "in").mkdir()
    return PictureFolder(tmp_path / "in", open_picture_store(Settings(data_dir=tmp_path)))


def draw_picture(path: Path, size: tuple[int, int] = (1200, 900), mode: str = "RGB", **save: object) -> Path:
    Image.new(mode, size, "red").save(path, **save)  # type: ignore[arg-type]
    return path


def list_created_files(tmp_path: Path) -> list[str]:
    return sorted(
        str(path.relative_to(tmp_path / "pictures")) for path in (tmp_path / "pictures").rglob("*.*")
    )


def test_picture_is_resized_and_keeps_its_name(folder: PictureFolder, tmp_path: Path) -> None:
    draw_picture(tmp_path / "in" / "Trompo (frente).jpg")
    prepared = folder.prepare("Trompo (frente).jpg")
    assert (prepared.width, prepared.height) == (960, 720)
    assert [width for _, width in prepared.sources] == [160, 320, 640, 960]
    assert prepared.url == prepared.sources[-1][0]
    assert [Path(file).name for file in list_created_files(tmp_path)] == [
        f"Trompo (frente)-{width}.webp" for width in (160, 320, 640, 960)
    ]
    for url, width in prepared.sources:
        with Image.open(tmp_path / "pictures" / url.removeprefix("/pictures/")) as image:
            assert (image.format, image.size) == ("WEBP", (width, width * 3 // 4))


def test_small_picture_is_not_enlarged(folder: PictureFolder, tmp_path: Path) -> None:
    draw_picture(tmp_path / "in" / "a.png", (200, 100))
    assert [width for _, width in folder.prepare("a.png").sources] == [160, 200]
    draw_picture(tmp_path / "in" / "c.png", (90, 100))
    assert [width for _, width in folder.prepare("c.png").sources] == [90]
    draw_picture(tmp_path / "in" / "b.png", (700, 100))
    assert [width for _, width in folder.prepare("b.png").sources] == [160, 320, 640]


def test_unchanged_picture_is_not_resized_again(folder: PictureFolder, tmp_path: Path) -> None:
    draw_picture(tmp_path / "in" / "a.png")
    first = folder.prepare("a.png")
    files = {name: (tmp_path / "pictures" / name).stat().st_mtime_ns for name in list_created_files(tmp_path)}
    again = PictureFolder(tmp_path / "in", open_picture_store(Settings(data_dir=tmp_path)))
    assert again.prepare("a.png") == first
    assert {
        name: (tmp_path / "pictures" / name).stat().st_mtime_ns for name in list_created_files(tmp_path)
    } == files
    Image.new("RGB", (1200, 900), "blue").save(tmp_path / "in" / "a.png")
    other = PictureFolder(tmp_path / "in", open_picture_store(Settings(data_dir=tmp_path))).prepare("a.png")
    assert other.url != first.url


def test_transparent_and_rotated_pictures_are_normalized(folder: PictureFolder, tmp_path: Path) -> None:
    Image.new("RGBA", (640, 640), (0, 0, 0, 0)).save(tmp_path / "in" / "clear.png")
    prepared = folder.prepare("clear.png")
    with Image.open(tmp_path / "pictures" / prepared.url.removeprefix("/pictures/")) as image:
        assert image.convert("RGB").getpixel((5, 5)) == (255, 255, 255)
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    draw_picture(tmp_path / "in" / "turned.jpg", (1200, 640), exif=exif)
    prepared = folder.prepare("turned.jpg")
    assert (prepared.width, prepared.height) == (640, 1200)


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "link.png", "nothing.png", "."])
def test_paths_outside_the_folder_are_refused(folder: PictureFolder, tmp_path: Path, name: str) -> None:
    draw_picture(tmp_path / "secret.png")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(CellError, match=r"is outside of|is not in the folder"):
        folder.inspect(name)
    with pytest.raises(CellError):
        folder.prepare(name)
    assert list_created_files(tmp_path) == []


def test_invalid_or_too_large_picture_is_refused_by_its_header(folder: PictureFolder, tmp_path: Path) -> None:
    (tmp_path / "in" / "text.jpg").write_text("not a picture")
    draw_picture(tmp_path / "in" / "huge.png", (10_000, 5001), "1")
    draw_picture(tmp_path / "in" / "moving.gif", (10, 10))
    for name, message in (
        ("text.jpg", "no picture"),
        ("huge.png", "too large"),
        ("moving.gif", "no picture"),
    ):
        with pytest.raises(CellError, match=message):
            folder.inspect(name)


@pytest.mark.parametrize("name", ["javascript:alert(1)", "data:image/png;base64,AAAA", "file:///etc/passwd"])
def test_url_with_another_scheme_is_refused(folder: PictureFolder, tmp_path: Path, name: str) -> None:
    with pytest.raises(CellError, match="not in the folder"):
        folder.inspect(name)
    with pytest.raises(CellError):
        folder.prepare(name)
    assert list_created_files(tmp_path) == []


def test_truncated_picture_is_refused_when_resized(folder: PictureFolder, tmp_path: Path) -> None:
    path = draw_picture(tmp_path / "in" / "half.jpg")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    folder.inspect("half.jpg")
    with pytest.raises(CellError, match="is damaged"):
        folder.prepare("half.jpg")
    assert [name for name in list_created_files(tmp_path) if not name.endswith(".part")] == []

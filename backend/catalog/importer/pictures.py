"""Pictures from a folder, made into the widths that pages ask for.

What is made is named by the content it was made from. So a picture that was made before is not made again, a changed
one gets another address, and an address can be cached by browsers for good.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

from PIL import Image, ImageOps

from backend.catalog.cells import CellError
from backend.catalog.picture_files import URL
from backend.tables import JsonObject

WIDTHS = (320, 640, 960)
QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP")
MOST_PIXELS = 50_000_000
PAPER = "#ffffff"
"""What shows through where a picture is transparent."""
CACHED_PICTURES = 2048


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture in all its widths, as a page asks for it; the widest is `url`."""

    url: str
    width: int
    height: int
    sources: tuple[tuple[str, int], ...]

    def sources_json(self) -> list[JsonObject]:
        """The files by their widths."""
        return [{"url": url, "width": width} for url, width in self.sources]


class PictureFolder:
    """Takes pictures by name from `source`, and puts what it makes of them into `target`."""

    def __init__(self, source: Path, target: Path) -> None:
        self._source = source.resolve()
        self._target = target
        self.inspect = lru_cache(CACHED_PICTURES)(self._inspect)
        self.prepare = lru_cache(CACHED_PICTURES)(self._prepare)

    def _inspect(self, name: str) -> None:
        """Look at the picture's head.

        Raises:
            CellError: there is no such picture in the folder, or it cannot be used.
        """
        with self._opened(name):
            pass

    def _prepare(self, name: str) -> Prepared:
        """Make the picture's files, where they are not there yet.

        Raises:
            CellError: it cannot be used after all: part of it is missing.
        """
        path = self._path(name)
        digest = blake2b(path.read_bytes(), digest_size=8).hexdigest()
        with self._opened(name) as image:
            try:
                ratio, most = _upright_ratio(image), _upright_width(image)
                widths = [width for width in WIDTHS if width <= most] or [most]
                files = {width: self._target / digest / f"{path.stem}-{width}.webp" for width in widths}
                if missing := {width: file for width, file in files.items() if not file.exists()}:
                    _make(image, missing, ratio)
            except (OSError, SyntaxError, ValueError) as error:
                raise CellError(f"{name} is damaged: {error}") from error
        sources = tuple((f"{URL}/{digest}/{file.name}", width) for width, file in files.items())
        return Prepared(sources[-1][0], widths[-1], _height(widths[-1], ratio), sources)

    def _path(self, name: str) -> Path:
        path = (self._source / name).resolve()
        if not path.is_relative_to(self._source):
            raise CellError(f"{name} is outside of the folder {self._source}")
        if not path.is_file():
            raise CellError(f"{name} is not in the folder {self._source}")
        return path

    @contextmanager
    def _opened(self, name: str) -> Iterator[Image.Image]:
        path = self._path(name)
        try:
            image = Image.open(path, formats=FORMATS)
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise CellError(f"{name} is no picture in {', '.join(FORMATS)}") from error
        with image:
            if image.width * image.height > MOST_PIXELS:
                raise CellError(f"{name} is too large: {image.width} × {image.height} pixels")
            yield image


def _make(image: Image.Image, files: dict[int, Path], ratio: float) -> None:
    """Write the picture in these widths. Nobody ever finds half a file."""
    upright = ImageOps.exif_transpose(image).convert("RGBA")
    whole = Image.new("RGB", upright.size, PAPER)
    whole.paste(upright, mask=upright.getchannel("A"))
    for width, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            size = (width, _height(width, ratio))
            whole.resize(size, Image.Resampling.LANCZOS).save(part, "WEBP", quality=QUALITY)
        Path(part.name).chmod(0o644)
        Path(part.name).replace(file)


def _upright_width(image: Image.Image) -> int:
    return image.height if _lies_on_its_side(image) else image.width


def _upright_ratio(image: Image.Image) -> float:
    ratio = image.height / image.width
    return 1 / ratio if _lies_on_its_side(image) else ratio


def _lies_on_its_side(image: Image.Image) -> bool:
    return bool(image.getexif().get(0x0112, 1) >= 5)  # EXIF orientation: 5 to 8 are turned by a quarter


def _height(width: int, ratio: float) -> int:
    return max(1, round(width * ratio))

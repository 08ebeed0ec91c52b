"""Pictures from a folder, or hosted at an address, made into the widths that pages ask for.

What is made is named by the content it was made from. So a picture that was made before is not made again, a changed
one gets another address, and an address can be cached by browsers for good.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
from PIL import Image, ImageOps

from backend.catalog.cells import CellError
from backend.catalog.picture_store import URL, PictureStore, PicturesUnavailable
from backend.http_client import trusted
from backend.tables import JsonObject

WIDTHS = (320, 640, 960)
QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP")
MOST_PIXELS = 50_000_000
AWAY = "the store of pictures does not answer, or refuses"
_NO_ADDRESS = re.compile(r"[#?%\\\"<>|*:\x00-\x1f\x7f]+")
"""What a file's name may have and an address may not."""
MOST_FETCHED, FETCHED_WITHIN = 25 << 20, 60.0
"""Bytes and seconds of a picture that is hosted somewhere."""
LONGEST_NAME = 200
"""Bytes."""
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

    def __init__(self, source: Path, target: PictureStore) -> None:
        self._source = source.resolve()
        self._target = target
        self._is_away = False
        self.inspect = lru_cache(CACHED_PICTURES)(self._inspect)
        self.prepare = lru_cache(CACHED_PICTURES)(self._prepare)

    def _inspect(self, name: str) -> None:
        """Look at the picture's head.

        Raises:
            CellError: there is no such picture in the folder, or it cannot be used. One with an address is looked at
                when it is made.
        """
        if is_address(name):
            if not urlsplit(name).hostname:
                raise CellError(f"{name[:200]} is no address")
            return
        with _opened(name, self._path(name)):
            pass

    def _prepare(self, name: str) -> Prepared:
        """Make the picture's files, where they are not there yet.

        Raises:
            CellError: it cannot be used after all: part of it is missing. Or the store does not take it: once it did
                not, it is not asked again.
        """
        source: Path | BytesIO = self._fetch(name) if is_address(name) else self._path(name)
        content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
        digest = blake2b(content, digest_size=8).hexdigest()
        path = Path(unquote(urlsplit(name).path)) if is_address(name) else Path(name)
        if self._is_away:
            raise CellError(f"{name} was not stored: {AWAY}")
        with _opened(name, source) as image:
            try:
                ratio, most = _upright_ratio(image), _upright_width(image)
                widths = [width for width in WIDTHS if width <= most] or [most]
                files = {width: f"{digest}/{_name_of(path)}-{width}.webp" for width in widths}
                if missing := {width: file for width, file in files.items() if not self._target.has(file)}:
                    for file, content in _made(image, missing, ratio):
                        self._target.put(file, content)
            except PicturesUnavailable:
                self._is_away = True
                raise CellError(f"{name} was not stored: {AWAY}") from None
            except (OSError, SyntaxError, ValueError) as error:
                raise CellError(f"{name} is damaged: {error}") from error
        sources = tuple((f"{URL}/{file}", width) for width, file in files.items())
        return Prepared(sources[-1][0], widths[-1], _height(widths[-1], ratio), sources)

    def _path(self, name: str) -> Path:
        path = (self._source / name).resolve()
        if not path.is_relative_to(self._source):
            raise CellError(f"{name} is outside of the folder {self._source}")
        if not path.is_file():
            raise CellError(f"{name} is not in the folder {self._source}")
        return path

    def _fetch(self, address: str) -> BytesIO:
        """What is at the address.

        Raises:
            CellError: nothing is, or it is too large or too slow.
        """
        content, until = BytesIO(), time.monotonic() + FETCHED_WITHIN
        try:
            with (
                httpx.Client(
                    verify=trusted(), follow_redirects=True, max_redirects=3, timeout=10.0
                ) as client,
                client.stream("GET", address) as answer,
            ):
                if answer.status_code != 200:
                    raise CellError(f"{address[:200]} answers with {answer.status_code}")
                for piece in answer.iter_bytes():
                    content.write(piece)
                    if content.tell() > MOST_FETCHED or time.monotonic() > until:
                        raise CellError(
                            f"{address[:200]} is larger than {MOST_FETCHED // 2**20} MiB, or too slow"
                        )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CellError(f"{address[:200]} does not answer ({type(error).__name__})") from None
        content.seek(0)
        return content


def is_address(name: str) -> bool:
    """Whether the picture is not in the folder, but hosted somewhere."""
    return name.lower().startswith(("https://", "http://"))


@contextmanager
def _opened(name: str, source: Path | BytesIO) -> Iterator[Image.Image]:
    try:
        image = Image.open(source, formats=FORMATS)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise CellError(f"{name} is no picture in {', '.join(FORMATS)}") from error
    with image:
        if image.width * image.height > MOST_PIXELS:
            raise CellError(f"{name} is too large: {image.width} × {image.height} pixels")
        yield image


def _name_of(path: Path) -> str:
    """What its files are called: as it is, as far as an address and a folder take it."""
    return _NO_ADDRESS.sub("-", path.stem).lstrip(".").encode()[:LONGEST_NAME].decode(errors="ignore")


def _made(image: Image.Image, files: dict[int, str], ratio: float) -> Iterator[tuple[str, bytes]]:
    """The picture in these widths, by the files' names."""
    upright = ImageOps.exif_transpose(image).convert("RGBA")
    whole = Image.new("RGB", upright.size, PAPER)
    whole.paste(upright, mask=upright.getchannel("A"))
    for width, file in files.items():
        content = BytesIO()
        size = (width, _height(width, ratio))
        whole.resize(size, Image.Resampling.LANCZOS).save(content, "WEBP", quality=QUALITY)
        yield file, content.getvalue()


def _upright_width(image: Image.Image) -> int:
    return image.height if _lies_on_its_side(image) else image.width


def _upright_ratio(image: Image.Image) -> float:
    ratio = image.height / image.width
    return 1 / ratio if _lies_on_its_side(image) else ratio


def _lies_on_its_side(image: Image.Image) -> bool:
    return bool(image.getexif().get(0x0112, 1) >= 5)  # EXIF orientation: 5 to 8 are turned by a quarter


def _height(width: int, ratio: float) -> int:
    return max(1, round(width * ratio))

"""Pictures from a folder, or hosted at an address, made into the widths that pages ask for.

What is made is named by the content it was made from. So a picture that was made before is not made again, a changed
one gets another address, and an address can be cached by browsers for good.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

from backend.catalog.schemas.cell_parsers import CellError
from backend.core.web.outside_fetch import NotFetched, fetch
from backend.media.picture_processing import UnusablePicture, made, opened, shape_of
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable
from backend.media.picture_widths import Prepared, widths_up_to

AWAY = "the store of pictures does not answer, or refuses"
_NO_ADDRESS = re.compile(r"[#?%\\\"<>|*:\x00-\x1f\x7f]+")
"""What a file's name may have and an address may not."""
MOST_FETCHED, FETCHED_WITHIN = 25 << 20, 60.0
"""Bytes and seconds of a picture that is hosted somewhere."""
LONGEST_NAME = 200
"""Bytes."""
CACHED_PICTURES = 2048


class PictureFolder:
    """Takes pictures by name from `source`, and puts what it makes of them into `target`."""

    def __init__(self, source: Path, target: PictureStore, *, allow_private: bool = False) -> None:
        """`allow_private`: pictures may also be hosted on this machine and in its networks."""
        self._source = source.resolve()
        self._target = target
        self._allow_private = allow_private
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
        with _told_of(name), opened(self._path(name)):
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
        with _told_of(name), opened(source) as image:
            shape = shape_of(image)
            files = {width: f"{digest}/{_name_of(path)}-{width}.webp" for width in widths_up_to(shape.width)}
            try:
                if any(not self._target.has(file) for file in files.values()):
                    for width, made_content in made(image, shape):
                        self._target.put(files[width], made_content)
            except PicturesUnavailable:
                self._is_away = True
                raise CellError(f"{name} was not stored: {AWAY}") from None
        sources = tuple((f"{URL}/{file}", width) for width, file in files.items())
        return Prepared(sources[-1][0], shape.width, shape.height, sources)

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
            CellError: it cannot be had: see `backend.core.web.outside_fetch.fetch`.
        """
        try:
            content = fetch(
                address,
                most_bytes=MOST_FETCHED,
                within=FETCHED_WITHIN,
                allow_private=self._allow_private,
            )
        except NotFetched as error:
            raise CellError(str(error)) from None
        return BytesIO(content)


def is_address(name: str) -> bool:
    """Whether the picture is not in the folder, but hosted somewhere."""
    return name.lower().startswith(("https://", "http://"))


@contextmanager
def _told_of(name: str) -> Iterator[None]:
    try:
        yield
    except UnusablePicture as error:
        raise CellError(f"{name} {error}") from error


def _name_of(path: Path) -> str:
    """What its files are called: as it is, as far as an address and a folder take it."""
    return _NO_ADDRESS.sub("-", path.stem).lstrip(".").encode()[:LONGEST_NAME].decode(errors="ignore")

"""Pictures from a folder or a URL, resized to the widths that pages request.

The resized files are named after a digest of the original. So an unchanged picture is not resized again, a changed
picture gets a new URL, and browsers can cache a URL permanently.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Picture
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.web.outside_fetch import FetchError, fetch
from backend.media.picture_processing import UnusablePicture, encode_all_widths, measure_picture, open_picture
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable
from backend.media.picture_urls import is_picture_address
from backend.media.picture_widths import PreparedPicture, list_widths_up_to

STORE_UNAVAILABLE = "the store of pictures does not answer, or refuses"
_UNSAFE_CHARACTERS = re.compile(r"[#?%\\\"<>|*:\x00-\x1f\x7f]+")
"""Characters that are allowed in a file name but not in a URL."""
MAX_DOWNLOAD_BYTES, DOWNLOAD_TIMEOUT_S = 25 << 20, 60.0
"""Maximum size of a downloaded picture in bytes, and timeout in seconds."""
MAX_NAME_BYTES = 200
"""Maximum length of a file name in bytes."""
CACHED_PICTURES = 2048


class PictureFolder:
    """Reads pictures by name from `source` and stores the resized files in `target`."""

    def __init__(self, source: Path, target: PictureStore, *, allow_private: bool = False) -> None:
        """Create the reader.

        With `allow_private`, it also downloads pictures from this machine and its private networks.
        """
        self._source = source.resolve()
        self._target = target
        self._allow_private = allow_private
        self._is_store_unavailable = False
        self.inspect = lru_cache(CACHED_PICTURES)(self._inspect)
        self.prepare = lru_cache(CACHED_PICTURES)(self._prepare)

    def _inspect(self, name: str) -> None:
        """Check that the picture exists in the folder and is usable. A picture at a URL is checked when it is resized.

        Raises:
            CellError: it does not exist, or is unusable.
        """
        if is_url(name):
            if not urlsplit(name).hostname:
                raise CellError(f"{name[:200]} is no address")
            return
        with _translate_picture_errors(name), open_picture(self._path(name)):
            pass

    def _prepare(self, name: str) -> PreparedPicture:
        """Create the resized files of the picture, unless they exist. Return the prepared picture.

        Raises:
            CellError: the picture cannot be downloaded, is damaged, or the picture store is unavailable. After the
                store's first failure, it is not called again.
        """
        source: Path | BytesIO = self._fetch(name) if is_url(name) else self._path(name)
        content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
        digest = blake2b(content, digest_size=8).hexdigest()
        path = Path(unquote(urlsplit(name).path)) if is_url(name) else Path(name)
        if self._is_store_unavailable:
            raise CellError(f"{name} was not stored: {STORE_UNAVAILABLE}")
        with _translate_picture_errors(name), open_picture(source) as image:
            shape = measure_picture(image)
            files = {
                width: f"{digest}/{_safe_name(path)}-{width}.webp" for width in list_widths_up_to(shape.width)
            }
            try:
                if any(not self._target.has_picture(file) for file in files.values()):
                    for width, made_content in encode_all_widths(image, shape):
                        self._target.put(files[width], made_content)
            except PicturesUnavailable:
                self._is_store_unavailable = True
                raise CellError(f"{name} was not stored: {STORE_UNAVAILABLE}") from None
        sources = tuple((f"{URL}/{file}", width) for width, file in files.items())
        return PreparedPicture(sources[-1][0], shape.width, shape.height, sources)

    def _path(self, name: str) -> Path:
        path = (self._source / name).resolve()
        if not path.is_relative_to(self._source):
            raise CellError(f"{name} is outside of the folder {self._source}")
        if not path.is_file():
            raise CellError(f"{name} is not in the folder {self._source}")
        return path

    def _fetch(self, address: str) -> BytesIO:
        """Download the picture.

        Raises:
            CellError: the download failed: see `backend.core.web.outside_fetch.fetch`.
        """
        try:
            content = fetch(
                address,
                max_bytes=MAX_DOWNLOAD_BYTES,
                timeout_s=DOWNLOAD_TIMEOUT_S,
                allow_private=self._allow_private,
            )
        except FetchError as error:
            raise CellError(str(error)) from None
        return BytesIO(content)


async def read_shop_pictures(session: AsyncSession, names: Iterable[str]) -> dict[str, PreparedPicture]:
    """Return the shop's pictures with these names, by name.

    A name is the picture's address in the shop, with or without a host. It may also be the web address from
    which the picture was imported before, so that it is not downloaded again.
    """
    unique_names = set(names)
    web_addresses = {name for name in unique_names if is_url(name)}
    paths = {name: _picture_path(name) for name in unique_names}
    query = select(Picture).where(Picture.url.in_({*unique_names, *paths.values()}))
    by_url = {one.url: one for one in (await session.execute(query)).scalars()}
    imported = select(Picture).where(Picture.source_url.in_(web_addresses), Picture.source_url != "")
    downloaded = (await session.execute(imported)).scalars().all() if web_addresses else []
    stored = ((name, by_url.get(name) or by_url.get(path)) for name, path in paths.items())
    named = [
        *((one.source_url, one) for one in downloaded),
        *((name, one) for name, one in stored if one is not None),
    ]
    return {name: to_prepared_picture(one) for name, one in named if is_picture_address(one.url)}


def _picture_path(name: str) -> str:
    """Return the path of a web address, if it may be that of a shop's picture; return other names unchanged.

    This path is the picture's address in every shop that has it: it contains a checksum, so the host does not
    matter.
    """
    path = f"/{name.split('/', 3)[3]}" if is_url(name) and name.count("/") > 2 else ""
    return unquote(path.partition("?")[0]) if path.startswith(f"{URL}/") else name


def to_prepared_picture(picture: Picture) -> PreparedPicture:
    """Convert a product's stored picture to a `PreparedPicture`, with which the import works."""
    sources = tuple((source["url"], source["width"]) for source in picture.sources)
    return PreparedPicture(picture.url, picture.width, picture.height, sources)


def is_url(name: str) -> bool:
    """Return True if the picture is at a URL, not in the folder."""
    return name.lower().startswith(("https://", "http://"))


@contextmanager
def _translate_picture_errors(name: str) -> Iterator[None]:
    try:
        yield
    except UnusablePicture as error:
        raise CellError(f"{name} {error}") from error


def _safe_name(path: Path) -> str:
    """Return the base name of the resized files: the original name without characters that are unsafe in URLs."""
    return (
        _UNSAFE_CHARACTERS.sub("-", path.stem).lstrip(".").encode()[:MAX_NAME_BYTES].decode(errors="ignore")
    )

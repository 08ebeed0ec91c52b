"""Matching of picture cells to pictures: an uploaded picture, a picture of the shop, or one at a web address."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.pictures import is_url, read_shop_pictures
from backend.imports.models import ProductImportPicture
from backend.media.picture_store import URL
from backend.media.picture_widths import PreparedPicture, parse_uploaded_picture

NOT_STORED = "not stored"
"""Code of the problem that a downloaded picture could not be stored."""
ENDINGS = (".jpg", ".jpeg", ".jfif", ".png", ".webp", ".avif", ".heic")
"""Endings of the files that may be pictures."""
_JPEG_ENDINGS = ENDINGS[:3]


def picture_key(name: str) -> str:
    """Return a picture's name for comparison: without folders, in lower case, with normalized accents."""
    return unicodedata.normalize("NFC", get_base_name(name).strip()).casefold()


def folder_key(path: str) -> str:
    """Return a picture's name with its folder for comparison; without a folder, the key of its name."""
    folder = get_base_name(path.replace("\\", "/").rpartition("/")[0])
    return f"{picture_key(folder)}/{picture_key(path)}" if folder else picture_key(path)


def get_base_name(path: str) -> str:
    """Return the name of a file without folders."""
    return path.replace("\\", "/").rpartition("/")[2]


def list_picture_keys(name: str) -> list[list[str]]:
    """Return the keys of the sent pictures that the name in a cell may mean: groups, the best match first.

    The first groups have the name itself, with and without its folder. If the name has no file extension, later
    groups have it with each extension; if it has one of JPEG's, with each of JPEG's.
    """
    keys = list(dict.fromkeys((folder_key(name), picture_key(name))))
    groups = [[key] for key in keys]
    for key in keys:
        stem, dot, ending = key.rpartition(".")
        if f"{dot}{ending}" in _JPEG_ENDINGS:
            groups.append([f"{stem}{one}" for one in _JPEG_ENDINGS])
        elif not key.endswith(ENDINGS):
            groups.append([f"{key}{one}" for one in ENDINGS])
    return groups


@dataclass
class Album:
    """The pictures that some rows of an import name in their cells."""

    sent: dict[str, ProductImportPicture] = field(default_factory=dict)
    shop_pictures: dict[str, PreparedPicture] = field(default_factory=dict)
    """Pictures of the shop, by their address or the web address from which they were imported."""

    @classmethod
    async def read(cls, session: AsyncSession, import_id: str, names: Iterable[str]) -> "Album":
        """Read the pictures that these names in cells may mean: sent ones and the shop's own."""
        unique_names = set(names)
        keys = {
            key
            for name in unique_names
            for group in ([[name]] if is_url(name) else list_picture_keys(name))
            for key in group
        }
        query = select(ProductImportPicture).where(
            ProductImportPicture.import_id == import_id, ProductImportPicture.name.in_(keys)
        )
        sent = {one.name: one for one in (await session.execute(query)).scalars()}
        return cls(sent, await read_shop_pictures(session, unique_names))

    def find(self, name: str) -> PreparedPicture | None:
        """Return the picture that a cell names; None if it was not downloaded yet, or does not exist."""
        if name in self.shop_pictures:
            return self.shop_pictures[name]
        one = self._find_sent(name)
        return parse_uploaded_picture(one.url) if one is not None and one.url else None

    def _find_sent(self, name: str) -> ProductImportPicture | None:
        """Return the sent picture that a cell names; None if there is none, or if several match equally well."""
        if is_url(name):
            return self.sent.get(name)
        for group in list_picture_keys(name):
            if found := [self.sent[key] for key in group if key in self.sent]:
                return found[0] if len(found) == 1 else None
        return None

    def find_problem(self, name: str) -> str:
        """Return the code of the problem with a picture (`backend.imports.messages`), or an empty text."""
        if self.find(name) is not None:
            return ""
        if (one := self._find_sent(name)) is not None:
            return one.problem or "damaged"
        if is_url(name):
            return ""
        return "gone" if name.startswith(f"{URL}/") else "missing"

    def is_lost(self, name: str) -> bool:
        """Return True if the picture's web address did not answer with a usable picture."""
        return is_url(name) and self.find_problem(name) not in ("", NOT_STORED)

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


def picture_key(name: str) -> str:
    """Return a picture's name for comparison: without folders, in lower case, with normalized accents."""
    return unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2].strip()).casefold()


@dataclass
class Album:
    """The pictures that some rows name."""

    sent: dict[str, ProductImportPicture] = field(default_factory=dict)
    shop_pictures: dict[str, PreparedPicture] = field(default_factory=dict)
    """Pictures of the shop, by their address or the web address from which they were imported."""

    @classmethod
    async def read(cls, session: AsyncSession, import_id: str, names: Iterable[str]) -> "Album":
        """Read the pictures with these names."""
        unique_names = set(names)
        keys = {name if is_url(name) else picture_key(name) for name in unique_names}
        query = select(ProductImportPicture).where(
            ProductImportPicture.import_id == import_id, ProductImportPicture.name.in_(keys)
        )
        sent = {one.name: one for one in (await session.execute(query)).scalars()}
        return cls(sent, await read_shop_pictures(session, unique_names))

    def find(self, name: str) -> PreparedPicture | None:
        """Return the picture; None if it must still be downloaded, or if it does not exist."""
        if name in self.shop_pictures:
            return self.shop_pictures[name]
        one = self.sent.get(name if is_url(name) else picture_key(name))
        return parse_uploaded_picture(one.url) if one is not None and one.url else None

    def find_problem(self, name: str) -> str:
        """Return the code of the problem with a picture (`backend.imports.messages`), or an empty text."""
        if self.find(name) is not None:
            return ""
        one = self.sent.get(name if is_url(name) else picture_key(name))
        if one is not None:
            return one.problem or "damaged"
        if is_url(name):
            return ""
        return "gone" if name.startswith(f"{URL}/") else "missing"

    def is_lost(self, name: str) -> bool:
        """Return True if the picture's web address did not answer with a usable picture."""
        return is_url(name) and self.find_problem(name) not in ("", NOT_STORED)

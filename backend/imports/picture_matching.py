"""Which picture a cell of a sheet means: one that was sent, one that the shop has, or one at an address elsewhere."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.pictures import is_address
from backend.catalog.models import Picture
from backend.imports.models import ProductImportPicture
from backend.media.picture_store import URL
from backend.media.picture_urls import is_picture_address
from backend.media.picture_widths import Prepared, uploaded_at


def key_of(name: str) -> str:
    """A picture's name as it is compared: without folders, in one case, its accents in one form."""
    return unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2].strip()).casefold()


@dataclass
class Album:
    """The pictures that some rows name."""

    sent: dict[str, ProductImportPicture] = field(default_factory=dict)
    known: dict[str, Prepared] = field(default_factory=dict)
    """The shop's own by their addresses."""

    @classmethod
    async def read(cls, session: AsyncSession, import_id: str, names: Iterable[str]) -> "Album":
        """Look these names up."""
        wanted = set(names)
        keys = {name if is_address(name) else key_of(name) for name in wanted}
        query = select(ProductImportPicture).where(
            ProductImportPicture.import_id == import_id, ProductImportPicture.name.in_(keys)
        )
        sent = {one.name: one for one in (await session.execute(query)).scalars()}
        own = select(Picture).where(Picture.url.in_(wanted))
        known = {
            one.url: Prepared(
                one.url,
                one.width,
                one.height,
                tuple((source["url"], source["width"]) for source in one.sources),
            )
            for one in (await session.execute(own)).scalars()
            if is_picture_address(one.url)
        }
        return cls(sent, known)

    def find(self, name: str) -> Prepared | None:
        """The picture; None where it has still to be fetched, or there is none."""
        if name in self.known:
            return self.known[name]
        one = self.sent.get(name if is_address(name) else key_of(name))
        return uploaded_at(one.url) if one is not None and one.url else None

    def problem_of(self, name: str) -> str:
        """Why it cannot be used: a code of `backend.imports.messages`; empty when it can, or is fetched later."""
        if self.find(name) is not None:
            return ""
        one = self.sent.get(name if is_address(name) else key_of(name))
        if one is not None:
            return one.problem or "damaged"
        if is_address(name):
            return ""
        return "gone" if name.startswith(f"{URL}/") else "missing"

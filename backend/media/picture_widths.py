"""Pictures in the widths that pages ask for, and the names of those that staff upload.

The name of an uploaded picture tells everything of it, so that whoever has its address knows its files and its size:
`/pictures/{digest}/foto-{width}x{height}-{width}.webp`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.db.tables import JsonObject
from backend.media.picture_store import URL

WIDTHS = (320, 640, 960)
_UPLOADED = re.compile(rf"{URL}/([0-9a-f]{{16}})/foto-([1-9][0-9]{{0,4}})x([1-9][0-9]{{0,4}})-\2\.webp")


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


def widths_up_to(most: int) -> Sequence[int]:
    """The widths of a picture that is so wide: it is never blown up."""
    return [width for width in WIDTHS if width <= most] or [most]


def prepared_upload(digest: str, width: int, height: int) -> Prepared:
    """The uploaded picture whose content has this digest and whose widest file is so large."""
    sources = tuple((f"{URL}/{digest}/foto-{width}x{height}-{one}.webp", one) for one in widths_up_to(width))
    return Prepared(sources[-1][0], width, height, sources)


def uploaded_at(url: str) -> Prepared | None:
    """The picture that was uploaded and is at this address; None for any other address."""
    found = _UPLOADED.fullmatch(url)
    if found is None:
        return None
    prepared = prepared_upload(found[1], int(found[2]), int(found[3]))
    return prepared if prepared.url == url else None

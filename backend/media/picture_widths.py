"""The widths of pictures that pages request, and the names of uploaded pictures.

The URL of an uploaded picture contains its digest and size, so the URL is enough to derive all its files:
`/pictures/{digest}/foto-{width}x{height}-{width}.webp`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.db.tables import JsonObject
from backend.media.picture_store import URL

WIDTHS = (320, 640, 960)
THUMBNAIL_WIDTH = 160
"""Width of an additional, narrow file of each picture. A gallery displays its thumbnails 72 px wide."""
_NARROW = re.compile(rf"[0-9a-f]{{16}}/foto-([1-9][0-9]{{0,4}})x[1-9][0-9]{{0,4}}-({THUMBNAIL_WIDTH})\.webp")
_UPLOADED = re.compile(rf"{URL}/([0-9a-f]{{16}})/foto-([1-9][0-9]{{0,4}})x([1-9][0-9]{{0,4}})-\2\.webp")


@dataclass(frozen=True, slots=True)
class PreparedPicture:
    """A picture with the URL and width of each of its files (`sources`). `url` is the widest file."""

    url: str
    width: int
    height: int
    sources: tuple[tuple[str, int], ...]

    def to_sources_json(self) -> list[JsonObject]:
        """Return the URL and the width of each file as JSON objects."""
        return [{"url": url, "width": width} for url, width in self.sources]


def list_widths_up_to(most: int) -> Sequence[int]:
    """Return the widths in which a picture that is `most` pixels wide is stored. A picture is never enlarged."""
    widths = [width for width in WIDTHS if width <= most] or [most]
    return [THUMBNAIL_WIDTH, *widths] if widths[0] > THUMBNAIL_WIDTH else widths


def build_uploaded_picture(digest: str, width: int, height: int) -> PreparedPicture:
    """Return the uploaded picture with this digest. `width` and `height` are the size of its widest file."""
    sources = tuple(
        (f"{URL}/{digest}/foto-{width}x{height}-{one}.webp", one) for one in list_widths_up_to(width)
    )
    return PreparedPicture(sources[-1][0], width, height, sources)


def parse_uploaded_picture(url: str) -> PreparedPicture | None:
    """Return the uploaded picture at this URL; None for any other URL."""
    found = _UPLOADED.fullmatch(url)
    if found is None:
        return None
    prepared = build_uploaded_picture(found[1], int(found[2]), int(found[3]))
    return prepared if prepared.url == url else None


def find_wider_name(name: str) -> str | None:
    """Return the name of the next wider file of the picture if `name` is its thumbnail's; otherwise None.

    Use it for old pictures, which were stored without a thumbnail.
    """
    found = _NARROW.fullmatch(name)
    if found is None:
        return None
    _narrow, *wider = list_widths_up_to(int(found[1]))
    return f"{name[: found.start(2)]}{wider[0]}{name[found.end(2) :]}" if wider else None

"""The pictures of the shop's brand: a logo for pages and mails, and square icons for browsers and phones.

The URL of an uploaded brand picture contains its digest and size, so the URL is enough to derive all its files:
`/pictures/{digest}/marca-{width}x{height}.webp` for pages, the same as PNG for mails and printed documents, and
`/pictures/{digest}/marca-{width}x{height}-{icon}.png`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from backend.media.picture_store import URL

MAX_LOGO_WIDTH, MAX_LOGO_HEIGHT = 640, 192
"""Maximum size in pixels of the logo; pages show it at most a third as large."""
_BRAND_PICTURE = re.compile(rf"({URL}/[0-9a-f]{{16}}/marca-([1-9][0-9]{{0,2}})x([1-9][0-9]{{0,2}}))\.webp")


class IconKind(StrEnum):
    """An icon by its use. The value is part of its file's name."""

    FAVICON = "icon-32"
    APPLE = "icon-180"
    SMALL = "icon-192"
    LARGE = "icon-512"
    MASKABLE = "icon-maskable-512"

    @property
    def size(self) -> int:
        """The width and height in pixels."""
        return int(self.value.rpartition("-")[2])

    @property
    def is_opaque(self) -> bool:
        """True if the icon must be opaque, because phones show a transparent one on black."""
        return self in (IconKind.APPLE, IconKind.MASKABLE)

    @property
    def margin(self) -> float:
        """The margin on each side, as a fraction of the width. A phone may cut off the edges of a maskable icon."""
        return {IconKind.MASKABLE: 0.2, IconKind.APPLE: 0.1}.get(self, 0.0)


@dataclass(frozen=True, slots=True)
class BrandPicture:
    """An uploaded logo or icon: `url` of the WebP file that pages show, and its width and height in pixels."""

    url: str
    width: int
    height: int

    @property
    def png(self) -> str:
        """URL of the same picture as PNG, which mail programs can show."""
        return f"{self._stem}.png"

    def icon(self, kind: IconKind) -> str:
        """Return the URL of the icon of this kind."""
        return f"{self._stem}-{kind}.png"

    @property
    def _stem(self) -> str:
        return self.url.removesuffix(".webp")


def build_brand_picture(digest: str, width: int, height: int) -> BrandPicture:
    """Return the brand picture with this digest and size."""
    return BrandPicture(f"{URL}/{digest}/marca-{width}x{height}.webp", width, height)


def parse_brand_picture(url: str) -> BrandPicture | None:
    """Return the brand picture at this URL; None for any other URL."""
    found = _BRAND_PICTURE.fullmatch(url)
    if found is None:
        return None
    width, height = int(found[2]), int(found[3])
    return BrandPicture(url, width, height) if width <= MAX_LOGO_WIDTH and height <= MAX_LOGO_HEIGHT else None

"""The file of the shop's logo, for mails and printed documents."""

import logging

from backend.content.brand import Brand
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable

log = logging.getLogger(__name__)


async def read_logo(pictures: PictureStore, brand: Brand) -> bytes:
    """Return the logo as PNG; empty if there is none, or if its file cannot be read: then the name is shown."""
    if brand.logo is None:
        return b""
    try:
        found = await pictures.get(brand.logo.png.removeprefix(f"{URL}/"))
    except PicturesUnavailable as error:
        log.warning("the logo is left out: %s", error)
        return b""
    return found.content if found is not None else b""

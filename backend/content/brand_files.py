"""Stored files of the shop's brand, for mails, printed documents and icons."""

import logging

from backend.content.brand import Brand
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable

log = logging.getLogger(__name__)


async def read_logo(pictures: PictureStore, brand: Brand) -> bytes:
    """Return the logo as PNG; empty if there is none, or if its file cannot be read."""
    return await read_brand_file(pictures, brand.logo.png) if brand.logo is not None else b""


async def read_brand_file(pictures: PictureStore, url: str) -> bytes:
    """Return the file at this URL of a brand picture; empty if it is missing, or if the store does not answer."""
    try:
        found = await pictures.get(url.removeprefix(f"{URL}/"))
    except PicturesUnavailable as error:
        log.warning("a picture of the brand is left out: %s", error)
        return b""
    return found.content if found is not None else b""

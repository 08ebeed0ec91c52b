"""AVIF files next to stored WebP files. They have about a quarter fewer bytes, and take nine times as long to encode.

So a periodic job encodes them. Until then, and for browsers that cannot display AVIF, the WebP file is served.
Transparency is preserved: a logo may have it.
"""

import asyncio
import logging
from datetime import timedelta
from io import BytesIO

from backend.jobs import JobRun, periodic
from backend.media.picture_store import PictureStore

RUN_INTERVAL = timedelta(minutes=10)
RUN_TIMEOUT = timedelta(minutes=30)
MAX_FILES_PER_RUN = 300
"""Maximum number of files that one run encodes: about two minutes of one core."""
QUALITY, SPEED = 60, 6
"""Settings of the encoder. The loss is about that of WebP at quality 82."""
WEBP, AVIF = ".webp", ".avif"

log = logging.getLogger(__name__)


def avif_name(name: str) -> str | None:
    """Return the name of the AVIF file of this WebP file; None if it is not a WebP file."""
    return name.removesuffix(WEBP) + AVIF if name.endswith(WEBP) else None


class AvifPictures:
    """The job that encodes missing AVIF files."""

    def __init__(self, pictures: PictureStore) -> None:
        self._pictures = pictures

    @periodic("media.encode_avif", every=RUN_INTERVAL, timeout=RUN_TIMEOUT)
    async def encode_missing(self, run: JobRun) -> None:  # noqa: ARG002 - the interface's
        """Encode AVIF files that are missing, at most `MAX_FILES_PER_RUN`.

        For a picture that cannot be encoded, the AVIF file gets the WebP bytes: see `_encode`.

        Raises:
            PicturesUnavailable: the store does not answer.
        """
        for name, target in (await self._list_missing())[:MAX_FILES_PER_RUN]:
            found = await self._pictures.get(name)
            if found is None:  # deleted meanwhile
                continue
            encoded = await asyncio.to_thread(_encode, name, found.content)
            await asyncio.to_thread(self._pictures.put, target, encoded)

    async def _list_missing(self) -> list[tuple[str, str]]:
        """Return pairs of names: a WebP file without an AVIF file, and the AVIF file to create."""
        names: set[str] = set()
        async for some in self._pictures.iter_pictures():
            names.update(picture.name for picture in some)
        pairs = ((name, avif_name(name)) for name in sorted(names))
        return [(name, target) for name, target in pairs if target is not None and target not in names]


def _encode(name: str, webp: bytes) -> bytes:
    """Return the picture as AVIF, or the WebP bytes themselves if it cannot be decoded or would be larger.

    The WebP bytes are then stored as the AVIF file, so that the picture is not tried again.
    """
    from PIL import Image  # loads the library

    from backend.media.picture_processing import DECODE_ERRORS

    content = BytesIO()
    try:
        with Image.open(BytesIO(webp), formats=("WEBP",)) as image:
            image.save(content, "AVIF", quality=QUALITY, speed=SPEED, max_threads=1)
    except DECODE_ERRORS as error:
        log.warning("picture %s cannot be encoded as AVIF (%s)", name, type(error).__name__)
        return webp
    return content.getvalue() if content.tell() < len(webp) else webp

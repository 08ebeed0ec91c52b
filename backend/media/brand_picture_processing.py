"""Conversion of a brand picture to a logo and icons. Transparency stays; the camera's metadata is removed."""

from collections.abc import Iterator
from io import BytesIO

from PIL import Image, ImageOps

from backend.media.brand_pictures import MAX_LOGO_HEIGHT, MAX_LOGO_WIDTH, IconKind
from backend.media.picture_processing import (
    DECODE_ERRORS,
    PictureFault,
    UnusablePicture,
    open_picture,
)

MAX_PIXELS = 16_000_000
"""Maximum number of pixels: a transparent picture needs four bytes for each, and is decoded as a whole."""
MAX_ASPECT_RATIO = 10
MIN_SIDE = 24
"""Minimum width and height of a logo in pixels; a smaller one would be blurred everywhere."""
WORKING_SIZE = 1536
"""Maximum width and height of the decoded picture, from which all files are made."""
WHITE = (255, 255, 255, 255)
QUALITY = 90


def read_brand_picture(content: bytes) -> Image.Image:
    """Return a picture upright, in RGBA, without its transparent margins.

    Raises:
        UnusablePicture: it is no picture, or is too large, too small, too long, damaged or completely transparent.
    """
    with open_picture(BytesIO(content)) as image:
        if image.width * image.height > MAX_PIXELS:
            raise UnusablePicture(
                PictureFault.TOO_LARGE, f"is too large: {image.width} × {image.height} pixels"
            )
        image.draft(None, (WORKING_SIZE, WORKING_SIZE))
        try:
            upright = ImageOps.exif_transpose(image)
            clear = _to_rgba(upright)
        except DECODE_ERRORS as error:
            raise UnusablePicture(PictureFault.DAMAGED, f"is damaged: {error}") from error
    box = clear.getchannel("A").getbbox()
    if box is None:
        raise UnusablePicture(PictureFault.NO_PICTURE, "is completely transparent")
    trimmed = clear.crop(box)
    width, height = trimmed.size
    if min(width, height) < MIN_SIDE or max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise UnusablePicture(PictureFault.ODD_SHAPE, f"has an odd shape: {width} × {height} pixels")
    trimmed.thumbnail((WORKING_SIZE, WORKING_SIZE))
    return trimmed


def scale_logo(image: Image.Image) -> Image.Image:
    """Return the picture in the size of a logo. It is never enlarged."""
    logo = image.copy()
    logo.thumbnail((MAX_LOGO_WIDTH, MAX_LOGO_HEIGHT), Image.Resampling.LANCZOS)
    return logo


def encode_logo(logo: Image.Image) -> tuple[bytes, bytes]:
    """Return the logo as WebP (lossless or lossy, whichever is smaller) and as PNG."""
    exact = _encode(logo, "WEBP", lossless=True)
    lossy = _encode(logo, "WEBP", quality=QUALITY)
    return min(exact, lossy, key=len), _encode(logo, "PNG", optimize=True)


def encode_icons(image: Image.Image) -> Iterator[tuple[IconKind, bytes]]:
    """Yield a square icon of each kind, as PNG, with the picture in its middle."""
    for kind in IconKind:
        room = round(kind.size * (1 - 2 * kind.margin))
        square = Image.new("RGBA", (kind.size, kind.size), WHITE if kind.is_opaque else (0, 0, 0, 0))
        fitted = ImageOps.contain(image, (room, room), Image.Resampling.LANCZOS)
        place = ((kind.size - fitted.width) // 2, (kind.size - fitted.height) // 2)
        square.alpha_composite(fitted, place)
        yield kind, _encode(square.convert("RGB") if kind.is_opaque else square, "PNG", optimize=True)


def _to_rgba(image: Image.Image) -> Image.Image:
    """Return a copy in RGBA that has no metadata."""
    if image.mode.startswith("I"):  # 16-bit greys would all become white
        image = image.point(lambda grey: grey / 257).convert("L")
    clear = image.convert("RGBA")
    plain = Image.new("RGBA", clear.size)
    plain.paste(clear)
    return plain


def _encode(image: Image.Image, kind: str, **options: object) -> bytes:
    content = BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()

"""Pictures made ready: upright, in sRGB, on paper where they are transparent, without what a camera wrote into them.

Memory is bounded by the pixels of a picture. A JPEG is decoded at a fraction of its size; of others only one strip at a
time is there twice.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageCms

from backend.media.picture_widths import widths_up_to

QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP", "AVIF")
"""What is read. HEIC is not: see docs/office.md."""
MOST_PIXELS = 50_000_000
MAX_SCANS = 100
"""Of a progressive JPEG, which has about ten; each decodes all pixels, and 15 MB hold 200,000."""
SCAN = b"\xff\xda"
LONGEST = 16
"""How many times as long as wide a picture may be, or as wide as long. WebP holds 16,383 pixels a side."""
PAPER = "#ffffff"
"""What shows through where a picture is transparent."""
SPARE = 2
"""How many times larger than its widest file a picture is before it gets its exact size."""
EIGHT_BITS = 1 / 257
"""Of a grey of 16 bits."""
STRIP = 64
"""Rows of the smaller picture that are made at once."""
ORIENTATION = 0x0112
TURNED_BY = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What makes a picture of this EXIF orientation upright. From 5 on it lies on its side."""
DAMAGES = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    struct.error,
    Image.DecompressionBombError,
)
"""What the library raises for content that is not what it says."""


class Fault(StrEnum):
    """Why a picture cannot be used."""

    NO_PICTURE = "no_picture"
    TOO_LARGE = "too_large"
    ODD_SHAPE = "odd_shape"
    DAMAGED = "damaged"
    HEIC = "heic"


class UnusablePicture(ValueError):
    """It cannot be used. The message continues a sentence that begins with the picture's name."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the widest file of a picture is, upright."""

    width: int
    height: int

    def height_at(self, width: int) -> int:
        """Its height at another width."""
        return max(1, round(width * self.height / self.width))


@contextmanager
def opened(source: Path | BytesIO) -> Iterator[Image.Image]:
    """The picture, of which only the head has been read.

    Raises:
        UnusablePicture: it is none in `FORMATS`, or too large to be decoded.
    """
    try:
        image = Image.open(source, formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnusablePicture(Fault.TOO_LARGE, "is too large") from error
    except DAMAGES as error:
        raise UnusablePicture(Fault.NO_PICTURE, f"is no picture in {', '.join(FORMATS)}") from error
    with image:
        if image.width * image.height > MOST_PIXELS:
            size = f"{image.width} × {image.height} pixels"
            raise UnusablePicture(Fault.TOO_LARGE, f"is too large: {size}")
        if image.format == "JPEG":
            content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
            if content.count(SCAN) > MAX_SCANS:
                raise UnusablePicture(Fault.DAMAGED, "is a JPEG of too many scans")
        yield image


def shape_of(image: Image.Image) -> Shape:
    """How large its widest file will be.

    Raises:
        UnusablePicture: it is too long and narrow.
    """
    width, height = image.size if _orientation(image) < 5 else image.size[::-1]
    if max(width, height) > LONGEST * min(width, height):
        raise UnusablePicture(Fault.ODD_SHAPE, f"is too long and narrow: {width} × {height} pixels")
    widest = widths_up_to(width)[-1]
    return Shape(widest, max(1, round(widest * height / width)))


def made(image: Image.Image, shape: Shape) -> Iterator[tuple[int, bytes]]:
    """The picture as WebP in each of its widths, the narrowest first.

    Raises:
        UnusablePicture: part of it is missing, or not what it says.
    """
    upright = _made_upright(image, shape)
    for width in widths_up_to(shape.width):
        yield width, _as_webp(upright, shape, width)


def made_at(image: Image.Image, shape: Shape, widest: int) -> bytes:
    """The picture as one WebP, at most so wide.

    Raises:
        UnusablePicture: part of it is missing, or not what it says.
    """
    return _as_webp(_made_upright(image, shape), shape, min(widest, shape.width))


def _as_webp(upright: Image.Image, shape: Shape, width: int) -> bytes:
    content = BytesIO()
    size = (width, shape.height_at(width))
    upright.resize(size, Image.Resampling.LANCZOS).save(content, "WEBP", quality=QUALITY)
    return content.getvalue()


def _made_upright(image: Image.Image, shape: Shape) -> Image.Image:
    try:
        return _upright(image, shape)
    except DAMAGES as error:
        raise UnusablePicture(Fault.DAMAGED, f"is damaged: {error}") from error


def _upright(image: Image.Image, shape: Shape) -> Image.Image:
    """The picture without transparency, upright and in sRGB, at least as large as `shape`."""
    orientation, profile = _orientation(image), image.info.get("icc_profile")
    wanted = (shape.width, shape.height) if orientation < 5 else (shape.height, shape.width)
    is_rgb = image.mode == "RGB"
    image.draft(None, (SPARE * wanted[0], SPARE * wanted[1]))
    small = _reduced(image, max(1, min(image.width // wanted[0], image.height // wanted[1]) // SPARE))
    if profile and is_rgb:
        small = _in_srgb(small, profile)
    turn = TURNED_BY.get(orientation)
    return small if turn is None else small.transpose(turn)


def _reduced(image: Image.Image, factor: int) -> Image.Image:
    """The picture as RGB, so many times smaller."""
    width, height = image.size
    reduced = Image.new("RGB", (-(-width // factor), -(-height // factor)), PAPER)
    for top in range(0, height, STRIP * factor):
        strip = image.crop((0, top, width, min(height, top + STRIP * factor)))
        if strip.mode.startswith("I"):  # greys of 16 bits, which would all turn white
            strip = strip.point(lambda grey: grey * EIGHT_BITS).convert("L")
        if strip.has_transparency_data:
            clear = strip.convert("RGBA")
            strip = Image.new("RGB", clear.size, PAPER)
            strip.paste(clear, mask=clear.getchannel("A"))
        reduced.paste(strip.convert("RGB").reduce(factor), (0, top // factor))
    return reduced


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """The picture with the colours that its profile means: telephones write others than sRGB."""
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        if own.profile.xcolor_space.strip() != "RGB":
            return image
        converted = ImageCms.profileToProfile(image, own, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, *DAMAGES):
        return image  # without its profile it is a little duller
    return converted or image


def _orientation(image: Image.Image) -> int:
    """Its EXIF orientation; 1, upright, where it tells none that there is."""
    try:
        told = Image.Image.getexif(image).get(ORIENTATION, 1)  # that of a PNG decodes all of it
    except DAMAGES:
        return 1
    return told if told in TURNED_BY else 1

"""Processing of pictures: turn them upright, convert to sRGB, fill transparency, and remove the camera's metadata.

The number of pixels of a picture is limited, which limits the memory use. A JPEG is decoded at a fraction of its
size; other formats are converted strip by strip.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageCms

from backend.media.picture_widths import list_widths_up_to

QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP", "AVIF")
"""Formats that can be read. HEIC is not: see docs/office.md."""
MAX_PIXELS = 50_000_000
MAX_SCANS = 100
"""Maximum number of scans of a progressive JPEG; a normal file has about ten.

Each scan decodes all pixels, and a file of 15 MB can have 200,000 scans.
"""
SCAN_MARKER = b"\xff\xda"
MAX_ASPECT_RATIO = 16
"""Maximum ratio of the longer to the shorter side. WebP allows at most 16,383 pixels a side."""
BACKGROUND_COLOR = "#ffffff"
"""Background colour of transparent pictures."""
OVERSAMPLING = 2
"""Size of the decoded picture, as a multiple of its widest file, before the final resize."""
GREY_16_TO_8_BITS = 1 / 257
"""Factor that converts 16-bit grey values to 8-bit grey values."""
STRIP_ROWS = 64
"""Number of rows of the downscaled picture that are computed at a time."""
ORIENTATION_TAG = 0x0112
TRANSPOSE_BY_ORIENTATION = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""Operation that turns a picture of this EXIF orientation upright. From 5 on, width and height are swapped."""
DECODE_ERRORS = (
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
"""Errors that the library raises for invalid content."""


class PictureFault(StrEnum):
    """The reason why a picture cannot be used."""

    NO_PICTURE = "no_picture"
    TOO_LARGE = "too_large"
    ODD_SHAPE = "odd_shape"
    DAMAGED = "damaged"
    HEIC = "heic"
    UNSAFE = "unsafe"
    """An SVG that contains a script or refers to another file."""
    SVG_TEXT = "svg_text"
    """An SVG with text, whose font is not in the file."""


class UnusablePicture(ValueError):
    """The picture cannot be used. The message continues a sentence that begins with the picture's name."""

    def __init__(self, fault: PictureFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Shape:
    """Size in pixels of the widest file that is made from a picture, after the picture is turned upright."""

    width: int
    height: int

    def height_at(self, width: int) -> int:
        """Return the height for this width, with the same aspect ratio."""
        return max(1, round(width * self.height / self.width))


@contextmanager
def open_picture(source: Path | BytesIO) -> Iterator[Image.Image]:
    """Open a picture; its pixels are not decoded yet.

    Raises:
        UnusablePicture: its format is not in `FORMATS`, it is too large to decode, or it is a JPEG with more than
            `MAX_SCANS` scans.
    """
    try:
        image = Image.open(source, formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnusablePicture(PictureFault.TOO_LARGE, "is too large") from error
    except DECODE_ERRORS as error:
        raise UnusablePicture(PictureFault.NO_PICTURE, f"is no picture in {', '.join(FORMATS)}") from error
    with image:
        if image.width * image.height > MAX_PIXELS:
            size = f"{image.width} × {image.height} pixels"
            raise UnusablePicture(PictureFault.TOO_LARGE, f"is too large: {size}")
        if image.format == "JPEG":
            content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
            if content.count(SCAN_MARKER) > MAX_SCANS:
                raise UnusablePicture(PictureFault.DAMAGED, "is a JPEG of too many scans")
        yield image


def measure_picture(image: Image.Image) -> Shape:
    """Return the size of the widest file that will be made from the picture.

    Raises:
        UnusablePicture: the picture is too long and narrow.
    """
    width, height = image.size if _read_orientation(image) < 5 else image.size[::-1]
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise UnusablePicture(PictureFault.ODD_SHAPE, f"is too long and narrow: {width} × {height} pixels")
    widest = list_widths_up_to(width)[-1]
    return Shape(widest, max(1, round(widest * height / width)))


def encode_all_widths(image: Image.Image, shape: Shape) -> Iterator[tuple[int, bytes]]:
    """Yield the picture as WebP in each of its widths, narrowest first.

    Raises:
        UnusablePicture: the content is incomplete or invalid.
    """
    upright = _decode_upright(image, shape)
    for width in list_widths_up_to(shape.width):
        yield width, _encode_webp(upright, shape, width)


def encode_one_width(image: Image.Image, shape: Shape, widest: int) -> bytes:
    """Return the picture as one WebP, at most `widest` pixels wide.

    Raises:
        UnusablePicture: the content is incomplete or invalid.
    """
    return _encode_webp(_decode_upright(image, shape), shape, min(widest, shape.width))


def _encode_webp(upright: Image.Image, shape: Shape, width: int) -> bytes:
    content = BytesIO()
    size = (width, shape.height_at(width))
    upright.resize(size, Image.Resampling.LANCZOS).save(content, "WEBP", quality=QUALITY)
    return content.getvalue()


def _decode_upright(image: Image.Image, shape: Shape) -> Image.Image:
    try:
        return _to_upright_rgb(image, shape)
    except DECODE_ERRORS as error:
        raise UnusablePicture(PictureFault.DAMAGED, f"is damaged: {error}") from error


def _to_upright_rgb(image: Image.Image, shape: Shape) -> Image.Image:
    """Return the picture without transparency, upright and in sRGB. It is at least as large as `shape`."""
    orientation, profile = _read_orientation(image), image.info.get("icc_profile")
    target_size = (shape.width, shape.height) if orientation < 5 else (shape.height, shape.width)
    is_rgb = image.mode == "RGB"
    image.draft(None, (OVERSAMPLING * target_size[0], OVERSAMPLING * target_size[1]))
    small = _downscale(
        image, max(1, min(image.width // target_size[0], image.height // target_size[1]) // OVERSAMPLING)
    )
    if profile and is_rgb:
        small = _to_srgb(small, profile)
    turn = TRANSPOSE_BY_ORIENTATION.get(orientation)
    return small if turn is None else small.transpose(turn)


def _downscale(image: Image.Image, factor: int) -> Image.Image:
    """Return the picture as RGB, downscaled by `factor`."""
    width, height = image.size
    reduced = Image.new("RGB", (-(-width // factor), -(-height // factor)), BACKGROUND_COLOR)
    for top in range(0, height, STRIP_ROWS * factor):
        strip = image.crop((0, top, width, min(height, top + STRIP_ROWS * factor)))
        if strip.mode.startswith("I"):  # 16-bit greys would all become white
            strip = strip.point(lambda grey: grey * GREY_16_TO_8_BITS).convert("L")
        if strip.has_transparency_data:
            clear = strip.convert("RGBA")
            strip = Image.new("RGB", clear.size, BACKGROUND_COLOR)
            strip.paste(clear, mask=clear.getchannel("A"))
        reduced.paste(strip.convert("RGB").reduce(factor), (0, top // factor))
    return reduced


def _to_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """Convert the picture from its colour profile to sRGB. Telephones, for example, use other profiles."""
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        if own.profile.xcolor_space.strip() != "RGB":
            return image
        converted = ImageCms.profileToProfile(image, own, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, *DECODE_ERRORS):
        return image  # without the profile the colours are slightly duller
    return converted or image


def _read_orientation(image: Image.Image) -> int:
    """Return the EXIF orientation; 1 (upright) if it is missing or invalid."""
    try:
        value = Image.Image.getexif(image).get(
            ORIENTATION_TAG, 1
        )  # the PNG class would decode the whole file
    except DECODE_ERRORS:
        return 1
    return value if value in TRANSPOSE_BY_ORIENTATION else 1

"""The shop's icons over HTTP: those with a letter, and those that browsers request by a fixed name."""

import asyncio
from functools import lru_cache
from io import BytesIO

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, Response

from backend.app import current_shop
from backend.content.brand import Brand
from backend.content.brand_files import read_brand_file
from backend.core.config.sources import PROJECT
from backend.media.brand_pictures import IconKind
from backend.media.picture_server import PERMANENT_CACHING
from storefront.brand_icons import (
    DEMO_ICONS,
    LETTER_ICONS,
    compute_letter_version,
    find_first_letter,
    get_brand,
)
from storefront.static_files import CACHE_1_HOUR

READ = ["GET", "HEAD"]
PNG = "image/png"
ASSETS = PROJECT / "assets"
FONT = ASSETS / "fonts" / "fredoka.woff2"
WEIGHT = 600
LETTER_HEIGHT, MASKABLE_LETTER_HEIGHT = 0.66, 0.5
"""Height of the letter as a part of the icon's height. A phone may cut the edges of a maskable icon."""

router = APIRouter(include_in_schema=False)


@router.api_route("/favicon.ico", methods=READ)
async def favicon() -> Response:
    """Return the shop's icon for browsers and feed readers that request `/favicon.ico` without reading a page."""
    return await _respond(IconKind.FAVICON, CACHE_1_HOUR)


@router.api_route("/apple-touch-icon.png", methods=READ)
@router.api_route("/apple-touch-icon-precomposed.png", methods=READ)
async def apple_touch_icon() -> Response:
    """Return the shop's icon for iPhones that request `/apple-touch-icon.png` without reading a page."""
    return await _respond(IconKind.APPLE, CACHE_1_HOUR)


@router.api_route(LETTER_ICONS + "/{kind}.png", methods=READ)
async def letter_icon(kind: IconKind, request: Request) -> Response:
    """Return the icon with the first letter of the shop's name."""
    brand = await get_brand()
    is_current = request.query_params.get("v") == compute_letter_version(brand)
    return await _draw_response(brand, kind, PERMANENT_CACHING if is_current else CACHE_1_HOUR)


async def _respond(kind: IconKind, caching: str) -> Response:
    brand = await get_brand()
    if brand.icon is not None:
        if content := await read_brand_file(current_shop().pictures, brand.icon.icon(kind)):
            return Response(content, media_type=PNG, headers={"cache-control": caching})
    elif brand.is_demo:
        return FileResponse(
            ASSETS / DEMO_ICONS[kind].removeprefix("/"), media_type=PNG, headers={"cache-control": caching}
        )
    return await _draw_response(brand, kind, caching)


async def _draw_response(brand: Brand, kind: IconKind, caching: str) -> Response:
    content = await asyncio.to_thread(
        draw_letter_icon, find_first_letter(brand.name), brand.palette.primary, kind
    )
    return Response(content, media_type=PNG, headers={"cache-control": caching})


@lru_cache(maxsize=32)
def draw_letter_icon(letter: str, color: str, kind: IconKind) -> bytes:
    """Return a PNG with a white letter on this colour. Its corners are round, except in kinds that phones crop."""
    from PIL import Image, ImageDraw, ImageFont  # uses memory that a shop with a logo never needs

    size = kind.size
    icon = Image.new("RGBA", (size, size), color if kind.is_opaque else (0, 0, 0, 0))
    draw = ImageDraw.Draw(icon)
    if not kind.is_opaque:
        draw.rounded_rectangle((0, 0, size - 1, size - 1), radius=size // 5, fill=color)
    height = MASKABLE_LETTER_HEIGHT if kind is IconKind.MASKABLE else LETTER_HEIGHT
    font = ImageFont.truetype(FONT, round(size * height))
    font.set_variation_by_axes([WEIGHT])
    draw.text((size / 2, size / 2), letter, fill="#ffffff", font=font, anchor="mm")
    content = BytesIO()
    icon.convert("RGB" if kind.is_opaque else "RGBA").save(content, "PNG", optimize=True)
    return content.getvalue()

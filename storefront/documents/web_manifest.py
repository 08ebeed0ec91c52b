"""`/manifest.webmanifest`: the name, icons and colours that a phone uses when the shop is on its home screen."""

from fastapi import APIRouter
from starlette.responses import JSONResponse

from backend.app import current_shop
from backend.core.texts import html_language
from storefront.links import HOME

PATH = "/manifest.webmanifest"
PAPER = "#fbf6ec"
"""The pages' background colour, used behind the icon while the shop opens."""
MEDIA_TYPE = "application/manifest+json"
ICONS = (("icon-192", 192, "any"), ("icon-512", 512, "any"), ("icon-maskable-512", 512, "maskable"))

router = APIRouter(include_in_schema=False)


@router.get(PATH)
async def web_manifest() -> JSONResponse:
    """Return the manifest with the shop's current name, its icons and colours (W3C: Web Application Manifest)."""
    name = (await current_shop().effective_settings.now()).store_name
    manifest = {
        "id": HOME,
        "name": name,
        "short_name": name,
        "lang": html_language,
        "start_url": HOME,
        "scope": HOME,
        "display": "minimal-ui",
        "background_color": PAPER,
        "theme_color": PAPER,
        "icons": [
            {"src": f"/brand/{file}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
            for file, size, purpose in ICONS
        ],
    }
    return JSONResponse(manifest, media_type=MEDIA_TYPE, headers={"cache-control": "no-cache"})

"""`/manifest.webmanifest`: the name, icons and colours that a phone uses when the shop is on its home screen."""

from fastapi import APIRouter
from starlette.responses import JSONResponse

from backend.core.texts import html_language
from backend.media.brand_pictures import IconKind
from storefront.brand_icons import find_icon_url, get_brand
from storefront.documents.icon_routes import PNG
from storefront.links import HOME

PATH = "/manifest.webmanifest"
MEDIA_TYPE = "application/manifest+json"
PURPOSES = {IconKind.SMALL: "any", IconKind.LARGE: "any", IconKind.MASKABLE: "maskable"}

router = APIRouter(include_in_schema=False)


@router.get(PATH)
async def web_manifest() -> JSONResponse:
    """Return the manifest with the shop's current name, its icons and colours (W3C: Web Application Manifest)."""
    brand = await get_brand()
    manifest = {
        "id": HOME,
        "name": brand.name,
        "short_name": brand.name,
        "lang": html_language,
        "start_url": HOME,
        "scope": HOME,
        "display": "minimal-ui",
        "background_color": brand.palette.background,
        "theme_color": brand.palette.background,
        "icons": [
            {
                "src": find_icon_url(brand, kind),
                "sizes": f"{kind.size}x{kind.size}",
                "type": PNG,
                "purpose": purpose,
            }
            for kind, purpose in PURPOSES.items()
        ],
    }
    return JSONResponse(manifest, media_type=MEDIA_TYPE, headers={"cache-control": "no-cache"})

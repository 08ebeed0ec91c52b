"""The web manifest for a telephone's home screen: the shop's name, and icons that exist."""

import httpx
from fastapi import FastAPI
from PIL import Image

from backend.app import Shop
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from storefront.documents.web_manifest import MEDIA_TYPE, PATH, router
from storefront.server.build import ROOT


async def test_manifest_names_the_shop_and_its_icons(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": "Ñandú"})
    app = FastAPI()
    app.include_router(router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.test") as browser:
        answer = await browser.get(PATH)
    assert answer.headers["content-type"] == MEDIA_TYPE
    manifest = answer.json()
    assert (manifest["name"], manifest["start_url"], manifest["lang"]) == ("Ñandú", "/", "es-CO")
    for icon in manifest["icons"]:
        with Image.open(ROOT / f"assets{icon['src']}") as picture:
            assert (icon["sizes"], icon["type"]) == (f"{picture.width}x{picture.height}", "image/png")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}

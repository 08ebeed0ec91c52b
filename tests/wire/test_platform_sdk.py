"""The platform's own JavaScript SDK, unchanged, against the shop over a real socket (design: decision 2)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff
from tests.gateway_kit import served
from tests.node_packages import NODE_FOLDER, environment, installed
from tests.store_defaults import set_up_defaults

HERE = Path(__file__).parent / "platform_sdk"
EMAIL, PASSWORD = "ana@trompo.example", "una clave larga"
PATIENCE = 120


@pytest.fixture(scope="session")
def sdk() -> Path:
    """The folder the SDK is installed in."""
    return installed(HERE)


async def journey(sdk: Path, **more: str) -> dict[str, Any]:
    """What the script saw, run by the Node of this environment."""
    process = await asyncio.create_subprocess_exec(
        NODE_FOLDER / "node",
        HERE / "journey.mjs",
        env=environment(SDK_FOLDER=str(sdk), **more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE):
        out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    seen: dict[str, Any] = json.loads(out)
    return seen


async def test_the_official_sdk_runs_the_whole_way(sdk: Path, database_url: str, tmp_path: Path) -> None:
    """spec: What the service does 1 to 5: list, search, cart, the seven steps, the order; staff and the catalogue."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    await set_up_defaults(shop.database, shop.settings)
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    async with served(create_api(shop)) as url:
        seen = await journey(
            sdk, SHOP_URL=url, PUBLISHABLE_KEY=key, STAFF_EMAIL=EMAIL, STAFF_PASSWORD=PASSWORD
        )
    await shop.stop()

    made = seen["made"]
    assert made["wrong"] == {"status": 401, "message": "Invalid email or password"}
    assert made["locked"] == {"status": 401, "message": "Unauthorized"}
    assert (made["token"], made["user"]) == ("string", EMAIL)
    assert (made["found"], made["handle"]) == ([], "juegos-de-antes")
    assert [category["name"] for category in made["placed"]["categories"]] == ["Tradicionales"]
    assert made["placed"]["collection"]["id"] == made["collectionId"]
    assert made["noSuchField"] == {
        "status": 400,
        "message": "Invalid request: Unrecognized fields: 'collection_id'",
    }
    assert made["providers"] == ["carrier_standard", "manual_manual"]

    shelf = seen["shelf"]
    assert shelf["variant"]["calculated_price"]["calculated_amount"] == 26_000
    assert shelf["variant"]["inventory_quantity"] == 4
    assert (shelf["inBoth"], shelf["inCollection"]) == (1, ["Balero de guayacán"])
    assert shelf["metadata"] == {"brand": "Artesanos", "ageRange": "6-8"}
    assert (shelf["categories"], shelf["collections"]) == (["Tradicionales"], ["Juegos de antes"])
    assert shelf["missing"] == {"status": 404, "message": "Product with id: prod_nosuch was not found"}

    for purchase in (seen["byBank"], seen["byHand"]):
        assert purchase["tooMany"]["message"] == "Some variant does not have the required inventory"
        assert purchase["early"]["message"] == "Payment collection has not been initiated for cart"
        assert purchase["quantity"] == 1
        assert len(set(purchase["shipping"])) == 1
        assert purchase["shipping"][0] > 0
        assert purchase["total"] == 26_000 + purchase["shipping"][0] == purchase["order"]["total"]
        assert (purchase["type"], purchase["same"]) == ("order", True)
        confirmed = purchase[
            "confirmed"
        ]  # by the id alone, as the official storefront asks right after placing
        assert confirmed.keys() | {"access_token"} == purchase["order"].keys()
        assert (confirmed["email"], confirmed["total"]) == ("ana@example.com", purchase["total"])
        assert (
            confirmed["items"][0]["variant"]["product"]["handle"] == confirmed["items"][0]["product_handle"]
        )
        assert purchase["full"] == {
            "id": purchase["order"]["id"],
            "email": "ana@example.com",
            "total": purchase["total"],
        }
        assert purchase["providers"] == ["gateway_pse", "pp_system_default"]
    assert seen["byBank"]["missing"] == [
        ["bank", True],
        ["person_type", True],
        ["doc_type", True],
        ["doc_number", False],
    ]
    assert seen["byHand"]["missing"] == []
    assert seen["byBank"]["session"]["status"] == "pending_authorization"
    assert "/sandbox/gateway/bank/" in seen["byBank"]["session"]["data"]["redirect_url"]
    assert seen["byBank"]["order"]["payment_status"] == "awaiting"
    assert seen["byHand"]["session"]["status"] == "pending"
    assert seen["byHand"]["order"]["payment_status"] == "authorized"

    after = seen["after"]
    assert (after["listed"], after["parcel"], after["fulfillment"]) == (2, "created", "shipped")
    assert after["captured"] is not None
    assert after["refund"]["status"] == 400
    assert "refundPayment is not implemented" in after["refund"]["message"]

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
from tests.gateway_kit import serve_app
from tests.node_packages import NODE_FOLDER, find_packages, node_environment
from tests.store_defaults import set_up_defaults

HERE = Path(__file__).parent / "platform_sdk"
EMAIL, PASSWORD = "ana@trompo.example", "una clave larga"
TIMEOUT_S = 120


@pytest.fixture(scope="session")
def sdk_folder() -> Path:
    """Return the folder of the installed SDK."""
    return find_packages(HERE)


async def run_journey(sdk_folder: Path, **variables: str) -> dict[str, Any]:
    """Run the script with the Node of this environment, and return its output."""
    process = await asyncio.create_subprocess_exec(
        NODE_FOLDER / "node",
        HERE / "journey.mjs",
        env=node_environment(SDK_FOLDER=str(sdk_folder), **variables),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(TIMEOUT_S):
        out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    output: dict[str, Any] = json.loads(out)
    return output


async def test_official_sdk_completes_a_purchase(sdk_folder: Path, database_url: str, tmp_path: Path) -> None:
    """Buy with the platform's SDK, and work with it as staff (spec: What the service does 1 to 5)."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    await set_up_defaults(shop.database, shop.settings)
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    async with serve_app(create_api(shop)) as url:
        output = await run_journey(
            sdk_folder, SHOP_URL=url, PUBLISHABLE_KEY=key, STAFF_EMAIL=EMAIL, STAFF_PASSWORD=PASSWORD
        )
    await shop.stop()

    products = output["made"]
    assert products["wrong"] == {"status": 401, "message": "Invalid email or password"}
    assert products["locked"] == {"status": 401, "message": "Unauthorized"}
    assert (products["token"], products["user"]) == ("string", EMAIL)
    assert (products["found"], products["handle"]) == ([], "juegos-de-antes")
    assert [category["name"] for category in products["placed"]["categories"]] == ["Tradicionales"]
    assert products["placed"]["collection"]["id"] == products["collectionId"]
    assert products["noSuchField"] == {
        "status": 400,
        "message": "Invalid request: Unrecognized fields: 'collection_id'",
    }
    assert products["providers"] == ["carrier_standard", "manual_manual", "own_delivery"]

    shelf = output["shelf"]
    assert shelf["variant"]["calculated_price"]["calculated_amount"] == 26_000
    assert shelf["variant"]["inventory_quantity"] == 4
    assert (shelf["inBoth"], shelf["inCollection"]) == (1, ["Balero de guayacán"])
    assert shelf["metadata"] == {"brand": "Artesanos", "ageRange": "6-8"}
    assert (shelf["categories"], shelf["collections"]) == (["Tradicionales"], ["Juegos de antes"])
    assert shelf["missing"] == {"status": 404, "message": "Product with id: prod_nosuch was not found"}

    for purchase in (output["byBank"], output["byHand"]):
        assert purchase["tooMany"]["message"] == "Some variant does not have the required inventory"
        assert purchase["early"]["message"] == "Payment collection has not been initiated for cart"
        assert purchase["quantity"] == 1
        assert len(set(purchase["shipping"])) == 1
        assert purchase["shipping"][0] > 0
        assert purchase["total"] == 26_000 + purchase["shipping"][0] == purchase["order"]["total"]
        assert (purchase["type"], purchase["same"]) == ("order", True)
        confirmed = purchase[
            "confirmed"
        ]  # only by id, as the official storefront reads it right after placing
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
    assert output["byBank"]["missing"] == [
        ["bank", True],
        ["person_type", True],
        ["doc_type", True],
        ["doc_number", False],
    ]
    assert output["byHand"]["missing"] == []
    assert output["byBank"]["session"]["status"] == "pending_authorization"
    assert "/sandbox/gateway/bank/" in output["byBank"]["session"]["data"]["redirect_url"]
    assert output["byBank"]["order"]["payment_status"] == "awaiting"
    assert output["byHand"]["session"]["status"] == "pending"
    assert output["byHand"]["order"]["payment_status"] == "authorized"

    after = output["after"]
    assert (after["listed"], after["parcel"], after["fulfillment"]) == (2, "created", "shipped")
    assert after["captured"] is not None
    assert after["refund"]["status"] == 400
    assert "refundPayment is not implemented" in after["refund"]["message"]

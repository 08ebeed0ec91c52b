"""The store, its currency, languages and taxes over the Admin API, on both databases."""

import httpx
import pytest
from sqlalchemy import delete

from backend.app import Shop
from backend.channels.models import Region
from backend.office_settings.service import save_settings
from backend.shipping.models import StockLocation
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults
from tests.store_steps import get


async def test_store_response_has_the_default_region_channel_and_location(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_name": "Juguetes Ñandú"})
    (store,) = (await get(admin, "/admin/stores"))["stores"]
    assert store["name"] == "Juguetes Ñandú"
    for name, path in (
        ("default_region_id", "/admin/regions"),
        ("default_sales_channel_id", "/admin/sales-channels"),
        ("default_location_id", "/admin/stock-locations"),
    ):
        assert (await admin.get(f"{path}/{store[name]}")).status_code == 200
    assert store["supported_currencies"][0]["currency"]["code"] == "cop"
    assert (await get(admin, f"/admin/stores/{store['id']}"))["store"] == store


async def test_store_response_of_a_shop_without_a_region_has_no_defaults(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(StockLocation))
        await session.execute(delete(Region))
    (store,) = (await get(admin, "/admin/stores"))["stores"]
    assert (store["default_region_id"], store["default_location_id"]) == (None, None)
    assert (await get(admin, "/admin/tax-regions"))["tax_regions"] == []


@pytest.mark.parametrize(
    ("path", "asked", "found"),
    [
        ("currencies", {}, ["cop"]),
        ("currencies", {"code": "usd"}, []),
        ("currencies", {"q": "peso"}, ["cop"]),
        ("locales", {}, ["es-CO"]),
        ("tax-providers", {}, ["tp_system"]),
        ("price-preferences", {"attribute": "currency_code", "value": "cop"}, ["prpref_cop"]),
        ("price-preferences", {"attribute": "region_id"}, []),
    ],
)
async def test_lists_of_currencies_and_other_store_data_are_filtered(
    admin: httpx.AsyncClient, path: str, asked: dict[str, str], found: list[str]
) -> None:
    answer = await get(admin, f"/admin/{path}", **asked)
    (items,) = (value for value in answer.values() if isinstance(value, list))
    assert [item.get("code") or item["id"] for item in items] == found
    assert answer["count"] == len(found)
    for one in found:
        assert (await admin.get(f"/admin/{path}/{one}")).status_code == 200
    assert (await admin.get(f"/admin/{path}/nosuch")).status_code == 404


async def test_tax_region_contains_the_rates_of_iva(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    (region,) = (await get(admin, "/admin/tax-regions", parent_id="null", country_code="co"))["tax_regions"]
    assert [(rate["rate"], rate["is_default"]) for rate in region["tax_rates"]] == [
        (0, False),
        (5, False),
        (19, True),
    ]
    rates = await get(admin, "/admin/tax-rates", tax_region_id=region["id"], is_default="false", limit=1)
    assert ([rate["rate"] for rate in rates["tax_rates"]], rates["count"]) == ([0], 2)


async def test_store_api_lists_spanish_as_the_only_language(store: httpx.AsyncClient) -> None:
    assert await get(store, "/store/locales") == {
        "locales": [{"code": "es-CO", "name": "Spanish (Colombia)"}]
    }

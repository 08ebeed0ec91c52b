"""Offered shipping options: by sales channel, by country, and the origin of their packages."""

from sqlalchemy import select

from backend.core.db.database import Database
from backend.shipping.locations import find_location_of_option, link_providers, link_sales_channels
from backend.shipping.models import FulfillmentSet, ServiceZone, ShippingOption, StockLocation
from backend.shipping.offered_options import Offer, list_offers_for_country
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults


async def read_offers(database: Database, channel_id: str, country_code: str = "co") -> dict[str, Offer]:
    """Return the offered shipping options by provider."""
    async with database.read() as session:
        offers = await list_offers_for_country(session, channel_id, country_code)
    return {offer.option.provider_id: offer for offer in offers}


async def list_provider_ids(database: Database, channel_id: str, country_code: str = "co") -> list[str]:
    return sorted(await read_offers(database, channel_id, country_code))


async def test_shipping_options_of_the_channel_are_offered(database: Database, defaults: Defaults) -> None:
    assert await list_provider_ids(database, defaults.channel_id) == ["carrier_standard", "manual_manual"]
    assert await list_provider_ids(database, defaults.channel_id, "CO") == [
        "carrier_standard",
        "manual_manual",
    ]


async def test_channel_without_a_location_has_no_shipping_options(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=[defaults.channel_id])
    assert await list_provider_ids(database, defaults.channel_id) == []
    async with database.transaction() as session:
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=[defaults.channel_id])
    assert len(await list_provider_ids(database, defaults.channel_id)) == 2


async def test_other_channel_or_country_has_no_shipping_options(
    database: Database, defaults: Defaults
) -> None:
    assert await list_provider_ids(database, "sc_other") == []
    assert await list_provider_ids(database, defaults.channel_id, "us") == []
    assert await list_provider_ids(database, defaults.channel_id, "") == []


async def test_option_with_unlinked_provider_is_offered_but_disabled(
    database: Database, defaults: Defaults
) -> None:
    async def choosable() -> dict[str, bool]:
        return {
            name: one.is_enabled for name, one in (await read_offers(database, defaults.channel_id)).items()
        }

    assert await choosable() == {"carrier_standard": True, "manual_manual": True}
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    assert await choosable() == {"carrier_standard": False, "manual_manual": True}
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, add=["carrier_standard"])
    assert await choosable() == {"carrier_standard": True, "manual_manual": True}


async def test_deleted_option_is_not_offered(database: Database, defaults: Defaults) -> None:
    deleted = (await read_offers(database, defaults.channel_id))["manual_manual"].option
    async with database.transaction() as session:
        option = await session.get_one(ShippingOption, deleted.id)
        option.deleted_at = option.created_at
    assert await list_provider_ids(database, defaults.channel_id) == ["carrier_standard"]


async def test_offered_shipping_option_has_the_location_of_its_packages(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        elsewhere = StockLocation(name="Bodega Medellín")
        profile_id = (
            await session.execute(select(ShippingOption.shipping_profile_id).distinct())
        ).scalar_one()
        session.add(elsewhere)
        await session.flush()
        fulfillment_set = FulfillmentSet(name="Medellín", location_id=elsewhere.id)
        session.add(fulfillment_set)
        await session.flush()
        zone = ServiceZone(name="Colombia", fulfillment_set_id=fulfillment_set.id)
        session.add(zone)
        await session.flush()
        option = ShippingOption(
            name="Desde Medellín",
            price_type="flat",
            amount=9000,
            provider_id="manual_manual",
            service_zone_id=zone.id,
            shipping_profile_id=profile_id,
        )
        session.add(option)
    async with database.read() as session:
        assert (await find_location_of_option(session, option)).name == "Bodega Medellín"
        own = await list_offers_for_country(session, defaults.channel_id, "co")
        assert [offer.location.id for offer in own] == [defaults.location_id] * 2

"""Which shipping options are offered: by sales channel, by country, and where their packages start."""

from sqlalchemy import select

from backend.core.db.database import Database
from backend.shipping.locations import link_providers, link_sales_channels, location_of
from backend.shipping.models import FulfillmentSet, ServiceZone, ShippingOption, StockLocation
from backend.shipping.offered_options import Offer, offers_for
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults


async def offered(database: Database, channel_id: str, country_code: str = "co") -> dict[str, Offer]:
    """What is offered, by provider."""
    async with database.read() as session:
        offers = await offers_for(session, channel_id, country_code)
    return {offer.option.provider_id: offer for offer in offers}


async def names(database: Database, channel_id: str, country_code: str = "co") -> list[str]:
    return sorted(await offered(database, channel_id, country_code))


async def test_the_options_of_the_channel_are_offered(database: Database, defaults: Defaults) -> None:
    assert await names(database, defaults.channel_id) == ["carrier_standard", "manual_manual"]
    assert await names(database, defaults.channel_id, "CO") == ["carrier_standard", "manual_manual"]


async def test_a_channel_that_no_location_serves_is_offered_nothing(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=[defaults.channel_id])
    assert await names(database, defaults.channel_id) == []
    async with database.transaction() as session:
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=[defaults.channel_id])
    assert len(await names(database, defaults.channel_id)) == 2


async def test_another_channel_and_another_country_are_offered_nothing(
    database: Database, defaults: Defaults
) -> None:
    assert await names(database, "sc_other") == []
    assert await names(database, defaults.channel_id, "us") == []
    assert await names(database, defaults.channel_id, "") == []


async def test_an_option_whose_provider_is_not_linked_is_offered_and_cannot_be_chosen(
    database: Database, defaults: Defaults
) -> None:
    async def choosable() -> dict[str, bool]:
        return {name: one.is_enabled for name, one in (await offered(database, defaults.channel_id)).items()}

    assert await choosable() == {"carrier_standard": True, "manual_manual": True}
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    assert await choosable() == {"carrier_standard": False, "manual_manual": True}
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, add=["carrier_standard"])
    assert await choosable() == {"carrier_standard": True, "manual_manual": True}


async def test_a_deleted_option_is_not_offered(database: Database, defaults: Defaults) -> None:
    deleted = (await offered(database, defaults.channel_id))["manual_manual"].option
    async with database.transaction() as session:
        option = await session.get_one(ShippingOption, deleted.id)
        option.deleted_at = option.created_at
    assert await names(database, defaults.channel_id) == ["carrier_standard"]


async def test_the_location_is_where_the_options_packages_start(
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
        assert (await location_of(session, option)).name == "Bodega Medellín"
        own = await offers_for(session, defaults.channel_id, "co")
        assert [offer.location.id for offer in own] == [defaults.location_id] * 2

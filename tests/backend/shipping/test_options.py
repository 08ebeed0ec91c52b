import asyncio
from collections.abc import Mapping

import pytest
from sqlalchemy import func, select

from backend.catalog.channel_models import SalesChannel
from backend.database import Database
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.shipping.locations import link_providers, link_sales_channels
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.options import change_option, location_of, offers_for, require_enabled
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.registry import ManualProvider
from backend.shipping.schemas import OptionChange
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults

Providers = Mapping[str, FulfillmentProvider]


@pytest.fixture
def providers(provider: CarrierStandard) -> Providers:
    return {"carrier_standard": provider, "manual_manual": ManualProvider()}


async def names(database: Database, channel_id: str, country_code: str = "co") -> list[str]:
    async with database.read() as session:
        return [offer.option.provider_id for offer in await offers_for(session, channel_id, country_code)]


async def option_of(database: Database, provider_id: str) -> ShippingOption:
    async with database.read() as session:
        rows = await session.execute(select(ShippingOption).where(ShippingOption.provider_id == provider_id))
        return rows.scalar_one()


async def change(
    database: Database, providers: Providers, option_id: str, **changes: object
) -> ShippingOption:
    """Change the option as a request with this body does; `amount` stands for its one price."""
    if "amount" in changes:
        changes["prices"] = [{"amount": changes.pop("amount"), "currency_code": "cop"}]
    async with database.transaction() as session:
        return await change_option(
            session, COMMAND_LINE, providers, option_id, OptionChange.model_validate(changes)
        )


# what is offered


async def test_the_options_of_the_channel_are_offered(database: Database, defaults: Defaults) -> None:
    assert sorted(await names(database, defaults.channel_id)) == ["carrier_standard", "manual_manual"]
    assert sorted(await names(database, defaults.channel_id, "CO")) == ["carrier_standard", "manual_manual"]


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


async def test_an_option_is_offered_even_when_its_provider_is_not_linked(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    assert sorted(await names(database, defaults.channel_id)) == ["carrier_standard", "manual_manual"]


async def test_a_deleted_option_is_not_offered(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        option = await session.get(ShippingOption, (await option_of(database, "manual_manual")).id)
        assert option is not None
        option.deleted_at = option.created_at
    assert await names(database, defaults.channel_id) == ["carrier_standard"]


async def test_the_location_is_where_the_options_packages_start(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        elsewhere = StockLocation(name="Bodega Medellín")
        profile_id = (await option_of(database, "manual_manual")).shipping_profile_id
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


# what may be chosen


async def test_an_option_whose_provider_is_not_linked_cannot_be_chosen(
    database: Database, defaults: Defaults
) -> None:
    option = await option_of(database, "carrier_standard")
    async with database.read() as session:
        await require_enabled(session, option, await location_of(session, option))
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    async with database.read() as session:
        with pytest.raises(NotAllowed) as refused:
            await require_enabled(session, option, await location_of(session, option))
    assert refused.value.body() == {
        "type": "not_allowed",
        "message": "Providers (carrier_standard) are not enabled for the service location",
    }
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, add=["carrier_standard"])
        await require_enabled(session, option, await location_of(session, option))


# changes


async def test_a_flat_option_becomes_a_calculated_one(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await option_of(database, "manual_manual")
    changed = await change(
        database, providers, option.id, provider_id="carrier_standard", price_type="calculated"
    )
    assert (changed.provider_id, changed.price_type, changed.amount) == (
        "carrier_standard",
        "calculated",
        None,
    )
    assert changed.name == option.name
    async with database.read() as session:
        kept = await session.get(ShippingOption, option.id)
    assert kept is not None
    assert (kept.provider_id, kept.price_type, kept.amount) == ("carrier_standard", "calculated", None)


async def test_a_calculated_option_becomes_a_flat_one_with_an_amount(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await option_of(database, "carrier_standard")
    with pytest.raises(InvalidData, match="Field 'amount' is required"):
        await change(database, providers, option.id, price_type="flat")
    changed = await change(database, providers, option.id, price_type="flat", amount=12_000)
    assert (changed.price_type, changed.amount) == ("flat", 12_000)


async def test_a_name_and_an_amount_change_alone(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await option_of(database, "manual_manual")
    changed = await change(database, providers, option.id, name="Recoger", amount=0)
    assert (changed.name, changed.amount, changed.price_type) == ("Recoger", 0, "flat")


@pytest.mark.parametrize("provider_id", ["manual_manual", "nobody"])
async def test_a_provider_that_cannot_calculate_is_refused(
    database: Database, defaults: Defaults, providers: Providers, provider_id: str
) -> None:
    option = await option_of(database, "carrier_standard")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, add=[provider_id])
    with pytest.raises(InvalidData) as refused:
        await change(database, providers, option.id, provider_id=provider_id)
    assert refused.value.body() == {
        "type": "invalid_data",
        "message": "Cannot calcuate pricing for: [] shipping option(s).",
    }
    assert (await option_of(database, "carrier_standard")).id == option.id


async def test_even_a_new_name_needs_the_present_provider_linked(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await option_of(database, "manual_manual")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["manual_manual"])
    with pytest.raises(NotAllowed, match=r"Providers \(manual_manual\) are not enabled"):
        await change(database, providers, option.id, name="Otro nombre")
    assert (await option_of(database, "manual_manual")).name == option.name


async def test_a_provider_that_is_not_linked_is_refused(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await option_of(database, "manual_manual")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    with pytest.raises(NotAllowed, match=r"Providers \(carrier_standard\) are not enabled"):
        await change(database, providers, option.id, provider_id="carrier_standard", price_type="calculated")


async def test_an_unknown_option_is_not_found(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    with pytest.raises(NotFound):
        await change(database, providers, "so_unknown", name="x")


# links


async def links(database: Database, kind: type[LocationFulfillmentProvider | LocationSalesChannel]) -> int:
    async with database.read() as session:
        return (await session.execute(select(func.count()).select_from(kind))).scalar_one()


async def test_linking_the_same_at_once_and_again_is_one_link(database: Database, defaults: Defaults) -> None:
    async def link() -> None:
        async with database.transaction() as session:
            await link_providers(session, COMMAND_LINE, defaults.location_id, add=["other_provider"])
            await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=[defaults.channel_id])

    await asyncio.gather(*(link() for _ in range(6)))
    await link()
    assert await links(database, LocationFulfillmentProvider) == 3
    assert await links(database, LocationSalesChannel) == 1


async def test_unlinking_what_is_not_linked_is_no_error(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["nobody"])
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=["sc_nobody"])
    assert await links(database, LocationFulfillmentProvider) == 2


async def test_links_are_one_locations_own(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        other, channel = StockLocation(name="Otra"), SalesChannel(name="Otro")
        session.add_all([other, channel])
        await session.flush()
        await link_providers(session, COMMAND_LINE, other.id, add=["manual_manual"])
        await link_sales_channels(session, COMMAND_LINE, other.id, add=[channel.id])
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["manual_manual"])
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=[channel.id])
    async with database.read() as session:
        assert await session.get(LocationFulfillmentProvider, (other.id, "manual_manual"))
        assert await session.get(LocationSalesChannel, (other.id, channel.id))
        assert await session.get(LocationSalesChannel, (defaults.location_id, defaults.channel_id))


async def test_what_does_not_exist_cannot_be_linked(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_providers(session, COMMAND_LINE, "sloc_unknown", add=["manual_manual"])
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_providers(session, COMMAND_LINE, "sloc_unknown", remove=["manual_manual"])
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_sales_channels(session, COMMAND_LINE, "sloc_unknown", remove=[defaults.channel_id])
        with pytest.raises(NotFound, match="sc_unknown"):
            await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=["sc_unknown"])

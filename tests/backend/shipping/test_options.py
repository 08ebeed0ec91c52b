"""Changes of shipping options by staff: a flat price, a calculated one, and the linked providers."""

from collections.abc import Mapping

import pytest
from sqlalchemy import select

from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.shipping.locations import link_providers
from backend.shipping.models import ShippingOption
from backend.shipping.options import change_option
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


async def read_option(database: Database, provider_id: str) -> ShippingOption:
    async with database.read() as session:
        rows = await session.execute(select(ShippingOption).where(ShippingOption.provider_id == provider_id))
        return rows.scalar_one()


async def change_by_body(
    database: Database, providers: Providers, option_id: str, **changes: object
) -> ShippingOption:
    """Change the option as a request with these fields does. `amount` becomes the only price."""
    if "amount" in changes:
        changes["prices"] = [{"amount": changes.pop("amount"), "currency_code": "cop"}]
    async with database.transaction() as session:
        return await change_option(
            session, COMMAND_LINE, providers, option_id, OptionChange.model_validate(changes)
        )


async def test_flat_option_can_become_calculated(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await read_option(database, "manual_manual")
    changed = await change_by_body(
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


async def test_calculated_option_becomes_flat_with_an_amount(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await read_option(database, "carrier_standard")
    with pytest.raises(InvalidData, match="Field 'amount' is required"):
        await change_by_body(database, providers, option.id, price_type="flat")
    changed = await change_by_body(database, providers, option.id, price_type="flat", amount=12_000)
    assert (changed.price_type, changed.amount) == ("flat", 12_000)


async def test_name_and_amount_can_be_changed_without_other_fields(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await read_option(database, "manual_manual")
    changed = await change_by_body(database, providers, option.id, name="Recoger", amount=0)
    assert (changed.name, changed.amount, changed.price_type) == ("Recoger", 0, "flat")


@pytest.mark.parametrize("provider_id", ["manual_manual", "nobody"])
async def test_provider_that_cannot_calculate_is_refused(
    database: Database, defaults: Defaults, providers: Providers, provider_id: str
) -> None:
    option = await read_option(database, "carrier_standard")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, add=[provider_id])
    with pytest.raises(InvalidData) as refused:
        await change_by_body(database, providers, option.id, provider_id=provider_id)
    assert refused.value.body() == {
        "type": "invalid_data",
        "message": "Cannot calcuate pricing for: [] shipping option(s).",
    }
    assert (await read_option(database, "carrier_standard")).id == option.id


async def test_rename_of_an_option_requires_its_provider_to_be_linked(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await read_option(database, "manual_manual")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["manual_manual"])
    with pytest.raises(NotAllowed, match=r"Providers \(manual_manual\) are not enabled"):
        await change_by_body(database, providers, option.id, name="Otro nombre")
    assert (await read_option(database, "manual_manual")).name == option.name


async def test_unlinked_provider_is_refused(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    option = await read_option(database, "manual_manual")
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["carrier_standard"])
    with pytest.raises(NotAllowed) as refused:
        await change_by_body(
            database, providers, option.id, provider_id="carrier_standard", price_type="calculated"
        )
    assert refused.value.body() == {
        "type": "not_allowed",
        "message": "Providers (carrier_standard) are not enabled for the service location",
    }


async def test_unknown_option_is_not_found(
    database: Database, defaults: Defaults, providers: Providers
) -> None:
    with pytest.raises(NotFound):
        await change_by_body(database, providers, "so_unknown", name="x")

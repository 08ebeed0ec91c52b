"""Regions: where the shop sells, and how one can pay there. There is one, Colombia, in pesos (spec: Entities)."""

from collections.abc import Container, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.derived_models import CatalogVersion
from backend.channels.models import Region
from backend.core.db.database import constrained, locked
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.payment.region_schemas import NewRegion, RegionChange
from backend.staff.rights import Actor, Right

CURRENCY, COUNTRY = "cop", "co"
UNKNOWN_PROVIDERS = "Payment providers with ids {ids} not found or not enabled"
ONE_CURRENCY = 'This shop sells in Colombian pesos: currency_code is "cop", not "{code}"'
ONE_COUNTRY = 'This shop sells in Colombia: countries is ["co"]'
TAKEN = f'Countries with codes: "{COUNTRY}" are already assigned to a region'
LAST = "This is the last region: without one nothing can be sold"
WAS_USED = "Carts or orders were made in this region: it cannot be deleted"


async def find_region(session: AsyncSession, region_id: str) -> Region:
    """The region, locked.

    Raises:
        NotFound: there is none.
    """
    query = locked(select(Region).where(Region.id == region_id))
    region = (await session.execute(query)).scalar_one_or_none()
    if region is None:
        raise NotFound(f"Region with id: {region_id} not found")
    return region


async def create_region(
    session: AsyncSession, actor: Actor, new: NewRegion, providers: Container[str]
) -> Region:
    """The region, where a shop has none.

    Args:
        actor: who does it.
        new: what is said of it.
        providers: the ids of the payment providers that the shop runs with.

    Raises:
        InvalidData: it is not Colombia in pesos, there is one already, or a payment provider is unknown.
    """
    actor.require(Right.CHANGE_SETTINGS)
    _require_colombia(new)
    # a row that is always there: of two who make the first region, the second waits and finds it
    await session.execute(locked(select(CatalogVersion)))
    if (await session.execute(select(Region.id).limit(1))).first() is not None:
        raise InvalidData(TAKEN)
    region = Region(name=new.name, meta=new.metadata or {})
    if new.payment_providers is not None:
        region.payment_providers = _known(new.payment_providers, providers)
    await record(session, actor, "created", Subject(Thing.REGION, region.id))
    session.add(region)
    await session.flush()
    return region


async def change_region(
    session: AsyncSession, actor: Actor, region_id: str, change: RegionChange, providers: Container[str]
) -> Region:
    """Change what is said; what is left out stays. Payments that have been started are not touched.

    Raises:
        NotFound: there is none.
        InvalidData: it would not be Colombia in pesos, or a payment provider is unknown.
    """
    actor.require(Right.CHANGE_SETTINGS)
    region = await find_region(session, region_id)
    _require_colombia(change)
    await record(session, actor, "changed", Subject(Thing.REGION, region_id))
    region.name = change.name or region.name
    if change.payment_providers is not None:
        region.payment_providers = _known(change.payment_providers, providers)
    if "metadata" in change.model_fields_set:
        region.meta = change.metadata or {}
    await session.flush()
    return region


async def offer_provider(session: AsyncSession, actor: Actor, provider_id: str, *, is_on: bool) -> None:
    """Let the region be paid with a provider, or no longer. Payments that have been started go on to their end.

    The caller knows that the shop runs with it.

    Raises:
        NotFound: the shop has no region.
    """
    actor.require(Right.CHANGE_SHOP)
    region = (await session.execute(locked(select(Region).order_by(Region.id).limit(1)))).scalar_one_or_none()
    if region is None:
        raise NotFound("The shop has no region")
    if is_on == (provider_id in region.payment_providers):
        return
    await record(
        session, actor, "switched on" if is_on else "switched off", Subject(Thing.PROVIDER, provider_id)
    )
    others = [one for one in region.payment_providers if one != provider_id]
    region.payment_providers = [*others, provider_id] if is_on else others
    await session.flush()


async def delete_region(session: AsyncSession, actor: Actor, region_id: str) -> None:
    """Delete a region in which nothing was sold, where there is another one.

    Raises:
        NotFound: there is none.
        NotAllowed: it is the last one, or carts or orders were made in it.
    """
    actor.require(Right.CHANGE_SETTINGS)
    every = (await session.execute(locked(select(Region).order_by(Region.id)))).scalars().all()
    region = await find_region(session, region_id)
    if len(every) == 1:
        raise NotAllowed(LAST)
    await record(session, actor, "deleted", Subject(Thing.REGION, region_id))
    async with constrained(session, NotAllowed(WAS_USED)):  # a cart or an order refers to it
        await session.delete(region)


def _require_colombia(said: RegionChange) -> None:
    if said.currency_code is not None and said.currency_code.lower() != CURRENCY:
        raise InvalidData(ONE_CURRENCY.format(code=said.currency_code))
    if said.countries is not None and [country.lower() for country in said.countries] != [COUNTRY]:
        raise InvalidData(ONE_COUNTRY)


def _known(wanted: Sequence[str], providers: Container[str]) -> list[str]:
    unknown = [provider_id for provider_id in wanted if provider_id not in providers]
    if unknown:
        raise InvalidData(UNKNOWN_PROVIDERS.format(ids=", ".join(unknown)))
    return list(dict.fromkeys(wanted))

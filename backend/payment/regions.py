"""Regions: the country where the shop sells, and the payment providers that it offers there.

There is one region, Colombia, in pesos (spec: Entities).
"""

from collections.abc import Container, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.derived_models import CatalogVersion
from backend.channels.models import Region
from backend.core.db.database import lock_rows, raise_on_conflict
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
    """Lock and return the region.

    Raises:
        NotFound: there is no such region.
    """
    query = lock_rows(select(Region).where(Region.id == region_id))
    region = (await session.execute(query)).scalar_one_or_none()
    if region is None:
        raise NotFound(f"Region with id: {region_id} not found")
    return region


async def create_region(
    session: AsyncSession, actor: Actor, new: NewRegion, providers: Container[str]
) -> Region:
    """Create the region of a shop that has none.

    Args:
        session: a transaction.
        actor: the staff member or API key that creates it.
        new: the region's values.
        providers: the ids of the payment providers that the shop uses.

    Raises:
        InvalidData: the new region is not Colombia in pesos, the shop already has a region, or a payment provider
            is unknown.
    """
    actor.require(Right.CHANGE_SETTINGS)
    _require_colombia(new)
    # this row always exists: its lock makes a second, concurrent creation wait and find the first region
    await session.execute(lock_rows(select(CatalogVersion)))
    if (await session.execute(select(Region.id).limit(1))).first() is not None:
        raise InvalidData(TAKEN)
    region = Region(name=new.name, meta=new.metadata or {})
    if new.payment_providers is not None:
        region.payment_providers = _require_known_providers(new.payment_providers, providers)
    await record(session, actor, "created", Subject(SubjectType.REGION, region.id))
    session.add(region)
    await session.flush()
    return region


async def change_region(
    session: AsyncSession, actor: Actor, region_id: str, change: RegionChange, providers: Container[str]
) -> Region:
    """Change the given values of a region. Payments that have started are not changed.

    Raises:
        NotFound: there is no such region.
        InvalidData: the change is not for Colombia in pesos, or a payment provider is unknown.
    """
    actor.require(Right.CHANGE_SETTINGS)
    region = await find_region(session, region_id)
    _require_colombia(change)
    await record(session, actor, "changed", Subject(SubjectType.REGION, region_id))
    region.name = change.name or region.name
    if change.payment_providers is not None:
        region.payment_providers = _require_known_providers(change.payment_providers, providers)
    if "metadata" in change.model_fields_set:
        region.meta = change.metadata or {}
    await session.flush()
    return region


async def set_provider_enabled(
    session: AsyncSession, actor: Actor, provider_id: str, *, is_enabled: bool
) -> None:
    """Offer a payment provider in the region, or stop offering it. Payments that have started are not changed.

    The caller must have checked that the provider is installed.

    Raises:
        NotFound: the shop has no region.
    """
    actor.require(Right.CHANGE_SHOP)
    region = (
        await session.execute(lock_rows(select(Region).order_by(Region.id).limit(1)))
    ).scalar_one_or_none()
    if region is None:
        raise NotFound("The shop has no region")
    if is_enabled == (provider_id in region.payment_providers):
        return
    await record(
        session,
        actor,
        "switched on" if is_enabled else "switched off",
        Subject(SubjectType.PROVIDER, provider_id),
    )
    others = [other_id for other_id in region.payment_providers if other_id != provider_id]
    region.payment_providers = [*others, provider_id] if is_enabled else others
    await session.flush()


async def delete_region(session: AsyncSession, actor: Actor, region_id: str) -> None:
    """Delete a region that has no carts or orders, unless it is the only one.

    Raises:
        NotFound: there is no such region.
        NotAllowed: it is the only region, or it has carts or orders.
    """
    actor.require(Right.CHANGE_SETTINGS)
    all_regions = (await session.execute(lock_rows(select(Region).order_by(Region.id)))).scalars().all()
    region = await find_region(session, region_id)
    if len(all_regions) == 1:
        raise NotAllowed(LAST)
    await record(session, actor, "deleted", Subject(SubjectType.REGION, region_id))
    async with raise_on_conflict(session, NotAllowed(WAS_USED)):  # a cart or an order refers to it
        await session.delete(region)


def _require_colombia(change: RegionChange) -> None:
    if change.currency_code is not None and change.currency_code.lower() != CURRENCY:
        raise InvalidData(ONE_CURRENCY.format(code=change.currency_code))
    if change.countries is not None and [country.lower() for country in change.countries] != [COUNTRY]:
        raise InvalidData(ONE_COUNTRY)


def _require_known_providers(provider_ids: Sequence[str], providers: Container[str]) -> list[str]:
    unknown = [provider_id for provider_id in provider_ids if provider_id not in providers]
    if unknown:
        raise InvalidData(UNKNOWN_PROVIDERS.format(ids=", ".join(unknown)))
    return list(dict.fromkeys(provider_ids))

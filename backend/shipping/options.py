"""Shipping options as staff set them up: their names, prices and providers."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.products.sales_channels import require_profile
from backend.core.clock import now
from backend.core.db.database import locked
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import InvalidData, NotFound, require_found
from backend.core.money import Cop
from backend.shipping.answers import OptionType
from backend.shipping.locations import location_of
from backend.shipping.models import CALCULATED, LocationFulfillmentProvider, ServiceZone, ShippingOption
from backend.shipping.offered_options import OLDEST_FIRST, not_enabled
from backend.shipping.providers.base import FulfillmentProviders
from backend.shipping.schemas import NewOption, OptionChange, OptionPrice
from backend.shipping.wire import TYPE_NOTE, option_type
from backend.staff.rights import Actor, Right

CANNOT_CALCULATE = "Cannot calcuate pricing for: [] shipping option(s)."  # so the platform spells it
AMOUNT_MISSING = "Invalid request: Field 'amount' is required"

_LINK = select(LocationFulfillmentProvider.provider_id).where(
    LocationFulfillmentProvider.location_id == bindparam("location_id"),
    LocationFulfillmentProvider.provider_id == bindparam("provider_id"),
)


async def create_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, new: NewOption
) -> ShippingOption:
    """A new shipping option.

    Raises:
        NotFound: there is no such zone or profile.
        NotAllowed: the provider is not linked to the zone's location (wire: commerce-api, Error bodies).
        InvalidData: a flat price is missing, or the provider cannot calculate.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = require_found(
        await session.get(ServiceZone, new.service_zone_id), "Service zone", new.service_zone_id
    )
    await require_profile(session, new.shipping_profile_id)
    option = ShippingOption(
        name=new.name,
        price_type=new.price_type,
        provider_id=new.provider_id,
        service_zone_id=zone.id,
        shipping_profile_id=new.shipping_profile_id,
        data=new.data or {},
        meta=await _with_type(session, {}, new),
    )
    await _require_enabled(session, option)
    _set_price(option, providers, _flat_price(new.prices))
    await record(session, actor, "created", Subject(Thing.SHIPPING_OPTION, option.id))
    session.add(option)
    await session.flush()
    return option


async def change_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, option_id: str, change: OptionChange
) -> ShippingOption:
    """Change an option: what is None stays (spec: States and transitions, to a calculated price).

    Raises:
        NotFound: there is no such option or profile.
        NotAllowed: the provider, new or present, is not linked to the option's location.
        InvalidData: a flat price is missing, or the provider cannot calculate.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "changed", Subject(Thing.SHIPPING_OPTION, option_id))
    with session.no_autoflush:  # what is not allowed is never written
        option.name = option.name if change.name is None else change.name
        option.provider_id = change.provider_id or option.provider_id
        option.price_type = change.price_type or option.price_type
        await _require_enabled(session, option)
        _set_price(option, providers, _flat_price(change.prices))
        if change.shipping_profile_id is not None:
            await require_profile(session, change.shipping_profile_id)
            option.shipping_profile_id = change.shipping_profile_id
        option.data = option.data if change.data is None else change.data
        option.meta = await _with_type(session, option.meta, change)
    await session.flush()
    return option


async def delete_option(session: AsyncSession, actor: Actor, option_id: str) -> None:
    """Offer the option no longer. Carts and orders that ship by it go on. NotFound: there is none."""
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "deleted", Subject(Thing.SHIPPING_OPTION, option_id))
    option.deleted_at = now()
    await session.flush()


async def undeleted_options(session: AsyncSession) -> Sequence[ShippingOption]:
    """The options that are not deleted, the oldest first."""
    query = select(ShippingOption).where(ShippingOption.deleted_at.is_(None)).order_by(*OLDEST_FIRST)
    return (await session.execute(query)).scalars().all()


async def type_with_id(session: AsyncSession, type_id: str) -> OptionType:
    """The type with this id: each option has its own.

    Raises:
        NotFound: there is none.
    """
    for option in await undeleted_options(session):
        if (shown := option_type(option))["id"] == type_id:
            return shown
    raise NotFound(f"Shipping option type with id: {type_id} was not found")


async def _lock_option(session: AsyncSession, option_id: str) -> ShippingOption:
    query = select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
    return await get_or_404(session, locked(query), "Shipping option", option_id)


async def _require_enabled(session: AsyncSession, option: ShippingOption) -> None:
    """Refuse the option unless its provider is linked to its location.

    Raises:
        NotAllowed: it is not; the message names the provider (spec: Errors; wire: commerce-api, Error bodies).
    """
    location = await location_of(session, option)
    link = {"location_id": location.id, "provider_id": option.provider_id}
    if (await session.execute(_LINK, link)).first() is None:
        raise not_enabled(option)


def _set_price(option: ShippingOption, providers: FulfillmentProviders, amount: Cop | None) -> None:
    """Give the option a price that its type allows: a flat one an amount, a calculated one a provider that can."""
    if option.price_type == CALCULATED:
        provider = providers.get(option.provider_id)
        if provider is None or not provider.can_calculate:
            raise InvalidData(CANNOT_CALCULATE)
        option.amount = None
    else:
        option.amount = option.amount if amount is None else amount
        if option.amount is None:
            raise InvalidData(AMOUNT_MISSING)


def _flat_price(prices: Sequence[OptionPrice] | None) -> Cop | None:
    """The one price in pesos that was sent, if any; a region's price is the same, as there is one region.

    Raises:
        InvalidData: there are others.
    """
    if not prices:
        return None
    amounts = {price.amount for price in prices}
    if len(amounts) > 1 or any((price.currency_code or "cop").casefold() != "cop" for price in prices):
        raise InvalidData("A shipping option has one price, in cop")
    return amounts.pop()


async def _with_type(session: AsyncSession, known: JsonObject, sent: OptionChange) -> JsonObject:
    """The option's metadata, and in it what the platform calls its type.

    Raises:
        InvalidData: both a type and an id of one are said.
        NotFound: no option has the type that is named.
    """
    if sent.type is not None and sent.type_id is not None:
        raise InvalidData("A shipping option has one type: say `type` or `type_id`")
    meta = known if sent.metadata is None else {**sent.metadata, TYPE_NOTE: known.get(TYPE_NOTE)}
    if sent.type is not None:
        meta = {**meta, TYPE_NOTE: sent.type.model_dump()}
    if sent.type_id is not None:
        same = await type_with_id(session, sent.type_id)
        meta = {**meta, TYPE_NOTE: {name: same[name] for name in ("label", "description", "code")}}
    return {name: value for name, value in meta.items() if name != TYPE_NOTE or value}

"""Management of shipping options by staff: their names, prices and providers."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.products.sales_channels import require_profile
from backend.core.clock import now
from backend.core.config.modules import OWN_DELIVERY
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import InvalidData, NotFound, require_found
from backend.core.money import Cop
from backend.shipping.answers import OptionType
from backend.shipping.locations import find_location_of_option
from backend.shipping.models import CALCULATED, LocationFulfillmentProvider, ServiceZone, ShippingOption
from backend.shipping.offered_options import OLDEST_FIRST, provider_not_enabled_error
from backend.shipping.providers.base import FulfillmentProviders
from backend.shipping.schemas import NewOption, OptionChange, OptionPrice
from backend.shipping.terms.own_delivery import FREE_FROM, check_option_data, is_own_delivery
from backend.shipping.wire import TYPE_KEY, option_type_wire
from backend.staff.rights import Actor, Right

CANNOT_CALCULATE = "Cannot calcuate pricing for: [] shipping option(s)."  # the platform's spelling
AMOUNT_MISSING = "Invalid request: Field 'amount' is required"

_LINK = select(LocationFulfillmentProvider.provider_id).where(
    LocationFulfillmentProvider.location_id == bindparam("location_id"),
    LocationFulfillmentProvider.provider_id == bindparam("provider_id"),
)


async def create_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, new: NewOption
) -> ShippingOption:
    """Create a shipping option.

    Raises:
        NotFound: there is no such zone or profile.
        NotAllowed: the provider is not linked to the zone's location (wire: commerce-api, Error bodies).
        InvalidData: the amount of a flat price is missing, or the provider cannot calculate prices; or the data of
            own delivery or of a pickup point are invalid.
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
    _set_free_from(option, new.prices)
    check_option_data(option)
    await record(session, actor, "created", Subject(SubjectType.SHIPPING_OPTION, option.id))
    session.add(option)
    await session.flush()
    return option


async def change_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, option_id: str, change: OptionChange
) -> ShippingOption:
    """Change an option; fields of None are unchanged (spec: States and transitions).

    Raises:
        NotFound: there is no such option or profile.
        NotAllowed: the provider (the new one, or the unchanged one) is not linked to the option's location.
        InvalidData: the amount of a flat price is missing, or the provider cannot calculate prices; or the data of
            own delivery or of a pickup point are invalid.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "changed", Subject(SubjectType.SHIPPING_OPTION, option_id))
    with session.no_autoflush:  # so that an invalid change is never written
        option.name = option.name if change.name is None else change.name
        option.provider_id = change.provider_id or option.provider_id
        option.price_type = change.price_type or option.price_type
        await _require_enabled(session, option)
        _set_price(option, providers, _flat_price(change.prices))
        if change.shipping_profile_id is not None:
            await require_profile(session, change.shipping_profile_id)
            option.shipping_profile_id = change.shipping_profile_id
        option.data = option.data if change.data is None else change.data
        _set_free_from(option, change.prices)
        check_option_data(option)
        option.meta = await _with_type(session, option.meta, change)
    await session.flush()
    return option


async def delete_option(session: AsyncSession, actor: Actor, option_id: str) -> None:
    """Mark the option as deleted, so that it is no longer offered. Carts and orders that use it are not affected.

    Raises:
        NotFound: there is no such option.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "deleted", Subject(SubjectType.SHIPPING_OPTION, option_id))
    option.deleted_at = now()
    await session.flush()


async def list_undeleted_options(session: AsyncSession) -> Sequence[ShippingOption]:
    """Return the options that are not deleted, the oldest first."""
    query = select(ShippingOption).where(ShippingOption.deleted_at.is_(None)).order_by(*OLDEST_FIRST)
    return (await session.execute(query)).scalars().all()


async def find_option_type(session: AsyncSession, type_id: str) -> OptionType:
    """Return the shipping option type with this id. Each option has its own type.

    Raises:
        NotFound: there is no such type.
    """
    for option in await list_undeleted_options(session):
        if (shown := option_type_wire(option))["id"] == type_id:
            return shown
    raise NotFound(f"Shipping option type with id: {type_id} was not found")


async def _lock_option(session: AsyncSession, option_id: str) -> ShippingOption:
    query = select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
    return await get_or_404(session, lock_rows(query), "Shipping option", option_id)


async def _require_enabled(session: AsyncSession, option: ShippingOption) -> None:
    """Check that the option's provider is linked to its location.

    Raises:
        NotAllowed: the provider is not linked; the message has its id (spec: Errors; wire: commerce-api, Error
            bodies).
    """
    location = await find_location_of_option(session, option)
    link = {"location_id": location.id, "provider_id": option.provider_id}
    if (await session.execute(_LINK, link)).first() is None:
        raise provider_not_enabled_error(option)


def _set_price(option: ShippingOption, providers: FulfillmentProviders, amount: Cop | None) -> None:
    """Set the price according to its type: an amount for a flat price, None if the provider calculates the price.

    Raises:
        InvalidData: the provider cannot calculate prices, or the amount is missing.
    """
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
    """Return the flat price from the request, in pesos; None if it has no prices.

    Prices for a currency and for a region must be equal, because the shop has one region. The price with a rule is
    not the flat price: see `_set_free_from`.

    Raises:
        InvalidData: the prices differ, or are in another currency.
    """
    prices = [price for price in prices or () if not price.rules]
    if not prices:
        return None
    amounts = {price.amount for price in prices}
    if len(amounts) > 1 or any((price.currency_code or "cop").casefold() != "cop" for price in prices):
        raise InvalidData("A shipping option has one price, in cop")
    return amounts.pop()


def _set_free_from(option: ShippingOption, prices: Sequence[OptionPrice] | None) -> None:
    """Set the total of the goods from which own delivery is free, or remove it if no price has a rule.

    The request expresses it as a second price: 0, with the total as `value` of its rule. If `prices` is None, nothing
    changes.

    Raises:
        InvalidData: an option without own delivery has a price with a rule; or the rules have different totals, or a
            price with a rule is not 0.
    """
    if prices is None:
        return
    totals = {price.rules[0].value for price in prices if price.rules}
    if not totals and not is_own_delivery(option):
        return
    if not is_own_delivery(option) or len(totals) > 1 or any(price.amount for price in prices if price.rules):
        raise InvalidData(f"Only {OWN_DELIVERY} has a price with a rule: 0 from an item_total on")
    data = {name: value for name, value in option.data.items() if name != FREE_FROM}
    option.data = {**data, FREE_FROM: totals.pop()} if totals else data


async def _with_type(session: AsyncSession, stored: JsonObject, change: OptionChange) -> JsonObject:
    """Return the option's metadata, including its type from the request.

    Raises:
        InvalidData: both a type and a type id are given.
        NotFound: no option has this type.
    """
    if change.type is not None and change.type_id is not None:
        raise InvalidData("A shipping option has one type: send `type` or `type_id`")
    meta = stored if change.metadata is None else {**change.metadata, TYPE_KEY: stored.get(TYPE_KEY)}
    if change.type is not None:
        meta = {**meta, TYPE_KEY: change.type.model_dump()}
    if change.type_id is not None:
        same = await find_option_type(session, change.type_id)
        meta = {**meta, TYPE_KEY: {name: same[name] for name in ("label", "description", "code")}}
    return {name: value for name, value in meta.items() if name != TYPE_KEY or value}

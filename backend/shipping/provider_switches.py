"""Fulfillment providers that staff have switched off: they are not offered for new orders.

Existing orders with such a provider are still sent, and their parcels are still tracked.
"""

from sqlalchemy import ColumnElement, ColumnExpressionArgument, bindparam, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.office_settings import lock_settings
from backend.shipping.models import ProviderSwitch, ShippingOption
from backend.staff.rights import Actor, Right

_OFF = (
    select(ShippingOption)
    .join(ProviderSwitch, ProviderSwitch.id == ShippingOption.provider_id)
    .where(ShippingOption.id == bindparam("option_id"), ProviderSwitch.is_enabled.is_(False))
)


class ProviderSwitchedOff(InvalidData):
    """Staff have switched off the provider of the shipping option."""

    shopper_text = _("Este envío ya no se ofrece. Elige otra forma de recibir tu compra.")

    def __init__(self, option: ShippingOption) -> None:
        super().__init__(f"Shipping option {option.id} is not offered: {option.provider_id} is switched off")


async def list_disabled_providers(session: AsyncSession) -> frozenset[str]:
    """Return the ids of the providers that are switched off."""
    off = select(ProviderSwitch.id).where(ProviderSwitch.is_enabled.is_(False))
    return frozenset((await session.execute(off)).scalars())


async def switch_provider(session: AsyncSession, actor: Actor, provider_id: str, *, is_on: bool) -> None:
    """Switch a provider on or off. The caller has checked that it exists."""
    actor.require(Right.CHANGE_SHOP)
    await lock_settings(session)
    before = provider_id not in await list_disabled_providers(session)
    if before == is_on:
        return
    await record(
        session, actor, "switched on" if is_on else "switched off", Subject(SubjectType.PROVIDER, provider_id)
    )
    await session.merge(ProviderSwitch(id=provider_id, is_enabled=is_on))
    await session.flush()


async def require_provider_on(session: AsyncSession, option_id: str | None) -> None:
    """Check that the provider of the shipping option is not switched off.

    A deleted option is checked too, because carts and orders for which it was chosen still use it.

    Raises:
        ProviderSwitchedOff: the provider is switched off.
    """
    option = (await session.execute(_OFF, {"option_id": option_id})).scalar_one_or_none()
    if option is not None:
        raise ProviderSwitchedOff(option)


def is_switched_off(option_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """Return the SQL condition that the option's provider is switched off, for use in another statement."""
    return (
        exists()
        .where(ShippingOption.id == option_id, ProviderSwitch.id == ShippingOption.provider_id)
        .where(ProviderSwitch.is_enabled.is_(False))
    )

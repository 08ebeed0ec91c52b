"""Fulfillment providers that the office has switched off: nothing new is shipped with them.

Orders that were sold with one are still sent, and what is on its way is still followed.
"""

from sqlalchemy import ColumnElement, ColumnExpressionArgument, bindparam, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
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


class ShippingOff(InvalidData):
    """The office has switched the provider of a shipping option off."""

    shopper_text = _("Este envío ya no se ofrece. Elige otra forma de recibir tu pedido.")

    def __init__(self, option: ShippingOption) -> None:
        super().__init__(f"Shipping option {option.id} is not offered: {option.provider_id} is switched off")


async def providers_off(session: AsyncSession) -> frozenset[str]:
    """The ids of the providers that are switched off."""
    off = select(ProviderSwitch.id).where(ProviderSwitch.is_enabled.is_(False))
    return frozenset((await session.execute(off)).scalars())


async def switch_provider(session: AsyncSession, actor: Actor, provider_id: str, *, is_on: bool) -> None:
    """Offer the shipping options of a provider, or no longer. The caller knows that there is such a provider."""
    actor.require(Right.CHANGE_SHOP)
    await lock_settings(session)
    before = provider_id not in await providers_off(session)
    if before == is_on:
        return
    await record(
        session, actor, "switched on" if is_on else "switched off", Subject(Thing.PROVIDER, provider_id)
    )
    await session.merge(ProviderSwitch(id=provider_id, is_enabled=is_on))
    await session.flush()


async def require_on(session: AsyncSession, option_id: str | None) -> None:
    """Refuse a shipping option whose provider is switched off. One that is deleted stays good where it was chosen.

    Raises:
        ShippingOff: it is.
    """
    option = (await session.execute(_OFF, {"option_id": option_id})).scalar_one_or_none()
    if option is not None:
        raise ShippingOff(option)


def is_switched_off(option_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """Whether the office has switched the provider of this option off, as a part of another statement."""
    return (
        exists()
        .where(ShippingOption.id == option_id, ProviderSwitch.id == ShippingOption.provider_id)
        .where(ProviderSwitch.is_enabled.is_(False))
    )

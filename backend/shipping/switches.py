"""Fulfillment providers that the office has switched off: nothing new is shipped with them.

Orders that were sold with one are still sent, and what is on its way is still followed.
"""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.office_settings import lock_settings
from backend.shipping.models import ProviderSwitch
from backend.staff.rights import Actor, Right


async def providers_off(session: AsyncSession) -> frozenset[str]:
    """The ids of the providers that are switched off."""
    off = select(ProviderSwitch.id).where(ProviderSwitch.is_enabled.is_(False))
    return frozenset((await session.execute(off)).scalars())


async def switch_provider(session: AsyncSession, actor: Actor, provider_id: str, *, is_on: bool) -> None:
    """Offer the shipping options of a provider, or no longer. The caller knows that there is such a provider.

    Raises:
        Forbidden: see `Actor.require`.
    """
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

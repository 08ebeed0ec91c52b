"""Where every product is sold and how it is shipped: in every sales channel, by the one shipping profile.

A program may send both along with a product. What exists is taken and read back; nothing else is.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.products.commands import ChangeProduct
from backend.channels.models import SalesChannel, ShippingProfile
from backend.core.errors import NotFound, require_found


async def require_known_places(session: AsyncSession, said: ChangeProduct) -> None:
    """Check the sales channels and the shipping profile that a command names.

    Raises:
        NotFound: there is no such channel or profile.
    """
    if asked := set(said.sales_channel_ids):
        query = select(SalesChannel.id).where(SalesChannel.id.in_(asked))
        if unknown := asked - set((await session.execute(query)).scalars()):
            raise NotFound(f"Sales channels with ids: {', '.join(sorted(unknown))} were not found")
    if said.shipping_profile_id is not None:
        await require_profile(session, said.shipping_profile_id)


async def require_profile(session: AsyncSession, profile_id: str) -> None:
    """Check that the shipping profile exists.

    Raises:
        NotFound: it does not.
    """
    require_found(await session.get(ShippingProfile, profile_id), "Shipping profile", profile_id)


async def every_channel(session: AsyncSession) -> Sequence[SalesChannel]:
    """The sales channels that every product is sold in, the oldest first."""
    query = select(SalesChannel).order_by(SalesChannel.created_at, SalesChannel.id)
    return (await session.execute(query)).scalars().all()


async def the_profile(session: AsyncSession) -> ShippingProfile | None:
    """The shipping profile of every product."""
    query = select(ShippingProfile).order_by(ShippingProfile.created_at, ShippingProfile.id).limit(1)
    return (await session.execute(query)).scalar_one_or_none()

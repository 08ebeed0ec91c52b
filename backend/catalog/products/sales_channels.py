"""Sales channels and the shipping profile of products: every product has all channels and the only profile.

API clients may send channels and a profile with a product. They are not stored, but they must exist.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.products.commands import ChangeProduct
from backend.channels.models import SalesChannel, ShippingProfile
from backend.core.errors import NotFound, require_found


async def require_known_channels(session: AsyncSession, command: ChangeProduct) -> None:
    """Check that the command's sales channels and shipping profile exist.

    Raises:
        NotFound: a channel or the profile does not exist.
    """
    if channel_ids := set(command.sales_channel_ids):
        query = select(SalesChannel.id).where(SalesChannel.id.in_(channel_ids))
        if unknown := channel_ids - set((await session.execute(query)).scalars()):
            raise NotFound(f"Sales channels with ids: {', '.join(sorted(unknown))} were not found")
    if command.shipping_profile_id is not None:
        await require_profile(session, command.shipping_profile_id)


async def require_profile(session: AsyncSession, profile_id: str) -> None:
    """Check that the shipping profile exists.

    Raises:
        NotFound: the profile does not exist.
    """
    require_found(await session.get(ShippingProfile, profile_id), "Shipping profile", profile_id)


async def list_channels(session: AsyncSession) -> Sequence[SalesChannel]:
    """Return all sales channels, oldest first. Every product is sold in all of them."""
    query = select(SalesChannel).order_by(SalesChannel.created_at, SalesChannel.id)
    return (await session.execute(query)).scalars().all()


async def read_shipping_profile(session: AsyncSession) -> ShippingProfile | None:
    """Return the only shipping profile, which every product has; None if there is none."""
    query = select(ShippingProfile).order_by(ShippingProfile.created_at, ShippingProfile.id).limit(1)
    return (await session.execute(query)).scalar_one_or_none()

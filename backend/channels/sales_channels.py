"""Sales channels: create, change and delete them."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.channels.models import PublishableKey, SalesChannel
from backend.channels.schemas import ChannelChange, NewChannel
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import get_or_404
from backend.core.errors import NotAllowed
from backend.staff.rights import Actor, Right

LAST_CHANNEL = "This is the last sales channel: without one nothing can be sold"
HAS_KEYS = "Publishable keys name this sales channel ({titles}): let them name another one, or delete them"
WAS_USED = "Carts or orders were made in this sales channel: it cannot be deleted. Revoke its keys instead"


async def find_channel(session: AsyncSession, channel_id: str) -> SalesChannel:
    """Return the sales channel, locked.

    Raises:
        NotFound: there is no such channel.
    """
    query = lock_rows(select(SalesChannel).where(SalesChannel.id == channel_id))
    return await get_or_404(session, query, "Sales channel", channel_id)


async def create_channel(session: AsyncSession, actor: Actor, new: NewChannel) -> SalesChannel:
    """Create a sales channel. It is not linked to a stock location or a key yet."""
    actor.require(Right.CHANGE_SETTINGS)
    channel = SalesChannel(name=new.name, description=new.description, meta=new.metadata or {})
    await record(session, actor, "created", Subject(SubjectType.SALES_CHANNEL, channel.id))
    session.add(channel)
    await session.flush()
    return channel


async def change_channel(
    session: AsyncSession, actor: Actor, channel_id: str, change: ChannelChange
) -> SalesChannel:
    """Change the given fields of a sales channel.

    Raises:
        NotFound: there is no such channel.
    """
    actor.require(Right.CHANGE_SETTINGS)
    channel = await find_channel(session, channel_id)
    await record(session, actor, "changed", Subject(SubjectType.SALES_CHANNEL, channel_id))
    channel.name = change.name or channel.name
    if "description" in change.model_fields_set:
        channel.description = change.description
    if "metadata" in change.model_fields_set:
        channel.meta = change.metadata or {}
    await session.flush()
    return channel


async def delete_channel(session: AsyncSession, actor: Actor, channel_id: str) -> None:
    """Delete a sales channel without carts or orders. Its links to stock locations are removed.

    Raises:
        NotFound: there is no such channel.
        NotAllowed: it is the only channel, a publishable key belongs to it, or it has carts or orders.
    """
    actor.require(Right.CHANGE_SETTINGS)
    # lock all channels in one order: of two requests that delete the only two, the second is refused
    every = (await session.execute(lock_rows(select(SalesChannel).order_by(SalesChannel.id)))).scalars().all()
    channel = await find_channel(session, channel_id)
    if len(every) == 1:
        raise NotAllowed(LAST_CHANNEL)
    keys = select(PublishableKey.title).where(PublishableKey.sales_channel_id == channel_id)
    if titles := (await session.execute(keys.order_by(PublishableKey.created_at))).scalars().all():
        raise NotAllowed(HAS_KEYS.format(titles=", ".join(titles)))
    await record(session, actor, "deleted", Subject(SubjectType.SALES_CHANNEL, channel_id))
    async with raise_on_conflict(session, NotAllowed(WAS_USED)):  # a cart or an order refers to it
        await session.delete(channel)

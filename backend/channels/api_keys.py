"""Keys of programs, publishable and secret ones: making, naming, revoking and deleting them.

A publishable key names one sales channel. What is changed of it counts at once on every replica: the database notes
each change in the catalogue's version, after which `PublishableKeys` asks again.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from secrets import token_hex

from sqlalchemy import ColumnElement, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.channels.models import PublishableKey, SalesChannel
from backend.channels.sales_channels import find_channel
from backend.core.db.database import database_now, locked
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.staff.models import SecretKey
from backend.staff.rights import Actor, Right

ApiKey = PublishableKey | SecretKey

LAST = (
    "This is the last publishable key: without one no program and no other storefront can use the Store API. "
    "Make another one first"
)
AT_ONCE = "A publishable key is revoked at once: revoke_in is for secret keys"
ONE_CHANNEL = "A publishable key names one sales channel in this shop"


async def read_keys(session: AsyncSession) -> list[tuple[ApiKey, SalesChannel | None]]:
    """All keys, the oldest first; publishable ones with the sales channel that they name."""
    publishable = select(PublishableKey, SalesChannel).join(
        SalesChannel, SalesChannel.id == PublishableKey.sales_channel_id
    )
    found: list[tuple[ApiKey, SalesChannel | None]] = [
        (key, channel) for key, channel in await session.execute(publishable)
    ]
    found += [(key, None) for key in (await session.execute(select(SecretKey))).scalars()]
    return sorted(found, key=lambda pair: (pair[0].created_at, pair[0].id))


async def find_key(session: AsyncSession, key_id: str) -> ApiKey:
    """The key, locked.

    Raises:
        NotFound: there is none.
    """
    for query in (
        locked(select(PublishableKey).where(_has_id(key_id))),
        locked(select(SecretKey).where(SecretKey.id == key_id)),
    ):
        key: ApiKey | None = (await session.execute(query)).scalars().first()
        if key is not None:
            return key
    raise NotFound(f"API key with id: {key_id} was not found")


async def create_publishable_key(session: AsyncSession, actor: Actor, title: str) -> PublishableKey:
    """A new publishable key of the shop's first sales channel; `link_channels` names another.

    Raises:
        NotAllowed: there is no sales channel.
    """
    actor.require(Right.CHANGE_SETTINGS)
    query = select(SalesChannel).order_by(SalesChannel.created_at, SalesChannel.id).limit(1)
    channel = (await session.execute(locked(query))).scalar_one_or_none()
    if channel is None:
        raise NotAllowed("A publishable key names a sales channel: make one first")
    key = PublishableKey(
        token=f"pk_{token_hex(32)}", sales_channel_id=channel.id, title=title, created_by=actor.id
    )
    await record(session, actor, "created", Subject(Thing.API_KEY, key.id))
    session.add(key)
    await session.flush()
    return key


async def rename_key(session: AsyncSession, actor: Actor, key_id: str, title: str) -> ApiKey:
    """Give the key another title.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.CHANGE_SETTINGS)
    key = await find_key(session, key_id)
    await record(session, actor, "changed", Subject(Thing.API_KEY, key_id))
    key.title = title
    await session.flush()
    return key


async def revoke_key(
    session: AsyncSession, actor: Actor, key_id: str, after: timedelta = timedelta()
) -> ApiKey:
    """Let nobody use the key from now on, or a secret one once `after` is over: brought forward, but not put off.

    Raises:
        NotFound: there is none.
        InvalidData: a publishable key is to end later: what is cached for it ends with a change, not with time.
        NotAllowed: it is the last publishable key.
    """
    actor.require(Right.CHANGE_SETTINGS)
    # all of them are locked, in one order: of two who revoke the last two, the second is refused
    usable = await _usable_keys(session)
    key = await find_key(session, key_id)
    if after and isinstance(key, PublishableKey):
        raise InvalidData(AT_ONCE)
    ends_at = await database_now(session) + after
    if key.revoked_at is not None and key.revoked_at <= ends_at:
        return key
    if isinstance(key, PublishableKey) and len(usable) == 1:
        raise NotAllowed(LAST)
    await record(session, actor, "revoked", Subject(Thing.API_KEY, key_id))
    key.revoked_at = ends_at
    key.revoked_by = actor.id
    await session.flush()
    return key


async def delete_key(session: AsyncSession, actor: Actor, key_id: str) -> None:
    """Delete a key that is revoked.

    Raises:
        NotFound: there is none.
        NotAllowed: it is not revoked.
    """
    actor.require(Right.CHANGE_SETTINGS)
    key = await find_key(session, key_id)
    if key.revoked_at is None or key.revoked_at > await database_now(session):
        raise NotAllowed(f"Cannot delete api keys that are not revoked - {key_id}")
    await record(session, actor, "deleted", Subject(Thing.API_KEY, key_id))
    await session.delete(key)
    await session.flush()


async def link_channels(
    session: AsyncSession,
    actor: Actor,
    key_id: str,
    *,
    add: Collection[str] = (),
    remove: Collection[str] = (),
) -> PublishableKey:
    """Let the publishable key name another sales channel. The one it named before is no longer its own.

    Raises:
        NotFound: there is no such key or channel.
        InvalidData: more than one channel is added.
        NotAllowed: it is a secret key, it is revoked, or no channel would be left.
    """
    actor.require(Right.CHANGE_SETTINGS)
    wanted = set(add) - set(remove)
    if len(wanted) > 1:
        raise InvalidData(f"{ONE_CHANNEL}: add one")
    channels = [await find_channel(session, channel_id) for channel_id in wanted]
    key = await find_key(session, key_id)
    if isinstance(key, SecretKey):
        raise NotAllowed("A secret key names no sales channel")
    if key.revoked_at is not None:
        raise NotAllowed("The key is revoked")
    if not channels and key.sales_channel_id in remove:
        raise NotAllowed(f"{ONE_CHANNEL}: add another one, or revoke the key")
    await record(session, actor, "sales channels linked", Subject(Thing.API_KEY, key_id))
    for channel in channels:
        key.sales_channel_id = channel.id
    await session.flush()
    return key


async def _usable_keys(session: AsyncSession) -> Sequence[PublishableKey]:
    query = select(PublishableKey).where(PublishableKey.revoked_at.is_(None)).order_by(PublishableKey.token)
    return (await session.execute(locked(query))).scalars().all()


def _has_id(key_id: str) -> ColumnElement[bool]:
    """`PublishableKey.id` in a query."""
    return literal("apk_").concat(func.substr(PublishableKey.token, len("pk_") + 1, 26)) == key_id

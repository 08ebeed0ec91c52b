"""API keys, publishable and secret ones: create, rename, revoke and delete them.

A publishable key belongs to one sales channel. Changes apply immediately on every replica: each change gives the
catalogue a new version in the database, and `PublishableKeys` reads a key again when that version changes.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from secrets import token_hex

from sqlalchemy import ColumnElement, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.channels.models import PublishableKey, SalesChannel
from backend.channels.sales_channels import find_channel
from backend.core.db.database import database_now, lock_rows
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.staff.models import SecretKey
from backend.staff.rights import Actor, Right

ApiKey = PublishableKey | SecretKey

LAST_KEY = (
    "This is the last publishable key: without one no program and no other storefront can use the Store API. "
    "Make another one first"
)
REVOKED_IMMEDIATELY = "A publishable key is revoked immediately: revoke_in is for secret keys"
ONE_CHANNEL = "A publishable key names one sales channel in this shop"


async def list_api_keys(session: AsyncSession) -> list[tuple[ApiKey, SalesChannel | None]]:
    """Return all keys, oldest first, each with its sales channel. The channel of a secret key is None."""
    publishable = select(PublishableKey, SalesChannel).join(
        SalesChannel, SalesChannel.id == PublishableKey.sales_channel_id
    )
    found: list[tuple[ApiKey, SalesChannel | None]] = [
        (key, channel) for key, channel in await session.execute(publishable)
    ]
    found += [(key, None) for key in (await session.execute(select(SecretKey))).scalars()]
    return sorted(found, key=lambda pair: (pair[0].created_at, pair[0].id))


async def find_key(session: AsyncSession, key_id: str) -> ApiKey:
    """Return the key, locked.

    Raises:
        NotFound: there is no such key.
    """
    for query in (
        lock_rows(select(PublishableKey).where(_has_id(key_id))),
        lock_rows(select(SecretKey).where(SecretKey.id == key_id)),
    ):
        key: ApiKey | None = (await session.execute(query)).scalars().first()
        if key is not None:
            return key
    raise NotFound(f"API key with id: {key_id} was not found")


async def create_publishable_key(session: AsyncSession, actor: Actor, title: str) -> PublishableKey:
    """Create a publishable key for the shop's first sales channel. `link_channels` can change the channel later.

    Raises:
        NotAllowed: the shop has no sales channel.
    """
    actor.require(Right.CHANGE_SETTINGS)
    query = select(SalesChannel).order_by(SalesChannel.created_at, SalesChannel.id).limit(1)
    channel = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if channel is None:
        raise NotAllowed("A publishable key names a sales channel: make one first")
    key = PublishableKey(
        token=f"pk_{token_hex(32)}", sales_channel_id=channel.id, title=title, created_by=actor.id
    )
    await record(session, actor, "created", Subject(SubjectType.API_KEY, key.id))
    session.add(key)
    await session.flush()
    return key


async def rename_key(session: AsyncSession, actor: Actor, key_id: str, title: str) -> ApiKey:
    """Change the key's title.

    Raises:
        NotFound: there is no such key.
    """
    actor.require(Right.CHANGE_SETTINGS)
    key = await find_key(session, key_id)
    await record(session, actor, "changed", Subject(SubjectType.API_KEY, key_id))
    key.title = title
    await session.flush()
    return key


async def revoke_key(
    session: AsyncSession, actor: Actor, key_id: str, after: timedelta = timedelta()
) -> ApiKey:
    """Revoke the key immediately or, if it is a secret key, after the delay `after`.

    If the key already ends earlier than that, nothing changes.

    Raises:
        NotFound: there is no such key.
        InvalidData: `after` is given for a publishable key. Replicas cache these keys until the next change,
            so they would not notice that the time has passed.
        NotAllowed: it is the only remaining publishable key.
    """
    actor.require(Right.CHANGE_SETTINGS)
    # lock all keys in one order: of two requests that revoke the only two keys, the second is refused
    usable = await _lock_usable_keys(session)
    key = await find_key(session, key_id)
    if after and isinstance(key, PublishableKey):
        raise InvalidData(REVOKED_IMMEDIATELY)
    ends_at = await database_now(session) + after
    if key.revoked_at is not None and key.revoked_at <= ends_at:
        return key
    if isinstance(key, PublishableKey) and len(usable) == 1:
        raise NotAllowed(LAST_KEY)
    await record(session, actor, "revoked", Subject(SubjectType.API_KEY, key_id))
    key.revoked_at = ends_at
    key.revoked_by = actor.id
    await session.flush()
    return key


async def delete_key(session: AsyncSession, actor: Actor, key_id: str) -> None:
    """Delete a revoked key.

    Raises:
        NotFound: there is no such key.
        NotAllowed: it is not revoked.
    """
    actor.require(Right.CHANGE_SETTINGS)
    key = await find_key(session, key_id)
    if key.revoked_at is None or key.revoked_at > await database_now(session):
        raise NotAllowed(f"Cannot delete api keys that are not revoked - {key_id}")
    await record(session, actor, "deleted", Subject(SubjectType.API_KEY, key_id))
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
    """Change the sales channel of a publishable key. The key has one channel: the new one replaces the old.

    Raises:
        NotFound: there is no such key or channel.
        InvalidData: more than one channel is added.
        NotAllowed: the key is a secret key, it is revoked, or it would have no channel.
    """
    actor.require(Right.CHANGE_SETTINGS)
    new_channel_ids = set(add) - set(remove)
    if len(new_channel_ids) > 1:
        raise InvalidData(f"{ONE_CHANNEL}: add one")
    channels = [await find_channel(session, channel_id) for channel_id in new_channel_ids]
    key = await find_key(session, key_id)
    if isinstance(key, SecretKey):
        raise NotAllowed("A secret key names no sales channel")
    if key.revoked_at is not None:
        raise NotAllowed("The key is revoked")
    if not channels and key.sales_channel_id in remove:
        raise NotAllowed(f"{ONE_CHANNEL}: add another one, or revoke the key")
    await record(session, actor, "sales channels linked", Subject(SubjectType.API_KEY, key_id))
    for channel in channels:
        key.sales_channel_id = channel.id
    await session.flush()
    return key


async def _lock_usable_keys(session: AsyncSession) -> Sequence[PublishableKey]:
    query = select(PublishableKey).where(PublishableKey.revoked_at.is_(None)).order_by(PublishableKey.token)
    return (await session.execute(lock_rows(query))).scalars().all()


def _has_id(key_id: str) -> ColumnElement[bool]:
    """Build the condition `PublishableKey.id == key_id` for a query."""
    return literal("apk_").concat(func.substr(PublishableKey.token, len("pk_") + 1, 26)) == key_id

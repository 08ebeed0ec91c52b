"""The Admin API of sales channels and of keys (wire: commerce-api, Admin)."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels import api_keys, sales_channels
from backend.channels.answers import ChannelAnswer, ChannelsAnswer, KeyAnswer, KeyOut, KeysAnswer
from backend.channels.api_keys import ApiKey
from backend.channels.models import PublishableKey, SalesChannel
from backend.channels.schemas import (
    ChannelChange,
    KeyChange,
    KeyChannels,
    KeysParameters,
    NewChannel,
    NewKey,
    Revocation,
)
from backend.channels.wire import channel_wire, key_wire
from backend.core.errors import InvalidData
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, named, page_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import NamedParameters
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right, Role
from backend.staff.secret_keys import create_secret_key

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: channels and keys"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)

SORTABLE = {"name": SalesChannel.name, "created_at": SalesChannel.created_at}


@router.get("/sales-channels")
async def list_channels(
    asked: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[ChannelsAnswer]:
    """The ways to sell."""
    order = in_order(asked.order, SORTABLE, [SalesChannel.created_at, SalesChannel.id])
    async with database.read() as session:
        found, count = await rows_of(session, SalesChannel, met(asked, named(SalesChannel)), order, asked)
    return Wire({"sales_channels": pick_each(map(channel_wire, found), asked), **paging(count, asked)})


@router.post("/sales-channels")
async def create_channel(
    actor: StaffMember, body: NewChannel, database: Db, fields: Shown
) -> Wire[ChannelAnswer]:
    """A new way to sell. Stock locations serve it and keys name it once they are told to."""
    async with database.transaction() as session:
        return _channel(await sales_channels.create_channel(session, actor, body), fields)


@router.get("/sales-channels/{channel_id}")
async def read_channel(channel_id: str, database: Db, fields: Shown) -> Wire[ChannelAnswer]:
    """The way to sell."""
    async with database.read() as session:
        return _channel(await sales_channels.find_channel(session, channel_id), fields)


@router.post("/sales-channels/{channel_id}")
async def update_channel(
    actor: StaffMember, channel_id: str, body: ChannelChange, database: Db, fields: Shown
) -> Wire[ChannelAnswer]:
    """Change what is said of it."""
    async with database.transaction() as session:
        return _channel(await sales_channels.change_channel(session, actor, channel_id, body), fields)


@router.delete("/sales-channels/{channel_id}")
async def delete_channel(actor: StaffMember, channel_id: str, database: Db) -> Wire[Deleted]:
    """Delete it, unless it is the last one, keys name it, or something was sold in it."""
    async with database.transaction() as session:
        await sales_channels.delete_channel(session, actor, channel_id)
    return Wire({"id": channel_id, "object": "sales-channel", "deleted": True})


@router.get("/api-keys")
async def list_keys(
    asked: Annotated[KeysParameters, read_query(KeysParameters)], database: Db
) -> Wire[KeysAnswer]:
    """The keys: publishable ones, which storefronts send with every call, and secret ones of programs."""
    async with database.read() as session:
        keys = await api_keys.read_keys(session)
    found = [(key, channel) for key, channel in keys if _is_asked_for(key, asked)]
    shown = [key_wire(key, channel) for key, channel in page_of(found, asked)]
    return Wire({"api_keys": pick_each(shown, asked), **paging(len(found), asked)})


@router.post("/api-keys")
async def create_key(actor: StaffMember, body: NewKey, database: Db, fields: Shown) -> Wire[KeyAnswer]:
    """A new key. The token of a secret one is in this answer and never again."""
    if body.type == "publishable" and body.role is not None:
        raise InvalidData("A publishable key has no role")
    async with database.transaction() as session:
        if body.type == "publishable":
            return await _key(
                session, await api_keys.create_publishable_key(session, actor, body.title), fields
            )
        key, token = await create_secret_key(session, actor, body.title, body.role or Role.SHOP)
        shown: KeyOut = {**key_wire(key), "token": token}
        return Wire({"api_key": fields.pick(shown)})


@router.get("/api-keys/{key_id}")
async def read_key(key_id: str, database: Db, fields: Shown) -> Wire[KeyAnswer]:
    """The key."""
    async with database.read() as session:
        return await _key(session, await api_keys.find_key(session, key_id), fields)


@router.post("/api-keys/{key_id}")
async def update_key(
    actor: StaffMember, key_id: str, body: KeyChange, database: Db, fields: Shown
) -> Wire[KeyAnswer]:
    """Give the key another title."""
    async with database.transaction() as session:
        return await _key(session, await api_keys.rename_key(session, actor, key_id, body.title), fields)


@router.delete("/api-keys/{key_id}")
async def delete_key(actor: StaffMember, key_id: str, database: Db) -> Wire[Deleted]:
    """Delete a key that is revoked."""
    async with database.transaction() as session:
        await api_keys.delete_key(session, actor, key_id)
    return Wire({"id": key_id, "object": "api_key", "deleted": True})


@router.post("/api-keys/{key_id}/revoke")
async def revoke_key(
    actor: StaffMember, key_id: str, database: Db, fields: Shown, body: Revocation | None = None
) -> Wire[KeyAnswer]:
    """Let nobody use the key on any replica, from now on or in some seconds. The last publishable one stays."""
    after = timedelta(seconds=(body and body.revoke_in) or 0)
    async with database.transaction() as session:
        return await _key(session, await api_keys.revoke_key(session, actor, key_id, after), fields)


@router.post("/api-keys/{key_id}/sales-channels")
async def change_key_channels(
    actor: StaffMember, key_id: str, body: KeyChannels, database: Db, fields: Shown
) -> Wire[KeyAnswer]:
    """Let the publishable key name another sales channel: it names one."""
    async with database.transaction() as session:
        key = await api_keys.link_channels(
            session, actor, key_id, add=body.add or (), remove=body.remove or ()
        )
        return await _key(session, key, fields)


def _is_asked_for(key: ApiKey, asked: KeysParameters) -> bool:
    return (
        _meets(key, asked)
        and all(_is_asked_for(key, part) for part in asked.all_of)
        and (not asked.any_of or any(_is_asked_for(key, part) for part in asked.any_of))
    )


def _meets(key: ApiKey, asked: KeysParameters) -> bool:
    is_publishable = isinstance(key, PublishableKey)
    return (
        (asked.type is None or (asked.type == "publishable") is is_publishable)
        and (asked.id is None or key.id in asked.id)
        and (asked.title is None or key.title in asked.title)
        and (not asked.q or asked.q.casefold() in key.title.casefold())
    )


def _channel(channel: SalesChannel, fields: Fields) -> Wire[ChannelAnswer]:
    return Wire({"sales_channel": fields.pick(channel_wire(channel))})


async def _key(session: AsyncSession, key: ApiKey, fields: Fields) -> Wire[KeyAnswer]:
    channel = (
        await session.get(SalesChannel, key.sales_channel_id) if isinstance(key, PublishableKey) else None
    )
    return Wire({"api_key": fields.pick(key_wire(key, channel))})

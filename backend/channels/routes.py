"""Admin API of sales channels and API keys (wire: commerce-api, Admin)."""

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
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    name_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import NamedParameters
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right, Role
from backend.staff.secret_keys import create_secret_key

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: channels and keys"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)

SORTABLE = {"name": SalesChannel.name, "created_at": SalesChannel.created_at}


@router.get("/sales-channels")
async def list_channels(
    params: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[ChannelsAnswer]:
    """List the sales channels."""
    order = order_clauses(params.order, SORTABLE, [SalesChannel.created_at, SalesChannel.id])
    async with database.read() as session:
        found, count = await read_page(
            session, SalesChannel, where_clauses(params, name_clauses(SalesChannel)), order, params
        )
    return Wire(
        {"sales_channels": pick_each(map(channel_wire, found), params), **paging_fields(count, params)}
    )


@router.post("/sales-channels")
async def create_channel(
    actor: StaffMember, body: NewChannel, database: Db, fields: RequestedFields
) -> Wire[ChannelAnswer]:
    """Create a sales channel. It is not linked to a stock location or a key yet."""
    async with database.transaction() as session:
        return _channel_answer(await sales_channels.create_channel(session, actor, body), fields)


@router.get("/sales-channels/{channel_id}")
async def read_channel(channel_id: str, database: Db, fields: RequestedFields) -> Wire[ChannelAnswer]:
    """Return the sales channel."""
    async with database.read() as session:
        return _channel_answer(await sales_channels.find_channel(session, channel_id), fields)


@router.post("/sales-channels/{channel_id}")
async def update_channel(
    actor: StaffMember, channel_id: str, body: ChannelChange, database: Db, fields: RequestedFields
) -> Wire[ChannelAnswer]:
    """Change the sales channel."""
    async with database.transaction() as session:
        return _channel_answer(await sales_channels.change_channel(session, actor, channel_id, body), fields)


@router.delete("/sales-channels/{channel_id}")
async def delete_channel(actor: StaffMember, channel_id: str, database: Db) -> Wire[Deleted]:
    """Delete the sales channel, unless it is the only one, has keys, or has carts or orders."""
    async with database.transaction() as session:
        await sales_channels.delete_channel(session, actor, channel_id)
    return Wire({"id": channel_id, "object": "sales-channel", "deleted": True})


@router.get("/api-keys")
async def list_keys(
    params: Annotated[KeysParameters, read_query(KeysParameters)], database: Db
) -> Wire[KeysAnswer]:
    """List the keys: publishable keys, which storefronts send with every call, and secret keys for programs."""
    async with database.read() as session:
        keys = await api_keys.list_api_keys(session)
    found = [(key, channel) for key, channel in keys if _matches_filters(key, params)]
    shown = [key_wire(key, channel) for key, channel in slice_page(found, params)]
    return Wire({"api_keys": pick_each(shown, params), **paging_fields(len(found), params)})


@router.post("/api-keys")
async def create_key(
    actor: StaffMember, body: NewKey, database: Db, fields: RequestedFields
) -> Wire[KeyAnswer]:
    """Create a key. Only this response contains the token of a secret key."""
    if body.type == "publishable" and body.role is not None:
        raise InvalidData("A publishable key has no role")
    async with database.transaction() as session:
        if body.type == "publishable":
            return await _key_answer(
                session, await api_keys.create_publishable_key(session, actor, body.title), fields
            )
        key, token = await create_secret_key(session, actor, body.title, body.role or Role.SHOP)
        shown: KeyOut = {**key_wire(key), "token": token}
        return Wire({"api_key": fields.pick(shown)})


@router.get("/api-keys/{key_id}")
async def read_key(key_id: str, database: Db, fields: RequestedFields) -> Wire[KeyAnswer]:
    """Return the key."""
    async with database.read() as session:
        return await _key_answer(session, await api_keys.find_key(session, key_id), fields)


@router.post("/api-keys/{key_id}")
async def update_key(
    actor: StaffMember, key_id: str, body: KeyChange, database: Db, fields: RequestedFields
) -> Wire[KeyAnswer]:
    """Change the key's title."""
    async with database.transaction() as session:
        return await _key_answer(
            session, await api_keys.rename_key(session, actor, key_id, body.title), fields
        )


@router.delete("/api-keys/{key_id}")
async def delete_key(actor: StaffMember, key_id: str, database: Db) -> Wire[Deleted]:
    """Delete a revoked key."""
    async with database.transaction() as session:
        await api_keys.delete_key(session, actor, key_id)
    return Wire({"id": key_id, "object": "api_key", "deleted": True})


@router.post("/api-keys/{key_id}/revoke")
async def revoke_key(
    actor: StaffMember, key_id: str, database: Db, fields: RequestedFields, body: Revocation | None = None
) -> Wire[KeyAnswer]:
    """Revoke the key on all replicas, immediately or after some seconds. One publishable key must remain."""
    after = timedelta(seconds=(body and body.revoke_in) or 0)
    async with database.transaction() as session:
        return await _key_answer(session, await api_keys.revoke_key(session, actor, key_id, after), fields)


@router.post("/api-keys/{key_id}/sales-channels")
async def change_key_channels(
    actor: StaffMember, key_id: str, body: KeyChannels, database: Db, fields: RequestedFields
) -> Wire[KeyAnswer]:
    """Change the sales channel of a publishable key, which has exactly one."""
    async with database.transaction() as session:
        key = await api_keys.link_channels(
            session, actor, key_id, add=body.add or (), remove=body.remove or ()
        )
        return await _key_answer(session, key, fields)


def _matches_filters(key: ApiKey, params: KeysParameters) -> bool:
    return (
        _matches_fields(key, params)
        and all(_matches_filters(key, part) for part in params.all_of)
        and (not params.any_of or any(_matches_filters(key, part) for part in params.any_of))
    )


def _matches_fields(key: ApiKey, params: KeysParameters) -> bool:
    is_publishable = isinstance(key, PublishableKey)
    return (
        (params.type is None or (params.type == "publishable") is is_publishable)
        and (params.id is None or key.id in params.id)
        and (params.title is None or key.title in params.title)
        and (not params.q or params.q.casefold() in key.title.casefold())
    )


def _channel_answer(channel: SalesChannel, fields: Fields) -> Wire[ChannelAnswer]:
    return Wire({"sales_channel": fields.pick(channel_wire(channel))})


async def _key_answer(session: AsyncSession, key: ApiKey, fields: Fields) -> Wire[KeyAnswer]:
    channel = (
        await session.get(SalesChannel, key.sales_channel_id) if isinstance(key, PublishableKey) else None
    )
    return Wire({"api_key": fields.pick(key_wire(key, channel))})

"""Changes of staff: the shop always has an owner, and concurrent changes are detected."""

import asyncio

import pytest

from backend.app import Shop
from backend.core.errors import Conflict, Forbidden, NotAllowed, NotFound
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, create_staff, list_staff
from backend.staff.sessions import end_everywhere
from tests.backend.staff.conftest import PASSWORD


def sign_in_actor(staff_id: str) -> Actor:
    return Actor(staff_id, Role.OWNER, has_second_factor=True, session_id="staffses_x")


async def demote(shop: Shop, actor: Actor, staff_id: str) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, actor, staff_id, role=Role.SHOP)


async def owners(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return [one.id for one in await list_staff(session, COMMAND_LINE) if one.role == Role.OWNER]


async def test_one_owner_remains_if_two_owners_demote_each_other(shop: Shop, staff: dict[Role, str]) -> None:
    first = staff[Role.OWNER]
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    results = await asyncio.gather(
        demote(shop, sign_in_actor(first), second),
        demote(shop, sign_in_actor(second), first),
        return_exceptions=True,
    )
    refused = [one for one in results if one is not None]
    assert len(refused) == 1
    assert isinstance(refused[0], Forbidden | NotAllowed)
    assert len(await owners(shop)) == 1


async def test_demoted_owner_cannot_change_staff(shop: Shop, staff: dict[Role, str]) -> None:
    """Demote the actor after the request has started."""
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    await create_staff(shop.database, COMMAND_LINE, "tercera@trompo.example", PASSWORD)
    await demote(shop, COMMAND_LINE, second)
    with pytest.raises(Forbidden):
        await demote(shop, sign_in_actor(second), staff[Role.OWNER])
    with pytest.raises(Forbidden):  # cannot restore the own role either
        async with shop.database.transaction() as session:
            await change_staff(session, sign_in_actor(second), second, role=Role.OWNER)
    assert staff[Role.OWNER] in await owners(shop)


async def test_staff_role_changed_concurrently_is_not_overwritten(shop: Shop, staff: dict[Role, str]) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], role=Role.ACCOUNTANT, seen=Role.SHOP)
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await change_staff(session, COMMAND_LINE, staff[Role.SHOP], role=Role.STOCKROOM, seen=Role.SHOP)


async def test_sessions_of_other_members_cannot_be_ended_without_the_right(
    shop: Shop, staff: dict[Role, str]
) -> None:
    luis = Actor(staff[Role.SHOP], Role.SHOP, has_second_factor=True)
    async with shop.database.transaction() as session:
        await end_everywhere(session, luis, luis.id)
        with pytest.raises(Forbidden):
            await end_everywhere(session, luis, staff[Role.OWNER])
        with pytest.raises(NotFound):
            await end_everywhere(session, COMMAND_LINE, "user_none")
        with pytest.raises(NotFound):
            await reset(session, COMMAND_LINE, "user_none")

"""Changes of staff: the shop keeps an owner, and what somebody has seen is what they change."""

import asyncio

import pytest

from backend.app import Shop
from backend.core.errors import Conflict, Forbidden, NotAllowed, NotFound
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, create_staff, list_staff
from backend.staff.sessions import end_everywhere
from tests.backend.staff.conftest import PASSWORD


def signed_in(staff_id: str) -> Actor:
    return Actor(staff_id, Role.OWNER, has_second_factor=True, session_id="staffses_x")


async def demote(shop: Shop, actor: Actor, staff_id: str) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, actor, staff_id, role=Role.SHOP)


async def owners(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        return [one.id for one in await list_staff(session, COMMAND_LINE) if one.role is Role.OWNER]


async def test_of_two_owners_who_demote_each_other_one_stays(shop: Shop, staff: dict[Role, str]) -> None:
    first = staff[Role.OWNER]
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    results = await asyncio.gather(
        demote(shop, signed_in(first), second), demote(shop, signed_in(second), first), return_exceptions=True
    )
    refused = [one for one in results if one is not None]
    assert len(refused) == 1
    assert isinstance(refused[0], Forbidden | NotAllowed)
    assert len(await owners(shop)) == 1


async def test_who_is_no_owner_any_more_changes_nobody(shop: Shop, staff: dict[Role, str]) -> None:
    """Their request began when they were."""
    second = await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    await create_staff(shop.database, COMMAND_LINE, "tercera@trompo.example", PASSWORD)
    await demote(shop, COMMAND_LINE, second)
    with pytest.raises(Forbidden):
        await demote(shop, signed_in(second), staff[Role.OWNER])
    with pytest.raises(Forbidden):  # nor gives themselves their role back
        async with shop.database.transaction() as session:
            await change_staff(session, signed_in(second), second, role=Role.OWNER)
    assert staff[Role.OWNER] in await owners(shop)


async def test_a_role_that_was_changed_meanwhile_is_not_overwritten(
    shop: Shop, staff: dict[Role, str]
) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], role=Role.ACCOUNTANT, seen=Role.SHOP)
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await change_staff(session, COMMAND_LINE, staff[Role.SHOP], role=Role.STOCKROOM, seen=Role.SHOP)


async def test_nobody_ends_somebody_elses_sessions(shop: Shop, staff: dict[Role, str]) -> None:
    luis = Actor(staff[Role.SHOP], Role.SHOP, has_second_factor=True)
    async with shop.database.transaction() as session:
        await end_everywhere(session, luis, luis.id)
        with pytest.raises(Forbidden):
            await end_everywhere(session, luis, staff[Role.OWNER])
        with pytest.raises(NotFound):
            await end_everywhere(session, COMMAND_LINE, "user_none")
        with pytest.raises(NotFound):
            await reset(session, COMMAND_LINE, "user_none")

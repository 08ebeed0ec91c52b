"""Custom roles: only the owner makes them, members have exactly their rights, and changes act at once."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import Conflict, Duplicate, Forbidden, InvalidData, NotAllowed, NotFound
from backend.staff.invites import invite, list_invites
from backend.staff.models import Staff, StaffInvite, StaffRole
from backend.staff.rights import COMMAND_LINE, Actor, Right, Role, SecondFactorMissing
from backend.staff.roles import RoleInUse, change_role, create_role, delete_role, list_roles
from backend.staff.service import change_staff
from backend.staff.sessions import Browser, actor_of_session, open_session
from backend.staff_notices.choices import Channel, list_recipients
from backend.staff_notices.kinds import RULES, NoticeKind
from tests.backend.rivals import run_against_rival

CASHIER = frozenset({Right.READ_CATALOG, Right.READ_ORDERS, Right.CAPTURE_PAYMENTS})


@pytest.fixture
async def owner(shop: Shop, staff: dict[Role, str]) -> Actor:
    """Return the owner, signed in with the second factor."""
    return Actor(staff[Role.OWNER], Role.OWNER, has_second_factor=True, session_id="staffses_1")


async def make_role(
    shop: Shop, actor: Actor, name: str = "Cajera", rights: frozenset[Right] = CASHIER
) -> str:
    async with shop.database.transaction() as session:
        return await create_role(session, actor, name, rights)


async def give_role(shop: Shop, actor: Actor, staff_id: str, role: str) -> None:
    async with shop.database.transaction() as session:
        await change_staff(session, actor, staff_id, role=role)


async def sign_in(shop: Shop, staff_id: str) -> str:
    async with shop.database.transaction() as session:
        return await open_session(session, staff_id, Browser("190.24.1.1"), has_second_factor=True)


async def read_actor(shop: Shop, token: str) -> Actor:
    actor = await actor_of_session(shop.database, token)
    assert actor is not None
    return actor


async def test_members_have_exactly_the_rights_of_their_role_and_lose_them_immediately(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    role = await make_role(shop, owner)
    token = await sign_in(shop, staff[Role.SHOP])
    await give_role(shop, owner, staff[Role.SHOP], role)
    cashier = await read_actor(shop, token)
    assert (cashier.rights, cashier.role_name) == (CASHIER, "Cajera")
    cashier.require(Right.CAPTURE_PAYMENTS)
    with pytest.raises(Forbidden):
        cashier.require(Right.CHANGE_CATALOG)
    async with shop.database.transaction() as session:
        await change_role(session, owner, role, "Caja", {Right.READ_CATALOG, Right.CHANGE_STOCK})
    cashier = await read_actor(shop, token)
    # a right that is of no use without another one brings it
    assert cashier.rights == {Right.READ_CATALOG, Right.CHANGE_STOCK, Right.READ_STOCK}
    with pytest.raises(Forbidden):
        cashier.require(Right.CAPTURE_PAYMENTS)
    async with shop.database.read() as session:
        actions = (
            await session.execute(
                select(AuditEntry.action, AuditEntry.subject_type).where(AuditEntry.subject_id == role)
            )
        ).all()
    assert {tuple(one) for one in actions} == {("created", "staff_role"), ("changed", "staff_role")}


async def test_right_to_edit_orders_includes_the_right_to_see_them(shop: Shop, owner: Actor) -> None:
    role = await make_role(shop, owner, rights=frozenset({Right.EDIT_ORDERS}))
    async with shop.database.read() as session:
        [found] = await list_roles(session, owner)
    assert (found.id, found.rights) == (role, frozenset({Right.EDIT_ORDERS, Right.READ_ORDERS}))


async def test_only_an_owner_with_the_second_factor_makes_roles(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    role = await make_role(shop, owner)
    shop_member = Actor(staff[Role.SHOP], Role.SHOP, has_second_factor=True, session_id="staffses_2")
    weak_owner = Actor(staff[Role.OWNER], Role.OWNER, session_id="staffses_3")
    demoted = Actor(staff[Role.SHOP], Role.OWNER, has_second_factor=True, session_id="staffses_2")
    for actor, error in ((shop_member, Forbidden), (weak_owner, SecondFactorMissing), (demoted, Forbidden)):
        with pytest.raises(error):
            await make_role(shop, actor, "Otro")
        with pytest.raises(error):
            async with shop.database.transaction() as session:
                await change_role(session, actor, role, "Cajera", set(Right) - {Right.CHANGE_STAFF})
        with pytest.raises(error):
            async with shop.database.transaction() as session:
                await delete_role(session, actor, role)
    with pytest.raises(Forbidden):
        async with shop.database.read() as session:
            await list_roles(session, shop_member)


async def test_custom_role_never_includes_the_right_to_change_staff(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    for actor in (owner, COMMAND_LINE):
        with pytest.raises(Forbidden):
            await make_role(shop, actor, rights=frozenset({Right.CHANGE_STAFF}))
    role = await make_role(shop, owner, rights=frozenset(Right) - {Right.CHANGE_STAFF})
    async with shop.database.transaction() as session:  # as if another program had written it
        (await session.get_one(StaffRole, role)).rights = ["CHANGE_STAFF", "NO_SUCH_RIGHT", "SEE", "FULFILL"]
    await give_role(shop, owner, staff[Role.SHOP], role)
    manager = await read_actor(shop, await sign_in(shop, staff[Role.SHOP]))
    assert manager.rights == {Right.FULFILL}
    for attempt in (
        lambda session: change_staff(session, manager, staff[Role.SHOP], role=Role.OWNER),
        lambda session: invite(session, manager, "luz@trompo.example", Role.OWNER),
        lambda session: create_role(session, manager, "Otro", {Right.FULFILL}),
    ):
        with pytest.raises(Forbidden):
            async with shop.database.transaction() as session:
                await attempt(session)


@pytest.mark.parametrize(
    ("name", "rights", "field"),
    [
        ("", CASHIER, "name"),
        ("x" * 41, CASHIER, "name"),
        ("Caja", frozenset(), "rights"),
    ],
)
async def test_invalid_role_is_refused(
    shop: Shop, owner: Actor, name: str, rights: frozenset[Right], field: str
) -> None:
    with pytest.raises(InvalidData) as refused:
        await make_role(shop, owner, name, rights)
    assert set(refused.value.fields) == {field}


@pytest.mark.parametrize("name", ["cajera", " CAJERA ", "dueño", "Owner"])
async def test_custom_role_with_the_name_of_another_role_is_refused(
    shop: Shop, owner: Actor, name: str
) -> None:
    await make_role(shop, owner)
    with pytest.raises(Duplicate):
        await make_role(shop, owner, name)


async def test_number_of_custom_roles_is_limited(
    shop: Shop, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.staff.roles.MAX_ROLES", 1)
    await make_role(shop, owner)
    with pytest.raises(NotAllowed, match="at most 1") as refused:
        await make_role(shop, owner, "Otra")
    assert refused.value.staff_text == "Ya hay 1 y no caben más. Borra lo que ya no uses."


async def test_role_in_use_is_deleted_only_after_its_members_have_moved(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    role, other = await make_role(shop, owner), await make_role(shop, owner, "Ayudante")
    await give_role(shop, owner, staff[Role.SHOP], role)
    async with shop.database.transaction() as session:
        await invite(session, owner, "luz@trompo.example", role)
    for move_to, error in (
        ("", RoleInUse),
        (role, RoleInUse),
        (Role.OWNER, RoleInUse),
        ("role_none", InvalidData),
    ):
        with pytest.raises(error):
            async with shop.database.transaction() as session:
                await delete_role(session, owner, role, move_to)
    async with shop.database.transaction() as session:
        await delete_role(session, owner, role, other)
        await delete_role(session, owner, await create_role(session, owner, "Nadie", CASHIER))
    async with shop.database.read() as session:
        assert (await session.get_one(Staff, staff[Role.SHOP])).role == other
        assert [one.role for one in await list_invites(session, owner)] == [other]
        assert [(one.name, one.users) for one in await list_roles(session, owner)] == [("Ayudante", 2)]
    with pytest.raises(NotFound):
        async with shop.database.transaction() as session:
            await delete_role(session, owner, role)
    with pytest.raises(InvalidData):
        await give_role(shop, owner, staff[Role.SHOP], role)


async def test_role_that_is_assigned_meanwhile_is_not_deleted(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    role = await make_role(shop, owner)

    async def delete() -> str:
        try:
            async with shop.database.transaction() as session:
                await delete_role(session, owner, role)
        except RoleInUse:
            return "in use"
        return "deleted"

    async def assign(session: object) -> None:
        await change_staff(session, owner, staff[Role.SHOP], role=role)  # type: ignore[arg-type]

    assert await run_against_rival(shop.database, assign, delete) == "in use"


async def test_person_who_joins_while_their_role_is_deleted_gets_the_replacement_role(
    shop: Shop, owner: Actor
) -> None:
    role = await make_role(shop, owner)
    async with shop.database.transaction() as session:
        await invite(session, owner, "luz@trompo.example", role)

    async def join(session: AsyncSession) -> None:
        invited = (await session.execute(select(StaffInvite).with_for_update())).scalar_one()
        session.add(Staff(email=invited.email, password_hash="", role=invited.role))
        await session.delete(invited)

    async def delete() -> None:
        async with shop.database.transaction() as session:
            await delete_role(session, owner, role, Role.STOCKROOM)

    await run_against_rival(shop.database, join, delete)
    async with shop.database.read() as session:
        joined = select(Staff.role).where(Staff.email == "luz@trompo.example")
        assert (await session.execute(joined)).scalar_one() == Role.STOCKROOM


async def test_rights_that_changed_since_they_were_displayed_are_not_overwritten(
    shop: Shop, owner: Actor
) -> None:
    role = await make_role(shop, owner)
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await change_role(session, owner, role, "Caja", CASHIER, seen={Right.FULFILL})
    async with shop.database.transaction() as session:
        await change_role(session, owner, role, "Caja", {Right.FULFILL}, seen=CASHIER)


async def test_members_of_a_custom_role_get_notices_if_it_has_the_right(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    kind = NoticeKind.ORDER_PAID
    for rights, is_recipient in (
        (frozenset({RULES[kind].right}), True),
        (frozenset({Right.READ_CATALOG}), False),
    ):
        role = await make_role(shop, owner, f"Rol {is_recipient}", rights)
        await give_role(shop, owner, staff[Role.SHOP], role)
        async with shop.database.read() as session:
            found = {member.id for member in await list_recipients(session, kind, Channel.MAIL)}
        assert (staff[Role.SHOP] in found) is is_recipient


def test_unknown_role_has_no_right() -> None:
    actor = Actor("user_1", "role_gone", has_second_factor=True)
    assert (actor.rights, actor.role_name) == (frozenset(), "")

"""Notices that a staff member gets: on by default, and changed by themselves or by the owner."""

import asyncio

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import Forbidden, NotFound
from backend.staff.rights import RIGHTS, Actor, Role
from backend.staff_notices.choices import Channel, list_kinds, read_choices, save_choices
from backend.staff_notices.kinds import RULES, NoticeKind
from tests.backend.staff_notices.conftest import Office, ask_pqrs


async def choose(shop: Shop, actor: Actor, staff_id: str, *kinds: NoticeKind) -> None:
    async with shop.database.transaction() as session:
        await save_choices(session, actor, staff_id, {Channel.MAIL: kinds})


async def read_on(shop: Shop, actor: Actor) -> set[NoticeKind]:
    async with shop.database.read() as session:
        return {
            choice.kind
            for choice in await read_choices(session, actor, actor.id)
            if Channel.MAIL in choice.channels
        }


@pytest.mark.parametrize("role", Role)
async def test_notices_that_the_role_may_act_on_are_enabled_by_default(
    shop: Shop, office: Office, role: Role
) -> None:
    kinds = {kind for kind, rules in RULES.items() if rules.right in RIGHTS[role]}
    assert await read_on(shop, office.actor(role)) == kinds == set(list_kinds(RIGHTS[role]))


async def test_stockroom_gets_only_notices_of_orders_and_stock() -> None:
    assert list_kinds(RIGHTS[Role.STOCKROOM]) == [NoticeKind.ORDER_PAID, NoticeKind.STOCK]


async def test_kind_of_notice_that_a_member_disabled_is_not_mailed_to_them(
    shop: Shop, office: Office
) -> None:
    owner = office.actor(Role.OWNER)
    await choose(shop, owner, owner.id, NoticeKind.ORDER_PAID)
    assert await read_on(shop, owner) == {NoticeKind.ORDER_PAID}
    await ask_pqrs(shop)
    await office.send()
    assert office.notices() == [("shop", "Llegó una PQRS")]
    await choose(shop, owner, owner.id, NoticeKind.PQRS)
    assert await read_on(shop, owner) == {NoticeKind.PQRS}


async def test_changed_choice_of_notices_is_audited_with_the_names_of_the_notices(
    shop: Shop, office: Office
) -> None:
    packer = office.actor(Role.STOCKROOM)
    await choose(shop, packer, packer.id, *list_kinds(RIGHTS[Role.STOCKROOM]))  # nothing changes
    await choose(shop, packer, packer.id, NoticeKind.STOCK)
    async with shop.database.read() as session:
        (entry,) = (await session.execute(select(AuditEntry))).scalars()
    assert (entry.actor_id, entry.action, entry.subject_id) == (packer.id, "notices chosen", packer.id)
    names = [RULES[NoticeKind.ORDER_PAID].name, RULES[NoticeKind.STOCK].name]
    (change,) = entry.changes
    assert (change["field"], change["before"], change["after"]) == ("notices by mail", names, names[1:])


async def test_notices_of_others_are_changed_only_by_owners(shop: Shop, office: Office) -> None:
    with pytest.raises(Forbidden):
        await choose(shop, office.actor(Role.SHOP), office.ids[Role.STOCKROOM])
    with pytest.raises(Forbidden):
        await choose(shop, office.actor(Role.OWNER, has_second_factor=False), office.ids[Role.STOCKROOM])
    with pytest.raises(NotFound):
        await choose(shop, office.actor(Role.OWNER), "user_none")
    await choose(shop, office.actor(Role.OWNER), office.ids[Role.STOCKROOM])
    assert await read_on(shop, office.actor(Role.STOCKROOM)) == set()


async def test_simultaneous_equal_choices_of_notices_raise_no_error(shop: Shop, office: Office) -> None:
    packer = office.actor(Role.STOCKROOM)
    await asyncio.gather(*(choose(shop, packer, packer.id) for _number in range(3)))
    assert await read_on(shop, packer) == set()

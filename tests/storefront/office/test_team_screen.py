"""Equipo and Mi cuenta, as browsers at which two of the staff are signed in."""

from typing import Any

import pytest

from backend.app import Shop
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import change_staff, list_staff
from storefront.office.team.account import OwnAccountState
from storefront.office.team.state import TeamState
from tests.storefront.office.conftest import At

LINA = {"email": "lina@trompo.example", "role": "stockroom"}


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, role: Role = Role.OWNER, **more: Any) -> Any:
    root = await browser_of(role, "/oficina/equipo", **more)
    screen: Any = await root.get_state(TeamState)
    await sent(screen, "load")
    return screen


async def role_of(shop: Shop, staff_id: str) -> tuple[Role, bool]:
    async with shop.database.read() as session:
        (found,) = [one for one in await list_staff(session, COMMAND_LINE) if one.id == staff_id]
    return found.role, found.is_disabled


async def other(shop: Shop, browser_of: At, role: Role = Role.SHOP) -> str:
    root = await browser_of(role)
    account: Any = await root.get_state(OwnAccountState)
    await sent(account, "load")
    async with shop.database.read() as session:
        return next(
            one.id for one in await list_staff(session, COMMAND_LINE) if one.email == account.content.email
        )


async def test_somebody_is_invited_again_and_not_at_all(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of)
    await sent(screen, "invite", LINA)
    assert (screen.told.tone, screen.sent, screen.problems) == ("news", 1, {})
    (row,) = screen.content.invites
    await sent(screen, "send_again", row.id)
    assert screen.told.tone == "news"
    await sent(screen, "revoke", row.id)
    assert screen.content.invites == []
    for name in ("send_again", "revoke"):
        await sent(screen, name, row.id)
        assert screen.told.tone == "problem"


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"email": "lina", "role": "shop"}, "email"),
        ({"email": "", "role": "shop"}, "email"),
        ({**LINA, "role": ""}, "role"),
        ({**LINA, "role": "captain"}, "role"),
        ({}, "role"),
    ],
)
async def test_what_is_wrong_is_said_beside_it(browser_of: At, form: dict[str, str], field: str) -> None:
    screen = await opened(browser_of)
    await sent(screen, "invite", form)
    assert (list(screen.problems), screen.told.tone, screen.content.invites) == ([field], "problem", [])


async def test_a_member_is_changed(shop: Shop, browser_of: At) -> None:
    luis = await other(shop, browser_of)
    screen = await opened(browser_of)
    await sent(screen, "change_role", {"id": luis, "seen": "shop", "role": "accountant"})
    assert (screen.told.tone, await role_of(shop, luis)) == ("news", (Role.ACCOUNTANT, False))
    await sent(screen, "change_role", {"id": luis, "seen": "shop", "role": "stockroom"})
    assert (screen.told.tone, "Contabilidad" in screen.told.text, "Bodega" in screen.told.text) == (
        "problem",
        True,
        True,
    )
    await sent(screen, "disable", luis)
    assert await role_of(shop, luis) == (Role.ACCOUNTANT, True)
    await sent(screen, "enable", luis)
    assert await role_of(shop, luis) == (Role.ACCOUNTANT, False)
    for name in ("end_sessions", "take_code"):
        await sent(screen, name, luis)
        assert screen.told.tone == "news"
        await sent(screen, name, "user_none")
        assert screen.told.tone == "problem"


async def test_the_last_owner_stays_one(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of)
    (me,) = [one.id for one in screen.content.members if one.is_self]
    await sent(screen, "change_role", {"id": me, "seen": "owner", "role": "shop"})
    assert (screen.told.tone, await role_of(shop, me)) == ("problem", (Role.OWNER, False))
    await sent(screen, "disable", me)
    assert (screen.told.tone, await role_of(shop, me)) == ("problem", (Role.OWNER, False))


async def test_without_the_code_it_is_read_and_not_changed(shop: Shop, browser_of: At) -> None:
    luis = await other(shop, browser_of)
    screen = await opened(browser_of, second_factor=False)
    assert screen.content.missing == "enrol"
    await sent(screen, "disable", luis)
    assert (screen.told.tone, await role_of(shop, luis)) == ("problem", (Role.SHOP, False))


async def test_what_others_do_moves_no_row(shop: Shop, browser_of: At) -> None:
    screen, rival = await opened(browser_of), await opened(browser_of)
    await sent(screen, "invite", LINA)
    before = [one.id for one in screen.content.members]
    luis = next(one.id for one in screen.content.members if not one.is_self)
    await sent(rival, "invite", {"email": "aaa@trompo.example", "role": "shop"})
    (row,) = screen.content.invites
    await sent(rival, "revoke", row.id)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, luis, is_disabled=True)
    await screen._update()
    assert screen.fresh == 1
    assert [one.id for one in screen.content.members] == before
    assert [one.is_disabled for one in screen.content.members if one.id == luis] == [True]
    assert [(one.id, one.is_gone) for one in screen.content.invites] == [(row.id, True)]


@pytest.mark.parametrize("nonsense", [None, 7, "", "x" * 100, ["a"], {"id": "x"}])
async def test_what_no_page_sends_changes_nothing(browser_of: At, nonsense: Any) -> None:
    screen = await opened(browser_of)
    for name in TeamState.event_handlers:
        if name not in {"load", "setvar"}:
            await sent(screen, name, nonsense)
            assert screen.told.tone == "problem", name


async def test_one_ends_ones_own_sessions_and_no_others(shop: Shop, browser_of: At) -> None:
    root, stranger = await browser_of(Role.STOCKROOM), await browser_of(Role.SHOP)
    account: Any = await root.get_state(OwnAccountState)
    theirs: Any = await stranger.get_state(OwnAccountState)
    for screen in (account, theirs):
        await sent(screen, "load")
    (row,) = theirs.content.sessions
    await sent(account, "end_session", row.id)
    assert account.told.tone == "problem"
    (own,) = account.content.sessions
    assert own.is_current
    await sent(account, "end_session", own.id)
    await account._update()
    assert (account.content, account.problem) == (None, "ended")

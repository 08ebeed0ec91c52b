"""Staff and account screens (Equipo, Mi cuenta), used by two staff members."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.web.passwords import MIN_STAFF_LENGTH
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import change_staff, list_staff
from storefront.live.refresh import update_state
from storefront.office.auth.sign_in import invitation_form
from storefront.office.team.account import OwnAccountState, password_panel
from storefront.office.team.state import TeamState
from tests.backend.staff_notices.push.conftest import PushBrowser
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

LINA = {"email": "lina@trompo.example", "role": "stockroom"}


async def open_screen(browser_of: BrowserFactory, role: Role = Role.OWNER, **more: Any) -> Any:
    root = await browser_of(role, "/oficina/equipo", **more)
    screen: Any = await root.get_state(TeamState)
    await send_event(screen, "load")
    return screen


async def read_role(shop: Shop, staff_id: str) -> tuple[str, bool]:
    async with shop.database.read() as session:
        (found,) = [row for row in await list_staff(session, COMMAND_LINE) if row.id == staff_id]
    return found.role, found.is_disabled


async def create_member(shop: Shop, browser_of: BrowserFactory, role: Role = Role.SHOP) -> str:
    root = await browser_of(role)
    account: Any = await root.get_state(OwnAccountState)
    await send_event(account, "load")
    async with shop.database.read() as session:
        return next(
            row.id for row in await list_staff(session, COMMAND_LINE) if row.email == account.content.email
        )


async def test_invitation_is_sent_again_and_revoked(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "invite", LINA)
    assert (screen.announcement.tone, screen.invite_count, screen.problems) == ("news", 1, {})
    (row,) = screen.content.invites
    await send_event(screen, "send_again", row.id)
    assert screen.announcement.tone == "news"
    await send_event(screen, "revoke", row.id)
    assert screen.content.invites == []
    for name in ("send_again", "revoke"):
        await send_event(screen, name, row.id)
        assert screen.announcement.tone == "problem"


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
async def test_invalid_invitation_marks_its_field(
    browser_of: BrowserFactory, form: dict[str, str], field: str
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "invite", form)
    assert (list(screen.problems), screen.announcement.tone, screen.content.invites) == (
        [field],
        "problem",
        [],
    )


async def test_owner_changes_a_staff_member(shop: Shop, browser_of: BrowserFactory) -> None:
    luis = await create_member(shop, browser_of)
    screen = await open_screen(browser_of)
    await send_event(screen, "change_role", {"id": luis, "seen": "shop", "role": "accountant"})
    assert (screen.announcement.tone, await read_role(shop, luis)) == ("news", (Role.ACCOUNTANT, False))
    await send_event(screen, "change_role", {"id": luis, "seen": "shop", "role": "stockroom"})
    assert (
        screen.announcement.tone,
        "Contabilidad" in screen.announcement.text,
        "Bodega" in screen.announcement.text,
    ) == (
        "problem",
        True,
        True,
    )
    await send_event(screen, "disable", luis)
    assert await read_role(shop, luis) == (Role.ACCOUNTANT, True)
    await send_event(screen, "enable", luis)
    assert await read_role(shop, luis) == (Role.ACCOUNTANT, False)
    for name in ("end_sessions", "remove_second_factor"):
        await send_event(screen, name, luis)
        assert screen.announcement.tone == "news"
        await send_event(screen, name, "user_none")
        assert screen.announcement.tone == "problem"


async def test_last_owner_cannot_be_demoted_or_disabled(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    (me,) = [row.id for row in screen.content.members if row.is_self]
    await send_event(screen, "change_role", {"id": me, "seen": "owner", "role": "shop"})
    assert (screen.announcement.tone, await read_role(shop, me)) == ("problem", (Role.OWNER, False))
    await send_event(screen, "disable", me)
    assert (screen.announcement.tone, await read_role(shop, me)) == ("problem", (Role.OWNER, False))


async def test_team_is_read_only_without_a_second_factor(shop: Shop, browser_of: BrowserFactory) -> None:
    luis = await create_member(shop, browser_of)
    screen = await open_screen(browser_of, second_factor=False)
    assert screen.content.missing == "enrol"
    await send_event(screen, "disable", luis)
    assert (screen.announcement.tone, await read_role(shop, luis)) == ("problem", (Role.SHOP, False))


async def test_rows_of_the_team_list_do_not_move_after_changes_by_others(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen, rival = await open_screen(browser_of), await open_screen(browser_of)
    await send_event(screen, "invite", LINA)
    before = [row.id for row in screen.content.members]
    luis = next(row.id for row in screen.content.members if not row.is_self)
    await send_event(rival, "invite", {"email": "aaa@trompo.example", "role": "shop"})
    (row,) = screen.content.invites
    await send_event(rival, "revoke", row.id)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, luis, is_disabled=True)
    await update_state(screen)
    assert screen.new_count == 1
    assert [row.id for row in screen.content.members] == before
    assert [row.is_disabled for row in screen.content.members if row.id == luis] == [True]
    assert [(row.id, row.is_gone) for row in screen.content.invites] == [(row.id, True)]


@pytest.mark.parametrize("nonsense", [None, 7, "", "x" * 100, ["a"], {"id": "x"}])
async def test_invalid_arguments_of_team_events_are_refused(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_screen(browser_of)
    for name in TeamState.event_handlers:
        if name not in {"load", "setvar"}:
            await send_event(screen, name, nonsense)
            assert screen.announcement.tone == "problem", name


async def test_staff_member_ends_only_their_own_sessions(shop: Shop, browser_of: BrowserFactory) -> None:
    root, stranger = await browser_of(Role.STOCKROOM), await browser_of(Role.SHOP)
    account: Any = await root.get_state(OwnAccountState)
    theirs: Any = await stranger.get_state(OwnAccountState)
    for screen in (account, theirs):
        await send_event(screen, "load")
    (row,) = theirs.content.sessions
    await send_event(account, "end_session", row.id)
    assert account.announcement.tone == "problem"
    (own,) = account.content.sessions
    assert own.is_current
    await send_event(account, "end_session", own.id)
    await update_state(account)
    assert (account.content, account.problem) == (None, "ended")


async def test_member_chooses_their_own_notices(shop: Shop, browser_of: BrowserFactory) -> None:
    account: Any = await (await browser_of(Role.STOCKROOM)).get_state(OwnAccountState)
    await send_event(account, "load")
    assert [(row.kind, row.by_mail) for row in account.content.notices] == [
        ("order_paid", True),
        ("stock", True),
    ]
    await send_event(
        account,
        "choose_notices",
        {"stock-by_mail": "yes", "order_paid-by_push": "yes", "pqrs-by_mail": "yes"},
    )
    assert account.announcement.tone == "news"
    assert [(row.by_mail, row.by_push) for row in account.content.notices] == [(False, True), (True, False)]


async def test_member_adds_and_removes_a_browser_for_push_messages(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    account: Any = await (await browser_of(Role.STOCKROOM)).get_state(OwnAccountState)
    other: Any = await (await browser_of(Role.OWNER)).get_state(OwnAccountState)
    browser = PushBrowser()
    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    for screen in (account, other):
        await send_event(screen, "load")
    for endpoint in ("http://push.example/1", "https://push.example/" + "x" * 5_000, ""):
        await send_event(account, "add_device", {"endpoint": endpoint, **keys})
        assert (account.announcement.tone, account.content.devices) == ("problem", [])
    await send_event(account, "add_device", {"endpoint": "https://push.example/1", **keys})
    assert account.announcement.text == "Los avisos llegan a este equipo."
    (device,) = account.content.devices
    await send_event(other, "remove_device", device.id)
    assert other.announcement.tone == "problem"
    await send_event(account, "remove_device", device.id)
    assert account.content.devices == []
    async with shop.database.read() as session:
        query = (
            select(AuditEntry.action).where(AuditEntry.action.startswith("device ")).order_by(AuditEntry.id)
        )
        assert (await session.execute(query)).scalars().all() == ["device added", "device removed"]


async def test_owner_chooses_the_notices_of_others(shop: Shop, browser_of: BrowserFactory) -> None:
    staff_id = await create_member(shop, browser_of)
    screen = await open_screen(browser_of)
    await send_event(screen, "choose_notices", {"id": staff_id, "order_paid-by_mail": "yes"})
    (row,) = [row for row in screen.content.members if row.id == staff_id]
    assert [notice.kind for notice in row.notices if notice.by_mail] == ["order_paid"]
    without_code = await open_screen(browser_of, second_factor=False)
    await send_event(without_code, "choose_notices", {"id": staff_id})
    assert without_code.announcement.tone == "problem"
    await send_event(screen, "choose_notices", {"id": "user_none"})
    assert screen.announcement.tone == "problem"


async def test_custom_role_is_created_assigned_changed_and_deleted(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    member = await create_member(shop, browser_of)
    screen = await open_screen(browser_of)
    await send_event(screen, "use_example", "caja")
    form = screen.new_role
    ticked = {f"right:{box.name}": "on" for group in form.groups for box in group.boxes if box.is_ticked}
    assert (form.name, "right:SELL" in ticked) == ("Cajera o cajero", True)
    typed = {"id": "", "name": form.name, "seen": "", **ticked}
    await send_event(screen, "save_role", {**typed, "name": ""})
    assert set(screen.problems) == {"name"}
    await send_event(screen, "save_role", typed)
    assert (screen.announcement.tone, screen.problems, screen.new_role.name) == ("news", {}, "")
    await send_event(screen, "save_role", typed)
    assert set(screen.problems) == {"name"}
    (role,) = screen.content.roles
    assert role.seen == " ".join(sorted(name.removeprefix("right:") for name in ticked))
    await send_event(screen, "change_role", {"id": member, "role": role.id, "seen": "shop"})
    assert await read_role(shop, member) == (role.id, False)
    assert "Cajera o cajero" in screen.announcement.text
    cashier: Any = await (await browser_of(Role.SHOP, "/oficina/equipo")).get_state(TeamState)
    await send_event(cashier, "load")
    assert cashier.problem == "forbidden"
    changed = {"id": role.id, "name": "Caja", "seen": role.seen, "right:READ_CATALOG": "on"}
    await send_event(screen, "save_role", changed)
    assert [(one.name, one.users) for one in screen.content.roles] == [("Caja", "1 persona")]
    await send_event(screen, "save_role", changed)  # its rights are no longer those of the form
    assert screen.announcement.tone == "problem"
    await send_event(screen, "delete_role", {"id": role.id, "move_to": ""})
    assert (screen.announcement.tone, len(screen.content.roles)) == ("problem", 1)
    await send_event(screen, "delete_role", {"id": role.id, "move_to": "stockroom"})
    assert (screen.content.roles, await read_role(shop, member)) == ([], ("stockroom", False))
    for name, form_data in (("save_role", {"right:CHANGE_STAFF": "on"}), ("delete_role", {"id": ""})):
        await send_event(screen, name, {"name": "Otro", **form_data})
        assert screen.announcement.tone == "problem"
    assert screen.content.roles == []


@pytest.mark.parametrize(
    "typed",
    [
        None,
        7,
        {"name": ["Caja"]},
        {"name": "x" * 9_000},
        {"name": "Caja", "right:SELL": {"a": 1}},
        {"id": "role_none", "name": "Caja", "right:SELL": "on"},
        {"id": "owner", "name": "Caja", "right:SELL": "on"},
        {"id": 5, "name": "Caja"},
    ],
)
async def test_invalid_input_of_the_role_form_changes_nothing(browser_of: BrowserFactory, typed: Any) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "save_role", typed)
    assert (screen.announcement.tone, screen.content.roles) == ("problem", [])
    wrongs: tuple[Any, ...] = (None, 7, {}, "nobody")
    for wrong in wrongs:
        await send_event(screen, "delete_role", wrong)
        assert screen.announcement.tone == "problem"


async def test_role_form_ignores_unknown_rights_and_rights_that_no_custom_role_gets(
    browser_of: BrowserFactory,
) -> None:
    screen = await open_screen(browser_of)
    typed = {
        "id": "",
        "name": "Caja",
        "seen": "",
        "right:SELL": "on",
        "right:CHANGE_STAFF": "on",
        "right:X": "on",
    }
    await send_event(screen, "save_role", typed)
    (role,) = screen.content.roles
    assert "CHANGE_STAFF" not in role.seen.split()
    assert "SELL" in role.seen.split()


@pytest.mark.parametrize("form", [invitation_form, password_panel])
def test_password_forms_of_staff_say_the_minimum_length(form: Callable[[], rx.Component]) -> None:
    assert f"Al menos {MIN_STAFF_LENGTH} caracteres." in str(form())

"""The commands `trompo admin …`: each returns a sentence for the terminal."""

import pytest

from backend.app import Shop
from backend.core.errors import NotFound
from backend.staff import admin_command
from backend.staff.rights import Role
from backend.staff.sessions import Browser, open_session
from tests.backend.staff.conftest import PASSWORD

OWNER, SHOP_MEMBER = "owner@trompo.example", "shop@trompo.example"


async def test_staff_list_without_members_shows_the_command_that_creates_one(shop: Shop) -> None:
    assert await admin_command.format_staff_list(shop.database) == (
        "There are no staff members. Create one: trompo admin create"
    )


async def test_staff_list_shows_disabled_members(shop: Shop, staff: dict[Role, str]) -> None:
    assert await admin_command.set_disabled(shop.database, SHOP_MEMBER, is_disabled=True) == (
        f"{SHOP_MEMBER} is disabled and signed out everywhere."
    )
    listed = (await admin_command.format_staff_list(shop.database)).splitlines()
    assert f"{SHOP_MEMBER}  shop  disabled  no second factor" in listed
    assert f"{OWNER}  owner  no second factor" in listed
    assert await admin_command.set_disabled(shop.database, SHOP_MEMBER, is_disabled=False) == (
        f"{SHOP_MEMBER} may sign in again."
    )
    assert "disabled" not in await admin_command.format_staff_list(shop.database)


async def test_admin_command_shows_and_ends_sessions(shop: Shop, staff: dict[Role, str]) -> None:
    async with shop.database.transaction() as session:
        for browser, has_second_factor in (
            (Browser("190.24.1.1", "Firefox"), True),
            (Browser("190.24.1.2"), False),
        ):
            await open_session(session, staff[Role.OWNER], browser, has_second_factor=has_second_factor)
    shown = (await admin_command.show_sessions(shop.database, OWNER, end=False)).splitlines()
    assert sorted(line.partition("  190")[2] for line in shown) == [
        ".24.1.1  Firefox  second factor",
        ".24.1.2  ",
    ]
    assert await admin_command.show_sessions(shop.database, OWNER, end=True) == (
        f"{OWNER} is signed out everywhere."
    )
    assert await admin_command.show_sessions(shop.database, OWNER, end=False) == (
        f"{OWNER} has no open sessions."
    )


async def test_admin_commands_change_roles_and_passwords(shop: Shop) -> None:
    lina = "lina@trompo.example"
    assert await admin_command.create(shop.database, lina, PASSWORD, Role.OWNER) == (
        f"{lina} may use the Admin API."
    )
    await admin_command.create(shop.database, OWNER, PASSWORD, Role.OWNER)
    assert await admin_command.give_role(shop.database, lina, Role.ACCOUNTANT) == (
        f"{lina} now has the role accountant."
    )
    assert await admin_command.change_password(shop.database, lina, f"otra {PASSWORD}") == (
        f"{lina} has a new password and is signed out everywhere."
    )
    assert await admin_command.reset_second_factor(shop.database, lina) == (
        f"{lina} no longer has a second factor and can set up a new one in the office."
    )
    assert f"{lina}  accountant  no second factor" in await admin_command.format_staff_list(shop.database)


async def test_admin_command_refuses_an_unknown_email(shop: Shop, staff: dict[Role, str]) -> None:
    with pytest.raises(NotFound, match=r"No staff member has the address nadie@trompo\.example"):
        await admin_command.give_role(shop.database, "nadie@trompo.example", Role.OWNER)

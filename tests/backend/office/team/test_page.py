"""The team screen and the own account: content and rights."""

from dataclasses import replace

import pytest

from backend.app import Shop
from backend.core.dates import hour_label
from backend.core.db.tables import insert_row
from backend.core.errors import Forbidden
from backend.office.team.account import ENROL, PROVE, browser_name, own_account
from backend.office.team.page import team_page
from backend.office_settings import NO_SUMMARY, save_settings
from backend.staff.invites import invite
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.staff.sessions import Browser, actor_of_session, open_session
from backend.staff_notices.push.models import PushSubscription

PHONE = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36"


async def sign_in_actor(
    shop: Shop, role: Role, *, secret: str | None = None, has_code: bool = False
) -> Actor:
    async with shop.database.transaction() as session:
        member = Staff(
            email=f"{role}@trompo.example", password_hash="never used", role=role, totp_secret=secret
        )
        session.add(member)
        await session.flush()
        token = await open_session(
            session, member.id, Browser("190.24.1.1", PHONE), has_second_factor=has_code
        )
    actor = await actor_of_session(shop.database, token)
    assert actor is not None
    return actor


async def test_team_page_shows_status_of_members_and_invitations(shop: Shop) -> None:
    owner = await sign_in_actor(shop, Role.OWNER, secret="x", has_code=True)
    async with shop.database.transaction() as session:
        session.add(Staff(email="nueva@trompo.example", password_hash="never used", role=Role.STOCKROOM))
        await invite(session, COMMAND_LINE, "lina@trompo.example", Role.SHOP)
    async with shop.database.read() as session:
        shown = await team_page(session, owner)
    new, me = shown.members
    assert (new.email, new.role_label, new.seen_label, new.is_self) == (
        "nueva@trompo.example",
        "Bodega",
        "",
        False,
    )
    assert (me.is_self, me.has_second_factor, me.seen_label != "") == (True, True, True)
    (asked,) = shown.invites
    assert (asked.email, asked.role_label, asked.status) == (
        "lina@trompo.example",
        "Tienda",
        "El correo aún no sale",
    )
    assert shown.missing == ""


@pytest.mark.parametrize(("secret", "missing"), [("x", PROVE), (None, ENROL)])
async def test_owner_without_a_second_factor_sees_what_is_missing(
    shop: Shop, secret: str | None, missing: str
) -> None:
    owner = await sign_in_actor(shop, Role.OWNER, secret=secret)
    async with shop.database.read() as session:
        assert (await team_page(session, owner)).missing == missing


@pytest.mark.parametrize("role", Role)
async def test_account_page_shows_only_the_signed_in_members_data(shop: Shop, role: Role) -> None:
    actor = await sign_in_actor(shop, role)
    async with shop.database.read() as session:
        own = await own_account(session, actor, "key")
        if role is not Role.OWNER:
            with pytest.raises(Forbidden):
                await team_page(session, actor)
    assert (own.email, own.has_second_factor, own.codes_left) == (f"{role}@trompo.example", False, 0)
    (this,) = own.sessions
    assert (this.title, this.is_current, this.detail.startswith("190.24.1.1")) == (
        "Chrome · Android",
        True,
        True,
    )


async def test_account_page_shows_the_hour_of_the_daily_summary(shop: Shop) -> None:
    actor = await sign_in_actor(shop, Role.OWNER)
    names = []
    for hour in ("", "15", str(NO_SUMMARY)):
        async with shop.database.transaction() as session:
            if hour:
                await save_settings(session, COMMAND_LINE, {"daily_summary_hour": hour})
            own = await own_account(session, actor, "key")
        names.append(own.notices[-1].name)
        assert not any("(" in notice.name for notice in own.notices[:-1])
    summary = "Resumen del día"
    assert names == [f"{summary} ({when})" for when in (hour_label(7), hour_label(15), "apagado en Ajustes")]


async def test_account_page_shows_if_this_browser_gets_push_messages(shop: Shop) -> None:
    actor = await sign_in_actor(shop, Role.OWNER)
    async with shop.database.transaction() as session:
        row = PushSubscription(
            staff_id=actor.id,
            endpoint="https://push.example/send/1",
            p256dh="x",
            auth="x",
            session_id=actor.session_id,
            device="Chrome",
        )
        await insert_row(session, row)
    async with shop.database.read() as session:
        here = await own_account(session, actor, "key")
        elsewhere = await own_account(session, replace(actor, session_id="another"), "key")
    assert (here.has_push_here, len(here.devices)) == (True, 1)
    assert (elsewhere.has_push_here, len(elsewhere.devices)) == (False, 1)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("", "Otro navegador"),
        ("curl/8", "Otro navegador"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1",
            "Safari · iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/142.0 Safari/537.36 Edg/142.0", "Edge · Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0", "Firefox · Linux"),
    ],
)
def test_user_agent_is_shown_as_a_browser_name(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name

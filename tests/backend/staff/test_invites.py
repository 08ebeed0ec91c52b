"""Invitations: a mailed link that works once, and only as intended by the inviter."""

import asyncio
import re
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.clock import now
from backend.core.errors import Conflict, Duplicate, Forbidden, InvalidData, NotFound
from backend.core.web.passwords import hash_token
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.staff import admin_command
from backend.staff.invites import invite, list_invites, read_invite, resend_invite, revoke_invite
from backend.staff.models import Staff, StaffInvite
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from backend.staff.service import change_staff, create_staff
from backend.staff.sessions import COOKIE, actor_of_session
from tests.backend.customers.conftest import NewBrowser
from tests.backend.mail.conftest import Inbox, inbox, text_of, worker
from tests.backend.staff.conftest import PASSWORD

__all__ = ["inbox", "worker"]

LINA = "lina@trompo.example"
TOKEN = re.compile(r"/oficina/entrar\?invitacion=1#token=([\w-]{43})\b")
NO_LONGER_VALID = "Este enlace ya no sirve. Abre el del último correo, o pide otra invitación."


@pytest.fixture
def owner(staff: dict[Role, str]) -> Actor:
    return Actor(staff[Role.OWNER], Role.OWNER, has_second_factor=True)


async def invite_member(shop: Shop, actor: Actor, email: str = LINA, role: Role = Role.SHOP) -> str:
    async with shop.database.transaction() as session:
        return (await invite(session, actor, email, role)).id


async def resend(shop: Shop, actor: Actor, invite_id: str) -> None:
    async with shop.database.transaction() as session:
        await resend_invite(session, actor, invite_id)


def token_of_mail(mail: EmailMessage) -> str:
    found = TOKEN.search(text_of(mail))
    assert found
    return found[1]


async def read_newest_token(worker: Worker, inbox: Inbox) -> str:
    """Send the mails and return the token of the newest one."""
    await worker.run_due()
    return token_of_mail(inbox.mails[-1])


async def accept_invitation(
    browser: httpx.AsyncClient, token: str, password: str = PASSWORD
) -> httpx.Response:
    return await browser.post("/auth/staff/invitation", json={"token": token, "password": password})


async def read_rows(shop: Shop, what: Any) -> list[Any]:
    async with shop.database.read() as session:
        return list((await session.execute(select(what))).scalars())


async def test_invited_person_chooses_a_password_and_is_signed_in(  # noqa: PLR0917
    shop: Shop,
    owner: Actor,
    worker: Worker,
    inbox: Inbox,
    new_browser: NewBrowser,
    caplog: pytest.LogCaptureFixture,
) -> None:
    invite_id = await invite_member(shop, owner)
    token = await read_newest_token(worker, inbox)
    (mail,) = inbox.mails
    assert (mail["To"], mail["Subject"]) == (LINA, f"Te invitan al equipo de {shop.settings.store_name}")
    assert "Tu rol: Tienda." in text_of(mail)
    (kept,) = await read_rows(shop, StaffInvite)
    assert (kept.token_hash, kept.sent_at is not None) == (hash_token(token), True)
    browser = new_browser()
    answer = await accept_invitation(browser, token)
    assert (answer.status_code, answer.json()) == (200, {"next": "/oficina"})
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert (actor.role, actor.has_second_factor) == (Role.SHOP, False)
    assert await read_rows(shop, StaffInvite) == []
    again = await new_browser().post("/auth/staff/login", json={"email": LINA, "password": PASSWORD})
    assert again.status_code == 200
    entries = {entry.action: entry for entry in await read_rows(shop, AuditEntry)}
    assert entries["invited"].subject_id == invite_id
    assert (entries["joined"].actor_id, entries["joined"].subject_id) == (actor.id, actor.id)
    assert LINA not in str([entry.changes for entry in entries.values()])
    assert token not in caplog.text
    assert token not in str([entry.changes for entry in entries.values()])


async def test_invited_owner_is_redirected_to_the_second_factor(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invite_member(shop, owner, role=Role.OWNER)
    answer = await accept_invitation(new_browser(), await read_newest_token(worker, inbox))
    assert answer.json() == {"next": "/oficina/entrar?codigo=1"}


async def expire(shop: Shop, _owner: Actor, _invite_id: str) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(StaffInvite).values(expires_at=now() - timedelta(seconds=1)))


async def withdraw(shop: Shop, owner: Actor, invite_id: str) -> None:
    async with shop.database.transaction() as session:
        await revoke_invite(session, owner, invite_id)


async def disable_the_inviter(shop: Shop, owner: Actor, _invite_id: str) -> None:
    await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, owner.id, is_disabled=True)


async def demote_the_inviter(shop: Shop, owner: Actor, _invite_id: str) -> None:
    await create_staff(shop.database, COMMAND_LINE, "otra@trompo.example", PASSWORD)
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, owner.id, role=Role.SHOP)


async def make_the_member(shop: Shop, _owner: Actor, _invite_id: str) -> None:
    await create_staff(shop.database, COMMAND_LINE, LINA, "otra clave larga")


@pytest.mark.parametrize(
    "meanwhile", [expire, withdraw, disable_the_inviter, demote_the_inviter, make_the_member]
)
async def test_invalid_invitation_link_is_refused(  # noqa: PLR0917
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser, meanwhile: Any
) -> None:
    invite_id = await invite_member(shop, owner)
    token = await read_newest_token(worker, inbox)
    before = len(await read_rows(shop, Staff))
    await meanwhile(shop, owner, invite_id)
    made = len(await read_rows(shop, Staff))
    answer = await accept_invitation(new_browser(), token)
    assert (answer.status_code, answer.json()["message"]) == (400, NO_LONGER_VALID)
    assert "set-cookie" not in answer.headers
    assert len(await read_rows(shop, Staff)) == made >= before


async def test_invitation_link_can_be_used_once(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invite_member(shop, owner)
    token = await read_newest_token(worker, inbox)
    answers = await asyncio.gather(*(accept_invitation(new_browser(), token) for _time in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
    assert [one.email for one in await read_rows(shop, Staff)].count(LINA) == 1


async def test_failed_attempts_do_not_use_up_an_invitation_link(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invite_member(shop, owner)
    token = await read_newest_token(worker, inbox)
    for method in ("GET", "HEAD", "OPTIONS"):
        looked = await new_browser().request(method, "/auth/staff/invitation", params={"token": token})
        assert looked.status_code == 405
    foreign = new_browser(origin="https://evil.example")
    assert (await accept_invitation(foreign, token)).status_code == 403
    short = await accept_invitation(new_browser(), token, "corta")
    assert (short.status_code, list(short.json()["fields"])) == (400, ["password"])
    assert (await accept_invitation(new_browser(), token)).status_code == 200


async def test_newer_invitation_mail_replaces_link_and_role(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invite_member(shop, owner, role=Role.OWNER)
    first = await read_newest_token(worker, inbox)
    assert await invite_member(shop, owner, email=" LINA@Trompo.Example ", role=Role.STOCKROOM) == invite_id
    second = await read_newest_token(worker, inbox)
    await resend(shop, owner, invite_id)
    third = await read_newest_token(worker, inbox)
    assert len({first, second, third}) == 3
    for old in (first, second):
        assert (await accept_invitation(new_browser(), old)).status_code == 400
    browser = new_browser()
    assert (await accept_invitation(browser, third)).status_code == 200
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert actor.role == Role.STOCKROOM


async def test_invitation_of_a_disabled_inviter_can_be_resent_and_accepted(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invite_member(shop, owner)
    await disable_the_inviter(shop, owner, invite_id)
    await worker.run_due()
    assert inbox.mails == []  # the inviter has no right any more
    async with shop.database.read() as session:
        assert (await read_invite(session, COMMAND_LINE, invite_id)).is_over
    await resend(shop, COMMAND_LINE, invite_id)
    assert (await accept_invitation(new_browser(), await read_newest_token(worker, inbox))).status_code == 200


async def test_failed_invitation_mail_is_shown(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invite_member(shop, owner)
    inbox.is_broken = True
    await worker.run_due()
    (kept,) = await read_rows(shop, StaffInvite)
    assert kept.sent_at is None
    inbox.is_broken = False
    await resend(shop, owner, invite_id)  # immediately, not at the job's next attempt
    token = await read_newest_token(worker, inbox)
    (kept,) = await read_rows(shop, StaffInvite)
    assert kept.sent_at is not None
    assert (await accept_invitation(new_browser(), token)).status_code == 200


async def test_invitation_resent_while_its_mail_is_being_sent_is_sent_again(
    shop: Shop, owner: Actor, new_browser: NewBrowser
) -> None:
    invite_id = await invite_member(shop, owner)

    class ResendingInbox(Inbox):
        async def send(self, mail: EmailMessage) -> None:
            await super().send(mail)
            if len(self.mails) == 1:
                await resend(shop, owner, invite_id)

    transport = ResendingInbox()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, transport)])
    await worker.run_due()
    await worker.run_due()
    first, second = map(token_of_mail, transport.mails)
    assert (await accept_invitation(new_browser(), first)).status_code == 400
    assert (await accept_invitation(new_browser(), second)).status_code == 200


async def test_second_concurrent_invitation_of_an_email_is_refused(shop: Shop, owner: Actor) -> None:
    results = await asyncio.gather(
        *(invite_member(shop, owner, role=role) for role in (Role.SHOP, Role.STOCKROOM)),
        return_exceptions=True,
    )
    assert all(isinstance(one, str | Conflict) for one in results)
    assert len(await read_rows(shop, StaffInvite)) == 1


@pytest.mark.parametrize(
    "email",
    ["", "lina", "lina@", f"{'l' * 60}@trompo.example", "ñandú@trompo.example", "lina@trömpo.example"],
)
async def test_invitation_with_an_invalid_email_is_refused_at_its_field(
    shop: Shop, owner: Actor, email: str
) -> None:
    with pytest.raises(InvalidData) as refused:
        await invite_member(shop, owner, email=email)
    assert list(refused.value.fields) == ["email"]


async def test_inviting_a_current_or_disabled_staff_member_is_refused(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    with pytest.raises(Duplicate) as refused:
        await invite_member(shop, owner, email="SHOP@trompo.example")
    assert list(refused.value.fields) == ["email"]
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], is_disabled=True)
    with pytest.raises(Duplicate):
        await invite_member(shop, owner, email="shop@trompo.example")


async def test_only_an_owner_with_a_second_factor_can_invite(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    invite_id = await invite_member(shop, owner)
    refusals: list[tuple[Actor, type[Forbidden]]] = [
        *(
            (Actor(staff[role], role, has_second_factor=True), Forbidden)
            for role in Role
            if role != Role.OWNER
        ),
        (Actor(owner.id, Role.OWNER), SecondFactorMissing),
    ]
    for actor, refusal in refusals:
        with pytest.raises(refusal):
            await invite_member(shop, actor, email="otra@trompo.example")
        with pytest.raises(refusal):
            await resend(shop, actor, invite_id)
        with pytest.raises(refusal):
            await withdraw(shop, actor, invite_id)
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await list_invites(session, refusals[0][0])
        with pytest.raises(NotFound):
            await read_invite(session, owner, "invite_none")
    with pytest.raises(NotFound):
        await resend(shop, owner, "invite_none")


async def test_guesses_of_invitation_links_are_limited(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invite_member(shop, owner)
    token = await read_newest_token(worker, inbox)
    for guess in ("", "x", hash_token(token), token[:-1], token.swapcase(), *map(str, range(5))):
        assert (await accept_invitation(new_browser(), guess)).status_code == 400
    assert (await accept_invitation(new_browser(), token)).status_code == 429
    assert (await accept_invitation(new_browser(ip="190.24.7.7"), token)).status_code == 200


async def test_owner_invites_over_http(admin: httpx.AsyncClient, shop: Shop) -> None:
    asked = {"email": "Lina@Trompo.example", "role": "shop"}
    made = (await admin.post("/admin/invites", json=asked)).json()["invite"]
    assert (made["email"], made["role"], made["accepted"], made["expires_at"]) == (LINA, "shop", False, None)
    assert "token" not in made
    path = f"/admin/invites/{made['id']}"
    listed = (await admin.get("/admin/invites")).json()
    assert (listed["count"], [one["id"] for one in listed["invites"]]) == (1, [made["id"]])
    assert (await admin.get(path)).json()["invite"]["id"] == made["id"]
    assert (await admin.post(f"{path}/resend")).status_code == 200
    assert (await admin.delete(path)).json() == {"id": made["id"], "object": "invite", "deleted": True}
    assert (await admin.get(path)).status_code == 404
    assert (await admin.post("/admin/invites", json={**asked, "role": "captain"})).status_code == 400
    assert (await admin.post("/admin/invites", json={"email": "lina"})).status_code == 400
    taken = await admin.post("/admin/invites", json={"email": "ana@trompo.example"})
    assert taken.status_code == 422


async def test_staff_can_be_invited_on_the_command_line(shop: Shop) -> None:
    assert await admin_command.invite_by_mail(shop.database, LINA, Role.SHOP) == (
        f"{LINA} is invited: the running shop sends the mail."
    )
    assert f"{LINA}  shop  invited" in await admin_command.format_staff_list(shop.database)

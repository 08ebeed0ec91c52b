"""Invitations: a link by mail that is good once, and for whom it was meant."""

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
from backend.core.web.passwords import hash_of
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.staff import admin_command
from backend.staff.invites import invite, list_invites, read_invite, revoke_invite, send_again
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
OVER = "Este enlace ya no sirve. Abre el del último correo, o pide otra invitación."


@pytest.fixture
def owner(staff: dict[Role, str]) -> Actor:
    return Actor(staff[Role.OWNER], Role.OWNER, has_second_factor=True)


async def invited(shop: Shop, actor: Actor, email: str = LINA, role: Role = Role.SHOP) -> str:
    async with shop.database.transaction() as session:
        return (await invite(session, actor, email, role)).id


async def resent(shop: Shop, actor: Actor, invite_id: str) -> None:
    async with shop.database.transaction() as session:
        await send_again(session, actor, invite_id)


def token_in(mail: EmailMessage) -> str:
    found = TOKEN.search(text_of(mail))
    assert found
    return found[1]


async def link(worker: Worker, inbox: Inbox) -> str:
    """The token of the mail that leaves now."""
    await worker.run_due()
    return token_in(inbox.mails[-1])


async def accepted(browser: httpx.AsyncClient, token: str, password: str = PASSWORD) -> httpx.Response:
    return await browser.post("/auth/staff/invitation", json={"token": token, "password": password})


async def rows(shop: Shop, what: Any) -> list[Any]:
    async with shop.database.read() as session:
        return list((await session.execute(select(what))).scalars())


async def test_who_is_invited_chooses_a_password_and_is_in(  # noqa: PLR0917
    shop: Shop,
    owner: Actor,
    worker: Worker,
    inbox: Inbox,
    new_browser: NewBrowser,
    caplog: pytest.LogCaptureFixture,
) -> None:
    invite_id = await invited(shop, owner)
    token = await link(worker, inbox)
    (mail,) = inbox.mails
    assert (mail["To"], mail["Subject"]) == (LINA, f"Te invitan al equipo de {shop.settings.store_name}")
    assert "Tu rol: Tienda." in text_of(mail)
    (kept,) = await rows(shop, StaffInvite)
    assert (kept.token_hash, kept.sent_at is not None) == (hash_of(token), True)
    browser = new_browser()
    answer = await accepted(browser, token)
    assert (answer.status_code, answer.json()) == (200, {"next": "/oficina"})
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert (actor.role, actor.has_second_factor) == (Role.SHOP, False)
    assert await rows(shop, StaffInvite) == []
    again = await new_browser().post("/auth/staff/login", json={"email": LINA, "password": PASSWORD})
    assert again.status_code == 200
    entries = {entry.action: entry for entry in await rows(shop, AuditEntry)}
    assert entries["invited"].subject_id == invite_id
    assert (entries["joined"].actor_id, entries["joined"].subject_id) == (actor.id, actor.id)
    assert LINA not in str([entry.changes for entry in entries.values()])
    assert token not in caplog.text
    assert token not in str([entry.changes for entry in entries.values()])


async def test_an_owner_is_led_to_the_second_factor(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invited(shop, owner, role=Role.OWNER)
    answer = await accepted(new_browser(), await link(worker, inbox))
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
async def test_a_link_that_is_over_opens_nothing(  # noqa: PLR0917
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser, meanwhile: Any
) -> None:
    invite_id = await invited(shop, owner)
    token = await link(worker, inbox)
    before = len(await rows(shop, Staff))
    await meanwhile(shop, owner, invite_id)
    made = len(await rows(shop, Staff))
    answer = await accepted(new_browser(), token)
    assert (answer.status_code, answer.json()["message"]) == (400, OVER)
    assert "set-cookie" not in answer.headers
    assert len(await rows(shop, Staff)) == made >= before


async def test_a_link_is_good_once(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invited(shop, owner)
    token = await link(worker, inbox)
    answers = await asyncio.gather(*(accepted(new_browser(), token) for _time in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
    assert [one.email for one in await rows(shop, Staff)].count(LINA) == 1


async def test_what_looks_at_a_link_does_not_use_it(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invited(shop, owner)
    token = await link(worker, inbox)
    for method in ("GET", "HEAD", "OPTIONS"):
        looked = await new_browser().request(method, "/auth/staff/invitation", params={"token": token})
        assert looked.status_code == 405
    foreign = new_browser(origin="https://evil.example")
    assert (await accepted(foreign, token)).status_code == 403
    short = await accepted(new_browser(), token, "corta")
    assert (short.status_code, list(short.json()["fields"])) == (400, ["password"])
    assert (await accepted(new_browser(), token)).status_code == 200


async def test_a_newer_mail_ends_the_link_before_and_the_last_role_counts(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invited(shop, owner, role=Role.OWNER)
    first = await link(worker, inbox)
    assert await invited(shop, owner, email=" LINA@Trompo.Example ", role=Role.STOCKROOM) == invite_id
    second = await link(worker, inbox)
    await resent(shop, owner, invite_id)
    third = await link(worker, inbox)
    assert len({first, second, third}) == 3
    for old in (first, second):
        assert (await accepted(new_browser(), old)).status_code == 400
    browser = new_browser()
    assert (await accepted(browser, third)).status_code == 200
    actor = await actor_of_session(shop.database, browser.cookies[COOKIE])
    assert actor is not None
    assert actor.role is Role.STOCKROOM


async def test_who_sends_it_again_vouches_for_it(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invited(shop, owner)
    await disable_the_inviter(shop, owner, invite_id)
    await worker.run_due()
    assert inbox.mails == []  # nobody stands for it
    async with shop.database.read() as session:
        assert (await read_invite(session, COMMAND_LINE, invite_id)).is_over
    await resent(shop, COMMAND_LINE, invite_id)
    assert (await accepted(new_browser(), await link(worker, inbox))).status_code == 200


async def test_a_mail_that_cannot_leave_is_said(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    invite_id = await invited(shop, owner)
    inbox.is_broken = True
    await worker.run_due()
    (kept,) = await rows(shop, StaffInvite)
    assert kept.sent_at is None
    inbox.is_broken = False
    await resent(shop, owner, invite_id)  # at once, not when the job would be tried again
    token = await link(worker, inbox)
    (kept,) = await rows(shop, StaffInvite)
    assert kept.sent_at is not None
    assert (await accepted(new_browser(), token)).status_code == 200


async def test_what_is_asked_for_while_a_mail_leaves_is_not_lost(
    shop: Shop, owner: Actor, new_browser: NewBrowser
) -> None:
    invite_id = await invited(shop, owner)

    class Asked(Inbox):
        async def send(self, mail: EmailMessage) -> None:
            await super().send(mail)
            if len(self.mails) == 1:
                await resent(shop, owner, invite_id)

    transport = Asked()
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, transport)])
    await worker.run_due()
    await worker.run_due()
    first, second = map(token_in, transport.mails)
    assert (await accepted(new_browser(), first)).status_code == 400
    assert (await accepted(new_browser(), second)).status_code == 200


async def test_two_invite_the_same_address_at_once(shop: Shop, owner: Actor) -> None:
    results = await asyncio.gather(
        *(invited(shop, owner, role=role) for role in (Role.SHOP, Role.STOCKROOM)), return_exceptions=True
    )
    assert all(isinstance(one, str | Conflict) for one in results)
    assert len(await rows(shop, StaffInvite)) == 1


@pytest.mark.parametrize(
    "email",
    ["", "lina", "lina@", f"{'l' * 60}@trompo.example", "ñandú@trompo.example", "lina@trömpo.example"],
)
async def test_what_is_no_address_is_said_beside_it(shop: Shop, owner: Actor, email: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await invited(shop, owner, email=email)
    assert list(refused.value.fields) == ["email"]


async def test_nobody_is_invited_twice_over(shop: Shop, owner: Actor, staff: dict[Role, str]) -> None:
    with pytest.raises(Duplicate) as refused:
        await invited(shop, owner, email="SHOP@trompo.example")
    assert list(refused.value.fields) == ["email"]
    async with shop.database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff[Role.SHOP], is_disabled=True)
    with pytest.raises(Duplicate):
        await invited(shop, owner, email="shop@trompo.example")


async def test_only_an_owner_with_the_second_factor_invites(
    shop: Shop, owner: Actor, staff: dict[Role, str]
) -> None:
    invite_id = await invited(shop, owner)
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
            await invited(shop, actor, email="otra@trompo.example")
        with pytest.raises(refusal):
            await resent(shop, actor, invite_id)
        with pytest.raises(refusal):
            await withdraw(shop, actor, invite_id)
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await list_invites(session, refusals[0][0])
        with pytest.raises(NotFound):
            await read_invite(session, owner, "invite_none")
    with pytest.raises(NotFound):
        await resent(shop, owner, "invite_none")


async def test_guesses_are_counted(
    shop: Shop, owner: Actor, worker: Worker, inbox: Inbox, new_browser: NewBrowser
) -> None:
    await invited(shop, owner)
    token = await link(worker, inbox)
    for guess in ("", "x", hash_of(token), token[:-1], token.swapcase(), *map(str, range(5))):
        assert (await accepted(new_browser(), guess)).status_code == 400
    assert (await accepted(new_browser(), token)).status_code == 429
    assert (await accepted(new_browser(ip="190.24.7.7"), token)).status_code == 200


async def test_the_owner_invites_over_http(admin: httpx.AsyncClient, shop: Shop) -> None:
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


async def test_the_command_line_invites(shop: Shop) -> None:
    assert await admin_command.ask_in(shop.database, LINA, Role.SHOP) == (
        f"{LINA} is invited: the running shop sends the mail."
    )
    assert f"{LINA}  shop  invited" in await admin_command.list_all(shop.database)

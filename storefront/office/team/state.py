"""What Equipo shows, and what can be done there."""

from dataclasses import replace
from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import Conflict, Duplicate, InvalidData, NotAllowed
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.team.page import InviteRow, TeamPage, team_page
from backend.staff.invites import invite, revoke_invite, send_again
from backend.staff.rights import ROLE_NAMES, Actor, Right, Role
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, read_staff
from backend.staff.sessions import end_everywhere
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

LONGEST = 100


class TeamState(OfficeScreen, KnownClientState):
    """Who works here, and who is invited."""

    content: rx.Field[TeamPage | None] = rx.field(None)
    sent: rx.Field[int] = rx.field(0)
    """How many were invited on this page: the form begins anew with each."""

    _right: ClassVar[Right] = Right.CHANGE_STAFF
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STAFF})

    async def _content(self, actor: Actor) -> TeamPage:
        async with current_shop().database.read() as session:
            return await team_page(session, actor)

    async def _refresh(self, actor: Actor) -> None:
        """Rows show how they stand now; none comes, goes or moves before somebody asks for what is new."""
        shown = self.content
        if shown is None:
            return
        now = await self._content(actor)
        members = {one.id: one for one in now.members}
        invites = {one.id: one for one in now.invites}
        known = {one.id for one in shown.members} | {one.id for one in shown.invites}
        self.fresh = len((members.keys() | invites.keys()) - known)
        kept = TeamPage(
            [members.get(one.id, one) for one in shown.members],
            [invites.get(one.id) or _gone(one) for one in shown.invites],
            now.missing,
        )
        if kept != shown:
            self.content = kept

    @office_event(Right.CHANGE_STAFF)
    async def invite(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Invite somebody by mail. The form has their `email` and `role`."""
        typed = checked_fields(form_data, "email", "role", longest=LONGEST)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                invited = await invite(session, actor, typed["email"], _role(typed["role"]))
        except Duplicate as error:
            self.problems = error.fields
            self._tell(CHECK_FIELDS, "problem")
            return
        self.sent += 1
        self._tell(_("La invitación va en camino a {email}.").format(email=invited.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def send_again(self, actor: Actor, invite_id: str) -> None:
        """Send an invitation's mail with a new link."""
        async with current_shop().database.transaction() as session:
            sent = await send_again(session, actor, checked_id(invite_id))
        self._tell(_("Sale otro correo a {email}. El enlace anterior ya no sirve.").format(email=sent.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def revoke(self, actor: Actor, invite_id: str) -> None:
        """Take an invitation back."""
        async with current_shop().database.transaction() as session:
            await revoke_invite(session, actor, checked_id(invite_id))
        self._tell(_("Invitación retirada: su enlace ya no abre nada."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def change_role(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Give a member another role. The form names their `id`, the `role`, and the one that was `seen`."""
        typed = checked_fields(form_data, "id", "role", "seen", longest=LONGEST)
        role, staff_id = _role(typed["role"]), checked_id(typed["id"])
        try:
            async with current_shop().database.transaction() as session:
                changed = await change_staff(session, actor, staff_id, role=role, seen=_role(typed["seen"]))
        except Conflict:
            async with current_shop().database.read() as session:
                now = (await read_staff(session, actor, staff_id)).role
            told = _("Alguien le dio antes el rol {now}; tú elegiste {role}.")
            self._tell(told.format(now=ROLE_NAMES[now], role=ROLE_NAMES[role]), "problem")
        except NotAllowed:
            self._needs_an_owner()
        else:
            told = _("{email} ahora tiene el rol {role}.")
            self._tell(told.format(email=changed.email, role=ROLE_NAMES[role]))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def disable(self, actor: Actor, staff_id: str) -> None:
        """Shut a member out, at once."""
        try:
            async with current_shop().database.transaction() as session:
                changed = await change_staff(session, actor, checked_id(staff_id), is_disabled=True)
        except NotAllowed:
            self._needs_an_owner()
        else:
            self._tell(_("{email} ya no puede entrar.").format(email=changed.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def enable(self, actor: Actor, staff_id: str) -> None:
        """Let a member in again."""
        async with current_shop().database.transaction() as session:
            changed = await change_staff(session, actor, checked_id(staff_id), is_disabled=False)
        self._tell(_("{email} puede entrar otra vez.").format(email=changed.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def end_sessions(self, actor: Actor, staff_id: str) -> None:
        """Sign a member out of every browser and program."""
        async with current_shop().database.transaction() as session:
            await end_everywhere(session, actor, checked_id(staff_id))
        self._tell(_("Sus sesiones están cerradas."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def take_code(self, actor: Actor, staff_id: str) -> None:
        """Take the second factor from a member who has lost it."""
        async with current_shop().database.transaction() as session:
            await reset(session, actor, checked_id(staff_id))
        self._tell(_("Su código ya no vale. Que active otro en Mi cuenta."))
        await self._show(actor)

    def _needs_an_owner(self) -> None:
        self._tell(_("La tienda necesita un dueño: nombra a otro antes."), "problem")


def _role(text: str) -> Role:
    if text not in tuple(Role):
        raise InvalidData("not a role", fields={"role": _("Elige un rol.")})
    return Role(text)


def _gone(row: InviteRow) -> InviteRow:
    return replace(row, status=_("Ya la aceptó o alguien la retiró"), tone="good", is_gone=True)

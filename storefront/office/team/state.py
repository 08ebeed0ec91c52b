"""State of the staff screen (Equipo)."""

from dataclasses import replace
from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import Conflict, Duplicate, InvalidData, NotAllowed
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.team.notices import parse_ticked_kinds
from backend.office.team.page import InviteRow, TeamPage, team_page
from backend.office.team.roles import (
    RoleForm,
    build_example_form,
    list_right_fields,
    parse_ticked_rights,
)
from backend.staff.invites import invite, resend_invite, revoke_invite
from backend.staff.rights import Actor, Right
from backend.staff.roles import change_role, create_role, delete_role, parse_rights, read_role_names
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, read_staff
from backend.staff.sessions import end_everywhere
from backend.staff_notices.choices import save_choices
from storefront.office.state import OfficeScreen, office_event
from storefront.office.team.notices import NOTICE_FIELDS
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

MAX_TEXT_LENGTH = 100
MAX_ROLE_TEXT_LENGTH = 1_000
"""Maximum length of a field of a role's form: `seen` has the names of all rights."""


class TeamState(OfficeScreen, KnownClientState):
    """The staff members, the invitations and the custom roles."""

    content: rx.Field[TeamPage | None] = rx.field(None)
    invite_count: rx.Field[int] = rx.field(0)
    """Number of invitations sent from this page: the form is reset with each."""
    new_role: rx.Field[RoleForm | None] = rx.field(None)
    """The form of a new role."""
    role_count: rx.Field[int] = rx.field(0)
    """Number of roles saved and examples used on this page: the form is reset with each."""

    _right: ClassVar[Right] = Right.CHANGE_STAFF
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STAFF})

    async def _read_content(self, actor: Actor) -> TeamPage:
        self.new_role = self.new_role or build_example_form("")
        async with current_shop().database.read() as session:
            return await team_page(session, actor)

    async def _refresh(self, actor: Actor) -> None:
        """Update the displayed rows and count the new ones. No row is added, removed or moved."""
        shown = self.content
        if shown is None:
            return
        current = await self._read_content(actor)
        members = {row.id: row for row in current.members}
        invites = {row.id: row for row in current.invites}
        shown_ids = {row.id for row in shown.members} | {row.id for row in shown.invites}
        self.new_count = len((members.keys() | invites.keys()) - shown_ids)
        page = replace(
            current,
            members=[members.get(row.id, row) for row in shown.members],
            invites=[invites.get(row.id) or _gone_row(row) for row in shown.invites],
        )
        if page != shown:
            self.content = page

    @office_event(Right.CHANGE_STAFF)
    async def invite(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Invite a staff member by e-mail. The form contains their `email` and `role`."""
        typed = checked_fields(form_data, "email", "role", max_length=MAX_TEXT_LENGTH)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                invited = await invite(session, actor, typed["email"], _parse_role(typed["role"]))
        except Duplicate as error:
            self.problems = error.fields
            self._announce(CHECK_FIELDS, "problem")
            return
        self.invite_count += 1
        self._announce(_("La invitación va en camino a {email}.").format(email=invited.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def send_again(self, actor: Actor, invite_id: str) -> None:
        """Send an invitation's mail again with a new link."""
        async with current_shop().database.transaction() as session:
            sent = await resend_invite(session, actor, checked_id(invite_id))
        self._announce(
            _("Sale otro correo a {email}. El enlace anterior ya no sirve.").format(email=sent.email)
        )
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def revoke(self, actor: Actor, invite_id: str) -> None:
        """Revoke an invitation."""
        async with current_shop().database.transaction() as session:
            await revoke_invite(session, actor, checked_id(invite_id))
        self._announce(_("Invitación retirada: su enlace ya no abre nada."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def change_role(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Change a staff member's role. The form contains their `id`, the new `role`, and the role that was `seen`."""
        typed = checked_fields(form_data, "id", "role", "seen", max_length=MAX_TEXT_LENGTH)
        role, staff_id = _parse_role(typed["role"]), checked_id(typed["id"])
        try:
            async with current_shop().database.transaction() as session:
                changed = await change_staff(
                    session, actor, staff_id, role=role, seen=_parse_role(typed["seen"])
                )
        except Conflict:
            async with current_shop().database.read() as session:
                now = (await read_staff(session, actor, staff_id)).role
            text = _("Alguien le dio antes el rol {now}; tú elegiste {role}.")
            self._announce(text.format(now=await _name_role(now), role=await _name_role(role)), "problem")
        except NotAllowed:
            self._announce_last_owner()
        else:
            text = _("{email} ahora tiene el rol {role}.")
            self._announce(text.format(email=changed.email, role=await _name_role(role)))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def choose_notices(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save which notices a staff member gets. The form contains their `id` and the ticked kinds."""
        typed = checked_fields(form_data, "id", *NOTICE_FIELDS)
        async with current_shop().database.transaction() as session:
            await save_choices(session, actor, checked_id(typed["id"]), parse_ticked_kinds(typed))
        self._announce(_("Sus avisos quedaron guardados."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def disable(self, actor: Actor, staff_id: str) -> None:
        """Revoke a staff member's access at once."""
        try:
            async with current_shop().database.transaction() as session:
                changed = await change_staff(session, actor, checked_id(staff_id), is_disabled=True)
        except NotAllowed:
            self._announce_last_owner()
        else:
            self._announce(_("{email} ya no puede entrar.").format(email=changed.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def enable(self, actor: Actor, staff_id: str) -> None:
        """Restore a staff member's access."""
        async with current_shop().database.transaction() as session:
            changed = await change_staff(session, actor, checked_id(staff_id), is_disabled=False)
        self._announce(_("{email} puede entrar otra vez.").format(email=changed.email))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def end_sessions(self, actor: Actor, staff_id: str) -> None:
        """End all sessions of a staff member, in browsers and in programs."""
        async with current_shop().database.transaction() as session:
            await end_everywhere(session, actor, checked_id(staff_id))
        self._announce(_("Sus sesiones están cerradas."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def remove_second_factor(self, actor: Actor, staff_id: str) -> None:
        """Remove the second factor of a staff member who lost it."""
        async with current_shop().database.transaction() as session:
            await reset(session, actor, checked_id(staff_id))
        self._announce(_("Su código ya no vale. Que active otro en Mi cuenta."))
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF, is_press=False)
    async def use_example(self, actor: Actor, example: str) -> None:  # noqa: ARG002 - it only fills in the form
        """Fill in the form of a new role with an example."""
        self.new_role = build_example_form(checked_id(example))
        self.role_count += 1

    @office_event(Right.CHANGE_STAFF)
    async def save_role(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save a custom role. The form has its `id` (empty for a new one), `name` and ticked rights.

        `seen` are the rights that the form displayed.
        """
        fields = list_right_fields()
        typed = checked_fields(
            form_data, "id", "name", "seen", *fields, max_length=MAX_ROLE_TEXT_LENGTH, max_rows=len(fields)
        )
        rights = parse_ticked_rights(typed)
        seen = parse_rights(typed["seen"].split())
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                if typed["id"]:
                    role_id = checked_id(typed["id"])
                    await change_role(session, actor, role_id, typed["name"], rights, seen=seen)
                else:
                    await create_role(session, actor, typed["name"], rights)
        except Duplicate as error:
            self.problems = error.fields
            self._announce(CHECK_FIELDS, "problem")
            return
        except Conflict:
            self._announce(_("Alguien cambió este rol mientras lo mirabas. Mira cómo quedó."), "problem")
        else:
            self._announce(_("El rol quedó guardado. Vale desde ya para quienes lo tienen."))
            if not typed["id"]:
                self.new_role = build_example_form("")
            self.role_count += 1
        await self._show(actor)

    @office_event(Right.CHANGE_STAFF)
    async def delete_role(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Delete a custom role. The form has its `id`, and the role `move_to` that its members get."""
        typed = checked_fields(form_data, "id", "move_to", max_length=MAX_TEXT_LENGTH)
        async with current_shop().database.transaction() as session:
            await delete_role(session, actor, checked_id(typed["id"]), typed["move_to"])
        self._announce(_("El rol ya no existe."))
        await self._show(actor)

    def _announce_last_owner(self) -> None:
        self._announce(_("La tienda necesita un dueño: nombra a otro antes."), "problem")


def _parse_role(text: str) -> str:
    if not text:
        raise InvalidData("not a role", fields={"role": _("Elige un rol.")})
    return text


async def _name_role(role: str) -> str:
    async with current_shop().database.read() as session:
        return (await read_role_names(session)).get(role, "")


def _gone_row(row: InviteRow) -> InviteRow:
    return replace(row, status=_("Ya la aceptó o alguien la retiró"), tone="good", is_gone=True)

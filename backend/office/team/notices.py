"""The notices of a staff member in the office, as checkboxes."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.staff.rights import Actor
from backend.staff_notices.choices import NoticeChoice, read_choices
from backend.staff_notices.kinds import RULES, NoticeKind


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """A kind of notice that a staff member may get. `by_mail`: True if it is mailed."""

    kind: str
    name: str
    by_mail: bool


async def read_notice_rows(session: AsyncSession, actor: Actor, staff_id: str) -> list[NoticeRow]:
    """Return the notices of a staff member.

    Raises:
        Forbidden: the actor is another staff member, and may not see staff.
        NotFound: the staff member does not exist.
    """
    return to_notice_rows(await read_choices(session, actor, staff_id))


def to_notice_rows(choices: list[NoticeChoice]) -> list[NoticeRow]:
    """Return the choices with the names of their kinds."""
    return [NoticeRow(choice.kind, RULES[choice.kind].name, choice.by_mail) for choice in choices]


def parse_ticked_kinds(form: Mapping[str, str]) -> frozenset[NoticeKind]:
    """Return the kinds whose checkboxes are ticked: those whose fields in the form are not empty."""
    return frozenset(kind for kind in NoticeKind if form.get(kind))

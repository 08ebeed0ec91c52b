"""The notices of a staff member in the office, as checkboxes."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.staff.rights import Actor
from backend.staff_notices.choices import Channel, NoticeChoice, read_choices
from backend.staff_notices.kinds import RULES, NoticeKind


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """A kind of notice that a staff member may get, by mail and by push messages."""

    kind: str
    name: str
    by_mail: bool
    by_push: bool


async def read_notice_rows(session: AsyncSession, actor: Actor, staff_id: str) -> list[NoticeRow]:
    """Return the notices of a staff member.

    Raises:
        Forbidden: the actor is another staff member, and may not see staff.
        NotFound: the staff member does not exist.
    """
    return to_notice_rows(await read_choices(session, actor, staff_id))


def to_notice_rows(choices: list[NoticeChoice]) -> list[NoticeRow]:
    """Return the choices with the names of their kinds."""
    return [
        NoticeRow(
            choice.kind,
            RULES[choice.kind].name,
            Channel.MAIL in choice.channels,
            Channel.PUSH in choice.channels,
        )
        for choice in choices
    ]


def parse_ticked_kinds(form: Mapping[str, str]) -> dict[Channel, frozenset[NoticeKind]]:
    """Return the kinds whose checkboxes are ticked, by channel: those whose fields in the form are not empty."""
    return {
        channel: frozenset(kind for kind in NoticeKind if form.get(f"{kind}-{channel}"))
        for channel in Channel
    }

"""The notices of a staff member in the office, as checkboxes."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import hour_label
from backend.core.texts import _
from backend.office_settings import NO_SUMMARY, read_summary_hour
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
    choices = await read_choices(session, actor, staff_id)
    return to_notice_rows(choices, await read_summary_hour(session))


def to_notice_rows(choices: list[NoticeChoice], summary_hour: int) -> list[NoticeRow]:
    """Return a row for each choice: the kind's name in words, and the channels that are ticked.

    `summary_hour` is the hour in the name of the daily summary.
    """
    return [
        NoticeRow(
            choice.kind,
            _name_kind(choice.kind, summary_hour),
            Channel.MAIL in choice.channels,
            Channel.PUSH in choice.channels,
        )
        for choice in choices
    ]


def _name_kind(kind: NoticeKind, summary_hour: int) -> str:
    name = RULES[kind].name
    if kind is not NoticeKind.DAILY_SUMMARY:
        return name
    when = _("apagado en Ajustes") if summary_hour == NO_SUMMARY else hour_label(summary_hour)
    return f"{name} ({when})"


def parse_ticked_kinds(form: Mapping[str, str]) -> dict[Channel, frozenset[NoticeKind]]:
    """Return the kinds of notices whose checkboxes are ticked in the form, by channel."""
    return {
        channel: frozenset(kind for kind in NoticeKind if form.get(f"{kind}-{channel}"))
        for channel in Channel
    }

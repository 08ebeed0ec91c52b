"""Views of the files that a staff member has requested."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_name, short_time_label
from backend.core.texts import _
from backend.exports.kinds import KINDS
from backend.exports.models import DataExport
from backend.exports.service import list_kinds, list_own_exports
from backend.staff.rights import Actor

EXPORTS_PATH = "/admin/exports"


@dataclass(frozen=True, slots=True)
class ExportView:
    """An export file that was requested: its progress, and its URL once it is finished."""

    id: str
    title: str
    about: str
    is_done: bool
    done: int
    total: int
    href: str


@dataclass(frozen=True, slots=True)
class KindOption:
    """A kind of file that can be requested."""

    name: str
    title: str


def kind_options(actor: Actor) -> list[KindOption]:
    """Return the kinds of files that the actor may request."""
    return [KindOption(name, kind.title) for name, kind in list_kinds(actor).items()]


async def exports_view(session: AsyncSession, actor: Actor, kind: str = "") -> list[ExportView]:
    """Return the export files that the actor requested, the newest first; with `kind`, only those of this kind."""
    return [_export_view(one) for one in await list_own_exports(session, actor) if kind in {"", one.kind}]


def _export_view(one: DataExport) -> ExportView:
    kind = KINDS[one.kind]
    days = _("{first} a {last}").format(
        first=date_name(date.fromisoformat(one.since)), last=date_name(date.fromisoformat(one.until))
    )
    parts = [one.file_format.upper(), *([days] if kind.sources[0].is_by_period else [])]
    parts.append(_("hasta el {moment}").format(moment=short_time_label(one.expires_at)))
    return ExportView(
        id=one.id,
        title=kind.title,
        about=" · ".join(parts),
        is_done=one.is_done,
        done=min(one.done, one.total),
        total=max(one.total, 1),
        href=f"{EXPORTS_PATH}/{one.id}",
    )

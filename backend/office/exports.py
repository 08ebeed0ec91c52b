"""Files that somebody asked for, as the office shows them."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_name, short_time_label
from backend.core.texts import _
from backend.exports.kinds import KINDS
from backend.exports.models import DataExport
from backend.exports.service import kinds_for, own_exports
from backend.staff.rights import Actor

FETCH = "/admin/exports"


@dataclass(frozen=True, slots=True)
class ExportView:
    """A file: how far it is, and where it is fetched once it is done."""

    id: str
    title: str
    about: str
    is_done: bool
    done: int
    total: int
    href: str


@dataclass(frozen=True, slots=True)
class KindOption:
    """A kind of file that can be asked for."""

    name: str
    title: str


def kind_options(actor: Actor) -> list[KindOption]:
    """The kinds of files that the actor may have."""
    return [KindOption(name, kind.title) for name, kind in kinds_for(actor).items()]


async def exports_view(session: AsyncSession, actor: Actor, kind: str = "") -> list[ExportView]:
    """The actor's files, the newest first; with `kind`, only those."""
    return [_view(one) for one in await own_exports(session, actor) if kind in {"", one.kind}]


def _view(one: DataExport) -> ExportView:
    kind = KINDS[one.kind]
    days = _("{first} a {last}").format(
        first=date_name(date.fromisoformat(one.since)), last=date_name(date.fromisoformat(one.until))
    )
    parts = [one.file_format.upper(), *([days] if kind.sources[0].of_days else [])]
    parts.append(_("hasta el {moment}").format(moment=short_time_label(one.expires_at)))
    return ExportView(
        id=one.id,
        title=kind.title,
        about=" · ".join(parts),
        is_done=one.is_done,
        done=min(one.done, one.total),
        total=max(one.total, 1),
        href=f"{FETCH}/{one.id}",
    )

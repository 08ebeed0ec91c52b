"""The office's screen of legal texts: the current version of each text, and all versions of the opened text."""

from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Identity
from backend.core.dates import time_label
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.legal.texts import (
    DATA_NAMES,
    TITLES,
    LegalKind,
    TextVersion,
    all_versions,
    current_texts,
    fill_text,
    read_version,
    to_html,
)
from backend.office.content.area_page import AreaSummary, area_summaries
from backend.staff.actor_names import actor_names
from backend.staff.rights import Actor, Right

TEMPLATE_BY = _("Texto modelo de la tienda")


@dataclass(frozen=True, slots=True)
class TextRow:
    """A legal text in the list."""

    kind: str
    title: str
    version: int
    is_reviewed: bool


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of a legal text: when it was saved, and by which staff member."""

    version: int
    label: str
    saved_by: str
    is_reviewed: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class TextView:
    """A legal text in its editor.

    Attributes:
        current: number of the current version.
        shown: number of the version whose `source` is shown.
        html: the shown version as HTML.
        data: names of the shop's data that the text can contain as placeholders.
    """

    kind: str
    title: str
    current: int
    shown: int
    source: str
    html: str
    is_reviewed: bool
    versions: list[VersionRow]
    data: str


@dataclass(frozen=True, slots=True)
class ContentPage:
    """The content areas, the legal texts, and the opened legal text, if any."""

    texts: list[TextRow]
    opened: TextView | None = None
    areas: list[AreaSummary] = field(default_factory=list)


async def content_page(
    session: AsyncSession, actor: Actor, effective: Identity, kind: str = "", version: int = 0
) -> ContentPage:
    """Return the content areas and the legal texts. With `kind`, open this legal text.

    `version` is the number of the version to show; 0 for the current one.

    Raises:
        Forbidden: the actor may not see the shop's settings.
        NotFound: the text, or this version of it, does not exist.
    """
    actor.require(Right.READ_SETTINGS)
    texts = await current_texts(session)
    rows = [TextRow(one, TITLES[one], text.version, text.is_reviewed) for one, text in texts.items()]
    if not kind:
        return ContentPage(rows, areas=await area_summaries(session, actor))
    if kind not in texts:
        raise NotFound(f"There is no text {kind}")
    current = texts[LegalKind(kind)]
    shown = await read_version(session, current.kind, version) if version else current
    return ContentPage(rows, await _text_view(session, effective, current, shown))


async def _text_view(
    session: AsyncSession, effective: Identity, current: TextVersion, shown: TextVersion
) -> TextView:
    versions = await all_versions(session, current.kind)
    names = await actor_names(session, {text.saved_by for text in versions if text.saved_by})
    return TextView(
        kind=current.kind,
        title=TITLES[current.kind],
        current=current.version,
        shown=shown.version,
        source=shown.source,
        html=to_html(fill_text(shown, effective).text),
        is_reviewed=shown.is_reviewed,
        versions=[
            VersionRow(
                text.version,
                time_label(text.saved_at) if text.saved_at else TEMPLATE_BY,
                names.get(text.saved_by or "", ""),
                text.is_reviewed,
                text.version == current.version,
            )
            for text in versions
        ],
        data=", ".join(f"{{{name}}}" for name in DATA_NAMES),
    )

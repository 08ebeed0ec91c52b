"""The legal texts: templates until the office saves its own. Each version is kept.

A text is Markdown without HTML. What it says of the shop stands in it by name (`{nit}`), and is filled in as it stands.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.config.settings import Identity
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.texts import _
from backend.legal.models import LegalText
from backend.staff.rights import Actor, Right

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


class LegalKind(StrEnum):
    """Which text; the last part of its page's address."""

    TERMS = "terminos"
    DATA = "datos"
    WITHDRAWAL = "retracto"
    CHARGEBACK = "reversion"
    GUARANTEE = "garantia"
    SHIPPING = "envios"


def seller_address(shop: Identity) -> str:
    """Where the seller is to be found: the shop's address, or that of its warehouse where it has published none."""
    return shop.store_address or f"{shop.carrier_origin_address}, {shop.carrier_origin_suburb}"


TITLES = {
    LegalKind.TERMS: _("Términos y condiciones"),
    LegalKind.DATA: _("Política de tratamiento de datos"),
    LegalKind.WITHDRAWAL: _("Derecho de retracto"),
    LegalKind.CHARGEBACK: _("Reversión del pago"),
    LegalKind.GUARANTEE: _("Garantía legal"),
    LegalKind.SHIPPING: _("Envíos y entregas"),
}
TEMPLATE = 1
"""The version of a text that nobody has saved yet."""
LONGEST_TEXT = 60_000
_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"\{(\w*)\}")
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_DATA: dict[str, Callable[[Identity], str]] = {
    "tienda": lambda shop: shop.store_name,
    "razon_social": lambda shop: shop.store_legal_name,
    "nit": lambda shop: shop.store_nit,
    "direccion": seller_address,
    "direccion_judicial": lambda shop: shop.store_notice_address or seller_address(shop),
    "telefono": lambda shop: shop.store_phone,
    "correo": lambda shop: shop.store_email,
    "horario": lambda shop: shop.store_hours or _("Lunes a viernes, 8 a. m. a 5 p. m."),
}
DATA_NAMES = tuple(_DATA)
"""What of the shop's data a text can name."""


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A version of a text. `saved_at` and `saved_by` are None for the template."""

    kind: LegalKind
    version: int
    source: str
    is_reviewed: bool = False
    saved_at: datetime | None = None
    saved_by: str | None = None


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text as people read it: Markdown with the shop's data, and the SHA-256 of it."""

    kind: LegalKind
    version: int
    text: str
    is_reviewed: bool
    saved_at: datetime | None

    @property
    def digest(self) -> str:
        """The SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


async def current_texts(session: AsyncSession) -> dict[LegalKind, TextVersion]:
    """The version of each text that is in force, in the order of `LegalKind`."""
    newest = select(LegalText.kind, func.max(LegalText.version)).group_by(LegalText.kind)
    in_force = dict((await session.execute(newest)).all())
    return {kind: await read_version(session, kind, in_force.get(kind, TEMPLATE)) for kind in LegalKind}


async def current_text(session: AsyncSession, kind: LegalKind) -> TextVersion:
    """The version of the text that is in force."""
    newest = select(LegalText).where(LegalText.kind == kind).order_by(LegalText.version.desc()).limit(1)
    row = (await session.execute(newest)).scalar_one_or_none()
    return _version(row) if row is not None else _template(kind)


async def read_version(session: AsyncSession, kind: LegalKind, version: int) -> TextVersion:
    """One version of a text.

    Raises:
        NotFound: there is none with this number.
    """
    if version == TEMPLATE:
        return _template(kind)
    query = select(LegalText).where(LegalText.kind == kind, LegalText.version == version)
    row = (await session.execute(query)).scalar_one_or_none()
    if row is None:
        raise NotFound(f"{kind} has no version {version}")
    return _version(row)


async def all_versions(session: AsyncSession, kind: LegalKind) -> list[TextVersion]:
    """Every version of a text, the newest first."""
    query = select(LegalText).where(LegalText.kind == kind).order_by(LegalText.version.desc())
    return [*map(_version, (await session.execute(query)).scalars()), _template(kind)]


async def save_text(
    session: AsyncSession, actor: Actor, kind: LegalKind, source: str, *, seen: int, is_reviewed: bool
) -> TextVersion:
    """Put a new version of a text into force; nothing happens where it says what the version in force does.

    Args:
        actor: who saves it.
        kind: which text.
        source: Markdown.
        seen: the version that was changed.
        is_reviewed: a lawyer has confirmed it.

    Raises:
        Forbidden: the role may not change the shop's settings.
        InvalidData: it is empty or too long, or names data that there is none of; `fields` says so.
        Conflict: somebody saved another version meanwhile.
    """
    actor.require(Right.CHANGE_SETTINGS)
    source = require_source(source)
    before = await current_text(session, kind)
    if before.version != seen:
        raise Conflict(f"{kind} has version {before.version} now")
    if (source, is_reviewed) == (before.source, before.is_reviewed):
        return before
    return await _add(session, actor, before, source, is_reviewed=is_reviewed, action="changed")


async def restore_text(
    session: AsyncSession, actor: Actor, kind: LegalKind, version: int, *, seen: int
) -> TextVersion:
    """Put what an earlier version said into force again, as a new version.

    Raises:
        Forbidden: the role may not change the shop's settings.
        NotFound: there is no such version.
        Conflict: somebody saved another version meanwhile.
    """
    actor.require(Right.CHANGE_SETTINGS)
    earlier, before = await read_version(session, kind, version), await current_text(session, kind)
    if before.version != seen:
        raise Conflict(f"{kind} has version {before.version} now")
    return await _add(
        session, actor, before, earlier.source, is_reviewed=earlier.is_reviewed, action="text restored"
    )


async def _add(
    session: AsyncSession, actor: Actor, before: TextVersion, source: str, *, is_reviewed: bool, action: str
) -> TextVersion:
    row = LegalText(
        kind=before.kind,
        version=before.version + 1,
        source=source,
        is_reviewed=is_reviewed,
        created_by=actor.id,
    )
    await record(session, actor, action, Subject(Thing.LEGAL_TEXT, before.kind))
    try:
        async with session.begin_nested():
            session.add(row)
    except IntegrityError:
        raise Conflict(f"{before.kind} was saved by somebody else just now") from None
    return _version(row)


def require_source(source: str) -> str:
    """The text with lines that end the same way everywhere.

    Raises:
        InvalidData: it is empty or too long, or names data that there is none of.
    """
    source = "\n".join(line.rstrip() for line in source.replace("\x00", "").splitlines()).strip() + "\n"
    problem = ""
    unknown = sorted({name for name in _NAME.findall(source) if name not in _DATA})
    if not source.strip():
        problem = _("Escribe el texto.")
    elif len(source) > LONGEST_TEXT:
        problem = _("Usa máximo {count} caracteres.").format(count=LONGEST_TEXT)
    elif unknown:
        problem = _("No hay ningún dato que se llame {name}.").format(name=f"{{{unknown[0]}}}")
    if problem:
        raise InvalidData("The text does not fit", fields={"source": problem})
    return source


def filled(text: TextVersion, shop: Identity) -> FilledText:
    """The text with the shop's data."""
    words = _NAME.sub(lambda found: _escaped(_DATA[found[1]](shop)) if found[1] in _DATA else "", text.source)
    return FilledText(text.kind, text.version, words, text.is_reviewed, text.saved_at)


def as_html(markdown: str) -> str:
    """The Markdown as HTML. HTML in it is shown as it is written, and links lead nowhere that could run a script."""
    return str(_markdown().render(markdown))


def missing_review(texts: Mapping[LegalKind, TextVersion]) -> list[LegalKind]:
    """The texts that no lawyer has confirmed."""
    return [kind for kind, text in texts.items() if not text.is_reviewed]


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # a hundred modules, which only a page of this kind needs

    return MarkdownIt("commonmark", {"html": False})


def _escaped(value: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(value.split()))


@cache
def _template(kind: LegalKind) -> TextVersion:
    return TextVersion(kind, TEMPLATE, (_TEMPLATES / f"{kind}.md").read_text("utf-8"))


def _version(row: LegalText) -> TextVersion:
    return TextVersion(
        LegalKind(row.kind), row.version, row.source, row.is_reviewed, row.created_at, row.created_by
    )

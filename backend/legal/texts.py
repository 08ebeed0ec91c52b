"""Legal texts: built-in templates, until staff save the shop's own text. All versions are retained.

A text is Markdown without HTML. It has placeholders for the shop's data (`{nit}`), which are filled in when it is
shown.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.config.settings import Identity
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.texts import _
from backend.legal.models import LegalText
from backend.staff.rights import Actor, Right

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


class LegalKind(StrEnum):
    """Kind of a legal text; it is also the end of its page's URL."""

    TERMS = "terminos"
    DATA = "datos"
    WITHDRAWAL = "retracto"
    CHARGEBACK = "reversion"
    GUARANTEE = "garantia"
    SHIPPING = "envios"


def seller_address(shop: Identity) -> str:
    """Return the seller's address: the shop's address, or the warehouse's address if the shop has published none."""
    warehouse = ", ".join(filter(None, (shop.carrier_origin_address, shop.carrier_origin_suburb)))
    return shop.store_address or warehouse


TITLES = {
    LegalKind.TERMS: _("Términos y condiciones"),
    LegalKind.DATA: _("Política de tratamiento de datos"),
    LegalKind.WITHDRAWAL: _("Derecho de retracto"),
    LegalKind.CHARGEBACK: _("Reversión del pago"),
    LegalKind.GUARANTEE: _("Garantía legal"),
    LegalKind.SHIPPING: _("Envíos y entregas"),
}
TEMPLATE = 1
"""Version number of the template, which is in use until a text is saved."""
MAX_TEXT_LENGTH = 60_000
_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"\{(\w*)\}")
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_PLACEHOLDERS: dict[str, Callable[[Identity], str]] = {
    "tienda": lambda shop: shop.store_name,
    "razon_social": lambda shop: shop.store_legal_name,
    "nit": lambda shop: shop.store_nit,
    "direccion": seller_address,
    "direccion_judicial": lambda shop: shop.store_notice_address or seller_address(shop),
    "telefono": lambda shop: shop.store_phone,
    "correo": lambda shop: shop.store_email,
    "horario": lambda shop: shop.store_hours or _("Lunes a viernes, 8 a. m. a 5 p. m."),
}
DATA_NAMES = tuple(_PLACEHOLDERS)
"""Placeholders for the shop's data."""


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A version of a legal text. `saved_at` and `saved_by` are None for the built-in template."""

    kind: LegalKind
    version: int
    source: str
    is_reviewed: bool = False
    saved_at: datetime | None = None
    saved_by: str | None = None


@dataclass(frozen=True, slots=True)
class FilledText:
    """A legal text filled with the shop's data, in Markdown."""

    kind: LegalKind
    version: int
    text: str
    is_reviewed: bool
    saved_at: datetime | None

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


async def current_texts(session: AsyncSession) -> dict[LegalKind, TextVersion]:
    """Return the current version of each legal text, in the order of `LegalKind`."""
    newest = select(LegalText.kind, func.max(LegalText.version)).group_by(LegalText.kind)
    in_force = dict((await session.execute(newest)).all())
    return {kind: await read_version(session, kind, in_force.get(kind, TEMPLATE)) for kind in LegalKind}


async def current_text(session: AsyncSession, kind: LegalKind) -> TextVersion:
    """Return the current version of the legal text."""
    newest = select(LegalText).where(LegalText.kind == kind).order_by(LegalText.version.desc()).limit(1)
    row = (await session.execute(newest)).scalar_one_or_none()
    return _text_version(row) if row is not None else _template(kind)


async def read_version(session: AsyncSession, kind: LegalKind, version: int) -> TextVersion:
    """Return one version of a legal text.

    Raises:
        NotFound: the version does not exist.
    """
    if version == TEMPLATE:
        return _template(kind)
    query = select(LegalText).where(LegalText.kind == kind, LegalText.version == version)
    row = (await session.execute(query)).scalar_one_or_none()
    if row is None:
        raise NotFound(f"{kind} has no version {version}")
    return _text_version(row)


async def all_versions(session: AsyncSession, kind: LegalKind) -> list[TextVersion]:
    """Return all versions of a legal text, the newest first."""
    query = select(LegalText).where(LegalText.kind == kind).order_by(LegalText.version.desc())
    return [*map(_text_version, (await session.execute(query)).scalars()), _template(kind)]


async def save_text(
    session: AsyncSession, actor: Actor, kind: LegalKind, source: str, *, seen: int, is_reviewed: bool
) -> TextVersion:
    """Save a new version of a legal text, and return it.

    If neither the text nor `is_reviewed` differs from the current version, save nothing and return that version.

    Args:
        session: a transaction.
        actor: the staff member who saves it.
        kind: the text.
        source: the new text as Markdown.
        seen: number of the version that was edited.
        is_reviewed: True if a lawyer has confirmed the new text.

    Raises:
        Forbidden: the actor may not change the shop's settings.
        InvalidData: the text is empty, too long, or has an unknown placeholder; `fields` has the error.
        Conflict: another version was saved since `seen`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    source = require_source(source)
    before = await current_text(session, kind)
    if before.version != seen:
        raise Conflict(f"{kind} has version {before.version} now")
    if (source, is_reviewed) == (before.source, before.is_reviewed):
        return before
    return await _add_version(session, actor, before, source, is_reviewed=is_reviewed, action="changed")


async def restore_text(
    session: AsyncSession, actor: Actor, kind: LegalKind, version: int, *, seen: int
) -> TextVersion:
    """Save the text of an earlier version as a new version. `seen` is the number of the version that was current.

    Raises:
        Forbidden: the actor may not change the shop's settings.
        NotFound: the version does not exist.
        Conflict: another version was saved since `seen`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    earlier, before = await read_version(session, kind, version), await current_text(session, kind)
    if before.version != seen:
        raise Conflict(f"{kind} has version {before.version} now")
    return await _add_version(
        session, actor, before, earlier.source, is_reviewed=earlier.is_reviewed, action="text restored"
    )


async def _add_version(
    session: AsyncSession, actor: Actor, before: TextVersion, source: str, *, is_reviewed: bool, action: str
) -> TextVersion:
    row = LegalText(
        kind=before.kind,
        version=before.version + 1,
        source=source,
        is_reviewed=is_reviewed,
        created_by=actor.id,
    )
    await record(session, actor, action, Subject(SubjectType.LEGAL_TEXT, before.kind))
    try:
        async with session.begin_nested():
            session.add(row)
    except IntegrityError:
        raise Conflict(f"Another request saved {before.kind} at the same time") from None
    return _text_version(row)


def require_source(source: str) -> str:
    """Check the text of a legal document, and return it with normalised line ends.

    Raises:
        InvalidData: the text is empty, too long, or has an unknown placeholder.
    """
    source = "\n".join(line.rstrip() for line in source.replace("\x00", "").splitlines()).strip() + "\n"
    problem = ""
    unknown = sorted({name for name in _NAME.findall(source) if name not in _PLACEHOLDERS})
    if not source.strip():
        problem = _("Escribe el texto.")
    elif len(source) > MAX_TEXT_LENGTH:
        problem = _("Usa máximo {count} caracteres.").format(count=MAX_TEXT_LENGTH)
    elif unknown:
        problem = _("No hay ningún dato que se llame {name}.").format(name=f"{{{unknown[0]}}}")
    if problem:
        raise InvalidData("The text is invalid", fields={"source": problem})
    return source


def fill_text(text: TextVersion, shop: Identity) -> FilledText:
    """Return the text filled with the shop's data."""
    words = _NAME.sub(
        lambda found: _escape(_PLACEHOLDERS[found[1]](shop)) if found[1] in _PLACEHOLDERS else "", text.source
    )
    return FilledText(text.kind, text.version, words, text.is_reviewed, text.saved_at)


def to_html(markdown: str) -> str:
    """Convert Markdown to HTML. HTML in the Markdown is escaped, and links cannot run a script."""
    return str(_markdown().render(markdown))


async def list_unreviewed_texts(session: AsyncSession) -> list[LegalKind]:
    """Return the legal texts whose current version no lawyer has confirmed."""
    versions = select(LegalText.kind, LegalText.is_reviewed).order_by(LegalText.version)
    is_reviewed = dict((await session.execute(versions)).all())  # of the newest version of each text
    return [kind for kind in LegalKind if not is_reviewed.get(kind)]


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # a large import that only pages of legal texts need

    return MarkdownIt("commonmark", {"html": False})


def _escape(value: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(value.split()))


@cache
def _template(kind: LegalKind) -> TextVersion:
    return TextVersion(kind, TEMPLATE, (_TEMPLATES / f"{kind}.md").read_text("utf-8"))


def _text_version(row: LegalText) -> TextVersion:
    return TextVersion(
        LegalKind(row.kind), row.version, row.source, row.is_reviewed, row.created_at, row.created_by
    )

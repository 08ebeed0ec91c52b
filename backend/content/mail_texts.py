"""The office's texts in mails: the subject, and paragraphs before and after a mail's own text.

They are plain text, not templates: a placeholder such as `{pedido}` is replaced by its value, and the rest is
unchanged. The mails' templates escape values (`backend.mail.rendering`), so the texts cannot contain markup either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import MAIL_AREA_PREFIX, Area, BrandBody, MailBody
from backend.content.placeholders import PLACEHOLDER
from backend.content.versions import read_current_versions

_AREA_NAMES = frozenset(Area)


@dataclass(frozen=True, slots=True)
class MailTexts:
    """The office's texts in a mail, as paragraphs. Empty fields are not shown."""

    subject: str = ""
    opening: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)


async def read_mail_content(session: AsyncSession, kind: str) -> tuple[MailBody, BrandBody]:
    """Return the office's texts for mails of this kind, and the saved brand."""
    name = f"{MAIL_AREA_PREFIX}{kind}"
    areas = [Area.BRAND, *([Area(name)] if name in _AREA_NAMES else [])]
    brand, *texts = [saved.body for saved in await read_current_versions(session, areas)]
    return cast("MailBody", texts[0]) if texts else MailBody(), cast("BrandBody", brand)


def fill_placeholders(body: MailBody, values: Mapping[str, str]) -> MailTexts:
    """Replace the placeholders in the texts by these values."""

    def filled(text: str) -> str:
        return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)

    return MailTexts(
        " ".join(filled(body.subject).split()),
        [filled(line) for line in body.opening.splitlines() if line],
        [filled(line) for line in body.closing.splitlines() if line],
    )

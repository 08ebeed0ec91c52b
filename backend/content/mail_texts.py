"""The office's words in mails: its subject, and what stands before and after a mail's own text.

What is written is text and never a template: `{pedido}` is replaced by what it stands for, and the rest stays as it is.
Mails are templates with autoescape (`backend.mail.rendering`), so nothing in it is markup either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import MAIL, Area, MailBody
from backend.content.placeholders import NAME
from backend.content.versions import current_content


@dataclass(frozen=True, slots=True)
class MailWords:
    """What the office says in a mail, in paragraphs. Empty: nothing."""

    subject: str = ""
    opening: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)


async def read_mail(session: AsyncSession, kind: str) -> MailBody:
    """What the office says in mails of this kind."""
    name = f"{MAIL}{kind}"
    if name not in set(Area):
        return MailBody()
    body = (await current_content(session, Area(name))).body
    return body if isinstance(body, MailBody) else MailBody()


def mail_words(body: MailBody, values: Mapping[str, str]) -> MailWords:
    """The words with these values in place of their names."""

    def filled(text: str) -> str:
        return NAME.sub(lambda found: values.get(found[1], found[0]), text)

    return MailWords(
        " ".join(filled(body.subject).split()),
        [filled(line) for line in body.opening.splitlines() if line],
        [filled(line) for line in body.closing.splitlines() if line],
    )

"""How a mail looks: each template is rendered twice, as plain text and in the shop's look.

Templates are Jinja files in `templates/`; a file of the same name in `DATA_DIR/mail-templates` stands in for one (see
docs/accounts.md). Nothing is loaded from anywhere: no picture, no font, no script. Mail programs know tables and styles
on each element and little else, so the page is made of those. What is put into a page is escaped.
"""

import logging
import re
from collections.abc import Mapping
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, make_msgid
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from backend.content.areas import MailBody
from backend.content.mail_texts import mail_words
from backend.core import texts
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.templates import Templates, read_templates
from backend.mail.messages import Message

TEMPLATES = Path(__file__).parent / "templates"
OWN_TEMPLATES = "mail-templates"
"""The folder in the data folder that holds the shop's own templates."""

log = logging.getLogger(__name__)


class MailRenderer:
    """Writes mails from templates."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._own = _Templates([settings.data_dir / OWN_TEMPLATES, TEMPLATES])
        self._built_in = _Templates([TEMPLATES])

    def render(
        self,
        message: Message,
        effective: Settings,
        said: MailBody | None = None,
        *,
        message_id: str | None = None,
    ) -> EmailMessage:
        """The mail as it is sent, from the shop as it stands, with what the office says in it.

        `message_id` is the part of its Message-ID before the @; without it, it is a new one.

        If the shop's own template cannot be rendered, the built-in one is.
        """
        shop = {
            "name": effective.store_name,
            "url": self._settings.base_url,
            "host": self._host,
            "phone": effective.store_phone,
            "email": effective.store_email,
        }
        words = mail_words(said or MailBody(), _named(message, effective))
        values = {**message.values, "shop": shop, "words": words, "language": texts.language, "_": texts._}
        try:
            subject, text, page = self._own.render(message.kind, values)
        except Exception:
            log.exception("the shop's own template of the mail %s cannot be rendered", message.kind)
            subject, text, page = self._built_in.render(message.kind, values)
        mail = EmailMessage()
        mail["From"] = formataddr((effective.store_name, effective.store_email))
        mail["To"] = message.to
        mail["Subject"] = subject
        mail["Date"] = format_datetime(now())
        mail["Message-ID"] = f"<{message_id}@{self._host}>" if message_id else make_msgid(domain=self._host)
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(text)
        mail.add_alternative(page, subtype="html")
        return mail

    @property
    def _host(self) -> str:
        return urlsplit(self._settings.base_url).hostname or "localhost"


def _named(message: Message, effective: Settings) -> dict[str, str]:
    """What the office's words may name (`backend.content.areas.PLACEHOLDERS`)."""
    known = {"pedido": "number", "radicado": "number", "monto": "amount", "juguete": "toy"}
    values = {name: str(message.values.get(of, "")) for name, of in known.items() if of in message.values}
    return {**values, "tienda": effective.store_name}


class _Templates:
    """The templates of some folders, the first of which wins."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    @cached_property
    def _html(self) -> Templates:
        return read_templates(self._folders)

    @cached_property
    def _text(self) -> Templates:
        return read_templates(self._folders, is_markup=False)

    def render(self, name: str, values: Mapping[str, Any]) -> tuple[str, str, str]:
        """The subject, the plain text and the page."""
        file = f"{name}.jinja"
        template = self._text.get_template(file)
        of_text = {**values, **_parts(self._text, "txt"), "layout": "layout.txt"}
        of_page = {**values, **_parts(self._html, "html"), "layout": "layout.html"}
        subject = "".join(template.blocks["subject"](template.new_context(of_text)))
        text = re.sub(r"\n{3,}", "\n\n", template.render(of_text)).strip() + "\n"
        subject = values["words"].subject or subject
        return " ".join(subject.splitlines()).strip(), text, self._html.get_template(file).render(of_page)


def _parts(environment: Templates, kind: str) -> dict[str, Any]:
    """The macros and colours of `parts.{kind}`, so that no template has to import them."""
    module = environment.get_template(f"parts.{kind}").module
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}

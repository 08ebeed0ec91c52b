"""Rendering of mails: each template is rendered as plain text and as HTML in the shop's design.

Templates are Jinja files in `templates/`. A file of the same name in `DATA_DIR/mail-templates` replaces the
built-in one (see docs/accounts.md). A mail loads nothing: no picture, font or script; the shop's logo is a part of it.
Mail programs support tables and inline styles and little else, so the HTML uses only those. Values are escaped in the
HTML.
"""

import logging
import re
from collections.abc import Mapping
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, make_msgid
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from backend.content.areas import BrandBody, MailBody
from backend.content.brand import Brand, resolve_brand
from backend.content.fonts import FONTS
from backend.content.mail_texts import fill_placeholders
from backend.core import texts
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.templates import Templates, read_templates
from backend.mail.branding import LOGO_ID, build_mail_logo, find_mail_colors
from backend.mail.messages import Message

TEMPLATES = Path(__file__).parent / "templates"
CUSTOM_TEMPLATES_FOLDER = "mail-templates"
"""The folder in the data folder for the shop's own templates."""

log = logging.getLogger(__name__)


class MailRenderer:
    """Renders mails from templates."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._own = _Templates([settings.data_dir / CUSTOM_TEMPLATES_FOLDER, TEMPLATES])
        self._built_in = _Templates([TEMPLATES])

    def render(
        self,
        message: Message,
        effective: Settings,
        office_texts: MailBody | None = None,
        *,
        message_id: str | None = None,
        brand: Brand | None = None,
        logo_png: bytes = b"",
        logo_src: str = "",
    ) -> EmailMessage:
        """Return the mail, with the shop's current contact data and the texts that staff saved in the office.

        Args:
            message: the kind of the mail, its recipient and its values.
            effective: the effective settings.
            office_texts: texts that staff saved for this kind of mail.
            message_id: the part of its Message-ID before the @; by default it is a new one.
            brand: the shop's brand; the default brand without one.
            logo_png: the brand's logo, to be added to the mail. Without it, the mail shows the shop's name.
            logo_src: address of the logo for a preview, instead of `logo_png`.

        If the shop's own template cannot be rendered, the built-in one is used.
        """
        shop = {
            "name": effective.store_name,
            "url": self._settings.base_url,
            "host": self._host,
            "phone": effective.store_phone,
            "email": effective.store_email,
        }
        words = fill_placeholders(office_texts or MailBody(), _placeholder_values(message, effective))
        brand = brand or resolve_brand(BrandBody(), effective)
        src = f"cid:{LOGO_ID}@{self._host}" if logo_png else logo_src
        values = {
            **message.values,
            "shop": shop,
            "words": words,
            "language": texts.language,
            "_": texts._,
            "colors": find_mail_colors(brand),
            "display": FONTS[brand.font].mail,
            "logo": build_mail_logo(brand, src) if src else None,
        }
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
        if link := message.values.get("unsubscribe"):
            mail["List-Unsubscribe"] = f"<{link}>"
        mail.set_content(text)
        mail.add_alternative(page, subtype="html")
        if logo_png:
            html_part = cast("EmailMessage", list(mail.iter_parts())[-1])
            html_part.add_related(
                logo_png, "image", "png", cid=f"<{LOGO_ID}@{self._host}>", filename="logo.png"
            )
        return mail

    @property
    def _host(self) -> str:
        return urlsplit(self._settings.base_url).hostname or "localhost"


def _placeholder_values(message: Message, effective: Settings) -> dict[str, str]:
    """Return the values of the placeholders in texts that staff saved (`backend.content.areas.PLACEHOLDERS`)."""
    known = {"pedido": "number", "radicado": "number", "monto": "amount", "producto": "product"}
    values = {name: str(message.values.get(of, "")) for name, of in known.items() if of in message.values}
    return {**values, "tienda": effective.store_name}


class _Templates:
    """The templates of several folders. If several folders have a file of the same name, the first folder's is used."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    @cached_property
    def _html(self) -> Templates:
        return read_templates(self._folders)

    @cached_property
    def _text(self) -> Templates:
        return read_templates(self._folders, is_markup=False)

    def render(self, name: str, values: Mapping[str, Any]) -> tuple[str, str, str]:
        """Return the subject, the plain text and the HTML."""
        file = f"{name}.jinja"
        template = self._text.get_template(file)
        look = {"colors": values["colors"], "display": values["display"]}
        of_text = {**values, **_load_macros(self._text, "txt", look), "layout": "layout.txt"}
        of_page = {**values, **_load_macros(self._html, "html", look), "layout": "layout.html"}
        subject = "".join(template.blocks["subject"](template.new_context(of_text)))
        text = re.sub(r"\n{3,}", "\n\n", template.render(of_text)).strip() + "\n"
        subject = values["words"].subject or subject
        return " ".join(subject.splitlines()).strip(), text, self._html.get_template(file).render(of_page)


def _load_macros(environment: Templates, kind: str, look: Mapping[str, Any]) -> dict[str, Any]:
    """Return the macros, colours and font that the template `parts.{kind}` defines, so others need no import."""
    module = environment.get_template(f"parts.{kind}").make_module(dict(look))
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}

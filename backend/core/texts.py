"""Texts of the shop in the store's language: `STORE_LOCALE` sets it, once, for the whole process.

Texts that a customer or staff may read are written in Spanish where they are used, inside `_`. Spanish needs no
catalogue; another language is a file `locale/<language>/LC_MESSAGES/trompo.po` with the Spanish text as its
`msgid`.

- A constant of a module is translated while the module is imported: `TITLE = _("Tu pedido")`.
- A text with parts is filled after it is translated: `_("Pedido {number}").format(number=number)`, never an
  f-string.
- A template of a mail uses `{{ _("Ver mi pedido") }}`, or `_("…").format(…)` for a text with parts.
- `python tools/messages.py` adds new texts to the catalogues, sorted; write their translation there.

Messages of the API to programs, of commands and of logs are always English and are not wrapped, except for
`trompo init` and `trompo doctor`.
"""

from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from backend.core.config.languages import LANGUAGES
from backend.core.config.settings import SettingsError, load_settings

SOURCE_LANGUAGE = "es"
FOLDER = Path(__file__).parents[1] / "locale"


def _read_language() -> str:
    try:
        return load_settings().store_locale
    except SettingsError:  # `trompo doctor` reports them
        return SOURCE_LANGUAGE


language = _read_language()
"""The store's language, such as `es`."""
language_rules = LANGUAGES[language]
"""How the store's language writes dates and numbers."""
html_language = language_rules.tag
"""The store's language as a tag for HTML and HTTP."""


def _(message: str) -> str:
    """Translate the Spanish `message` into the store's language; return it unchanged if it has no translation."""
    return str(translations(language).gettext(message))


def format_count(number: int, singular: str, plural: str) -> str:
    """Return `singular` if the number is 1, else `plural`. In the text, `{n}` is replaced by the number."""
    return (singular if number == 1 else plural).format(n=number)


def catalogue_path(language: str) -> Path:
    """Return the path of the file with the texts of a language."""
    return FOLDER / language / "LC_MESSAGES" / "trompo.po"


@cache
def translations(language: str) -> NullTranslations:
    """Read the texts of a language from its `.po` file; the source language returns each message unchanged."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    compiled = BytesIO()
    with catalogue_path(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return Translations(compiled)

"""What the shop says, in the store's language: `STORE_LOCALE` decides, once, for the whole process.

Texts that a shopper or staff may read are written in Spanish where they are used, inside `_`. Spanish needs no
catalogue; another language is a file `locale/<language>/LC_MESSAGES/trompo.po` with the Spanish text as its `msgid`.

- A constant of a module is translated while the module is imported: `TITLE = _("Tu pedido")`.
- A text with parts is filled after it is translated: `_("Pedido {number}").format(number=number)`, never an f-string.
- A template of a mail says `{{ _("Ver mi pedido") }}`, or `_("…").format(…)` for a text with parts.
- `python tools/messages.py` puts new texts into the catalogues, sorted; write their translation there.

Messages of the API to programs, of commands and of logs are English as they stand and are not wrapped.
"""

from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from backend.core.config.settings import load_settings

SOURCE_LANGUAGE = "es"
FOLDER = Path(__file__).parents[1] / "locale"

language = load_settings().store_locale
"""The store's language, as `es`."""
html_language = {"es": "es-CO", "en": "en-CO"}[language]
"""The store's language as HTML and HTTP name it."""


def _(message: str) -> str:
    """The Spanish `message` in the store's language; itself when the catalogue has none."""
    return str(translations(language).gettext(message))


def counted(number: int, one: str, many: str) -> str:
    """The text for so many: `one` of one, else `many`. Each may name the number as `{n}`."""
    return (one if number == 1 else many).format(n=number)


def catalogue(language: str) -> Path:
    """The file that holds the texts of a language."""
    return FOLDER / language / "LC_MESSAGES" / "trompo.po"


@cache
def translations(language: str) -> NullTranslations:
    """The texts of a language, straight from its `.po` file; the source language gives each message back."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    compiled = BytesIO()
    with catalogue(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return Translations(compiled)

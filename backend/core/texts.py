"""Texts of the shop in the store's language: `STORE_LOCALE` sets it, once, for the whole process.

Texts that a customer or staff may read are written in Spanish where they are used, inside `_`. Spanish needs no
catalogue; another language is a file `locale/<language>/LC_MESSAGES/trompo.po` with the Spanish text as its
`msgid`.

- A constant of a module is translated while the module is imported: `TITLE = _("Tu pedido")`.
- A text with parts is filled after it is translated: `_("Pedido {number}").format(number=number)`, never an
  f-string. The digits of counts are grouped: `_("Quedan {n}").format(n=5000)` is «Quedan 5.000». Numbers in the
  parts of `NAMES_OF_NUMBERS` identify something; their digits are not grouped.
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
from backend.core.config.settings import read_store_locale
from backend.core.money import format_number

SOURCE_LANGUAGE = "es"
FOLDER = Path(__file__).parents[1] / "locale"


language = read_store_locale()
"""The store's language, such as `es`, even if other settings are invalid: `trompo doctor` reports them in it."""
language_rules = LANGUAGES[language]
"""Formats of dates and numbers in the store's language."""
html_language = language_rules.tag
"""The store's language as a tag for HTML and HTTP."""


NAMES_OF_NUMBERS = frozenset({"code", "number", "order", "reference", "status", "version", "year"})
"""Names of parts whose numbers identify something, such as an order. Their digits are not grouped."""


class Template(str):
    """A translated text with parts to fill in."""

    __slots__ = ()

    def format(self, *args: object, **parts: object) -> str:
        """Fill the parts, and group the digits of counts."""
        return super().format(*args, **{name: _group_digits(name, value) for name, value in parts.items()})


def _group_digits(name: str, value: object) -> object:
    if type(value) is not int or name in NAMES_OF_NUMBERS:
        return value
    return format_number(value, language_rules.group_mark)


def _(message: str) -> str:
    """Translate the Spanish `message` into the store's language; return it unchanged if it has no translation."""
    text = str(translations(language).gettext(message))
    return Template(text) if "{" in text else text


def format_count(number: int, singular: str, plural: str) -> str:
    """Return `singular` if the number is 1, else `plural`. In the text, `{n}` is replaced by the number."""
    return (singular if number == 1 else plural).format(n=format_number(number, language_rules.group_mark))


def catalogue_path(language: str) -> Path:
    """Return the path of the file with the texts of a language."""
    return FOLDER / language / "LC_MESSAGES" / "trompo.po"


@cache
def translations(language: str) -> NullTranslations:
    """Return the translations in the `.po` file of a language; for the source language, texts stay unchanged."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    compiled = BytesIO()
    with catalogue_path(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return Translations(compiled)

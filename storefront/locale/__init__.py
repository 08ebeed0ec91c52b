"""What the storefront says, in the store's language.

Messages are written in Spanish where they are used, so Spanish needs no catalogue; another language is a `.po` file
under its code. The language is the store's (`STORE_LOCALE`), read once: pages are built with their texts inside.
"""

from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from backend.settings import load_settings

SOURCE_LANGUAGE = "es"
FOLDER = Path(__file__).parent


def catalogue(language: str) -> Path:
    """The file that holds the messages of a language."""
    return FOLDER / language / "LC_MESSAGES" / "storefront.po"


def translations(language: str) -> NullTranslations:
    """The messages of a language, straight from its `.po` file; the source language gives each message back."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    compiled = BytesIO()
    with catalogue(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return Translations(compiled)


language = load_settings().store_locale
html_language = {"es": "es-CO", "en": "en-CO"}[language]
_texts = translations(language)


def _(message: str) -> str:
    """The message in the store's language."""
    return str(_texts.gettext(message))

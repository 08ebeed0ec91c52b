"""Every text of the shop can be said in every language it offers."""

import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from backend.core.texts import FOLDER, SOURCE_LANGUAGE, catalogue, translations
from tests.spanish import bare_spanish
from tools.messages import ROOT, messages

OTHERS = sorted(folder.name for folder in FOLDER.iterdir() if catalogue(folder.name).exists())
SOURCES = [
    file.relative_to(ROOT) for package in ("backend", "storefront") for file in (ROOT / package).rglob("*.py")
]
KEPT = {
    "backend/catalog/schemas/cell_parsers.py": "how a file to import may say yes",
    "backend/catalog/importer/cell_texts.py": "how a file to import says yes",
    "backend/checkout/quotes/shipping_quotes.py": "what the carrier is asked",
    "backend/operations/demo/": "the demo shop's own texts",
    "backend/edge/query.py": "letters that a search takes for others",
    "backend/imports/row_changes.py": "how a file to import says yes",
    "backend/imports/row_parsing.py": "how a file to import may say an age",
    "backend/invoices/document_lines.py": "what the DIAN calls the reasons of a credit note",
    "backend/invoices/pdf.py": "a document of Colombia's law, in its language",
    "backend/invoices/providers/ubl/xml.py": "the words that the DIAN's annex asks for",
    "backend/migrations/": "history",
    "backend/office/content/mail_preview.py": "the name of a town",
    "backend/payment/providers/pse/": "names of fields on the wire",
    "backend/sandbox/": "the bank and the carrier speak Spanish",
    "backend/core/config/settings.py": "the demo shop's own texts",
    "backend/shipping/municipalities.py": "names of towns, as people write them",
    "backend/shipping/providers/": "what the carrier is sent and says",
}
"""Where Spanish is meant to stand as it is, and why."""


def places(sentence: str) -> set[str]:
    return {
        name for _text, name, _spec, _conversion in string.Formatter().parse(sentence) if name is not None
    }


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_and_fills_the_same_places(language: str) -> None:
    texts = translations(language)
    waiting = []
    with catalogue(language).open("rb") as file:
        known = {
            str(message.id) for message in read_po(file, locale=language) if message.id and message.string
        }
    for message in messages():
        sentence = str(message.id)
        if sentence and (sentence not in known or places(sentence) != places(texts.gettext(sentence))):
            waiting.append(sentence)
    assert waiting == []


def test_english_is_offered() -> None:
    assert "en" in OTHERS
    assert translations("en").gettext("Agregar al carrito") == "Add to cart"


def test_the_source_language_says_what_the_code_says() -> None:
    assert translations(SOURCE_LANGUAGE).gettext("Agregar al carrito") == "Agregar al carrito"


@pytest.mark.parametrize(
    "file", [file for file in sorted(SOURCES) if not file.as_posix().startswith(tuple(KEPT))], ids=str
)
def test_no_spanish_text_is_bare(file: Path) -> None:
    """What is written in Spanish stands inside `_(…)`, or another language would not get it."""
    assert list(bare_spanish((ROOT / file).read_text("utf-8"))) == []

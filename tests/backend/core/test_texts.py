"""All texts of the shop are translated into every language that it offers."""

import ast
import re
import string
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po

from backend.core.texts import FOLDER, SOURCE_LANGUAGE, _, catalogue_path, format_count, translations
from tests.spanish import find_untranslated_spanish
from tools.messages import ROOT, extract_messages

OTHERS = sorted(folder.name for folder in FOLDER.iterdir() if catalogue_path(folder.name).exists())
SOURCES = [
    file.relative_to(ROOT) for package in ("backend", "storefront") for file in (ROOT / package).rglob("*.py")
]
UNTRANSLATED = {
    "backend/catalog/schemas/cell_numbers.py": "words for units in a file to import",
    "backend/catalog/schemas/cell_words.py": "words for yes in a file to import",
    "backend/catalog/importer/cell_texts.py": "words for yes in a file to import",
    "backend/catalog/importer/formats/": "headings and words in files to import",
    "backend/catalog/importer/synonyms.py": "headings of files to import",
    "backend/catalog/search/contract.py": "products of the contract's tests",
    "backend/catalog/search/query_intents.py": "words that people search for",
    "backend/catalog/search/query_words.py": "words that people search for",
    "backend/checkout/quotes/shipping_quotes.py": "fields of requests to the carrier",
    "backend/operations/demo/": "the demo shop's own texts",
    "backend/edge/query.py": "letters that a search treats as equal",
    "backend/imports/rows/changes.py": "words for yes in a file to import",
    "backend/spreadsheet_reader/encodings.py": "letters of encodings",
    "backend/invoices/document_lines.py": "the DIAN's names of credit note reasons",
    "backend/invoices/pdf.py": "a document required by Colombian law, in Spanish",
    "backend/invoices/providers/ubl/xml.py": "texts that the DIAN's annex requires",
    "backend/migrations/": "history",
    "backend/office/content/mail_preview.py": "the name of a town",
    "backend/payment/providers/pse/": "names of fields on the wire",
    "backend/sandbox/": "the embedded bank and carrier use Spanish",
    "backend/core/config/settings.py": "the demo shop's own texts",
    "backend/shipping/municipalities.py": "names of towns, as people write them",
    "backend/shipping/providers/": "fields of the carrier's requests and answers",
}
"""Places where Spanish text is not translated, with the reason."""


@pytest.fixture(scope="module")
def messages() -> list[str]:
    """Return the Spanish messages in the source. They are read once for this file, because that takes seconds."""
    return [str(message.id) for message in extract_messages() if message.id]


def placeholders(sentence: str) -> set[str]:
    return {
        name for _text, name, _spec, _conversion in string.Formatter().parse(sentence) if name is not None
    }


def test_no_text_outside_the_demo_mentions_toys(messages: list[str]) -> None:
    """Check that all other texts say «producto» or use the shop's own word: a shop may sell anything."""
    assert {message for message in messages if "juguete" in message.lower()} == {
        "juguete",
        "juguetes",
        "Todos los juguetes",
        "Juguetes hechos con cuidado",
        "Juguetes hechos con cuidado, para jugar de verdad",
        "Juguetes de madera, peluches, juegos de mesa y kits para crear, con envío a toda Colombia y pago por PSE.",
        "Juguetes que duran más de una infancia, escogidos uno por uno.",
        "Juguetes que duran más de una infancia, escogidos uno por uno y despachados desde Bogotá.",
    }
    toys = re.compile(
        r"balero|guayac[aá]n|muñec|peluche|t[ií]tere|trompos?[- ](de|torneado)|yoyo|\bkits?\b", re.IGNORECASE
    )
    assert [message for message in messages if toys.search(message)] == [
        "Juguetes de madera, peluches, juegos de mesa y kits para crear, con envío a toda Colombia y pago por PSE."
    ]
    legal = (ROOT / "backend/legal/templates").glob("*.md")
    assert [file.name for file in legal if "juguete" in file.read_text("utf-8").lower()] == []


def test_no_english_translation_outside_the_demo_mentions_toys(messages: list[str]) -> None:
    in_english = {message: translations("en").gettext(message) for message in messages}
    assert [
        text
        for message, text in in_english.items()
        if "juguete" not in message.lower() and re.search(r"(?i)\btoys?\b(?!\})", text)
    ] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_with_the_same_placeholders(language: str, messages: list[str]) -> None:
    texts = translations(language)
    waiting = []
    with catalogue_path(language).open("rb") as file:
        known = {
            str(message.id) for message in read_po(file, locale=language) if message.id and message.string
        }
    for sentence in messages:
        if sentence not in known or placeholders(sentence) != placeholders(texts.gettext(sentence)):
            waiting.append(sentence)
    assert waiting == []


def test_shop_has_an_english_translation() -> None:
    assert "en" in OTHERS
    assert translations("en").gettext("Agregar al carrito") == "Add to cart"


def test_source_language_returns_messages_unchanged() -> None:
    assert translations(SOURCE_LANGUAGE).gettext("Agregar al carrito") == "Agregar al carrito"


def test_spanish_texts_are_wrapped_for_translation() -> None:
    """Check that Spanish texts are inside `_(…)`; otherwise other languages would not translate them.

    One test checks all files: the overhead of a thousand tests would be longer than the check itself.
    """
    files = [file for file in SOURCES if not file.as_posix().startswith(tuple(UNTRANSLATED))]
    assert len(files) > 1_000
    found = {str(file): list(find_untranslated_spanish((ROOT / file).read_text("utf-8"))) for file in files}
    assert {file: texts for file, texts in found.items() if texts} == {}


def test_digits_are_grouped_in_counts_but_not_in_order_numbers() -> None:
    assert _("Quedan {n}").format(n=5_000_001) == "Quedan 5.000.001"
    assert _("Pedido {number}").format(number=10_000_001) == "Pedido 10000001"
    assert format_count(1_200, _("{n} uso"), _("{n} usos")) == "1.200 usos"
    assert _("{n} GiB libres en {folder}").format(n="1.5", folder="data") == "1.5 GiB libres en data"


ORDINARY_SPACES = {"backend/attention/command.py": "the output of `trompo attention`"}
"""Places where an amount has an ordinary space after the sign, with the reason."""


def list_literals(source: str) -> Iterator[str]:
    """Yield the string literals of a module, except docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "1" for part in node.values)  # type: ignore[misc]  # a constant of an f-string is a str
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_peso_sign_is_followed_by_a_no_break_space() -> None:
    """Check that the space between the sign and the number is a no-break space, as in `format_cop`."""
    found = {
        str(file): texts
        for file in SOURCES
        if (
            texts := [
                text
                for text in list_literals((ROOT / file).read_text("utf-8"))
                if re.search(r"\$ [0-9{]", text)
            ]
        )
    }
    assert found.keys() == ORDINARY_SPACES.keys(), found

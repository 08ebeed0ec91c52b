"""Every text of the shop can be said in every language it offers."""

import string

import pytest
from babel.messages.pofile import read_po

from backend.texts import FOLDER, SOURCE_LANGUAGE, catalogue, translations
from tools.messages import messages

OTHERS = sorted(folder.name for folder in FOLDER.iterdir() if catalogue(folder.name).exists())


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

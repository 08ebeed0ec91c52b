"""A mail says the same in plain text and in the shop's look, and loads nothing."""

import html
import re
from html.parser import HTMLParser

import pytest

from backend.mail.paper import Letter, on_paper, page, plain
from backend.settings import Settings
from tests.backend.mail.conftest import text_of

LINK = "https://trompo.example/order/order_1?token=abc&x=1"
LETTER = Letter(
    subject="Recibimos tu pedido 7",
    greeting="Hola, Ana:",
    words=["Ya guardamos tu pedido.", "Lo lleva Envía, con la guía GUIA-77."],
    bill=[("2 × Trompo & yoyo", "$ 80.000"), ("Envío a domicilio", "Gratis"), ("Total", "$ 80.000")],
    action="Ver mi pedido",
    link=LINK,
    after=["Vence en una hora."],
)
MALICE = '<img src=x onerror="alert(1)"><a href="javascript:alert(1)">&</a>'


class Words(HTMLParser):
    """The words a reader sees, the tags, and where they lead."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.tags: set[str] = set()
        self.links: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "background"}]


def read(letter: Letter, settings: Settings) -> Words:
    words = Words()
    words.feed(page(letter, settings))
    return words


def test_both_say_the_same(settings: Settings) -> None:
    seen, text = read(LETTER, settings).words, plain(LETTER, settings)
    facts = [LETTER.greeting, *LETTER.words, *LETTER.after, LETTER.action, LINK, settings.store_phone]
    for fact in [*facts, *(part for row in LETTER.bill for part in row)]:
        assert fact in text
        assert fact in seen
    assert LETTER.subject in seen


def test_it_leads_to_the_shop_alone_and_loads_nothing(settings: Settings) -> None:
    seen = read(LETTER, settings)
    assert set(seen.links) == {settings.base_url, LINK}
    assert not seen.tags & {"img", "link", "style", "script", "iframe", "form"}
    assert "url(" not in page(LETTER, settings)


@pytest.mark.parametrize("part", ["subject", "greeting", "action", "words", "after", "bill"])
def test_what_a_shopper_typed_is_no_markup(settings: Settings, part: str) -> None:
    changed = {"words": [MALICE], "after": [MALICE], "bill": [(MALICE, MALICE)]}.get(part, MALICE)
    letter = Letter(**{**{name: getattr(LETTER, name) for name in LETTER.__slots__}, part: changed})
    seen = read(letter, settings)
    assert MALICE in seen.words
    assert "img" not in seen.tags
    assert set(seen.links) == {settings.base_url, LINK}


def test_a_mail_program_finds_both(settings: Settings) -> None:
    named = settings.model_copy(update={"store_name": "Trompo, la juguetería"})
    mail = on_paper(LETTER, named, "ana@example.com")
    assert mail.get_content_type() == "multipart/alternative"
    assert text_of(mail).strip() == plain(LETTER, named).strip()
    assert html.escape(LINK) in text_of(mail, "html")
    assert mail["From"].addresses[0].display_name == "Trompo, la juguetería"
    assert mail["From"].addresses[0].addr_spec == settings.store_email
    assert mail["Date"].datetime is not None
    assert re.fullmatch(r"<\S+@localhost>", mail["Message-ID"])

"""The plain text and the HTML of a mail have the same words, and the HTML loads nothing."""

import html
import re
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

import pytest

from backend.core.config.settings import Settings
from backend.mail.messages import Message
from backend.mail.models import MailKind
from backend.mail.rendering import CUSTOM_TEMPLATES_FOLDER, TEMPLATES, MailRenderer
from tests.backend.mail.conftest import text_of

LINK = "https://trompo.example/order/order_1?token=abc&x=1"
VALUES: dict[str, Any] = {
    "name": "Ana",
    "number": 7,
    "link": LINK,
    "bill": [("2 × Trompo & yoyo", "$ 80.000"), ("Envío a domicilio", "Gratis"), ("Total", "$ 80.000")],
    "carrier": "Envía",
    "tracking_number": "GUIA-77",
    "tracking_url": "",
    "is_delivered": False,
    "part": "",
    "delivery_note": "",
    "is_pickup": False,
    "is_own": False,
    "amount": "$ 33.528",
    "reference": "0012345678",
    "is_reversed": False,
    "is_cash": False,
    "changes": ["Agregamos 1 × Yoyo"],
    "owed": "$ 15.000",
    "pay_link": LINK,
    "received": "",
    "missing": "",
    "surplus": "",
    "is_held": False,
    "total": "$ 89.900",
    "role": "Tienda",
    "id": "att_1",
    "title": "Pagaron dos veces",
    "advice": "Devuelve uno de los pagos.",
    "action": "refunded",
    "due": "3 de mayo",
    "since": "2 de mayo",
    "details": "twice",
    "product": "Trompo",
    "items": [("2 × Trompo", "$ 60.000"), ("Total sin envío", "$ 60.000")],
    "unsubscribe": "https://trompo.example/unsubscribe",
    "what": "queja",
    "asked": "1 de mayo",
    "answer": ["Ya va otro en camino."],
    "return_number": 3,
    "is_claim": False,
    "next_step": "Te respondemos el 2 de mayo.",
    "is_canceled": True,
    "denial": ["Está usado."],
    "code": "8bb918b1",
    "code_name": "CUFE",
    "pdf_link": "https://trompo.example/api/invoices/inv_1/pdf?token=abc",
    "xml_link": "https://trompo.example/api/invoices/inv_1/xml?token=abc",
    "is_bank": True,
    "promise": "Llega a más tardar el lunes 7 de diciembre.",
    "delay": "Tu pago se aprobó el viernes.",
    "is_gift": True,
    "facts": [("CUS", "1234")],
    "terms_link": "https://trompo.example/legal/terminos",
    "withdrawal_link": "https://trompo.example/legal/retracto",
    "products": [("Trompo", LINK)],
    "until": "5 de mayo",
    "lines": ["Pedido 7 · 2 × Trompo"],
    "more": "Y 3 más.",
    "link_label": "Empacar",
    "choices": LINK,
    "has_account": False,
}
"""Values for the templates of all kinds."""
MALICE = '<img src=x onerror="alert(1)"><a href="javascript:alert(1)">&</a>'


class Words(HTMLParser):
    """A parser that collects the visible words, the tags and the link targets."""

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


def render(settings: Settings, kind: MailKind = MailKind.ORDER_SHIPPED, **changes: Any) -> EmailMessage:
    return MailRenderer(settings).render(Message(kind, "ana@example.com", {**VALUES, **changes}), settings)


def read(mail: EmailMessage) -> Words:
    words = Words()
    words.feed(text_of(mail, "html"))
    return words


def test_every_kind_of_mail_has_a_template() -> None:
    assert {file.stem for file in TEMPLATES.glob("*.jinja")} == {str(kind) for kind in MailKind}


def test_plain_text_of_an_order_mail_has_the_expected_content(settings: Settings) -> None:
    mail = render(settings)
    assert mail["Subject"] == "Tu pedido 7 va en camino"
    assert text_of(mail) == (
        "Hola, Ana:\n\nYa despachamos tu pedido.\n\nLlega a más tardar el lunes 7 de diciembre.\n\n"
        "Lo lleva Envía, con la guía GUIA-77.\n\n"
        "2 × Trompo & yoyo: $ 80.000\nEnvío a domicilio: Gratis\nTotal: $ 80.000\n\n"
        f"Seguir mi pedido:\n{LINK}\n\n"
        f"{settings.store_name} · localhost\n{settings.store_phone} · {settings.store_email}\n"
    )


@pytest.mark.parametrize("kind", list(MailKind))
def test_text_and_html_have_the_same_words(settings: Settings, kind: MailKind) -> None:
    mail = render(settings, kind)
    seen, text = " ".join(read(mail).words.split()), text_of(mail)
    assert str(mail["Subject"]) in seen
    for line in filter(None, text.splitlines()):
        for part in line.split(": $") if line.count(": $") else [line.removesuffix(":")]:
            assert " ".join(part.split()).removesuffix(": Gratis") in seen


@pytest.mark.parametrize("kind", list(MailKind))
def test_html_of_a_mail_links_only_to_the_shop_and_loads_nothing(settings: Settings, kind: MailKind) -> None:
    mail = render(settings, kind)
    seen = read(mail)
    assert set(seen.links) <= {settings.base_url, LINK}
    assert not seen.tags & {"img", "link", "style", "script", "iframe", "form"}
    assert "url(" not in text_of(mail, "html")


@pytest.mark.parametrize("kind", list(MailKind))
def test_typed_text_in_a_mail_is_escaped(settings: Settings, kind: MailKind) -> None:
    changed = {
        name: MALICE
        for name, value in VALUES.items()
        if isinstance(value, str) and name not in ("link", "pay_link", "tracking_url")
    }
    mail = render(
        settings, kind, **changed, number=MALICE, bill=[(MALICE, MALICE)], products=[(MALICE, LINK)]
    )
    seen = read(mail)
    assert "img" not in seen.tags
    assert set(seen.links) <= {settings.base_url, LINK}
    if kind is not MailKind.PASSWORD_RESET:
        assert MALICE in seen.words
        assert MALICE in text_of(mail)


def test_subject_of_a_mail_with_line_breaks_is_one_line(settings: Settings) -> None:
    mail = render(settings, MailKind.ATTENTION, title="one\r\nBcc: all@example.com")
    assert mail["Subject"] == "Por resolver: one Bcc: all@example.com"
    assert mail["Bcc"] is None


def test_mail_has_a_text_and_an_html_part(settings: Settings) -> None:
    mail = render(settings.model_copy(update={"store_name": "Trompo, la juguetería"}))
    assert mail.get_content_type() == "multipart/alternative"
    assert html.escape(LINK) in text_of(mail, "html")
    assert mail["To"] == "ana@example.com"
    assert mail["From"].addresses[0].display_name == "Trompo, la juguetería"
    assert mail["From"].addresses[0].addr_spec == settings.store_email
    assert mail["Date"].datetime is not None
    assert re.fullmatch(r"<\S+@localhost>", mail["Message-ID"])


def test_custom_template_replaces_the_built_in_one(settings: Settings) -> None:
    folder = settings.data_dir / CUSTOM_TEMPLATES_FOLDER
    folder.mkdir(parents=True)
    (folder / "order_shipped.jinja").write_text(
        "{% extends layout %}{% block subject %}¡Va para {{ name }}!{% endblock %}"
        "{% block message %}{{ paragraph('Por ' ~ carrier) }}{% endblock %}"
    )
    mail = render(settings)
    assert mail["Subject"] == "¡Va para Ana!"
    assert text_of(mail).startswith("Hola, Ana:\n\nPor Envía\n\nTrompo")
    assert "Por Envía</p>" in text_of(mail, "html")
    assert render(settings, MailKind.ORDER_PAID)["Subject"] == "Tu pago quedó confirmado: pedido 7"


@pytest.mark.parametrize("mistake", ["{% extends layout", "{{ nombre }}", "{{ 1 / 0 }}"])
def test_broken_custom_template_falls_back_to_the_built_in_one(
    settings: Settings, mistake: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = settings.data_dir / CUSTOM_TEMPLATES_FOLDER
    folder.mkdir(parents=True)
    (folder / "order_shipped.jinja").write_text(mistake)
    assert render(settings)["Subject"] == "Tu pedido 7 va en camino"
    assert "order_shipped cannot be rendered" in caplog.text

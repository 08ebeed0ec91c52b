"""Every mail in English."""

from typing import Any

import pytest

from backend.attention.kinds import RULES
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.dates import day_label, time_label
from backend.mail.messages import Message
from backend.mail.models import MailKind
from backend.mail.rendering import TEMPLATES, MailRenderer
from tests.backend.mail.conftest import text_of
from tests.spanish import find_spanish

VALUES: dict[str, Any] = {
    "name": "Ana",
    "number": 7,
    "link": "https://trompo.example/order/order_1",
    "bill": [("2 × Robot", "$ 80.000"), ("Total", "$ 80.000")],
    "carrier": "",
    "tracking_number": "77",
    "tracking_url": "https://carrier.example/77",
    "is_delivered": False,
    "part": "1 × Robot",
    "is_held": False,
    "amount": "$ 33.528",
    "reference": "0012345678",
    "id": "att_1",
    "title": "Paid twice",
    "advice": "Give one back.",
    "action": "refunded",
    "due": time_label(now()),
    "since": time_label(now()),
    "details": "twice",
    "role": "Shop",
    "product": "Robot",
    "items": [("2 × Robot", "$ 80.000"), ("Total without shipping", "$ 80.000")],
    "unsubscribe": "https://trompo.example/unsubscribe",
    "what": "complaint",
    "asked": time_label(now()),
    "answer": ["Another one is on its way."],
    "return_number": 3,
    "is_claim": True,
    "next_step": "We answer by 2 May.",
    "is_canceled": True,
    "is_reversed": False,
    "denial": ["It was not bought here."],
    "code": "8bb918b1",
    "code_name": "CUFE",
    "pdf_link": "https://trompo.example/api/invoices/inv_1/pdf?token=abc",
    "xml_link": "https://trompo.example/api/invoices/inv_1/xml?token=abc",
    "has_account": True,
    "is_bank": True,
    "is_cash": False,
    "promise": "It arrives by Monday, December 7.",
    "delay": "",
    "is_pickup": True,
    "delivery_note": "Street 1 # 2-3, 9 a. m. to 6 p. m.",
    "pay_text": "Transfer the amount.",
    "pay_facts": [("Account", "123")],
    "is_gift": True,
    "facts": [("CUS", "1234")],
    "received": "$ 50.000",
    "total": "$ 80.000",
    "missing": "",
    "surplus": "",
    "changes": ["We added 1 × Yoyo."],
    "owed": "",
    "pay_link": "https://trompo.example/pay/x",
    "terms_link": "https://trompo.example/legal/terminos",
    "withdrawal_link": "https://trompo.example/legal/retracto",
    "products": [("Robot", "https://trompo.example/review/ordli_1?token=t")],
    "until": day_label(now()),
    "lines": ["Order 7 · 2 × Robot"],
    "more": "And 3 more.",
    "link_label": "Pack",
    "choices": "https://trompo.example/oficina/cuenta",
}


@pytest.mark.parametrize("kind", MailKind)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"is_delivered": True, "name": "", "number": None, "link": "", "is_bank": False, "is_claim": False},
        {"missing": "$ 30.000", "is_cash": True, "has_account": False},
        {"missing": "$ 30.000", "is_held": True},
        {"is_held": True},
        {"surplus": "$ 1"},
        {"owed": "$ 15.000"},
        {"is_free": True},
    ],
)
def test_mail_has_no_spanish(settings: Settings, kind: MailKind, changes: dict[str, Any]) -> None:
    assert (TEMPLATES / f"{kind}.jinja").exists()
    mail = MailRenderer(settings).render(Message(kind, "ana@example.com", {**VALUES, **changes}), settings)
    shop = (settings.store_name, settings.store_email, settings.store_phone)
    for text in (str(mail["Subject"]), text_of(mail), text_of(mail, "html")):
        assert find_spanish(text, *shop) == []


@pytest.mark.parametrize("kind", RULES)
def test_attention_kinds_have_no_spanish(kind: Any) -> None:
    assert find_spanish(f"{RULES[kind].title} {RULES[kind].advice}") == []


def test_dates_and_times_have_no_spanish() -> None:
    assert find_spanish(f"{time_label(now())} {day_label(now())}") == []

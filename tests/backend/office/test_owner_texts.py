"""The owner of a Spanish shop reads no English words and no technical names or ids.

| where | what is checked |
|---|---|
| Por resolver, its mail and its notices | a row of every kind, with the data that the shop stores |
| alerts and their mails | an alert of every kind, from every call of `raise_alert` |
| the timeline of an order | every audit action, payment state and mail, and an action that is unknown |
| notices and the daily summary | every text of their modules and templates |
"""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_file
from sqlalchemy import select, update

import backend
from backend.alerts import AlertKind, raise_alert
from backend.alerts.models import Alert
from backend.app import Shop
from backend.attention import AttentionKind as K
from backend.attention import raise_attention
from backend.attention.descriptions import JOB_NAMES
from backend.audit import Subject, SubjectType, record
from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.office.attention import open_attention
from backend.office.orders import timeline
from backend.office.orders.detail import order_detail
from backend.operations.monitoring.alert_checks import SERVICE_NAMES
from backend.orders.delivery_kinds import DeliveryKind
from backend.payment.models import PaymentSession
from backend.payment.states import SessionState
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor, Role
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import StaffNotice
from tests.sold_order import SoldOrder
from tests.spanish import find_english

ROOT = Path(backend.__file__).parent
OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
PAYMENT = {"owed": 79_879, "state": "expired", "reference": "ref_1", "exact_amount": "50000.40"}
PARCEL = {"reference": "1024-1", "words": "DIRECCIÓN ERRADA"}
DATA: Mapping[K, Mapping[str, Any]] = {
    K.AMOUNT_DIFFERS: PAYMENT,
    K.APPROVED_LATE: PAYMENT,
    K.APPROVED_AFTER_CANCEL: PAYMENT,
    K.PAID_TWICE: PAYMENT,
    K.PAID_IN_PART: PAYMENT,
    K.PAYMENT_CONTRADICTED: {"reported": "rejected"},
    K.PAYMENT_UNRESOLVED: {"state": "pending", "reference": "ref_1"},
    K.LABEL_IN_DOUBT: {"reference": "1024-1"},
    K.LABEL_TOO_EXPENSIVE: {"max_price": 30_000},
    K.NO_COURIER: {"place": "Mitú, Vaupés"},
    K.LABEL_CANCELED: PARCEL,
    K.LABEL_RETURNED: PARCEL,
    K.LABEL_INCIDENT: PARCEL,
    K.NOT_DELIVERED: {"reference": "1024-1"},
    K.PQRS_DUE: {"title": "Queja 7"},
    K.RETURN_DUE: {"title": "Retracto 7"},
    K.RETURN_LATE: {"title": "Retracto 7"},
    K.INVOICE_REJECTED: {"title": "SETP990", "reason": "NIT errado"},
    K.INVOICE_LATE: {"title": "SETP990"},
    K.INVOICE_WAITS: {"reason": "Se acabó la numeración."},
    K.INVOICE_NUMBERS: {"numbers_left": 12},
    K.JOB_FAILED: {"kind": "mail.send", "key": "mail_1"},
    K.WEBHOOK_OFF: {"title": "erp.tienda.co", "reason": "respondió 500"},
    K.CLOCK_PUT_BACK: {"counts": {"job": 3}, "ahead_s": 610},
}
"""Data that the shop stores with the rows of a kind. Kinds that are missing have none."""
MODULES = (
    "alerts/kinds.py",
    "attention/descriptions.py",
    "attention/kinds.py",
    "fulfillment/labels.py",
    "mail/templates/alert.jinja",
    "mail/templates/attention.jinja",
    "mail/templates/staff_notice.jinja",
    "office/attention.py",
    "office/opening_steps.py",
    "office/orders/timeline.py",
    "operations/monitoring/alert_checks.py",
    "operations/monitoring/certificates.py",
    "staff_notices",
)
"""Modules and templates whose texts the owner reads, in `backend/`."""


def require_spanish(text: str) -> None:
    """Check that the text has neither English nor technical names, except in links and placeholders.

    A sentence must not end with a time, because that would give it two periods: `3:40 p. m..`
    """
    assert ".." not in text, text
    assert find_english(re.sub(r"https?://\S+|\{\w*\}", "…", text)) == [], text


async def render_mails(shop: Shop, settings: Settings, mails: list[Mail]) -> list[str]:
    """Return the subject and text of each mail. A mail that is not to be sent fails the test."""
    texts = []
    async with shop.database.read() as session:
        for mail in mails:
            message = await compose_message(session, settings, mail)
            assert message is not None, (mail.kind, mail.about)
            written = MailRenderer(settings).render(message, settings)
            body = written.get_body(("plain",))
            assert body is not None
            texts.append(f"{written['Subject']}\n{body.get_content()}")
    return texts


async def test_attention_of_every_kind_is_spanish_on_the_screen_and_in_mails(
    shop: Shop, sold_order: SoldOrder
) -> None:
    async with shop.database.transaction() as session:
        member = Staff(email="duena@trompo.example", password_hash="never used", role=Role.OWNER)
        session.add(member)
        for kind in K:
            await raise_attention(
                session,
                kind,
                message="Payment payses_1: it was approved after it had expired",
                subject_id=f"subject_{kind}",
                amount=50_000,
                order_id=sold_order.order_id,
                data=dict(DATA.get(kind, {})),
            )
        payments = (StaffNotice.kind == NoticeKind.PAYMENT) & StaffNotice.batch_id.is_(None)
        await session.execute(
            update(StaffNotice).where(payments).values(batch_id="batch", batched_at=db_now())
        )
    async with shop.database.read() as session:
        rows = (await open_attention(session, OWNER)).rows
    assert {row.kind for row in rows} == set(K)
    for row in rows:
        actions = [action.label for action in (row.recommended, *row.others)]
        require_spanish("\n".join((row.title, row.about, row.advice, row.facts, row.due_label, *actions)))
    # with an address for alerts, the shop gets a mail about every kind
    settings = shop.settings.model_copy(update={"alert_email": "avisos@trompo.example"})
    mails = [Mail(kind=MailKind.ATTENTION, about=row.id) for row in rows]
    mails.append(Mail(kind=MailKind.STAFF_NOTICE, about=f"batch {member.id}"))
    for text in await render_mails(shop, settings, mails):
        require_spanish(text)


def list_alert_messages() -> dict[str, list[str]]:
    """Return the Spanish texts of each module that calls `raise_alert`, by path."""
    found: dict[str, list[str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        source = file.read_text("utf-8")
        if "raise_alert(" not in source or file.parent.name == "alerts":
            continue
        found[file.relative_to(ROOT).as_posix()] = list_messages(file)
    return found


def list_messages(file: Path) -> list[str]:
    """Return the texts inside `_(…)` of a module or template."""
    method = "python" if file.suffix == ".py" else "jinja2"
    return [str(message) for _line, message, *_more in extract_from_file(method, str(file), {"_": None})]


async def test_alert_of_every_kind_is_spanish(shop: Shop) -> None:
    by_module = list_alert_messages()
    assert {"operations/monitoring/alert_checks.py", "checkout/payment/stock_holds.py"} == set(by_module)
    texts = [text for messages in by_module.values() for text in messages]
    assert "Quedan {free} MiB en {host}." in texts
    for text in texts:
        require_spanish(text)
    async with shop.database.transaction() as session:
        for kind in AlertKind:
            await raise_alert(session, kind, "The gateway", f"{SERVICE_NAMES['The gateway']}: sin respuesta.")
        alerts = (await session.execute(select(Alert.id))).scalars().all()
    mails = [Mail(kind=MailKind.ALERT, about=alert_id) for alert_id in alerts]
    for text in await render_mails(shop, shop.settings, mails):
        require_spanish(text)


def test_every_outside_service_has_a_spanish_name() -> None:
    """Check all names that the code gives to `HttpClient`, as literals or as constants of the module."""
    names = set()
    for file in ROOT.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        constants = {
            ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "HttpClient":
                argument = constants.get(ast.unparse(call.args[0]), call.args[0])
                assert isinstance(argument, ast.Constant)
                names.add(argument.value)
    assert names == set(SERVICE_NAMES)
    for name in SERVICE_NAMES.values():
        require_spanish(name)


@pytest.mark.parametrize("state", SessionState)
async def test_timeline_of_an_order_is_spanish(
    shop: Shop, sold_order: SoldOrder, state: SessionState
) -> None:
    actions = [*timeline.ACTION_LABELS, *timeline.HIDDEN_ACTIONS, "written by a later release"]
    async with shop.database.transaction() as session:
        for action in actions:
            await record(session, COMMAND_LINE, action, Subject(SubjectType.ORDER, sold_order.order_id))
        await session.execute(update(PaymentSession).values(state=state))
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, sold_order.order_id, "Trompo")
    assert len(detail.events) > len(timeline.ACTION_LABELS)
    for event in detail.events:
        require_spanish(f"{event.title}\n{event.text}\n{event.when}\n{event.actor_name}")
    for mail in detail.mails:
        require_spanish(f"{mail.title}\n{mail.sent_label}")


def test_labels_of_the_timeline_are_spanish() -> None:
    labels = [
        *(label for kind in DeliveryKind for label in timeline.ACTION_LABELS_BY_KIND[kind].values()),
        *(title for title, _tone in timeline.PAYMENT_EVENTS.values()),
        *timeline.MAIL_LABELS.values(),
        *JOB_NAMES.values(),
    ]
    for label in labels:
        require_spanish(label)


@pytest.mark.parametrize("name", MODULES)
def test_texts_that_the_owner_reads_are_spanish(name: str) -> None:
    place = ROOT / name
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    texts = [text for file in files for text in list_messages(file)]
    assert texts
    for text in texts:
        require_spanish(text)

"""An order of $ 80.000 whose payment was accepted with another amount: all views show the paid amount.

| approved | mail | customer's page | office and packing | Hoy | invoice |
|---|---|---|---|---|---|
| 50000 | a part, 30.000 is missing | 50.000 of 80.000 | 30.000 missing | 50.000 | 80.000, prepaid 50.000, due 30.000 |
| 38000.40 | $ 38.000,40 | the same | 42.000 missing | 38.000 | prepaid 38.000, due 42.000 |
| 100000 | 20.000 too much | 100.000 | too much | 100.000 | 80.000, paid at once |
| 80000 | as usual | as usual | as usual | 80.000 | the same |

The paid amount is shown exactly; the missing or excess amount is in whole pesos everywhere, also in attention. A
refund reduces the amount in Hoy. A partly paid order can be packed: the owner has accepted it.
"""

import re
from decimal import Decimal
from xml.etree import ElementTree as ET

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.money import format_cop, format_exact
from backend.fulfillment.bulk_fulfillment import send_remaining_units
from backend.invoices.creation import ISSUE
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.office.attention import open_attention
from backend.office.orders.detail import order_detail
from backend.office.orders.packing import pack_view
from backend.office.today import today_view
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.transitions import apply_report
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import StaffNotice
from backend.storefront_views.order_page import order_view
from tests.backend.invoices.desk import enable_invoices, list_documents
from tests.backend.invoices.providers.ubl.test_ubl import NS, require_valid
from tests.backend.orders.paying import read_open_attention, report_payment, resolve
from tests.sold_order import SoldOrder
from tests.store_steps import post

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
TOTAL = 80_000
AMOUNTS = [
    ("50000", "$ 50.000", "$ 30.000", "Pagaron $ 50.000 de $ 80.000: faltan $ 30.000.", 50_000),
    ("38000.40", "$ 38.000,40", "$ 42.000", "Pagaron $ 38.000,40 de $ 80.000: faltan $ 42.000.", 38_000),
    ("100000", "$ 100.000", "", "Pagaron $ 100.000 por $ 80.000: sobran $ 20.000.", 100_000),
    ("80000.25", "$ 80.000,25", "", "Pagaron $ 80.000,25 por $ 80.000.", 80_000),
]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
async def order(shop: Shop, order_at_bank: SoldOrder) -> tuple[str, str]:
    """Return an order at the bank, and its payment session. The embedded provider issues the shop's invoices."""
    await enable_invoices(shop, shop.invoices.providers["ubl"])
    return order_at_bank.order_id, order_at_bank.session_id


async def approve_payment(shop: Shop, session_id: str, amount: str) -> None:
    async with shop.database.read() as session:
        payment = await session.get_one(PaymentSession, session_id)
    report = ProviderReport(
        state=ProviderState.CAPTURED, amount=Decimal(amount), currency="COP", invoice=payment.invoice
    )
    await apply_report(shop.database, session_id, report)


async def accept_payment(shop: Shop, admin: httpx.AsyncClient, session_id: str, amount: str) -> None:
    await approve_payment(shop, session_id, amount)
    assert (await resolve(admin, await read_open_attention(shop), action="honor")).status_code == 200


@pytest.mark.parametrize(("amount", "paid", "missing", "words", "pesos"), AMOUNTS)
async def test_all_views_of_an_order_show_the_amount_that_was_paid(  # noqa: PLR0917 (fixtures)
    shop: Shop,
    admin: httpx.AsyncClient,
    order: tuple[str, str],
    amount: str,
    paid: str,
    missing: str,
    words: str,
    pesos: int,
) -> None:
    order_id, session_id = order
    await approve_payment(shop, session_id, amount)
    async with shop.database.read() as session:
        (row,) = (await open_attention(session, OWNER)).rows
    assert paid in plain(row.about)
    assert plain(row.facts) == attention_words(paid, missing, pesos)
    await resolve(admin, await read_open_attention(shop), action="honor")
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, order_id, "Trompo")
        packing = (await pack_view(session, OWNER, order_id)).order
        page = await order_view(session, shop.settings, order_id)
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_PAID))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
        view = await today_view(session, OWNER, shop.settings)
    assert plain(detail.payment.difference) == words
    assert f"El banco aprobó {paid}" in [plain(value) for _name, value in detail.payment.facts]
    (event,) = [one for one in detail.events if one.title == "El banco aprobó el pago"]
    assert plain(event.text) == paid
    assert packing is not None
    assert (packing.state, plain(packing.difference)) == ("held" if missing else "open", words)
    assert plain(page.payment.amount_label) == plain(page.paid_label) == paid
    assert (plain(page.missing_label), page.payment.amount) == (missing, pesos)
    assert message is not None
    assert plain(message.values["received"]) == paid
    assert plain(message.values["missing"]) == missing
    assert plain(view.sold_label) == plain(f"$ {pesos:,}".replace(",", "."))


def attention_words(paid: str, missing: str, pesos: int) -> str:
    """Return the sentence in Por resolver about a payment of this amount."""
    if missing:
        return f"El pedido vale $ 80.000; llegaron {paid}; faltan {missing}."
    if pesos > TOTAL:
        return f"El pedido vale $ 80.000; llegaron {paid}; sobran $ 20.000."
    return f"El pedido vale $ 80.000; llegaron {paid}."


@pytest.mark.parametrize("reported", ["45443.40", "45443.005", "80000.75", "100000.5"])
async def test_every_text_shows_a_payment_with_cents_by_the_same_amounts(
    shop: Shop, admin: httpx.AsyncClient, order: tuple[str, str], reported: str
) -> None:
    """Read every text about the order: in the office, on its page, and in mails to staff, shop and customer.

    Compared with an order that was paid exactly, the only new amounts are the reported one with its cents, and the
    difference in whole pesos.
    """
    order_id, session_id = order
    allowed = read_amounts(await read_texts(shop, order_id))
    await approve_payment(shop, session_id, reported)
    texts = await read_texts(shop, order_id)
    await resolve(admin, await read_open_attention(shop), action="honor")
    texts += await read_texts(shop, order_id)
    exact, whole = Decimal(reported), int(Decimal(reported))
    expected = {plain(format_exact(exact))} | (
        {plain(format_cop(abs(TOTAL - whole)))} if whole != TOTAL else set()
    )
    assert read_amounts(texts) - allowed == expected


def read_amounts(text: str) -> set[str]:
    """Return the amounts of money in the text."""
    return set(re.findall(r"\$ [\d.]*\d(?:,\d+)?", plain(text)))


async def read_texts(shop: Shop, order_id: str) -> str:
    """Return all texts about the order's money that the shop, its staff and the customer read."""
    async with shop.database.transaction() as session:
        await session.execute(update(StaffNotice).values(batch_id=StaffNotice.kind, batched_at=db_now()))
        owner = (
            await session.execute(select(Staff.id).where(Staff.role == Role.OWNER).limit(1))
        ).scalar_one()
        rows = (await open_attention(session, OWNER)).rows
        texts: list[object] = [
            rows,
            await order_detail(session, OWNER, order_id, "Trompo"),
            await pack_view(session, OWNER, order_id),
            await order_view(session, shop.settings, order_id),
        ]
        for mail in (
            *(Mail(kind=MailKind.ATTENTION, about=row.id) for row in rows),
            *(Mail(kind=MailKind.STAFF_NOTICE, about=f"{kind} {owner}") for kind in NoticeKind),
            Mail(kind=MailKind.ORDER_PAID, about=order_id),
        ):
            message = await compose_message(session, shop.settings, mail)
            if message is not None:
                written = MailRenderer(shop.settings).render(message, shop.settings)
                body = written.get_body(("plain",))
                texts += [written["Subject"], body and body.get_content()]
    return "\n".join(map(str, texts))


async def test_partly_paid_order_is_packed_only_after_a_decision(
    shop: Shop, admin: httpx.AsyncClient, order: tuple[str, str]
) -> None:
    order_id, session_id = order
    await accept_payment(shop, admin, session_id, "50000")

    async def send() -> tuple[str, bool]:
        outcome = await send_remaining_units(
            shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id
        )
        return outcome.text, outcome.waits

    assert await send() == ("El pago espera una decisión en Por resolver.", True)
    async with shop.database.read() as session:
        (row,) = (await open_attention(session, OWNER)).rows
    assert (row.kind, row.recommended.name) == ("paid_in_part", "dismissed")
    assert plain(row.facts) == "El pedido vale $ 80.000; llegaron $ 50.000; faltan $ 30.000."
    assert [action.label for action in row.others] == ["Empacarlo así"]
    assert (await resolve(admin, await read_open_attention(shop), action="honor")).status_code == 200
    assert await send() == ("Listo para recoger. Le avisamos al comprador.", False)


@pytest.mark.parametrize(
    ("amount", "subject", "said_in_it"),
    [
        ("50000", "Recibimos una parte de tu pago", "Faltan $ 30.000"),
        ("100000", "Tu pago quedó confirmado", "Sobran $ 20.000"),
    ],
)
async def test_mail_states_the_paid_amount(  # noqa: PLR0917 (fixtures)
    shop: Shop,
    admin: httpx.AsyncClient,
    order: tuple[str, str],
    amount: str,
    subject: str,
    said_in_it: str,
) -> None:
    await accept_payment(shop, admin, order[1], amount)
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_PAID))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    written = MailRenderer(shop.settings).render(message, shop.settings)
    body = written.get_body(("plain",))
    assert body is not None
    assert written["Subject"].startswith(subject)
    assert said_in_it in plain(" ".join(body.get_content().split()))
    assert "Tu banco confirmó el pago" not in body.get_content()


async def test_order_paid_exactly_shows_no_difference(shop: Shop, order: tuple[str, str]) -> None:
    await report_payment(shop, order[1], ProviderState.CAPTURED)
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, order[0], "Trompo")
        page = await order_view(session, shop.settings, order[0])
        view = await today_view(session, OWNER, shop.settings)
    assert (detail.payment.difference, page.paid_label, page.missing_label) == ("", "", "")
    assert plain(view.sold_label) == "$ 80.000"


async def test_sales_of_today_exclude_refunded_amounts(
    shop: Shop, admin: httpx.AsyncClient, order: tuple[str, str]
) -> None:
    await accept_payment(shop, admin, order[1], "50000")
    await post(admin, f"/admin/orders/{order[0]}/refunds", {"amount": 12_000, "reference": "T-1"})
    async with shop.database.read() as session:
        view = await today_view(session, OWNER, shop.settings)
    assert (plain(view.sold_label), view.orders) == ("$ 38.000", 1)


@pytest.mark.parametrize(
    ("amount", "prepaid", "payable", "form"),
    [
        ("50000", "50000.00", "30000.00", "2"),
        ("38000.40", "38000.00", "42000.00", "2"),
        ("100000", "", "80000.00", "1"),
    ],
)
async def test_invoice_of_a_partly_paid_order_states_the_paid_and_the_unpaid_part(  # noqa: PLR0917 (fixtures)
    shop: Shop,
    admin: httpx.AsyncClient,
    order: tuple[str, str],
    amount: str,
    prepaid: str,
    payable: str,
    form: str,
) -> None:
    await accept_payment(shop, admin, order[1], amount)
    await shop.worker.run_due(ISSUE)
    (invoice,) = await list_documents(shop)
    assert (invoice.state, invoice.reason, invoice.amount) == ("issued", "", TOTAL)
    require_valid(invoice)
    root = ET.fromstring(invoice.xml or b"")
    totals = "cac:LegalMonetaryTotal/cbc:"
    assert root.findtext(f"{totals}TaxInclusiveAmount", "", NS) == "80000.00"
    assert root.findtext(f"{totals}PrepaidAmount", "", NS) == prepaid
    assert root.findtext("cac:PrepaidPayment/cbc:PaidAmount", "", NS) == prepaid
    assert root.findtext(f"{totals}PayableAmount", "", NS) == payable
    assert root.findtext("cac:PaymentMeans/cbc:ID", "", NS) == form

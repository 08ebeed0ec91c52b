"""The money of an order of $ 80.000, in the same words and sums on every screen, page and mail.

| case | Por resolver | timeline, oldest first | Hoy and Informes |
|---|---|---|---|
| paid | nothing | approved 80.000 | 80.000 |
| less | 30.000 is missing | approved 50.000, not accepted | 0 |
| less, accepted | 30.000 is missing: packing waits | approved 50.000 | 50.000 |
| less, accepted and packed | nothing | approved 50.000 | 50.000 |
| less, given back | nothing | approved 50.000, refunded 50.000 | 0 |
| more | 20.000 in excess | approved 100.000, not accepted | 0 |
| more, accepted | nothing | approved 100.000 | 100.000 |
| more, the rest given back | nothing | approved 100.000, refunded 20.000 | 80.000 |
| twice | the second one waits | approved 80.000, and 80.000 that are not accepted | 80.000 |
| twice, one given back | nothing | approved twice, refunded 80.000 | 80.000 |
| late | 80.000 arrived after the rejection | approved 80.000, not accepted | 0 |
| late, accepted | nothing | approved 80.000 | 80.000 |
| after cancellation | 80.000 arrived for a cancelled order | approved 80.000, not accepted | 0 |
| after cancellation, given back | nothing | approved 80.000, refunded 80.000 | 0 |
| a part refunded | nothing | approved 80.000, refunded 12.000 | 68.000 |
| a part accepted, a part refunded | packing waits | approved 50.000, refunded 12.000 | 38.000 |
| contradicted by the bank | packing waits | approved 80.000 | 80.000 |
| reversed by the bank | nothing | approved 80.000, refunded by the bank | 0 |

In all cases Hoy and Informes agree, and the accepted minus the refunded sums of the timeline are the sum in Hoy.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.invoices.creation import ISSUE
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.mail.rendering import MailRenderer
from backend.office.attention import open_attention
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.packing import pack_view
from backend.office.reports import report_view
from backend.office.today import today_view
from backend.orders.admin.cancellation import cancel_order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport
from backend.payment.providers.base import ProviderState as S
from backend.payment.transitions import apply_report
from backend.staff.rights import Actor, Role
from backend.storefront_views.order_page import order_view
from tests.backend.invoices.desk import enable_invoices, list_documents
from tests.backend.orders.paying import read_open_attention, report_amount, report_payment, resolve
from tests.sold_order import SoldOrder
from tests.spanish import find_english
from tests.store_steps import post

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
APPROVED, UNUSED, REFUNDED, REVERSED = (
    "El banco aprobó el pago",
    "El banco aprobó un pago que no se ha aceptado",
    "Devolución anotada",
    "El banco devolvió el dinero",
)
MONEY_TITLES = (APPROVED, UNUSED, REFUNDED, REVERSED)


@dataclass(frozen=True)
class Money:
    """An order whose payments and refunds a test changes, with its shop and an Admin client."""

    shop: Shop
    admin: httpx.AsyncClient
    order: SoldOrder

    async def approve(self, amount: int, *, second: bool = False) -> None:
        """Let the bank approve this amount. With `second`, it is another transaction of the same payment."""
        await report_payment(self.shop, self.order.session_id, S.CAPTURED, amount, second=second)

    async def report(self, state: S) -> None:
        await report_payment(self.shop, self.order.session_id, state)

    async def decide(self, action: str) -> None:
        needed = {"refunded": {"reference": "TR-77"}, "dismissed": {"note": "It was given back by hand"}}
        decision = {"action": action, **needed.get(action, {})}
        answer = await resolve(self.admin, await read_open_attention(self.shop), **decision)
        assert answer.status_code == 200, answer.text

    async def refund(self, amount: int) -> None:
        body = {"amount": amount, "reference": "TR-88"}
        await post(self.admin, f"/admin/orders/{self.order.order_id}/refunds", body)

    async def cancel(self) -> None:
        await cancel_order(self.shop.database, OWNER, self.shop.payments, self.order.order_id)


Step = Callable[[Money], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """Steps, and the texts and sums that every view shows afterwards.

    Attributes:
        waits: the sentences in Por resolver.
        accept: the label of the button there that accepts the money; empty without one.
        events: titles and texts of the money in the timeline, the oldest first.
        sold: the sum in Hoy and in Informes.
        screen: the sentence about the difference on the order's screen and the packing screen.
        page: the status on the customer's page, and the paid, missing and refunded sums that it shows.
        refunded: the refunded sum on the order's screen.
        mail: words of the newest mail about money to the customer; empty without one.
        prepaid: the paid part of the invoice and the rest, which is a debt; empty without an invoice.
    """

    name: str
    steps: tuple[Step, ...]
    events: tuple[tuple[str, str], ...]
    sold: str
    page: tuple[str, str, str, str]
    waits: tuple[str, ...] = ()
    accept: str = ""
    screen: str = ""
    mail: str = ""
    prepaid: tuple[str, str] | tuple[()] = ()
    refunded: str = ""
    is_held: bool = False


def approve(amount: int, *, second: bool = False) -> Step:
    return lambda money: money.approve(amount, second=second)


def report(state: S) -> Step:
    return lambda money: money.report(state)


def decide(action: str) -> Step:
    return lambda money: money.decide(action)


def refund(amount: int) -> Step:
    return lambda money: money.refund(amount)


def cancel() -> Step:
    return lambda money: money.cancel()


PART = "Pagaron $ 50.000 de $ 80.000: faltan $ 30.000."
PART_MAIL = "Recibimos $ 50.000 de los $ 80.000 que vale tu pedido. Faltan $ 30.000."
PREPARED = "Ya empezamos a preparar tu pedido."
PART_WAITS = "El pedido vale $ 80.000; llegaron $ 50.000; faltan $ 30.000."
FULL_WAITS = "El pedido vale $ 80.000 y llegaron completos."
PAID_MAIL = "Tu banco confirmó el pago."
FULL, DEBT = ("", "80000.00"), ("50000.00", "30000.00")
CASES = (
    Case(
        "paid",
        (approve(80_000),),
        ((APPROVED, "$ 80.000"),),
        "$ 80.000",
        ("paid", "", "", ""),
        mail=PAID_MAIL,
        prepaid=FULL,
    ),
    Case(
        "less",
        (approve(50_000),),
        ((UNUSED, "$ 50.000"),),
        "$ 0",
        ("review", "", "", ""),
        waits=(PART_WAITS,),
        accept="Aceptar $ 50.000: faltan $ 30.000",
    ),
    Case(
        "less, accepted",
        (approve(50_000), decide("honor")),
        ((APPROVED, "$ 50.000"),),
        "$ 50.000",
        ("paid", "$ 50.000", "$ 30.000", ""),
        waits=(PART_WAITS,),
        screen=PART,
        mail=PART_MAIL,
        prepaid=DEBT,
        is_held=True,
    ),
    Case(
        "less, accepted and packed",
        (approve(50_000), decide("honor"), decide("honor")),
        ((APPROVED, "$ 50.000"),),
        "$ 50.000",
        ("paid", "$ 50.000", "$ 30.000", ""),
        screen=PART,
        mail=f"{PART_MAIL} {PREPARED}",
        prepaid=DEBT,
    ),
    Case(
        "less, given back",
        (approve(50_000), decide("refunded")),
        ((APPROVED, "$ 50.000"), (REFUNDED, "$ 50.000")),
        "$ 0",
        ("refunded", "", "", "$ 50.000"),
        mail="Te devolvimos $ 50.000 por transferencia. La referencia es TR-77.",
        refunded="$ 50.000",
    ),
    Case(
        "more",
        (approve(100_000),),
        ((UNUSED, "$ 100.000"),),
        "$ 0",
        ("review", "", "", ""),
        waits=("El pedido vale $ 80.000; llegaron $ 100.000; sobran $ 20.000.",),
        accept="Aceptar $ 100.000: sobran $ 20.000",
    ),
    Case(
        "more, accepted",
        (approve(100_000), decide("honor")),
        ((APPROVED, "$ 100.000"),),
        "$ 100.000",
        ("paid", "$ 100.000", "", ""),
        screen="Pagaron $ 100.000 por $ 80.000: sobran $ 20.000.",
        mail="Recibimos $ 100.000 y tu pedido vale $ 80.000. Sobran $ 20.000.",
        prepaid=FULL,
    ),
    Case(
        "more, the rest given back",
        (approve(100_000), decide("honor"), refund(20_000)),
        ((APPROVED, "$ 100.000"), (REFUNDED, "$ 20.000")),
        "$ 80.000",
        ("paid", "$ 100.000", "", "$ 20.000"),
        screen="Pagaron $ 100.000 por $ 80.000: sobran $ 20.000.",
        mail="Te devolvimos $ 20.000 por transferencia. La referencia es TR-88.",
        prepaid=FULL,
        refunded="$ 20.000",
    ),
    Case(
        "twice",
        (approve(80_000), approve(80_000, second=True)),
        ((APPROVED, "$ 80.000"), (UNUSED, "$ 80.000")),
        "$ 80.000",
        ("paid", "", "", ""),
        waits=(FULL_WAITS,),
        accept="Aceptar el pago",
        mail=PAID_MAIL,
        prepaid=FULL,
    ),
    Case(
        "twice, one given back",
        (approve(80_000), approve(80_000, second=True), decide("refunded")),
        ((APPROVED, "$ 80.000"), (APPROVED, "$ 80.000"), (REFUNDED, "$ 80.000")),
        "$ 80.000",
        ("paid", "", "", "$ 80.000"),
        mail="Te devolvimos $ 80.000 por transferencia. La referencia es TR-77.",
        prepaid=FULL,
        refunded="$ 80.000",
    ),
    Case(
        "late",
        (report(S.REJECTED), approve(80_000)),
        ((UNUSED, "$ 80.000"),),
        "$ 0",
        ("review", "", "", ""),
        waits=(f"Antes había dicho: rechazado. {FULL_WAITS}",),
        accept="Aceptar el pago",
    ),
    Case(
        "late, accepted",
        (report(S.REJECTED), approve(80_000), decide("honor")),
        ((APPROVED, "$ 80.000"),),
        "$ 80.000",
        ("paid", "", "", ""),
        mail=PAID_MAIL,
        prepaid=FULL,
    ),
    Case(
        "after cancellation",
        (report(S.REJECTED), cancel(), approve(80_000)),
        ((UNUSED, "$ 80.000"),),
        "$ 0",
        ("review", "", "", ""),
        waits=(FULL_WAITS,),
        accept="Aceptar el pago",
    ),
    Case(
        "after cancellation, given back",
        (report(S.REJECTED), cancel(), approve(80_000), decide("refunded")),
        ((APPROVED, "$ 80.000"), (REFUNDED, "$ 80.000")),
        "$ 0",
        ("refunded", "", "", "$ 80.000"),
        mail="Te devolvimos $ 80.000 por transferencia. La referencia es TR-77.",
        refunded="$ 80.000",
    ),
    Case(
        "a part refunded",
        (approve(80_000), refund(12_000)),
        ((APPROVED, "$ 80.000"), (REFUNDED, "$ 12.000")),
        "$ 68.000",
        ("paid", "", "", "$ 12.000"),
        mail="Te devolvimos $ 12.000 por transferencia. La referencia es TR-88.",
        prepaid=FULL,
        refunded="$ 12.000",
    ),
    Case(
        "a part accepted, a part refunded",
        (approve(50_000), decide("honor"), refund(12_000)),
        ((APPROVED, "$ 50.000"), (REFUNDED, "$ 12.000")),
        "$ 38.000",
        ("paid", "$ 50.000", "$ 30.000", "$ 12.000"),
        waits=(PART_WAITS,),
        screen=PART,
        mail="Te devolvimos $ 12.000 por transferencia. La referencia es TR-88.",
        prepaid=DEBT,
        refunded="$ 12.000",
        is_held=True,
    ),
    Case(
        "contradicted by the bank",
        (approve(80_000), report(S.CANCELED)),
        ((APPROVED, "$ 80.000"),),
        "$ 80.000",
        ("paid", "", "", ""),
        waits=("La pasarela ahora dice: cancelado. Faltarían $ 80.000.",),
        mail="Estamos confirmando tu pago con el banco. Tus productos siguen apartados",
        prepaid=FULL,
        is_held=True,
    ),
    Case(
        "reversed by the bank",
        (approve(80_000), report(S.CANCELED), decide("refunded")),
        ((APPROVED, "$ 80.000"), (REVERSED, "$ 80.000")),
        "$ 0",
        ("refunded", "", "", "$ 80.000"),
        mail="El banco reversó tu pago y $ 80.000 volvieron a tu cuenta.",
        prepaid=FULL,
        refunded="$ 80.000",
    ),
)


def normalize_spaces(text: str) -> str:
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


@pytest.fixture
async def money(shop: Shop, admin: httpx.AsyncClient, order_at_bank: SoldOrder) -> Money:
    """Return an order at the bank. The embedded provider issues the shop's invoices."""
    await enable_invoices(shop, shop.invoices.providers["ubl"])
    return Money(shop, admin, order_at_bank)


def list_money_events(detail: OrderDetail) -> list[tuple[str, str]]:
    """Return titles and texts of the events about money, the oldest first."""
    shown = [(one.title, normalize_spaces(one.text)) for one in reversed(detail.events)]
    return [event for event in shown if event[0] in MONEY_TITLES]


def parse_pesos(text: str) -> int:
    return int(re.sub(r"[^\d-]", "", text))


async def read_newest_mail(shop: Shop) -> str:
    """Return the newest mail about money to the customer, in one line; empty without one."""
    async with shop.database.read() as session:
        about_money = Mail.kind.in_(("order_paid", "refunded"))
        query = select(Mail).where(about_money).order_by(Mail.created_at.desc(), Mail.id.desc()).limit(1)
        mail = (await session.execute(query)).scalar_one_or_none()
        message = await compose_message(session, shop.settings, mail) if mail else None
    if message is None:
        return ""
    body = MailRenderer(shop.settings).render(message, shop.settings).get_body(("plain",))
    assert body is not None
    return normalize_spaces(body.get_content())


async def read_invoice_parts(shop: Shop) -> tuple[str, str] | tuple[()]:
    """Return the prepaid and the payable amount of the invoice, whose amount is the full price."""
    await shop.worker.run_due(ISSUE)
    invoices = [one for one in await list_documents(shop) if one.kind == "invoice"]
    if not invoices:
        return ()
    (invoice,) = invoices
    xml = (invoice.xml or b"").decode()
    assert (invoice.state, invoice.amount) == ("issued", 80_000)
    prepaid = re.search(r"<cbc:PrepaidAmount[^>]*>([\d.]+)<", xml)
    payable = re.search(r"<cbc:PayableAmount[^>]*>([\d.]+)<", xml)
    assert payable is not None
    return (prepaid[1] if prepaid else "", payable[1])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_every_view_shows_the_same_paid_and_refunded_amounts_of_an_order(
    money: Money, case: Case
) -> None:
    shop, order_id = money.shop, money.order.order_id
    for step in case.steps:
        await step(money)
    async with shop.database.read() as session:
        waits = (await open_attention(session, OWNER)).rows
        detail = await order_detail(session, OWNER, order_id, "Trompo")
        packing = (await pack_view(session, OWNER, order_id)).order
        page = await order_view(session, shop.settings, order_id)
        today = await today_view(session, OWNER, shop.settings)
        books = await report_view(session, OWNER, {"periodo": "hoy"})
    assert tuple(normalize_spaces(row.facts) for row in waits) == case.waits
    labels = [normalize_spaces(one.label) for row in waits for one in (row.recommended, *row.others)]
    assert [label for label in labels if label.startswith("Aceptar")] == (
        [case.accept] if case.accept else []
    )
    events = list_money_events(detail)
    assert tuple(events) == case.events
    assert packing is not None
    assert normalize_spaces(detail.payment.difference) == normalize_spaces(packing.difference) == case.screen
    unused = [f"El banco aprobó {text} que nadie ha aceptado." for title, text in events if title == UNUSED]
    assert normalize_spaces(detail.payment.unused) == " ".join(unused)
    assert (detail.is_held, packing.state == "held", page.is_held) == (case.is_held,) * 3
    assert normalize_spaces(detail.payment.refunded_label) == case.refunded
    shown = (page.status, *map(normalize_spaces, (page.paid_label, page.missing_label, page.refunded_label)))
    assert shown == case.page
    may_promise = page.status == "paid" and not page.is_held
    assert bool(page.promise.text) == may_promise
    mail = await read_newest_mail(shop)
    assert case.mail in mail
    assert bool(case.mail) == bool(mail)
    assert not (case.is_held and (PREPARED in mail or "recoger desde" in mail))
    assert normalize_spaces(today.sold_label) == normalize_spaces(books.net) == case.sold
    assert today.orders == books.orders
    accepted = sum(parse_pesos(text) for title, text in events if title == APPROVED)
    returned = sum(parse_pesos(text) for title, text in events if title in (REFUNDED, REVERSED))
    assert accepted - returned == parse_pesos(case.sold)
    assert (parse_pesos(books.captured), parse_pesos(books.refunded)) == (accepted, returned)
    assert await read_invoice_parts(shop) == case.prepaid
    for text in (*(one.title for one in detail.events), *(row.title for row in waits), case.screen):
        assert find_english(text) == [], text


async def test_timeline_of_an_order_shows_who_recorded_a_refund(money: Money) -> None:
    await money.approve(80_000)
    await money.refund(5_000)
    async with money.shop.database.read() as session:
        detail = await order_detail(session, OWNER, money.order.order_id, "Trompo")
    (event,) = [one for one in detail.events if one.title == REFUNDED]
    assert (normalize_spaces(event.text), event.actor_name) == ("$ 5.000", "ana")


async def test_approval_in_another_currency_is_shown_without_an_amount_in_pesos(money: Money) -> None:
    async with money.shop.database.read() as session:
        payment = await session.get_one(PaymentSession, money.order.session_id)
    dollars = ProviderReport(state=S.CAPTURED, amount=Decimal(20), currency="USD", invoice=payment.invoice)
    await apply_report(money.shop.database, payment.id, dollars)
    async with money.shop.database.read() as session:
        (row,) = (await open_attention(session, OWNER)).rows
        detail = await order_detail(session, OWNER, money.order.order_id, "Trompo")
        page = await order_view(session, money.shop.settings, money.order.order_id)
    assert list_money_events(detail) == [(UNUSED, "")]
    assert detail.payment.unused == (
        "El banco aprobó un pago que nadie ha aceptado: no dice cuánto llegó, o lo dice en otra moneda."
    )
    assert (page.status, page.payment.state) == ("review", "review")
    assert row.facts == "El banco no dice cuánto llegó, o lo dice en otra moneda. Míralo en la pasarela."


@pytest.mark.parametrize(("amount", "currency"), [("20", "USD"), ("50000", "COP")])
@pytest.mark.parametrize(("first", "status"), [(None, "canceled"), (S.REJECTED, "rejected")])
async def test_dismissed_money_waits_for_nobody_until_another_amount_is_reported(
    money: Money, first: S | None, status: str, amount: str, currency: str
) -> None:
    shop, order_id = money.shop, money.order.order_id
    if first is not None:
        await money.report(first)
    await report_amount(shop, money.order.session_id, amount, currency)
    await money.decide("dismissed")
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, order_id, "Trompo")
        page = await order_view(session, shop.settings, order_id)
    assert (page.status, page.payment.state) == (status, status)
    assert (page.can_retry, page.has_dismissed_money) == (True, True)
    assert [chip.text for chip in detail.chips] == ["Cancelado"]
    assert (detail.payment.unused, list_money_events(detail)) == ("", [])
    assert "El banco aprobó un pago que no se aceptó" in [event.title for event in detail.events]

    await money.approve(60_000)
    await read_open_attention(shop)
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, order_id, "Trompo")
        page = await order_view(session, shop.settings, order_id)
    assert (page.status, page.can_retry, page.has_dismissed_money) == ("review", False, False)
    assert list_money_events(detail) == [(UNUSED, "$ 60.000")]
    assert normalize_spaces(detail.payment.unused) == "El banco aprobó $ 60.000 que nadie ha aceptado."

"""What each mail tells, and whom: its template's name and values, read from the database when the mail is sent.

Nothing that a stranger typed is written to an address that has not proved to be theirs, not even a name: whoever buys
types any address, and the shop is the sender.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertKind, read_alert
from backend.alerts.kinds import RULES as ALERT_RULES
from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import read_attention
from backend.catalog.models import variant_name
from backend.catalog.price_labels import format_sold_price
from backend.core.config.settings import Settings
from backend.core.dates import date_label, last_day, time_label
from backend.core.errors import NotFound
from backend.core.money import format_cop
from backend.core.texts import _
from backend.core.web.contact import clean_name, one_line
from backend.customers.auth.accounts import customer_with, has_proved
from backend.customers.auth.password_reset import new_reset_token
from backend.customers.models import Customer
from backend.invoices.files import BUYERS, PDF, XML, file_path
from backend.invoices.issue_job import read_invoice
from backend.invoices.states import KIND_NAMES as KIND_NAMES_OF_INVOICES
from backend.invoices.states import InvoiceKind
from backend.mail.acknowledgement import acknowledgement
from backend.mail.models import Mail, MailKind
from backend.orders.gifts import gift_message
from backend.orders.links.mailed_links import order_at
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.captured_money import read_money
from backend.orders.money.refunds import REVERSED
from backend.orders.service import lines_of_order, read_order, totals_of
from backend.orders.states import TRACKING_URL
from backend.payment.models import PaymentSession, Refund
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.pqrs.service import pqrs_path, read_pqrs
from backend.returns.models import KIND_NAMES as RETURN_NAMES
from backend.returns.models import NEXT_STEPS, ReturnKind
from backend.returns.processing import read_return
from backend.reviews.reviewable_products import bought_toys
from backend.reviews.tokens import review_path
from backend.staff.invites import write_letter
from backend.staff.models import Staff
from backend.staff.rights import OFFICE, ROLE_NAMES
from backend.stock_notices.models import StockNotice
from backend.stock_notices.routes import CONFIRM_PAGE, UNSUBSCRIBE_PAGE
from backend.stock_notices.service import NOTICE_LINK, is_back, toy_of, wait_again

MAX_DETAILS = 1000
MOST_TOYS = 10
"""That a mail asks for reviews of."""


@dataclass(frozen=True, slots=True)
class Message:
    """A mail to be written: `values` are the names its template uses (docs/accounts.md lists them)."""

    kind: MailKind
    to: str
    values: dict[str, Any] = field(default_factory=dict)


async def message_of(session: AsyncSession, settings: Settings, mail: Mail) -> Message | None:
    """The mail's address and values; None when there is nobody to send it to.

    Raises:
        NotFound: what it is about is no longer there.
    """
    kind = MailKind(mail.kind)
    if (write := _WRITERS.get(kind)) is not None:
        return await write(session, settings, mail.about)
    if kind in _OF_RETURNS:
        return await _about_return(session, settings, kind, mail.about)
    if kind is not MailKind.ORDER_SHIPPED:
        return await _about_order(session, settings, kind, mail.about)
    fulfillment = await session.get_one(Fulfillment, mail.about)
    tracking = {
        "carrier": str(fulfillment.data.get("carrier") or ""),
        "tracking_number": fulfillment.tracking_number,
        "tracking_url": fulfillment.data.get(TRACKING_URL),
        "is_delivered": fulfillment.delivered_at is not None,
    }
    return await _about_order(session, settings, kind, fulfillment.order_id, tracking)


async def _about_order(
    session: AsyncSession,
    settings: Settings,
    kind: MailKind,
    order_id: str,
    more: dict[str, Any] | None = None,
) -> Message | None:
    order = await read_order(session, order_id)
    if not order.email:
        return None
    bill = await bill_of(session, order)
    values = await _order_values(session, settings, order)
    told = await acknowledgement(session, settings, order)
    values["is_gift"] = bool(gift_message(order.meta))
    money = await read_money(session, order)
    values["received"] = money.paid_label if money.is_different else ""
    values["missing"], values["surplus"] = money.missing_label, money.surplus_label
    values["total"] = format_cop(order.total)
    return Message(kind, order.email, {**values, "bill": bill, **told, **(more or {})})


async def _password_reset(session: AsyncSession, settings: Settings, address: str) -> Message | None:
    """For whoever asked for a new password; None without an account, and where one was chosen since."""
    await customer_with(session, address)  # locked: one is chosen before or after
    asked = select(Mail.id).where(
        Mail.kind == MailKind.PASSWORD_RESET, Mail.about == address, Mail.sent_at.is_(None)
    )
    if (await session.execute(asked)).first() is None:
        return None
    token = await new_reset_token(session, address)
    if token is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}/account/reset#token={token}"}
    return Message(MailKind.PASSWORD_RESET, address, values)


async def _password_changed(session: AsyncSession, settings: Settings, customer_id: str) -> Message | None:
    """Return the notice for a customer; None if the account was deleted since."""
    customer = await session.get(Customer, customer_id)
    if customer is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}/account"}
    return Message(MailKind.PASSWORD_CHANGED, customer.email, values)


async def _staff_password_changed(session: AsyncSession, settings: Settings, staff_id: str) -> Message | None:
    """Return the notice for a staff member; None if they were deleted since."""
    staff = await session.get(Staff, staff_id)
    if staff is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}{OFFICE}/entrar"}
    return Message(MailKind.STAFF_PASSWORD_CHANGED, staff.email, values)


async def _order_link(session: AsyncSession, settings: Settings, about: str) -> Message | None:
    """For whoever asked for an order's link; None when there is no such order of this address."""
    number, _space, address = about.partition(" ")
    order = await order_at(session, int(number), address)
    if order is None:
        return None
    values = await _order_values(session, settings, order)
    return Message(MailKind.ORDER_LINK, order.email, values)


async def _notice_asked(session: AsyncSession, settings: Settings, notice_id: str) -> Message | None:
    """For the owner of an address that somebody typed; None when they have confirmed it, or it is gone."""
    notice = await session.get(StockNotice, notice_id)
    if notice is None or notice.confirmed_at is not None:
        return None
    toy, _handle = await toy_of(session, notice.variant_id)
    link = _notice_link(settings, CONFIRM_PAGE, notice_id)
    return Message(MailKind.NOTICE_ASKED, notice.email, {"name": "", "toy": toy, "link": link})


async def _back_in_stock(session: AsyncSession, settings: Settings, notice_id: str) -> Message | None:
    """For whoever waits for a toy; None when it is gone again, and then they go on waiting."""
    notice = await session.get(StockNotice, notice_id)
    if notice is None:
        return None
    if not await is_back(session, notice.variant_id):
        await wait_again(session, notice_id)
        return None
    toy, handle = await toy_of(session, notice.variant_id)
    values = {
        "name": "",
        "toy": toy,
        "link": f"{settings.base_url}/product/{handle}?variant={notice.variant_id}",
        "unsubscribe": _notice_link(settings, UNSUBSCRIBE_PAGE, notice_id),
    }
    return Message(MailKind.BACK_IN_STOCK, notice.email, values)


async def _reviews_asked(session: AsyncSession, settings: Settings, order_id: str) -> Message | None:
    """For the buyer of an order that has arrived; None when nothing of it can be reviewed any more."""
    order = await read_order(session, order_id)
    toys = await bought_toys(session, order)
    if not toys or not order.email:
        return None
    links = [
        (toy.title, f"{settings.base_url}{review_path(settings.signing_key, toy.line_id)}")
        for toy in toys[:MOST_TOYS]
    ]
    values = await _order_values(session, settings, order)
    until = date_label(min(toy.until for toy in toys))
    return Message(MailKind.REVIEWS_ASKED, order.email, {**values, "toys": links, "until": until})


def _notice_link(settings: Settings, page: str, notice_id: str) -> str:
    token = NOTICE_LINK.token(settings.signing_key, notice_id)
    return f"{settings.base_url}{page}?id={notice_id}&token={token}"


async def _staff_invite(session: AsyncSession, settings: Settings, invite_id: str) -> Message | None:
    """For somebody who is to work here; None when the invitation stands no longer."""
    letter = await write_letter(session, invite_id)
    if letter is None:
        return None
    link = f"{settings.base_url}{OFFICE}/entrar?invitacion=1#token={letter.token}"
    return Message(
        MailKind.STAFF_INVITE, letter.email, {"name": "", "role": ROLE_NAMES[letter.role], "link": link}
    )


async def _refunded(session: AsyncSession, settings: Settings, refund_id: str) -> Message | None:
    """For the payer. Money that paid no order has only the address that was stored when its payment started."""
    refund = await session.get_one(Refund, refund_id)
    order = await read_order(session, refund.order_id) if refund.order_id else None
    payment = await session.get_one(PaymentSession, refund.payment_session_id)
    to = order.email if order else str(payment.snapshot.get("email") or "")
    if not to:
        return None
    of_order: dict[str, Any] = {"name": "", "number": None, "link": ""}
    if order:
        of_order = await _order_values(session, settings, order)
    values = {
        **of_order,
        "amount": format_cop(refund.amount),
        "reference": refund.reference,
        "is_reversed": refund.reason == REVERSED,
    }
    return Message(MailKind.REFUNDED, to, values)


async def _invoice_issued(session: AsyncSession, settings: Settings, invoice_id: str) -> Message | None:
    """For the buyer, with links to the document's files; None once its data were deleted."""
    row = await read_invoice(session, invoice_id)
    order = await read_order(session, row.order_id)
    if not order.email or row.xml is None:
        return None
    token = ORDER_LINK.token(settings.signing_key, order.id)
    is_invoice = row.kind == InvoiceKind.INVOICE
    name = KIND_NAMES_OF_INVOICES[InvoiceKind(row.kind)]

    def link(kind: str) -> str:
        return f"{settings.base_url}{file_path(row.id, kind, of=BUYERS)}?token={token}"

    values = {
        **await _order_values(session, settings, order),
        "title": f"{name} {row.full_number}",
        "code": row.code,
        "code_name": "CUFE" if is_invoice else "CUDE",
        "pdf_link": link(PDF),
        "xml_link": link(XML),
    }
    return Message(MailKind.INVOICE_ISSUED, order.email, values)


async def _attention(session: AsyncSession, settings: Settings, attention_id: str) -> Message | None:
    """For the shop itself; None when it was resolved before the mail left."""
    row = await read_attention(session, attention_id)
    if row.resolved_at is not None:
        return None
    rules = RULES[AttentionKind(row.kind)]
    values = {
        "name": "",
        "id": row.id,
        "title": rules.title,
        "advice": rules.advice,
        "action": rules.recommended,
        "amount": None if row.amount is None else format_cop(row.amount),
        "number": None if row.order_id is None else await _number_of(session, row.order_id),
        "due": None if row.due_at is None else time_label(row.due_at),
        "details": one_line(row.message)[:MAX_DETAILS],
    }
    return Message(MailKind.ATTENTION, settings.alert_email or settings.store_email, values)


async def _pqrs_received(session: AsyncSession, settings: Settings, pqrs_id: str) -> Message | None:
    """For whoever asked something by the form."""
    row = await read_pqrs(session, pqrs_id)
    return Message(MailKind.PQRS_RECEIVED, row.email, _pqrs_values(settings, row))


async def _pqrs_answered(session: AsyncSession, settings: Settings, pqrs_id: str) -> Message | None:
    """The shop's answer to it."""
    row = await read_pqrs(session, pqrs_id)
    values = {**_pqrs_values(settings, row), "answer": list(filter(None, row.answer.splitlines()))}
    return Message(MailKind.PQRS_ANSWERED, row.email, values)


def _pqrs_values(settings: Settings, row: Pqrs) -> dict[str, Any]:
    return {
        "name": "",
        "number": row.number,
        "what": KIND_NAMES[PqrsKind(row.kind)].lower(),
        "asked": time_label(row.asked_at),
        "due": date_label(last_day(row.due_at)),
        "link": f"{settings.base_url}{pqrs_path(settings.signing_key, row.id)}",
    }


async def _about_return(
    session: AsyncSession, settings: Settings, kind: MailKind, return_id: str
) -> Message | None:
    """For the order's buyer. What they typed is not in it."""
    row = await read_return(session, return_id)
    order = await read_order(session, row.order_id)
    if not order.email:
        return None
    due = date_label(last_day(row.due_at))
    values = {
        **await _order_values(session, settings, order),
        "return_number": row.number,
        "what": RETURN_NAMES[ReturnKind(row.kind)].lower(),
        "is_canceled": row.kind == ReturnKind.NOT_SENT,
        "is_claim": row.kind == ReturnKind.WARRANTY,
        "next_step": NEXT_STEPS[ReturnKind(row.kind)].format(due=due),
        "due": due,
        "amount": format_cop(row.amount or 0),
        "denial": list(filter(None, row.denial.splitlines())),
    }
    return Message(kind, order.email, values)


async def _alert(session: AsyncSession, settings: Settings, alert_id: str) -> Message | None:
    """For the shop itself; None when it was over before the mail left."""
    alert = await read_alert(session, alert_id)
    if alert.ended_at is not None:
        return None
    rules = ALERT_RULES[AlertKind(alert.kind)]
    values = {
        "name": "",
        "title": rules.title,
        "advice": rules.advice,
        "since": time_label(alert.began_at),
        "details": one_line(f"{alert.subject}: {alert.message}".removeprefix(": "))[:MAX_DETAILS],
    }
    return Message(MailKind.ALERT, settings.alert_email or settings.store_email, values)


def joined_message(to: str, parts: Sequence[Message]) -> Message:
    """Return one mail with the orders and PQRS messages of all parts.

    An order whose payment was lost meanwhile is there once, with what happened last.
    """
    by_subject: dict[str, Message] = {}
    for part in sorted(parts, key=lambda part: part.kind is not MailKind.ORDER_PLACED):
        about_order = part.kind is not MailKind.PQRS_RECEIVED
        by_subject[f"{about_order} {part.values['number']}"] = part
    waiting = [{**part.values, "kind": str(part.kind)} for part in by_subject.values()]
    return Message(MailKind.ACKNOWLEDGEMENTS, to, {"name": "", "waiting": waiting})


async def _number_of(session: AsyncSession, order_id: str) -> str:
    try:
        return str((await read_order(session, order_id)).number)
    except NotFound:
        return order_id


async def bill_of(session: AsyncSession, order: Order) -> list[tuple[str, str]]:
    """Names and amounts: the lines, the shipping, what was taken off, and the total last."""
    lines = await lines_of_order(session, order.id)
    totals = totals_of(order, lines)
    return [
        *(
            (f"{line.quantity} × {_named(line)}", format_sold_price(part.original_total))
            for line, part in zip(lines, totals.lines, strict=True)
        ),
        (order.shipping_name, format_cop(totals.shipping.original_total)),
        *(
            (_("Descuento {code}").format(code=code), f"-{format_cop(amount)}")
            for code, amount in totals.savings
        ),
        ("Total", format_cop(order.total)),
    ]


def _named(line: OrderLine) -> str:
    variant = variant_name(line.variant_title)
    return f"{line.title} ({variant})" if variant else line.title


async def _order_values(session: AsyncSession, settings: Settings, order: Order) -> dict[str, Any]:
    is_known = await has_proved(session, order.customer_id, order.email)
    token = ORDER_LINK.token(settings.signing_key, order.id)
    return {
        "name": clean_name(order.shipping_address.get("first_name")) if is_known else "",
        "number": order.number,
        "link": f"{settings.base_url}/order/{order.id}?token={token}",
    }


_OF_RETURNS = frozenset(
    {MailKind.RETURN_REQUESTED, MailKind.RETURN_RECEIVED, MailKind.RETURN_APPROVED, MailKind.RETURN_DENIED}
)
_WRITERS = {
    MailKind.ALERT: _alert,
    MailKind.ATTENTION: _attention,
    MailKind.BACK_IN_STOCK: _back_in_stock,
    MailKind.INVOICE_ISSUED: _invoice_issued,
    MailKind.NOTICE_ASKED: _notice_asked,
    MailKind.ORDER_LINK: _order_link,
    MailKind.PASSWORD_RESET: _password_reset,
    MailKind.PASSWORD_CHANGED: _password_changed,
    MailKind.STAFF_PASSWORD_CHANGED: _staff_password_changed,
    MailKind.PQRS_ANSWERED: _pqrs_answered,
    MailKind.PQRS_RECEIVED: _pqrs_received,
    MailKind.REFUNDED: _refunded,
    MailKind.REVIEWS_ASKED: _reviews_asked,
    MailKind.STAFF_INVITE: _staff_invite,
}
"""Who writes the mails that are not about an order."""

"""Address and content of each mail, read from the database when the mail is sent.

Anyone can order with anyone's address, and the sender of the mail is the shop. So a mail contains no text typed by
a stranger, not even a name, unless the owner of the address has verified the address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertKind, read_alert
from backend.alerts.kinds import RULES as ALERT_RULES
from backend.attention.descriptions import describe_facts, format_disputed_amount
from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import read_attention
from backend.cart_reminders.reminders import read_reminder_email
from backend.cart_reminders.unsubscribing import build_unsubscribe_link
from backend.catalog.price_labels import format_sold_price
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.dates import date_label, last_day, time_label
from backend.core.errors import NotFound, require_found
from backend.core.money import format_cop
from backend.core.texts import _
from backend.core.web.contact import clean_name, tidy_email, to_one_line
from backend.customers.auth.accounts import find_customer, has_verified_email
from backend.customers.auth.password_reset import create_reset_token
from backend.customers.models import Customer
from backend.draft_orders.links import write_link_email
from backend.exchanges.models import Exchange
from backend.invoices.files import CUSTOMER_PATH, PDF, XML, build_file_path
from backend.invoices.issue_job import read_invoice
from backend.invoices.states import KIND_NAMES as KIND_NAMES_OF_INVOICES
from backend.invoices.states import InvoiceKind
from backend.mail.acknowledgement import build_acknowledgement
from backend.mail.models import Mail, MailKind
from backend.mail.staff_notice import read_notice_values
from backend.order_edits.changes import describe_change
from backend.order_edits.difference import read_difference
from backend.order_edits.difference_payment import build_difference_url
from backend.order_edits.models import OrderEdit
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.gifts import read_gift_message
from backend.orders.links.account_links import create_account_token
from backend.orders.links.mailed_links import find_order_of_address
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.captured_money import compute_order_money
from backend.orders.money.refunds import REVERSED
from backend.orders.packing_holds import is_held
from backend.orders.parties import find_party_name
from backend.orders.preorders import describe_sold_variant
from backend.orders.promised_days import describe_promise
from backend.orders.service import compute_order_totals, list_order_lines, read_order
from backend.orders.states import NO_NOTIFICATION, TRACKING_URL, LabelState
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.sessions import choose_decisive_session, list_payment_sessions
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.pqrs.service import pqrs_path, read_pqrs
from backend.pricing import CartTotals
from backend.returns.models import KIND_NAMES as RETURN_NAMES
from backend.returns.models import NEXT_STEPS, ReturnKind
from backend.returns.processing import read_return
from backend.reviews.reviewable_products import list_reviewable_products
from backend.reviews.tokens import review_path
from backend.shipping.models import ShippingOption
from backend.staff.invites import write_invitation_email
from backend.staff.models import Staff
from backend.staff.rights import OFFICE
from backend.staff_notices.choices import Channel, list_recipients
from backend.staff_notices.kinds import PAYMENT_ATTENTION_KINDS, NoticeKind
from backend.stock_notices.models import StockNotice
from backend.stock_notices.routes import CONFIRM_PAGE, UNSUBSCRIBE_PAGE
from backend.stock_notices.service import NOTICE_LINK, find_variant_name, is_available, reset_notice

_ORDER_AND_EXCHANGE = (
    select(Order, Exchange, ShippingOption)
    .outerjoin(Exchange, Exchange.draft_order_id == Order.id)
    .outerjoin(ShippingOption, ShippingOption.id == Order.shipping_option_id)
    .where(Order.id == bindparam("order_id"))
)
"""An order, and the exchange whose new order it is. `read_delivery` finds its shipping option in the session."""

MAX_DETAILS = 1000
MAX_REVIEW_PRODUCTS = 10
"""Maximum number of products in a mail that asks for reviews."""


@dataclass(frozen=True, slots=True)
class Message:
    """A mail's recipient and template values (docs/accounts.md lists their names).

    `order` is set if the mail reports the state of an order.
    """

    kind: MailKind
    to: str
    values: dict[str, Any] = field(default_factory=dict)
    order: Order | None = None


async def compose_message(session: AsyncSession, settings: Settings, mail: Mail) -> Message | None:
    """Return the mail's address and template values; None if there is no recipient.

    Raises:
        NotFound: the mail's subject no longer exists.
    """
    kind = MailKind(mail.kind)
    if (write := _COMPOSERS.get(kind)) is not None:
        return await write(session, settings, mail.about)
    if kind in _RETURN_KINDS:
        return await _compose_return_message(session, settings, kind, mail.about)
    if kind is not MailKind.ORDER_SHIPPED:
        return await _compose_order_message(session, settings, kind, mail.about)
    fulfillment = await session.get_one(Fulfillment, mail.about)
    if fulfillment.data.get(NO_NOTIFICATION) or fulfillment.state == LabelState.CANCELED:
        return None  # staff decided so after the mail was enqueued
    tracking_url = fulfillment.data.get(TRACKING_URL)
    is_sent = bool(fulfillment.tracking_number or tracking_url)  # by a courier, whatever the customer chose
    tracking = {
        **({"is_pickup": False, "is_own": False} if is_sent else {}),
        "carrier": str(fulfillment.data.get("carrier") or ""),
        "tracking_number": fulfillment.tracking_number,
        "tracking_url": tracking_url,
        "is_delivered": fulfillment.delivered_at is not None,
        "part": await _describe_part(session, fulfillment),
    }
    return await _compose_order_message(session, settings, kind, fulfillment.order_id, tracking)


async def _describe_part(session: AsyncSession, fulfillment: Fulfillment) -> str:
    """Return the content of a parcel, such as "1 × Trompo"; empty if it contains all units of its order."""
    lines = await list_order_lines(session, fulfillment.order_id)
    units = {item["line_item_id"]: item["quantity"] for item in fulfillment.items}
    if sum(units.values()) >= sum(line.quantity - line.withdrawn for line in lines):
        return ""
    return ", ".join(f"{units[line.id]} × {line.title}" for line in lines if line.id in units)


async def _compose_order_message(
    session: AsyncSession,
    settings: Settings,
    kind: MailKind,
    order_id: str,
    more: dict[str, Any] | None = None,
) -> Message | None:
    found = (await session.execute(_ORDER_AND_EXCHANGE, {"order_id": order_id})).one_or_none()
    order, exchange, _option = require_found(found, "Order", order_id)
    if not order.email or (exchange is not None and kind is MailKind.ORDER_PLACED):
        return None  # an exchange pays its order at once: one mail is enough
    lines = await list_order_lines(session, order.id)
    totals = compute_order_totals(order, lines)
    values = await _build_order_values(session, settings, order)
    payment_sessions = await list_payment_sessions(session, order.cart_id)
    delivery, values["delivery_note"] = await read_delivery(session, order)
    decisive = choose_decisive_session(payment_sessions)
    details = await build_acknowledgement(session, settings, order, totals, payment=decisive, kind=delivery)
    if exchange is not None and kind is MailKind.ORDER_PAID:
        values["exchange"] = await _build_exchange_values(session, settings, exchange, order)
    values["is_pickup"], values["is_own"] = delivery is DeliveryKind.PICKUP, delivery is DeliveryKind.OWN
    values["is_gift"] = bool(read_gift_message(order.meta))
    money = compute_order_money(order, payment_sessions)
    values["received"] = money.paid_label if money.is_different else ""
    values["missing"], values["surplus"] = money.missing_label, money.surplus_label
    values["is_held"] = await is_held(session, order.id)
    values["total"] = format_cop(order.total)
    bill = build_bill(order, lines, totals)
    return Message(kind, order.email, {**values, "bill": bill, **details, **(more or {})}, order)


async def _build_exchange_values(
    session: AsyncSession, settings: Settings, exchange: Exchange, order: Order
) -> dict[str, Any]:
    """Return the template's values about the exchange that led to this order.

    They are the original order's number, the credit for its returned units, and the amount owed or left over.
    """
    original = await read_order(session, exchange.order_id)
    difference = await read_difference(session, order)
    return {
        "number": original.number,
        "credit": format_cop(exchange.credit or 0),
        "owed": format_cop(difference) if difference > 0 else "",
        "pay_link": build_difference_url(settings, order.id) if difference > 0 else "",
        "surplus": format_cop(-difference) if difference < 0 else "",
    }


async def _compose_password_reset(session: AsyncSession, settings: Settings, address: str) -> Message | None:
    """Return the mail with a reset link; None without an account, or if a new password was set since the request."""
    await find_customer(session, address)  # locked against a password that is being set
    open_request = select(Mail.id).where(
        Mail.kind == MailKind.PASSWORD_RESET, Mail.about == address, Mail.sent_at.is_(None)
    )
    if (await session.execute(open_request)).first() is None:
        return None
    token = await create_reset_token(session, address)
    if token is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}/account/reset#token={token}"}
    return Message(MailKind.PASSWORD_RESET, address, values)


async def _compose_password_changed(
    session: AsyncSession, settings: Settings, customer_id: str
) -> Message | None:
    """Return the mail that informs a customer of a changed password; None if the account was deleted since."""
    customer = await session.get(Customer, customer_id)
    if customer is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}/account"}
    return Message(MailKind.PASSWORD_CHANGED, customer.email, values)


async def _compose_staff_password_changed(
    session: AsyncSession, settings: Settings, staff_id: str
) -> Message | None:
    """Return the mail that informs a staff member of a changed password; None if they were deleted since."""
    staff = await session.get(Staff, staff_id)
    if staff is None:
        return None
    values = {"name": "", "link": f"{settings.base_url}{OFFICE}/entrar"}
    return Message(MailKind.STAFF_PASSWORD_CHANGED, staff.email, values)


async def _compose_order_link(session: AsyncSession, settings: Settings, about: str) -> Message | None:
    """Return the mail with an order's link; None if the address has no such order."""
    number, _space, address = about.partition(" ")
    order = await find_order_of_address(session, int(number), address)
    if order is None:
        return None
    values = await _build_order_values(session, settings, order)
    return Message(MailKind.ORDER_LINK, order.email, values)


async def _compose_account_link(session: AsyncSession, settings: Settings, order_id: str) -> Message | None:
    """Return the mail with a link to create an account for a guest's order.

    If the address has an account already, the link leads to the sign-in page.

    Return None if the order has no e-mail address, or already belongs to an account.
    """
    order = await read_order(session, order_id)
    if not order.email or order.customer_id is not None:
        return None
    known = select(Customer.id).where(Customer.email == tidy_email(order.email))
    has_account = (await session.execute(known)).first() is not None
    token = create_account_token(settings.signing_key, order)
    path = "/account/login" if has_account else f"/account/open#token={token}"
    values = {"name": "", "number": order.number, "has_account": has_account}
    return Message(MailKind.ACCOUNT_LINK, order.email, {**values, "link": f"{settings.base_url}{path}"})


async def _compose_notice_confirmation(
    session: AsyncSession, settings: Settings, notice_id: str
) -> Message | None:
    """Return the mail that asks to confirm a notice; None if it is confirmed already or was deleted."""
    notice = await session.get(StockNotice, notice_id)
    if notice is None or notice.confirmed_at is not None:
        return None
    product, _handle = await find_variant_name(session, notice.variant_id)
    link = _build_notice_link(settings, CONFIRM_PAGE, notice_id)
    return Message(MailKind.NOTICE_ASKED, notice.email, {"name": "", "product": product, "link": link})


async def _compose_back_in_stock(session: AsyncSession, settings: Settings, notice_id: str) -> Message | None:
    """Return the mail to a waiting customer; None if the notice was deleted.

    If the product is sold out again, reset the notice and return None.
    """
    notice = await session.get(StockNotice, notice_id)
    if notice is None:
        return None
    if not await is_available(session, notice.variant_id):
        await reset_notice(session, notice_id)
        return None
    product, handle = await find_variant_name(session, notice.variant_id)
    values = {
        "name": "",
        "product": product,
        "link": f"{settings.base_url}/product/{handle}?variant={notice.variant_id}",
        "unsubscribe": _build_notice_link(settings, UNSUBSCRIBE_PAGE, notice_id),
    }
    return Message(MailKind.BACK_IN_STOCK, notice.email, values)


async def _compose_review_request(session: AsyncSession, settings: Settings, order_id: str) -> Message | None:
    """Return the mail that asks to review a delivered order.

    Return None if no product of the order can be reviewed, or if the order has no e-mail address.
    """
    order = await read_order(session, order_id)
    products = await list_reviewable_products(session, order)
    if not products or not order.email:
        return None
    links = [
        (product.title, f"{settings.base_url}{review_path(settings.signing_key, product.line_id)}")
        for product in products[:MAX_REVIEW_PRODUCTS]
    ]
    values = await _build_order_values(session, settings, order)
    until = date_label(min(product.until for product in products))
    return Message(MailKind.REVIEWS_ASKED, order.email, {**values, "products": links, "until": until})


async def _compose_cart_reminder(
    session: AsyncSession, settings: Settings, reminder_id: str
) -> Message | None:
    """Return the mail about an abandoned cart, with current prices; None if it must not be sent any more."""
    reminder = await read_reminder_email(session, reminder_id)
    if reminder is None:
        return None
    total = sum(amount for _name, amount in reminder.items)
    values = {
        "name": "",
        "items": [
            *((name, format_cop(amount)) for name, amount in reminder.items),
            (_("Total sin envío"), format_cop(total)),
        ],
        "link": f"{settings.base_url}/cart",
        "unsubscribe": build_unsubscribe_link(settings.base_url, settings.signing_key, reminder.customer_id),
    }
    return Message(MailKind.CART_REMINDER, reminder.address, values)


def _build_notice_link(settings: Settings, page: str, notice_id: str) -> str:
    token = NOTICE_LINK.token(settings.signing_key, notice_id)
    return f"{settings.base_url}{page}?id={notice_id}&token={token}"


async def _compose_payment_link(session: AsyncSession, settings: Settings, about: str) -> Message | None:
    """Return the mail with a new link of a draft order; None if the draft can no longer be paid with a link."""
    draft_id, _space, address = about.partition(" ")
    letter = await write_link_email(session, settings, draft_id)
    if letter is None:
        return None
    values = {
        "name": "",
        "items": [*letter.items, (_("Total sin envío"), format_cop(letter.total))],
        "link": letter.url,
        "until": time_label(letter.expires_at),
    }
    return Message(MailKind.PAYMENT_LINK, address, values)


async def _compose_staff_invite(session: AsyncSession, settings: Settings, invite_id: str) -> Message | None:
    """Return the mail of an invitation to the office; None if the invitation is no longer valid."""
    letter = await write_invitation_email(session, invite_id)
    if letter is None:
        return None
    link = f"{settings.base_url}{OFFICE}/entrar?invitacion=1#token={letter.token}"
    return Message(MailKind.STAFF_INVITE, letter.email, {"name": "", "role": letter.role_name, "link": link})


async def _compose_refunded(session: AsyncSession, settings: Settings, refund_id: str) -> Message | None:
    """Return the mail about a refund; None if no e-mail address is known.

    If the refund belongs to no order, the mail is sent to the address that was stored when the payment started.
    """
    refund = await session.get_one(Refund, refund_id)
    order = await read_order(session, refund.order_id) if refund.order_id else None
    payment = await session.get_one(PaymentSession, refund.payment_session_id)
    to = order.email if order else str(payment.snapshot.get("email") or "")
    if not to:
        return None
    of_order: dict[str, Any] = {"name": "", "number": None, "link": ""}
    if order:
        of_order = await _build_order_values(session, settings, order)
    values = {
        **of_order,
        "amount": format_cop(refund.amount),
        "reference": refund.reference,
        "is_reversed": refund.reason == REVERSED,
        "is_cash": refund.method == ManualMethod.CASH,
    }
    return Message(MailKind.REFUNDED, to, values)


async def _compose_order_edited(session: AsyncSession, settings: Settings, edit_id: str) -> Message | None:
    """Return the mail about an edit of an order, with the changes, the new bill and the difference."""
    edit = await session.get_one(OrderEdit, edit_id)
    order = await read_order(session, edit.order_id)
    if not order.email:
        return None
    difference = await read_difference(session, order)
    lines = await list_order_lines(session, order.id)
    kind, _note = await read_delivery(session, order)
    is_waiting = difference > 0 or await is_held(session, order.id)
    values = {
        **await _build_order_values(session, settings, order),
        "changes": [describe_change(change) for change in edit.changes],
        "bill": build_bill(order, lines, compute_order_totals(order, lines)),
        "owed": format_cop(difference) if difference > 0 else "",
        "pay_link": build_difference_url(settings, order.id) if difference > 0 else "",
        "surplus": format_cop(-difference) if difference < 0 else "",
        "promise": "" if is_waiting else describe_promise(order, kind, now(), is_read_later=True).text,
    }
    return Message(MailKind.ORDER_EDITED, order.email, values)


async def _compose_invoice_issued(
    session: AsyncSession, settings: Settings, invoice_id: str
) -> Message | None:
    """Return the mail with links to the files of an invoice or a credit note.

    Return None if the order's e-mail address or the XML was deleted.
    """
    row = await read_invoice(session, invoice_id)
    order = await read_order(session, row.order_id)
    if not order.email or row.xml is None:
        return None
    token = ORDER_LINK.token(settings.signing_key, order.id)
    is_invoice = row.kind == InvoiceKind.INVOICE
    name = KIND_NAMES_OF_INVOICES[InvoiceKind(row.kind)]

    def link(kind: str) -> str:
        return f"{settings.base_url}{build_file_path(row.id, kind, of=CUSTOMER_PATH)}?token={token}"

    values = {
        **await _build_order_values(session, settings, order),
        "title": f"{name} {row.full_number}",
        "code": row.code,
        "code_name": "CUFE" if is_invoice else "CUDE",
        "pdf_link": link(PDF),
        "xml_link": link(XML),
    }
    return Message(MailKind.INVOICE_ISSUED, order.email, values)


async def _compose_staff_notice(session: AsyncSession, settings: Settings, about: str) -> Message | None:
    """Return the mail about a batch of notices; None if it is not to be sent (see `read_notice_values`)."""
    found = await read_notice_values(session, settings, *about.split(" "))
    return Message(MailKind.STAFF_NOTICE, *found) if found is not None else None


async def _compose_attention(session: AsyncSession, settings: Settings, attention_id: str) -> Message | None:
    """Return the mail about an attention row to the shop's own address.

    Return None if the attention row was resolved in the meantime. Also return None if it is about a payment, staff
    get notices about payments by mail, and the shop has no separate address for alerts.
    """
    row = await read_attention(session, attention_id)
    if row.resolved_at is not None:
        return None
    is_notice = row.kind in PAYMENT_ATTENTION_KINDS and not settings.alert_email
    if is_notice and await list_recipients(session, NoticeKind.PAYMENT, Channel.MAIL):
        return None
    rules = RULES[AttentionKind(row.kind)]
    values = {
        "name": "",
        "title": rules.title,
        "facts": describe_facts(row),
        "advice": rules.advice,
        "amount": format_disputed_amount(row),
        "number": None if row.order_id is None else await _find_order_number(session, row.order_id),
        "due": None if row.due_at is None else time_label(row.due_at),
        "link": f"{settings.base_url}/oficina/por-resolver",
    }
    return Message(MailKind.ATTENTION, settings.alert_email or settings.store_email, values)


async def _compose_pqrs_received(session: AsyncSession, settings: Settings, pqrs_id: str) -> Message | None:
    """Return the acknowledgement of a PQRS request."""
    row = await read_pqrs(session, pqrs_id)
    return Message(MailKind.PQRS_RECEIVED, row.email, _build_pqrs_values(settings, row))


async def _compose_pqrs_answered(session: AsyncSession, settings: Settings, pqrs_id: str) -> Message | None:
    """Return the mail with the shop's answer to a PQRS request."""
    row = await read_pqrs(session, pqrs_id)
    values = {**_build_pqrs_values(settings, row), "answer": list(filter(None, row.answer.splitlines()))}
    return Message(MailKind.PQRS_ANSWERED, row.email, values)


def _build_pqrs_values(settings: Settings, row: Pqrs) -> dict[str, Any]:
    return {
        "name": "",
        "number": row.number,
        "what": KIND_NAMES[PqrsKind(row.kind)].lower(),
        "asked": time_label(row.asked_at),
        "due": date_label(last_day(row.due_at)),
        "link": f"{settings.base_url}{pqrs_path(settings.signing_key, row.id)}",
    }


async def _compose_return_message(
    session: AsyncSession, settings: Settings, kind: MailKind, return_id: str
) -> Message | None:
    """Return the mail about a return; None if the order has no e-mail address.

    The mail contains nothing that the customer typed.
    """
    row = await read_return(session, return_id)
    order = await read_order(session, row.order_id)
    if not order.email:
        return None
    due = date_label(last_day(row.due_at))
    values = {
        **await _build_order_values(session, settings, order),
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


async def _compose_alert(session: AsyncSession, settings: Settings, alert_id: str) -> Message | None:
    """Return the mail about an alert to the shop's own address; None if the alert has ended in the meantime."""
    alert = await read_alert(session, alert_id)
    if alert.ended_at is not None:
        return None
    rules = ALERT_RULES[AlertKind(alert.kind)]
    values = {
        "name": "",
        "title": rules.title,
        "advice": rules.advice,
        "since": time_label(alert.began_at),
        "details": to_one_line(alert.message)[:MAX_DETAILS],
    }
    return Message(MailKind.ALERT, settings.alert_email or settings.store_email, values)


def join_messages(to: str, parts: Sequence[Message]) -> Message:
    """Return one mail with the content of all parts, which are about orders and PQRS requests.

    An order that has both an acknowledgement and a mail about its failed payment appears once, with its latest
    state.
    """
    by_subject: dict[str, Message] = {}
    for part in sorted(parts, key=lambda part: part.kind is not MailKind.ORDER_PLACED):
        about_order = part.kind is not MailKind.PQRS_RECEIVED
        by_subject[f"{about_order} {part.values['number']}"] = part
    waiting = [{**part.values, "kind": str(part.kind)} for part in by_subject.values()]
    return Message(MailKind.ACKNOWLEDGEMENTS, to, {"name": "", "waiting": waiting})


async def _find_order_number(session: AsyncSession, order_id: str) -> str:
    try:
        return str((await read_order(session, order_id)).number)
    except NotFound:
        return order_id


def build_bill(order: Order, lines: Sequence[OrderLine], totals: CartTotals) -> list[tuple[str, str]]:
    """Return the names and amounts of a bill: lines, shipping, discounts, and at the end the total."""
    return [
        *(
            (f"{line.quantity} × {_format_line_title(line)}", format_sold_price(part.original_total))
            for line, part in zip(lines, totals.lines, strict=True)
        ),
        (order.shipping_name, format_cop(totals.shipping.original_total)),
        *(
            (_("Descuento {code}").format(code=code), f"-{format_cop(amount)}")
            for code, amount in totals.savings
        ),
        ("Total", format_cop(order.total)),
    ]


def _format_line_title(line: OrderLine) -> str:
    detail = describe_sold_variant(line)
    return f"{line.title} ({detail})" if detail else line.title


async def _build_order_values(session: AsyncSession, settings: Settings, order: Order) -> dict[str, Any]:
    is_known = await has_verified_email(session, order.customer_id, order.email)
    token = ORDER_LINK.token(settings.signing_key, order.id)
    return {
        "name": clean_name(find_party_name(order.billing_address, order.shipping_address, "").first_name)
        if is_known
        else "",
        "number": order.number,
        "link": f"{settings.base_url}/order/{order.id}?token={token}",
    }


_RETURN_KINDS = frozenset(
    {MailKind.RETURN_REQUESTED, MailKind.RETURN_RECEIVED, MailKind.RETURN_APPROVED, MailKind.RETURN_DENIED}
)
_COMPOSERS = {
    MailKind.ACCOUNT_LINK: _compose_account_link,
    MailKind.ALERT: _compose_alert,
    MailKind.ATTENTION: _compose_attention,
    MailKind.BACK_IN_STOCK: _compose_back_in_stock,
    MailKind.CART_REMINDER: _compose_cart_reminder,
    MailKind.INVOICE_ISSUED: _compose_invoice_issued,
    MailKind.NOTICE_ASKED: _compose_notice_confirmation,
    MailKind.ORDER_EDITED: _compose_order_edited,
    MailKind.ORDER_LINK: _compose_order_link,
    MailKind.PASSWORD_RESET: _compose_password_reset,
    MailKind.PASSWORD_CHANGED: _compose_password_changed,
    MailKind.STAFF_PASSWORD_CHANGED: _compose_staff_password_changed,
    MailKind.PQRS_ANSWERED: _compose_pqrs_answered,
    MailKind.PQRS_RECEIVED: _compose_pqrs_received,
    MailKind.REFUNDED: _compose_refunded,
    MailKind.REVIEWS_ASKED: _compose_review_request,
    MailKind.PAYMENT_LINK: _compose_payment_link,
    MailKind.STAFF_INVITE: _compose_staff_invite,
    MailKind.STAFF_NOTICE: _compose_staff_notice,
}
"""Functions that compose the mails about other subjects than an order or a return."""

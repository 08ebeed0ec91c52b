"""Invoices and credit notes in the office: their list, and the form of the numbering."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Row, Select, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.cursors import format_cursor, parse_cursor
from backend.core.dates import short_time_label
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.invoices.earlier_orders import (
    MAX_ORDERS_PER_CALL,
    count_orders_without_invoice,
    list_orders_without_invoice,
)
from backend.invoices.files import PDF, XML, build_file_path
from backend.invoices.models import Invoice
from backend.invoices.numbering import read_last_number
from backend.invoices.providers.registry import PROVIDER_NAMES
from backend.invoices.states import KIND_NAMES, STATE_NAMES, InvoiceKind, InvoiceState
from backend.office.customer_labels import order_customer_name
from backend.office.listing import (
    ListView,
    active_filters,
    count_new_rows,
    label_of,
    read_filters,
    read_page,
)
from backend.office.views import ChipView
from backend.office_settings.invoicing import TAX_LEVELS, Invoicing, read_invoicing
from backend.orders.models import Order
from backend.staff.rights import Actor, Right

PAGE_SIZE = 30
MAX_TEXT_LENGTH = 60
FIELDS = ("q", "estado", "tipo")
STATES = {
    "pendientes": (_("Pendientes"), InvoiceState.PENDING),
    "rechazadas": (_("Rechazadas"), InvoiceState.REJECTED),
    "emitidas": (_("Emitidas"), InvoiceState.ISSUED),
}
KINDS = {
    "facturas": (_("Facturas"), InvoiceKind.INVOICE),
    "notas": (_("Notas crédito"), InvoiceKind.CREDIT_NOTE),
}
"""Filters of the list by their name in the URL: a label and a value."""
TONES = {InvoiceState.PENDING: "wait", InvoiceState.ISSUED: "good", InvoiceState.REJECTED: "bad"}


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An invoice or credit note in a list. `pdf_href` and `xml_href` are empty if there is no such file."""

    id: str
    title: str
    order_id: str
    order_number: int
    customer_name: str
    moment_label: str
    amount_label: str
    chip: ChipView
    reason: str
    code: str
    pdf_href: str
    xml_href: str
    can_retry: bool


@dataclass(frozen=True, slots=True)
class NumberingForm:
    """Values of the form for the range of invoice numbers.

    `version` changes with the values; `about` says how many numbers are left.
    """

    provider: str
    resolution: str
    dated: str
    prefix: str
    first: str
    last: str
    valid_from: str
    valid_until: str
    technical_key: str
    credit_prefix: str
    tax_level: str
    version: str
    about: str


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a select field."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class EarlierOrder:
    """A paid order without an invoice: it was paid while the shop created no invoices."""

    id: str
    number: int
    customer_name: str
    paid_label: str
    total_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoicesView(ListView):
    """A list of invoices and credit notes, the newest first. Its filters are `FIELDS`.

    `providers`: the invoice providers to choose from; the first option means no provider. `earlier`: the oldest paid
    orders without an invoice; `earlier_count`: number of all such orders.
    """

    rows: list[InvoiceRow]
    earlier: list[EarlierOrder]
    earlier_count: int
    form: NumberingForm
    providers: list[Choice]
    tax_levels: list[Choice]
    is_on: bool


async def invoices_view(
    session: AsyncSession,
    actor: Actor,
    params: Mapping[str, str],
    cursor: str = "",
    *,
    providers: Sequence[str],
) -> InvoicesView:
    """Return a page of the documents that match the filters, and the form of invoice numbers.

    Args:
        session: for reading.
        actor: the staff member who makes the request.
        params: values of `FIELDS`.
        cursor: the cursor of the page; empty for the first page.
        providers: ids of the available invoice providers.

    Raises:
        Forbidden: the actor may not see invoices.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_INVOICES)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    key, query = (Invoice.created_at, Invoice.id), _select_invoices().where(*_filter_conditions(filters))
    found, following = await read_page(session, query, key, cursor, PAGE_SIZE, is_descending=True)
    newest = select(*key).order_by(*(column.desc() for column in key)).limit(1)
    top = (await session.execute(newest)).one_or_none()
    invoicing = await read_invoicing(session)
    earlier = await list_orders_without_invoice(session, actor, MAX_ORDERS_PER_CALL)
    return InvoicesView(
        rows=[_invoice_row(actor, row) for row in found],
        earlier=[
            EarlierOrder(
                id=order.id,
                number=order.number or 0,
                customer_name=order_customer_name(order),
                paid_label=short_time_label(order.paid_at or order.created_at),
                total_label=format_cop(order.total),
            )
            for order in earlier
        ],
        earlier_count=await count_orders_without_invoice(session) if earlier else 0,
        cursor=following,
        newest=format_cursor(*top) if top is not None else "",
        filters=filters,
        active=active_filters(
            filters,
            (label_of(STATES, filters["estado"]), "estado"),
            (label_of(KINDS, filters["tipo"]), "tipo"),
        ),
        form=_numbering_form(invoicing, await read_last_number(session, invoicing.prefix)),
        providers=[Choice("", _("Nadie: la tienda no hace facturas"))]
        + [Choice(one, PROVIDER_NAMES.get(one, one)) for one in providers],
        tax_levels=[Choice(value, f"{value} · {label}") for value, label in TAX_LEVELS.items()],
        is_on=invoicing.is_on,
    )


async def read_invoice_rows(
    session: AsyncSession, actor: Actor, invoice_ids: Sequence[str]
) -> dict[str, InvoiceRow]:
    """Return the current rows of these invoices and credit notes, by their ids.

    Raises:
        Forbidden: the actor may not see invoices.
    """
    actor.require(Right.READ_INVOICES)
    found = await session.execute(_select_invoices().where(Invoice.id.in_(invoice_ids)))
    return {row[0].id: _invoice_row(actor, row) for row in found.all()}


async def count_newer_invoices(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], newest: str
) -> int:
    """Count the documents that match the filters `params` and are newer than the cursor `newest`.

    Raises:
        Forbidden: the actor may not see invoices.
    """
    actor.require(Right.READ_INVOICES)
    query = _select_invoices().where(*_filter_conditions(params))
    if newest:
        query = query.where(tuple_(Invoice.created_at, Invoice.id) > parse_cursor(newest))
    return await count_new_rows(session, query)


async def invoices_of_order(session: AsyncSession, actor: Actor, order_id: str) -> list[InvoiceRow]:
    """Return the order's invoices and credit notes, the oldest first; none if the actor may not see them."""
    if not actor.may(Right.READ_INVOICES):
        return []
    query = _select_invoices().where(Invoice.order_id == order_id).order_by(Invoice.created_at, Invoice.id)
    return [_invoice_row(actor, row) for row in (await session.execute(query)).all()]


def _select_invoices() -> Select[Invoice, Order]:
    return select(Invoice, Order).join(Order, Order.id == Invoice.order_id)


def _invoice_row(actor: Actor, found: Row[Invoice, Order]) -> InvoiceRow:
    row, order = found
    state = InvoiceState(row.state)
    has_files = row.xml is not None
    return InvoiceRow(
        id=row.id,
        title=f"{KIND_NAMES[InvoiceKind(row.kind)]} {row.full_number}".strip(),
        order_id=order.id,
        order_number=order.number or 0,
        customer_name=order_customer_name(order),
        moment_label=short_time_label(row.issued_at or row.created_at),
        amount_label=format_cop(row.amount),
        chip=ChipView(STATE_NAMES[state], TONES[state]),
        reason=row.reason,
        code=row.code,
        pdf_href=build_file_path(row.id, PDF) if has_files else "",
        xml_href=build_file_path(row.id, XML) if has_files else "",
        can_retry=state is not InvoiceState.ISSUED and actor.may(Right.RETRY_INVOICES),
    )


def _filter_conditions(params: Mapping[str, str]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if state := STATES.get(params.get("estado", "")):
        conditions.append(Invoice.state == state[1])
    if kind := KINDS.get(params.get("tipo", "")):
        conditions.append(Invoice.kind == kind[1])
    text = params.get("q", "").strip().lstrip("#")
    if "@" in text:
        conditions.append(Order.email == text.lower())
    elif text:
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        number = int(text) if is_number else -1
        letters = text.upper().rstrip("0123456789")
        digits = text[len(letters) :]
        whole = (Invoice.prefix == letters) & (
            Invoice.number == (int(digits) if digits.isascii() and 0 < len(digits) < 10 else -1)
        )
        conditions.append(or_(Order.number == number, Invoice.number == number, whole))
    return conditions


def _numbering_form(invoicing: Invoicing, taken: int) -> NumberingForm:
    def day(value: date | None) -> str:
        return value.isoformat() if value is not None else ""

    first, last = invoicing.first or 0, invoicing.last or 0
    remaining = max(0, last - max(taken, first - 1))
    about = (
        format_count(remaining, _("Queda {n} número."), _("Quedan {n} números."))
        if invoicing.is_on and last
        else ""
    )
    values = {
        "provider": invoicing.provider,
        "resolution": invoicing.resolution,
        "dated": day(invoicing.dated),
        "prefix": invoicing.prefix,
        "first": str(invoicing.first or ""),
        "last": str(invoicing.last or ""),
        "valid_from": day(invoicing.valid_from),
        "valid_until": day(invoicing.valid_until),
        "technical_key": invoicing.technical_key,
        "credit_prefix": invoicing.credit_prefix,
        "tax_level": invoicing.tax_level,
    }
    return NumberingForm(**values, version=" ".join(values.values()), about=about)

"""The order screen of the office: content, status, customer, timeline, and the actions that are possible now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.config.modules import GATEWAY_PSE
from backend.core.dates import time_label
from backend.core.money import format_cop, format_exact
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.exchanges.preparation import find_unfinished_exchange
from backend.fulfillment.printing import read_label_paths
from backend.fulfillment.views import get_display_stage
from backend.legal.consents import consents_of_cart
from backend.office.customer_labels import (
    describe_consent,
    order_customer_name,
    payer_document,
    phone_path,
    recipient_name,
    whatsapp_path,
)
from backend.office.invoices import InvoiceRow, invoices_of_order
from backend.office.orders.editing import DifferenceView, read_difference_view
from backend.office.orders.listing import describe_difference, order_chips
from backend.office.orders.timeline import EventView, MailView, order_mails, read_timeline
from backend.office.returns.listing import ReturnRow, returns_of_order
from backend.office.views import ChipView
from backend.order_edits.editability import is_editable
from backend.orders.admin.corrections import hash_address
from backend.orders.delivery_kinds import DeliveryKind, name_shipping, read_delivery
from backend.orders.fulfillments import has_left, is_canceled_by_carrier, list_order_fulfillments
from backend.orders.gifts import read_gift_message
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.captured_money import compute_order_money
from backend.orders.packing_holds import is_held
from backend.orders.parties import find_customer_phone, find_party_name, format_party_name
from backend.orders.promised_days import describe_promise_for_staff
from backend.orders.service import compute_order_totals, format_line_detail, list_order_lines, read_order
from backend.orders.state_labels import get_label_label, get_stage_label
from backend.orders.states import (
    FAILURE_REASON,
    HAS_MONEY,
    TRACKING,
    WITHOUT_LABEL,
    LabelState,
    OrderStatus,
    PaymentStatus,
)
from backend.payment.models import PaymentSession
from backend.payment.payments import has_unaccepted_money, sum_captured_and_refunded
from backend.payment.providers.base import parse_instructions
from backend.payment.sessions import choose_decisive_session, list_payment_sessions
from backend.payment.transitions import PAID_BY_EXCHANGE, get_exact_captured_amount
from backend.returns.requests import count_returnable_units
from backend.shipping.addresses import find_municipality_code, format_address_lines
from backend.shipping.providers.base import IS_TEST_LABEL
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the order. `packed`: number of its units that are already in a fulfillment."""

    id: str
    product_id: str
    title: str
    detail: str
    quantity: int
    packed: int
    withdrawn: int
    unit_label: str
    total_label: str
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class ParcelView:
    """A fulfillment of the order with its label.

    Attributes:
        chip: its status.
        label_path: path of the label's file; empty without one.
        can_cancel: True if the label can be cancelled.
        can_deliver: True if staff may record that the sent parcel was delivered.
        is_test: True if no courier picks up the parcel.
        waits: True if its label waits for a staff member's decision (`backend.attention`).
        problem: why the label was not created; empty if it was created, or if the reason is unknown.
        carrier_words: the newest status in the carrier's words; empty before the first status.
    """

    id: str
    reference: str
    guide: str
    carrier: str
    chip: ChipView
    label_path: str
    can_cancel: bool
    can_deliver: bool
    is_test: bool
    waits: bool
    problem: str
    carrier_words: str


@dataclass(frozen=True, slots=True)
class PaymentView:
    """The payment of the order.

    Attributes:
        method: the payment method.
        facts: names and values that a bank asks for.
        difference: difference between the paid amount and the total, as a sentence; empty if there is none.
        unused: sentences about approved money that staff must accept before it pays an order; empty if none.
    """

    chip: ChipView
    method: str
    facts: list[tuple[str, str]]
    difference: str
    unused: str
    refunded_label: str


@dataclass(frozen=True, slots=True)
class AddressFields:
    """The delivery address as fields of the form that corrects it. `version` changes with the stored address."""

    first_name: str
    last_name: str
    phone: str
    town: str
    address: str
    suburb: str
    reference: str
    version: str


@dataclass(frozen=True, slots=True)
class OrderDetail:
    """An order with everything that its screen shows.

    Attributes:
        phone_path, whatsapp_path: links; empty for an invalid number.
        document: kind and number of the payer's identity document; for a company also its name.
        recipient_phone: phone number of the recipient, if it is not the customer's.
        gift_message: text to print for the box; empty without one.
        consents: the customer's consents: name, proof, and SHA-256 of the text.
        is_held: True if nothing may be packed before a staff member decides (`backend.attention`).
        actions: possible actions: `pack`, `ship`, `hand_over`, `correct`, `return`, `cancel`, `edit`, `receive`,
            `give_back` and `exchange`.
        difference: the difference that is still to pay or to refund after edits.
    """

    id: str
    number: int
    placed_label: str
    chips: list[ChipView]
    customer_name: str
    email: str
    phone: str
    phone_path: str
    whatsapp_path: str
    document: str
    is_pickup: bool
    is_own: bool
    """True if the shop itself delivers the order."""
    needs_label: bool
    """True if a carrier needs a label for its parcels."""
    shipping_name: str
    delivery_note: str
    """Address and hours of the pickup point, or days and hours of own delivery; empty for a carrier."""
    promise: str
    """The promised day, or before the payment the offered day, as a sentence; empty without one."""
    recipient: str
    recipient_phone: str
    address_lines: list[str]
    address: AddressFields
    gift_message: str
    lines: list[LineView]
    totals: list[tuple[str, str]]
    total_label: str
    payment: PaymentView
    parcels: list[ParcelView]
    mails: list[MailView]
    events: list[EventView]
    consents: list[tuple[str, str, str]]
    customer_id: str
    """Id of the customer or of the guest; empty if the order has neither."""
    returns: list[ReturnRow]
    invoices: list[InvoiceRow]
    is_held: bool
    actions: list[str]
    difference: DifferenceView


async def order_detail(session: AsyncSession, actor: Actor, order_id: str, store_name: str) -> OrderDetail:
    """Return the order with everything that its screen shows.

    Raises:
        Forbidden: the actor may not see orders.
        NotFound: the order does not exist.
    """
    actor.require(Right.READ_ORDERS)
    order = await read_order(session, order_id)
    lines = await list_order_lines(session, order_id)
    fulfillments = await list_order_fulfillments(session, order_id)
    held = await is_held(session, order_id)
    difference = await read_difference_view(session, order)
    label_paths = await read_label_paths(session, order_id)
    payments = await list_payment_sessions(session, order.cart_id)
    kind, delivery_note = await read_delivery(session, order)
    is_pickup = kind is DeliveryKind.PICKUP
    recipient_phone = str(order.shipping_address.get("phone") or "")
    phone = find_customer_phone(order.billing_address, order.shipping_address)
    prices = compute_order_totals(order, lines)
    pictures = await line_pictures(session, lines)
    greeting = _("Hola, te escribimos de {store} por tu pedido {number}.").format(
        store=store_name, number=order.number
    )
    return OrderDetail(
        id=order.id,
        number=order.number or 0,
        placed_label=time_label(order.created_at),
        chips=order_chips(order, kind, has_money_to_accept=any(map(has_unaccepted_money, payments))),
        customer_name=order_customer_name(order),
        email=order.email if actor.may(Right.READ_CUSTOMERS) else "",
        phone=phone,
        phone_path=phone_path(phone),
        whatsapp_path=whatsapp_path(phone, greeting),
        document=_payer_text(order) if actor.may(Right.READ_CUSTOMERS) else "",
        is_pickup=is_pickup,
        is_own=kind is DeliveryKind.OWN,
        needs_label=kind.has_label,
        shipping_name=order.shipping_name,
        delivery_note=delivery_note,
        promise=describe_promise_for_staff(order, kind),
        recipient=recipient_name(order) if is_pickup else full_name(order.shipping_address),
        recipient_phone="" if recipient_phone == phone else recipient_phone,
        address_lines=format_address_lines(order.shipping_address),
        address=_address_fields(order.shipping_address),
        gift_message=read_gift_message(order.meta),
        lines=[
            _line_view(line, format_cop(part.original_total), pictures.get(line.variant_id))
            for line, part in zip(lines, prices.lines, strict=True)
        ],
        totals=[
            (_("Productos"), format_cop(prices.items.original_total)),
            (name_shipping(order, kind), format_cop(prices.shipping.original_total)),
            *(
                (_("Descuento {code}").format(code=code), f"-{format_cop(amount)}")
                for code, amount in prices.savings
            ),
            (_("IVA incluido"), format_cop(prices.tax_total)),
        ],
        total_label=format_cop(order.total),
        payment=await _payment_view(session, order, payments),
        parcels=[_parcel_view(one, kind, label_paths.get(one.id, "")) for one in fulfillments],
        mails=await order_mails(session, order.id, kind),
        events=await read_timeline(session, order, payments, fulfillments, kind),
        consents=[describe_consent(proof) for proof in await consents_of_cart(session, order.cart_id)],
        customer_id=order.customer_id or order.guest_id or "",
        returns=await returns_of_order(session, order.id),
        invoices=await invoices_of_order(session, actor, order.id),
        is_held=held,
        actions=[
            *_possible_actions(actor, order, lines, fulfillments, is_pickup=is_pickup, is_held=held),
            *await _list_edit_actions(session, actor, order, difference),
            *await _list_exchange_actions(session, actor, order, lines, fulfillments),
        ],
        difference=difference,
    )


def _possible_actions(
    actor: Actor,
    order: Order,
    lines: Sequence[OrderLine],
    fulfillments: Sequence[Fulfillment],
    *,
    is_pickup: bool,
    is_held: bool,
) -> list[str]:
    is_active = order.status != OrderStatus.CANCELED
    is_paid = order.payment_status in HAS_MONEY or order.payment_status == PaymentStatus.AUTHORIZED
    has_money = order.payment_status in HAS_MONEY and order.total > 0
    has_unpacked = any(line.quantity > line.fulfilled + line.withdrawn for line in lines)
    active = [one for one in fulfillments if one.state not in WITHOUT_LABEL]
    in_doubt = any(one.state != LabelState.CREATED for one in active)
    made = [one for one in active if one.state == LabelState.CREATED]
    may_send, may_cancel = actor.may(Right.FULFILL), actor.may(Right.CANCEL_ORDERS)
    possible = {
        "pack": may_send and is_active and is_paid and has_unpacked and not in_doubt and not is_held,
        "ship": may_send
        and not is_pickup
        and any(one.shipped_at is None and not is_canceled_by_carrier(one) for one in made),
        "hand_over": may_send and is_pickup and any(one.delivered_at is None for one in made),
        "correct": may_send and is_active and not active,
        "return": actor.may(Right.HANDLE_RETURNS) and has_money,
        "cancel": may_cancel and is_active and not active and not has_money,
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _list_edit_actions(
    session: AsyncSession, actor: Actor, order: Order, difference: DifferenceView
) -> list[str]:
    is_active, may_edit = order.status != OrderStatus.CANCELED, actor.may(Right.EDIT_ORDERS)
    possible = {
        "edit": may_edit and await is_editable(session, order),
        "receive": may_edit and is_active and difference.kind == "owed",
        "give_back": actor.may(Right.BOOK_REFUNDS) and difference.kind == "refund",
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _list_exchange_actions(
    session: AsyncSession,
    actor: Actor,
    order: Order,
    lines: Sequence[OrderLine],
    fulfillments: Sequence[Fulfillment],
) -> list[str]:
    may_exchange = actor.may(Right.SELL) and actor.may(Right.HANDLE_RETURNS)
    if not may_exchange or order.payment_status not in HAS_MONEY or not any(map(has_left, fulfillments)):
        return []
    is_possible = await count_returnable_units(session, order, lines)
    return ["exchange"] if is_possible or await find_unfinished_exchange(session, order.id) else []


async def _payment_view(
    session: AsyncSession, order: Order, payments: Sequence[PaymentSession]
) -> PaymentView:
    payment = choose_decisive_session(payments)
    credit = next((one for one in payments if PAID_BY_EXCHANGE in one.data), None)
    facts = _payment_facts(payment) if payment is not None and payment is not credit else []
    if credit is not None:
        facts = [(_("Valor de lo devuelto"), format_cop(credit.captured_amount or 0)), *facts]
    _captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    unaccepted = [one for one in payments if has_unaccepted_money(one)]
    return PaymentView(
        chip=order_chips(order, DeliveryKind.CARRIER, has_money_to_accept=bool(unaccepted))[0],
        method=_payment_method(credit or payment),
        facts=facts,
        difference=describe_difference(compute_order_money(order, payments)),
        unused=" ".join(map(_describe_unaccepted_money, unaccepted)),
        refunded_label=format_cop(refunded) if refunded else "",
    )


def _describe_unaccepted_money(payment: PaymentSession) -> str:
    if payment.captured_amount is None:
        return _(
            "El banco aprobó un pago que nadie ha aceptado: no dice cuánto llegó, o lo dice en otra moneda."
        )
    amount = format_exact(get_exact_captured_amount(payment))
    return _("El banco aprobó {amount} que nadie ha aceptado.").format(amount=amount)


def _payment_method(payment: PaymentSession | None) -> str:
    if payment is None:
        return ""
    if payment.provider_id == GATEWAY_PSE:
        bank = str(payment.data.get("bank_name") or "")
        return f"PSE · {bank}" if bank else "PSE"
    if PAID_BY_EXCHANGE in payment.data:
        return _("Cambio del pedido {number}").format(number=payment.reference)
    if (instructions := parse_instructions(payment.data)) is not None:
        return instructions.method
    return _("Pago acordado con la tienda")


def _payment_facts(payment: PaymentSession) -> list[tuple[str, str]]:
    moment = payment.captured_at or payment.created_at
    facts = (
        (_("CUS"), payment.transaction_id),
        (_("Referencia"), payment.reference),
        (_("Factura en la pasarela"), payment.invoice),
        (_("Valor"), format_cop(payment.amount)),
        (_("Fecha"), time_label(moment)),
        (_("Lo que dijo el banco"), str(payment.data.get("reason") or "")),
        (_("No coincide"), _difference_text(payment)),
    )
    return [(name, value) for name, value in facts if value]


def _difference_text(payment: PaymentSession) -> str:
    if payment.captured_amount is None:
        return ""
    exact = get_exact_captured_amount(payment)
    return "" if exact == payment.amount else _("El banco aprobó {amount}").format(amount=format_exact(exact))


STAGE_TONES: dict[str, str] = {"delivered": "good", "incident": "bad", "returned": "bad"}
LABEL_TONES: dict[str, str] = {
    LabelState.CREATING: "wait",
    **dict.fromkeys((LabelState.FAILED, LabelState.UNKNOWN, LabelState.TOO_EXPENSIVE), "bad"),
}
"""Colours of the chips by the state of the label. All other states are `plain`."""


def _parcel_view(one: Fulfillment, kind: DeliveryKind, label_path: str) -> ParcelView:
    stage = get_display_stage(one)
    is_made = one.state == LabelState.CREATED
    if not is_made:
        text, tone = get_label_label(one.state, kind), LABEL_TONES.get(one.state, "plain")
    else:
        text, tone = get_stage_label(stage, kind), STAGE_TONES.get(stage, "plain")
    return ParcelView(
        id=one.id,
        reference=one.reference,
        guide=one.tracking_number or "",
        carrier=str(one.data.get("carrier") or ""),
        chip=ChipView(text, tone),
        label_path=label_path,
        can_cancel=is_made and not has_left(one),
        can_deliver=is_made
        and kind is not DeliveryKind.PICKUP
        and has_left(one)
        and one.delivered_at is None,
        is_test=bool(one.data.get(IS_TEST_LABEL)),
        waits=one.state in (LabelState.UNKNOWN, LabelState.TOO_EXPENSIVE),
        problem=str(one.data.get(FAILURE_REASON) or "") if one.state == LabelState.FAILED else "",
        carrier_words=str((one.data.get(TRACKING) or {}).get("words") or "") if is_made else "",
    )


def _line_view(line: OrderLine, total_label: str, picture: PictureView | None) -> LineView:
    return LineView(
        id=line.id,
        product_id=line.product_id,
        title=line.title,
        detail=format_line_detail(line),
        quantity=line.quantity,
        packed=line.fulfilled,
        withdrawn=line.withdrawn,
        unit_label=format_cop(line.unit_price),
        total_label=total_label,
        picture=picture,
    )


def _payer_text(order: Order) -> str:
    """Return the payer's identity document. Add the payer's name if it is not the customer's, as for a company."""
    written = payer_document(order.payer)
    doc_type = str((order.payer or {}).get("doc_type") or "")
    name = format_party_name(find_party_name(order.billing_address, order.shipping_address, doc_type))
    is_customer = name in (
        "",
        format_party_name(find_party_name(order.billing_address, order.shipping_address, "")),
    )
    return written if is_customer or not written else f"{written} · {name}"


def _address_fields(address: Mapping[str, Any]) -> AddressFields:
    def text(name: str) -> str:
        return str(address.get(name) or "")

    metadata = address.get("metadata") or {}
    has_town = bool(find_municipality_code(address))
    return AddressFields(
        first_name=text("first_name"),
        last_name=text("last_name"),
        phone=text("phone"),
        town=", ".join(filter(None, (text("city"), text("province")))) if has_town else "",
        address=text("address_1"),
        suburb=str(metadata.get("suburb") or ""),
        reference=text("address_2"),
        version=hash_address(dict(address)),
    )

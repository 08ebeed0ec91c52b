"""Data about returns on an order's page: the requests that the customer can send now, and the state of earlier ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_label, last_day
from backend.core.money import format_cop
from backend.core.texts import _
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.models import Order, OrderLine
from backend.payment.manual_methods import EXCHANGE_CREDIT
from backend.payment.models import Refund
from backend.returns.models import KIND_NAMES, NEXT_STEPS, Return, ReturnKind
from backend.returns.requests import Offer, list_offers
from backend.returns.states import STATE_NAMES, ReturnState


@dataclass(frozen=True, slots=True)
class OfferLine:
    """A product that can be returned, and the number of units."""

    id: str
    title: str
    units: int


@dataclass(frozen=True, slots=True)
class OfferView:
    """The form of a return request that the customer can send now.

    Attributes:
        lines: the products that can be returned; empty if the request is for the whole order.
        needs_account: True if the customer must enter a bank account.
        needs_reason: True if the customer must enter a reason.
        takes_pictures: True if the customer can add pictures.
    """

    kind: str
    title: str
    lead: str
    button: str
    lines: list[OfferLine]
    needs_account: bool
    needs_reason: bool
    takes_pictures: bool


@dataclass(frozen=True, slots=True)
class RequestedReturnView:
    """A requested return and its state."""

    title: str
    state: str
    state_label: str
    text: str
    denial: list[str]


@dataclass(frozen=True, slots=True)
class ReturnsView:
    """The return requests that the customer can send now, and the returns that were already requested."""

    offers: list[OfferView] = field(default_factory=list)
    requested_returns: list[RequestedReturnView] = field(default_factory=list)


async def returns_view(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> ReturnsView:
    """Return the data about returns for the order's page. The caller has checked that it is the customer's order."""
    query = (
        select(Return, Refund.reference, Refund.method)
        .outerjoin(Refund, Refund.id == Return.refund_id)
        .where(Return.order_id == order.id)
        .order_by(Return.number)
    )
    requested = [
        _requested_return_view(row, reference or "", is_exchanged=method == EXCHANGE_CREDIT)
        for row, reference, method in await session.execute(query)
    ]
    kind, _note = await read_delivery(session, order)
    offers = [_offer_view(one, lines, kind) for one in await list_offers(session, order)]
    return ReturnsView(offers, requested)


async def describe_returns(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return one line for each return of these orders, with its kind, number and state, by order id."""
    words: dict[str, list[str]] = {order_id: [] for order_id in order_ids}
    found = select(Return).where(Return.order_id.in_(order_ids)).order_by(Return.number)
    for row in (await session.execute(found)).scalars():
        state = STATE_NAMES[ReturnState(row.state)]
        words[row.order_id].append(f"{KIND_NAMES[ReturnKind(row.kind)]} {row.number}: {state}")
    return words


def _offer_view(offer: Offer, lines: Sequence[OrderLine], delivery: DeliveryKind) -> OfferView:
    until = date_label(last_day(offer.until)) if offer.until else ""
    is_canceling, is_claim = offer.kind is ReturnKind.NOT_SENT, offer.kind is ReturnKind.WARRANTY
    title, lead, button = _OFFER_TEXTS[offer.kind]
    if is_canceling and delivery is DeliveryKind.PICKUP:
        lead = _("Aún no lo has recogido. Te devolvemos todo lo que pagaste en máximo 15 días calendario.")
    if until:
        lead = f"{lead} {_('Puedes pedirlo hasta el {day}.').format(day=until)}"
    return OfferView(
        kind=offer.kind,
        title=title,
        lead=lead,
        button=button,
        lines=[]
        if is_canceling
        else [
            OfferLine(line.id, line.title, offer.units[line.id]) for line in lines if offer.units.get(line.id)
        ],
        needs_account=not is_claim,
        needs_reason=is_claim,
        takes_pictures=not is_canceling,
    )


_OFFER_TEXTS = {
    ReturnKind.NOT_SENT: (
        _("Cancelar el pedido"),
        _("Aún no lo despachamos. Te devolvemos todo lo que pagaste en máximo 15 días calendario."),
        _("Cancelar el pedido"),
    ),
    ReturnKind.WITHDRAWAL: (
        _("Retracto: devolverlo sin dar razones"),
        _(
            "Devuelves los productos como los recibiste, por tu cuenta, y te devolvemos lo que pagaste por ellos en "
            "máximo 15 días calendario."
        ),
        _("Pedir el retracto"),
    ),
    ReturnKind.WARRANTY: (
        _("Garantía: llegó mal o falló"),
        _("Cuéntanos qué pasa y, si puedes, envía fotos. Te respondemos en máximo 15 días hábiles."),
        _("Pedir la garantía"),
    ),
}


def _requested_return_view(row: Return, reference: str, *, is_exchanged: bool) -> RequestedReturnView:
    """Return the view of a requested return.

    `reference` identifies the transfer of the refund. If `is_exchanged`, it is the number of the new order for which
    the refund has paid.
    """
    state, kind = ReturnState(row.state), ReturnKind(row.kind)
    due = date_label(last_day(row.due_at))
    amount = format_cop(row.amount or 0)
    texts = {
        ReturnState.REQUESTED: NEXT_STEPS[kind],
        ReturnState.RECEIVED: _("Ya recibimos los productos y los estamos revisando."),
        ReturnState.TO_PAY: _("Te transferimos {amount} a más tardar el {due}."),
        ReturnState.PAID: _("Te transferimos {amount}. Referencia: {reference}."),
        ReturnState.DENIED: _("No procede:"),
    }
    if is_exchanged:
        texts[ReturnState.PAID] = _("Hicimos el cambio. Tu pedido nuevo es el {reference}.")
    return RequestedReturnView(
        title=f"{KIND_NAMES[kind]} {row.number}",
        state=state,
        state_label=_("Hecho") if is_exchanged else STATE_NAMES[state],
        text=texts[state].format(due=due, amount=amount, reference=reference),
        denial=list(filter(None, row.denial.splitlines())),
    )

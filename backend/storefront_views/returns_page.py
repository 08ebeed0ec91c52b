"""What an order's page shows its buyer of returns: what may be asked for now, and how that goes which was asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_label, last_day
from backend.core.money import format_cop
from backend.core.texts import _
from backend.orders.models import Order, OrderLine
from backend.payment.models import Refund
from backend.returns.models import KIND_NAMES, NEXT_STEPS, Return, ReturnKind
from backend.returns.requests import Offer, offers
from backend.returns.states import STATE_NAMES, ReturnState


@dataclass(frozen=True, slots=True)
class OfferLine:
    """A toy of which so many units may come back."""

    id: str
    title: str
    units: int


@dataclass(frozen=True, slots=True)
class OfferView:
    """Something that the buyer may ask for, as a form.

    Attributes:
        lines: what may come back; empty where all of the order is meant.
        needs_account: whether a bank account must be told.
        needs_reason: whether it must be said why.
        takes_pictures: whether pictures may be sent with it.
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
class AskedView:
    """How a return stands that was asked for."""

    title: str
    state: str
    state_label: str
    text: str
    denial: list[str]


@dataclass(frozen=True, slots=True)
class ReturnsView:
    """All of it."""

    offers: list[OfferView] = field(default_factory=list)
    asked: list[AskedView] = field(default_factory=list)


async def returns_view(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> ReturnsView:
    """What the order's page shows of returns. The caller has checked that it is the buyer."""
    query = (
        select(Return, Refund.reference)
        .outerjoin(Refund, Refund.id == Return.refund_id)
        .where(Return.order_id == order.id)
        .order_by(Return.number)
    )
    asked = [_asked(row, reference or "") for row, reference in await session.execute(query)]
    return ReturnsView([_offer(one, lines) for one in await offers(session, order)], asked)


async def returns_in_words(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, list[str]]:
    """The returns of these orders by the order's id: which, and how it stands."""
    words: dict[str, list[str]] = {order_id: [] for order_id in order_ids}
    found = select(Return).where(Return.order_id.in_(order_ids)).order_by(Return.number)
    for row in (await session.execute(found)).scalars():
        state = STATE_NAMES[ReturnState(row.state)]
        words[row.order_id].append(f"{KIND_NAMES[ReturnKind(row.kind)]} {row.number}: {state}")
    return words


def _offer(offer: Offer, lines: Sequence[OrderLine]) -> OfferView:
    until = date_label(last_day(offer.until)) if offer.until else ""
    is_canceling, is_claim = offer.kind is ReturnKind.NOT_SENT, offer.kind is ReturnKind.WARRANTY
    title, lead, button = _WORDS[offer.kind]
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


_WORDS = {
    ReturnKind.NOT_SENT: (
        _("Cancelar el pedido"),
        _("Aún no lo despachamos. Te devolvemos todo lo que pagaste en máximo 15 días calendario."),
        _("Cancelar el pedido"),
    ),
    ReturnKind.WITHDRAWAL: (
        _("Retracto: devolverlo sin dar razones"),
        _(
            "Devuelves los juguetes como los recibiste, por tu cuenta, y te devolvemos lo que pagaste por ellos en "
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


def _asked(row: Return, reference: str) -> AskedView:
    state, kind = ReturnState(row.state), ReturnKind(row.kind)
    due = date_label(last_day(row.due_at))
    amount = format_cop(row.amount or 0)
    texts = {
        ReturnState.REQUESTED: NEXT_STEPS[kind],
        ReturnState.RECEIVED: _("Ya recibimos los juguetes y los estamos revisando."),
        ReturnState.TO_PAY: _("Te transferimos {amount} a más tardar el {due}."),
        ReturnState.PAID: _("Te transferimos {amount}. Referencia: {reference}."),
        ReturnState.DENIED: _("No procede:"),
    }
    return AskedView(
        title=f"{KIND_NAMES[kind]} {row.number}",
        state=state,
        state_label=STATE_NAMES[state],
        text=texts[state].format(due=due, amount=amount, reference=reference),
        denial=list(filter(None, row.denial.splitlines())),
    )

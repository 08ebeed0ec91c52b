"""Payments for staff (spec: Provider operations; wire: commerce-api, Admin)."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy import func, select

from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.guard import STAFF_ONLY
from backend.edge.lists import listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import Answer, Body, ListAnswer, ListParameters, Name, Pesos, Text, example
from backend.edge.wire import Wire
from backend.payment.admin import MADE, capture, find_payment, refund
from backend.payment.models import PaymentSession
from backend.payment.refunds import refunds_of
from backend.payment.routes import Payments
from backend.payment.wire import payment_wire

router = APIRouter(
    prefix="/admin/payments",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)


class PaymentsParameters(ListParameters):
    """Which payments."""

    payment_session_id: list[Name] | None = None


class Amount(Body):
    """How much; all of it, unless told otherwise."""

    model_config = example(note="La consignación está en la cuenta.")

    amount: Pesos | None = None
    note: Text | None = None
    refund_reason_id: Name | None = None


class PaymentOut(Answer):
    """Authorized money, captured or not."""

    id: str
    amount: int = 0
    captured_at: str | None = None
    captures: list[dict[str, Any]] | None = None


class PaymentAnswer(BaseModel):
    """A payment."""

    payment: PaymentOut


class PaymentsAnswer(ListAnswer):
    """A page of the payments."""

    payments: list[PaymentOut]


class PaymentProviderOut(Answer):
    """A way to pay."""

    id: str


class PaymentProvidersAnswer(ListAnswer):
    """The ways to pay."""

    payment_providers: list[PaymentProviderOut]


@router.get("", response_model=PaymentsAnswer)
async def list_payments(
    asked: Annotated[PaymentsParameters, read_query(PaymentsParameters)], database: Db
) -> Wire:
    """The payments, newest first."""
    conditions = [PaymentSession.state.in_(MADE)]
    if asked.payment_session_id is not None:
        conditions.append(PaymentSession.id.in_(asked.payment_session_id))
    page = select(PaymentSession).where(*conditions).order_by(PaymentSession.id.desc())
    async with database.read() as session:
        count = await session.execute(select(func.count()).select_from(PaymentSession).where(*conditions))
        found = (await session.execute(page.offset(asked.offset).limit(asked.limit))).scalars().all()
        refunds = await refunds_of(session, (payment.id for payment in found))
    payments = (payment_wire(payment, refunds) for payment in found)
    return Wire(listed("payments", payments, count.scalar_one(), asked))


@router.get("/payment-providers", response_model=PaymentProvidersAnswer)
async def list_providers(
    asked: Annotated[ListParameters, read_query(ListParameters)], payments: Payments
) -> Wire:
    """The ways to pay that the shop runs with."""
    providers = [{"id": provider_id, "is_enabled": True} for provider_id in sorted(payments.providers)]
    return Wire(listed("payment_providers", page_of(providers, asked), len(providers), asked))


@router.get("/{payment_id}", response_model=PaymentAnswer)
async def read(payment_id: str, database: Db, fields: Shown) -> Wire:
    """The payment."""
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
        refunds = await refunds_of(session, [payment.id])
    return Wire({"payment": fields.pick(payment_wire(payment, refunds))})


@router.post("/{payment_id}/capture", response_model=PaymentAnswer)
async def capture_payment(
    payment_id: str, database: Db, payments: Payments, fields: Shown, body: Amount | None = None
) -> Wire:
    """Take the authorized money, all of it; asked again, it is the same capture."""
    captured = await capture(database, payments, payment_id, body.amount if body else None)
    return Wire({"payment": fields.pick(payment_wire(captured))})


@router.post("/{payment_id}/refund", response_model=PaymentAnswer)
async def refund_payment(
    payment_id: str, database: Db, payments: Payments, fields: Shown, body: Amount | None = None
) -> Wire:
    """Give captured money back. 400 from a provider that gives nothing back: PSE does not (spec: Errors)."""
    refunded = await refund(database, payments, payment_id, body.amount if body else None)
    return Wire({"payment": fields.pick(payment_wire(refunded))})

"""Payments over HTTP: the list of banks, the webhook, and payments for staff.

(spec: Provider operations, Webhook; wire: commerce-api, Admin)
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel
from sqlalchemy import ColumnElement

from backend.core.db.database import Database
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, met, moments, one_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute, body_up_to
from backend.edge.schemas import (
    Body,
    ListParameters,
    Moments,
    Name,
    Pesos,
    Text,
    example,
)
from backend.edge.wire import Wire
from backend.payment.answers import PaymentAnswer, PaymentProvidersAnswer, PaymentsAnswer
from backend.payment.models import PaymentSession
from backend.payment.notifications import MAX_BODY_BYTES
from backend.payment.payments import MADE, capture, find_payment, refund, refunds_of
from backend.payment.service import PaymentService
from backend.payment.wire import payment_wire, providers_answer
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter()


def payment_service(request: Request) -> PaymentService:
    """The running shop's payments."""
    service: PaymentService = request.app.state.payments
    return service


Payments = Annotated[PaymentService, Depends(payment_service)]


class BankOut(BaseModel):
    """A bank (spec: Entities, PSE bank entry)."""

    bankCode: str  # noqa: N815 (the wire's name)
    name: str


class BanksOut(BaseModel):
    """The banks a shopper may choose."""

    banks: list[BankOut]


@router.get("/api/pse/banks", tags=["storefront"])
async def pse_banks(payments: Payments) -> BanksOut:
    """The gateway's bank list, by name, without the placeholder of bankCode '0'."""
    return BanksOut(banks=[BankOut(bankCode=bank.code, name=bank.name) for bank in await payments.banks()])


HOOK = "/hooks/payment/{provider}"


@router.api_route(f"{HOOK}/", methods=["GET", "POST", "PUT", "PATCH"], include_in_schema=False)
@router.api_route(HOOK, methods=["GET", "PUT", "PATCH"], include_in_schema=False)
@router.post(HOOK, tags=["webhook"])
async def payment_hook(provider: str, request: Request, payments: Payments) -> PlainTextResponse:
    """A provider's notification. Always 200, whatever comes: form, query, JSON, nothing at all (spec: Webhook).

    The method says nothing: GET, PUT and PATCH are read as POST is, and a slash at the end makes no difference.
    """
    raw = await body_up_to(request, MAX_BODY_BYTES + 1)
    await payments.inbox.receive(provider, raw, dict(request.headers), dict(request.query_params))
    return PlainTextResponse("OK")


@router.head(f"{HOOK}/", include_in_schema=False)
@router.head(HOOK, include_in_schema=False)
async def payment_hook_is_there() -> Response:
    """Someone asks whether the address answers. It tells nothing, so nothing is read and nothing is kept."""
    return Response()


payments_router = APIRouter(
    prefix="/admin/payments",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)


class PaymentsParameters(Moments):
    """Which payments."""

    payment_session_id: list[Name] | None = None


class Amount(Body):
    """How much; all of it, unless told otherwise."""

    model_config = example(note="La consignación está en la cuenta.")

    amount: Pesos | None = None
    note: Text | None = None
    refund_reason_id: Name | None = None


@payments_router.get("")
async def list_payments(
    asked: Annotated[PaymentsParameters, read_query(PaymentsParameters)], database: Db
) -> Wire[PaymentsAnswer]:
    """The payments, newest first."""
    conditions = [PaymentSession.state.in_(MADE), *met(asked, _of_payments)]
    order = (PaymentSession.created_at.desc(), PaymentSession.id.desc())
    async with database.read() as session:
        found, count = await rows_of(session, PaymentSession, conditions, order, asked)
        refunds = await refunds_of(session, (payment.id for payment in found))
    payments = (payment_wire(payment, refunds) for payment in found)
    return Wire({"payments": pick_each(payments, asked), **paging(count, asked)})


def _of_payments(asked: PaymentsParameters) -> list[ColumnElement[bool]]:
    at = moments(asked, PaymentSession.created_at, PaymentSession.updated_at)
    return [*at, *one_of((PaymentSession.id, asked.payment_session_id))]


@payments_router.get("/payment-providers")
async def list_providers(
    asked: Annotated[ListParameters, read_query(ListParameters)], payments: Payments
) -> Wire[PaymentProvidersAnswer]:
    """The ways to pay that the shop runs with."""
    return Wire(providers_answer(payments.providers, asked))


@payments_router.get("/{payment_id}")
async def read_payment(payment_id: str, database: Db, fields: Shown) -> Wire[PaymentAnswer]:
    """The payment."""
    return await _payment(database, payment_id, fields)


@payments_router.post("/{payment_id}/capture")
async def capture_payment(
    *,
    actor: StaffMember,
    payment_id: str,
    database: Db,
    payments: Payments,
    fields: Shown,
    body: Amount | None = None,
) -> Wire[PaymentAnswer]:
    """Take the authorized money, all of it; asked again, it is the same capture."""
    await capture(database, actor, payments, payment_id, body.amount if body else None)
    return await _payment(database, payment_id, fields)


@payments_router.post("/{payment_id}/refund")
async def refund_payment(
    *,
    actor: StaffMember,
    payment_id: str,
    database: Db,
    payments: Payments,
    fields: Shown,
    body: Amount | None = None,
) -> Wire[PaymentAnswer]:
    """Give captured money back. 400 from a provider that gives nothing back: PSE does not (spec: Errors)."""
    await refund(database, actor, payments, payment_id, body.amount if body else None)
    return await _payment(database, payment_id, fields)


async def _payment(database: Database, payment_id: str, fields: Fields) -> Wire[PaymentAnswer]:
    """The payment with its refunds."""
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
        refunds = await refunds_of(session, [payment.id])
    return Wire({"payment": fields.pick(payment_wire(payment, refunds))})

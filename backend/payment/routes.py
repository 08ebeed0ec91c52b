"""HTTP routes of payments: the list of banks, the webhook, and payments for staff.

(spec: Provider operations, Webhook; wire: commerce-api, Admin)
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel
from sqlalchemy import ColumnElement

from backend.core.db.database import Database
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    moment_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    where_clauses,
)
from backend.edge.requests import WireRoute, read_body_start
from backend.edge.schemas import (
    Body,
    ListParameters,
    MomentParameters,
    Name,
    Pesos,
    Text,
    example,
)
from backend.edge.wire import Wire
from backend.payment.answers import PaymentAnswer, PaymentProvidersAnswer, PaymentsAnswer
from backend.payment.models import PaymentSession
from backend.payment.notifications import MAX_BODY_BYTES
from backend.payment.payments import PAYMENT_STATES, capture, find_payment, list_refunds, refund
from backend.payment.service import PaymentService
from backend.payment.wire import payment_wire, providers_answer
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter()


def get_payment_service(request: Request) -> PaymentService:
    """Return the payment service of the running shop."""
    service: PaymentService = request.app.state.payments
    return service


Payments = Annotated[PaymentService, Depends(get_payment_service)]


class BankOut(BaseModel):
    """A bank (spec: Entities, PSE bank entry)."""

    bankCode: str  # noqa: N815 (the wire's name)
    name: str


class BanksOut(BaseModel):
    """The banks that a shopper may choose."""

    banks: list[BankOut]


@router.get("/api/pse/banks", tags=["storefront"])
async def list_pse_banks(payments: Payments) -> BanksOut:
    """Return the gateway's bank list, by name, without the placeholder of bankCode '0'."""
    return BanksOut(
        banks=[BankOut(bankCode=bank.code, name=bank.name) for bank in await payments.list_banks()]
    )


HOOK_PATH = "/hooks/payment/{provider}"


@router.api_route(f"{HOOK_PATH}/", methods=["GET", "POST", "PUT", "PATCH"], include_in_schema=False)
@router.api_route(HOOK_PATH, methods=["GET", "PUT", "PATCH"], include_in_schema=False)
@router.post(HOOK_PATH, tags=["webhook"])
async def receive_notification(provider: str, request: Request, payments: Payments) -> PlainTextResponse:
    """Store a provider's notification.

    The response is always 200, for any content: form, query, JSON or nothing (spec: Webhook).

    The method does not matter: GET, PUT and PATCH are handled like POST, and a trailing slash is ignored.
    """
    raw = await read_body_start(request, MAX_BODY_BYTES + 1)
    await payments.inbox.receive(provider, raw, dict(request.headers), dict(request.query_params))
    return PlainTextResponse("OK")


@router.head(f"{HOOK_PATH}/", include_in_schema=False)
@router.head(HOOK_PATH, include_in_schema=False)
async def confirm_hook_exists() -> Response:
    """Respond to a request that only checks if the URL exists. Nothing is read or stored."""
    return Response()


payments_router = APIRouter(
    prefix="/admin/payments",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)


class PaymentsParameters(MomentParameters):
    """Filters of the list of payments."""

    payment_session_id: list[Name] | None = None


class Amount(Body):
    """The amount to capture or refund; by default the whole amount."""

    model_config = example(note="La consignación está en la cuenta.")

    amount: Pesos | None = None
    note: Text | None = None
    refund_reason_id: Name | None = None


@payments_router.get("")
async def list_payments(
    params: Annotated[PaymentsParameters, read_query(PaymentsParameters)], database: Db
) -> Wire[PaymentsAnswer]:
    """List the payments, newest first."""
    conditions = [PaymentSession.state.in_(PAYMENT_STATES), *where_clauses(params, _payment_filters)]
    order = (PaymentSession.created_at.desc(), PaymentSession.id.desc())
    async with database.read() as session:
        found, count = await read_page(session, PaymentSession, conditions, order, params)
        refunds = await list_refunds(session, (payment.id for payment in found))
    payments = (payment_wire(payment, refunds) for payment in found)
    return Wire({"payments": pick_each(payments, params), **paging_fields(count, params)})


def _payment_filters(params: PaymentsParameters) -> list[ColumnElement[bool]]:
    at = moment_clauses(params, PaymentSession.created_at, PaymentSession.updated_at)
    return [*at, *in_clauses((PaymentSession.id, params.payment_session_id))]


@payments_router.get("/payment-providers")
async def list_providers(
    params: Annotated[ListParameters, read_query(ListParameters)], payments: Payments
) -> Wire[PaymentProvidersAnswer]:
    """List the payment providers that the shop runs with."""
    return Wire(providers_answer(payments.providers, params))


@payments_router.get("/{payment_id}")
async def read_payment(payment_id: str, database: Db, fields: RequestedFields) -> Wire[PaymentAnswer]:
    """Return a payment."""
    return await _payment_answer(database, payment_id, fields)


@payments_router.post("/{payment_id}/capture")
async def capture_payment(
    *,
    actor: StaffMember,
    payment_id: str,
    database: Db,
    payments: Payments,
    fields: RequestedFields,
    body: Amount | None = None,
) -> Wire[PaymentAnswer]:
    """Capture the whole authorized amount. A repeated call returns the same capture."""
    await capture(database, actor, payments, payment_id, body.amount if body else None)
    return await _payment_answer(database, payment_id, fields)


@payments_router.post("/{payment_id}/refund")
async def refund_payment(
    *,
    actor: StaffMember,
    payment_id: str,
    database: Db,
    payments: Payments,
    fields: RequestedFields,
    body: Amount | None = None,
) -> Wire[PaymentAnswer]:
    """Refund captured money. Return 400 for a provider without refunds, such as PSE (spec: Errors)."""
    await refund(database, actor, payments, payment_id, body.amount if body else None)
    return await _payment_answer(database, payment_id, fields)


async def _payment_answer(database: Database, payment_id: str, fields: Fields) -> Wire[PaymentAnswer]:
    """Return the payment with its refunds."""
    async with database.read() as session:
        payment = await find_payment(session, payment_id)
        refunds = await list_refunds(session, [payment.id])
    return Wire({"payment": fields.pick(payment_wire(payment, refunds))})

"""What the payment room answers over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel

from backend.edge.bodies import body_up_to
from backend.payment.notifications import MAX_BODY_BYTES
from backend.payment.service import PaymentService

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
    await payments.inbox.take(provider, raw, dict(request.headers), dict(request.query_params))
    return PlainTextResponse("OK")


@router.head(f"{HOOK}/", include_in_schema=False)
@router.head(HOOK, include_in_schema=False)
async def payment_hook_is_there() -> Response:
    """Someone asks whether the address answers. It tells nothing, so nothing is read and nothing is kept."""
    return Response()

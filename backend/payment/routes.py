"""What the payment room answers over HTTP."""

import json
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from backend.edge.bodies import body_up_to
from backend.payment.desk import PaymentDesk
from backend.payment.notifications import MAX_BODY_BYTES

router = APIRouter()


def payment_desk(request: Request) -> PaymentDesk:
    """The running shop's payment room."""
    desk: PaymentDesk = request.app.state.payments
    return desk


Desk = Annotated[PaymentDesk, Depends(payment_desk)]


class BankOut(BaseModel):
    """A bank (spec: Entities, PSE bank entry)."""

    bankCode: str  # noqa: N815 (the wire's name)
    name: str


class BanksOut(BaseModel):
    """The banks a shopper may choose."""

    banks: list[BankOut]


@router.get("/api/pse/banks", tags=["storefront"])
async def pse_banks(desk: Desk) -> BanksOut:
    """The gateway's bank list, by name, without the placeholder of bankCode '0'."""
    return BanksOut(banks=[BankOut(bankCode=bank.code, name=bank.name) for bank in await desk.banks()])


@router.get("/hooks/payment/{provider}", tags=["webhook"], include_in_schema=False)
@router.post("/hooks/payment/{provider}", tags=["webhook"])
async def payment_hook(provider: str, request: Request, desk: Desk) -> PlainTextResponse:
    """The gateway's notification. Always 200, whatever comes: form, query, JSON, nothing at all (spec: Webhook)."""
    raw = await body_up_to(request, MAX_BODY_BYTES + 1)
    fields = _fields(request, raw) if len(raw) <= MAX_BODY_BYTES else {}
    await desk.take_notification(provider, fields, raw or request.url.query.encode())
    return PlainTextResponse("OK")


def _fields(request: Request, raw: bytes) -> dict[str, Any]:
    """The fields of a notification, from the query and from a body in whatever form (wire: gateway 1.8)."""
    fields: dict[str, Any] = dict(request.query_params)
    text = raw.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        return fields | parsed if isinstance(parsed, dict) else fields
    return fields | dict(parse_qsl(text, keep_blank_values=True))

"""The carrier's hook (wire: carrier 2.4, webhook)."""

import json
import logging
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse

from backend.edge.bodies import body_up_to
from backend.orders.following import Follower
from backend.shipping.carrier.answers import whole

log = logging.getLogger(__name__)

router = APIRouter()

MAX_BODY_BYTES = 64 * 1024
MOST_NUMBER = 2**63 - 1
MOST_CODE = 60


def follower_of(request: Request) -> Follower:
    """Whoever follows the running shop's parcels."""
    follower: Follower = request.app.state.parcels
    return follower


Follow = Annotated[Follower, Depends(follower_of)]


@router.post("/hooks/shipping/{provider}", tags=["webhook"])
async def shipping_hook(provider: str, request: Request, follower: Follow) -> PlainTextResponse:
    """The carrier has news of a parcel. Always 200, whatever comes.

    Nobody signs it, so it is only a hint: the carrier is asked where the parcel is, and that is what counts.
    """
    told = _object(await body_up_to(request, MAX_BODY_BYTES + 1))
    number, code = whole(told.get("idOrder")), told.get("trackingCode")
    try:
        await follower.hear(
            number if number is not None and number <= MOST_NUMBER else None,
            code if isinstance(code, str) and len(code) <= MOST_CODE else None,
        )
    except Exception:
        # the parcel is asked about by and by anyhow: nothing is lost, but someone must know
        log.exception("a hint of %s could not be taken", provider if provider.isidentifier() else "a carrier")
    return PlainTextResponse("OK")


def _object(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_BODY_BYTES:
        return {}
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}

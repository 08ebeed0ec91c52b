"""How a planned fault shows: instead of the answer, or in it."""

import asyncio
import json
from collections.abc import Callable
from itertools import cycle
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.sandbox.carrier.envelopes import WRONG_KEY, BrokenOff, processed, proxy_page, refused
from backend.sandbox.carrier.faults import Fault, Planned

Rates = list[dict[str, Any]]

NO_CREDIT = "No tiene suficiente crédito disponible en su cuenta para generar la guía."
NOT_MADE = "No se pudo generar la guía"
NOTHING_CANCELLED: dict[str, list[int]] = {
    "not_valid_orders": [],
    "only_cancel_orders": [],
    "to_refund_orders": [],
}

INSTEAD: dict[Fault, Callable[[], Response]] = {
    Fault.SERVER_ERROR: lambda: refused(500, NOT_MADE),
    Fault.BAD_GATEWAY: proxy_page,
    Fault.UNAUTHORIZED: lambda: refused(401, WRONG_KEY),
    Fault.NO_CREDIT: lambda: refused(422, NO_CREDIT),
    Fault.IGNORED: lambda: processed(NOTHING_CANCELLED),
}
"""Faults that answer in place of the operation, which does nothing."""

ABSURDITIES: tuple[dict[str, Any], ...] = (
    {"flete": 1e15},
    {"flete": float("nan")},
    {"minimumInsurance": "gratis"},
    {"flete": None},
    {"minimumInsurance": float("-inf")},
)


async def failed_early(planned: Planned | None, request: Request) -> Response | None:
    """What a fault answers before anything is done; None when the request goes on."""
    if planned is None:
        return None
    if planned.fault is Fault.SLOW:
        await asyncio.sleep(planned.seconds)
    if planned.fault is Fault.HANG:
        while (await request.receive())["type"] != "http.disconnect":
            pass  # whoever asked must be the one to give up
        return proxy_page()
    instead = INSTEAD.get(planned.fault)
    return instead() if instead else None


def spoilt(answer: Response, planned: Planned | None) -> Response:
    """The answer as a fault leaves it once the request has had its effect."""
    match planned and planned.fault:
        case Fault.DROP:
            return BrokenOff(answer)
        case Fault.MALFORMED:
            return Response(bytes(answer.body)[1:], answer.status_code, media_type="application/json")
        case Fault.NO_RATES:
            return _with_rates(answer, lambda _: [])
        case Fault.NEGATIVE_RATES:
            return _with_rates(answer, lambda rates: [{**rate, "flete": -rate["flete"]} for rate in rates])
        case Fault.ABSURD_RATES:
            return _with_rates(
                answer,
                lambda rates: [
                    {**rate, **absurd} for rate, absurd in zip(rates, cycle(ABSURDITIES), strict=False)
                ],
            )
        case _:
            return answer


def _with_rates(answer: Response, change: Callable[[Rates], Rates]) -> Response:
    data = json.loads(bytes(answer.body)).get("data")
    return processed({**data, "rates": change(data["rates"])}) if data and "rates" in data else answer

"""Planned faults of the embedded carrier and their effect on responses, to test how the shop handles them."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.sandbox.carrier.responses import (
    WRONG_KEY,
    InterruptedResponse,
    error_response,
    proxy_error_page,
    success_response,
)

ALL_OPERATIONS = "*"


class Operation(StrEnum):
    """An operation of the carrier."""

    QUOTATION = "quotation"
    SHIPMENT = "shipment"
    TRACK = "track"
    CANCELLATION = "cancellation"


class Fault(StrEnum):
    """A kind of failure of the carrier."""

    SLOW = "slow"  # answers correctly, but late
    HANG = "hang"  # never answers
    SERVER_ERROR = "server_error"  # 500 with the usual envelope; the operation does not run
    BAD_GATEWAY = "bad_gateway"  # 502 with a page, like the carrier's proxy
    UNAUTHORIZED = "unauthorized"  # 401, as for a wrong key
    NO_CREDIT = "no_credit"  # 422: the account has not enough money for a label
    MALFORMED = "malformed"  # 200, but not JSON
    DROP = "drop"  # runs the operation; the connection breaks in the middle of the response
    NO_RATES = "no_rates"  # 200 without rates: no courier delivers there
    NEGATIVE_RATES = "negative_rates"
    ABSURD_RATES = "absurd_rates"  # huge, NaN, text or missing numbers
    IGNORED = "ignored"  # a cancellation answers 200 with empty lists and cancels nothing


@dataclass(slots=True)
class PlannedFault:
    """A planned fault. `times` is the number of requests that will still fail; None means all requests."""

    fault: Fault
    times: int | None = None
    seconds: float = 0.0


class Faults:
    """The planned faults by operation."""

    def __init__(self) -> None:
        self._planned: dict[str, PlannedFault] = {}

    def plan(
        self, fault: Fault, operation: str = ALL_OPERATIONS, *, times: int | None = None, seconds: float = 0.0
    ) -> None:
        """Make the next `times` requests of an operation fail. If `times` is None, all fail until `clear` is called.

        `seconds` is the delay of `Fault.SLOW`.
        """
        self._planned[operation] = PlannedFault(fault, times, seconds)

    def clear(self) -> None:
        """Remove all planned faults."""
        self._planned.clear()

    def take(self, operation: Operation) -> PlannedFault | None:
        """Return the fault for this request, if one is planned, and subtract 1 from its remaining requests."""
        name = operation if operation in self._planned else ALL_OPERATIONS
        planned = self._planned.get(name)
        if planned is not None and planned.times is not None:
            planned.times -= 1
            if planned.times <= 0:
                del self._planned[name]
        return planned

    def describe(self) -> dict[str, dict[str, object]]:
        """Return the planned faults as JSON values."""
        return {
            operation: {"fault": planned.fault, "times": planned.times, "seconds": planned.seconds}
            for operation, planned in self._planned.items()
        }


Rates = list[dict[str, Any]]

NO_CREDIT = "No tiene suficiente crédito disponible en su cuenta para generar la guía."
NOT_MADE = "No se pudo generar la guía"
NOTHING_CANCELLED: dict[str, list[int]] = {
    "not_valid_orders": [],
    "only_cancel_orders": [],
    "to_refund_orders": [],
}

REPLACEMENT_RESPONSES: dict[Fault, Callable[[], Response]] = {
    Fault.SERVER_ERROR: lambda: error_response(500, NOT_MADE),
    Fault.BAD_GATEWAY: proxy_error_page,
    Fault.UNAUTHORIZED: lambda: error_response(401, WRONG_KEY),
    Fault.NO_CREDIT: lambda: error_response(422, NO_CREDIT),
    Fault.IGNORED: lambda: success_response(NOTHING_CANCELLED),
}
"""Responses of faults that replace the operation, which then does nothing."""

ABSURDITIES: tuple[dict[str, Any], ...] = (
    {"flete": 1e15},
    {"flete": float("nan")},
    {"minimumInsurance": "gratis"},
    {"flete": None},
    {"minimumInsurance": float("-inf")},
)


async def find_early_response(planned: PlannedFault | None, request: Request) -> Response | None:
    """Return the response that replaces the operation because of a planned fault; None if the operation must run.

    `Fault.SLOW` waits and returns None. `Fault.HANG` waits until the client disconnects.
    """
    if planned is None:
        return None
    if planned.fault is Fault.SLOW:
        await asyncio.sleep(planned.seconds)
    if planned.fault is Fault.HANG:
        while (await request.receive())["type"] != "http.disconnect":
            pass  # wait until the caller gives up
        return proxy_error_page()
    replacement = REPLACEMENT_RESPONSES.get(planned.fault)
    return replacement() if replacement else None


def apply_fault(answer: Response, planned: PlannedFault | None) -> Response:
    """Return the operation's response with the change that the planned fault requires.

    It is returned unchanged if no fault is planned, or if the fault does not change responses.
    """
    match planned and planned.fault:
        case Fault.DROP:
            return InterruptedResponse(answer)
        case Fault.MALFORMED:
            return Response(bytes(answer.body)[1:], answer.status_code, media_type="application/json")
        case Fault.NO_RATES:
            return _change_rates(answer, lambda _: [])
        case Fault.NEGATIVE_RATES:
            return _change_rates(answer, lambda rates: [{**rate, "flete": -rate["flete"]} for rate in rates])
        case Fault.ABSURD_RATES:
            return _change_rates(
                answer,
                lambda rates: [
                    {**rate, **absurd} for rate, absurd in zip(rates, cycle(ABSURDITIES), strict=False)
                ],
            )
        case _:
            return answer


def _change_rates(answer: Response, change: Callable[[Rates], Rates]) -> Response:
    data = json.loads(bytes(answer.body)).get("data")
    return success_response({**data, "rates": change(data["rates"])}) if data and "rates" in data else answer

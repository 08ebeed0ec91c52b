"""What goes wrong on demand, and how it shows in the answers: so that the shop can be seen to bear it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.sandbox.carrier.responses import WRONG_KEY, BrokenOff, processed, proxy_page, refused

ALL_OPERATIONS = "*"


class Operation(StrEnum):
    """What the carrier can be asked."""

    QUOTATION = "quotation"
    SHIPMENT = "shipment"
    TRACK = "track"
    CANCELLATION = "cancellation"


class Fault(StrEnum):
    """A way to fail."""

    SLOW = "slow"  # answers well, but late
    HANG = "hang"  # never answers
    SERVER_ERROR = "server_error"  # 500 with the usual envelope, nothing done
    BAD_GATEWAY = "bad_gateway"  # 502 with a page, as the proxy in front answers
    UNAUTHORIZED = "unauthorized"  # 401, as for a wrong key
    NO_CREDIT = "no_credit"  # 422: the account has no money for a label
    MALFORMED = "malformed"  # 200, but not JSON
    DROP = "drop"  # does what was asked; the connection breaks in the middle of the answer
    NO_RATES = "no_rates"  # 200 without rates: no courier goes there
    NEGATIVE_RATES = "negative_rates"
    ABSURD_RATES = "absurd_rates"  # huge, NaN, text or missing numbers
    IGNORED = "ignored"  # a cancellation answers 200 with empty lists and cancels nothing


@dataclass(slots=True)
class Planned:
    """A fault that is planned. `times` is how often it still happens; None is always."""

    fault: Fault
    times: int | None = None
    seconds: float = 0.0


class Faults:
    """The faults that are planned, by operation."""

    def __init__(self) -> None:
        self._planned: dict[str, Planned] = {}

    def plan(
        self, fault: Fault, operation: str = ALL_OPERATIONS, *, times: int | None = None, seconds: float = 0.0
    ) -> None:
        """Let an operation fail so many times, or until `clear`. `seconds` is how late SLOW answers."""
        self._planned[operation] = Planned(fault, times, seconds)

    def clear(self) -> None:
        """Work properly again."""
        self._planned.clear()

    def take(self, operation: Operation) -> Planned | None:
        """The fault for this request, if one is planned."""
        name = operation if operation in self._planned else ALL_OPERATIONS
        planned = self._planned.get(name)
        if planned is not None and planned.times is not None:
            planned.times -= 1
            if planned.times <= 0:
                del self._planned[name]
        return planned

    def described(self) -> dict[str, dict[str, object]]:
        """What is planned, for a program to read."""
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

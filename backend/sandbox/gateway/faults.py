"""Planned faults of the embedded gateway, to test how the shop handles them."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class Operation(StrEnum):
    """An operation of the gateway that a planned fault can affect."""

    ANY = "any"
    """Every operation except notifications."""
    LOGIN = "login"
    BANKS = "banks"
    CREATE = "create"
    BY_TICKET = "by_ticket"
    BY_REFERENCE = "by_reference"
    PUBLIC_LOOKUP = "public_lookup"
    BY_INVOICE = "by_invoice"
    NOTIFICATION = "notification"


class FaultKind(StrEnum):
    """A kind of failure. `TWICE` and the members below it are failures of notifications, the others of API calls."""

    SLOW = "slow"
    """Answers after `seconds`."""
    HANG = "hang"
    """Never answers, and does nothing."""
    BAD_GATEWAY = "bad_gateway"
    UNAUTHORIZED = "unauthorized"
    MALFORMED = "malformed"
    """HTTP 200 with half of a JSON text."""
    ERROR_ENVELOPE = "error_envelope"
    """HTTP 200 with an error inside (wire: gateway 1.7)."""
    REFUSAL = "refusal"
    """The bank network refuses with `code` (wire: gateway 1.6)."""
    MISSING_REDIRECT = "missing_redirect"
    """The operation runs, and the response lacks the bank's address."""
    DROP_RESPONSE = "drop_response"
    """The operation runs, and the connection breaks during the response."""

    TWICE = "twice"
    LATE = "late"
    """The notification is sent after `seconds`."""
    OUT_OF_ORDER = "out_of_order"
    """The outcome is sent first; `seconds` later (default: one) the notification that the payment is pending."""
    NEVER = "never"
    FORGED = "forged"
    """The signature is wrong."""


@dataclass
class Fault:
    """A planned fault for the next `times` requests; for all requests if `times` is None."""

    operation: Operation
    kind: FaultKind
    times: int | None = 1
    seconds: float = 0.0
    code: str = "FAIL_EXCEEDEDLIMIT"


class Faults:
    """The planned faults, oldest first. They are stored in the memory of one process, so a restart deletes them."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(
        self,
        operation: Operation,
        kind: FaultKind,
        *,
        times: int | None = 1,
        seconds: float = 0.0,
        code: str = "",
    ) -> None:
        """Plan that the next `times` requests of the operation fail in this way; all requests if `times` is None."""
        fault = Fault(operation, kind, times, seconds)
        fault.code = code or fault.code
        self._waiting.append(fault)

    def take(self, operation: Operation) -> Fault | None:
        """Return the planned fault for this request, or None. Subtract 1 from the fault's remaining requests."""
        matching = {operation} if operation is Operation.NOTIFICATION else {operation, Operation.ANY}
        fault = next((fault for fault in self._waiting if fault.operation in matching), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._waiting.remove(fault)
        return fault

    def clear(self) -> None:
        """Remove all planned faults."""
        self._waiting.clear()

    def describe_faults(self) -> list[dict[str, Any]]:
        """Return the planned faults as JSON values."""
        return [asdict(fault) for fault in self._waiting]


class FaultRequest(BaseModel):
    """The body of `POST /_control/faults`."""

    model_config = ConfigDict(extra="forbid")

    operation: Operation
    kind: FaultKind
    times: int | None = Field(default=1, ge=1)
    seconds: float = Field(default=0.0, ge=0, le=3600)
    code: str = Field(default="", pattern="^(FAIL_[A-Z]+)?$")


def control_routes(faults: Faults) -> list[Route]:
    """Return the control routes: GET lists the planned faults, POST adds one, DELETE removes all."""

    def listed() -> dict[str, Any]:
        return {"faults": faults.describe_faults()}

    async def show(_request: Request) -> Response:
        return JSONResponse(listed())

    async def add(request: Request) -> Response:
        try:
            requested = FaultRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"problems": error.errors(include_url=False, include_context=False)}, 400)
        faults.add(
            requested.operation,
            requested.kind,
            times=requested.times,
            seconds=requested.seconds,
            code=requested.code,
        )
        return JSONResponse(listed(), 201)

    async def clear(_request: Request) -> Response:
        faults.clear()
        return JSONResponse(listed())

    path = "/_control/faults"
    return [
        Route(path, show, methods=["GET"]),
        Route(path, add, methods=["POST"]),
        Route(path, clear, methods=["DELETE"]),
    ]

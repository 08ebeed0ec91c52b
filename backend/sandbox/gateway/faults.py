"""Faults on demand: what a gateway does on its bad days, so that a test can see the shop through them."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class Operation(StrEnum):
    """Where a fault strikes."""

    ANY = "any"
    """Every call but the notifications."""
    LOGIN = "login"
    BANKS = "banks"
    CREATE = "create"
    BY_TICKET = "by_ticket"
    BY_REFERENCE = "by_reference"
    PUBLIC_LOOKUP = "public_lookup"
    BY_INVOICE = "by_invoice"
    NOTIFICATION = "notification"


class Kind(StrEnum):
    """What goes wrong. Those from TWICE on are for notifications."""

    SLOW = "slow"
    """Answers after `seconds`."""
    HANG = "hang"
    """Never answers; does nothing either."""
    BAD_GATEWAY = "bad_gateway"
    UNAUTHORIZED = "unauthorized"
    MALFORMED = "malformed"
    """HTTP 200 with half a JSON."""
    ERROR_ENVELOPE = "error_envelope"
    """HTTP 200 that says it went wrong (wire: gateway 1.7)."""
    REFUSAL = "refusal"
    """The bank network refuses with `code` (wire: gateway 1.6)."""
    MISSING_REDIRECT = "missing_redirect"
    """It is done, and the answer lacks the bank's address."""
    DROP_RESPONSE = "drop_response"
    """It is done, and the connection breaks before the answer is through."""

    TWICE = "twice"
    LATE = "late"
    """After `seconds`."""
    OUT_OF_ORDER = "out_of_order"
    """The outcome first; `seconds` later (one, unless told) the news that it is pending."""
    NEVER = "never"
    FORGED = "forged"
    """The signature does not hold."""


@dataclass
class Fault:
    """One fault, for the next `times` occasions; for all of them when `times` is None."""

    operation: Operation
    kind: Kind
    times: int | None = 1
    seconds: float = 0.0
    code: str = "FAIL_EXCEEDEDLIMIT"


class Faults:
    """The faults that are still to come, oldest first. They are this process's own and forgotten at a restart."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(
        self, operation: Operation, kind: Kind, *, times: int | None = 1, seconds: float = 0.0, code: str = ""
    ) -> None:
        """Have the operation fail in this way the next `times`."""
        fault = Fault(operation, kind, times, seconds)
        fault.code = code or fault.code
        self._waiting.append(fault)

    def take(self, operation: Operation) -> Fault | None:
        """The fault for this occasion, if there is one; it is used up by one."""
        asked = {operation} if operation is Operation.NOTIFICATION else {operation, Operation.ANY}
        fault = next((fault for fault in self._waiting if fault.operation in asked), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._waiting.remove(fault)
        return fault

    def clear(self) -> None:
        """No more faults."""
        self._waiting.clear()

    def listed(self) -> list[dict[str, Any]]:
        """The faults to come, as JSON."""
        return [asdict(fault) for fault in self._waiting]


class FaultWanted(BaseModel):
    """The body of `POST /_control/faults`."""

    model_config = ConfigDict(extra="forbid")

    operation: Operation
    kind: Kind
    times: int | None = Field(default=1, ge=1)
    seconds: float = Field(default=0.0, ge=0, le=3600)
    code: str = Field(default="", pattern="^(FAIL_[A-Z]+)?$")


def control_routes(faults: Faults) -> list[Route]:
    """GET lists the faults to come, POST adds one, DELETE forgets them all."""

    def listed() -> dict[str, Any]:
        return {"faults": faults.listed()}

    async def show(_request: Request) -> Response:
        return JSONResponse(listed())

    async def add(request: Request) -> Response:
        try:
            wanted = FaultWanted.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"problems": error.errors(include_url=False, include_context=False)}, 400)
        faults.add(
            wanted.operation, wanted.kind, times=wanted.times, seconds=wanted.seconds, code=wanted.code
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

"""Setting faults over HTTP, for tests outside this process. Mounted only where it was asked for."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.sandbox.gateway.faults import Faults, Kind, Operation


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

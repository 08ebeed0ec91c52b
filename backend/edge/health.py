"""`GET /health`: whether the shop can serve."""

import logging
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from backend.database import Database

log = logging.getLogger(__name__)

router = APIRouter()


class EventLoop(BaseModel):
    """How well the event loop keeps up: the worst lag of the last ten seconds."""

    lag_ms: float


class Health(BaseModel):
    """What `GET /health` answers. `sandbox`: the embedded gateway and carrier answer in place of the real ones."""

    status: Literal["ok", "unavailable"]
    database: Literal["up", "down"]
    event_loop: EventLoop
    sandbox: bool


@router.get("/health", tags=["operations"])
async def health(request: Request, response: Response) -> Health:
    """Whether the shop can serve: 200, or 503 when the database does not answer."""
    state = request.app.state
    is_up = await _answers(state.database)
    response.status_code = 200 if is_up else 503
    return Health(
        status="ok" if is_up else "unavailable",
        database="up" if is_up else "down",
        event_loop=EventLoop(lag_ms=state.loop_lag.worst_ms),
        sandbox=state.settings.uses_sandbox_gateway,
    )


async def _answers(database: Database) -> bool:
    try:
        return await database.is_up()
    except (SQLAlchemyError, OSError) as error:
        log.warning("the database does not answer: %s", type(error).__name__)
        return False

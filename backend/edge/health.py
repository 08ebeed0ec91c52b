"""`GET /health`: whether the shop can serve."""

import logging
from typing import Literal, Protocol

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from backend.database import Database
from backend.jobs import JobStats, stats

log = logging.getLogger(__name__)

router = APIRouter()


class EventLoop(BaseModel):
    """How well the event loop keeps up: the worst lag of the last ten seconds."""

    lag_ms: float


class Renderer(BaseModel):
    """What draws the pages. While it is down, browsers draw them themselves: the shop can serve all the same.

    `starts` and `drawn` count since the shop opened; `memory_mib` is what its processes hold now.
    """

    status: Literal["up", "down"]
    starts: int
    drawn: int
    memory_mib: float


class RunsRenderer(Protocol):
    """What keeps the renderer's processes."""

    @property
    def is_up(self) -> bool:
        """Whether one of them can be asked."""
        ...

    @property
    def memory_kib(self) -> int:
        """What they hold together."""
        ...

    starts: int
    rendered: int


class Health(BaseModel):
    """What `GET /health` answers. `sandbox`: the embedded gateway and carrier answer in place of the real ones.

    `jobs` tells of later work by kind, of the kinds that there is any of; null when it cannot be counted. `renderer` is
    null where no pages are rendered: in development, and in a program without pages.
    """

    status: Literal["ok", "unavailable"]
    database: Literal["up", "down"]
    event_loop: EventLoop
    jobs: list[JobStats] | None
    sandbox: bool
    renderer: Renderer | None


@router.head("/health", include_in_schema=False)  # watchers that want no more than the status
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
        jobs=await _jobs(state.database) if is_up else None,
        sandbox=state.settings.uses_sandbox_gateway,
        renderer=_renderer(getattr(state, "renderer", None)),
    )


def _renderer(renderer: RunsRenderer | None) -> Renderer | None:
    if renderer is None:
        return None
    return Renderer(
        status="up" if renderer.is_up else "down",
        starts=renderer.starts,
        drawn=renderer.rendered,
        memory_mib=round(renderer.memory_kib / 1024, 1),
    )


async def _answers(database: Database) -> bool:
    try:
        return await database.is_up()
    except (SQLAlchemyError, OSError) as error:
        log.warning("the database does not answer: %s", type(error).__name__)
        return False


async def _jobs(database: Database) -> list[JobStats] | None:
    try:
        async with database.read() as session:
            return await stats(session)
    except (SQLAlchemyError, OSError) as error:
        log.warning("the jobs cannot be counted: %s", type(error).__name__)
        return None

"""`/livez`, `/readyz` and `/health`: whether this process lives, whether it can serve, and how the shop is.

A supervisor that starts processes again asks `/livez`; a proxy that chooses among replicas asks `/readyz`.
"""

import logging
from typing import Literal, Protocol

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from backend.core.db.database import Database
from backend.core.outage import RETRY_AFTER
from backend.edge.auth.metrics_token import has_metrics_token
from backend.edge.health.readiness import OK, Readiness
from backend.jobs import JobStats, stats

log = logging.getLogger(__name__)

router = APIRouter()


class EventLoop(BaseModel):
    """How well the event loop keeps up: the worst lag of the last ten seconds."""

    lag_ms: float


class Renderer(BaseModel):
    """What draws the pages. While it is down, browsers draw them themselves: the shop can serve all the same.

    It rests when nobody was here in a while, and starts with the next visitor.

    `starts` and `drawn` count since the shop opened; `memory_mib` is what its processes hold now.
    """

    status: Literal["up", "down", "resting"]
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
    def is_resting(self) -> bool:
        """Whether none runs because nobody was here in a while."""
        ...

    @property
    def memory_kib(self) -> int:
        """What they hold together."""
        ...

    starts: int
    rendered: int


class HealthStatus(BaseModel):
    """What `GET /health` answers to anybody."""

    status: Literal["ok", "unavailable"]


class Health(HealthStatus):
    """What `GET /health` answers with METRICS_TOKEN. `sandbox`: the embedded gateway answers in place of the real one.

    `jobs` tells of later work by kind, of the kinds that there is any of; null when it cannot be counted. `renderer` is
    null where no pages are rendered: in development, and in a program without pages. `checks` and `draining`: see
    `Ready`.
    """

    database: Literal["up", "down"]
    checks: dict[str, str]
    draining: bool
    event_loop: EventLoop
    jobs: list[JobStats] | None
    sandbox: bool
    renderer: Renderer | None


class Alive(BaseModel):
    """What `GET /livez` answers, if it answers."""

    status: Literal["alive"] = "alive"


class ReadyStatus(BaseModel):
    """Answer of `GET /readyz` to strangers."""

    status: Literal["ready", "unavailable"]


class Ready(ReadyStatus):
    """Answer of `GET /readyz` with METRICS_TOKEN.

    `checks`: by name, `ok` or the fault. `draining`: the process ends soon.
    """

    checks: dict[str, str]
    draining: bool


@router.head("/livez", include_in_schema=False)
@router.get("/livez", tags=["operations"])
async def livez() -> Alive:
    """Whether the process lives: 200. Nothing else is asked; starting it again would mend nothing else."""
    return Alive()


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", tags=["operations"])
async def readyz(request: Request, response: Response) -> Ready | ReadyStatus:
    """Return 200 if requests may be sent here; 503 while something it needs is away, or before it ends.

    The named checks need METRICS_TOKEN as a bearer token.
    """
    readiness: Readiness = request.app.state.readiness
    checks = await readiness.look()
    is_ready = not readiness.is_draining and all(result == OK for result in checks.values())
    if not is_ready:
        response.status_code, response.headers["Retry-After"] = 503, str(RETRY_AFTER)
    status: Literal["ready", "unavailable"] = "ready" if is_ready else "unavailable"
    if not has_metrics_token(request, request.app.state.settings):
        return ReadyStatus(status=status)
    return Ready(status=status, checks=dict(checks), draining=readiness.is_draining)


@router.head("/health", include_in_schema=False)  # watchers that want no more than the status
@router.get("/health", tags=["operations"])
async def health(request: Request, response: Response) -> Health | HealthStatus:
    """Return 200, or 503 when the database does not answer. The details need METRICS_TOKEN as a bearer token."""
    state = request.app.state
    readiness: Readiness = state.readiness
    checks = await readiness.look()
    is_up = checks["database"] == OK
    response.status_code = 200 if is_up else 503
    status: Literal["ok", "unavailable"] = "ok" if is_up else "unavailable"
    if not has_metrics_token(request, state.settings):
        return HealthStatus(status=status)
    return Health(
        status=status,
        database="up" if is_up else "down",
        checks=dict(checks),
        draining=readiness.is_draining,
        event_loop=EventLoop(lag_ms=state.loop_lag.worst_ms),
        jobs=await _jobs(state.database) if is_up else None,
        sandbox=state.settings.uses_sandbox_gateway,
        renderer=_renderer(getattr(state, "renderer", None)),
    )


def _renderer(renderer: RunsRenderer | None) -> Renderer | None:
    if renderer is None:
        return None
    return Renderer(
        status="up" if renderer.is_up else "resting" if renderer.is_resting else "down",
        starts=renderer.starts,
        drawn=renderer.rendered,
        memory_mib=round(renderer.memory_kib / 1024, 1),
    )


async def _jobs(database: Database) -> list[JobStats] | None:
    try:
        async with database.read() as session:
            return await stats(session)
    except (SQLAlchemyError, OSError) as error:
        log.warning("the jobs cannot be counted: %s", type(error).__name__)
        return None

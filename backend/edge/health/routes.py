"""Routes `/livez` (the process is alive), `/readyz` (it can serve requests) and `/health` (the state of the shop).

A supervisor that restarts processes uses `/livez`; a load balancer uses `/readyz`.
"""

import logging
from typing import Literal, Protocol

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from backend.core.config.version import VERSION
from backend.core.db.database import Database
from backend.core.outage import RETRY_AFTER_S
from backend.edge.auth.metrics_token import has_metrics_token
from backend.edge.health.readiness import OK, Readiness
from backend.jobs import JobStats, read_stats

log = logging.getLogger(__name__)

router = APIRouter()


class EventLoop(BaseModel):
    """Lag of the event loop: the worst value of the previous ten seconds."""

    lag_ms: float


class Renderer(BaseModel):
    """State of the page renderer. While it is down, browsers render the pages, so the shop can still serve.

    After some time without visitors its processes are stopped (`resting`). They start again with the next visitor.

    `starts` is the number of process starts, and `drawn` the number of rendered pages, both since the shop opened.
    `memory_mib` is the current memory of its processes.
    """

    status: Literal["up", "down", "resting"]
    starts: int
    drawn: int
    memory_mib: float


class RendererService(Protocol):
    """A service that runs the renderer's processes."""

    @property
    def is_up(self) -> bool:
        """True if one of the processes can render."""
        ...

    @property
    def is_resting(self) -> bool:
        """True if no process runs because there were no visitors for some time."""
        ...

    @property
    def memory_kib(self) -> int:
        """Memory of all processes together, in KiB."""
        ...

    starts: int
    rendered: int


class HealthStatus(BaseModel):
    """Public answer of `GET /health`."""

    status: Literal["ok", "unavailable"]


class Health(HealthStatus):
    """Answer of `GET /health` with METRICS_TOKEN.

    `sandbox` is True if the embedded gateway replaces the real one. `jobs` has the background jobs by kind; it is
    null if they cannot be counted. `renderer` is null if no pages are rendered: in development, and in a program
    without pages. For `checks` and `draining`, see `Ready`.
    """

    version: str
    database: Literal["up", "down"]
    checks: dict[str, str]
    draining: bool
    event_loop: EventLoop
    jobs: list[JobStats] | None
    sandbox: bool
    renderer: Renderer | None


class Alive(BaseModel):
    """Answer of `GET /livez`."""

    status: Literal["alive"] = "alive"


class ReadyStatus(BaseModel):
    """Public answer of `GET /readyz`."""

    status: Literal["ready", "unavailable"]


class Ready(ReadyStatus):
    """Answer of `GET /readyz` with METRICS_TOKEN.

    `checks` has, by name, `ok` or the problem. `draining` is True if the process ends soon.
    """

    checks: dict[str, str]
    draining: bool


@router.head("/livez", include_in_schema=False)
@router.get("/livez", tags=["operations"])
async def livez() -> Alive:
    """Return 200 while the process is alive. Dependencies are not checked, because a restart would not repair them."""
    return Alive()


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", tags=["operations"])
async def readyz(request: Request, response: Response) -> Ready | ReadyStatus:
    """Return 200 if this process can take requests; 503 if a check fails or the process is about to end.

    The results of the single checks are returned only to a caller with METRICS_TOKEN as its bearer token.
    """
    readiness: Readiness = request.app.state.readiness
    checks = await readiness.run_checks()
    is_ready = not readiness.is_draining and all(result == OK for result in checks.values())
    if not is_ready:
        response.status_code, response.headers["Retry-After"] = 503, str(RETRY_AFTER_S)
    status: Literal["ready", "unavailable"] = "ready" if is_ready else "unavailable"
    if not has_metrics_token(request, request.app.state.settings):
        return ReadyStatus(status=status)
    return Ready(status=status, checks=dict(checks), draining=readiness.is_draining)


@router.head("/health", include_in_schema=False)  # for monitors that need only the status
@router.get("/health", tags=["operations"])
async def health(request: Request, response: Response) -> Health | HealthStatus:
    """Return 200, or 503 if the database does not answer. The details need METRICS_TOKEN as a bearer token."""
    state = request.app.state
    readiness: Readiness = state.readiness
    checks = await readiness.run_checks()
    is_up = checks["database"] == OK
    response.status_code = 200 if is_up else 503
    status: Literal["ok", "unavailable"] = "ok" if is_up else "unavailable"
    if not has_metrics_token(request, state.settings):
        return HealthStatus(status=status)
    return Health(
        status=status,
        version=VERSION,
        database="up" if is_up else "down",
        checks=dict(checks),
        draining=readiness.is_draining,
        event_loop=EventLoop(lag_ms=state.loop_lag.worst_ms),
        jobs=await _read_jobs(state.database) if is_up else None,
        sandbox=state.settings.uses_sandbox_gateway,
        renderer=_renderer_view(getattr(state, "renderer", None)),
    )


def _renderer_view(renderer: RendererService | None) -> Renderer | None:
    if renderer is None:
        return None
    return Renderer(
        status="up" if renderer.is_up else "resting" if renderer.is_resting else "down",
        starts=renderer.starts,
        drawn=renderer.rendered,
        memory_mib=round(renderer.memory_kib / 1024, 1),
    )


async def _read_jobs(database: Database) -> list[JobStats] | None:
    try:
        async with database.read() as session:
            return await read_stats(session)
    except (SQLAlchemyError, OSError) as error:
        log.warning("the jobs cannot be counted: %s", type(error).__name__)
        return None

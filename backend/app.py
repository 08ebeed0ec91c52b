"""The running shop: what is open while it runs, and the HTTP API on top of it.

Whoever starts the shop (the storefront's server, a test, a command) makes one `Shop`, starts it, and names it with
`set_current_shop`; page loaders and state handlers, which Reflex calls without arguments of ours, ask `current_shop`.
"""

import logging
from typing import Literal

from fastapi import FastAPI, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from backend.database import Database
from backend.loop_lag import LoopLag
from backend.settings import Settings

log = logging.getLogger(__name__)


class Shop:
    """The settings, the database and the background work of one process. Nothing is opened before `start`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database.from_settings(settings)
        self.loop_lag = LoopLag()

    async def start(self) -> None:
        """Start the background work on the running event loop."""
        self.loop_lag.start()

    async def stop(self) -> None:
        """End the background work and give every connection back."""
        await self.loop_lag.stop()
        await self.database.close()


class EventLoop(BaseModel):
    """How well the event loop keeps up."""

    lag_ms: float


class Health(BaseModel):
    """What `GET /health` answers."""

    status: Literal["ok", "unavailable"]
    database: Literal["up", "down"]
    event_loop: EventLoop
    sandbox: bool


_current: Shop | None = None


def current_shop() -> Shop:
    """The shop of this process.

    Raises:
        RuntimeError: none was set; the program was put together wrongly.
    """
    if _current is None:
        raise RuntimeError("no shop is running in this process")
    return _current


def set_current_shop(shop: Shop | None) -> None:
    """Name the shop that `current_shop` gives; None when it has stopped."""
    global _current  # one process serves one shop
    _current = shop


def create_api(shop: Shop) -> FastAPI:
    """The HTTP API of the shop. It neither starts nor stops the shop: its server does."""
    api = FastAPI(title=f"{shop.settings.store_name} API", docs_url="/docs", redoc_url=None)

    @api.get("/health", tags=["operations"])
    async def health(response: Response) -> Health:
        """Whether the shop can serve: 200, or 503 when the database does not answer."""
        is_up = await _answers(shop.database)
        response.status_code = 200 if is_up else 503
        return Health(
            status="ok" if is_up else "unavailable",
            database="up" if is_up else "down",
            event_loop=EventLoop(lag_ms=shop.loop_lag.worst_ms),
            sandbox=shop.settings.uses_sandbox_gateway,
        )

    return api


async def _answers(database: Database) -> bool:
    try:
        return await database.is_up()
    except (SQLAlchemyError, OSError) as error:
        log.warning("the database does not answer: %s", type(error).__name__)
        return False

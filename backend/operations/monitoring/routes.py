"""`GET /metrics`: the shop's figures for Prometheus, for whoever has METRICS_TOKEN.

Without that setting there is no such page. It is not given to callers from this machine either: behind a proxy on the
same machine everybody is one.
"""

import asyncio

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from backend.core.caching.single_flight import SingleFlight
from backend.core.errors import NotFound, Unauthorized
from backend.core.observability.metrics import exposition
from backend.edge.auth.metrics_token import has_metrics_token
from backend.edge.dependencies import ShopSettings
from backend.operations.monitoring.database_metrics import shared_figures

router = APIRouter(tags=["operations"])
_scrapes = SingleFlight[int, bytes]()


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, settings: ShopSettings) -> Response:
    """What all processes counted, this one's momentary values, and what the database says. 404 without METRICS_TOKEN.

    Several that ask at once are answered alike. The status is 200 while the database is away, too.
    """
    if not settings.metrics_token.get_secret_value():
        raise NotFound("Cannot GET /metrics")
    if not has_metrics_token(request, settings):
        raise Unauthorized("METRICS_TOKEN is needed, as a bearer token")
    state = request.app.state

    async def read() -> bytes:
        state.monitor.sample()
        return await asyncio.to_thread(exposition) + await shared_figures(state.database)

    return Response(await _scrapes.share(id(state.database), read), media_type=CONTENT_TYPE_LATEST)

"""`GET /metrics`: the shop's metrics for Prometheus, for callers with METRICS_TOKEN.

If METRICS_TOKEN is not set, the route does not exist. Callers from this machine also need the token: behind a proxy
on the same machine, every caller has a local address.
"""

import asyncio

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from backend.core.caching.single_flight import SingleFlight
from backend.core.errors import NotFound, Unauthorized
from backend.core.observability.metrics import exposition
from backend.edge.auth.metrics_token import has_metrics_token
from backend.edge.dependencies import ShopSettings
from backend.operations.monitoring.database_metrics import format_database_metrics

router = APIRouter(tags=["operations"])
_scrapes = SingleFlight[int, bytes]()


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, settings: ShopSettings) -> Response:
    """Return the counters of all processes, the gauges of this process, and the metrics of the database.

    The response is 404 if METRICS_TOKEN is not set. Simultaneous requests share one response. The status is 200
    even if the database is unavailable.
    """
    if not settings.metrics_token.get_secret_value():
        raise NotFound("Cannot GET /metrics")
    if not has_metrics_token(request, settings):
        raise Unauthorized("METRICS_TOKEN is needed, as a bearer token")
    state = request.app.state

    async def read() -> bytes:
        state.monitor.sample()
        return await asyncio.to_thread(exposition) + await format_database_metrics(state.database)

    return Response(await _scrapes.share(id(state.database), read), media_type=CONTENT_TYPE_LATEST)

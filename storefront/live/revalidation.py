"""`POST /api/revalidate`: the backend's subscriber sends the changed products (spec: Storefront routes, Events 2).

No cache has to be cleared, because each cached value belongs to one version of the catalogue. Only pages that are
already open are outdated. They are refreshed on every replica.
"""

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

import reflex as rx
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.app import current_shop
from backend.core.errors import InvalidData, OutsideFailure, Unauthorized
from backend.edge.requests import WireRoute
from backend.news import notifications
from backend.outbox.publisher import REVALIDATE_HEADER, REVALIDATE_PATH
from storefront.live.open_pages import open_pages
from storefront.live.pubsub import LocalPubSub, PubSub, pubsub_over
from storefront.live.refresh import Refresher
from storefront.reflex_ext.page_states import connected_tokens

log = logging.getLogger(__name__)


class ChangedProduct(BaseModel):
    """A change of a product. `id` is the number of the change. Sending a change twice does no harm."""

    model_config = ConfigDict(extra="ignore")

    id: int | None = None
    product_id: Annotated[str, Field(min_length=1, max_length=64)]


class Changes(BaseModel):
    """Changes in the order in which they happened."""

    events: list[ChangedProduct]


class Revalidated(BaseModel):
    """Response with the number of changed products whose open pages are refreshed."""

    revalidated: int


@dataclass
class Live:
    """Holder of the pub/sub of this process. The app replaces the local pub/sub when it starts."""

    pubsub: PubSub = field(default_factory=LocalPubSub)


live = Live()
router = APIRouter(route_class=WireRoute, tags=["storefront"])


@router.post(
    REVALIDATE_PATH,
    openapi_extra={
        "requestBody": {"content": {"application/json": {"schema": Changes.model_json_schema()}}},
        "parameters": [
            {"in": "header", "name": REVALIDATE_HEADER, "required": True, "schema": {"type": "string"}}
        ],
    },
)
async def revalidate(request: Request) -> Revalidated:
    """Refresh every open page that displays one of these products.

    Raises:
        Unauthorized: the shared secret is missing or wrong; the request's body is not read.
        InvalidData: the body does not name the products.
        OutsideFailure: the other replicas cannot be reached; the caller tries again.
    """
    given, expected = request.headers.get(REVALIDATE_HEADER, ""), current_shop().settings.revalidation_secret
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise Unauthorized("Unauthorized")
    try:
        changes = Changes.model_validate_json(await request.body())
    except ValidationError as error:
        raise InvalidData('Invalid request: expected {"events": [{"product_id": "prod_…"}, …]}') from error
    products = {event.product_id for event in changes.events}
    await live.pubsub.publish(products)
    return Revalidated(revalidated=len(products))


@asynccontextmanager
async def refresh_open_pages(app: rx.App) -> AsyncIterator[None]:
    """Refresh the app's open pages as long as it runs (Reflex lifespan task).

    It receives changes sent to any replica.
    """
    open_pages.connected = connected_tokens(app)
    refresher = Refresher(app, open_pages)
    refresher.start()
    live.pubsub = pubsub_over(current_shop().settings.redis_url)
    await live.pubsub.start(refresher.notify)
    end_news = notifications.listen(_announce_topics)
    try:
        yield
    finally:
        end_news()
        await live.pubsub.stop()
        await refresher.stop()
        live.pubsub, open_pages.connected = LocalPubSub(), None


_announcements: set[asyncio.Task[None]] = set()


def _announce_topics(topics: Collection[str]) -> None:
    """Inform every process about the topics that a commit has changed. Office screens watch such topics."""
    task = asyncio.create_task(_publish_news(topics), name="news")
    _announcements.add(task)
    task.add_done_callback(_announcements.discard)


async def _publish_news(topics: Collection[str]) -> None:
    try:
        await live.pubsub.publish(topics)
    except OutsideFailure as error:
        log.warning("office screens were not notified of a change: %s", error.message)

"""`POST /api/revalidate`: the backend's subscriber tells which products changed (spec: Storefront routes, Events 2).

There is no cache to drop: product data is read live. What grows stale is what open pages show, so those are refreshed,
on every replica.
"""

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

import reflex as rx
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.app import current_shop
from backend.edge.route import WireRoute
from backend.errors import InvalidData, Unauthorized
from backend.outbox.publisher import REVALIDATE_HEADER, REVALIDATE_PATH
from storefront.live.news import LocalNews, News, news_over
from storefront.live.open_pages import open_pages
from storefront.live.refreshing import Refresher


class ChangedProduct(BaseModel):
    """One change. `id` numbers the changes; one that is told twice is done twice, which does no harm."""

    model_config = ConfigDict(extra="ignore")

    id: int | None = None
    product_id: Annotated[str, Field(min_length=1, max_length=64)]


class Changes(BaseModel):
    """What changed, in the order in which it did."""

    events: list[ChangedProduct]


class Revalidated(BaseModel):
    """How many products the open pages are refreshed for."""

    revalidated: int


@dataclass
class _Live:
    """The way to everybody who shows products; it is there while the app runs."""

    news: News = field(default_factory=LocalNews)


_live = _Live()
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
    """Refresh every open page that shows one of these products.

    Raises:
        Unauthorized: the shared secret is missing or wrong; nothing of the request is read.
        InvalidData: it does not say which products.
        OutsideFailure: the other replicas cannot be told; whoever asks tries again.
    """
    given, expected = request.headers.get(REVALIDATE_HEADER, ""), current_shop().settings.revalidation_secret
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise Unauthorized("Unauthorized")
    try:
        changes = Changes.model_validate_json(await request.body())
    except ValidationError as error:
        raise InvalidData('Invalid request: expected {"events": [{"product_id": "prod_…"}, …]}') from error
    products = {event.product_id for event in changes.events}
    await _live.news.spread(products)
    return Revalidated(revalidated=len(products))


@asynccontextmanager
async def pages_follow_the_shop(app: rx.App) -> AsyncIterator[None]:
    """While the app runs, let its open pages follow what is told to any replica."""
    namespace = app.event_namespace
    if namespace is None:
        raise RuntimeError("an app without a websocket has no open pages")
    open_pages.connected = lambda: namespace.token_to_sid
    refresher = Refresher(app, open_pages)
    refresher.start()
    _live.news = news_over(current_shop().settings.redis_url)
    await _live.news.start(refresher.tell)
    try:
        yield
    finally:
        await _live.news.stop()
        await refresher.stop()
        _live.news, open_pages.connected = LocalNews(), None

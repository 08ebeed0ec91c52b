"""Puts the shop's API and the pages on one port, and opens and closes the shop with the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.app import Shop, create_api, current_shop, set_current_shop
from backend.settings import load_settings
from storefront.caching import with_caching

API_SEGMENTS = frozenset(
    {"store", "admin", "auth", "hooks", "api", "health", "docs", "openapi.json", "sandbox"}
)
"""The first path segments that belong to the API; everything else is Reflex's."""


def mount_api(pages: ASGIApp) -> ASGIApp:
    """Reflex's `api_transformer`: make the shop of this process and put its API beside the pages."""
    shop = Shop(load_settings())
    set_current_shop(shop)
    return by_first_segment(create_api(shop), with_caching(pages))


def by_first_segment(api: ASGIApp, pages: ASGIApp) -> ASGIApp:
    """One app out of two: the API gets its own first segments, the pages get the rest."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        segment = scope.get("path", "").removeprefix("/").partition("/")[0]
        await (api if segment in API_SEGMENTS else pages)(scope, receive, send)

    return dispatch


@asynccontextmanager
async def shop_lifespan() -> AsyncIterator[None]:
    """Start the shop with the server and stop it with the server."""
    shop = current_shop()
    await shop.start()
    try:
        yield
    finally:
        await shop.stop()

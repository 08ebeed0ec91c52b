"""Puts the shop's API and the pages on one port, and opens and closes the shop with the server."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from reflex.config import get_config
from reflex.utils.exec import is_prod_mode
from reflex_base import otel
from reflex_base.environment import environment
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.app import Shop, create_api, current_shop, set_current_shop
from backend.core.config.settings import Settings, load_settings
from backend.core.observability.tracing import start_tracing
from backend.edge.middleware.body_limit import Bound, with_bounded_bodies
from backend.edge.middleware.cors import first_segment, with_cross_origin
from backend.edge.middleware.host_check import with_host_check
from backend.edge.middleware.instrumentation import observed
from backend.imports import routes as imports
from backend.media import uploads
from backend.media.upload_routes import PATH as UPLOADS
from backend.returns.routes import ASK, MOST_ASKED_BYTES, MOST_RECEIPT_BYTES, RECEIPTS
from backend.reviews.routes import MOST_SENT_BYTES, WRITE
from storefront.documents.app import Documents
from storefront.documents.render_cache import RenderCache
from storefront.documents.security_headers import with_security_headers
from storefront.documents.web_manifest import router as web_manifest_router
from storefront.live import revalidation
from storefront.office import admin_redirect
from storefront.renderer.supervisor import RendererSupervisor
from storefront.server.build import CLIENT, RENDERER, STAMP
from storefront.static_files import with_cache_headers
from storefront.url_prefixes import API_SEGMENTS

LARGER_BODIES = {
    UPLOADS: Bound(uploads.MOST_BYTES, uploads.READ_WITHIN),
    ASK: Bound(MOST_ASKED_BYTES, uploads.READ_WITHIN),
    imports.PATH: Bound(imports.MOST_SHEET_BYTES, uploads.READ_WITHIN),
    "/admin/products/import": Bound(imports.MOST_SHEET_BYTES, uploads.READ_WITHIN),
    imports.PICTURES_PATH: Bound(imports.MOST_PICTURE_BYTES, uploads.READ_WITHIN),
    WRITE: Bound(MOST_SENT_BYTES, uploads.READ_WITHIN),
    RECEIPTS: Bound(MOST_RECEIPT_BYTES, uploads.READ_WITHIN),
}
SAMPLES = ("/", "/catalog", "/product/x")
"""What a new renderer renders before it is used. With every page there is it would take 15 MiB more, and longer."""
WEBSOCKET, BUILT_PAGES = "/_event", ""
"""Where Reflex has mounted what the shop uses of it."""


def mount_api(pages: ASGIApp) -> ASGIApp:
    """Reflex's `api_transformer`: make the shop of this process and put its API beside the pages.

    In development Vite serves the pages, on another port; it hands on the rest.
    """
    shop = Shop(_settings())
    if endpoint := shop.settings.otel_exporter_otlp_endpoint:
        otel.enable(tracer_provider=start_tracing(endpoint))
    set_current_shop(shop)
    api = create_api(shop)
    api.include_router(revalidation.router)
    api.include_router(admin_redirect.router)
    api.include_router(web_manifest_router)
    if isinstance(pages, Starlette):
        remove_unused_routes(pages)
    if environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.get():
        pages = _documents(shop, api, with_cache_headers(pages))
    both = with_bounded_bodies(by_first_segment(api, pages), others=LARGER_BODIES)
    listed = with_host_check(with_cross_origin(both, shop.settings), shop.settings)
    return observed(with_security_headers(listed, shop.settings), shop.settings.trusted_proxies)


def remove_unused_routes(pages: Starlette) -> None:
    """Leave of Reflex's own routes only the websocket and the built files.

    Nobody here uses uploads, `/ping`, `/_health` and whatever a later Reflex brings along.
    """
    used = {WEBSOCKET, BUILT_PAGES}
    pages.router.routes[:] = [
        route for route in pages.router.routes if isinstance(route, Mount) and route.path in used
    ]


def _documents(shop: Shop, api: FastAPI, pages: ASGIApp) -> Documents:
    """The pages as documents, with their renderer: it starts and stops with the shop, and `/health` reports it."""
    minutes = shop.settings.renderer_rest_minutes
    rests_after = minutes * 60 if minutes else math.inf
    renderer = RendererSupervisor(RENDERER, shop.settings.renderers, SAMPLES, rests_after=rests_after)
    shop.services.append(renderer)
    if shop.settings.renderers:
        shop.readiness.checks["renderer"] = renderer.look
    api.state.renderer = renderer
    shop.monitor.samples.append(renderer.sample)
    renders = RenderCache(renderer, shop.settings, build=STAMP.read_bytes(), folder=CLIENT)
    return Documents(pages, CLIENT, renders)


def _settings() -> Settings:
    """The settings. In development the shop's address is Vite's, so the backend tells changes to its own."""
    settings = load_settings()
    if is_prod_mode() or settings.storefront_url:
        return settings
    return settings.model_copy(update={"storefront_url": get_config().api_url})


def by_first_segment(api: ASGIApp, pages: ASGIApp) -> ASGIApp:
    """One app out of two: the API gets its own first segments, the pages get the rest."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await (api if first_segment(scope) in API_SEGMENTS else pages)(scope, receive, send)

    return dispatch


@asynccontextmanager
async def shop_lifespan() -> AsyncIterator[None]:
    """Start the shop with the server and stop it with the server.

    In development nothing may have been prepared before: `reflex run` comes here at once.
    """
    shop = current_shop()
    if not is_prod_mode():
        from backend.start import prepare  # what migrates is not loaded where a shop is served

        await prepare(shop.settings)
    await shop.start()
    try:
        yield
    finally:
        await shop.stop()

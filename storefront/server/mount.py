"""Connects the API and the pages on one port, and starts and stops the shop together with the server."""

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
from backend.edge.middleware.body_limit import BodyLimit, with_body_limits
from backend.edge.middleware.cors import first_segment, with_cross_origin
from backend.edge.middleware.host_check import with_host_check
from backend.edge.middleware.instrumentation import with_instrumentation
from backend.imports.api import routes as imports
from backend.media import brand_picture_routes, uploads
from backend.media.upload_routes import PATH as UPLOADS
from backend.returns.routes import MAX_RECEIPT_REQUEST_BYTES, MAX_REQUEST_BYTES, RECEIPTS, REQUEST_PATH
from backend.reviews.routes import MAX_REVIEW_REQUEST_BYTES, WRITE
from storefront.documents.app import Documents
from storefront.documents.icon_routes import router as icon_router
from storefront.documents.merchant_feed import router as merchant_feed_router
from storefront.documents.render_cache import RenderCache
from storefront.documents.security_headers import with_security_headers
from storefront.documents.web_manifest import router as web_manifest_router
from storefront.live import revalidation
from storefront.office import admin_redirect
from storefront.renderer.supervisor import RendererSupervisor
from storefront.server.build import CLIENT, RENDERER, STAMP
from storefront.static_files import add_cache_headers
from storefront.url_prefixes import API_SEGMENTS

LARGER_BODIES = {
    UPLOADS: BodyLimit(uploads.MAX_UPLOAD_BYTES, uploads.RECEIVE_TIMEOUT_S),
    brand_picture_routes.PATH: BodyLimit(brand_picture_routes.MAX_BODY_BYTES, uploads.RECEIVE_TIMEOUT_S),
    REQUEST_PATH: BodyLimit(MAX_REQUEST_BYTES, uploads.RECEIVE_TIMEOUT_S),
    imports.PATH: BodyLimit(imports.MAX_SPREADSHEET_BODY_BYTES, uploads.RECEIVE_TIMEOUT_S),
    "/admin/products/import": BodyLimit(imports.MAX_SPREADSHEET_BODY_BYTES, uploads.RECEIVE_TIMEOUT_S),
    imports.PICTURES_PATH: BodyLimit(imports.MAX_PICTURE_BODY_BYTES, uploads.RECEIVE_TIMEOUT_S),
    WRITE: BodyLimit(MAX_REVIEW_REQUEST_BYTES, uploads.RECEIVE_TIMEOUT_S),
    RECEIPTS: BodyLimit(MAX_RECEIPT_REQUEST_BYTES, uploads.RECEIVE_TIMEOUT_S),
}
SAMPLES = ("/", "/catalog", "/product/x")
"""Pages that a new renderer renders before its first use. Rendering every page would take 15 MiB more, and longer."""
WEBSOCKET, BUILT_PAGES = "/_event", ""
"""Mount paths of the parts of Reflex that the shop uses."""


def mount_api(pages: ASGIApp) -> ASGIApp:
    """Create the shop of this process, and serve its API next to the pages (Reflex's `api_transformer`).

    In development Vite serves the pages on another port and forwards the other requests.
    """
    shop = Shop(_settings())
    if endpoint := shop.settings.otel_exporter_otlp_endpoint:
        otel.enable(tracer_provider=start_tracing(endpoint))
    set_current_shop(shop)
    api = create_api(shop)
    api.include_router(revalidation.router)
    api.include_router(admin_redirect.router)
    api.include_router(web_manifest_router)
    api.include_router(icon_router)
    api.include_router(merchant_feed_router)
    if isinstance(pages, Starlette):
        remove_unused_routes(pages)
    if environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.get():
        pages = _documents(shop, api, add_cache_headers(pages))
    both = with_body_limits(by_first_segment(api, pages), other_limits=LARGER_BODIES)
    listed = with_host_check(with_cross_origin(both, shop.settings), shop.settings)
    return with_instrumentation(with_security_headers(listed, shop.settings), shop.settings.trusted_proxies)


def remove_unused_routes(pages: Starlette) -> None:
    """Remove all of Reflex's own routes except the websocket and the built files.

    The shop does not use uploads, `/ping` and `/_health`. Routes that a later version of Reflex adds are removed
    too.
    """
    used = {WEBSOCKET, BUILT_PAGES}
    pages.router.routes[:] = [
        route for route in pages.router.routes if isinstance(route, Mount) and route.path in used
    ]


def _documents(shop: Shop, api: FastAPI, pages: ASGIApp) -> Documents:
    """Return the app that serves documents. Its renderer starts and stops with the shop.

    `/health` reports the state of the renderer.
    """
    minutes = shop.settings.renderer_rest_minutes
    rests_after = minutes * 60 if minutes else math.inf
    renderer = RendererSupervisor(RENDERER, shop.settings.renderers, SAMPLES, rests_after=rests_after)
    shop.services.append(renderer)
    if shop.settings.renderers:
        shop.readiness.checks["renderer"] = renderer.check_health
    api.state.renderer = renderer
    shop.monitor.samples.append(renderer.sample)
    renders = RenderCache(renderer, shop.settings, build=STAMP.read_bytes(), folder=CLIENT)
    return Documents(pages, CLIENT, renders)


def _settings() -> Settings:
    """Return the settings. In development, an empty `storefront_url` becomes the backend's address.

    Changes of products are sent to this address. `PUBLIC_URL` leads to Vite in development, so it cannot be used.
    """
    settings = load_settings()
    if is_prod_mode() or settings.storefront_url:
        return settings
    return settings.model_copy(update={"storefront_url": get_config().api_url})


def by_first_segment(api: ASGIApp, pages: ASGIApp) -> ASGIApp:
    """Combine two apps: requests whose path starts with a segment of the API go to the API, all others to the pages."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await (api if first_segment(scope) in API_SEGMENTS else pages)(scope, receive, send)

    return dispatch


@asynccontextmanager
async def shop_lifespan() -> AsyncIterator[None]:
    """Start the shop together with the server, and stop it together with the server.

    In development, `reflex run` calls this without `prepare_shop`. So the shop's database is prepared here.
    """
    shop = current_shop()
    if not is_prod_mode():
        from backend.start import prepare  # the code of migrations is not loaded in a serving process

        await prepare(shop.settings)
    await shop.start()
    try:
        yield
    finally:
        await shop.stop()

"""The HTTP API of a shop: what is common to all its routes, and every room's routes."""

from fastapi import FastAPI

from backend.edge.health import router as health_router
from backend.payment.routes import router as payment_router
from backend.shop import Shop, current_shop, set_current_shop

__all__ = ["Shop", "create_api", "current_shop", "set_current_shop"]


def create_api(shop: Shop) -> FastAPI:
    """The API of this shop. It neither starts nor stops the shop: its server does."""
    api = FastAPI(title=f"{shop.settings.store_name} API", docs_url="/docs", redoc_url=None)
    api.state.settings = shop.settings
    api.state.database = shop.database
    api.state.loop_lag = shop.loop_lag
    api.state.payments = shop.payments
    api.state.checkout = shop.checkout
    api.state.carriers = shop.carriers
    for router in (health_router, payment_router):
        api.include_router(router)
    for path, app in shop.sandbox.mounts().items():
        api.mount(path, app)
    return api

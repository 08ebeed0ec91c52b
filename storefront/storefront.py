"""The Reflex app, which combines the pages, the API, the scripts and the styles."""

import reflex as rx

from backend.core.texts import html_language
from storefront.components.frame import connection_banner, error_boundary
from storefront.components.head_scripts.early_press import early_press_script
from storefront.components.head_scripts.storage_fallback import storage_script
from storefront.components.head_scripts.stored_town import stored_town_script
from storefront.components.pictures import STAND_IN_SCRIPT
from storefront.documents import web_manifest
from storefront.live.revalidation import refresh_open_pages
from storefront.office.routes import OFFICE_PAGES
from storefront.pages.routes import PAGES
from storefront.reflex_ext.event_processor import observe_events
from storefront.reflex_ext.new_documents import NewDocumentMiddleware
from storefront.reflex_ext.redis_watch import watch_redis
from storefront.reflex_ext.socket_guard import guard_websocket
from storefront.reflex_ext.socket_origin import accept_own_pages_only
from storefront.reflex_ext.state_loss import StateLossMiddleware
from storefront.server.draining import drain_at_sigterm
from storefront.server.mount import mount_api, shop_lifespan
from storefront.state.frame import handle_failure

FONTS = ("/fonts/fredoka.woff2", "/fonts/figtree.woff2")
STYLES = (
    "fonts/fonts.css",
    "styles/tokens.css",
    "styles/base.css",
    "styles/controls.css",
    "styles/frame.css",
    "styles/search.css",
    "styles/sheet.css",
    "styles/card.css",
    "styles/home.css",
    "styles/catalog.css",
    "styles/product.css",
    "styles/reviews.css",
    "styles/legal.css",
    "styles/estimate.css",
    "styles/cart.css",
    "styles/checkout.css",
    "styles/order.css",
    "styles/account.css",
    "styles/notices.css",
    "styles/forced_colors.css",
)

app = rx.App(
    api_transformer=mount_api,
    app_wraps={
        (55, "ErrorBoundary"): lambda _stateful: error_boundary(),
        (5, "Connection"): lambda _stateful: connection_banner(),
    },  # these replace Reflex's own components
    backend_exception_handler=handle_failure,
    head_components=[
        storage_script(),
        stored_town_script(),
        early_press_script(),
        rx.el.script(STAND_IN_SCRIPT),
        *(
            rx.el.link(
                rel="preload",
                href=font,
                custom_attrs={"as": "font", "type": "font/woff2", "crossOrigin": "anonymous"},
            )
            for font in FONTS
        ),
        rx.el.link(rel="manifest", href=web_manifest.PATH),
    ],
    html_lang=html_language,
    reset_style=False,  # styles/base.css has our own reset
    stylesheets=list(STYLES),
    toaster=None,
)
app.register_lifespan_task(shop_lifespan)
app.register_lifespan_task(refresh_open_pages)
app.register_lifespan_task(drain_at_sigterm)
app.register_lifespan_task(watch_redis)
observe_events()
accept_own_pages_only(app)
guard_websocket(app)
public_states = {page.state for page in PAGES if page.state and page.is_public}
MIDDLEWARE = StateLossMiddleware(public_states), NewDocumentMiddleware(public_states)
for middleware in MIDDLEWARE:
    app.add_middleware(middleware)
for page in (*PAGES, *OFFICE_PAGES):
    page.add_to(app)

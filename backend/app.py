"""`create_api` builds the HTTP API of a `Shop`: a FastAPI app with the routes of every feature package."""

from fastapi import FastAPI

from backend.attention.routes import router as attention_router
from backend.cart_reminders.routes import router as cart_reminders_router
from backend.catalog.api.admin_routes import router as catalog_admin_router
from backend.catalog.api.list_cache import PageCache
from backend.catalog.api.option_routes import admin_router as options_router
from backend.catalog.api.option_routes import store_router as store_options_router
from backend.catalog.api.store_routes import router as catalog_store_router
from backend.catalog.api.tag_routes import admin_router as tags_router
from backend.catalog.api.tag_routes import store_router as store_tags_router
from backend.catalog.api.variant_routes import router as variants_router
from backend.catalog.price_lists.routes import router as price_lists_router
from backend.catalog.redirects.routes import router as redirects_router
from backend.channels.publishable_keys import PublishableKeys
from backend.channels.regions import Regions
from backend.channels.routes import router as channels_router
from backend.checkout.routes.cart_routes import router as cart_router
from backend.checkout.routes.payment_routes import router as checkout_payment_router
from backend.checkout.routes.shipping_routes import router as checkout_shipping_router
from backend.content.routes import router as content_router
from backend.customers.admin_routes import router as admin_customers_router
from backend.customers.auth.account_routes import router as account_router
from backend.customers.auth.api_routes import router as customers_router
from backend.customers.auth.authentication import CustomersAuthenticator
from backend.customers.auth.google_api_routes import router as google_programs_router
from backend.customers.auth.google_routes import router as google_router
from backend.customers.store_routes import router as store_customers_router
from backend.draft_orders.api.edit_routes import router as draft_order_edits_router
from backend.draft_orders.api.routes import router as draft_orders_router
from backend.edge.api_docs import router as manual_router
from backend.edge.errors import register_error_handlers
from backend.edge.health.routes import router as health_router
from backend.edge.middleware.nul_check import NulCheck
from backend.edge.middleware.response_cache import ResponseCache
from backend.edge.openapi import DocumentedApi
from backend.exchanges.routes import router as exchanges_router
from backend.exports.routes import platform_router as product_exports_router
from backend.exports.routes import router as exports_router
from backend.fulfillment.print_routes import router as print_router
from backend.fulfillment.routes import hook_router as shipping_hook_router
from backend.fulfillment.routes import router as fulfillment_router
from backend.imports.api.platform_routes import SpreadsheetUploads
from backend.imports.api.platform_routes import router as product_imports_router
from backend.imports.api.routes import router as imports_router
from backend.inventory_items.routes import router as inventory_router
from backend.invoices.routes import customer_router as own_invoices_router
from backend.invoices.routes import router as invoices_router
from backend.mail.notification_routes import router as notifications_router
from backend.mail.routes import router as mail_router
from backend.media.brand_picture_routes import router as brand_pictures_router
from backend.media.picture_server import PictureServer
from backend.media.picture_store import URL as PICTURES_URL
from backend.media.upload_routes import router as uploads_router
from backend.office.audit_routes import file_router as audit_file_router
from backend.office.audit_routes import router as audit_router
from backend.operations.monitoring.routes import router as monitoring_router
from backend.order_edits.routes import router as order_edits_router
from backend.orders.admin.reasons import router as reasons_router
from backend.orders.admin.reservation_routes import router as reservations_router
from backend.orders.admin.routes import router as admin_orders_router
from backend.orders.links.account_routes import router as guest_account_router
from backend.orders.links.routes import router as order_link_router
from backend.orders.routes import router as orders_router
from backend.payment.region_routes import router as regions_router
from backend.payment.routes import payments_router
from backend.payment.routes import router as payment_router
from backend.pqrs.routes import router as pqrs_router
from backend.privacy.routes import router as customer_file_router
from backend.promotions.routes import router as promotions_router
from backend.returns.admin_routes import router as admin_returns_router
from backend.returns.routes import customer_router as return_requests_router
from backend.returns.routes import router as returns_router
from backend.reviews.routes import router as reviews_router
from backend.shipping.inventory_level_routes import router as stock_router
from backend.shipping.location_routes import router as shipping_router
from backend.shipping.option_routes import router as shipping_options_router
from backend.shop import Shop, current_shop, set_current_shop
from backend.staff.invite_routes import link_router as staff_link_router
from backend.staff.invite_routes import router as staff_invites_router
from backend.staff.role_routes import router as staff_roles_router
from backend.staff.routes import router as staff_router
from backend.staff.routes import session_router as staff_session_router
from backend.stock_notices.routes import router as stock_notices_router
from backend.store.routes import router as platform_router
from backend.store.routes import store_router as store_platform_router
from backend.warehouse.routes import router as stock_movements_router
from backend.webhooks.routes import router as webhooks_router

__all__ = ["Shop", "create_api", "current_shop", "set_current_shop"]

ROUTERS = (  # the most used first: a path is compared with the routes in this order
    cart_router,
    checkout_shipping_router,
    checkout_payment_router,
    catalog_store_router,
    payment_router,
    orders_router,
    health_router,
    monitoring_router,
    manual_router,
    shipping_hook_router,
    customers_router,
    account_router,
    store_customers_router,
    order_link_router,
    guest_account_router,
    store_tags_router,
    store_options_router,
    store_platform_router,
    stock_notices_router,
    cart_reminders_router,
    pqrs_router,
    return_requests_router,
    own_invoices_router,
    reviews_router,
    returns_router,
    admin_returns_router,
    google_router,
    google_programs_router,
    staff_router,
    staff_session_router,
    staff_link_router,
    staff_invites_router,
    staff_roles_router,
    variants_router,  # before the routes by id, which would take `batch` for an id
    product_imports_router,
    product_exports_router,
    catalog_admin_router,
    redirects_router,
    tags_router,
    options_router,
    channels_router,
    uploads_router,
    brand_pictures_router,
    order_edits_router,
    exchanges_router,
    draft_order_edits_router,
    draft_orders_router,
    admin_orders_router,
    reservations_router,
    reasons_router,
    admin_customers_router,
    fulfillment_router,
    print_router,
    mail_router,
    notifications_router,
    payments_router,
    attention_router,
    audit_router,
    audit_file_router,
    customer_file_router,
    exports_router,
    imports_router,
    invoices_router,
    stock_movements_router,
    platform_router,
    regions_router,
    inventory_router,
    promotions_router,
    price_lists_router,
    content_router,
    stock_router,
    webhooks_router,
    shipping_router,
    shipping_options_router,
)


def create_api(shop: Shop) -> FastAPI:
    """Build the API of this shop. The API does not start or stop the shop: the server must do that."""

    async def read_title() -> str:
        return f"{(await shop.effective_settings.now()).store_name} API"

    api = DocumentedApi(read_title)
    api.state.settings = shop.settings
    api.state.database = shop.database
    api.state.publishable_keys = PublishableKeys(shop.database, shop.catalog_version)
    api.state.regions = Regions(shop.database, shop.catalog_version)
    api.state.found_pages = PageCache()
    api.state.authenticator = CustomersAuthenticator(shop.database, shop.settings)
    api.state.loop_lag = shop.loop_lag
    api.state.readiness = shop.readiness
    api.state.monitor = shop.monitor
    api.state.payments = shop.payments
    api.state.checkout = shop.checkout
    api.state.fulfillment_providers = shop.fulfillment_providers
    api.state.attention = shop.attention
    api.state.invoices = shop.invoices
    api.state.google = shop.google
    api.state.uploads = shop.uploads
    api.state.webhooks = shop.webhooks
    api.state.sheets = SpreadsheetUploads(shop.database)
    api.add_middleware(ResponseCache, probe=shop.catalog_version)
    api.add_middleware(NulCheck)
    register_error_handlers(api)
    for router in ROUTERS:
        # not `include_router`: it would build each route again and add a second lookup step
        api.router.routes.extend(router.routes)
    api.mount(PICTURES_URL, PictureServer(shop.pictures))
    for path, app in shop.sandbox.mounts().items():
        api.mount(path, app)
    return api

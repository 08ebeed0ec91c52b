"""`Shop` holds everything that runs in one process: settings, database, services and background work.

The storefront's server, a test or a command creates one `Shop` and starts it. The server then calls
`set_current_shop`. Page loaders and state handlers get the shop with `current_shop`, because Reflex cannot pass it
to them as an argument.
"""

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

from backend import subscriptions  # noqa: F401 - the import subscribes all event handlers
from backend.attention import AttentionKind
from backend.attention.service import AttentionService
from backend.cart_reminders.reminders import CartReminders
from backend.catalog.bulk.change_job import BulkChangeJob
from backend.catalog.price_lists.sales_job import SalesJob
from backend.catalog.products.preorders import PreorderJob
from backend.catalog.redirects.unknown_addresses import UnknownAddresses
from backend.catalog.search.engine import load_search_engine
from backend.checkout.attention_resolvers import create_money_resolvers
from backend.checkout.carts.abandoned_carts import AbandonedCarts
from backend.checkout.placed_orders import PlacedOrders
from backend.checkout.reservation_expiry import ReservationExpiry
from backend.checkout.service import Checkout
from backend.checkout.shipping_estimates import ShippingEstimator
from backend.content.current_content import CurrentContent
from backend.content.schedule import ContentTurns
from backend.core.caching.version_cache import VersionCache
from backend.core.caching.version_probe import VersionProbe
from backend.core.config import modules
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.observability.loop_lag import LoopLag
from backend.core.observability.tracing import stop_tracing
from backend.core.web.http_client import get_ssl_context
from backend.core.web.response_limits import LimitedClient
from backend.customers.auth.google import Google
from backend.edge.auth.cookies import is_secure, renamed_at
from backend.edge.health.readiness import Readiness
from backend.exports.export_job import DataExports
from backend.fulfillment.label_decisions import ExpensiveLabel, LabelInDoubt
from backend.fulfillment.tracker import Tracker
from backend.imports.import_job import ProductImports
from backend.invoices.attention_checks import InvoiceWatch
from backend.invoices.issue_job import Invoices
from backend.invoices.providers.registry import create_invoice_providers
from backend.invoices.retry import InvoiceRetryResolver
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.mail.transports import create_transport
from backend.media.avif_pictures import AvifPictures
from backend.media.picture_store import open_picture_store
from backend.media.uploads import PictureUploads
from backend.office_settings import EffectiveSettings
from backend.operations.clock_changes import ClockCorrection
from backend.operations.monitoring import Monitor
from backend.operations.monitoring.alert_checks import AlertChecks
from backend.operations.monitoring.alert_webhook import OwnersWebhook
from backend.operations.opening.database_lock import ServingLock
from backend.operations.tidy.tidy import Tidy
from backend.order_edits.difference import DifferenceRefundResolver
from backend.outbox.publisher import OutboxPublisher
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.registry import build_providers
from backend.payment.service import PaymentService
from backend.pqrs.service import PqrsReminders
from backend.presses.expiry import ExpiredPresses
from backend.rate_limit.expiry import ExpiredCounters
from backend.returns.reminders import ReturnReminders
from backend.reviews.review_requests import ReviewRequests
from backend.sandbox.embedded import Sandbox
from backend.shipping.providers.registry import create_fulfillment_providers
from backend.staff_notices.batches import NoticeBatches
from backend.staff_notices.daily_summary import DailySummary
from backend.staff_notices.push.sending import PushSender
from backend.staff_notices.stock_watch import StockWatch
from backend.stock_notices.service import StockNotices
from backend.webhooks.sending import WebhookSender

MAX_CACHED_PAGES = 64
"""Maximum number of pages whose content is cached; each takes about 10 to 100 KiB."""


class Service(Protocol):
    """A service of another package that starts and stops with the shop, such as the renderer of the storefront."""

    async def start(self) -> None:
        """Start the service; called while the shop starts."""
        ...

    async def stop(self) -> None:
        """Stop the service; called while the shop stops."""
        ...


class Shop:
    """The settings, database, services and background work of one process. Nothing runs before `start`.

    `extra_payment_providers` are payment providers in addition to those that `backend.core.config.modules` declares.
    """

    def __init__(
        self, settings: Settings, *, extra_payment_providers: Iterable[PaymentProvider] = ()
    ) -> None:
        self.settings = settings
        self.services: list[Service] = []
        load_search_engine(settings.search_engine)  # stop the start if the engine cannot be used
        self.database = Database.from_settings(settings)
        self._serving = ServingLock(self.database)
        self.catalog_version = VersionProbe(self.database)
        self.pages = VersionCache[Hashable, Any](self.catalog_version.read_version, MAX_CACHED_PAGES)
        """Cache of the content of open pages that is the same for every visitor."""
        self.products = VersionCache[Hashable, Any](self.catalog_version.read_version, MAX_CACHED_PAGES)
        """Cache of the content of product pages except the units in stock, also for rendered documents.

        It is a separate cache, because search engines read all product pages one after the other.
        """
        self.effective_settings = EffectiveSettings(settings, self.database, self.catalog_version)
        self.unknown_addresses = UnknownAddresses(self.database)
        self.services.append(self.unknown_addresses)
        self.content = CurrentContent(self.database, self.catalog_version)
        self.pictures = open_picture_store(settings)
        self.uploads = PictureUploads(self.pictures, settings.video_mb << 20)
        self.loop_lag = LoopLag()
        self.monitor = Monitor(self.database, self.loop_lag)
        self.readiness = Readiness.for_shop(settings, self.database)
        self.sandbox = Sandbox(settings, self.database)
        registered = modules.registered_providers(modules.list_blocks(settings.provider_lists))
        self.fulfillment_providers = create_fulfillment_providers(
            registered[modules.FULFILLMENT], settings, self.sandbox.carrier_transport
        )
        declared = build_providers(
            registered[modules.PAYMENT], settings, self.database, self.sandbox.gateway_transport
        )
        self.payments = PaymentService(
            self.database, {**declared, **{provider.id: provider for provider in extra_payment_providers}}
        )
        self.invoices = Invoices(
            self.database,
            settings,
            create_invoice_providers(registered[modules.INVOICES], settings, self.sandbox.invoices_transport),
        )
        self.tracker = Tracker(self.database, self.fulfillment_providers)
        self.checkout = Checkout(
            settings,
            self.database,
            self.payments,
            self.fulfillment_providers,
            self.effective_settings.now,
        )
        self.placed_orders = PlacedOrders(self.checkout.starter, self.tracker)
        self.estimates = ShippingEstimator(
            self.database, self.fulfillment_providers, self.effective_settings.now
        )
        self.attention = AttentionService(
            self.database,
            {
                **create_money_resolvers(),
                AttentionKind.EDIT_REFUND: DifferenceRefundResolver(),
                AttentionKind.INVOICE_REJECTED: InvoiceRetryResolver(),
                AttentionKind.INVOICE_LATE: InvoiceRetryResolver(),
                AttentionKind.INVOICE_WAITS: InvoiceRetryResolver(),
                AttentionKind.LABEL_IN_DOUBT: LabelInDoubt(
                    self.database, settings, self.fulfillment_providers
                ),
                AttentionKind.LABEL_TOO_EXPENSIVE: ExpensiveLabel(
                    self.database, settings, self.fulfillment_providers
                ),
            },
        )
        self.google = Google(settings)
        self.mailer = Mailer(self.database, settings, create_transport(settings))
        self.outbox = OutboxPublisher(
            self.database,
            LimitedClient(verify=get_ssl_context()),
            settings.storefront_url or settings.base_url,
            settings.revalidation_secret,
        )
        self.expiry = ReservationExpiry(self.database, self.payments)
        self.watch = AlertChecks(self.database, settings)
        self.webhook = OwnersWebhook(self.database, settings)
        self.webhooks = WebhookSender(self.database, settings.signing_key)
        self.worker = Worker(
            self.database,
            [
                self.payments,
                self.expiry,
                AbandonedCarts(self.database),
                AvifPictures(self.pictures),
                CartReminders(self.database),
                BulkChangeJob(self.database),
                ContentTurns(self.database),
                DataExports(self.database, self.settings.base_url),
                ProductImports(self.database, self.uploads),
                SalesJob(self.database),
                PreorderJob(self.database),
                ExpiredCounters(self.database),
                ExpiredPresses(self.database),
                self.mailer,
                self.outbox,
                StockNotices(self.database),
                NoticeBatches(self.database),
                StockWatch(self.database),
                DailySummary(self.database),
                PushSender(self.database, settings),
                PqrsReminders(self.database),
                ReturnReminders(self.database),
                self.invoices,
                InvoiceWatch(self.database),
                ReviewRequests(self.database),
                self.tracker,
                self.watch,
                self.webhook,
                self.webhooks,
                Tidy(self.database, self.pictures),
                ClockCorrection(self.database),
            ],
        )

    async def start(self) -> None:
        """Start the background work on the running event loop."""
        await self._serving.acquire_shared()
        if is_secure(self.settings):
            renamed_at(self.settings.data_dir)
        self.loop_lag.start()
        self.monitor.start()
        await self.sandbox.start()
        self.worker.start()
        self.watch.start()
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop the background work and close every connection."""
        for service in self.services:
            await service.stop()
        self.uploads.stop()
        await self.watch.stop()
        await self.worker.stop()
        await self.webhook.close()
        await self.outbox.close()
        await self.tracker.stop()
        await self.payments.stop()
        await self.invoices.close()
        await self.sandbox.stop()
        await self.estimates.close()
        for provider in self.fulfillment_providers.values():
            await provider.close()
        await self.monitor.stop()
        await self.loop_lag.stop()
        await self.catalog_version.close()
        await self.database.close()
        self._serving.release()
        await stop_tracing()


_current: Shop | None = None


def current_shop() -> Shop:
    """Return the shop of this process.

    Raises:
        RuntimeError: no shop was set; this is a programming error.
    """
    if _current is None:
        raise RuntimeError("no shop is running in this process")
    return _current


def set_current_shop(shop: Shop | None) -> None:
    """Set the shop that `current_shop` returns. Call it with None after the shop has stopped."""
    global _current  # there is one shop per process
    _current = shop

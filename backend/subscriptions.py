"""Import every module that subscribes to events.

Import this module before changing data, so that all handlers are called.
"""

import backend.attention.service
import backend.cart.notices
import backend.catalog.events
import backend.checkout.attention_resolvers
import backend.checkout.completion
import backend.exchanges.preparation
import backend.invoices.creation
import backend.mail.mailer
import backend.news.notifications
import backend.operations.monitoring.alert_webhook
import backend.order_edits.difference
import backend.orders.admin.cancellation
import backend.orders.packing_holds
import backend.orders.promised_days
import backend.outbox.publisher
import backend.returns.unpacked_units
import backend.reviews.review_requests
import backend.staff_notices.push.subscriptions
import backend.staff_notices.recording
import backend.stock_notices.service
import backend.webhooks.recording  # noqa: F401

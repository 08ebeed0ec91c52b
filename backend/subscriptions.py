"""Imports every module that subscribes to events. Import this before changing data, so that all handlers are called."""

import backend.attention.service
import backend.cart.news
import backend.catalog.events
import backend.checkout.completion
import backend.checkout.resolvers
import backend.invoices.opening
import backend.mail.mailer
import backend.monitoring.webhook
import backend.news
import backend.orders.cancelling
import backend.orders.holding
import backend.outbox.publisher
import backend.returns.unpacking
import backend.reviews.asking
import backend.stock_notices.service  # noqa: F401

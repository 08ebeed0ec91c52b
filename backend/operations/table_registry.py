"""The metadata of all tables. Only this module imports the models of every package."""

from sqlalchemy import MetaData
from sqlmodel import SQLModel


def all_tables() -> MetaData:
    """Return the metadata of all tables, with the models of every package imported."""
    import backend.alerts.models
    import backend.attention.models
    import backend.audit.models
    import backend.cart.models
    import backend.cart_reminders.models
    import backend.cash_closings.models
    import backend.catalog.bulk.models
    import backend.catalog.derived_models
    import backend.catalog.models
    import backend.catalog.price_lists.models
    import backend.catalog.redirects.models
    import backend.channels.models
    import backend.content.models
    import backend.customers.models
    import backend.draft_orders.models
    import backend.edge.auth.revoked_tokens
    import backend.exchanges.models
    import backend.exports.models
    import backend.imports.models
    import backend.inventory.models
    import backend.invoices.models
    import backend.jobs.models
    import backend.legal.models
    import backend.mail.models
    import backend.migrations.compatibility
    import backend.migrations.sandbox_tables
    import backend.office_settings.models
    import backend.operations.backup.models
    import backend.order_edits.models
    import backend.orders.models
    import backend.outbox.models
    import backend.payment.models
    import backend.pqrs.models
    import backend.presses.models
    import backend.promotions.models
    import backend.rate_limit.models
    import backend.returns.models
    import backend.reviews.models
    import backend.shipping.models
    import backend.staff.models
    import backend.staff_notices.models
    import backend.staff_notices.push.models
    import backend.stock_notices.models
    import backend.webhooks.models
    import backend.wishlist.models  # noqa: F401

    return SQLModel.metadata

"""Topics of change notifications. The module is separate so that pages can use it without importing every table."""

from enum import StrEnum


class Topic(StrEnum):
    """A kind of data that screens of the office show. The prefix makes its value differ from all ids of objects."""

    ORDERS = "news:orders"
    """Orders, their payments and their fulfillments."""
    ATTENTION = "news:attention"
    INVOICES = "news:invoices"
    PQRS = "news:pqrs"
    RETURNS = "news:returns"
    REVIEWS = "news:reviews"
    STOCK = "news:stock"
    STAFF = "news:staff"
    """Staff members, their roles, sessions and invitations."""
    EXPORTS = "news:exports"
    """Files that staff requested."""
    IMPORTS = "news:imports"
    """Spreadsheets of products that staff uploaded."""
    BULK_CHANGES = "news:bulk_changes"
    """Progress of changes to many products."""
    CATEGORIES = "news:categories"
    """Categories and collections, not the products in them."""
    CONTENT = "news:content"
    """Texts and pictures of the shop's pages, edited in the office."""
    SETTINGS = "news:settings"
    """The shop's data, limits and notices, payment methods, shipping, and programs that are called with events."""

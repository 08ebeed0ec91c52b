"""Topics of change notifications, apart so that pages that name one do not import every table."""

from enum import StrEnum


class Topic(StrEnum):
    """A kind of things. No id of a thing is written like one."""

    ORDERS = "news:orders"
    """Orders, their payments and their fulfillments."""
    ATTENTION = "news:attention"
    INVOICES = "news:invoices"
    PQRS = "news:pqrs"
    RETURNS = "news:returns"
    REVIEWS = "news:reviews"
    STOCK = "news:stock"
    STAFF = "news:staff"
    """Who works here, where they sign in, and who is invited."""
    EXPORTS = "news:exports"
    """Files that staff asked for."""
    IMPORTS = "news:imports"
    """Sheets of products that staff sent."""
    BULK_CHANGES = "news:bulk_changes"
    """Progress of changes of many products."""
    CONTENT = "news:content"
    """What the office says on the shop's pages."""
    SETTINGS = "news:settings"
    """The shop's own data, its bounds and notices, and how one pays and ships."""

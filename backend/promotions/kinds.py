"""The kinds of promotions, by the platform's names."""

from enum import StrEnum


class MethodType(StrEnum):
    """How much is taken off."""

    PERCENTAGE = "percentage"
    FIXED = "fixed"
    """Pesos."""


class TargetType(StrEnum):
    """What it is taken off."""

    ITEMS = "items"
    """The lines that the target rules name; all of them where there are none."""
    ORDER = "order"
    """All lines together."""
    SHIPPING = "shipping_methods"


class Allocation(StrEnum):
    """How it is taken off several lines."""

    EACH = "each"
    """Off each line by itself: pesos off each of its units."""
    ACROSS = "across"
    """Once, spread over the lines in proportion."""
    ONCE = "once"
    """Off the cheapest units, as many as `max_quantity` says."""


class PromotionStatus(StrEnum):
    """Whether a promotion applies."""

    DRAFT = "draft"
    ACTIVE = "active"
    INACTIVE = "inactive"
    """It was ended."""


class BudgetType(StrEnum):
    """What a campaign has a bound of."""

    USAGE = "usage"
    SPEND = "spend"
    BY_CUSTOMER = "use_by_attribute"
    """Uses by each customer."""

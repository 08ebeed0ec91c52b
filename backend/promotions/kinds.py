"""Enumerations of promotions, with the platform's names."""

from enum import StrEnum


class PromotionType(StrEnum):
    """A type of promotion."""

    STANDARD = "standard"
    BUYGET = "buyget"
    """Discounts some units if enough other units are bought, such as 2×1."""


class Combination(StrEnum):
    """Promotions with which a promotion may be combined in one cart. Both promotions must allow the other."""

    ALL = "all"
    AUTOMATIC = "automatic"
    """Automatic promotions, but no other code."""
    CODES = "codes"
    """Codes, but no other automatic promotion."""
    SHIPPING = "shipping"
    """Discounts of the shipping only."""
    NONE = "none"


class MethodType(StrEnum):
    """A method of computing the discount."""

    PERCENTAGE = "percentage"
    FIXED = "fixed"
    """A fixed amount of pesos."""


class TargetType(StrEnum):
    """A target of the discount."""

    ITEMS = "items"
    """The lines that the target rules match; without rules, all lines."""
    ORDER = "order"
    """The discount applies to all lines together."""
    SHIPPING = "shipping_methods"


class Allocation(StrEnum):
    """A division of the discount among several lines."""

    EACH = "each"
    """For each line separately: a fixed amount applies to each unit."""
    ACROSS = "across"
    """Once, spread over the lines in proportion."""
    ONCE = "once"
    """For the cheapest units, up to `max_quantity`."""


class PromotionStatus(StrEnum):
    """A state of a promotion. Only an active one applies."""

    DRAFT = "draft"
    ACTIVE = "active"
    INACTIVE = "inactive"
    """The promotion was ended."""


class BudgetType(StrEnum):
    """The type of limit that a campaign's budget has."""

    USAGE = "usage"
    SPEND = "spend"
    BY_CUSTOMER = "use_by_attribute"
    """Limits the uses per customer."""

"""A customer's own pages: entering, and everything that is theirs."""

from storefront.pages.account import enter, home, reset

__all__ = ["enter", "home", "reset"]

"""A customer's own pages: entering, and everything that is theirs."""

from storefront.pages.account import home, password_reset, sign_in

__all__ = ["home", "password_reset", "sign_in"]

"""The customer's pages: sign-in, and the account."""

from storefront.pages.account import home, password_reset, sign_in

__all__ = ["home", "password_reset", "sign_in"]

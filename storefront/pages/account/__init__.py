"""The customer's pages: sign-in, and the account."""

from storefront.pages.account import home, open_account, password_reset, sign_in

__all__ = ["home", "open_account", "password_reset", "sign_in"]

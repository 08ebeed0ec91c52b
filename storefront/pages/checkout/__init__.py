"""The checkout: one page, from the contact data to the choice of the bank."""

from storefront.pages.checkout.document import load
from storefront.pages.checkout.layout import page
from storefront.pages.checkout.state import CheckoutState

__all__ = ["CheckoutState", "load", "page"]

"""An order's page, for whoever holds its signed link."""

from storefront.pages.order.layout import page
from storefront.pages.order.loader import TITLE, load
from storefront.pages.order.state import OrderState

__all__ = ["TITLE", "OrderState", "load", "page"]

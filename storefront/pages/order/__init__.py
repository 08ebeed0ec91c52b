"""An order's page, for visitors who have its signed link."""

from storefront.pages.order.layout import page
from storefront.pages.order.state import TITLE, OrderState, load

__all__ = ["TITLE", "OrderState", "load", "page"]

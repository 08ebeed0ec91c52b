"""What the parts of one order's screen are made of."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.order import OrderDetail
from storefront.office.orders.detail_state import OrderState

SHOWN: Any = OrderState.content.to(ObjectVar, OrderDetail)


def can(action: str) -> rx.Var[bool]:
    """Whether this can be done now."""
    return SHOWN.actions.contains(action)

"""What the parts of one order's screen are made of."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.order import OrderDetail
from storefront.office.orders.detail_state import OrderState

SHOWN: Any = OrderState.content.to(ObjectVar, OrderDetail)
BUTTON = "button button--small "


def can(action: str) -> rx.Var[bool]:
    """Whether this can be done now."""
    return SHOWN.actions.contains(action)


def panel(title: str, *content: Any, test_id: str = "") -> rx.Component:
    """A part of the screen."""
    marks = {"data_testid": test_id} if test_id else {}
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"), *content, class_name="o-panel o-section", **marks
    )

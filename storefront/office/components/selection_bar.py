"""The bar above a list with selected rows: their number and the actions on them."""

import reflex as rx

from backend.core.texts import _
from storefront.office.icons import icon
from storefront.office.react_components import SELECTION
from storefront.reflex_ext.numbers import grouped


def selection_bar(*actions: rx.Component, hidden: rx.Var[bool] | bool = False) -> rx.Component:
    """Render the bar with the buttons in `actions`. It is hidden if no row is selected, or if `hidden` is True."""
    return rx.el.div(
        rx.el.p(
            rx.cond(
                SELECTION.is_busy,
                _("Trabajando…"),
                rx.cond(
                    SELECTION.count == 1, _("1 elegido"), _("{n} elegidos").format(n=grouped(SELECTION.count))
                ),
            ),
            role="status",
            class_name="o-chosen__count",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            special_props=[SELECTION.clear],
            class_name="icon-button",
            aria_label=_("No elegir ninguno"),
        ),
        rx.el.div(*actions, class_name="o-chosen__actions"),
        class_name="o-chosen",
        hidden=(SELECTION.count.to(int) == 0) | hidden,
        data_testid="chosen",
    )

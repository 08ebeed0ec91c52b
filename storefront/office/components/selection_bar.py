"""The bar over a list of which some rows are chosen: how many, and what can be done with all of them."""

import reflex as rx

from backend.core.texts import _
from storefront.office.icons import icon
from storefront.office.react_components import CHOSEN


def chosen_rows(*actions: rx.Component, hidden: rx.Var[bool] | bool = False) -> rx.Component:
    """The bar with these buttons; it is hidden while nothing is chosen, and where `hidden` says so."""
    return rx.el.div(
        rx.el.p(
            rx.cond(
                CHOSEN.is_busy,
                _("Trabajando…"),
                rx.cond(CHOSEN.count == 1, _("1 elegido"), _("{n} elegidos").format(n=CHOSEN.count)),
            ),
            role="status",
            class_name="o-chosen__count",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            special_props=[CHOSEN.none],
            class_name="icon-button",
            aria_label=_("No elegir ninguno"),
        ),
        rx.el.div(*actions, class_name="o-chosen__actions"),
        class_name="o-chosen",
        hidden=(CHOSEN.count.to(int) == 0) | hidden,
        data_testid="chosen",
    )

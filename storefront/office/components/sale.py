"""Parts of a screen on which staff sell products: the lines, the delivery, and the reference of a payment."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.checkout.shipping_options import ShippingOffer
from backend.core.errors import InsufficientStock, InvalidData
from backend.core.texts import _
from backend.office.sell import SaleLine
from backend.payment.manual_methods import MAX_REFERENCE_LENGTH
from storefront.office.components.forms import office_field
from storefront.office.components.lists import product_picture
from storefront.office.components.unit_steps import unit_steps
from storefront.office.components.variant_search import VariantAdder

QUIET = "button button--small button--quiet"


class SaleScreen(VariantAdder, mixin=True):
    """State of a screen on which staff sell products. Its events are `choose_shipping` and those of `VariantAdder`."""

    options: rx.Field[list[dict[str, str]]] = rx.field(default_factory=list)
    """Shipping options with their prices, after the delivery was chosen."""

    def _show_offer(self, offer: ShippingOffer) -> None:
        """Show the shipping options, or announce why there are none."""
        self.options = [{"id": one.id, "name": one.name, "price": one.amount_label} for one in offer.choices]
        if not offer.choices:
            self._announce(offer.notice or _("Ninguna entrega llega allá."), "problem")

    def _show_refusal(self, error: InsufficientStock | InvalidData) -> None:
        """Show the reason why a variant was not added, as a problem of the search field."""
        text = (
            _("Ya no queda ninguno más para vender.")
            if isinstance(error, InsufficientStock)
            else error.shopper_text or _("No está a la venta: publícalo y ponle precio en Productos.")
        )
        self.problems = {"code": text}


def sale_line(line: ObjectVar[SaleLine], set_quantity: Any, test_id: str) -> rx.Component:
    """Render a line: the product, its units, and its price."""
    return rx.el.li(
        product_picture(line.picture),
        rx.el.span(
            rx.el.span(line.title, class_name="o-row__title"),
            rx.cond(line.detail != "", rx.el.span(line.detail, class_name="o-row__detail")),
            rx.el.span(line.unit_label, class_name="o-row__detail"),
            class_name="o-stock__words",
        ),
        rx.el.b(line.total_label),
        unit_steps(
            line,
            set_quantity,
            rx.cond(line.problem != "", rx.el.span(line.problem, class_name="o-sell__short")),
            is_maximum=line.quantity >= line.most,
        ),
        class_name="o-sell__line",
        key=line.id,
        data_testid=test_id,
    )


def shipping_options(state: Any) -> rx.Component:
    """Render the buttons of the options in `state.options`. Their event is `state.choose_shipping`, with the id."""

    def option_button(option: ObjectVar[dict[str, str]]) -> rx.Component:
        return rx.el.button(
            option["name"],
            " ",
            rx.el.b(option["price"]),
            type="button",
            class_name=QUIET,
            on_click=state.choose_shipping(option["id"].to(str)),
            key=option["id"].to(str),
        )

    return rx.foreach(state.options, option_button)


def chosen_delivery(state: Any, hand_over: Any, test_id: str) -> rx.Component:
    """Render the address or pickup point and the chosen shipping option, and the buttons that change them.

    `hand_over` is the event that removes the delivery: the customer takes the products along.
    """
    view = state.content

    return rx.el.div(
        rx.foreach(view.address, lambda line: rx.el.p(line, class_name="o-row__detail")),
        rx.el.p(view.shipping, " ", rx.el.b(view.shipping_label)),
        shipping_options(state),
        rx.el.button(_("Mejor se lo lleva"), type="button", class_name=QUIET, on_click=hand_over),
        class_name="o-sell__options",
        data_testid=test_id,
    )


def reference_field(
    state: Any,
    form: str,
    hint: str = _("El número de la transferencia o del datáfono. En efectivo no hace falta."),
) -> rx.Component:
    """Render the field for the number of a transfer or of a card terminal's receipt."""
    return office_field(
        state,
        form,
        "reference",
        _("Comprobante"),
        is_optional=True,
        auto_complete="off",
        max_length=MAX_REFERENCE_LENGTH,
        hint=hint,
    )

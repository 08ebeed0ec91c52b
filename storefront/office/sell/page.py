"""Components of the screen «Vender»."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.draft_orders.drafts import MAX_REASON_LENGTH
from backend.office.customers.listing import CustomerRow
from backend.office.sell import WaitingSale, method_options, origin_options
from backend.payment.providers.pse.payer import DOCUMENT_TYPES
from storefront.components.forms import SubmitOnce, town_panel
from storefront.office.components.delivery import address_form, fold_head
from storefront.office.components.feedback import screen
from storefront.office.components.forms import confirm_button, hidden_field, office_field, office_select
from storefront.office.components.sale import chosen_delivery, reference_field, sale_line
from storefront.office.components.variant_search import variant_search
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import CLOSING, ORDERS, SELL
from storefront.office.sell.state import SellState
from storefront.office.state import answer_number

TITLE = _("Vender")
VIEW = SellState.content


def page() -> rx.Component:
    """Render the sale in progress."""
    content = rx.el.div(
        rx.cond(SellState.sold, sold_panel()),
        rx.cond(SellState.link, link_panel()),
        search_panel(),
        rx.cond(
            VIEW.lines.length() > 0,
            rx.fragment(
                lines_panel(),
                rx.cond(VIEW.sees_customers, customer_panel()),
                delivery_panel(),
                discount_panel(),
                totals_panel(),
                payment_panel(),
                new_link_panel(),
            ),
        ),
        rx.cond(VIEW.waiting.length() > 0, waiting_panel()),
        class_name="o-sell",
    )
    closing = rx.el.a(_("Cerrar el día"), href=CLOSING, class_name="button button--small button--quiet")
    return office_layout(SellState, SELL, TITLE, screen(SellState, content), actions=(closing,))


def once(*content: rx.Component) -> rx.Component:
    """Wrap forms and buttons so that each click runs its event only once."""
    return SubmitOnce.create(rx.el.div(*content, class_name="o-sell__once"), answers=answer_number(SellState))


def sell_field(name: str, label: str, **more: Any) -> rx.Component:
    """Render a text field of the screen."""
    return office_field(SellState, "sell", name, label, auto_complete="off", **more)


def sold_panel() -> rx.Component:
    """Render the finished sale."""
    sold = SellState.sold
    return rx.el.section(
        rx.el.h2(icon("check", size=20), _("Venta guardada"), class_name="o-section__title"),
        rx.el.p(sold.method, " · ", rx.el.b(sold.total_label)),
        rx.cond(sold.change_label != "", rx.el.p(_("Cambio: "), rx.el.b(sold.change_label))),
        rx.el.a(
            _("Pedido {number}").format(number=sold.number), href=f"{ORDERS}/{sold.id}", class_name="o-link"
        ),
        rx.el.p(_("Escanea otro producto para empezar la siguiente."), class_name="o-row__detail"),
        class_name="o-panel o-sell__done",
        role="status",
        data_testid="sell-done",
    )


def search_panel() -> rx.Component:
    """Render the field for the code or the name, and the matches."""
    return rx.el.section(
        variant_search(SellState, "sell", data_testid="sell-search"),
        class_name="o-panel",
    )


def lines_panel() -> rx.Component:
    """Render the lines with their units."""
    return rx.el.section(
        rx.el.ul(
            rx.foreach(VIEW.lines, lambda line: sale_line(line, SellState.set_quantity, "sell-line")),
            class_name="o-sell__lines",
        ),
        class_name="o-panel",
        aria_label=_("Productos de la venta"),
    )


@rx.memo
def sell_towns_panel() -> rx.Component:
    """Render the suggested municipalities."""
    return town_panel(SellState.towns, lambda town: {"data_text": town.label})


def delivery_panel() -> rx.Component:
    """Render the place of the sale (such as the counter), and the chosen delivery or the address form."""
    origins = [rx.el.option(label, value=value) for value, label in origin_options()]
    form = address_form(SellState, "sell", SellState.deliver, sell_towns_panel())
    return rx.el.section(
        office_select(
            SellState,
            "sell",
            "origin",
            _("Dónde compra"),
            origins,
            value=VIEW.origin,
            on_change=SellState.change_origin,
        ),
        rx.cond(
            (VIEW.address.length() > 0) | (VIEW.shipping != ""),
            chosen_delivery(SellState, SellState.hand_over, "sell-delivery"),
            rx.el.details(
                fold_head("truck", _("Enviarlo a su casa")),
                once(form),
            ),
        ),
        class_name="o-panel",
    )


def customer_panel() -> rx.Component:
    """Render the chosen customer, or the search for one."""
    search = rx.el.form(
        sell_field("customer", _("Nombre, correo, celular o documento"), enter_key_hint="search"),
        rx.el.button(_("Buscar"), type="submit", class_name="button button--small button--dark"),
        class_name="o-stock__scan",
        no_validate=True,
        on_submit=SellState.find_customer,
        data_testid="sell-customer",
    )
    chosen = rx.el.div(
        rx.el.p(VIEW.customer, class_name="o-row__title"),
        rx.el.button(
            _("Quitar"),
            type="button",
            class_name="button button--small button--quiet",
            on_click=SellState.drop_customer,
        ),
        class_name="o-sell__options",
        data_testid="sell-chosen-customer",
    )
    matches = rx.el.ul(rx.foreach(SellState.customers, customer_match), class_name="o-stock__matches")
    return rx.el.section(
        rx.cond(
            VIEW.customer != "",
            chosen,
            rx.el.details(
                fold_head("person", _("Un cliente que ya conoces")),
                search,
                rx.cond(SellState.customers.length() > 0, matches),
            ),
        ),
        class_name="o-panel",
    )


def customer_match(row: ObjectVar[CustomerRow]) -> rx.Component:
    """Render a customer who matches the search."""
    words = rx.el.span(
        row.name,
        rx.el.span(row.email, " · ", row.orders_label, class_name="o-row__detail"),
        class_name="o-stock__words",
    )
    return rx.el.li(
        rx.el.button(
            words,
            type="button",
            class_name="o-stock__match",
            on_click=SellState.assign_customer(row.id),
        ),
        key=row.id,
    )


def discount_panel() -> rx.Component:
    """Render the form of the discount."""
    form = rx.el.form(
        sell_field(
            "discount",
            _("Pesos de descuento"),
            default_value=rx.cond(VIEW.discount > 0, VIEW.discount.to_string(), ""),
            input_mode="numeric",
            hint=_("Vacío, sin descuento."),
        ),
        sell_field("reason", _("Por qué"), default_value=VIEW.discount_reason, max_length=MAX_REASON_LENGTH),
        rx.el.button(_("Poner el descuento"), type="submit", class_name="button button--small button--dark"),
        class_name="o-sell__form",
        key=f"discount-{VIEW.discount}-{VIEW.id}",
        no_validate=True,
        on_submit=SellState.give_discount,
        data_testid="sell-discount",
    )
    return rx.el.details(
        fold_head("tag", _("Dar un descuento")),
        once(form),
        class_name="o-panel o-sell__part",
    )


def totals_panel() -> rx.Component:
    """Render the totals of the sale."""

    def line(label: Any, amount: Any, class_name: str = "") -> rx.Component:
        return rx.el.div(rx.el.span(label), rx.el.span(amount), class_name=class_name)

    return rx.el.section(
        line(_("Productos"), VIEW.subtotal_label),
        rx.foreach(VIEW.savings, lambda one: line(one[0], one[1])),
        rx.cond(VIEW.shipping != "", line(_("Envío"), VIEW.shipping_label)),
        line(_("Total"), VIEW.total_label, "o-sell__total"),
        line(_("IVA incluido"), VIEW.tax_label, "o-row__detail"),
        class_name="o-panel o-sell__totals",
        data_testid="sell-total",
    )


def payment_panel() -> rx.Component:
    """Render the form of the payment: the method, the customer's data, and the button that creates the order."""
    methods = [rx.el.option(label, value=value) for value, label in method_options()]
    documents = [rx.el.option(kind.label, value=code) for code, kind in DOCUMENT_TYPES.items()]

    customer = rx.el.details(
        fold_head("person", _("Datos del cliente (opcional)")),
        rx.el.div(
            pay_field("first_name", _("Nombre o razón social"), is_optional=True),
            pay_field("last_name", _("Apellido"), is_optional=True),
            pay_field("email", _("Correo"), is_optional=True, type="email", auto_capitalize="none"),
            pay_field("phone", _("Celular"), is_optional=True, type="tel"),
            office_select(SellState, "pay", "doc_type", _("Documento para la factura"), documents),
            pay_field("doc_number", _("Número"), is_optional=True),
            class_name="o-sell__form",
        ),
    )
    form = rx.el.form(
        hidden_field("draft", VIEW.id),
        hidden_field("total", VIEW.total.to_string()),
        rx.el.div(
            office_select(SellState, "pay", "method", _("Cómo paga"), methods),
            reference_field(SellState, "pay"),
            pay_field(
                "given",
                _("Con cuánto paga"),
                is_optional=True,
                input_mode="numeric",
                hint=_("Para el cambio."),
            ),
            class_name="o-sell__form",
        ),
        customer,
        rx.el.button(
            _("Cobrar "),
            VIEW.total_label,
            type="submit",
            disabled=~VIEW.is_ready,
            class_name="button button--primary",
            data_testid="save",
        ),
        class_name="o-stock__receipt",
        key=f"pay-{VIEW.id}",
        no_validate=True,
        on_submit=SellState.receive,
        data_testid="sell-payment",
    )
    return rx.el.section(
        once(
            form,
            confirm_button(
                _("Cancelar la venta"),
                _("Se borra lo que llevas."),
                _("Sí, cancelarla"),
                SellState.discard(VIEW.id),
            ),
        ),
        class_name="o-panel",
    )


def pay_field(name: str, label: str, **more: Any) -> rx.Component:
    """Render a text field of the payment's form."""
    return office_field(SellState, "pay", name, label, auto_complete="off", **more)


def new_link_panel() -> rx.Component:
    """Render the form that makes a payment link."""
    form = rx.el.form(
        rx.el.input(type="hidden", name="draft", value=VIEW.id, read_only=True),
        office_field(
            SellState,
            "link",
            "phone",
            _("WhatsApp del cliente"),
            is_optional=True,
            type="tel",
            auto_complete="off",
            hint=_(
                "El cliente escribe sus datos y paga en tu tienda. El enlace sirve 7 días y no aparta unidades."
            ),
        ),
        office_field(
            SellState,
            "link",
            "mail_to",
            _("Correo del cliente"),
            is_optional=True,
            type="email",
            auto_complete="off",
            auto_capitalize="none",
            default_value=VIEW.customer,
            hint=_("Si lo escribes, también le llega por correo."),
        ),
        rx.el.button(_("Hacer el enlace"), type="submit", class_name="button button--small button--dark"),
        class_name="o-sell__form",
        key=f"link-{VIEW.id}-{VIEW.customer}",
        no_validate=True,
        on_submit=SellState.make_link,
        data_testid="sell-link",
    )
    return rx.el.details(
        fold_head("chat", _("Cobrar con un enlace de pago")),
        once(form),
        class_name="o-panel o-sell__part",
    )


def link_panel() -> rx.Component:
    """Render the new payment link."""
    link = SellState.link
    return rx.el.section(
        rx.el.h2(icon("check", size=20), _("Enlace listo"), class_name="o-section__title"),
        rx.el.p(
            _("Por "), rx.el.b(link.total_label), _(". Cópialo o envíalo ahora: no se vuelve a mostrar.")
        ),
        rx.cond(
            link.mailed_to != "", rx.el.p(_("Va por correo a {address}.").format(address=link.mailed_to))
        ),
        rx.el.input(
            value=link.url,
            read_only=True,
            aria_label=_("Enlace de pago"),
            class_name="field__input",
            data_testid="sell-link-url",
        ),
        rx.el.a(
            icon("chat", size=20),
            _("Enviarlo por WhatsApp"),
            href=link.whatsapp_url,
            target="_blank",
            rel="noopener noreferrer",
            class_name="button button--small button--primary",
        ),
        class_name="o-panel o-sell__done",
        role="status",
        data_testid="sell-done",
    )


def waiting_panel() -> rx.Component:
    """Render the sales that wait for the payment of their link."""
    return rx.el.section(
        rx.el.h2(_("Enlaces sin pagar"), class_name="o-section__title"),
        once(rx.el.ul(rx.foreach(VIEW.waiting, waiting_row), class_name="o-sell__lines")),
        class_name="o-panel",
    )


def waiting_row(sale: ObjectVar[WaitingSale]) -> rx.Component:
    """Render a sale whose link is not paid yet."""
    return rx.el.li(
        rx.el.span(
            rx.el.span(sale.total_label, " · ", sale.units_label, class_name="o-row__title"),
            rx.el.span(sale.state_label, " · ", sale.made_label, class_name="o-row__detail"),
            class_name="o-stock__words",
        ),
        rx.cond(
            sale.can_withdraw,
            confirm_button(
                _("Retirar"),
                _("Nadie lo podrá pagar."),
                _("Sí, retirarlo"),
                SellState.withdraw_link(sale.id),
            ),
        ),
        class_name="o-sell__waiting",
        key=sale.id,
        data_testid="sell-waiting",
    )

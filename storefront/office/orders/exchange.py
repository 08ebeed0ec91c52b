"""Components of the screen «Hacer un cambio», on which staff exchange delivered units for other products."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.exchanges.settlement import CHOOSE_DELIVERY
from backend.office.orders.exchange import InboundLine, PickupView
from storefront.components.forms import SubmitOnce, town_panel
from storefront.office.components.delivery import address_form, fold_head
from storefront.office.components.detail import back_link, product_line_head, warning_note
from storefront.office.components.feedback import screen
from storefront.office.components.forms import confirm_button, hidden_field, office_select
from storefront.office.components.sale import QUIET, chosen_delivery, reference_field, sale_line
from storefront.office.components.unit_steps import unit_steps
from storefront.office.components.variant_search import variant_search
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import ORDERS, RETURNS
from storefront.office.orders.exchange_state import ExchangeState
from storefront.office.state import answer_number
from storefront.reflex_ext.numbers import grouped

TITLE = _("Hacer un cambio")
VIEW = ExchangeState.content
IS_WAITING = (VIEW.status == "requested") & ~VIEW.has_arrived


def page() -> rx.Component:
    """Render the screen of an exchange."""
    content = rx.el.div(
        back_link(_("Pedido {number}").format(number=VIEW.number), f"{ORDERS}/{VIEW.order_id}"),
        rx.cond(VIEW.refusal != "", warning_note(VIEW.refusal, "exchange-refused")),
        rx.cond(IS_WAITING, waiting_note()),
        rx.cond(
            VIEW.refusal == "",
            rx.fragment(inbound_panel(), search_panel()),
        ),
        rx.cond(VIEW.outbound.length() > 0, rx.fragment(outbound_panel(), delivery_panel())),
        rx.cond(VIEW.kind != "", totals_panel()),
        rx.cond(VIEW.exchange_id != "", settle_panel()),
        class_name="o-sell",
    )
    return office_layout(ExchangeState, ORDERS, TITLE, screen(ExchangeState, content), class_name="o-one")


def waiting_note() -> rx.Component:
    """Render the notice that the units have not arrived yet, with a link to their return."""
    return rx.el.p(
        icon("undo", size=20),
        _("El cliente envía primero lo que devuelve. Cuando llegue, termina el cambio aquí."),
        " ",
        rx.el.a(_("Ver la devolución"), href=f"{RETURNS}/{VIEW.return_id}", class_name="o-link"),
        role="status",
        class_name="o-packing__note",
        data_testid="exchange-waiting",
    )


def inbound_panel() -> rx.Component:
    """Render the order's lines with the units that come back."""
    return rx.el.section(
        rx.el.h2(_("Qué devuelve"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(VIEW.inbound, inbound_line), class_name="o-items"),
        class_name="o-panel",
    )


def inbound_line(line: ObjectVar[InboundLine]) -> rx.Component:
    """Render a line of the order: the product, and the buttons that change how many units come back."""
    steps = unit_steps(
        line,
        ExchangeState.set_inbound,
        rx.el.span(_("de {n}").format(n=grouped(line.most)), class_name="o-row__detail"),
        is_minimum=line.quantity < 1,
        is_maximum=line.quantity >= line.most,
    )
    fixed = rx.el.span(_("Unidades: {n}").format(n=grouped(line.quantity)), class_name="o-row__detail")
    return rx.el.li(
        product_line_head(line.picture, line.title, line.detail, line.unit_label),
        rx.el.div(
            rx.cond((VIEW.status == "") | (VIEW.status == "open"), steps, fixed),
            class_name="o-edit__change",
        ),
        key=line.id,
        class_name="o-item",
        data_testid="exchange-inbound",
    )


def search_panel() -> rx.Component:
    """Render the search for the products that go out."""
    return rx.el.section(
        rx.el.h2(_("Qué se lleva a cambio"), class_name="o-section__title"),
        variant_search(ExchangeState, "exchange", data_testid="exchange-search"),
        class_name="o-panel",
    )


def outbound_panel() -> rx.Component:
    """Render the products that go out."""
    return rx.el.section(
        rx.el.ul(
            rx.foreach(
                VIEW.outbound, lambda line: sale_line(line, ExchangeState.set_quantity, "exchange-outbound")
            ),
            class_name="o-sell__lines",
        ),
        class_name="o-panel",
        aria_label=_("Lo que se lleva a cambio"),
    )


@rx.memo
def exchange_towns_panel() -> rx.Component:
    """Render the suggested municipalities."""
    return town_panel(ExchangeState.towns, lambda town: {"data_text": town.label})


def delivery_panel() -> rx.Component:
    """Render the panel in which staff choose if the new products are taken along, delivered or picked up later."""
    delivered = rx.fragment(
        rx.cond(VIEW.shipping == "", warning_note(CHOOSE_DELIVERY, "exchange-delivery-outdated")),
        chosen_delivery(ExchangeState, ExchangeState.hand_over(VIEW.exchange_id), "exchange-delivery"),
        rx.cond(
            VIEW.has_address & (ExchangeState.options.length() == 0),
            rx.el.button(
                icon("truck", size=20),
                _("Ver las entregas y sus precios"),
                type="button",
                class_name=QUIET,
                on_click=ExchangeState.list_shipping,
                data_testid="exchange-list-shipping",
            ),
        ),
    )
    form = address_form(
        ExchangeState, "exchange", ExchangeState.deliver_elsewhere, exchange_towns_panel(), VIEW.asks_email
    )
    taken = rx.el.div(
        rx.el.p(_("Se lo lleva ahora."), class_name="o-row__detail"),
        rx.foreach(VIEW.pickups, pickup_button),
        rx.cond(
            VIEW.can_deliver,
            rx.el.button(
                icon("truck", size=20),
                _("Enviarlo a la dirección del pedido"),
                type="button",
                class_name=QUIET,
                on_click=ExchangeState.deliver(VIEW.exchange_id),
            ),
        ),
        rx.el.details(
            fold_head("truck", _("Enviarlo a otra dirección")),
            SubmitOnce.create(
                rx.el.div(form, class_name="o-sell__once"), answers=answer_number(ExchangeState)
            ),
            data_testid="exchange-elsewhere",
        ),
        class_name="o-sell__options",
    )
    is_sent = VIEW.has_address | (VIEW.shipping != "")
    return rx.el.section(rx.cond(is_sent, delivered, taken), class_name="o-panel")


def pickup_button(pickup: ObjectVar[PickupView]) -> rx.Component:
    """Render the button that chooses a pickup point, where the customer picks up the new order later."""
    return rx.el.button(
        icon("store", size=20),
        rx.el.span(_("Lo recoge después: {name}").format(name=pickup.name)),
        " ",
        rx.el.b(pickup.price_label),
        type="button",
        class_name=QUIET,
        on_click=ExchangeState.pick_up(pickup.id),
        key=pickup.id,
        data_testid="exchange-pickup",
    )


def totals_panel() -> rx.Component:
    """Render the value of the returned units, the value of the products that go out, and the difference."""
    return rx.el.section(
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Lo que devuelve vale")), rx.el.dd(VIEW.credit_label)),
            rx.el.div(rx.el.dt(_("Lo que se lleva vale")), rx.el.dd(VIEW.total_label)),
            class_name="o-totals",
        ),
        rx.el.p(rx.el.b(VIEW.sentence), data_testid="exchange-difference"),
        class_name="o-panel",
    )


def settle_panel() -> rx.Component:
    """Render the form that settles the exchange, and the buttons to wait for the return or to cancel."""
    has_money = (VIEW.kind == "owed") | ((VIEW.kind == "refund") & VIEW.can_give_back)
    form = rx.el.form(
        hidden_field("exchange", VIEW.exchange_id),
        hidden_field("difference", VIEW.difference.to_string()),
        rx.cond(has_money, money_fields()),
        rx.cond(
            (VIEW.kind == "refund") & ~VIEW.can_give_back,
            rx.fragment(
                hidden_field("method", "later"),
                rx.el.p(
                    _("La plata la devuelve el dueño: le queda en Por resolver."), class_name="o-row__detail"
                ),
            ),
        ),
        rx.cond(
            ~VIEW.has_arrived,
            rx.el.label(
                rx.el.input(type="checkbox", name="damaged", value="yes", class_name="o-box"),
                rx.el.span(_("Lo que devuelve tiene daño: no se vende otra vez")),
                class_name="o-every",
            ),
        ),
        rx.el.button(
            rx.cond(IS_WAITING, _("Ya llegó: hacer el cambio"), _("Hacer el cambio")),
            type="submit",
            class_name="button button--primary",
            data_testid="save",
        ),
        class_name="o-stock__receipt",
        key=f"settle-{VIEW.exchange_id}-{VIEW.kind}",
        no_validate=True,
        on_submit=ExchangeState.settle,
        data_testid="exchange-settle",
    )
    wait = confirm_button(
        _("Esperar lo que devuelve"),
        _("El cliente recibe un correo y envía los productos. No se aparta nada hasta que lleguen."),
        _("Sí, esperar"),
        ExchangeState.wait_for_return(VIEW.exchange_id),
    )
    return rx.el.section(
        SubmitOnce.create(
            rx.el.div(
                rx.cond(VIEW.can_settle, form),
                rx.cond(VIEW.can_settle & (VIEW.status == "open"), wait),
                confirm_button(
                    _("Cancelar el cambio"),
                    _("El pedido queda como estaba."),
                    _("Sí, cancelarlo"),
                    ExchangeState.discard(VIEW.exchange_id),
                ),
                class_name="o-sell__once",
            ),
            answers=answer_number(ExchangeState),
        ),
        class_name="o-panel",
    )


def money_fields() -> rx.Component:
    """Render the fields of the method by which the difference is paid or refunded, and of its reference."""
    return rx.el.div(
        office_select(
            ExchangeState,
            "exchange",
            "method",
            rx.cond(VIEW.kind == "owed", _("Cómo paga la diferencia"), _("Cómo le devuelves la diferencia")),
            [rx.foreach(ExchangeState.methods, lambda one: rx.el.option(one[1], value=one[0], key=one[0]))],
        ),
        reference_field(ExchangeState, "exchange"),
        class_name="o-sell__form",
    )

"""The parts of an order: what was bought, where it goes, and the payment's facts."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.fulfillment.views import FulfillmentView
from backend.storefront_views.order_page import OrderLineView, OrderView
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.promo_code import savings
from storefront.components.reviews import review_link
from storefront.components.sharing import whatsapp
from storefront.links import to_variant
from storefront.pages.order import texts
from storefront.state.frame import FrameState


def section(title: str, *content: rx.Component, name: str) -> rx.Component:
    """A card with a title."""
    return rx.el.section(
        rx.el.h2(title, id=name, class_name="order__heading"),
        *content,
        class_name="order__card",
        aria_labelledby=name,
    )


def fact(name: str, value: rx.Var[str] | str, test_id: str = "") -> rx.Component:
    """A value and its name; a dash for a value that is not known yet."""
    shown = rx.cond(value == "", "—", value) if isinstance(value, rx.Var) else value
    return rx.el.div(rx.el.dt(name), rx.el.dd(shown, data_testid=test_id))


def line(item: ObjectVar[OrderLineView]) -> rx.Component:
    """One line, as sold."""
    return rx.el.li(
        rx.el.div(
            product_picture(item.picture, "72px", alt=""),
            class_name="buy__picture",
        ),
        rx.el.div(
            rx.cond(
                item.product_handle != "",
                rx.el.a(
                    item.title,
                    href=to_variant(item.product_handle, item.variant, item.variant_id),
                    class_name="buy__title",
                ),
                rx.el.p(item.title, class_name="buy__title"),
            ),
            rx.cond(item.variant != "", rx.el.p(item.variant, class_name="buy__variant")),
            rx.el.p(item.quantity, " × ", item.unit_price_label, class_name="buy__note"),
            rx.cond(item.review, review_link(item.review)),
            class_name="buy__words",
        ),
        rx.el.p(item.line_total_label, class_name="buy__amount"),
        class_name="buy__line",
        data_testid="order-line",
    )


def purchase(order: ObjectVar[OrderView]) -> rx.Component:
    """Lines and totals."""
    return section(
        _("Lo que compraste"),
        rx.el.ul(
            rx.foreach(order.lines, line),
            class_name="buy",
        ),
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Subtotal")), rx.el.dd(order.subtotal_label)),
            rx.el.div(rx.el.dt(order.shipping_name), rx.el.dd(order.shipping_total_label)),
            savings(order.savings),
            rx.el.div(
                rx.el.dt(_("Total")),
                rx.el.dd(order.total_label, data_testid="order-total"),
                class_name="summary__total",
            ),
            class_name="summary__list",
        ),
        rx.el.p(_("Incluye IVA por "), order.tax_label, class_name="summary__note"),
        name="compra",
    )


def fulfillment(item: ObjectVar[FulfillmentView]) -> rx.Component:
    """A fulfillment and its tracking."""
    return rx.el.li(
        icon("truck"),
        rx.el.div(
            rx.el.p(
                rx.cond(item.carrier != "", item.carrier, _("Transportadora por confirmar")),
                class_name="parcel__name",
            ),
            rx.el.p(
                stage_text(item.stage),
                class_name="parcel__stage",
                role="status",
                data_testid="parcel-stage",
                data_stage=item.stage,
            ),
            rx.cond(item.note != "", rx.el.p(item.note, class_name="parcel__note")),
            rx.cond(
                item.tracking_number != "",
                rx.el.p(_("Número de guía: "), rx.el.b(item.tracking_number, data_testid="tracking-number")),
            ),
            rx.cond(
                item.tracking_url != "",
                rx.el.p(
                    rx.el.a(
                        _("Seguir el envío"),
                        href=item.tracking_url,
                        target="_blank",
                        rel="noopener noreferrer",
                        data_testid="tracking-link",
                    )
                ),
            ),
            moment(_("Despachado: "), item.shipped_label),
            moment(_("Entrega estimada: "), item.expected_label),
            moment(_("Entregado: "), item.delivered_label),
            moment(_("Recibió: "), item.received_by),
        ),
        class_name="parcel",
        data_stage=item.stage,
        data_testid="parcel",
    )


def stage_text(stage: rx.Var[str]) -> rx.Var[str]:
    """The stage of a fulfillment, as shoppers read it."""
    return rx.match(stage, *texts.STAGES.items(), texts.STAGES["preparing"])


def moment(name: str, label: rx.Var[str]) -> rx.Component:
    """A moment of a parcel's way, once there is one."""
    return rx.cond(label != "", rx.el.p(name, label, class_name="parcel__moment"))


def delivery(order: ObjectVar[OrderView]) -> rx.Component:
    """Who receives it, where, and how it travels."""
    return section(
        _("Entrega"),
        rx.el.address(
            rx.el.b(order.recipient),
            rx.foreach(order.address_lines, rx.el.span),
            rx.el.span(order.email),
            class_name="order__address",
        ),
        rx.cond(
            order.gift_message != "",
            rx.el.div(
                rx.el.p(_("Tu mensaje de regalo, que va dentro de la caja:")),
                rx.el.blockquote(order.gift_message, data_testid="gift-message"),
                class_name="order__gift",
            ),
        ),
        rx.cond(
            order.fulfillments.length() > 0,
            rx.el.ul(
                rx.foreach(order.fulfillments, fulfillment),
                class_name="parcels",
            ),
            rx.cond(
                order.status == "paid",
                rx.el.p(
                    _("Cuando despachemos tu pedido, aquí verás el número de guía."), class_name="order__soft"
                ),
            ),
        ),
        name="entrega",
    )


def nothing_paid(order: ObjectVar[OrderView]) -> rx.Component:
    """Show the payment of an order whose total was 0: there was none."""
    facts = order.payment
    return section(
        _("Pago"),
        rx.el.dl(
            fact(_("Estado"), _("Nada por pagar"), test_id="payment-state"),
            fact(_("Empresa"), facts.merchant),
            fact(_("NIT"), facts.nit),
            fact(_("Fecha y hora"), facts.date_label),
            fact(_("Valor"), facts.amount_label),
            class_name="facts",
            data_testid="payment-facts",
        ),
        name="pago",
    )


def payment(order: ObjectVar[OrderView]) -> rx.Component:
    """What PSE wants a result page to show, whatever the result (wire: checkout)."""
    facts = order.payment
    state = rx.match(facts.state, *texts.PAYMENT_STATES.items(), texts.PAYMENT_STATES["pending"])
    return section(
        _("Datos de la transacción PSE"),
        rx.el.dl(
            fact(_("Estado"), state, test_id="payment-state"),
            fact(_("Empresa"), facts.merchant),
            fact(_("NIT"), facts.nit),
            fact(_("Banco"), facts.bank),
            fact(_("CUS"), facts.cus, test_id="payment-cus"),
            fact(_("Referencia"), facts.reference),
            fact(_("Fecha y hora"), facts.date_label),
            fact(_("Valor"), facts.amount_label),
            fact(_("Moneda"), facts.currency),
            fact(_("Descripción"), facts.description),
            rx.cond(facts.reason != "", fact(_("Respuesta"), facts.reason)),
            fact(_("IP de origen"), facts.payer_ip),
            class_name="facts",
            data_testid="payment-facts",
        ),
        rx.el.p(
            _("¿Preguntas sobre este pago? Llámanos al "),
            rx.el.a(facts.contact_phone, href="tel:" + facts.contact_phone.to(str).replace(" ", "")),
            _(" o escríbenos a "),
            rx.el.a(facts.contact_email, href="mailto:" + facts.contact_email.to(str)),
            _(" y danos la referencia o el CUS."),
            class_name="order__contact",
        ),
        whatsapp(
            # the address without its token: whoever reads it in the shop opens the order in the office
            _("Hola, tengo una pregunta sobre mi pedido {number}: {page}").format(
                number=order.number, page=f"{FrameState.shop.site}/order/{order.id}"
            ),
            _("Escríbenos por WhatsApp"),
        ),
        name="pago",
    )

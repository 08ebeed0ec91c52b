"""The sections of an order's page: products, delivery and payment data."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.fulfillment.views import FulfillmentView
from backend.storefront_views.order_page import OrderLineView, OrderView
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.promo_code import saving_rows
from storefront.components.reviews import review_link
from storefront.components.sharing import whatsapp_button
from storefront.links import variant_href
from storefront.pages.order import texts
from storefront.state.frame import FrameState


def section(title: str | rx.Var[str], *content: rx.Component, name: str, test_id: str = "") -> rx.Component:
    """Build a card with a title."""
    return rx.el.section(
        rx.el.h2(title, id=name, class_name="order__heading"),
        *content,
        class_name="order__card",
        aria_labelledby=name,
        **({"data_testid": test_id} if test_id else {}),
    )


def fact(name: str, value: rx.Var[str] | str, test_id: str = "") -> rx.Component:
    """Build a name and its value. A dash replaces a value that is not known yet."""
    shown = rx.cond(value == "", "—", value) if isinstance(value, rx.Var) else value
    return rx.el.div(rx.el.dt(name), rx.el.dd(shown, data_testid=test_id))


def order_line(item: ObjectVar[OrderLineView]) -> rx.Component:
    """Build one line of the order."""
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
                    href=variant_href(item.product_handle, item.variant, item.variant_id),
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


def purchase_section(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the order's lines and totals."""
    return section(
        _("Lo que compraste"),
        rx.el.ul(
            rx.foreach(order.lines, order_line),
            class_name="buy",
        ),
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Subtotal")), rx.el.dd(order.subtotal_label)),
            rx.el.div(rx.el.dt(order.shipping_name), rx.el.dd(order.shipping_total_label)),
            saving_rows(order.savings),
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


def fulfillment_row(item: ObjectVar[FulfillmentView]) -> rx.Component:
    """Build a fulfillment with its tracking."""
    return rx.el.li(
        icon(rx.cond(item.kind == "pickup", "store", "truck")),
        rx.el.div(
            rx.cond(
                item.kind == "carrier",
                rx.el.p(
                    rx.cond(item.carrier != "", item.carrier, _("Transportadora por confirmar")),
                    class_name="parcel__name",
                ),
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
            rx.cond(
                item.kind == "pickup",
                moment_row(_("Recogido: "), item.delivered_label),
                rx.fragment(
                    moment_row(_("Despachado: "), item.shipped_label),
                    moment_row(_("Entrega estimada: "), item.expected_label),
                    moment_row(_("Entregado: "), item.delivered_label),
                ),
            ),
            moment_row(_("Recibió: "), item.received_by),
        ),
        class_name="parcel",
        data_stage=item.stage,
        data_testid="parcel",
    )


def stage_text(stage: rx.Var[str]) -> rx.Var[str]:
    """Return the stage of a fulfillment as text for customers."""
    return rx.match(stage, *texts.STAGES.items(), texts.STAGES["preparing"])


def moment_row(name: str, label: rx.Var[str]) -> rx.Component:
    """Build a date or fact of a fulfillment, if it is known."""
    return rx.cond(label != "", rx.el.p(name, label, class_name="parcel__moment"))


def delivery_section(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the recipient, the address or the pickup point, and the fulfillments."""
    return section(
        rx.cond(order.delivery_kind == "pickup", _("Dónde lo recoges"), _("Entrega")),
        rx.cond(
            order.delivery_note != "",
            rx.el.p(
                rx.el.b(order.shipping_name),
                ": ",
                order.delivery_note,
                data_testid="delivery-note",
            ),
            rx.cond(order.delivery_kind == "pickup", rx.el.p(rx.el.b(order.shipping_name))),
        ),
        rx.el.address(
            rx.el.b(order.recipient, data_testid="order-recipient"),
            rx.cond(
                order.delivery_kind != "pickup", rx.fragment(rx.foreach(order.address_lines, rx.el.span))
            ),
            rx.cond(order.payer == "", rx.el.span(order.email)),
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
                rx.foreach(order.fulfillments, fulfillment_row),
                class_name="parcels",
            ),
            rx.cond(
                order.status == "paid",
                rx.el.p(
                    rx.match(
                        order.delivery_kind,
                        ("pickup", _("Te escribimos apenas esté listo para recoger.")),
                        ("own", _("Te escribimos apenas salgamos a llevártelo.")),
                        _("Cuando despachemos tu pedido, aquí verás el número de guía."),
                    ),
                    class_name="order__soft",
                ),
            ),
        ),
        name="entrega",
    )


def payer_facts(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the payer's name and e-mail, if the payer is not the recipient."""
    return rx.cond(
        order.payer != "",
        rx.fragment(
            fact(_("Paga"), order.payer, test_id="order-payer"),
            fact(_("Correo"), order.email, test_id="order-payer-email"),
        ),
    )


def free_order_payment(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the payment data of an order whose total was 0, so that nothing was paid."""
    facts = order.payment
    return section(
        _("Pago"),
        rx.el.dl(
            fact(_("Estado"), _("Nada por pagar"), test_id="payment-state"),
            payer_facts(order),
            fact(_("Empresa"), facts.merchant),
            fact(_("NIT"), facts.nit),
            fact(_("Fecha y hora"), facts.date_label),
            fact(_("Valor"), facts.amount_label),
            class_name="facts",
            data_testid="payment-facts",
        ),
        name="pago",
    )


def instructions_section(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the instructions for a customer who pays outside the shop, such as by bank transfer."""
    facts = order.payment
    return section(
        _("Cómo pagar"),
        rx.el.p(facts.instructions, class_name="order__soft"),
        rx.el.dl(
            fact(_("Valor"), order.total_label),
            rx.foreach(
                facts.instruction_facts,
                lambda one: rx.el.div(rx.el.dt(one[0]), rx.el.dd(one[1]), key=one[0]),
            ),
            class_name="facts",
        ),
        name="como-pagar",
        test_id="payment-instructions",
    )


def payment_section(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the transaction data that PSE requires on the page of a payment's result (wire: checkout)."""
    facts = order.payment
    state = rx.match(facts.state, *texts.PAYMENT_STATES.items(), texts.PAYMENT_STATES["pending"])
    return section(
        rx.cond(facts.is_pse, _("Datos de la transacción PSE"), _("Pago")),
        rx.el.dl(
            fact(_("Estado"), state, test_id="payment-state"),
            rx.cond(facts.method != "", fact(_("Forma de pago"), facts.method, test_id="payment-method")),
            payer_facts(order),
            fact(_("Empresa"), facts.merchant),
            fact(_("NIT"), facts.nit),
            rx.cond(
                facts.is_pse,
                rx.fragment(fact(_("Banco"), facts.bank), fact(_("CUS"), facts.cus, test_id="payment-cus")),
            ),
            fact(_("Referencia"), facts.reference),
            fact(_("Fecha y hora"), facts.date_label),
            fact(_("Valor"), facts.amount_label),
            fact(_("Moneda"), facts.currency),
            fact(_("Descripción"), facts.description),
            rx.cond(facts.reason != "", fact(_("Respuesta"), facts.reason)),
            rx.cond(facts.is_pse, fact(_("IP de origen"), facts.payer_ip)),
            class_name="facts",
            data_testid="payment-facts",
        ),
        rx.el.p(
            _("¿Preguntas sobre este pago? Llámanos al "),
            rx.el.a(facts.contact_phone, href="tel:" + facts.contact_phone.to(str).replace(" ", "")),
            _(" o escríbenos a "),
            rx.el.a(facts.contact_email, href="mailto:" + facts.contact_email.to(str)),
            rx.cond(facts.is_pse, _(" y danos la referencia o el CUS."), _(" y danos la referencia.")),
            class_name="order__contact",
        ),
        whatsapp_button(
            # the URL without its token: staff who read the message open the order in the office
            _("Hola, tengo una pregunta sobre mi pedido {number}: {page}").format(
                number=order.number, page=f"{FrameState.shop.site}/order/{order.id}"
            ),
            _("Escríbenos por WhatsApp"),
        ),
        name="pago",
    )

"""The three steps of the form."""

import reflex as rx

from backend.texts import _
from storefront.components.browser import icon
from storefront.components.links import CHECKOUT, LOGIN
from storefront.pages.checkout import texts
from storefront.pages.checkout.browser import (
    DocumentField,
    DocumentNumber,
    Field,
    PersonCards,
    SavedAddresses,
    SelectField,
    ShippingChoices,
    TownField,
)
from storefront.pages.checkout.fields import DOCUMENTS, LABELS, PERSON_TYPES
from storefront.pages.checkout.state import CheckoutState


def step(number: int, title: str, is_done: rx.Var[bool], *content: rx.Component) -> rx.Component:
    """A step under its number, which becomes a tick when nothing is missing."""
    heading = f"paso-{number}"
    return rx.el.section(
        rx.el.h2(
            rx.el.span(
                rx.cond(is_done, icon("check", size=18), rx.el.span(number)),
                class_name="step__number",
                data_done=rx.cond(is_done, "true", "false"),
                aria_hidden="true",
            ),
            title,
            rx.cond(is_done, rx.el.span(_(" (completo)"), class_name="sr-only")),
            id=heading,
            class_name="step__title",
        ),
        rx.el.div(*content, class_name="step__body"),
        class_name="step",
        aria_labelledby=heading,
    )


def contact() -> rx.Component:
    """Who buys, and where it goes."""
    return step(
        1,
        _("Contacto y entrega"),
        CheckoutState.steps_done.contains("contact"),
        rx.cond(
            CheckoutState.is_guest,
            rx.el.p(
                _("¿Ya tienes cuenta? "),
                rx.el.a(_("Entra y no escribas todo otra vez"), href=f"{LOGIN}?next={CHECKOUT}"),
                class_name="checkout__enter",
            ),
        ),
        Field.create(
            name="email",
            type="email",
            label=LABELS["email"],
            hint=_("Para el comprobante de tu pago y las noticias de la entrega."),
            auto_complete="email",
            input_mode="email",
            auto_capitalize="none",
        ),
        SavedAddresses.create(
            label=_("¿A dónde lo enviamos?"), other=_("A otra dirección"), book=CheckoutState.book
        ),
        rx.el.div(
            Field.create(
                name="first_name",
                label=LABELS["first_name"],
                auto_complete="given-name",
                auto_capitalize="words",
            ),
            Field.create(
                name="last_name",
                label=LABELS["last_name"],
                auto_complete="family-name",
                auto_capitalize="words",
            ),
            class_name="pair",
        ),
        Field.create(
            name="phone",
            type="tel",
            label=LABELS["phone"],
            hint=_("10 dígitos, como 300 123 4567. Solo para coordinar la entrega."),
            auto_complete="tel-national",
            input_mode="tel",
        ),
        TownField.create(
            label=LABELS["dane_code"],
            texts=texts.TOWN,
            towns=CheckoutState.towns,
            answered=CheckoutState.towns_for,
            on_find=CheckoutState.find_town,
        ),
        Field.create(
            name="address",
            label=LABELS["address"],
            placeholder=_("Carrera 43A # 1-50, apto. 302"),
            auto_complete="address-line1",
            auto_capitalize="words",
        ),
        rx.el.div(
            Field.create(
                name="suburb", label=LABELS["suburb"], auto_complete="address-level3", auto_capitalize="words"
            ),
            Field.create(
                name="reference",
                label=LABELS["reference"],
                optional=_("(opcional)"),
                placeholder=_("Torre 2, portería"),
                auto_complete="address-line2",
                auto_capitalize="sentences",
            ),
            class_name="pair",
        ),
    )


def shipping() -> rx.Component:
    """How it gets there."""
    ways = CheckoutState.shipping
    return step(
        2,
        _("Envío"),
        (ways.status == "ready") & (ways.chosen != ""),
        ShippingChoices.create(label=_("Formas de envío"), texts=texts.SHIPPING),
    )


def payment() -> rx.Component:
    """How it is paid."""
    return step(
        3,
        _("Pago por PSE"),
        CheckoutState.steps_done.contains("payment"),
        rx.cond(CheckoutState.is_payable, rx.fragment(*pse()), not_payable()),
    )


def not_payable() -> rx.Component:
    """The shop takes no payments by PSE here: better said before anything is typed than after."""
    return rx.el.p(
        icon("warning"),
        rx.el.span(
            _(
                "Por ahora no podemos recibir pagos en línea. Escríbenos o llámanos y acordamos el pago: tu carrito "
                "sigue guardado."
            )
        ),
        class_name="alert",
        role="status",
        data_testid="payment-unavailable",
    )


def pse() -> list[rx.Component]:
    """What a payment by PSE needs to know."""
    return [
        rx.el.div(
            rx.el.span(_("PSE"), class_name="pse__mark", aria_hidden="true"),
            rx.el.div(
                rx.el.p(_("Débito bancario PSE"), class_name="pse__title"),
                rx.el.p(
                    _(
                        "Al pagar te llevamos a la página de tu banco, donde autorizas el débito desde tu cuenta."
                    )
                ),
            ),
            class_name="pse",
        ),
        PersonCards.create(label=LABELS["person_type"], options=PERSON_TYPES, documents=DOCUMENTS),
        rx.el.div(
            DocumentField.create(
                label=LABELS["doc_type"], placeholder=_("Elige el tipo de documento"), documents=DOCUMENTS
            ),
            DocumentNumber.create(label=LABELS["doc_number"], auto_complete="off"),
            class_name="pair",
        ),
        SelectField.create(
            rx.cond(
                CheckoutState.banks_problem != "",
                rx.el.div(
                    rx.el.p(CheckoutState.banks_problem),
                    rx.el.button(
                        _("Intentar de nuevo"),
                        type="button",
                        class_name="button button--quiet button--small",
                        on_click=CheckoutState.load_banks,
                    ),
                    class_name="alert",
                    role="alert",
                ),
            ),
            name="bank",
            label=LABELS["bank"],
            placeholder=_("Elige tu banco"),
            options=CheckoutState.banks,
            test_id="bank-select",
        ),
    ]

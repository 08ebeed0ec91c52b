"""The first two steps of the form: contact and address, and the shipping option."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.checkout.form import MAX_ADDRESS_LENGTH, MAX_REFERENCE_LENGTH
from backend.core.texts import _
from backend.orders.gifts import GIFT_MESSAGE, GIFT_RECIPIENT, MAX_MESSAGE_LENGTH
from backend.storefront_views.account_page import AddressView
from storefront.components.forms import described_by, field_problem, text_area_field, town_field, town_panel
from storefront.components.icons import icon
from storefront.links import CHECKOUT, LOGIN
from storefront.pages.checkout import texts
from storefront.pages.checkout.fields import LABELS, MAX_LENGTHS
from storefront.pages.checkout.form import (
    BOOK,
    FORM,
    LIVE,
    checkbox_props,
    control_props,
    field_id,
    letter_counter,
    problem_text,
    radio_props,
    text_line,
    typed_text,
)
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.step import step
from storefront.pages.checkout.views import Shipping, ShippingCard
from storefront.reflex_ext.hooks import ABSENT, last_known, props


def contact_step() -> rx.Component:
    """Build the step of contact and address."""
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
        text_line(
            "email",
            _("Para el comprobante de tu pago y las noticias de la entrega."),
            email_suggestion(),
            type="email",
            auto_complete="email",
            input_mode="email",
            auto_capitalize="none",
        ),
        saved_addresses(),
        rx.el.div(
            text_line("first_name", auto_complete="given-name", auto_capitalize="words"),
            text_line("last_name", auto_complete="family-name", auto_capitalize="words"),
            class_name="pair",
        ),
        text_line(
            "phone",
            _("10 dígitos, como 300 123 4567. Solo para coordinar la entrega."),
            type="tel",
            auto_complete="tel-national",
            input_mode="tel",
        ),
        town_field(
            LABELS["dane_code"],
            CheckoutState.towns,
            CheckoutState.towns_for,
            CheckoutState.find_town,
            towns_panel(),
            element_id=field_id("dane_code"),
            problem=problem_text("dane_code"),
            live=LIVE,
            is_picked=typed_text("dane_code").bool(),
            special_props=control_props("town"),
        ),
        rx.el.input(type="hidden", name="dane_code", value=typed_text("dane_code")),
        text_line(
            "address",
            _("Hasta {n} letras, con apartamento o casa.").format(n=MAX_ADDRESS_LENGTH),
            letter_counter("address", MAX_ADDRESS_LENGTH),
            placeholder=_("Carrera 43A # 1-50, apto. 302"),
            auto_complete="address-line1",
            auto_capitalize="words",
        ),
        rx.el.div(
            text_line("suburb", auto_complete="address-level3", auto_capitalize="words"),
            text_line(
                "reference",
                _("Hasta {n} letras.").format(n=MAX_REFERENCE_LENGTH),
                letter_counter("reference", MAX_REFERENCE_LENGTH),
                is_optional=True,
                placeholder=_("Torre 2, portería"),
                auto_complete="address-line2",
                auto_capitalize="sentences",
            ),
            class_name="pair",
        ),
        gift_section(),
    )


def email_suggestion() -> rx.Component:
    """Build the button that replaces a mistyped domain of the e-mail address."""
    suggested = CheckoutState.email_suggestion
    return rx.el.div(
        rx.cond(
            suggested != "",
            rx.el.button(
                _("¿Quisiste decir {address}?").format(address=suggested),
                class_name="button button--quiet button--small",
                data_testid="email-suggestion",
                special_props=[props(FORM.suggestion, "email", suggested)],
            ),
        ),
        class_name="checkout__suggestion",
        custom_attrs={"aria-live": "polite"},
    )


def gift_section() -> rx.Component:
    """Build the checkbox of a gift, which opens the fields of the recipient and the message."""
    opened = rx.el.div(
        rx.el.p(
            _("Tú pagas y recibes el comprobante. La guía lleva estos datos y la caja no lleva precios."),
            class_name="field__hint",
        ),
        rx.el.div(
            text_line("recipient_first_name", is_optional=True, auto_complete="off", auto_capitalize="words"),
            text_line("recipient_last_name", is_optional=True, auto_complete="off", auto_capitalize="words"),
            class_name="pair",
        ),
        text_line(
            "recipient_phone",
            _("10 dígitos. Si lo recibes tú, deja vacíos su nombre y su celular."),
            is_optional=True,
            type="tel",
            auto_complete="off",
            input_mode="tel",
        ),
        gift_message_field(),
        class_name="checkout__more",
        data_testid="gift-fields",
    )
    return rx.el.div(
        rx.el.label(
            rx.el.input(data_testid="gift-recipient", special_props=checkbox_props(GIFT_RECIPIENT)),
            rx.el.span(_("Es un regalo / lo recibe otra persona")),
            class_name="consent",
        ),
        rx.cond(typed_text(GIFT_RECIPIENT), opened),
        class_name="checkout__gift",
    )


def gift_message_field() -> rx.Component:
    """Build the text area of the gift message."""
    return text_area_field(
        GIFT_MESSAGE,
        LABELS[GIFT_MESSAGE],
        element_id=field_id(GIFT_MESSAGE),
        problem=problem_text(GIFT_MESSAGE),
        hint=_("Lo imprimimos y va dentro de la caja, que no lleva precios. Hasta {n} letras.").format(
            n=MAX_MESSAGE_LENGTH
        ),
        live=LIVE,
        max_length=MAX_LENGTHS[GIFT_MESSAGE],
        special_props=control_props(GIFT_MESSAGE),
    )


@rx.memo
def towns_panel() -> rx.Component:
    """Build the list of municipalities."""
    return town_panel(CheckoutState.towns, lambda town: {"special_props": [props(FORM.town, town)]})


def saved_addresses() -> rx.Component:
    """Build the radio buttons that fill in a saved address of the customer; hidden if there is none."""
    book = BOOK

    def card(entry: ObjectVar[AddressView]) -> rx.Component:
        return rx.el.label(
            rx.el.input(special_props=[props(FORM.address, entry)]),
            rx.el.span(
                rx.el.b(entry.address),
                rx.el.span(
                    entry.suburb,
                    rx.cond((entry.suburb != "") & (entry.town != ""), " · ", ""),
                    entry.town,
                    class_name="card-choice__note",
                ),
                rx.el.span(entry.first_name, " ", entry.last_name, class_name="card-choice__note"),
                class_name="card-choice__words",
            ),
            class_name="card-choice",
            key=entry.id,
            data_testid="saved-address",
        )

    return rx.cond(
        book.length() > 0,
        rx.el.fieldset(
            rx.el.legend(_("¿A dónde lo enviamos?"), class_name="field__label"),
            rx.foreach(book, card),
            rx.el.label(
                rx.el.input(special_props=[props(FORM.address, None)]),
                rx.el.span(rx.el.b(_("A otra dirección")), class_name="card-choice__words"),
                class_name="card-choice card-choice--small",
                data_testid="other-address",
            ),
            class_name="field cards",
        ),
    )


def shipping_step() -> rx.Component:
    """Build the step of the shipping option."""
    priced = CheckoutState.shipping
    again = rx.el.button(
        _("Intentar de nuevo"),
        type="button",
        class_name="button button--quiet button--small",
        custom_attrs={"onClick": FORM.quote_shipping},
    )
    town_first = _("Elige tu municipio y aquí verás las formas de envío con su precio exacto.")
    return step(
        2,
        _("Envío"),
        (priced.status == "ready") & (priced.chosen != ""),
        rx.cond(
            typed_text("dane_code"),
            rx.cond(
                priced.status == "failed",
                rx.el.div(
                    rx.el.p(
                        rx.cond(priced.problem != "", priced.problem, _("No pudimos calcular el envío."))
                    ),
                    again,
                    class_name="shipping__none",
                    role="alert",
                ),
                shipping_option_cards(priced),
            ),
            rx.el.p(icon("truck", size=28), rx.el.span(town_first), class_name="shipping__none"),
        ),
    )


def shipping_option_cards(priced: ObjectVar[Shipping]) -> rx.Component:
    """Build the shipping options with their prices for the current address.

    Prices for another address are never displayed.
    """
    element_id, problem = field_id("shipping"), problem_text("shipping")
    slow = _("La transportadora está tardando. Sigue con tus datos: el precio llega aquí.")
    none = _("Por ahora no tenemos envíos para esta compra. Escríbenos y lo resolvemos.")
    has_choices = priced.choices.length() > 0
    shown_options = last_known(priced.choices, has_choices | FORM.is_priced)

    def bone(kind: str = "") -> rx.Component:
        return rx.el.span(class_name=f"bone shipping__bone {kind}")

    def card(
        option: ObjectVar[ShippingCard] | None, is_first: bool | rx.Var[bool], key: str | rx.Var[str]
    ) -> rx.Component:
        note, price = (option.note, option.price) if option is not None else (bone(), bone())
        return rx.el.label(
            rx.el.input(
                id=rx.cond(is_first, element_id, ABSENT),
                disabled=FORM.is_waiting,
                special_props=radio_props("shipping_option", key, is_chosen=FORM.chosen == key),
            ),
            icon(rx.cond(option.is_pickup, "store", "truck") if option is not None else "truck"),
            rx.el.span(
                rx.el.b(option.name if option is not None else bone()),
                rx.el.span(
                    rx.cond(FORM.is_waiting, rx.cond(FORM.is_slow & is_first, slow, bone()), note),
                    class_name="card-choice__note",
                ),
                class_name="card-choice__words",
            ),
            rx.el.span(
                rx.cond(FORM.is_waiting, bone("shipping__bone--price"), price),
                class_name="card-choice__price",
            ),
            class_name="card-choice card-choice--wide",
            key=key,
            **({"data_testid": "shipping-option"} if option is not None else {}),
        )

    return rx.el.fieldset(
        rx.el.legend(_("Formas de envío"), class_name="sr-only"),
        rx.cond(
            FORM.is_priced & ((priced.notice != "") | ~has_choices),
            rx.el.p(rx.cond(priced.notice != "", priced.notice, none), class_name="shipping__none"),
        ),
        rx.cond(
            FORM.is_waiting | FORM.is_priced | has_choices,
            rx.cond(
                shown_options.length() > 0,
                rx.foreach(shown_options, lambda option, place: card(option, place == 0, option.id)),
                rx.cond(FORM.is_waiting, rx.fragment(card(None, True, "1"), card(None, False, "2"))),
            ),
        ),
        rx.el.p(
            rx.cond(
                FORM.is_slow,
                slow,
                rx.cond(FORM.is_pricing, texts.PRICING, _("El precio del envío está listo.")),
            ),
            class_name="sr-only",
            role="status",
        ),
        field_problem(element_id, problem, LIVE),
        class_name="field cards",
        custom_attrs={
            "aria-busy": rx.cond(FORM.is_pricing, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )

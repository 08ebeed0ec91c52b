"""The final step of the checkout's form: the payment."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.checkout.form import COMPANY_NAME, PAYMENT_PROVIDER
from backend.core.config.modules import GATEWAY_PSE
from backend.core.texts import _
from backend.customers.saved_payers import KEEP_PAYER
from backend.payment.providers.pse.payer import COMPANY, PERSON
from storefront.components.forms import described_by, field, field_problem, select_field
from storefront.components.icons import icon
from storefront.links import ACCOUNT
from storefront.pages.checkout.fields import DOCUMENTS, LABELS, NUMERIC_DOCUMENTS
from storefront.pages.checkout.form import (
    CHOSEN_METHOD,
    IS_FREE,
    LIVE,
    PAYMENT,
    checkbox_props,
    control_props,
    field_id,
    problem_text,
    provider_field_id,
    radio_props,
    text_line,
    typed_text,
)
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.step import step
from storefront.pages.checkout.views import PaymentField, PaymentMethod, SelectOption
from storefront.reflex_ext.hooks import ABSENT, last_known


def payment_step() -> rx.Component:
    """Build the step of the payment. If the total is 0, it has a message that there is nothing to pay."""
    fields = rx.cond(CheckoutState.is_payable, rx.fragment(*payment_fields()), not_payable())
    return step(
        3,
        rx.cond(IS_FREE | PAYMENT.has_cards, _("Pago"), _("Pago por PSE")),
        IS_FREE | CheckoutState.steps_done.contains("payment"),
        rx.cond(IS_FREE, nothing_to_pay(), fields),
    )


def nothing_to_pay() -> rx.Component:
    """Build the message that the total is 0, so no bank and no identity document are needed."""
    return rx.el.div(
        icon("check"),
        rx.el.p(_("No tienes nada que pagar: no te pedimos banco ni documento.")),
        class_name="pse",
        role="status",
        data_testid="payment-free",
    )


def not_payable() -> rx.Component:
    """Build the message that the shop cannot receive payments. It is displayed instead of the payment fields."""
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


def payment_fields() -> list[rx.Component]:
    """Build the choice of the payment provider, and the fields of the chosen provider."""
    document = rx.fragment(
        company_box(),
        rx.cond(
            typed_text("person_type") == COMPANY,
            rx.fragment(*company_fields(), key="company"),
            rx.fragment(*person_fields(), key="person"),
        ),
    )
    return [
        rx.cond(PAYMENT.has_cards, method_cards(), pse_notice()),
        rx.cond(PAYMENT.with_document.contains(CHOSEN_METHOD), document),
        rx.cond(CHOSEN_METHOD == GATEWAY_PSE, rx.fragment(bank_select(), saved_payer_box())),
        rx.foreach(
            PAYMENT.methods,
            lambda method: rx.cond(
                method.id == CHOSEN_METHOD,
                rx.fragment(rx.foreach(method.fields, provider_field), key=method.id),
            ),
        ),
    ]


def pse_notice() -> rx.Component:
    """Build the text about PSE, for a cart that can be paid only with PSE."""
    return rx.el.div(
        rx.el.span(_("PSE"), class_name="pse__mark", aria_hidden="true"),
        rx.el.div(
            rx.el.p(_("Débito bancario PSE"), class_name="pse__title"),
            rx.el.p(
                _("Al pagar te llevamos a la página de tu banco, donde autorizas el débito desde tu cuenta.")
            ),
        ),
        class_name="pse",
    )


def method_cards() -> rx.Component:
    """Build the choice of the payment provider: a card with a radio button for each."""
    element_id, problem = field_id(PAYMENT_PROVIDER), problem_text(PAYMENT_PROVIDER)

    def card(method: ObjectVar[PaymentMethod], place: rx.Var[int]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                id=rx.cond(place == 0, element_id, ABSENT),
                special_props=radio_props(PAYMENT_PROVIDER, method.id, is_chosen=method.id == CHOSEN_METHOD),
            ),
            rx.el.span(
                rx.el.b(method.name),
                rx.el.span(method.note, class_name="card-choice__note"),
                class_name="card-choice__words",
            ),
            class_name="card-choice",
            key=method.id,
            data_testid="payment-method",
        )

    return rx.el.fieldset(
        rx.el.legend(_("¿Cómo quieres pagar?"), class_name="field__label"),
        rx.foreach(PAYMENT.methods, card),
        field_problem(element_id, problem, LIVE),
        class_name="field cards",
        custom_attrs=described_by(element_id, problem),
    )


def provider_field(one: ObjectVar[PaymentField]) -> rx.Component:
    """Build a field that a payment provider adds: a select element if it has options, else a text field."""
    label: rx.Var[str] = one.label.to(str)
    element_id, problem = provider_field_id(one), problem_text(one.name)
    hint = rx.cond(one.hint != "", rx.el.p(one.hint, class_name="field__hint"))
    chosen = select_field(
        label,
        (
            rx.el.option(_("Elige una opción"), value="", custom_attrs={"disabled": True}),
            rx.foreach(
                one.options, lambda option: rx.el.option(option.label, value=option.value, key=option.value)
            ),
        ),
        hint,
        element_id=element_id,
        problem=problem,
        live=LIVE,
        special_props=control_props(one.name),
    )
    typed = field(
        one.name.to(str),
        label,
        hint,
        element_id=element_id,
        problem=problem,
        live=LIVE,
        enter_key_hint="next",
        special_props=control_props(one.name),
    )
    return rx.fragment(rx.cond(one.options.length() > 0, chosen, typed), key=one.name)


def saved_payer_box() -> rx.Component:
    """Build the checkbox to save the payer's document and bank. It is not ticked at first, and hidden from guests.

    If saved values were filled in, a hint is displayed.
    """
    hint = rx.el.p(
        _("Llenamos tu documento y tu banco porque nos lo pediste. "),
        rx.el.a(_("Bórralos en tu cuenta"), href=ACCOUNT),
        class_name="field__hint",
        data_testid="payer-known",
    )
    box = rx.el.label(
        rx.el.input(data_testid="keep-payer", special_props=checkbox_props(KEEP_PAYER)),
        rx.el.span(_("Recordar mi documento y mi banco para mi próxima compra")),
        class_name="consent",
    )
    return rx.cond(
        CheckoutState.is_guest, rx.fragment(), rx.fragment(rx.cond(CheckoutState.has_payer, hint), box)
    )


def company_box() -> rx.Component:
    """Build the checkbox by which the customer states that a company buys, not a person."""
    element_id, problem = field_id("person_type"), problem_text("person_type")
    also = {kind: {"doc_type": default_document(kind)} for kind in (PERSON, COMPANY)}
    return rx.el.div(
        rx.el.label(
            rx.el.input(
                id=rx.Var.create(element_id),
                data_testid="company-buys",
                special_props=checkbox_props("person_type", COMPANY, PERSON, also),
                custom_attrs=described_by(element_id, problem),
            ),
            rx.el.span(_("Compra una empresa")),
            class_name="consent",
        ),
        field_problem(element_id, problem, LIVE),
        class_name="field",
    )


def company_fields() -> list[rx.Component]:
    """Build the fields of a company: its name and NIT."""
    return [
        text_line(
            COMPANY_NAME,
            _("Como está en el RUT: así sale en la factura."),
            auto_complete="organization",
            auto_capitalize="words",
        ),
        text_line(
            "doc_number",
            _("Con o sin dígito de verificación, como 900.123.456-8."),
            label="NIT",
            auto_complete="off",
            input_mode="text",
        ),
    ]


def person_fields() -> list[rx.Component]:
    """Build the fields of a person: type and number of the identity document."""
    number = text_line(
        "doc_number",
        auto_complete="off",
        auto_capitalize="characters",
        input_mode=rx.cond(
            rx.Var.create(NUMERIC_DOCUMENTS).contains(typed_text("doc_type")), "numeric", "text"
        ),
    )
    return [rx.el.div(document_select(), number, class_name="pair")]


def select_options(
    name: str, options: ArrayVar[list[SelectOption]], placeholder: str
) -> tuple[rx.Component, rx.Component]:
    """Build the options of a select element.

    A placeholder comes first, unless there is only one option and it is chosen.
    """
    nothing = rx.el.option(placeholder, value="", custom_attrs={"disabled": True})
    entries = rx.foreach(options, lambda entry: rx.el.option(entry.label, value=entry.value, key=entry.value))
    is_offered = options.pluck("value").contains(typed_text(name))
    return rx.cond(~is_offered | (options.length() > 1), nothing), entries


def default_document(person_type: str) -> str:
    """Return the document type that is selected when the type of person changes.

    Persons and companies have different document types.
    """
    return DOCUMENTS[person_type][0]["value"]


def document_select() -> rx.Component:
    """Build the select element of a person's document type."""
    kinds = rx.Var.create(DOCUMENTS[PERSON])
    return select_field(
        LABELS["doc_type"],
        select_options("doc_type", kinds.to(ArrayVar, list[SelectOption]), _("Elige el tipo de documento")),
        element_id=field_id("doc_type"),
        problem=problem_text("doc_type"),
        live=LIVE,
        special_props=control_props("doc_type"),
    )


def bank_select() -> rx.Component:
    """Build the select element of the bank."""
    problem = rx.cond(
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
    )
    banks = last_known(CheckoutState.banks, CheckoutState.banks.length() > 0)
    return select_field(
        LABELS["bank"],
        select_options("bank", banks, _("Elige tu banco")),
        problem,
        element_id=field_id("bank"),
        problem=problem_text("bank"),
        live=LIVE,
        data_testid="bank-select",
        special_props=control_props("bank"),
    )

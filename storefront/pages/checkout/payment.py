"""The last step of the form: how it is paid."""

import reflex as rx
from reflex.vars import ArrayVar

from backend.core.texts import _
from backend.customers.saved_payers import KEEP_PAYER
from backend.payment.providers.pse.payer import PERSON
from storefront.components.forms import described_by, problem_of, select_field
from storefront.components.icons import icon
from storefront.links import ACCOUNT
from storefront.pages.checkout.fields import DOCUMENTS, LABELS, PERSON_TYPES, WRITTEN_IN_DIGITS
from storefront.pages.checkout.form import (
    IS_FREE,
    LIVE,
    choice,
    control,
    field_id,
    line,
    problem_at,
    tick,
    typed,
)
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.step import step
from storefront.pages.checkout.views import Choice
from storefront.reflex_ext.hooks import lasting


def payment() -> rx.Component:
    """Build the step in which it is paid, or which says that nothing is to be paid."""
    by_pse = rx.cond(CheckoutState.is_payable, rx.fragment(*pse()), not_payable())
    return step(
        3,
        rx.cond(IS_FREE, _("Pago"), _("Pago por PSE")),
        IS_FREE | CheckoutState.steps_done.contains("payment"),
        rx.cond(IS_FREE, nothing_to_pay(), by_pse),
    )


def nothing_to_pay() -> rx.Component:
    """Say that the total is 0: no bank and no document are asked for."""
    return rx.el.div(
        icon("check"),
        rx.el.p(_("No tienes nada que pagar: no te pedimos banco ni documento.")),
        class_name="pse",
        role="status",
        data_testid="payment-free",
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
        payer(),
        rx.el.div(
            document_kind(),
            line(
                "doc_number",
                auto_complete="off",
                auto_capitalize="characters",
                input_mode=rx.cond(
                    rx.Var.create(WRITTEN_IN_DIGITS).contains(typed("doc_type")), "numeric", "text"
                ),
            ),
            class_name="pair",
        ),
        bank(),
        kept_payer(),
    ]


def kept_payer() -> rx.Component:
    """For customers: that document and bank were filled in for them, and the box that asks for it. It begins empty."""
    told = rx.el.p(
        _("Llenamos tu documento y tu banco porque nos lo pediste. "),
        rx.el.a(_("Bórralos en tu cuenta"), href=ACCOUNT),
        class_name="field__hint",
        data_testid="payer-known",
    )
    box = rx.el.label(
        rx.el.input(data_testid="keep-payer", special_props=tick(KEEP_PAYER)),
        rx.el.span(_("Recordar mi documento y mi banco para mi próxima compra")),
        class_name="consent",
    )
    return rx.cond(
        CheckoutState.is_guest, rx.fragment(), rx.fragment(rx.cond(CheckoutState.has_payer, told), box)
    )


def payer() -> rx.Component:
    """Who pays: a person or a company."""
    element_id, problem = field_id("person_type"), problem_at("person_type")
    cards = [
        rx.el.label(
            rx.el.input(
                special_props=choice(
                    "person_type", option["value"], also={"doc_type": first_document(option["value"])}
                ),
                **({"id": rx.Var.create(element_id)} if place == 0 else {}),
            ),
            icon(option["icon"]),
            rx.el.span(
                rx.el.b(option["label"]),
                rx.el.span(option["note"], class_name="card-choice__note"),
                class_name="card-choice__words",
            ),
            class_name="card-choice",
        )
        for place, option in enumerate(PERSON_TYPES)
    ]
    return rx.el.fieldset(
        rx.el.legend(LABELS["person_type"], class_name="field__label"),
        rx.el.div(*cards, class_name="cards__row"),
        problem_of(element_id, problem, LIVE),
        class_name="field cards",
        custom_attrs=described_by(element_id, problem),
    )


def options_of(
    name: str, options: ArrayVar[list[Choice]], placeholder: str
) -> tuple[rx.Component, rx.Component]:
    """The entries of a list, and before them what it says while none of them is chosen."""
    nothing = rx.el.option(placeholder, value="", custom_attrs={"disabled": True})
    entries = rx.foreach(options, lambda entry: rx.el.option(entry.label, value=entry.value, key=entry.value))
    is_offered = options.pluck("value").contains(typed(name))
    return rx.cond(~is_offered | (options.length() > 1), nothing), entries


def first_document(person_type: str) -> str:
    """The document that is chosen with a type of person: those of the other types are not among its own."""
    return DOCUMENTS[person_type][0]["value"]


def document_kind() -> rx.Component:
    """With which document: a company has only its NIT, a person everything else."""
    kinds = rx.Var.create(DOCUMENTS)[rx.cond(typed("person_type"), typed("person_type"), PERSON)]
    return select_field(
        LABELS["doc_type"],
        options_of("doc_type", kinds.to(ArrayVar, list[Choice]), _("Elige el tipo de documento")),
        element_id=field_id("doc_type"),
        problem=problem_at("doc_type"),
        live=LIVE,
        special_props=control("doc_type"),
    )


def bank() -> rx.Component:
    """At which bank."""
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
    banks = lasting(CheckoutState.banks, CheckoutState.banks.length() > 0)
    return select_field(
        LABELS["bank"],
        options_of("bank", banks, _("Elige tu banco")),
        problem,
        element_id=field_id("bank"),
        problem=problem_at("bank"),
        live=LIVE,
        data_testid="bank-select",
        special_props=control("bank"),
    )

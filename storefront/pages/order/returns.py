"""The section of an order's page to cancel the order, return products (retracto) and claim the warranty (garantía).

The forms accept pictures, work without scripts, and redirect to this page.
"""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.returns.forms import ACCOUNT_TYPES, MAX_REASON_LENGTH, UNITS_PREFIX
from backend.returns.routes import MAX_PICTURES
from backend.storefront_views.returns_page import OfferLine, OfferView, RequestedReturnView, ReturnsView
from storefront.components.forms import described_by, field, field_box, field_problem, select_field
from storefront.components.http_forms import ANSWER, file_form, pictures_field
from storefront.components.icons import icon
from storefront.pages.order.sections import section
from storefront.reflex_ext.hooks import ABSENT, text_at

RETURNS_ID = "devoluciones"


def returns_section(part: ObjectVar[ReturnsView], action: rx.Var[str], result: rx.Var[str]) -> rx.Component:
    """Build the section of cancellations, returns and warranty claims: existing requests, and forms for new ones.

    The section is hidden if it has neither requests nor forms.
    """
    shown = section(
        _("Cancelar, devolver o pedir garantía"),
        rx.cond(
            result != "",
            rx.el.p(result, role="status", class_name="returns__said", data_testid="returns-said"),
        ),
        rx.el.ul(rx.foreach(part.requested_returns, return_row), class_name="returns"),
        rx.foreach(part.offers, lambda offer: offer_form(offer, action)),
        name=RETURNS_ID,
    )
    return rx.cond((part.requested_returns.length() > 0) | (part.offers.length() > 0), shown)


def return_row(row: ObjectVar[RequestedReturnView]) -> rx.Component:
    """Build a return request with its status."""
    return rx.el.li(
        rx.el.p(rx.el.b(row.title), " · ", row.state_label, class_name="parcel__name"),
        rx.el.p(row.text),
        rx.foreach(row.denial, lambda line: rx.el.p(line, key=line)),
        class_name="returns__one",
        key=row.title,
        data_testid="return",
        data_state=row.state,
    )


def offer_form(offer: ObjectVar[OfferView], action: rx.Var[str]) -> rx.Component:
    """Build the form of a new request of the offered kind, such as a return. It is collapsed at first."""
    return rx.el.details(
        rx.el.summary(offer.title, icon("down", size=20), class_name="returns__head"),
        file_form(
            offer_fields(offer=offer),
            action=action,
            submit=offer.button,
            look="dark",
            test_id="ask-return",
            class_name="returns__form",
        ),
        class_name="returns__offer",
        key=offer.kind,
        data_testid=f"offer-{offer.kind}",
    )


@rx.memo
def offer_fields(offer: ObjectVar[OfferView]) -> rx.Component:
    """Build the fields of the form for a new request.

    They are a separate component (`rx.memo`), because only a component inside the form can read `ANSWER`,
    which has the problems of the fields.
    """
    return rx.fragment(
        rx.el.p(offer.lead, class_name="order__soft"),
        rx.el.input(type="hidden", name="kind", value=offer.kind, read_only=True),
        rx.foreach(offer.lines, lambda line: units_field(offer.kind, line)),
        field_problem(f"{offer.kind}-units", text_at(ANSWER.problems, "units"), ""),
        reason_field(offer),
        rx.cond(offer.takes_pictures, pictures_field(f"{offer.kind}-pictures", MAX_PICTURES)),
        rx.cond(
            offer.needs_account,
            rx.el.p(rx.el.b(_("¿A qué cuenta te devolvemos el dinero?"))),
            rx.el.p(rx.el.b(_("Tu cuenta, por si hay que devolverte dinero (opcional)"))),
        ),
        *account_fields(offer),
    )


def units_field(kind: Any, line: ObjectVar[OfferLine]) -> rx.Component:
    """Build the input for the units of a line."""
    name = f"{UNITS_PREFIX}{line.id}"
    return field(
        name,
        line.title.to(str),
        element_id=f"{kind}-{line.id}",
        problem=text_at(ANSWER.problems, name),
        live="",
        type="number",
        min="0",
        max=line.units,
        default_value=line.units.to_string(),
        input_mode="numeric",
        key=line.id,
    )


def reason_field(offer: ObjectVar[OfferView]) -> rx.Component:
    """Build the text area for the reason."""
    element_id = f"{offer.kind}-reason"
    problem = text_at(ANSWER.problems, "reason")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="reason",
        rows="3",
        max_length=MAX_REASON_LENGTH,
        required=offer.needs_reason,
        class_name="field__input pqrs__text",
        custom_attrs={
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )
    label = rx.cond(offer.needs_reason, _("¿Qué pasa?"), _("¿Por qué? (opcional)"))
    return field_box(label, area, element_id=element_id, problem=problem, live="")


def account_fields(offer: ObjectVar[OfferView]) -> list[rx.Component]:
    """Build the fields of the bank account that receives the refund."""
    is_required = rx.cond(offer.needs_account, True, ABSENT)

    def line(name: str, label: str, **more: Any) -> rx.Component:
        return field(
            name,
            label,
            element_id=f"{offer.kind}-{name}",
            problem=text_at(ANSWER.problems, name),
            live="",
            required=is_required,
            **more,
        )

    options = [rx.el.option(label, value=value) for value, label in ACCOUNT_TYPES.items()]
    return [
        line("bank", _("Banco")),
        select_field(
            _("Tipo de cuenta"),
            [rx.el.option(_("Elige"), value=""), *options],
            element_id=f"{offer.kind}-account_type",
            problem=text_at(ANSWER.problems, "account_type"),
            live="",
            name="account_type",
            default_value="",
            required=is_required,
        ),
        line("account_number", _("Número de la cuenta"), input_mode="numeric"),
        line("holder", _("De quién es la cuenta"), auto_complete="name"),
        line("document", _("Documento de quien la tiene")),
    ]

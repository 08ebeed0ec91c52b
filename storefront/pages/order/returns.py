"""On an order's page: cancelling it, retracto and garantía, and how that goes which was asked for.

The forms carry pictures, need no script, and lead back to this page.
"""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.returns.forms import ACCOUNT_TYPES, LONGEST_REASON, UNITS
from backend.returns.routes import MOST_PICTURES
from backend.storefront_views.returns_page import AskedView, OfferLine, OfferView, ReturnsView
from storefront.components.forms import (
    NO_PROBLEM,
    field,
    field_box,
    pictures_field,
    select_field,
)
from storefront.components.http_forms import file_form
from storefront.components.icons import icon
from storefront.pages.order.sections import section
from storefront.reflex_ext.hooks import ABSENT

NAME = "devoluciones"


def returns(part: ObjectVar[ReturnsView], action: rx.Var[str], said: rx.Var[str]) -> rx.Component:
    """All of it, where there is any."""
    shown = section(
        _("Cancelar, devolver o pedir garantía"),
        rx.cond(
            said != "",
            rx.el.p(said, role="status", class_name="returns__said", data_testid="returns-said"),
        ),
        rx.el.ul(rx.foreach(part.asked, asked), class_name="returns"),
        rx.foreach(part.offers, lambda one: offer(one, action)),
        name=NAME,
    )
    return rx.cond((part.asked.length() > 0) | (part.offers.length() > 0), shown)


def asked(row: ObjectVar[AskedView]) -> rx.Component:
    """How one stands."""
    return rx.el.li(
        rx.el.p(rx.el.b(row.title), " · ", row.state_label, class_name="parcel__name"),
        rx.el.p(row.text),
        rx.foreach(row.denial, lambda line: rx.el.p(line, key=line)),
        class_name="returns__one",
        key=row.title,
        data_testid="return",
        data_state=row.state,
    )


def offer(one: ObjectVar[OfferView], action: rx.Var[str]) -> rx.Component:
    """A form that asks for it, folded."""
    return rx.el.details(
        rx.el.summary(one.title, icon("down", size=20), class_name="returns__head"),
        file_form(
            rx.el.p(one.lead, class_name="order__soft"),
            rx.el.input(type="hidden", name="kind", value=one.kind, read_only=True),
            rx.foreach(one.lines, lambda line: units(one.kind, line)),
            reason(one),
            rx.cond(one.takes_pictures, pictures_field(f"{one.kind}-pictures", MOST_PICTURES)),
            rx.cond(
                one.needs_account,
                rx.el.p(rx.el.b(_("¿A qué cuenta te devolvemos el dinero?"))),
                rx.el.p(rx.el.b(_("Tu cuenta, por si hay que devolverte dinero (opcional)"))),
            ),
            *account(one),
            action=action,
            submit=one.button,
            look="dark",
            test_id="ask-return",
            class_name="returns__form",
        ),
        class_name="returns__offer",
        key=one.kind,
        data_testid=f"offer-{one.kind}",
    )


def units(kind: Any, line: ObjectVar[OfferLine]) -> rx.Component:
    """How many of a toy."""
    return field(
        f"{UNITS}{line.id}",
        line.title.to(str),
        element_id=f"{kind}-{line.id}",
        problem=NO_PROBLEM,
        live="",
        type="number",
        min="0",
        max=line.units,
        default_value=line.units.to_string(),
        input_mode="numeric",
        key=line.id,
    )


def reason(one: ObjectVar[OfferView]) -> rx.Component:
    """Why."""
    element_id = f"{one.kind}-reason"
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="reason",
        rows="3",
        max_length=LONGEST_REASON,
        required=one.needs_reason,
        class_name="field__input pqrs__text",
    )
    label = rx.cond(one.needs_reason, _("¿Qué pasa?"), _("¿Por qué? (opcional)"))
    return field_box(label, area, element_id=element_id, problem=NO_PROBLEM, live="")


def account(one: ObjectVar[OfferView]) -> list[rx.Component]:
    """Where the money goes to."""
    must = rx.cond(one.needs_account, True, ABSENT)

    def line(name: str, label: str, **more: Any) -> rx.Component:
        return field(
            name,
            label,
            element_id=f"{one.kind}-{name}",
            problem=NO_PROBLEM,
            live="",
            required=must,
            **more,
        )

    options = [rx.el.option(label, value=value) for value, label in ACCOUNT_TYPES.items()]
    return [
        line("bank", _("Banco")),
        select_field(
            _("Tipo de cuenta"),
            [rx.el.option(_("Elige"), value=""), *options],
            element_id=f"{one.kind}-account_type",
            problem=NO_PROBLEM,
            live="",
            name="account_type",
            default_value="",
            required=must,
        ),
        line("account_number", _("Número de la cuenta"), input_mode="numeric"),
        line("holder", _("De quién es la cuenta"), auto_complete="name"),
        line("document", _("Documento de quien la tiene")),
    ]

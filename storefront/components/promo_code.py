"""Promotion codes in the cart: the input, the entered codes and their discounts."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.cart.views import CodeView, SavingView
from backend.core.texts import _
from storefront.components.forms import BUSY, SubmitOnce, field_problem
from storefront.components.icons import icon
from storefront.state.cart import MAX_CODE_LENGTH, CartState


def saving_rows(savings: ArrayVar[list[SavingView]] | Any) -> rx.Component:
    """Build a row for the discount of each promotion, for a list of totals."""

    def row(saving: ObjectVar[SavingView]) -> rx.Component:
        return rx.el.div(
            rx.el.dt(_("Descuento "), saving.code),
            rx.el.dd(saving.amount_label),
            key=saving.code,
            class_name="summary__saving",
            data_testid="saving",
        )

    return rx.fragment(rx.foreach(savings, row))


def typed_code(code: ObjectVar[CodeView]) -> rx.Component:
    """Build the list item of an entered promotion code: the code, its remove button, and why it gives no discount.

    The reason is left out if the code gives a discount.
    """
    return rx.el.li(
        rx.el.span(
            rx.el.b(code.code),
            rx.cond(code.refusal != "", rx.el.span(code.refusal, class_name="promo__refusal")),
            class_name="promo__words",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            class_name="icon-button",
            on_click=CartState.drop_code(code.code),  # type: ignore[call-arg, arg-type]
            aria_label=_("Quitar el código ") + code.code.to(str),
            data_testid="promo-drop",
        ),
        key=code.code,
        class_name="promo__code",
    )


@rx.memo
def promo_code() -> rx.Component:
    """Build the expandable input for a promotion code, and the codes of the cart."""
    element_id, problem = "promo-code", CartState.code_problem
    form = rx.el.form(
        rx.el.label(_("Código"), class_name="sr-only", html_for=element_id),
        rx.el.input(
            id=rx.Var.create(element_id),
            name="code",
            type="text",
            auto_complete="off",
            auto_capitalize="characters",
            spell_check=False,
            max_length=MAX_CODE_LENGTH,
            placeholder=_("Escríbelo aquí"),
            class_name="field__input promo__input",
            data_testid="promo-code",
            custom_attrs={
                "aria-invalid": rx.cond(problem, "true", "false"),
                "aria-describedby": f"{element_id}-problem",
            },
        ),
        rx.el.button(
            _("Aplicar"),
            type="submit",
            class_name="button button--quiet",
            data_testid="promo-apply",
            custom_attrs={"aria-busy": rx.cond(BUSY, "true", "false")},
        ),
        field_problem(element_id, problem, "polite"),
        on_submit=CartState.apply_code,
        reset_on_submit=False,
        class_name="promo__form",
    )
    codes = CartState.cart.codes
    return rx.el.div(
        rx.cond(codes.length() > 0, rx.el.ul(rx.foreach(codes, typed_code), class_name="promo__codes")),
        rx.el.details(
            rx.el.summary(_("¿Tienes un código?"), class_name="promo__ask"),
            SubmitOnce.create(form, answers=CartState.answers),
            key=codes.length().to(str),
            class_name="promo__fold",
        ),
        class_name="promo",
    )

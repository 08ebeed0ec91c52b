"""Devolución: what is asked for, what arrived, where the money goes, and what is to be done now."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.returns.detail import FileView, ReturnLineView
from backend.returns.processing import LONGEST_DENIAL, LONGEST_REFERENCE
from backend.returns.refund_limits import MAX_REASON
from backend.returns.routes import RECEIPTS
from storefront.components.forms import SENT_BY_THE_BROWSER, Once, field_box, problem_of
from storefront.office.components.detail import BUTTON, detail_screen, fact, line_head, panel, skeleton
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field
from storefront.office.components.history import history
from storefront.office.icons import icon
from storefront.office.navigation import ORDERS, RETURNS
from storefront.office.returns.bank_account_fields import account_form_fields
from storefront.office.returns.detail_state import DAMAGED, GOOD, ReturnState
from storefront.office.state import answers
from storefront.reflex_ext.hooks import text_at

TITLE = _("Devolución")
SHOWN = ReturnState.content


def page() -> rx.Component:
    """One return."""
    content = rx.fragment(
        head(),
        rx.el.div(
            rx.el.div(items(), decisions(), class_name="o-order__main"),
            rx.el.div(asked(), account(), files(), class_name="o-order__side"),
            rx.el.div(history(SHOWN.order_id), class_name="o-order__past"),
            class_name="o-order__columns",
        ),
    )
    title = rx.cond(ReturnState.content, f"{SHOWN.kind} {SHOWN.number}", TITLE)
    return detail_screen(ReturnState, title, (_("Devoluciones"), RETURNS), content, skeleton())


def can(action: str) -> rx.Var[bool]:
    """Whether this can be done now."""
    return SHOWN.actions.contains(action)


def head() -> rx.Component:
    """How it stands, and how much time is left."""
    return rx.el.div(
        rx.foreach(SHOWN.chips, state_chip),
        rx.cond(
            SHOWN.due_label != "",
            rx.el.span(_("Plazo: {day}").format(day=SHOWN.due_label), class_name="o-row__detail"),
        ),
        rx.el.a(
            _("Pedido {number}").format(number=SHOWN.order_number),
            href=f"{ORDERS}/{SHOWN.order_id}",
            class_name="o-link",
        ),
        class_name="o-one__head",
        data_testid="return-state",
    )


def asked() -> rx.Component:
    """Who asked, when and why; and what happened since."""
    return panel(
        _("Lo que piden"),
        rx.el.p(rx.el.b(SHOWN.buyer), rx.cond(SHOWN.email != "", f" · {SHOWN.email}", "")),
        rx.el.p(
            SHOWN.asked_label,
            rx.cond(SHOWN.asked_by != "", _(" · la abrió {name}").format(name=SHOWN.asked_by), ""),
            class_name="o-row__detail",
        ),
        rx.cond(SHOWN.in_time != "", rx.el.p(SHOWN.in_time, class_name="o-row__detail")),
        rx.cond(SHOWN.reason != "", rx.el.p(SHOWN.reason, class_name="o-pqrs__words")),
        rx.cond(
            SHOWN.denial != "",
            rx.el.p(rx.el.b(_("No procede: ")), SHOWN.denial, class_name="o-pqrs__words"),
        ),
        facts(SHOWN.facts),
    )


def facts(of: ArrayVar[list[tuple[str, str]]]) -> rx.Component:
    """Names and values."""
    return rx.cond(
        of.length() > 0,
        rx.el.dl(
            rx.foreach(of, fact),
            class_name="o-facts",
        ),
    )


def items() -> rx.Component:
    """What is in it; while it is waited for, a form that says what arrived."""

    def line(one: ObjectVar[ReturnLineView]) -> rx.Component:
        return rx.el.li(
            line_head(
                one.picture,
                one.title,
                one.detail,
                _("Unidades: {n}").format(n=one.quantity),
                rx.cond(one.arrived != "", " · ", ""),
                one.arrived,
            ),
            rx.cond(can("receive"), rx.el.span(*arriving(one), class_name="o-return__arriving")),
            key=one.id,
            class_name="o-return__line",
            data_testid="return-line",
        )

    listed = rx.el.ul(rx.foreach(SHOWN.lines, line), class_name="o-return__lines")
    receiving = rx.el.form(
        listed,
        rx.el.button(
            icon("box", size=20),
            _("Recibir"),
            type="submit",
            class_name=f"{BUTTON}button--primary",
            data_testid="return-receive",
        ),
        no_validate=True,
        class_name="o-form",
        on_submit=ReturnState.receive,
    )
    return rx.cond(
        SHOWN.lines.length() > 0,
        panel(
            _("Juguetes"),
            rx.cond(can("receive"), Once.create(receiving, answers=answers(ReturnState)), listed),
        ),
    )


def arriving(one: ObjectVar[ReturnLineView]) -> list[rx.Component]:
    """How many of a line arrived, and how."""

    def units(begin: str, label: str, default: Any) -> rx.Component:
        return rx.el.label(
            rx.el.span(label, class_name="o-row__detail"),
            rx.el.input(
                name=f"{begin}{one.id}",
                default_value=default,
                input_mode="numeric",
                max_length=5,
                auto_complete="off",
                class_name="field__input o-return__units",
            ),
        )

    return [
        units(GOOD, _("Buenas"), one.quantity.to_string()),
        units(DAMAGED, _("Con daño"), "0"),
    ]


def decisions() -> rx.Component:
    """What can be decided now: the money, a refusal, the payment."""
    return rx.fragment(
        rx.cond(can("approve"), Once.create(approving(), answers=answers(ReturnState))),
        rx.cond(can("pay"), Once.create(paying(), answers=answers(ReturnState))),
        rx.cond(can("deny"), Once.create(denying(), answers=answers(ReturnState))),
    )


def approving() -> rx.Component:
    """How much goes back."""
    again = rx.el.label(
        rx.el.input(type="checkbox", name="restock", value="yes", default_checked=True, class_name="o-box"),
        rx.el.span(_("Volver a vender las que llegaron en buen estado")),
        class_name="o-every",
    )
    hint = _("Hasta {most} sin explicar por qué. En un retracto vuelve todo lo que pagó.")
    return panel(
        _("Devolver el dinero"),
        rx.el.form(
            amount_field("approve", hint.format(most=SHOWN.most_label)),
            rx.cond(SHOWN.has_good, again),
            rx.el.button(
                _("Aprobar"),
                type="submit",
                class_name=f"{BUTTON}button--primary",
                data_testid="return-approve",
            ),
            no_validate=True,
            class_name="o-form",
            on_submit=ReturnState.approve,
        ),
    )


def amount_field(form: str, hint: Any) -> rx.Component:
    """Pesos, beginning with what is proposed."""
    return rx.fragment(
        office_field(
            ReturnState,
            form,
            "amount",
            _("Valor"),
            default_value=SHOWN.proposed,
            input_mode="numeric",
            auto_complete="off",
            key=SHOWN.proposed,
        ),
        rx.el.p(hint, class_name="field__hint"),
        office_field(
            ReturnState,
            form,
            "why",
            _("Por qué es más (solo si lo es)"),
            is_optional=True,
            max_length=MAX_REASON,
            auto_complete="off",
        ),
    )


def paying() -> rx.Component:
    """The transfer that was made."""
    return panel(
        _("Pagar"),
        rx.cond(
            SHOWN.account.length() > 0,
            facts(SHOWN.account),
            rx.el.p(_("Falta la cuenta: pídesela al comprador."), class_name="o-row__detail"),
        ),
        rx.el.form(
            amount_field("pay", _("Haz la transferencia en tu banco y anota aquí lo que enviaste.")),
            office_field(
                ReturnState,
                "pay",
                "reference",
                _("Referencia de la transferencia"),
                max_length=LONGEST_REFERENCE,
                auto_complete="off",
            ),
            rx.el.button(
                _("Ya la pagué"),
                type="submit",
                class_name=f"{BUTTON}button--primary",
                data_testid="return-pay",
            ),
            no_validate=True,
            class_name="o-form",
            on_submit=ReturnState.pay,
        ),
    )


def denying() -> rx.Component:
    """Why nothing goes back."""
    element_id, problem = "deny-denial", text_at(ReturnState.problems, "denial")
    return rx.el.details(
        rx.el.summary(icon("down", size=20), _("No procede"), class_name="o-disclosure"),
        rx.el.form(
            field_box(
                _("Por qué. El comprador lo lee tal cual."),
                rx.el.textarea(
                    id=rx.Var.create(element_id),
                    name="denial",
                    rows="4",
                    max_length=LONGEST_DENIAL,
                    class_name="field__input o-pqrs__area",
                ),
                element_id=element_id,
                problem=problem,
                live="",
            ),
            rx.el.button(
                _("Negar la devolución"),
                type="submit",
                class_name=f"{BUTTON}button--dark",
                data_testid="return-deny",
            ),
            no_validate=True,
            class_name="o-form",
            on_submit=ReturnState.deny,
        ),
        class_name="o-panel o-section",
    )


def account() -> rx.Component:
    """Where the money goes to."""
    form = edit_form(
        ReturnState,
        ReturnState.save_account,
        *account_form_fields(ReturnState, "account", SHOWN.account_fields),
    )
    return rx.cond(
        can("account") | (SHOWN.account.length() > 0),
        panel(
            _("Cuenta del comprador"),
            facts(SHOWN.account),
            rx.cond(
                can("account"),
                rx.el.details(
                    rx.el.summary(icon("edit", size=20), _("Cambiar la cuenta"), class_name="o-disclosure"),
                    form,
                ),
            ),
        ),
    )


def files() -> rx.Component:
    """The buyer's pictures and the receipt, and a form to add it."""

    def file(one: ObjectVar[FileView]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                rx.cond(
                    one.is_picture,
                    rx.el.img(src=one.path, alt=one.label, loading="lazy", class_name="o-return__picture"),
                    rx.el.span(icon("receipt", size=28), one.label, class_name="o-return__file"),
                ),
                href=one.path,
                target="_blank",
                custom_attrs={"reloadDocument": True},
            ),
            key=one.id,
        )

    # a form of the browser's own: the file goes over HTTP, and the screen comes back
    sending = rx.el.form(
        rx.el.label(
            _("Comprobante de la transferencia"), html_for="return-receipt", class_name="field__label"
        ),
        rx.el.input(
            id=rx.Var.create("return-receipt"),
            type="file",
            name="receipt",
            accept="image/*,application/pdf",
            required=True,
            class_name="field__input",
        ),
        problem_of("return-receipt", text_at(ReturnState.problems, "receipt"), ""),
        rx.el.button(_("Guardar comprobante"), type="submit", class_name=f"{BUTTON}button--dark"),
        action=f"{RECEIPTS}?id={SHOWN.id}",
        method="post",
        enc_type="multipart/form-data",
        special_props=[SENT_BY_THE_BROWSER],
        class_name="o-form",
    )
    return rx.cond(
        can("receipt") | (SHOWN.files.length() > 0),
        panel(
            _("Fotos y comprobantes"),
            rx.el.ul(rx.foreach(SHOWN.files, file), class_name="o-return__files"),
            rx.cond(can("receipt"), sending),
        ),
    )

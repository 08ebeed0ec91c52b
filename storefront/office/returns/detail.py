"""Components of a return's screen (Devolución)."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.returns.detail import FileView, ReturnLineView
from backend.payment.manual_methods import METHOD_NAMES, ManualMethod
from backend.returns.processing import MAX_DENIAL_LENGTH, MAX_REFERENCE_LENGTH
from backend.returns.refund_limits import MAX_REASON_LENGTH
from backend.returns.routes import RECEIPTS
from storefront.components.forms import NATIVE_SUBMIT, SubmitOnce, field_box
from storefront.components.http_forms import document_field
from storefront.office.components.detail import (
    BUTTON,
    detail_screen,
    fact_row,
    panel,
    product_line_head,
    skeleton,
)
from storefront.office.components.feedback import state_chip
from storefront.office.components.forms import edit_form, office_field, office_select
from storefront.office.components.history import history_panel
from storefront.office.icons import icon
from storefront.office.navigation import EXCHANGE, ORDERS, RETURNS
from storefront.office.returns.bank_account_fields import account_form_fields
from storefront.office.returns.detail_state import (
    ALL_DAMAGED,
    ALL_GOOD,
    ARRIVAL,
    DAMAGED,
    GOOD,
    NONE,
    OTHER,
    ReturnState,
)
from storefront.office.state import answer_number
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped

TITLE = _("Devolución")
VIEW = ReturnState.content


def page() -> rx.Component:
    """Render the return's screen."""
    content = rx.fragment(
        status_line(),
        rx.el.div(
            rx.el.div(lines_panel(), decision_forms(), class_name="o-order__main"),
            rx.el.div(request_panel(), account_panel(), files_panel(), class_name="o-order__side"),
            rx.el.div(history_panel(VIEW.order_id), class_name="o-order__past"),
            class_name="o-order__columns",
        ),
    )
    title = rx.cond(ReturnState.content, f"{VIEW.kind} {VIEW.number}", TITLE)
    return detail_screen(ReturnState, title, (_("Devoluciones"), RETURNS), content, skeleton())


def is_allowed(action: str) -> rx.Var[bool]:
    """Return a variable that is True if the action is possible now."""
    return VIEW.actions.contains(action)


def status_line() -> rx.Component:
    """Render the return's status and its deadline."""
    return rx.el.div(
        rx.foreach(VIEW.chips, state_chip),
        rx.cond(
            VIEW.due_label != "",
            rx.el.span(_("Plazo: {day}").format(day=VIEW.due_label), class_name="o-row__detail"),
        ),
        rx.el.a(
            _("Pedido {number}").format(number=VIEW.order_number),
            href=f"{ORDERS}/{VIEW.order_id}",
            class_name="o-link",
        ),
        rx.cond(
            is_allowed("exchange"),
            rx.el.a(
                _("Terminar el cambio"),
                href=f"{EXCHANGE}?pedido={VIEW.order_id}",
                class_name="o-link",
                data_testid="return-exchange",
            ),
        ),
        class_name="o-one__head",
        data_testid="return-state",
    )


def request_panel() -> rx.Component:
    """Render the request of the return (person, time and reason) and the shop's decision."""
    return panel(
        _("Lo que piden"),
        rx.el.p(rx.el.b(VIEW.customer_name), rx.cond(VIEW.email != "", f" · {VIEW.email}", "")),
        rx.el.p(
            VIEW.asked_label,
            rx.cond(VIEW.asked_by != "", _(" · la abrió {name}").format(name=VIEW.asked_by), ""),
            class_name="o-row__detail",
        ),
        rx.cond(VIEW.deadline_text != "", rx.el.p(VIEW.deadline_text, class_name="o-row__detail")),
        rx.cond(VIEW.reason != "", rx.el.p(VIEW.reason, class_name="o-pqrs__words")),
        rx.cond(
            VIEW.denial != "",
            rx.el.p(rx.el.b(_("No procede: ")), VIEW.denial, class_name="o-pqrs__words"),
        ),
        facts_list(VIEW.facts),
    )


def facts_list(pairs: ArrayVar[list[tuple[str, str]]]) -> rx.Component:
    """Render a list of names and values. Render nothing if the list is empty."""
    return rx.cond(
        pairs.length() > 0,
        rx.el.dl(
            rx.foreach(pairs, fact_row),
            class_name="o-facts",
        ),
    )


def lines_panel() -> rx.Component:
    """Render the lines of the return. While its units are expected, the lines have fields to record their arrival.

    The fields are empty, so that only counted numbers are recorded.
    """

    def line(view: ObjectVar[ReturnLineView]) -> rx.Component:
        return rx.el.li(
            product_line_head(
                view.picture,
                view.title,
                view.detail,
                _("Unidades: {n}").format(n=grouped(view.quantity)),
                rx.cond(view.arrived != "", " · ", ""),
                view.arrived,
            ),
            rx.cond(
                is_allowed("receive"), rx.el.span(*arrived_fields(view), class_name="o-return__arriving")
            ),
            key=view.id,
            class_name="o-return__line",
            data_testid="return-line",
        )

    listed = rx.el.ul(rx.foreach(VIEW.lines, line), class_name="o-return__lines")
    receiving = rx.el.form(
        listed,
        rx.el.button(
            icon("box", size=20),
            _("Recibir"),
            type="submit",
            class_name=f"{BUTTON}button--primary",
            data_testid="return-receive",
        ),
        rx.el.button(
            icon("check", size=20),
            _("Llegó todo en buen estado"),
            type="button",
            data_once="",
            on_click=ReturnState.receive_all,
            class_name=f"{BUTTON}button--quiet",
            data_testid="return-receive-all",
        ),
        no_validate=True,
        class_name="o-form",
        on_submit=ReturnState.receive,
    )
    return rx.cond(
        VIEW.lines.length() > 0,
        panel(
            _("Productos"),
            rx.cond(
                is_allowed("receive"),
                SubmitOnce.create(receiving, answers=answer_number(ReturnState)),
                listed,
            ),
        ),
    )


def arrived_fields(line: ObjectVar[ReturnLineView]) -> list[rx.Component]:
    """Return the fields of a line's arrived units: a select field, and two fields for numbers.

    The numbers of good and of damaged units are needed only if the select field has the value `OTHER`.
    """

    def units(prefix: str, label: str) -> rx.Component:
        return rx.el.label(
            rx.el.span(label, class_name="o-row__detail"),
            rx.el.input(
                name=f"{prefix}{line.id}",
                input_mode="numeric",
                max_length=5,
                auto_complete="off",
                class_name="field__input o-return__units",
            ),
            class_name="o-return__count",
        )

    def choice(value: str, one: str, several: str) -> rx.Component:
        label = rx.cond(line.quantity == 1, one, several.format(n=grouped(line.quantity)))
        return rx.el.option(label, value=value)

    arrival = rx.el.label(
        rx.el.span(_("¿Cómo llegó?"), class_name="o-row__detail"),
        rx.el.span(
            rx.el.select(
                rx.el.option(_("Elige"), value=""),
                choice(ALL_GOOD, _("En buen estado"), _("Las {n} en buen estado")),
                choice(ALL_DAMAGED, _("Con daño"), _("Las {n} con daño")),
                choice(NONE, _("No llegó"), _("No llegó ninguna")),
                rx.cond(line.quantity > 1, rx.el.option(_("De otra forma: escribir cuántas"), value=OTHER)),
                name=f"{ARRIVAL}{line.id}",
                default_value="",
                class_name="field__input",
                data_testid="return-arrival",
            ),
            icon("down", size=18),
            class_name="select",
        ),
    )
    return [arrival, units(GOOD, _("Buenas")), units(DAMAGED, _("Con daño"))]


def decision_forms() -> rx.Component:
    """Render the forms of the possible decisions: approve, pay, deny."""
    return rx.fragment(
        rx.cond(
            is_allowed("approve"), SubmitOnce.create(approval_form(), answers=answer_number(ReturnState))
        ),
        rx.cond(is_allowed("pay"), SubmitOnce.create(payment_form(), answers=answer_number(ReturnState))),
        rx.cond(is_allowed("deny"), SubmitOnce.create(denial_form(), answers=answer_number(ReturnState))),
    )


def approval_form() -> rx.Component:
    """Render the form that approves a refund."""
    restock_box = rx.el.label(
        rx.el.input(type="checkbox", name="restock", value="yes", default_checked=True, class_name="o-box"),
        rx.el.span(_("Volver a vender las que llegaron en buen estado")),
        class_name="o-every",
    )
    hint = _("Hasta {most} sin explicar por qué. En un retracto vuelve todo lo que pagó.")
    return panel(
        _("Devolver el dinero"),
        rx.el.form(
            amount_field("approve", hint.format(most=VIEW.max_label)),
            rx.cond(VIEW.has_good, restock_box),
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
    """Render the field of the amount in pesos, filled with the proposed amount, and the field of a reason."""
    return rx.fragment(
        office_field(
            ReturnState,
            form,
            "amount",
            _("Valor"),
            default_value=VIEW.proposed,
            input_mode="numeric",
            auto_complete="off",
            key=VIEW.proposed,
        ),
        rx.el.p(hint, class_name="field__hint"),
        office_field(
            ReturnState,
            form,
            "why",
            _("Por qué es más (solo si lo es)"),
            is_optional=True,
            max_length=MAX_REASON_LENGTH,
            auto_complete="off",
        ),
    )


def payment_form() -> rx.Component:
    """Render the form that records the refund's payment, by bank transfer or in cash."""
    return panel(
        _("Pagar"),
        rx.cond(
            VIEW.account.length() > 0,
            facts_list(VIEW.account),
            rx.el.p(_("Falta la cuenta: pídesela al comprador."), class_name="o-row__detail"),
        ),
        rx.el.form(
            amount_field(
                "pay", _("Haz la transferencia o entrega el efectivo, y anota aquí cuánto devolviste.")
            ),
            office_select(
                ReturnState,
                "pay",
                "method",
                _("Cómo lo devolviste"),
                [
                    rx.el.option(METHOD_NAMES[one], value=one)
                    for one in (ManualMethod.TRANSFER, ManualMethod.CASH)
                ],
            ),
            office_field(
                ReturnState,
                "pay",
                "reference",
                _("Referencia o número del recibo"),
                max_length=MAX_REFERENCE_LENGTH,
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


def denial_form() -> rx.Component:
    """Render the form that denies the return with a reason."""
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
                    max_length=MAX_DENIAL_LENGTH,
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


def account_panel() -> rx.Component:
    """Render the customer's bank account, and a form to change it."""
    form = edit_form(
        ReturnState,
        ReturnState.save_account,
        *account_form_fields(ReturnState, "account", VIEW.account_fields),
    )
    return rx.cond(
        is_allowed("account") | (VIEW.account.length() > 0),
        panel(
            _("Cuenta del comprador"),
            facts_list(VIEW.account),
            rx.cond(
                is_allowed("account"),
                rx.el.details(
                    rx.el.summary(icon("edit", size=20), _("Cambiar la cuenta"), class_name="o-disclosure"),
                    form,
                ),
            ),
        ),
    )


def files_panel() -> rx.Component:
    """Render the customer's pictures and the receipts, and a form to upload a receipt."""

    def file_link(view: ObjectVar[FileView]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                rx.cond(
                    view.is_picture,
                    rx.el.img(src=view.path, alt=view.label, loading="lazy", class_name="o-return__picture"),
                    rx.el.span(icon("receipt", size=28), view.label, class_name="o-return__file"),
                ),
                href=view.path,
                target="_blank",
                custom_attrs={"reloadDocument": True},
            ),
            key=view.id,
        )

    # a native form: the browser sends the file over HTTP and loads the screen again
    sending = rx.el.form(
        document_field(
            "receipt",
            _("Comprobante de la transferencia"),
            element_id="return-receipt",
            problem=text_at(ReturnState.problems, "receipt"),
            rules=_("Una foto, o un PDF de máximo 2 MB."),
            wrong_type=_("{name} no es una foto ni un PDF.").format(name="{name}"),
        ),
        rx.el.button(_("Guardar comprobante"), type="submit", class_name=f"{BUTTON}button--dark"),
        action=f"{RECEIPTS}?id={VIEW.id}",
        method="post",
        enc_type="multipart/form-data",
        special_props=[NATIVE_SUBMIT],
        class_name="o-form",
    )
    return rx.cond(
        is_allowed("receipt") | (VIEW.files.length() > 0),
        panel(
            _("Fotos y comprobantes"),
            rx.el.ul(rx.foreach(VIEW.files, file_link), class_name="o-return__files"),
            rx.cond(is_allowed("receipt"), sending),
        ),
    )

"""A return that the shop opens for a buyer who called or wrote."""

from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.returns.detail import OpeningLine, OpeningView, opening_view
from backend.returns.forms import ACCOUNT, LONGEST_REASON, UNITS
from backend.returns.models import KIND_NAMES
from backend.returns.requests import open_return
from backend.staff.rights import Actor, Right
from storefront.components.forms import Once, field_box
from storefront.office.components.detail import line_head
from storefront.office.components.feedback import screen, state_chip
from storefront.office.components.forms import office_select
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import ORDERS, RETURNS
from storefront.office.returns.bank_account_fields import account_form_fields
from storefront.office.state import OfficeScreen, answers, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id, checked_text

TITLE = _("Nueva devolución")
MOST_FIELDS = 500
"""Of a form: one for each line of a large order, and a few."""


class OpeningState(OfficeScreen, KnownClientState):
    """The order of which a return is opened: the address names it."""

    content: rx.Field[OpeningView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.HANDLE_RETURNS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _content(self, actor: Actor) -> OpeningView:
        async with current_shop().database.read() as session:
            return await opening_view(session, actor, self._order_id())

    @office_event(Right.HANDLE_RETURNS)
    async def open(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Open it, and go there. The form holds `kind`, `reason`, the bank account, and units by line."""
        typed = checked_form(form)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                row = await open_return(session, actor, self._order_id(), typed)
        except InvalidData as error:
            self.problems = dict(error.fields)
            self._tell(error.fields.get("units") or CHECK_FIELDS, "problem")
        except NotAllowed:
            self._tell(_("No se puede: no queda dinero por devolver, o algo tiene guía."), "problem")
            await self._show(actor)
        else:
            return rx.redirect(f"{RETURNS}/{row.id}")
        return None

    def _order_id(self) -> str:
        asked = dict(parse_qsl(str(self.router.url.query), max_num_fields=10))
        return checked_id(asked.get("pedido", "") or "-")


def checked_form(form: object) -> dict[str, str]:
    """The texts that a return's form sent, by their names.

    Raises:
        InvalidData: it is no form of texts, or one of them is too long.
    """
    if not isinstance(form, dict) or len(form) > MOST_FIELDS:
        raise InvalidData("not a form")
    return {
        checked_text(name, 100): checked_text(value, LONGEST_REASON)
        for name, value in form.items()
        if name in ("kind", "reason", *ACCOUNT) or str(name).startswith(UNITS)
    }


SHOWN = OpeningState.content


def page() -> rx.Component:
    """The whole screen."""
    back = rx.el.a(
        icon("left", size=20),
        _("Pedido {number}").format(number=SHOWN.order_number),
        href=f"{ORDERS}/{SHOWN.order_id}",
        class_name="o-back",
    )
    content = rx.fragment(
        back,
        rx.el.p(
            SHOWN.buyer,
            " · ",
            _("Queda por devolver hasta {amount}.").format(amount=SHOWN.left_label),
            class_name="o-row__detail",
        ),
        rx.cond(SHOWN.others.length() > 0, others()),
        Once.create(form(), answers=answers(OpeningState)),
    )
    return office(OpeningState, RETURNS, TITLE, screen(OpeningState, content), class_name="o-one")


def others() -> rx.Component:
    """The returns that the order has already."""
    return rx.el.ul(
        rx.foreach(
            SHOWN.others,
            lambda row: rx.el.li(
                rx.el.a(row.kind, " ", row.number, href=f"{RETURNS}/{row.id}", class_name="o-link"),
                rx.foreach(row.chips, state_chip),
                key=row.id,
            ),
        ),
        class_name="o-panel o-section o-links",
        aria_label=_("Otras devoluciones de este pedido"),
    )


def form() -> rx.Component:
    """Which right, which lines, why, and where the money goes."""
    options = [rx.el.option(label, value=kind.value) for kind, label in KIND_NAMES.items()]
    element_id, problem = "opening-reason", text_at(OpeningState.problems, "reason")
    return rx.el.form(
        rx.el.section(
            office_select(
                OpeningState,
                "opening",
                "kind",
                _("¿Qué es?"),
                [rx.el.option(_("Elige"), value=""), *options],
                default_value="",
            ),
            rx.el.h2(_("Unidades"), class_name="o-section__title"),
            rx.el.ul(rx.foreach(SHOWN.lines, line), class_name="o-return__lines"),
            field_box(
                _("Motivo"),
                rx.el.textarea(
                    id=rx.Var.create(element_id),
                    name="reason",
                    rows="3",
                    max_length=LONGEST_REASON,
                    class_name="field__input",
                ),
                element_id=element_id,
                problem=problem,
                is_optional=True,
                live="",
            ),
            class_name="o-panel o-section o-form",
        ),
        rx.el.details(
            rx.el.summary(
                icon("down", size=20), _("Cuenta para devolver el dinero"), class_name="o-disclosure"
            ),
            rx.el.div(*account_form_fields(OpeningState, "opening"), class_name="o-form"),
            class_name="o-panel o-section",
        ),
        rx.el.button(
            _("Abrir la devolución"),
            type="submit",
            class_name="button button--primary button--small",
            data_testid="save",
        ),
        no_validate=True,
        on_submit=OpeningState.open,
    )


def line(one: ObjectVar[OpeningLine]) -> rx.Component:
    """A toy, and how many of it."""
    name = f"{UNITS}{one.id}"
    said = rx.cond(
        one.sent != 0,
        _("Enviadas: {n}").format(n=one.sent),
        rx.cond(one.unsent != 0, _("Sin enviar: {n}").format(n=one.unsent), _("Ninguna por devolver")),
    )
    return rx.el.li(
        line_head(one.picture, one.title, one.detail, said),
        rx.el.input(
            name=name,
            default_value="0",
            input_mode="numeric",
            max_length=5,
            auto_complete="off",
            aria_label=_("Unidades de {toy}").format(toy=one.title),
            aria_invalid=rx.cond(text_at(OpeningState.problems, name), "true", "false"),
            class_name="field__input o-return__units",
        ),
        key=one.id,
        class_name="o-return__line",
    )

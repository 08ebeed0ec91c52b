"""The screen that opens a return for a customer who called or wrote."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.returns.detail import NewReturnLine, NewReturnView, new_return_view
from backend.returns.forms import ACCOUNT_FIELDS, MAX_REASON_LENGTH, UNITS_PREFIX
from backend.returns.models import KIND_NAMES, ReturnKind
from backend.returns.requests import open_return
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce, field_box
from storefront.office.components.detail import back_link, product_line_head
from storefront.office.components.feedback import screen, state_chip
from storefront.office.components.forms import office_select
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import ORDERS, RETURNS
from storefront.office.returns.bank_account_fields import account_form_fields
from storefront.office.state import OfficeScreen, answer_number, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_text

TITLE = _("Nueva devolución")
MAX_FIELDS = 500
"""Maximum number of fields of a form: one for each line of a large order, and a few more."""


class NewReturnState(OfficeScreen, KnownClientState):
    """State of the screen that opens a return. The id of the order is in the URL."""

    content: rx.Field[NewReturnView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.HANDLE_RETURNS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _read_content(self, actor: Actor) -> NewReturnView:
        async with current_shop().database.read() as session:
            return await new_return_view(session, actor, self._order_in_query())

    @office_event(Right.HANDLE_RETURNS)
    async def open(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Open the return and redirect to its screen.

        The form has `kind`, `reason`, the bank account, and the units of each line.
        """
        typed = parse_return_form(form)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                row = await open_return(session, actor, self._order_in_query(), typed)
        except InvalidData as error:
            self.problems = dict(error.fields)
            self._announce(error.fields.get("units") or CHECK_FIELDS, "problem")
        except NotAllowed:
            self._announce(_("No se puede: no queda dinero por devolver, o algo ya se empacó."), "problem")
            await self._show(actor)
        else:
            return rx.redirect(f"{RETURNS}/{row.id}")
        return None


def parse_return_form(form: object) -> dict[str, str]:
    """Return the texts of a return's form by name.

    Raises:
        InvalidData: the form contains other values than texts, or a text is too long.
    """
    if not isinstance(form, dict) or len(form) > MAX_FIELDS:
        raise InvalidData("not a form")
    return {
        checked_text(name, 100): checked_text(value, MAX_REASON_LENGTH)
        for name, value in form.items()
        if name in ("kind", "reason", *ACCOUNT_FIELDS) or str(name).startswith(UNITS_PREFIX)
    }


VIEW = NewReturnState.content


def page() -> rx.Component:
    """Render the screen of a new return."""
    content = rx.fragment(
        back_link(_("Pedido {number}").format(number=VIEW.order_number), f"{ORDERS}/{VIEW.order_id}"),
        rx.el.p(
            VIEW.customer_name,
            " · ",
            _("Queda por devolver hasta {amount}.").format(amount=VIEW.left_label),
            class_name="o-row__detail",
        ),
        rx.cond(VIEW.others.length() > 0, other_returns()),
        SubmitOnce.create(new_return_form(), answers=answer_number(NewReturnState)),
    )
    return office_layout(NewReturnState, RETURNS, TITLE, screen(NewReturnState, content), class_name="o-one")


def other_returns() -> rx.Component:
    """Render the order's existing returns."""
    return rx.el.ul(
        rx.foreach(
            VIEW.others,
            lambda row: rx.el.li(
                rx.el.a(row.kind, " ", row.number, href=f"{RETURNS}/{row.id}", class_name="o-link"),
                rx.foreach(row.chips, state_chip),
                key=row.id,
            ),
        ),
        class_name="o-panel o-section o-links",
        aria_label=_("Otras devoluciones de este pedido"),
    )


def new_return_form() -> rx.Component:
    """Render the form: kind, units, reason and bank account."""
    kinds = [kind for kind in KIND_NAMES if kind is not ReturnKind.EXCHANGE]  # it has a screen of its own
    options = [rx.el.option(KIND_NAMES[kind], value=kind.value) for kind in kinds]
    element_id, problem = "opening-reason", text_at(NewReturnState.problems, "reason")
    return rx.el.form(
        rx.el.section(
            office_select(
                NewReturnState,
                "opening",
                "kind",
                _("¿Qué es?"),
                [rx.el.option(_("Elige"), value=""), *options],
                default_value="",
            ),
            rx.el.h2(_("Unidades"), class_name="o-section__title"),
            rx.el.ul(rx.foreach(VIEW.lines, return_line), class_name="o-return__lines"),
            field_box(
                _("Motivo"),
                rx.el.textarea(
                    id=rx.Var.create(element_id),
                    name="reason",
                    rows="3",
                    max_length=MAX_REASON_LENGTH,
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
            rx.el.div(*account_form_fields(NewReturnState, "opening"), class_name="o-form"),
            class_name="o-panel o-section",
        ),
        rx.el.button(
            _("Abrir la devolución"),
            type="submit",
            class_name="button button--primary button--small",
            data_testid="save",
        ),
        no_validate=True,
        on_submit=NewReturnState.open,
    )


def return_line(view: ObjectVar[NewReturnLine]) -> rx.Component:
    """Render a line with the number of units to return."""
    name = f"{UNITS_PREFIX}{view.id}"
    sent_text = rx.cond(
        view.sent != 0,
        _("Empacadas: {n}").format(n=grouped(view.sent)),
        rx.cond(
            view.unsent != 0, _("Sin empacar: {n}").format(n=grouped(view.unsent)), _("Ninguna por devolver")
        ),
    )
    return rx.el.li(
        product_line_head(view.picture, view.title, view.detail, sent_text),
        rx.el.input(
            name=name,
            placeholder="0",
            input_mode="numeric",
            max_length=5,
            auto_complete="off",
            aria_label=_("Unidades de {toy}").format(toy=view.title),
            aria_invalid=rx.cond(text_at(NewReturnState.problems, name), "true", "false"),
            class_name="field__input o-return__units",
        ),
        key=view.id,
        class_name="o-return__line",
    )

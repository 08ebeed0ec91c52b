"""The screen «Cerrar el día»: count the cash, explain a difference, and see the latest closings."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.cash_closings.service import MAX_REASON_LENGTH, close_day
from backend.core.errors import Conflict, InvalidData
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.closing import ClosingRow, ClosingView, closing_view
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import office_field
from storefront.office.layout import office_layout
from storefront.office.navigation import SELL
from storefront.office.state import OfficeScreen, answer_number, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_text

TITLE = _("Cerrar el día")
FIELDS = ("expected", "previous", "counted", "left", "reason")


class ClosingState(OfficeScreen, KnownClientState):
    """State of the screen: the money since the latest closing, and earlier closings."""

    content: rx.Field[ClosingView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.SELL
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS, Topic.RETURNS})

    async def _read_content(self, actor: Actor) -> ClosingView:
        async with current_shop().database.read() as session:
            return await closing_view(session, actor)

    @office_event()
    async def close(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Close the day: store the counted cash, the cash left in the drawer, and the reason for a difference.

        `expected` (pesos) and `previous` (the id of the latest closing) are those that the screen displayed.
        """
        typed = checked_fields(form_data, *FIELDS, max_length=MAX_REASON_LENGTH)
        self.problems = {}
        amounts = {name: parse_pesos(typed[name]) for name in ("counted", "left")}
        problems = {name: _("Escribe los pesos.") for name, pesos in amounts.items() if pesos is None}
        if problems:
            raise InvalidData("not pesos", fields=problems)
        try:
            async with current_shop().database.transaction() as session:
                await close_day(
                    session,
                    actor,
                    seen_expected=_parse_signed(typed["expected"]),
                    seen_previous=checked_text(typed["previous"], MAX_REASON_LENGTH),
                    counted=amounts["counted"] or 0,
                    left=amounts["left"] or 0,
                    reason=typed["reason"],
                )
        except Conflict:
            await self._show(actor)
            self._announce(
                _("Mientras contabas entró o salió dinero. Mira lo que debe haber ahora."), "problem"
            )
        else:
            await self._announce_done(actor, _("Día cerrado."))


def _parse_signed(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidData("not a number") from None


VIEW = ClosingState.content


def page() -> rx.Component:
    """Render the screen on which staff close the day."""
    content = rx.el.div(open_day(), rx.cond(VIEW.closings.length() > 0, history()), class_name="o-sell")
    return office_layout(ClosingState, SELL, TITLE, screen(ClosingState, content))


def open_day() -> rx.Component:
    """Render the money since the latest closing, and the form in which staff enter the counted cash."""

    def line(label: Any, amount: Any, class_name: str = "") -> rx.Component:
        return rx.el.div(rx.el.span(label), rx.el.span(amount), class_name=class_name)

    def number(name: str, label: str, **more: Any) -> rx.Component:
        return office_field(
            ClosingState, "closing", name, label, input_mode="numeric", auto_complete="off", **more
        )

    form = rx.el.form(
        rx.el.input(type="hidden", name="expected", value=VIEW.expected.to_string(), read_only=True),
        rx.el.input(type="hidden", name="previous", value=VIEW.previous_id, read_only=True),
        number("counted", _("Efectivo que contaste")),
        number("left", _("Queda en la caja para mañana")),
        office_field(
            ClosingState,
            "closing",
            "reason",
            _("Por qué no cuadra"),
            is_optional=True,
            max_length=MAX_REASON_LENGTH,
            auto_complete="off",
        ),
        rx.el.button(TITLE, type="submit", class_name="button button--primary", data_testid="save"),
        class_name="o-sell__form",
        key=f"closing-{VIEW.previous_id}",
        no_validate=True,
        on_submit=ClosingState.close,
    )
    return rx.el.section(
        rx.el.div(
            rx.foreach(VIEW.sums, lambda one: line(one[0], one[1])),
            line(_("Debe haber en efectivo"), VIEW.expected_label, "o-sell__total"),
            class_name="o-sell__totals",
            data_testid="closing-sums",
        ),
        SubmitOnce.create(form, answers=answer_number(ClosingState)),
        class_name="o-panel",
    )


def history() -> rx.Component:
    """Render the latest closings."""
    return rx.el.section(
        rx.el.h2(_("Cierres anteriores"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(VIEW.closings, closing_row), class_name="o-sell__lines"),
        class_name="o-panel",
    )


def closing_row(row: ObjectVar[ClosingRow]) -> rx.Component:
    """Render a past closing: when, the counted amount, the sums, the reason, by whom, and the difference."""
    return rx.el.li(
        rx.el.span(
            rx.el.span(row.moment_label, " · ", row.counted_label, class_name="o-row__title"),
            rx.foreach(row.sums, lambda one: rx.el.span(one[0], " ", one[1], class_name="o-row__detail")),
            rx.cond(row.reason != "", rx.el.span(row.reason, class_name="o-row__detail")),
            rx.el.span(row.closed_by, class_name="o-row__detail"),
            class_name="o-stock__words",
        ),
        rx.cond(row.difference != "", chip(row.difference, "bad"), chip(_("Cuadra"), "good")),
        class_name="o-sell__waiting",
        key=row.id,
        data_testid="closing-row",
    )

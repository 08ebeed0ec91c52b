"""Devoluciones: what waits for the shop, the soonest due on top, and what is settled."""

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.news import Topic
from backend.office.returns import (
    FIELDS,
    KINDS,
    LONGEST_TEXT,
    STATES,
    ReturnRow,
    ReturnsView,
    address_of_returns,
    count_newer_returns,
    returns_again,
    returns_view,
)
from backend.staff.rights import Actor, Right
from backend.texts import _
from storefront.live.state_loss import KnownClientState
from storefront.office.components.feedback import empty, screen
from storefront.office.components.finding import Finding
from storefront.office.components.lists import fresh, more, row_link, rows
from storefront.office.layout import office
from storefront.office.orders.listing import state_chip
from storefront.office.places import RETURNS
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields

TITLE = _("Devoluciones")
MOST_PARAMETERS = 20


class ReturnsState(OfficeScreen, KnownClientState):
    """The returns that the address asks for."""

    content: rx.Field[ReturnsView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _content(self, actor: Actor) -> ReturnsView:
        asked = dict(parse_qsl(str(self.router.url.query), max_num_fields=MOST_PARAMETERS))
        async with current_shop().database.read() as session:
            return await returns_view(session, actor, asked)

    async def _refresh(self, actor: Actor) -> None:
        """No row moves: those that are there show how they stand now, and how many are new is said."""
        shown = self.content
        if shown is None:
            return
        async with current_shop().database.read() as session:
            again = await returns_again(session, actor, [row.id for row in shown.rows])
            self.fresh = await count_newer_returns(session, actor, shown.asked, shown.newest)
        standing = [again.get(row.id, row) for row in shown.rows]
        if standing != shown.rows:
            self.content = replace(shown, rows=standing)

    @office_event(Right.READ_ORDERS)
    async def show_fresh(self, actor: Actor) -> None:
        """Show what is new."""
        await self._show(actor)

    @office_event(Right.READ_ORDERS)
    async def more(self, actor: Actor) -> None:
        """Show the next rows too."""
        shown = self.content
        if shown is None or not shown.cursor:
            return
        async with current_shop().database.read() as session:
            following = await returns_view(session, actor, shown.asked, shown.cursor)
        self.content = replace(shown, rows=[*shown.rows, *following.rows], cursor=following.cursor)

    @office_event(Right.READ_ORDERS)
    async def ask(self, _actor: Actor, form: dict[str, Any]) -> Any:
        """Ask for other returns: the address says which."""
        typed = checked_fields(form, *FIELDS, longest=LONGEST_TEXT)
        kept = self.content.asked if self.content else {}
        asked = {name: typed[name] if name in form else kept.get(name, "") for name in FIELDS}
        return rx.redirect(address_of_returns(asked, RETURNS))


SHOWN: Any = ReturnsState.content.to(ObjectVar, ReturnsView)
ASKED: Any = SHOWN.asked.to(ObjectVar, dict[str, str])
FINDING = Finding("returns", RETURNS, ASKED, SHOWN.active, ReturnsState.ask, _("Abiertas"))


def page() -> rx.Component:
    """The returns."""
    nothing = empty(
        "check",
        _("Ninguna devolución"),
        _("Lo que pidan desde la página de su pedido aparece aquí. También puedes abrirla desde un pedido."),
    )
    content = rx.fragment(
        filters(),
        fresh(ReturnsState.fresh, ReturnsState.show_fresh),
        rows(SHOWN.rows, return_row, rx.el.div(nothing, class_name="o-panel"), label=TITLE),
        more(SHOWN.cursor != "", ReturnsState.more),
    )
    return office(ReturnsState, RETURNS, TITLE, screen(ReturnsState, content))


def filters() -> rx.Component:
    """Which returns."""
    quick = ("solicitadas", "recibidas", "por-pagar")
    return FINDING.bar(
        _("Buscar devoluciones"),
        _("Número o correo…"),
        LONGEST_TEXT,
        [(STATES[name][0], f"?estado={name}", ASKED["estado"] == name) for name in quick],
        FINDING.form(
            _("Ver estas devoluciones"),
            FINDING.choice(
                "estado", _("Estado"), _("Abiertas"), {name: label for name, (label, _of) in STATES.items()}
            ),
            FINDING.choice(
                "tipo", _("Tipo"), _("Cualquier tipo"), {name: label for name, (label, _of) in KINDS.items()}
            ),
        ),
    )


def return_row(row: ObjectVar[ReturnRow]) -> rx.Component:
    """A return: which, whose, how much, and how much time is left."""
    return row_link(
        f"{RETURNS}/{row.id}",
        rx.el.span(
            rx.el.b(row.kind, " ", row.number, class_name="o-row__title"),
            rx.el.span(
                _("Pedido {number}").format(number=row.order_number),
                " · ",
                row.buyer,
                " · ",
                row.asked_label,
                class_name="o-row__detail",
            ),
            class_name="o-return__what",
        ),
        rx.cond(row.amount_label != "", rx.el.b(row.amount_label, class_name="o-return__amount")),
        rx.el.span(rx.foreach(row.chips, state_chip), class_name="o-return__chips"),
        row_id=row.id,
        test_id="return-row",
        class_name="o-return",
    )

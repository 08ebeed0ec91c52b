"""Devoluciones: what waits for the shop, the soonest due on top, and what is settled."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.listing import labels_of
from backend.office.returns.listing import (
    FIELDS,
    KINDS,
    LONGEST_TEXT,
    STATES,
    ReturnRow,
    ReturnsView,
    count_newer_returns,
    returns_again,
    returns_view,
)
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import empty, screen, state_chip
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import office_list, row_link
from storefront.office.layout import office
from storefront.office.list_state import OfficeList
from storefront.office.navigation import RETURNS
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Devoluciones")


class ReturnsState(OfficeList, KnownClientState):
    """The returns that the address asks for."""

    content: rx.Field[ReturnsView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _fields: ClassVar[tuple[str, ...]] = FIELDS
    _longest: ClassVar[int] = LONGEST_TEXT
    _place: ClassVar[str] = RETURNS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> ReturnsView:
        async with current_shop().database.read() as session:
            return await returns_view(session, actor, asked, cursor)

    async def _rows_again(self, actor: Actor, shown: ReturnsView) -> tuple[dict[str, ReturnRow], int]:
        async with current_shop().database.read() as session:
            rows = await returns_again(session, actor, [row.id for row in shown.rows])
            return rows, await count_newer_returns(session, actor, shown.asked, shown.newest)


SHOWN = ReturnsState.content
FINDING = Finding("returns", RETURNS, SHOWN, ReturnsState.ask, _("Abiertas"))


def page() -> rx.Component:
    """The returns."""
    nothing = empty(
        "check",
        _("Ninguna devolución"),
        _("Lo que pidan desde la página de su pedido aparece aquí. También puedes abrirla desde un pedido."),
    )
    content = rx.fragment(
        filters(),
        office_list(ReturnsState, SHOWN.rows, return_row, nothing, label=TITLE, counts_new=True),
    )
    return office(ReturnsState, RETURNS, TITLE, screen(ReturnsState, content))


def filters() -> rx.Component:
    """Which returns."""
    quick = ("solicitadas", "recibidas", "por-pagar")
    return FINDING.bar(
        FINDING.search(_("Buscar devoluciones"), _("Número o correo…"), LONGEST_TEXT),
        [(STATES[name][0], "estado", name) for name in quick],
        FINDING.form(
            _("Ver estas devoluciones"),
            FINDING.choice("estado", _("Estado"), _("Abiertas"), labels_of(STATES)),
            FINDING.choice("tipo", _("Tipo"), _("Cualquier tipo"), labels_of(KINDS)),
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

"""The list of returns (Devoluciones), sorted by deadline. Without a filter, it has only open returns."""

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
    MAX_TEXT_LENGTH,
    STATES,
    ReturnRow,
    ReturnsView,
    count_newer_returns,
    read_return_rows,
    returns_view,
)
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import (
    action_link,
    empty_list,
    invitation,
    no_matches,
    screen,
    state_chip,
)
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import office_list, row_link
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import ORDERS, RETURNS
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Devoluciones")


class ReturnsState(OfficeList, KnownClientState):
    """The returns that match the filters in the URL."""

    content: rx.Field[ReturnsView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = RETURNS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> ReturnsView:
        async with current_shop().database.read() as session:
            return await returns_view(session, actor, filters, cursor)

    async def _read_current_rows(self, actor: Actor, shown: ReturnsView) -> tuple[dict[str, ReturnRow], int]:
        async with current_shop().database.read() as session:
            rows = await read_return_rows(session, actor, [row.id for row in shown.rows])
            return rows, await count_newer_returns(session, actor, shown.filters, shown.newest)


VIEW = ReturnsState.content
FILTERS = ListFilters("returns", RETURNS, VIEW, ReturnsState.apply_filters, _("Abiertas"))


def page() -> rx.Component:
    """Render the list of returns."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "check",
            _("Ninguna devolución así"),
            _("Con estos filtros no hay ninguna. Quita alguno, o busca por otro número o correo."),
            RETURNS,
        ),
        invitation(
            "check",
            _("Ninguna devolución"),
            _(
                "Lo que pidan desde la página de su pedido aparece aquí. También puedes abrirla desde un pedido."
            ),
            action_link(_("Ver los pedidos"), ORDERS),
        ),
    )
    content = rx.fragment(
        filters(),
        office_list(ReturnsState, VIEW.rows, return_row, nothing, label=TITLE, counts_new=True),
    )
    return office_layout(ReturnsState, RETURNS, TITLE, screen(ReturnsState, content))


def filters() -> rx.Component:
    """Render the search and the filters."""
    quick = ("solicitadas", "recibidas", "por-pagar")
    return FILTERS.bar(
        FILTERS.search(_("Buscar devoluciones"), _("Número o correo…"), MAX_TEXT_LENGTH),
        [(STATES[name][0], "estado", name) for name in quick],
        FILTERS.form(
            _("Ver estas devoluciones"),
            FILTERS.choice("estado", _("Estado"), _("Abiertas"), labels_of(STATES)),
            FILTERS.choice("tipo", _("Tipo"), _("Cualquier tipo"), labels_of(KINDS)),
        ),
    )


def return_row(row: ObjectVar[ReturnRow]) -> rx.Component:
    """Render a return: number, customer, amount and status."""
    return row_link(
        f"{RETURNS}/{row.id}",
        rx.el.span(
            rx.el.b(row.kind, " ", row.number, class_name="o-row__title"),
            rx.el.span(
                _("Pedido {number}").format(number=row.order_number),
                " · ",
                row.customer_name,
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

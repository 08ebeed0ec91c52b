"""Clientes: everybody who buys, the newest first."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.customers.listing import (
    FIELDS,
    KINDS,
    LONGEST_TEXT,
    CustomerRow,
    CustomersView,
    customers_view,
)
from backend.office.listing import labels_of
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import empty, screen, state_chip
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import office_list, row_link
from storefront.office.layout import office
from storefront.office.list_state import OfficeList
from storefront.office.navigation import CUSTOMERS
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Clientes")


class CustomersState(OfficeList, KnownClientState):
    """The customers that the address asks for."""

    content: rx.Field[CustomersView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CUSTOMERS
    _fields: ClassVar[tuple[str, ...]] = FIELDS
    _longest: ClassVar[int] = LONGEST_TEXT
    _place: ClassVar[str] = CUSTOMERS

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> CustomersView:
        async with current_shop().database.read() as session:
            return await customers_view(session, actor, asked, cursor)


SHOWN = CustomersState.content
FINDING = Finding("customers", CUSTOMERS, SHOWN, CustomersState.ask)


def page() -> rx.Component:
    """The customers."""
    nothing = empty(
        "customers",
        _("Ningún cliente"),
        _("Quien compra o abre una cuenta aparece aquí. Busca por nombre, correo, documento o teléfono."),
    )
    content = rx.fragment(
        filters(),
        office_list(CustomersState, SHOWN.rows, customer_row, nothing, label=TITLE),
    )
    return office(CustomersState, CUSTOMERS, TITLE, screen(CustomersState, content))


def filters() -> rx.Component:
    """Which customers."""
    names = labels_of(KINDS)
    return FINDING.bar(
        FINDING.search(_("Buscar clientes"), _("Nombre, correo, documento, teléfono…"), LONGEST_TEXT),
        [(label, "tipo", name) for name, label in names.items()],
        FINDING.form(
            _("Ver estos clientes"), FINDING.choice("tipo", _("Cuenta"), _("Con y sin cuenta"), names)
        ),
    )


def customer_row(row: ObjectVar[CustomerRow]) -> rx.Component:
    """Somebody who buys: who, how often, and whether they have an account."""
    return row_link(
        f"{CUSTOMERS}/{row.id}",
        rx.el.span(
            rx.el.b(row.name, class_name="o-row__title"),
            rx.cond(row.email != row.name, rx.el.span(row.email, class_name="o-row__detail")),
            rx.el.span(row.orders_label, class_name="o-row__detail"),
            class_name="o-return__what",
        ),
        rx.el.span(state_chip(row.chip)),
        row_id=row.id,
        test_id="customer-row",
        class_name="o-return",
    )

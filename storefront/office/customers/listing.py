"""The list of customers (Clientes), the newest first."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.customers.listing import (
    FIELDS,
    KINDS,
    MAX_TEXT_LENGTH,
    CustomerRow,
    CustomersView,
    customers_view,
)
from backend.office.listing import labels_of
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
from storefront.office.navigation import CUSTOMERS
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Clientes")


class CustomersState(OfficeList, KnownClientState):
    """The customers that match the filters in the URL."""

    content: rx.Field[CustomersView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CUSTOMERS
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = CUSTOMERS

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> CustomersView:
        async with current_shop().database.read() as session:
            return await customers_view(session, actor, filters, cursor)


VIEW = CustomersState.content
FILTERS = ListFilters("customers", CUSTOMERS, VIEW, CustomersState.apply_filters)


def page() -> rx.Component:
    """Render the list of customers."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "customers",
            _("Ningún cliente"),
            _("Con esta búsqueda no hay ninguno. Busca por nombre, correo, documento o teléfono."),
            CUSTOMERS,
        ),
        invitation(
            "customers",
            _("Todavía no hay clientes"),
            _("Quien compra o abre una cuenta aparece aquí."),
            action_link(_("Ver la tienda"), "/"),
        ),
    )
    content = rx.fragment(
        filters(),
        office_list(CustomersState, VIEW.rows, customer_row, nothing, label=TITLE),
    )
    return office_layout(CustomersState, CUSTOMERS, TITLE, screen(CustomersState, content))


def filters() -> rx.Component:
    """Render the search and the filters."""
    names = labels_of(KINDS)
    return FILTERS.bar(
        FILTERS.search(_("Buscar clientes"), _("Nombre, correo, documento, teléfono…"), MAX_TEXT_LENGTH),
        [(label, "tipo", name) for name, label in names.items()],
        FILTERS.form(
            _("Ver estos clientes"), FILTERS.choice("tipo", _("Cuenta"), _("Con y sin cuenta"), names)
        ),
    )


def customer_row(row: ObjectVar[CustomerRow]) -> rx.Component:
    """Render a customer: name, number of orders, and account status."""
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

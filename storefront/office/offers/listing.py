"""Ofertas: what is on offer, what was, and the way to a new one."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.listing import OfferRow, SaleRow
from backend.staff.rights import Right
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.lists import office_list, row_link, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import OFFERS, SALES
from storefront.office.offers.preview_state import NEW
from storefront.office.offers.state import OffersState
from storefront.office.state import may

TITLE = _("Ofertas")
SHOWN = OffersState.content


def page() -> rx.Component:
    """The offers."""
    nothing = empty(
        "tag",
        _("No hay ofertas"),
        _("Un código para clientes, un porcentaje en algunos juguetes, el envío gratis desde cierto valor…"),
    )
    content = rx.fragment(
        rx.cond(
            may(Right.CHANGE_PROMOTIONS),
            rx.el.div(
                new(_("Nueva oferta"), OFFERS, "offer-new", "button--primary"),
                new(_("Nueva rebaja"), SALES, "sale-new", "button--dark"),
                class_name="o-offers__new",
            ),
        ),
        rx.cond(
            SHOWN.sales.length() > 0,
            rx.el.section(
                rx.el.h2(_("Rebajas"), class_name="o-section__title"),
                rows(SHOWN.sales, sale_row, rx.fragment(), label=_("Rebajas")),
                class_name="o-offers__sales",
            ),
        ),
        office_list(OffersState, SHOWN.rows, row, nothing, label=TITLE),
        rx.cond(
            (SHOWN.over.length() > 0) | (SHOWN.sales_over.length() > 0),
            rx.el.section(
                rx.el.h2(_("Terminadas"), class_name="o-section__title"),
                rows(SHOWN.sales_over, sale_row, rx.fragment(), label=_("Rebajas terminadas")),
                rows(SHOWN.over, row, rx.fragment(), label=_("Terminadas")),
                class_name="o-offers__over",
            ),
        ),
    )
    return office(OffersState, OFFERS, TITLE, screen(OffersState, content))


def new(label: str, place: str, test_id: str, look: str) -> rx.Component:
    """The way to a new one."""
    return rx.el.a(
        icon("plus", size=20),
        label,
        href=f"{place}/{NEW}",
        class_name=f"button button--small {look}",
        data_testid=test_id,
    )


def sale_row(sale: ObjectVar[SaleRow]) -> rx.Component:
    """A sale in the list."""
    return row_link(
        f"{SALES}/{sale.id}",
        rx.el.span(
            rx.el.span(sale.title, class_name="o-row__title"),
            rx.el.span(sale.detail, class_name="o-row__detail"),
            class_name="o-offers__words",
        ),
        chip(sale.chip.text, sale.chip.tone),
        row_id=sale.id,
        test_id="sale-row",
    )


def row(offer: ObjectVar[OfferRow]) -> rx.Component:
    """An offer in the list."""
    return row_link(
        f"{OFFERS}/{offer.id}",
        rx.el.span(
            rx.el.span(offer.code, class_name="o-row__title"),
            rx.el.span(offer.detail, class_name="o-row__detail"),
            rx.cond(offer.used != "", rx.el.span(offer.used, class_name="o-row__detail")),
            class_name="o-offers__words",
        ),
        chip(offer.chip.text, offer.chip.tone),
        row_id=offer.id,
        test_id="offer-row",
    )

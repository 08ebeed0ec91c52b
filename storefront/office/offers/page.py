"""Ofertas: what is on offer, what was, and the way to a new one."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.offers import OfferRow, OffersPage
from backend.staff.rights import Right
from backend.texts import _
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.lists import row_link, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.offers.state import NEW, OffersState
from storefront.office.places import OFFERS
from storefront.office.state import may

TITLE = _("Ofertas")
SHOWN: Any = OffersState.content.to(ObjectVar, OffersPage)


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
            rx.el.a(
                icon("plus", size=20),
                _("Nueva oferta"),
                href=f"{OFFERS}/{NEW}",
                class_name="button button--small button--primary o-offers__new",
                data_testid="offer-new",
            ),
        ),
        rows(SHOWN.open, row, rx.el.div(nothing, class_name="o-panel"), label=TITLE),
        rx.cond(
            SHOWN.over.length() > 0,
            rx.el.section(
                rx.el.h2(_("Terminadas"), class_name="o-section__title"),
                rows(SHOWN.over, row, rx.fragment(), label=_("Terminadas")),
                class_name="o-offers__over",
            ),
        ),
    )
    return office(OffersState, OFFERS, TITLE, screen(OffersState, content))


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

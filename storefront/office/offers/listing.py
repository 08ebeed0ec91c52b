"""Components of the list of offers and sales (Ofertas)."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.listing import OfferRow, SaleRow
from backend.office.offers.templates import TEMPLATES
from backend.staff.rights import Right
from storefront.office.components.feedback import action_link, chip, invitation, screen
from storefront.office.components.lists import office_list, row_link, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import OFFERS, SALES
from storefront.office.offers.preview_state import NEW
from storefront.office.offers.state import TEMPLATE, OffersState
from storefront.office.state import has_right

TITLE = _("Ofertas")
VIEW = OffersState.content


def page() -> rx.Component:
    """Render the list of offers and sales."""
    nothing = invitation(
        "tag",
        _("No hay ofertas"),
        _("Un código para clientes, un porcentaje en algunos productos, el envío gratis desde cierto valor…"),
        rx.cond(has_right(Right.CHANGE_PROMOTIONS), action_link(_("Crear la primera"), f"{OFFERS}/{NEW}")),
    )
    content = rx.fragment(
        rx.cond(
            has_right(Right.CHANGE_PROMOTIONS),
            rx.el.div(
                new_link(_("Nueva oferta"), OFFERS, "offer-new", "button--primary"),
                new_link(_("Nueva rebaja"), SALES, "sale-new", "button--dark"),
                class_name="o-offers__new",
            ),
        ),
        rx.cond(has_right(Right.CHANGE_PROMOTIONS), template_links()),
        rx.cond(
            VIEW.sales.length() > 0,
            rx.el.section(
                rx.el.h2(_("Rebajas"), class_name="o-section__title"),
                rows(VIEW.sales, sale_row, rx.fragment(), label=_("Rebajas")),
                class_name="o-offers__sales",
            ),
        ),
        office_list(OffersState, VIEW.rows, offer_row, nothing, label=TITLE),
        rx.cond(
            (VIEW.over.length() > 0) | (VIEW.sales_over.length() > 0),
            rx.el.section(
                rx.el.h2(_("Terminadas"), class_name="o-section__title"),
                rows(VIEW.sales_over, sale_row, rx.fragment(), label=_("Rebajas terminadas")),
                rows(VIEW.over, offer_row, rx.fragment(), label=_("Terminadas")),
                class_name="o-offers__over",
            ),
        ),
    )
    return office_layout(OffersState, OFFERS, TITLE, screen(OffersState, content))


def new_link(label: str, place: str, test_id: str, look: str) -> rx.Component:
    """Render a link to a new offer or sale."""
    return rx.el.a(
        icon("plus", size=20),
        label,
        href=f"{place}/{NEW}",
        class_name=f"button button--small {look}",
        data_testid=test_id,
    )


def template_links() -> rx.Component:
    """Render a link for each offer template. It leads to the form of a new offer, filled in by the template."""
    links = [
        rx.el.a(
            template.title,
            href=f"{OFFERS}/{NEW}?{TEMPLATE}={name}",
            class_name="button button--small button--quiet",
            data_testid=f"offer-template-{name}",
        )
        for name, template in TEMPLATES.items()
    ]
    return rx.el.div(
        rx.el.span(_("Empieza con una plantilla:"), class_name="o-row__detail"),
        *links,
        class_name="o-offers__templates",
    )


def sale_row(sale: ObjectVar[SaleRow]) -> rx.Component:
    """Render a sale of the list."""
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


def offer_row(offer: ObjectVar[OfferRow]) -> rx.Component:
    """Render an offer of the list."""
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

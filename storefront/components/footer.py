"""The footer of every page: contact, shipping and payment, and the customer's legal rights."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.brand import SocialLink
from backend.content.current_content import FooterLineView
from backend.core.texts import _
from storefront.components.icons import icon
from storefront.components.pictures import demo_mark
from storefront.links import (
    ACCOUNT,
    CART,
    CATALOG,
    FIND_ORDER,
    GIFT,
    LEGAL_LINKS,
    WISHLIST,
    age_href,
    sic_link,
)
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.frame import OFFERS_GIFTS, FrameState

SHOP = FrameState.shop
NO_PSE_TEXT = _("Ves cómo pagar antes de confirmar tu pedido.")
OFFICE_FOOTER = FrameState.footer
"""The footer's content that the office edits."""


def footer_column(title: str, *lines: rx.Component) -> rx.Component:
    """Build a column of the footer: a title, and a list with an `<li>` for each of `lines`."""
    return folded_column(title, *(rx.el.li(line) for line in lines))


def folded_column(title: str | rx.Var[str], *items: rx.Component, test_id: str = "") -> rx.Component:
    """Build a column of the footer: a title, and a list of `items`, which are `<li>` elements.

    On a phone, only the title is visible until it is tapped.
    """
    return rx.el.details(
        rx.el.summary(
            rx.el.h2(title, class_name="footer__title"), icon("down", size=18), class_name="footer__fold"
        ),
        rx.el.ul(*items, class_name="footer__list"),
        class_name="footer__column",
        data_testid=test_id or ABSENT,
    )


def office_column() -> rx.Component:
    """Build the column whose title and links staff edit in the office."""

    def line(entry: ObjectVar[FooterLineView]) -> rx.Component:
        return rx.el.li(
            rx.cond(entry.href != "", rx.el.a(entry.text, href=entry.href), entry.text), key=entry.text
        )

    return folded_column(OFFICE_FOOTER.title, rx.foreach(OFFICE_FOOTER.lines, line), test_id="footer-own")


def ages_column() -> rx.Component:
    """Build the column with a link for each age range that has products for sale."""

    def line(age: rx.Var[str]) -> rx.Component:
        return rx.el.li(rx.el.a(_("{ages} años").format(ages=age), href=age_href(age)), key=age)

    return folded_column(_("Por edades"), rx.foreach(FrameState.ages, line))


def social_links() -> rx.Component:
    """Build the links to the shop's profiles on social networks."""

    def line(link: ObjectVar[SocialLink]) -> rx.Component:
        return rx.el.li(
            rx.el.a(link.label, href=link.url, rel="noopener me", target="_blank"), key=link.label
        )

    return rx.el.ul(
        rx.foreach(FrameState.brand.links, line),
        class_name="footer__social",
        aria_label=_("Redes sociales"),
        data_testid="social-links",
    )


@rx.memo
def site_footer() -> rx.Component:
    """Build the footer."""
    return rx.el.footer(
        rx.el.div(
            rx.el.section(
                rx.el.p(
                    demo_mark(44),
                    rx.el.span(SHOP.name),
                    class_name="footer__brand",
                ),
                rx.el.p(
                    rx.cond(OFFICE_FOOTER.about != "", OFFICE_FOOTER.about, SHOP.about),
                    class_name="footer__about",
                ),
                rx.cond(FrameState.brand.links.length() > 0, social_links()),
                class_name="footer__column footer__column--brand",
            ),
            footer_column(
                _("Escríbenos"),
                rx.el.a(icon("mail", size=20), SHOP.email, href=SHOP.email_link),
                rx.el.a(icon("phone", size=20), SHOP.phone, href=SHOP.phone_link),
                rx.cond(SHOP.whatsapp_link, rx.el.a("WhatsApp", href=SHOP.whatsapp_link, rel="noopener")),
                rx.cond(SHOP.address, rx.el.span(SHOP.address)),
                rx.el.span(SHOP.hours),
            ),
            folded_column(
                _("La tienda"),
                rx.el.li(rx.el.a(FrameState.brand.goods.every, href=CATALOG)),
                rx.cond(OFFERS_GIFTS, rx.el.li(rx.el.a(_("Encuentra un regalo"), href=GIFT))),
                rx.el.li(rx.el.a(_("Favoritos"), href=WISHLIST)),
                rx.el.li(rx.el.a(_("Carrito"), href=CART)),
                rx.el.li(rx.el.a(_("Mi cuenta"), href=ACCOUNT)),
                rx.el.li(rx.el.a(_("Encuentra tu pedido"), href=FIND_ORDER)),
            ),
            rx.cond(FrameState.ages.length() > 0, ages_column()),
            footer_column(
                _("Comprar tranquilo"),
                rx.el.span(
                    _("Envíos a toda Colombia: el precio exacto se calcula con tu dirección, antes de pagar.")
                ),
                rx.el.span(
                    rx.cond(
                        SHOP.takes_pse,
                        _("Pagas por PSE, desde tu banco. No guardamos datos de tu cuenta."),
                        NO_PSE_TEXT,
                    )
                ),
                rx.el.span(
                    _("Tienes cinco días hábiles para retractarte de la compra (Ley 1480 de 2011, art. 47).")
                ),
            ),
            rx.cond(OFFICE_FOOTER.lines.length() > 0, office_column()),
            footer_column(_("Legal"), *(rx.el.a(title, href=path) for path, title in LEGAL_LINKS)),
            class_name="footer__columns",
        ),
        rx.el.p(
            SHOP.legal,
            rx.el.span(_("Precios en pesos colombianos, IVA incluido.")),
            sic_link(),
            class_name="footer__legal",
        ),
        class_name="footer",
    )

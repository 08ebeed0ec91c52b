"""The end of every page: how to reach the shop, how it ships and is paid, and what the law promises."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.current_content import ShownLine
from backend.core.texts import _
from storefront.components.icons import icon
from storefront.components.pictures import MARK, drawing
from storefront.links import ACCOUNT, CART, CATALOG, FIND_ORDER, LEGAL_LINKS, WISHLIST, sic_link
from storefront.state.frame import FrameState

SHOP = FrameState.shop
SAID = FrameState.footer
"""What the office says there."""


def column(title: str, *lines: rx.Component) -> rx.Component:
    """A list under a title."""
    return rx.el.section(
        rx.el.h2(title, class_name="footer__title"),
        rx.el.ul(*(rx.el.li(line) for line in lines), class_name="footer__list"),
        class_name="footer__column",
    )


def own_column() -> rx.Component:
    """The office's own list."""

    def line(one: ObjectVar[ShownLine]) -> rx.Component:
        return rx.el.li(rx.cond(one.href != "", rx.el.a(one.text, href=one.href), one.text), key=one.text)

    return rx.el.section(
        rx.el.h2(SAID.title, class_name="footer__title"),
        rx.el.ul(rx.foreach(SAID.lines, line), class_name="footer__list"),
        class_name="footer__column",
        data_testid="footer-own",
    )


@rx.memo
def site_footer() -> rx.Component:
    """The footer."""
    return rx.el.footer(
        rx.el.div(
            rx.el.section(
                rx.el.p(drawing(MARK, 44), rx.el.span(SHOP.name), class_name="footer__brand"),
                rx.el.p(rx.cond(SAID.about != "", SAID.about, SHOP.about), class_name="footer__about"),
                class_name="footer__column footer__column--brand",
            ),
            column(
                _("Escríbenos"),
                rx.el.a(icon("mail", size=20), SHOP.email, href=SHOP.email_link),
                rx.el.a(icon("phone", size=20), SHOP.phone, href=SHOP.phone_link),
                rx.cond(SHOP.whatsapp_link, rx.el.a("WhatsApp", href=SHOP.whatsapp_link, rel="noopener")),
                rx.cond(SHOP.address, rx.el.span(SHOP.address)),
                rx.el.span(SHOP.hours),
            ),
            column(
                _("La tienda"),
                rx.el.a(_("Todos los juguetes"), href=CATALOG),
                rx.el.a(_("Favoritos"), href=WISHLIST),
                rx.el.a(_("Carrito"), href=CART),
                rx.el.a(_("Mi cuenta"), href=ACCOUNT),
                rx.el.a(_("Encuentra tu pedido"), href=FIND_ORDER),
            ),
            column(
                _("Comprar tranquilo"),
                rx.el.span(
                    _("Envíos a toda Colombia: el precio exacto se calcula con tu dirección, antes de pagar.")
                ),
                rx.el.span(_("Pagas por PSE, desde tu banco. No guardamos datos de tu cuenta.")),
                rx.el.span(
                    _("Tienes cinco días hábiles para retractarte de la compra (Ley 1480 de 2011, art. 47).")
                ),
            ),
            rx.cond(SAID.lines.length() > 0, own_column()),
            column(_("Legal"), *(rx.el.a(title, href=path) for path, title in LEGAL_LINKS)),
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

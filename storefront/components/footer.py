"""The end of every page: how to reach the shop, how it ships and is paid, and what the law promises."""

import reflex as rx

from backend.settings import load_settings
from backend.texts import _
from storefront.components.browser import icon
from storefront.components.links import ACCOUNT, CART, CATALOG, WISHLIST
from storefront.components.pictures import MARK, drawing

SETTINGS = load_settings()


def column(title: str, *lines: rx.Component) -> rx.Component:
    """A list under a title."""
    return rx.el.section(
        rx.el.h2(title, class_name="footer__title"),
        rx.el.ul(*(rx.el.li(line) for line in lines), class_name="footer__list"),
        class_name="footer__column",
    )


@rx.memo
def site_footer() -> rx.Component:
    """The footer."""
    dial = SETTINGS.store_phone.replace(" ", "")
    return rx.el.footer(
        rx.el.div(
            rx.el.section(
                rx.el.p(drawing(MARK, 44), rx.el.span(SETTINGS.store_name), class_name="footer__brand"),
                rx.el.p(
                    _(
                        "Juguetes que duran más de una infancia, escogidos uno por uno y despachados desde Bogotá."
                    ),
                    class_name="footer__about",
                ),
                class_name="footer__column footer__column--brand",
            ),
            column(
                _("Escríbenos"),
                rx.el.a(icon("mail", size=20), SETTINGS.store_email, href=f"mailto:{SETTINGS.store_email}"),
                rx.el.a(icon("phone", size=20), SETTINGS.store_phone, href=f"tel:+57{dial}"),
                rx.el.span(_("Lunes a viernes, 8 a. m. a 5 p. m.")),
            ),
            column(
                _("La tienda"),
                rx.el.a(_("Todos los juguetes"), href=CATALOG),
                rx.el.a(_("Favoritos"), href=WISHLIST),
                rx.el.a(_("Carrito"), href=CART),
                rx.el.a(_("Mi cuenta"), href=ACCOUNT),
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
            class_name="footer__columns",
        ),
        rx.el.p(
            f"{SETTINGS.store_legal_name} · NIT {SETTINGS.store_nit}",
            rx.el.span(_("Precios en pesos colombianos, IVA incluido.")),
            rx.el.a(
                _("Superintendencia de Industria y Comercio"),
                href="https://www.sic.gov.co",
                rel="noopener",
                target="_blank",
            ),
            class_name="footer__legal",
        ),
        class_name="footer",
    )

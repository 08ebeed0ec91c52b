"""The frame of every page: skip link, header, content, footer, and what lies over them."""

import reflex as rx
from reflex_components_core.base.error_boundary import ErrorBoundary  # type: ignore[import-untyped]
from reflex_components_core.core.banner import (  # type: ignore[import-untyped]
    has_too_many_connection_errors,
)
from reflex_components_core.el.elements.inline import A  # type: ignore[import-untyped]

from backend.texts import _
from storefront.components.browser import Arrival, Notices, SessionWatch, icon
from storefront.components.cart_sheet import cart_sheet
from storefront.components.footer import site_footer
from storefront.components.header import departments_strip, menu_sheet, site_header
from storefront.state.cart import CartState
from storefront.state.frame import FrameState

CONTENT = "contenido"


def framed(*content: rx.Component, class_name: str = "", with_cart_sheet: bool = True) -> rx.Component:
    """A whole page around its content.

    Args:
        content: what is in `<main>`.
        class_name: the class of `<main>`.
        with_cart_sheet: whether the cart's icon opens the drawer; where the cart is the page itself, it does not.
    """
    return rx.fragment(
        skip_link(),
        site_header(),
        departments_strip(),
        rx.el.main(*content, id=CONTENT, class_name=f"main {class_name}", custom_attrs={"tabIndex": -1}),
        site_footer(),
        menu_sheet(),
        *([cart_sheet()] if with_cart_sheet else []),
        notices(),
        Arrival.create(target=CONTENT),
        SessionWatch.create(),
    )


def skip_link() -> rx.Component:
    """The way past the header. Not the router's kind of link, which would go to the page's path without its query."""
    return A.create(_("Saltar al contenido"), href=f"#{CONTENT}", class_name="skip-link")


@rx.memo
def notices() -> rx.Component:
    """What the shop says in passing."""
    return Notices.create(
        notice=FrameState.notice,
        added=CartState.added,
        is_hydrated=FrameState.is_hydrated,
        texts={"added": _("Agregado a tu carrito"), "cart": _("Ver carrito"), "close": _("Cerrar")},
    )


def connection_banner() -> rx.Component:
    """Says that the connection is lost, while it is. It stands around all pages."""
    banner = rx.el.div(
        rx.cond(
            has_too_many_connection_errors,
            rx.el.p(
                icon("offline", size=22),
                _("Sin conexión. Lo que hagas quedará esperando y seguirá cuando vuelva."),
                class_name="connection",
            ),
        ),
        role="status",
    )
    return rx.fragment(banner)  # the pages become the fragment's children, beside the banner


def error_boundary() -> rx.Component:
    """Around all pages: stands in for one that could not be drawn, and tells the server."""
    fallback = rx.el.main(
        rx.el.h1(_("Esta página se nos enredó"), class_name="empty__title"),
        rx.el.p(_("Ya lo sabemos. Recárgala o vuelve al inicio."), class_name="empty__text"),
        rx.el.a(
            _("Ir al inicio"),
            href="/",
            class_name="button button--primary",
            custom_attrs={"reloadDocument": True},
        ),
        class_name="main empty",
    )
    return ErrorBoundary.create(fallback_render=rx.Var.create(fallback))

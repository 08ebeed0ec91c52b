"""The frame of every page: skip link, header, content, footer, and the overlays."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.current_content import Announcement
from backend.core.texts import _
from storefront.components.cart import cart_sheet
from storefront.components.footer import site_footer
from storefront.components.header import departments_strip, menu_sheet, site_header
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.react_components import Arrival, BrandHead, HeaderScroll, SessionWatch
from storefront.components.wishlist import wishlist_sync
from storefront.links import CART
from storefront.reflex_ext.elements import A, ErrorBoundary, has_too_many_connection_errors
from storefront.reflex_ext.hooks import hook, script, view
from storefront.state.cart import AddedProduct, CartState
from storefront.state.frame import FrameState, Notice

CONTENT_ID = "contenido"
NOTICES = script("notices")
IS_OFFLINE: rx.Var[bool] = hook(script("offline"), "useIsOffline").to(bool)
"""True if the browser reports that it has no network."""


@dataclass(frozen=True, slots=True)
class FreshMessage:
    """A message that disappears after some seconds, and the React props of its elements.

    Attributes:
        shown: the message; undefined while none is displayed.
        box: React props of the element that contains the message. While the mouse pointer is over this element, the
            message stays.
        dismiss: React props of controls that close the message.
    """

    shown: Any
    box: Any
    dismiss: Any


def page_frame(*content: rx.Component, class_name: str = "", with_cart_sheet: bool = True) -> rx.Component:
    """Build a whole page around its content.

    Args:
        content: children of `<main>`.
        class_name: the class of `<main>`.
        with_cart_sheet: True if the cart's icon opens the drawer. The cart's own page has no drawer.
    """
    return rx.fragment(
        skip_link(),
        announcement_bar(),
        site_header(),
        departments_strip(),
        rx.el.main(*content, id=CONTENT_ID, class_name=f"main {class_name}", custom_attrs={"tabIndex": -1}),
        site_footer(),
        menu_sheet(),
        *([cart_sheet()] if with_cart_sheet else []),
        notices(),
        Arrival.create(target=CONTENT_ID),
        HeaderScroll.create(),
        BrandHead.create(
            rules=FrameState.brand.style, color=FrameState.brand.color, icon=FrameState.brand.icon
        ),
        SessionWatch.create(),
        wishlist_sync(),
    )


def skip_link() -> rx.Component:
    """Build the link that skips the header.

    It is a plain link, because a router link would remove the query from the URL.
    """
    return A.create(_("Saltar al contenido"), href=f"#{CONTENT_ID}", class_name="skip-link")


@rx.memo
def announcement_bar() -> rx.Component:
    """Build the announcement above every page, if staff have set one in the back office."""
    current = FrameState.announcement
    return rx.cond(current.text != "", announcement_line(current))


def announcement_line(current: ObjectVar[Announcement]) -> rx.Component:
    """Build the line of an announcement, and its link if it has one."""
    return rx.el.aside(
        rx.cond(current.href != "", rx.el.a(current.text, href=current.href), current.text),
        class_name="announcement",
        aria_label=_("Aviso"),
        data_testid="announcement",
    )


@rx.memo
def notices() -> rx.Component:
    """Build the notices that disappear after some seconds. A notice never takes the keyboard focus."""

    def close(dismiss: rx.Var[Any]) -> rx.Component:
        return rx.el.button(
            icon("close", size=20),
            type="button",
            class_name="icon-button notice__close",
            aria_label=_("Cerrar"),
            special_props=[dismiss],
        )

    added = view(NOTICES, "useFreshMessage", FreshMessage, CartState.last_added, FrameState.is_hydrated)
    line = added.shown.to(ObjectVar, AddedProduct)
    added_box = rx.el.div(
        rx.el.span(product_picture(line.picture, "64px", alt=""), class_name="notice__picture"),
        rx.el.p(rx.el.b(_("Agregado a tu carrito")), rx.el.br(), line.title, class_name="notice__text"),
        rx.el.a(
            _("Ver carrito"),
            href=CART,
            class_name="button button--small button--dark",
            special_props=[added.dismiss],
        ),
        close(added.dismiss),
        class_name="notice notice--added",
        data_testid="added-notice",
        special_props=[added.box],
    )
    fresh = view(NOTICES, "useFreshMessage", FreshMessage, FrameState.notice, FrameState.is_hydrated)
    notice = fresh.shown.to(ObjectVar, Notice)
    notice_box = rx.el.div(
        rx.el.p(notice.text, class_name="notice__text"),
        close(fresh.dismiss),
        class_name=f"notice notice--{notice.tone}",
        data_testid="notice",
        special_props=[fresh.box],
    )
    lost = view(NOTICES, "useLostPress", FreshMessage)
    lost_box = rx.el.div(
        rx.el.p(
            _("No alcanzamos a hacer lo que pulsaste. Mira cómo quedó e inténtalo otra vez."),
            class_name="notice__text",
        ),
        close(lost.dismiss),
        class_name="notice notice--problem",
        data_testid="lost-press",
        special_props=[lost.box],
    )
    return rx.el.div(
        rx.el.div(rx.cond(added.shown, added_box), role="status", aria_atomic="true"),
        rx.el.div(rx.cond(fresh.shown, notice_box), role="alert"),
        rx.el.div(rx.cond(lost.shown, lost_box), role="alert"),
        class_name="notices",
    )


def connection_banner() -> rx.Component:
    """Build a wrapper around all pages that displays a banner while the connection is lost."""
    banner = rx.el.div(
        rx.cond(
            has_too_many_connection_errors | IS_OFFLINE,
            rx.el.p(
                icon("offline", size=22),
                _("Sin conexión. Lo que hagas quedará esperando y seguirá cuando vuelva."),
                class_name="connection",
            ),
        ),
        role="status",
    )
    return rx.fragment(banner)  # Reflex adds the pages as children of the fragment, after the banner


def error_boundary() -> rx.Component:
    """Build a wrapper around all pages that displays an error message if a page fails to render.

    The failure is reported to the server.
    """
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


def section(
    title: str | rx.Var[str], *content: rx.Component, more: str | rx.Var[str] = "", class_name: str = ""
) -> rx.Component:
    """Build a section of the page with a title. `more` is the path of the page with the complete list, or empty."""
    link = rx.el.a(_("Ver todo"), icon("right", size=18), href=more, class_name="section__more")
    return rx.el.section(
        rx.el.div(
            rx.el.h2(title, class_name="section__title"),
            *([rx.cond(more != "", link)] if isinstance(more, rx.Var) else [link] if more else []),
            class_name="section__head",
        ),
        *content,
        class_name=f"section {class_name}",
    )

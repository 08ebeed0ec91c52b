"""The frame of every page: skip link, header, content, footer, and what lies over them."""

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
from storefront.components.react_components import Arrival, SessionWatch
from storefront.links import CART
from storefront.reflex_ext.elements import A, ErrorBoundary, has_too_many_connection_errors
from storefront.reflex_ext.hooks import hook, script, view
from storefront.state.cart import Added, CartState
from storefront.state.frame import FrameState, Notice

CONTENT = "contenido"
NOTICES = script("notices")
IS_OFFLINE: rx.Var[bool] = hook(script("offline"), "useIsOffline").to(bool)
"""Whether the browser says that it has no network."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A message that is new, while it is shown, and properties of what holds it there and what takes it away."""

    shown: Any
    hold: Any
    leaving: Any


def framed(*content: rx.Component, class_name: str = "", with_cart_sheet: bool = True) -> rx.Component:
    """A whole page around its content.

    Args:
        content: what is in `<main>`.
        class_name: the class of `<main>`.
        with_cart_sheet: whether the cart's icon opens the drawer; where the cart is the page itself, it does not.
    """
    return rx.fragment(
        skip_link(),
        announcement_bar(),
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
def announcement_bar() -> rx.Component:
    """What the office says above every page, while it says something."""
    said = FrameState.announcement
    return rx.cond(said.text != "", announced(said))


def announced(said: ObjectVar[Announcement]) -> rx.Component:
    """A line above the page, which may lead somewhere."""
    return rx.el.aside(
        rx.cond(said.href != "", rx.el.a(said.text, href=said.href), said.text),
        class_name="announcement",
        aria_label=_("Aviso"),
        data_testid="announcement",
    )


@rx.memo
def notices() -> rx.Component:
    """What the shop has to say while a shopper goes on: polite, gone by itself, never in the way of the keyboard."""

    def close(leaving: rx.Var[Any]) -> rx.Component:
        return rx.el.button(
            icon("close", size=20),
            type="button",
            class_name="icon-button notice__close",
            aria_label=_("Cerrar"),
            special_props=[leaving],
        )

    added = view(NOTICES, "useFresh", Fresh, CartState.added, FrameState.is_hydrated)
    line = added.shown.to(ObjectVar, Added)
    put = rx.el.div(
        rx.el.span(product_picture(line.picture, "64px", alt=""), class_name="notice__picture"),
        rx.el.p(rx.el.b(_("Agregado a tu carrito")), rx.el.br(), line.title, class_name="notice__text"),
        rx.el.a(
            _("Ver carrito"),
            href=CART,
            class_name="button button--small button--dark",
            special_props=[added.leaving],
        ),
        close(added.leaving),
        class_name="notice notice--added",
        data_testid="added-notice",
        special_props=[added.hold],
    )
    told = view(NOTICES, "useFresh", Fresh, FrameState.notice, FrameState.is_hydrated)
    notice = told.shown.to(ObjectVar, Notice)
    said = rx.el.div(
        rx.el.p(notice.text, class_name="notice__text"),
        close(told.leaving),
        class_name=f"notice notice--{notice.tone}",
        data_testid="notice",
        special_props=[told.hold],
    )
    lost = view(NOTICES, "useLostPress", Fresh)
    failed = rx.el.div(
        rx.el.p(
            _("No alcanzamos a hacer lo que pulsaste. Mira cómo quedó e inténtalo otra vez."),
            class_name="notice__text",
        ),
        close(lost.leaving),
        class_name="notice notice--problem",
        data_testid="lost-press",
        special_props=[lost.hold],
    )
    return rx.el.div(
        rx.el.div(rx.cond(added.shown, put), role="status", aria_atomic="true"),
        rx.el.div(rx.cond(told.shown, said), role="alert"),
        rx.el.div(rx.cond(lost.shown, failed), role="alert"),
        class_name="notices",
    )


def connection_banner() -> rx.Component:
    """Around all pages: says that the connection is lost, while it is."""
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
    return rx.fragment(banner)  # the pages become the fragment's children, beside the banner


def error_boundary() -> rx.Component:
    """Around all pages: shown in place of one that failed to render, which is reported to the server."""
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
    title: str | rx.Var[str], *content: rx.Component, more: str = "", class_name: str = ""
) -> rx.Component:
    """A part of the page under its title."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(title, class_name="section__title"),
            *(
                [rx.el.a(_("Ver todo"), icon("right", size=18), href=more, class_name="section__more")]
                if more
                else []
            ),
            class_name="section__head",
        ),
        *content,
        class_name=f"section {class_name}",
    )

"""The top of every page: two rows on phones and tablets, one from 1024 px on (spec: Storefront view rules 2)."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import CategoryNode
from backend.settings import load_settings
from backend.texts import _
from storefront.components.browser import CartCount, SearchBox, Sheet, WishlistCount, icon
from storefront.components.links import ACCOUNT, CART, CATALOG, HOME, WISHLIST, to_category
from storefront.components.pictures import MARK, department_drawing, drawing
from storefront.state.cart import CartState
from storefront.state.frame import FrameState
from storefront.state.search import SearchState

STORE_NAME = load_settings().store_name
MENU = "menu"
CART_SHEET = "cart"

SEARCH_TEXTS = {
    "label": _("Buscar juguetes"),
    "placeholder": _("¿Qué juguete buscas?"),
    "submit": _("Buscar"),
    "suggestions": _("Sugerencias"),
    "all": _("Ver todos los resultados de «{text}»"),
    "nothing": _("No encontramos resultados para «{text}»"),
    "hint": _("Revisa cómo está escrito o prueba con otra palabra."),
    "whole": _("Buscar en todo el catálogo"),
    "one": _("1 sugerencia"),
    "many": _("{n} sugerencias"),
}


def logo() -> rx.Component:
    """The shop's name, which leads home."""
    return rx.el.a(
        drawing(MARK, 38, class_name="logo__mark"),
        rx.el.span(STORE_NAME, class_name="logo__name"),
        href=HOME,
        class_name="logo",
        aria_label=_("{store}: ir al inicio").format(store=STORE_NAME),
    )


def hidden(text: str) -> rx.Component:
    """Words for those who do not see the icon."""
    return rx.el.span(text, class_name="sr-only")


def actions() -> rx.Component:
    """Account, wishlist and cart."""
    return rx.el.nav(
        rx.el.a(icon("person"), hidden(_("Mi cuenta")), href=ACCOUNT, class_name="icon-button"),
        rx.el.a(
            icon("heart"),
            hidden(_("Favoritos") + ": "),
            WishlistCount.create(texts={"saved": _("guardados")}),
            href=WISHLIST,
            class_name="icon-button",
        ),
        rx.el.a(
            icon("cart"),
            hidden(_("Carrito") + ": "),
            CartCount.create(
                count=CartState.cart.count,
                answers=CartState.answers,
                texts={"units": _("unidades")},
                on_stale=CartState.load_cart,
            ),
            href=CART,
            class_name="icon-button",
            data_opens=CART_SHEET,
        ),
        class_name="header__actions",
        aria_label=_("Tu compra"),
    )


@rx.memo
def site_header() -> rx.Component:
    """Menu, logo, search and icons."""
    return rx.el.header(
        rx.el.div(
            rx.el.button(
                icon("menu"),
                type="button",
                class_name="icon-button header__menu",
                aria_label=_("Abrir el menú"),
                data_opens=MENU,
            ),
            logo(),
            SearchBox.create(
                hits=SearchState.hits,
                answered=SearchState.answered,
                texts=SEARCH_TEXTS,
                on_search=SearchState.suggest,
            ),
            actions(),
            class_name="header__row",
        ),
        class_name="header",
    )


def department_link(department: ObjectVar[CategoryNode]) -> rx.Component:
    """A department in the strip under the header."""
    return rx.el.li(rx.el.a(department.name, href=to_category(department.handle)), key=department.handle)


@rx.memo
def departments_strip() -> rx.Component:
    """The departments, on wide screens."""
    return rx.el.nav(
        rx.el.ul(
            rx.el.li(rx.el.a(_("Todos"), href=CATALOG)),
            rx.foreach(FrameState.departments, department_link),
            class_name="departments__list",
        ),
        class_name="departments",
        aria_label=_("Departamentos"),
    )


def menu_entry(department: ObjectVar[CategoryNode]) -> rx.Component:
    """A department in the menu, with what is in it."""
    return rx.el.li(
        rx.el.a(
            department_drawing(department.handle, 40),
            rx.el.span(department.name),
            rx.el.span(department.count, class_name="menu__count"),
            href=to_category(department.handle),
            class_name="menu__link",
        ),
        rx.cond(
            department.children.length() > 0,
            rx.el.ul(
                rx.foreach(
                    department.children,
                    lambda child: rx.el.li(
                        rx.el.a(child.name, href=to_category(child.handle), class_name="menu__sublink"),
                        key=child.handle,
                    ),
                ),
                class_name="menu__sublist",
            ),
        ),
        key=department.handle,
    )


@rx.memo
def menu_sheet() -> rx.Component:
    """The menu of phones and tablets."""
    return Sheet.create(
        rx.el.nav(
            rx.el.ul(
                rx.el.li(
                    rx.el.a(
                        drawing(MARK, 40),
                        rx.el.span(_("Todos los juguetes")),
                        href=CATALOG,
                        class_name="menu__link",
                    )
                ),
                rx.foreach(FrameState.departments, menu_entry),
                class_name="menu__list",
            ),
            rx.el.ul(
                rx.el.li(rx.el.a(icon("heart"), _("Favoritos"), href=WISHLIST, class_name="menu__link")),
                rx.el.li(rx.el.a(icon("person"), _("Mi cuenta"), href=ACCOUNT, class_name="menu__link")),
                class_name="menu__list menu__list--own",
            ),
            class_name="menu",
            aria_label=_("Menú"),
        ),
        name=MENU,
        label=_("Menú"),
        close_label=_("Cerrar el menú"),
        side="left",
    )

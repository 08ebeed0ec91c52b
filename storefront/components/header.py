"""The header of every page: two rows on phones and tablets, one from 1024 px on (spec: Storefront view rules 2)."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, NumberVar, ObjectVar

from backend.catalog.storefront.page_content import MIN_SEARCH_LETTERS
from backend.catalog.views import CategoryNode, SearchHit, SearchSuggestion
from backend.core.texts import _
from storefront.components.forms import SUGGESTIONS, Combobox
from storefront.components.icons import icon
from storefront.components.pictures import demo_mark, drawing, logo_content, product_picture
from storefront.components.react_components import CART_SCRIPT, CartTabs, sheet
from storefront.components.wishlist import wishlist_count
from storefront.links import (
    ACCOUNT,
    AGES,
    CART,
    CATALOG,
    GIFT,
    HOME,
    WISHLIST,
    age_href,
    brand_href,
    category_href,
    product_href,
    search_href,
)
from storefront.reflex_ext.hooks import ABSENT, hook, script, view
from storefront.reflex_ext.numbers import grouped
from storefront.state.cart import CartState
from storefront.state.frame import GOODS, OFFERS_GIFTS, FrameState
from storefront.state.search import MAX_INPUT_LENGTH, MAX_SEARCH_LENGTH, HelpLink, SearchState

MENU = "menu"
CART_SHEET = "cart"
SEARCH_FIELD = "buscar"
SEARCH_SCRIPT = script("search")
SEARCH_TOO_LONG = _("Tu búsqueda es muy larga: buscamos su comienzo, hasta {n} letras.").format(
    n=MAX_SEARCH_LENGTH
)
ALL_RESULTS = search_href(SUGGESTIONS.typed)
"""Path of the page with all results."""
MAX_IDEAS = 6
"""Maximum number of departments that are suggested before enough letters are typed."""


@dataclass(frozen=True, slots=True)
class SearchBox:
    """State and React props of the search form.

    Attributes:
        searched: the search text in the page's URL.
        key: a React key that changes with every page, so that the form is created again.
        form: React props of the form.
    """

    searched: str
    key: str
    form: Any


@dataclass(frozen=True, slots=True)
class RecentSearches:
    """The recent searches of this browser, and the React props of the button that clears them."""

    texts: list[str]
    count: int
    forget: Any


RECENT = view(SEARCH_SCRIPT, "useRecent", RecentSearches)


def logo() -> rx.Component:
    """Build the link to the home page: the shop's logo, or its name."""
    long_name = rx.cond(FrameState.shop.has_long_name, "logo__name logo__name--long", "logo__name")
    return rx.el.a(
        logo_content(FrameState.brand, FrameState.shop.name, long_name),
        href=HOME,
        class_name="logo",
        data_testid="brand-logo",
        aria_label=_("{store}: ir al inicio").format(store=FrameState.shop.name),
    )


def hidden_text(text: str) -> rx.Component:
    """Build a text for screen readers only."""
    return rx.el.span(text, class_name="sr-only")


def header_actions() -> rx.Component:
    """Build the links to account, wishlist and cart."""
    return rx.el.nav(
        rx.el.a(icon("person"), hidden_text(_("Mi cuenta")), href=ACCOUNT, class_name="icon-button"),
        rx.el.a(
            icon("heart"),
            hidden_text(_("Favoritos") + ": "),
            wishlist_count(),
            href=WISHLIST,
            class_name="icon-button",
        ),
        rx.el.a(
            icon("cart"),
            hidden_text(_("Carrito") + ": "),
            cart_count(),
            href=CART,
            class_name="icon-button",
            data_opens=CART_SHEET,
        ),
        CartTabs.create(answers=CartState.answers, on_stale=CartState.load_cart),
        class_name="header__actions",
        aria_label=_("Tu compra"),
    )


@rx.memo
def cart_count() -> rx.Component:
    """Build the number of units in the cart, including units that are being added.

    Every new number is a new element, so that its animation runs.
    """
    units = hook(CART_SCRIPT, "useUnits", CartState.cart.count, CartState.answers).to(int)
    return rx.el.span(
        rx.el.span(units, data_testid="cart-count"),
        rx.el.span(" ", _("unidades"), class_name="sr-only"),
        class_name="count",
        key=units,
        data_zero=rx.cond(units == 0, "true", ABSENT),
    )


@rx.memo
def site_header() -> rx.Component:
    """Build the header: menu, logo, search and icons."""
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
            search_form(),
            header_actions(),
            class_name="header__row",
        ),
        class_name="header",
    )


def suggestion_count() -> NumberVar[int]:
    """Return the number of suggestions for the typed text."""
    count = SearchState.hits.length() + SearchState.places.length() + SearchState.help_links.length()
    return count.to(int)


@rx.memo
def search_form() -> rx.Component:
    """Build the search form.

    From the second typed letter on, it suggests products. Before that, it shows recent searches and departments,
    which need no request to the server. Without scripts it works as a plain form (spec: view rules 2).
    """
    box_view = view(SEARCH_SCRIPT, "useSearch", SearchBox)
    box = Combobox.create(
        rx.el.label(
            _("Buscar {goods}").format(goods=GOODS.many), html_for=SEARCH_FIELD, class_name="sr-only"
        ),
        search_field(searched=box_view.searched),
        rx.el.button(
            icon("search", size=22), type="submit", class_name="search__submit", aria_label=_("Buscar")
        ),
        search_panel(),
        answered=SearchState.answered_text,
        count=suggestion_count(),
        min_letters=MIN_SEARCH_LETTERS,
        idle_count=RECENT.count + FrameState.departments.length(),
        close_key=box_view.key,
        clears_on_escape=True,
        on_ask=SearchState.suggest,
    )
    return rx.el.form(
        box, action=CATALOG, method="get", role="search", class_name="search", special_props=[box_view.form]
    )


@rx.memo
def search_field(searched: rx.Var[str]) -> rx.Component:
    """Build the search input. It starts with the search text of the page's URL."""
    return rx.el.input(
        id=rx.Var.create(SEARCH_FIELD),
        type="search",
        name="q",
        default_value=searched,
        placeholder=_("¿Qué {item} buscas?").format(item=GOODS.one),
        max_length=MAX_INPUT_LENGTH,
        auto_complete="off",
        auto_capitalize="none",
        spell_check=False,
        enter_key_hint="search",
        class_name="search__input",
        data_testid="search-input",
    )


@rx.memo
def search_panel() -> rx.Component:
    """Build the search panel: the suggestions, the "nothing found" message, or recent searches and departments.

    Screen readers announce its content.
    """
    near = SearchState.near
    nothing = _("No encontramos resultados para «{text}»").format(text=SUGGESTIONS.typed)
    suggestions = rx.el.div(
        rx.foreach(SearchState.help_links, help_suggestion),
        rx.foreach(SearchState.places, place_suggestion),
        rx.foreach(SearchState.hits, product_suggestion),
        rx.el.a(
            _("Ver todos los resultados de «{text}»").format(text=SUGGESTIONS.typed),
            href=ALL_RESULTS,
            role="option",
            class_name="search__all",
            data_answers="",
            custom_attrs={"tabIndex": -1},
        ),
        role="listbox",
        aria_label=_("Sugerencias"),
    )
    empty = rx.el.div(
        rx.el.p(nothing, class_name="search__nothing"),
        rx.el.p(_("Revisa cómo está escrito o prueba con otra palabra."), class_name="search__hint"),
        rx.el.a(
            _("Buscar en todo el catálogo"),
            href=ALL_RESULTS,
            class_name="button button--quiet",
            data_closes="",
            data_answers="",
        ),
        class_name="search__empty",
        data_testid="search-empty",
    )
    near_list = rx.el.div(
        rx.el.p(_("Esto se parece"), class_name="search__heading"),
        rx.el.ul(rx.foreach(near, near_product)),
        class_name="search__near",
    )
    shown = rx.cond(SUGGESTIONS.is_idle, search_ideas(RECENT.texts.to(list[str])), suggestions)
    panel = rx.el.div(
        rx.cond(
            SUGGESTIONS.typed.length() > MAX_SEARCH_LENGTH, rx.el.p(SEARCH_TOO_LONG, class_name="search__cut")
        ),
        rx.cond(SUGGESTIONS.is_empty, rx.fragment(empty, rx.cond(near.length() > 0, near_list)), shown),
        class_name="search__panel",
        data_testid="search-results",
        data_stale=rx.cond(SUGGESTIONS.is_current | SUGGESTIONS.is_idle, ABSENT, "true"),
    )
    count = suggestion_count()
    counted = rx.cond(count == 1, _("1 sugerencia"), _("{n} sugerencias").format(n=count))
    is_counted = SUGGESTIONS.is_listed & SUGGESTIONS.is_current & ~SUGGESTIONS.is_idle
    announced = rx.cond(SUGGESTIONS.is_empty, nothing, rx.cond(is_counted, counted, ""))
    return rx.fragment(
        rx.cond(SUGGESTIONS.is_open, panel), rx.el.p(announced, class_name="sr-only", role="status")
    )


def panel_option(
    icon_name: str, name: rx.Var[str], *more: rx.Component, href: rx.Var[str], test_id: str, **properties: Any
) -> rx.Component:
    """Build a link of the search panel's listbox: an icon, a name, and the elements in `more`."""
    return rx.el.a(
        rx.el.span(icon(icon_name, size=20), class_name="search__kind"),
        rx.el.span(name, class_name="search__title"),
        *more,
        href=href,
        role="option",
        class_name="search__place",
        data_testid=test_id,
        custom_attrs={"tabIndex": -1},
        **properties,
    )


def place_suggestion(suggestion: ObjectVar[SearchSuggestion]) -> rx.Component:
    """Build a search suggestion that links to a category or a brand."""
    is_brand = suggestion.kind == "brand"
    return panel_option(
        "search",
        suggestion.name,
        rx.el.span(rx.cond(is_brand, _("Marca"), _("Categoría")), class_name="search__brand"),
        href=rx.cond(is_brand, brand_href(suggestion.handle), category_href(suggestion.handle)),
        test_id="search-place",
        key=f"{suggestion.kind} {suggestion.handle}",
        data_answers="",
    )


def help_suggestion(link: ObjectVar[HelpLink]) -> rx.Component:
    """Build a search suggestion that links to a page of the shop, such as the shipping terms."""
    return panel_option(
        "right", link.title, href=link.path, test_id="search-help", key=link.path, data_answers=""
    )


def search_ideas(recent: ArrayVar[list[str]]) -> rx.Component:
    """Build the recent searches of this browser, the button that clears them, and links to departments."""
    last, ideas = _("Lo último que buscaste"), _("Ideas para buscar")

    clear = rx.el.div(
        rx.el.p(last, class_name="search__heading"),
        rx.el.button(
            _("Borrar"),
            type="button",
            class_name="search__forget",
            aria_label=_("Borrar las últimas búsquedas"),
            special_props=[RECENT.forget],
        ),
        class_name="search__head",
    )
    repeated = rx.el.div(
        rx.foreach(
            recent,
            lambda text: panel_option(
                "back", text, href=search_href(text), test_id="recent-search", key=text
            ),
        ),
        role="group",
        aria_label=last,
    )
    departments = rx.el.div(
        rx.el.p(ideas, class_name="search__heading search__heading--inner", aria_hidden="true"),
        rx.foreach(
            FrameState.departments[:MAX_IDEAS],
            lambda department: panel_option(
                "search",
                department.name,
                href=category_href(department.handle),
                test_id="popular-search",
                key=department.name,
            ),
        ),
        role="group",
        aria_label=ideas,
    )
    return rx.fragment(
        rx.cond(RECENT.count > 0, clear),
        rx.el.div(
            rx.cond(RECENT.count > 0, repeated),
            rx.cond(FrameState.departments.length() > 0, departments),
            role="listbox",
            aria_label=ideas,
        ),
    )


def product_summary(hit: ObjectVar[SearchHit]) -> rx.Component:
    """Build picture, name and price of a product in the search panel. A sold-out product is marked."""
    sold_out = rx.el.span(_("Agotado"), class_name="search__sold-out")
    return rx.fragment(
        rx.el.span(
            product_picture(hit.picture, "56px", alt=""),
            class_name="search__thumb",
        ),
        rx.el.span(
            rx.el.span(hit.title, class_name="search__title"),
            rx.el.span(hit.brand, class_name="search__brand"),
            rx.cond(~hit.available, sold_out),
            class_name="search__words",
        ),
        rx.el.span(hit.price_label, class_name="search__price"),
    )


def product_suggestion(hit: ObjectVar[SearchHit]) -> rx.Component:
    """Build the suggestion of a product."""
    return rx.el.a(
        product_summary(hit),
        href=product_href(hit.handle),
        role="option",
        class_name="search__hit",
        key=hit.handle,
        data_testid="search-result",
        data_answers="",
        custom_attrs={"tabIndex": -1},
    )


def age_links(class_name: str) -> rx.Component:
    """Build a link for each age range that has products for sale. Without one, nothing is shown."""

    def link(age: rx.Var[str]) -> rx.Component:
        return rx.el.li(
            rx.el.a(_("{ages} años").format(ages=age), href=age_href(age), class_name="pill"), key=age
        )

    ages = FrameState.ages
    return rx.cond(
        ages.length() > 0,
        rx.el.ul(rx.foreach(ages, link), class_name=f"pills {class_name}", aria_label=_("Por edades")),
    )


def near_product(hit: ObjectVar[SearchHit]) -> rx.Component:
    """Build the link to a product that matches only a part of the search text. The link is outside the listbox."""
    return rx.el.li(
        rx.el.a(
            product_summary(hit),
            href=product_href(hit.handle),
            class_name="search__hit",
            data_testid="search-near",
            data_closes="",
            data_answers="",
        ),
        key=hit.handle,
    )


def department_link(department: ObjectVar[CategoryNode]) -> rx.Component:
    """Build a department's link in the strip under the header."""
    return rx.el.li(rx.el.a(department.name, href=category_href(department.handle)), key=department.handle)


@rx.memo
def departments_strip() -> rx.Component:
    """Build the strip of departments for wide screens."""
    return rx.el.nav(
        rx.el.ul(
            rx.el.li(rx.el.a(_("Todos"), href=CATALOG)),
            rx.cond(OFFERS_GIFTS, rx.el.li(rx.el.a(_("Regalos"), href=GIFT))),
            rx.cond(OFFERS_GIFTS, rx.el.li(rx.el.a(_("Por edades"), href=AGES))),
            rx.foreach(FrameState.departments, department_link),
            class_name="departments__list",
        ),
        class_name="departments",
        aria_label=_("Departamentos"),
    )


def menu_entry(department: ObjectVar[CategoryNode]) -> rx.Component:
    """Build a department's entry in the menu, with its subcategories."""
    return rx.el.li(
        rx.el.a(
            rx.cond(
                department.picture != "",
                drawing(department.picture, 40, class_name="menu__picture"),
                rx.el.span(department.initial, class_name="menu__picture menu__letter", aria_hidden="true"),
            ),
            rx.el.span(department.name),
            rx.el.span(grouped(department.count), class_name="menu__count"),
            href=category_href(department.handle),
            class_name="menu__link",
        ),
        rx.cond(
            department.children.length() > 0,
            rx.el.ul(
                rx.foreach(
                    department.children,
                    lambda child: rx.el.li(
                        rx.el.a(child.name, href=category_href(child.handle), class_name="menu__sublink"),
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
    """Build the menu of phones and tablets."""
    return sheet(
        rx.el.nav(
            rx.el.ul(
                rx.el.li(
                    rx.el.a(
                        demo_mark(40),
                        rx.el.span(GOODS.every),
                        href=CATALOG,
                        class_name="menu__link",
                    )
                ),
                rx.cond(
                    OFFERS_GIFTS,
                    rx.el.li(
                        rx.el.a(icon("gift"), _("Encuentra un regalo"), href=GIFT, class_name="menu__link")
                    ),
                ),
                class_name="menu__list",
            ),
            age_links(class_name="menu__ages"),
            rx.el.ul(rx.foreach(FrameState.departments, menu_entry), class_name="menu__list"),
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

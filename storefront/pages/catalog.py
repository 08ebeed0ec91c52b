"""The catalogue: filters next to a list of products, to which more pages can be added (spec: Storefront view rules 6).

The products of an age, of a brand and of a collection are also displayed on this page, under their own URLs.
"""

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import PictureView
from backend.content.goods import NEUTRAL_GOODS
from backend.core.texts import _
from storefront.components.frame import page_frame
from storefront.components.icons import icon
from storefront.components.pictures import picture
from storefront.components.placeholders import (
    empty_shop,
    empty_state,
    grid_skeleton,
    link_button,
    loaded_content,
)
from storefront.components.product_card import product_grid
from storefront.components.product_suggestions import suggested_products
from storefront.components.react_components import sheet
from storefront.links import CATALOG, GIFT
from storefront.meta import DocumentMeta
from storefront.pages.catalog_filters import (
    CHOICES,
    IS_WIDE,
    CatalogChoices,
    clear_filters_button,
    earlier_button,
    facet_group,
    filter_chips,
    filter_count,
    more_button,
    price_filter,
    sale_filter,
    sort_select,
)
from storefront.pages.catalog_list import (
    EMPTY_CONTENT,
    HEAD_SIZES,
    MAX_SHOWN,
    PAGE_SIZE,
    CatalogContent,
    Choices,
    load,
    parse_choices,
    text_from_params,
)
from storefront.pages.page_loader import PageData, PageParams, PageState, Reader
from storefront.reflex_ext.numbers import grouped
from storefront.state.frame import GOODS, OFFERS_GIFTS, count_products, errors_as_notices
from storefront.state.handlers import event, next_number
from storefront.state.search import HelpLink

FILTERS = "filters"


class CatalogState(PageState, rx.State):
    """State of the catalogue: the displayed list, and the choices (filters and sort order) that produced it."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[CatalogContent] = rx.field(default_factory=lambda: EMPTY_CONTENT)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=NEUTRAL_GOODS.every))

    @event(supersedes=True)
    async def browse(self, choices: dict[str, Any] | None) -> None:
        """Display the list for these choices. If `choices` is None, display the list for the URL alone.

        If loading fails, the list stays. Only `content.number` changes, so that the page stops waiting for it.
        """
        number = self.content.number
        async with errors_as_notices(self):
            parsed = None if choices is None else parse_choices(choices)
            self._show(await load(PageParams.from_url(self.router.url), parsed))
        if self.content.number == number:
            self.content = replace(self.content, number=next_number(number))

    def _reader(self, params: PageParams) -> Reader:
        """Return the function that reads the list of this URL.

        If this URL is already displayed, the list keeps the choices made on the page.
        """
        return partial(load, params, self._current_choices(params))

    def _current_choices(self, params: PageParams) -> Choices | None:
        shown = self.content
        get_parameter = params.get_parameter
        is_same = (shown.place, shown.category, shown.text, shown.asked_page) == (
            params.decoded_path,
            get_parameter("category"),
            text_from_params(params),
            get_parameter("page"),
        )
        return shown.choices if is_same and shown.is_custom else None

    def _set(self, data: PageData[CatalogContent]) -> None:
        super()._set(replace(data, content=replace(data.content, number=next_number(self.content.number))))

    def _extra_key(self, params: PageParams) -> Hashable:
        return repr(self._current_choices(params))

    def _is_shown(self, data: PageData[CatalogContent]) -> bool:
        return super()._is_shown(replace(data, content=replace(data.content, number=self.content.number)))


def filter_controls() -> rx.Component:
    """Build all filters of the list."""
    content = CatalogState.content
    page = content.page
    return rx.fragment(
        facet_group("ages", page.ages, _("Edad (años)"), "filter-age"),
        price_filter(),
        sale_filter(),
        facet_group(
            "categories", page.categories, _("Categoría"), "filter-category", content.inner.to(list[str])
        ),
        facet_group("brands", page.brands, _("Marca"), "filter-brand"),
    )


def list_toolbar() -> rx.Component:
    """Build the row above the list: the filter button of narrow screens, the number of products, and the sort order."""
    page = CatalogState.content.page
    return rx.el.div(
        rx.el.button(
            icon("sliders", size=20),
            filter_count(),
            type="button",
            class_name="button button--quiet tools__filters",
            data_opens=FILTERS,
            data_testid="open-filters",
        ),
        rx.el.p(
            count_products(page.total),
            class_name="tools__count",
            role="status",
            data_testid="result-count",
        ),
        sort_select(),
        class_name="tools",
    )


def empty_list() -> rx.Component:
    """Build the message of an empty list: no product matches the filters, or the shop has no products yet."""
    narrowed = empty_state(
        "empty-search",
        _("Aquí no hay nada… todavía"),
        _("Nada cumple con todo lo que pediste. Prueba con otra palabra o mira toda la tienda."),
        clear_filters_button(),
        rx.el.a(_("Ver todo el catálogo"), href="/catalog", class_name="button button--quiet"),
        level=2,
        test_id="no-results",
    )
    content = CatalogState.content
    unfiltered = empty_state(
        "empty-category",
        _("Aquí todavía no hay nada"),
        _("Esta parte de la tienda está vacía por ahora. Mira lo demás mientras llega algo."),
        link_button(_("Ver todo el catálogo"), CATALOG),
        rx.cond(OFFERS_GIFTS, link_button(_("Encuentra un regalo"), GIFT, kind="quiet")),
        level=2,
        test_id="empty-category",
    )
    empty = rx.cond((content.text == "") & ~content.is_custom, unfiltered, narrowed)
    return rx.cond(content.is_bare, empty_shop(), rx.fragment(empty, suggested_products()))


def result_list() -> rx.Component:
    """Build the list of products, with the buttons that load more of them."""
    content = CatalogState.content
    page = content.page
    cards = page.cards
    return rx.el.div(
        loaded_content(
            CatalogState.is_ready,
            CatalogState.has_failed,
            CatalogState.load,
            grid_skeleton(9, class_name="grid grid--beside"),
            rx.cond(
                page.total > 0,
                rx.fragment(
                    rx.cond(content.choices.start > 0, earlier_button(content.earlier)),
                    product_grid(cards, eager=4, class_name="grid grid--beside"),
                    more_button(
                        (content.choices.start + cards.length()).to(int), page.total, content.further
                    ),
                ),
                empty_list(),
            ),
        ),
        class_name="results",
        custom_attrs={"aria-busy": CHOICES.is_busy},
    )


def help_list() -> rx.Component:
    """Build the links to the pages that may answer the search."""

    def link(item: ObjectVar[HelpLink]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                item.title,
                icon("right", size=18),
                href=item.path,
                class_name="pill",
                data_testid="search-help",
            ),
            key=item.path,
        )

    links = CatalogState.content.help_links
    found = rx.el.ul(rx.foreach(links, link), class_name="help-links", aria_label=_("Te puede servir"))
    return rx.cond(links.length() > 0, found)


def page() -> rx.Component:
    """Build the whole page."""
    content = CatalogState.content
    total = content.page.total
    return page_frame(
        CatalogChoices.create(
            rx.el.div(
                rx.el.div(
                    rx.el.h1(content.title, class_name="page-title", data_testid="catalog-title"),
                    rx.cond(content.lead != "", rx.el.p(content.lead, class_name="page-lead")),
                    help_list(),
                ),
                rx.cond(
                    content.picture,
                    picture(
                        content.picture.to(ObjectVar, PictureView),
                        HEAD_SIZES,
                        is_first=True,
                        class_name="page-head__picture",
                        alt="",
                    ),
                ),
                class_name="page-head",
            ),
            rx.el.div(
                rx.el.aside(
                    rx.cond(
                        IS_WIDE & ~content.is_bare,
                        rx.fragment(rx.el.h2(_("Filtros"), class_name="sr-only"), filter_controls()),
                    ),
                    class_name="catalog__filters",
                ),
                rx.el.div(
                    rx.cond(content.is_bare, rx.fragment(), rx.fragment(list_toolbar(), filter_chips())),
                    rx.el.h2(_("Productos"), class_name="sr-only"),
                    result_list(),
                    class_name="catalog__list",
                ),
                class_name="catalog",
            ),
            sheet(
                rx.el.div(
                    filter_controls(),
                    rx.el.div(
                        rx.el.button(
                            rx.cond(
                                total == 1,
                                _("Ver 1 {item}").format(item=GOODS.one),
                                _("Ver {n} {goods}").format(n=grouped(total), goods=GOODS.many),
                            ),
                            type="button",
                            class_name="button button--primary button--wide",
                            data_closes="",
                        ),
                        class_name="filter-sheet__end",
                    ),
                    class_name="filter-sheet",
                ),
                name=FILTERS,
                label=_("Filtrar"),
                close_label=_("Cerrar los filtros"),
                side="bottom",
            ),
            answer=content,
            step=PAGE_SIZE,
            max_cards=MAX_SHOWN,
            state=CatalogState.get_full_name(),
            on_browse=CatalogState.browse,
        ),
    )

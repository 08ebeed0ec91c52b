"""The catalogue: filters beside the list, and the list a page at a time (spec: Storefront view rules 6).

The same page shows the lists of an age and of a brand, which have addresses of their own.
"""

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import reflex as rx

from backend.core.texts import _
from storefront.components.frame import framed
from storefront.components.icons import icon
from storefront.components.placeholders import empty_state, grid_skeleton, until
from storefront.components.product_card import product_grid
from storefront.components.product_suggestions import offered_toys
from storefront.components.react_components import sheet
from storefront.meta import DocumentMeta
from storefront.pages.catalog_filters import (
    CHOICES,
    IS_WIDE,
    CatalogChoices,
    chips,
    clear_choices,
    facet_group,
    filter_count,
    only_sale,
    price_range,
    show_earlier,
    show_more,
    sort_select,
)
from storefront.pages.catalog_list import (
    MOST_SHOWN,
    NOTHING_YET,
    STEP,
    WHOLE,
    CatalogContent,
    Choices,
    checked_choices,
    load,
    text_of_address,
)
from storefront.pages.page_loader import PageData, PageParams, PageState, Reading
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import event, next_number

FILTERS = "filters"


class CatalogState(PageState, rx.State):
    """The list that is shown, and what it was asked for."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[CatalogContent] = rx.field(default_factory=lambda: NOTHING_YET)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=WHOLE))

    @event(supersedes=True)
    async def browse(self, choices: dict[str, Any] | None) -> None:
        """Narrow the list by these choices; by the address alone when there are none."""
        async with errors_as_notices(self):
            asked = None if choices is None else checked_choices(choices)
            self._show(await load(PageParams.from_url(self.router.url), asked))

    def _reading(self, params: PageParams) -> Reading:
        """Coming back to the address that is shown keeps the choices made there."""
        return partial(load, params, self._own_choices(params))

    def _own_choices(self, params: PageParams) -> Choices | None:
        shown = self.content
        asked = params.asked
        is_same = (shown.place, shown.category, shown.text, shown.asked_page) == (
            params.place,
            asked("category"),
            text_of_address(params),
            asked("page"),
        )
        return shown.choices if is_same and shown.is_custom else None

    def _set(self, data: PageData[CatalogContent]) -> None:
        super()._set(replace(data, content=replace(data.content, number=next_number(self.content.number))))

    def _further_key(self, params: PageParams) -> Hashable:
        return repr(self._own_choices(params))

    def _is_shown(self, data: PageData[CatalogContent]) -> bool:
        return super()._is_shown(replace(data, content=replace(data.content, number=self.content.number)))


def filters() -> rx.Component:
    """Every way to narrow the list."""
    content = CatalogState.content
    page = content.page
    return rx.fragment(
        only_sale(),
        facet_group(
            "categories", page.categories, _("Categoría"), "filter-category", content.inner.to(list[str])
        ),
        price_range(),
        facet_group("ages", page.ages, _("Edad (años)"), "filter-age"),
        facet_group("brands", page.brands, _("Marca"), "filter-brand"),
    )


def tools() -> rx.Component:
    """The row over the list: how many, the filters' button on narrow screens, the order."""
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
            rx.cond(page.total == 1, _("1 juguete"), _("{n} juguetes").format(n=page.total)),
            class_name="tools__count",
            role="status",
            data_testid="result-count",
        ),
        sort_select(),
        class_name="tools",
    )


def nothing_found() -> rx.Component:
    """The list without products: because of what was asked for, or because there are none yet."""
    bare = empty_state(
        "empty-search",
        _("Estamos armando la vitrina"),
        _("Muy pronto habrá juguetes nuevos por aquí."),
        rx.el.a(_("Ir al inicio"), href="/", class_name="button button--quiet"),
        level=2,
        test_id="bare-shop",
    )
    narrowed = empty_state(
        "empty-search",
        _("Aquí no hay nada… todavía"),
        _("Ningún juguete cumple con todo lo que pediste. Prueba con otra palabra o mira toda la tienda."),
        clear_choices(),
        rx.el.a(_("Ver todos los juguetes"), href="/catalog", class_name="button button--quiet"),
        level=2,
        test_id="no-results",
    )
    return rx.cond(CatalogState.content.is_bare, bare, rx.fragment(narrowed, offered_toys()))


def results() -> rx.Component:
    """The list."""
    content = CatalogState.content
    page = content.page
    cards = page.cards
    return rx.el.div(
        until(
            CatalogState.is_ready,
            CatalogState.has_failed,
            CatalogState.load,
            grid_skeleton(9, class_name="grid grid--beside"),
            rx.cond(
                page.total > 0,
                rx.fragment(
                    rx.cond(content.choices.start > 0, show_earlier(content.earlier)),
                    product_grid(cards, eager=4, class_name="grid grid--beside"),
                    show_more((content.choices.start + cards.length()).to(int), page.total, content.further),
                ),
                nothing_found(),
            ),
        ),
        class_name="results",
        custom_attrs={"aria-busy": CHOICES.is_busy},
    )


def page() -> rx.Component:
    """The whole page."""
    content = CatalogState.content
    total = content.page.total
    return framed(
        CatalogChoices.create(
            rx.el.div(
                rx.el.h1(content.title, class_name="page-title", data_testid="catalog-title"),
                rx.cond(content.lead != "", rx.el.p(content.lead, class_name="page-lead")),
                class_name="page-head",
            ),
            rx.el.div(
                rx.el.aside(
                    rx.cond(
                        IS_WIDE & ~content.is_bare,
                        rx.fragment(rx.el.h2(_("Filtros"), class_name="sr-only"), filters()),
                    ),
                    class_name="catalog__filters",
                ),
                rx.el.div(
                    rx.cond(content.is_bare, rx.fragment(), tools()),
                    chips(),
                    rx.el.h2(_("Juguetes"), class_name="sr-only"),
                    results(),
                    class_name="catalog__list",
                ),
                class_name="catalog",
            ),
            sheet(
                rx.el.div(
                    filters(),
                    rx.el.div(
                        rx.el.button(
                            rx.cond(total == 1, _("Ver 1 juguete"), _("Ver {n} juguetes").format(n=total)),
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
            step=STEP,
            most=MOST_SHOWN,
            state=CatalogState.get_full_name(),
            on_browse=CatalogState.browse,
        ),
    )

"""The catalogue: filters beside the list, and the list a page at a time (spec: Storefront view rules 6)."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.catalog.browse import catalog_page
from backend.catalog.categories import category_tree
from backend.catalog.views import CatalogFilter, CatalogPage, CategoryNode, CategoryRef
from backend.errors import InvalidData
from backend.texts import _
from storefront.components.browser import sheet
from storefront.components.frame import framed
from storefront.components.header import TOO_LONG
from storefront.components.icons import icon
from storefront.components.links import catalog_path
from storefront.components.pictures import OG_IMAGE
from storefront.components.placeholders import empty_state, grid_skeleton, until
from storefront.components.product_card import CARD_SIZES, product_grid
from storefront.meta import (
    NOINDEX,
    DocumentMeta,
    absolute,
    breadcrumb_data,
    first_picture,
    shortened,
    structured,
)
from storefront.pages.catalog_filters import (
    CHOICES,
    IS_WIDE,
    CatalogChoices,
    chips,
    clear_choices,
    facet_group,
    filter_count,
    only_sale,
    show_earlier,
    show_more,
    sort_select,
)
from storefront.pages.loading import PageData, PageParams, PageState
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_number, checked_text, checked_texts, event, next_number
from storefront.state.search import searched, words_of_shop

STEP = 24
MOST_SHOWN = 192
"""At once. What follows takes its place."""
MOST_PAGES = 40_000
MOST_CHOICES = 40
LONGEST_CHOICE = 100
FILTERS = "filters"
WHOLE = _("Todos los juguetes")
UNKNOWN_CATEGORY = _("Esta categoría no existe")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the list is narrowed by. The names are those the browser keeps."""

    categories: list[str] = field(default_factory=list)
    brands: list[str] = field(default_factory=list)
    ages: list[str] = field(default_factory=list)
    on_sale: bool = False
    sort: str = "featured"
    shown: int = STEP
    start: int = 0
    """How many of the list come before those that are shown."""


@dataclass(frozen=True, slots=True)
class CatalogContent:
    """The list, what it is narrowed by, and what it calls itself.

    `category`, `text` and `asked_page` are those of the address; `is_custom` says that the shopper chose otherwise
    since. `number` differs in each answer. `earlier` and `further` are the addresses of the pages around what is shown:
    empty where there is none, or where what was chosen is in no address.
    """

    page: CatalogPage
    choices: Choices
    category: str = ""
    text: str = ""
    is_custom: bool = False
    number: int = 0
    title: str = WHOLE
    lead: str = ""
    inner: list[str] = field(default_factory=list)
    """The categories that stand below another one in the filter."""
    asked_page: str = ""
    earlier: str = ""
    further: str = ""
    is_bare: bool = False
    """Whether the shop has nothing to show, however little was asked for."""


NOTHING_YET = CatalogContent(
    page=CatalogPage(cards=[], total=0, offset=0, limit=STEP, categories=[], brands=[], ages=[]),
    choices=Choices(),
)


def choices_of_address(params: PageParams) -> Choices:
    """What an address narrows the list by."""
    return Choices(
        categories=[params.asked("category")] if params.asked("category") else [],
        ages=[params.asked("age")] if params.asked("age") else [],
        on_sale=params.asked("sale") == "1",
        shown=STEP,
        start=(page_of_address(params) - 1) * STEP,
    )


def page_of_address(params: PageParams) -> int:
    """The page of the list that an address asks for; the first where it asks for none that there could be."""
    asked = params.asked("page")
    is_number = asked.isascii() and asked.isdigit() and len(asked) <= len(str(MOST_PAGES))
    return min(max(1, int(asked)), MOST_PAGES) if is_number else 1


def path_of_page(params: PageParams, page: int) -> str:
    """The address of another page of the list at this address."""
    asked = params.asked
    return catalog_path(
        asked("category"), text_of_address(params), age=asked("age"), sale=asked("sale"), page=page
    )


def checked_choices(sent: object) -> Choices:
    """The choices a browser sent.

    Raises:
        InvalidData: they are not what our pages send.
    """
    if not isinstance(sent, dict):
        raise InvalidData("not choices")
    return Choices(
        categories=checked_texts(sent.get("categories"), MOST_CHOICES, LONGEST_CHOICE),
        brands=checked_texts(sent.get("brands"), MOST_CHOICES, LONGEST_CHOICE),
        ages=checked_texts(sent.get("ages"), MOST_CHOICES, LONGEST_CHOICE),
        on_sale=sent.get("on_sale") is True,
        sort=checked_text(sent.get("sort"), LONGEST_CHOICE),
        shown=checked_number(sent.get("shown"), 1, MOST_SHOWN),
        start=checked_number(sent.get("start", 0), 0, MOST_PAGES * STEP),
    )


async def load(params: PageParams, choices: Choices | None = None) -> PageData[CatalogContent]:
    """What the catalogue shows under an address, or under the choices made since."""
    applied = choices or choices_of_address(params)
    text = text_of_address(params)
    async with current_shop().database.read() as session:
        tree = await category_tree(session)
        known = [handle for handle in applied.categories if trail_to(tree, handle)]
        is_unknown = len(known) < len(applied.categories)
        applied = replace(applied, categories=known)
        wanted = CatalogFilter(
            text=text,
            categories=tuple(applied.categories),
            brands=tuple(applied.brands),
            ages=tuple(applied.ages),
            on_sale=applied.on_sale,
            sort=applied.sort,
        )
        words = words_of_shop()
        page = await catalog_page(session, wanted, words, offset=applied.start, limit=applied.shown)
        if page.total and not page.cards:  # the list has become shorter: its last page
            applied = replace(applied, start=(page.total - 1) // STEP * STEP)
            page = await catalog_page(session, wanted, words, offset=applied.start, limit=applied.shown)
    trail = trail_to(tree, applied.categories[0]) if len(applied.categories) == 1 else []
    content = CatalogContent(
        page=page,
        choices=applied,
        category=params.asked("category"),
        text=text,
        is_custom=choices is not None,
        title=UNKNOWN_CATEGORY if is_unknown and choices is None and not text else heading(text, trail, page),
        lead=lead_of(params, text, trail, page),
        inner=[child.handle for node in tree for child in node.children],
        asked_page=params.asked("page"),
        earlier=path_of_page(params, applied.start // STEP) if choices is None and applied.start else "",
        further=path_of_page(params, applied.start // STEP + 2)
        if choices is None and applied.start + len(page.cards) < page.total
        else "",
        is_bare=not page.total and (not text or page.near is not None) and not wanted_anything(applied),
    )
    return PageData(content, meta_of(content, trail))


def wanted_anything(choices: Choices) -> bool:
    """Whether the list is narrowed by anything."""
    return bool(choices.categories or choices.brands or choices.ages or choices.on_sale)


def trail_to(nodes: list[CategoryNode], handle: str) -> list[CategoryNode]:
    """The way down the tree to a category; empty when it is not there."""
    for node in nodes:
        if node.handle == handle:
            return [node]
        if below := trail_to(node.children, handle):
            return [node, *below]
    return []


def text_of_address(params: PageParams) -> str:
    """What an address looks for."""
    return searched(params.query.get("q", "").strip())


def lead_of(params: PageParams, text: str, trail: list[CategoryNode], page: CatalogPage) -> str:
    """What stands under the heading: what a category is, or what became of a search."""
    if not text:
        return trail[-1].description if trail else ""
    said = [TOO_LONG] if text != params.query["q"].strip() else []
    if page.near:
        said.append(_("Primero va lo que más se parece; después, toda la tienda."))
    elif page.near is not None:
        said.append(_("Aquí está toda la tienda, por si algo te gusta."))
    return " ".join(said)


def heading(text: str, trail: list[CategoryNode], page: CatalogPage) -> str:
    """What the list calls itself."""
    if text and page.near is not None:
        return _("No encontramos «{text}»").format(text=text)
    if text:
        return _("Resultados para «{text}»").format(text=text)
    return trail[-1].name if trail else WHOLE


def meta_of(content: CatalogContent, trail: list[CategoryNode]) -> DocumentMeta:
    """The document of a list. The answers to searches are not for search engines."""
    is_unknown = bool(content.category) and not content.is_custom and not trail
    number = 1 if content.is_custom else content.choices.start // STEP + 1
    canonical_page = 1 if content.choices.ages or content.choices.on_sale else number
    first = next((card.picture for card in content.page.cards if card.picture), None)
    way = [CategoryRef(handle=node.handle, name=node.name) for node in trail]
    return DocumentMeta(
        title=_("{title}, página {n}").format(title=content.title, n=number) if number > 1 else content.title,
        description=shortened(
            content.lead or _("Juguetes para todas las edades, con envío a toda Colombia.")
        ),
        status=404 if is_unknown else 200,
        image=absolute(first.url if first else OG_IMAGE),
        canonical=absolute(catalog_path(category=trail[-1].handle if trail else "", page=canonical_page)),
        previous=absolute(content.earlier) if content.earlier else "",
        following=absolute(content.further) if content.further else "",
        robots=NOINDEX if content.text or is_unknown else "index,follow",
        structured_data=structured(breadcrumb_data(way)) if way else "",
        first_picture=first_picture(first, CARD_SIZES),
    )


class CatalogState(PageState, rx.State):
    """The list that is shown, and what it was asked for."""

    content: rx.Field[CatalogContent] = rx.field(default_factory=lambda: NOTHING_YET)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=WHOLE))

    @event(supersedes=True)
    async def browse(self, choices: dict[str, Any] | None) -> None:
        """Narrow the list by these choices; by the address alone when there are none."""
        async with errors_as_notices(self):
            asked = None if choices is None else checked_choices(choices)
            self._show(await load(PageParams.from_url(self.router.url), asked))

    async def _data(self, params: PageParams) -> PageData[CatalogContent]:
        """Coming back to the address that is shown keeps the choices made there."""
        return await load(params, self._own_choices(params))

    def _own_choices(self, params: PageParams) -> Choices | None:
        shown = self.content
        asked = params.asked
        is_same = (shown.category, shown.text, shown.asked_page) == (
            asked("category"),
            text_of_address(params),
            asked("page"),
        )
        return shown.choices if is_same and shown.is_custom else None

    def _show(self, data: PageData[CatalogContent]) -> None:
        super()._show(replace(data, content=replace(data.content, number=next_number(self.content.number))))

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
    return rx.cond(CatalogState.content.is_bare, bare, narrowed)


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
                page.total.to(int) > 0,
                rx.fragment(
                    rx.cond(content.choices.start.to(int) > 0, show_earlier(content.earlier)),
                    product_grid(cards, eager=4, class_name="grid grid--beside"),
                    show_more(
                        content.choices.start.to(int) + cards.length(), page.total.to(int), content.further
                    ),
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

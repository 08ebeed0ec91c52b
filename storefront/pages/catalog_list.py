"""The list of the catalogue: what an address or a shopper's choices ask for, what it shows, and its document's meta."""

from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from backend.app import current_shop
from backend.catalog.category_tree import department_nodes, read_tree
from backend.catalog.handles import brand_handle
from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.catalog.storefront.product_list import ages_of, catalog_page
from backend.catalog.views import CatalogFilter, CatalogPage, CategoryNode, CategoryRef
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.texts import _
from storefront.components.header import TOO_LONG
from storefront.components.pictures import OG_IMAGE
from storefront.components.product_card import CARD_SIZES
from storefront.links import AGE, BRAND, CATALOG, catalog_path
from storefront.meta import (
    NOINDEX,
    DocumentMeta,
    absolute,
    breadcrumb_data,
    first_picture,
    shortened,
    structured,
)
from storefront.pages.page_loader import PageData, PageParams
from storefront.state.handlers import checked_number, checked_text, checked_texts
from storefront.state.search import places_of_shop, searched, words_of_shop

STEP = 24
MOST_SHOWN = 192
"""At once. What follows takes its place."""
MOST_PAGES = 40_000
MOST_CHOICES = 40
LONGEST_CHOICE = 100
WHOLE = _("Todos los juguetes")
UNKNOWN_CATEGORY = _("Esta categoría no existe")
UNKNOWN_BRAND = _("Esta marca no existe")
UNKNOWN_AGE = _("No tenemos juguetes para esta edad")
HIGHEST_PRICE = 1_000_000_000
"""Pesos."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the list is narrowed by. The names are those the browser keeps."""

    categories: list[str] = field(default_factory=list)
    brands: list[str] = field(default_factory=list)
    ages: list[str] = field(default_factory=list)
    on_sale: bool = False
    lowest: int = 0
    highest: int = 0
    """The prices between which they cost, in pesos; 0 for no bound."""
    sort: str = "featured"
    shown: int = STEP
    start: int = 0
    """How many of the list come before those that are shown."""


@dataclass(frozen=True, slots=True)
class CatalogContent:
    """The list, what it is narrowed by, and what it calls itself.

    `place` is the path of the address, decoded; `category`, `text` and `asked_page` are those of its query;
    `is_custom` says that the shopper chose otherwise since. `number` differs in each answer. `earlier` and `further`
    are the addresses of the pages around what is shown: empty where there is none, or where what was chosen is in no
    address.
    """

    page: CatalogPage
    choices: Choices
    place: str = CATALOG
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
    prices: str = ""
    """The prices that were chosen, in words."""
    is_bare: bool = False
    """Whether the shop has nothing to show, however little was asked for."""


NOTHING_YET = CatalogContent(
    page=CatalogPage(cards=[], total=0, offset=0, limit=STEP, categories=[], brands=[], ages=[]),
    choices=Choices(),
)


@dataclass(frozen=True, slots=True)
class OwnList:
    """The age or the brand whose own list an address leads to, if it leads to one.

    Attributes:
        age: an age range.
        brand: the handle of a brand.
        brands: the names of that brand: two may differ only in accents, case and signs.
        is_unknown: whether nothing for sale is of it.
    """

    age: str = ""
    brand: str = ""
    brands: tuple[str, ...] = ()
    is_unknown: bool = False


async def own_list(params: PageParams) -> OwnList:
    """The age or the brand of an address."""
    if params.place.startswith(f"{BRAND}/"):
        handle = brand_handle(params.tail)
        brands = tuple([place.name for place in (await places_of_shop()).brands if place.handle == handle])
        return OwnList(brand=handle, brands=brands, is_unknown=not brands)
    # ages were once asked for by the query
    age = params.tail if params.place.startswith(f"{AGE}/") else params.asked("age")
    if not age or age in AGE_RANGES:
        return OwnList(age=age)
    async with current_shop().database.read() as session:
        return OwnList(age=age, is_unknown=age not in {facet.value for facet in await ages_of(session)})


def choices_of_address(params: PageParams, own: OwnList) -> Choices:
    """What an address narrows the list by."""
    return Choices(
        categories=[params.asked("category")] if params.asked("category") else [],
        brands=list(own.brands),
        ages=[own.age] if own.age and not own.is_unknown else [],
        on_sale=params.asked("sale") == "1",
        shown=STEP,
        start=(page_of_address(params) - 1) * STEP,
    )


def page_of_address(params: PageParams) -> int:
    """The page of the list that an address asks for; the first where it asks for none that there could be."""
    asked = params.asked("page")
    is_number = asked.isascii() and asked.isdigit() and len(asked) <= len(str(MOST_PAGES))
    return min(max(1, int(asked)), MOST_PAGES) if is_number else 1


def path_of_page(params: PageParams, own: OwnList, page: int) -> str:
    """The address of a page of the list at this address."""
    asked = params.asked
    return catalog_path(
        asked("category"),
        text_of_address(params),
        age=own.age,
        brand=own.brand,
        sale=asked("sale"),
        page=page,
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
        lowest=checked_number(sent.get("lowest", 0), 0, HIGHEST_PRICE),
        highest=checked_number(sent.get("highest", 0), 0, HIGHEST_PRICE),
        sort=checked_text(sent.get("sort"), LONGEST_CHOICE),
        shown=checked_number(sent.get("shown"), 1, MOST_SHOWN),
        start=checked_number(sent.get("start", 0), 0, MOST_PAGES * STEP),
    )


async def load(params: PageParams, choices: Choices | None = None) -> PageData[CatalogContent]:
    """What the catalogue shows under an address, or under the choices made since."""
    own = await own_list(params)
    applied = choices or choices_of_address(params, own)
    text = text_of_address(params)
    async with current_shop().database.read() as session:
        tree = await read_tree(session)
        nodes = await department_nodes(session, tree)
        known = [handle for handle in applied.categories if handle in tree.by_handle]
        is_unknown = choices is None and (own.is_unknown or len(known) < len(applied.categories))
        whole = tree.whole if tree.whole and tree.whole.handle in known else None
        applied = replace(applied, categories=[] if whole else known)
        wanted = CatalogFilter(
            text=text,
            categories=tuple(applied.categories),
            brands=tuple(applied.brands),
            ages=tuple(applied.ages),
            on_sale=applied.on_sale,
            lowest=applied.lowest or None,
            highest=applied.highest or None,
            sort=applied.sort,
        )
        words = words_of_shop()
        page = await catalog_page(session, wanted, words, offset=applied.start, limit=applied.shown)
        if page.total and not page.cards:  # the list has become shorter: its last page
            applied = replace(applied, start=(page.total - 1) // STEP * STEP)
            page = await catalog_page(session, wanted, words, offset=applied.start, limit=applied.shown)
    trail = trail_to(nodes, applied.categories[0]) if len(applied.categories) == 1 else []
    if whole:  # its page is the whole catalogue under its own name
        trail = [CategoryNode(whole.id, whole.handle, whole.name, whole.description, page.total, nodes)]
    content = CatalogContent(
        page=page,
        choices=applied,
        place=params.place,
        category=params.asked("category"),
        text=text,
        is_custom=choices is not None,
        title=unknown_title(own) if is_unknown and not text else heading(text, trail, page, own, applied),
        lead=lead_of(params, text, trail, page),
        inner=[child.handle for node in nodes for child in node.children],
        asked_page=params.asked("page"),
        earlier=path_of_page(params, own, applied.start // STEP) if choices is None and applied.start else "",
        further=path_of_page(params, own, applied.start // STEP + 2)
        if choices is None and applied.start + len(page.cards) < page.total
        else "",
        prices=prices_in_words(applied),
        is_bare=not page.total and (not text or page.near is not None) and not wanted_anything(applied),
    )
    meta = meta_of(content, trail, own, is_unknown=is_unknown)
    if choices is None and not is_unknown and has_moved(params, own):
        meta = DocumentMeta(
            meta.title, status=301, moved_to=path_of_page(params, own, page_of_address(params))
        )
    return PageData(content, meta)


def has_moved(params: PageParams, own: OwnList) -> bool:
    """Whether the list of this age or brand has another address than this one."""
    return bool(own.age or own.brand) and params.place != unquote(catalog_path(age=own.age, brand=own.brand))


def wanted_anything(choices: Choices) -> bool:
    """Whether the list is narrowed by anything."""
    narrowing = (choices.categories, choices.brands, choices.ages)
    return any((*narrowing, choices.on_sale, choices.lowest, choices.highest))


def prices_in_words(choices: Choices) -> str:
    """The bounds of the prices, if there is one."""
    lowest, highest = format_cop(choices.lowest), format_cop(choices.highest)
    if choices.lowest and choices.highest:
        return _("De {lowest} a {highest}").format(lowest=lowest, highest=highest)
    if choices.lowest:
        return _("Desde {price}").format(price=lowest)
    return _("Hasta {price}").format(price=highest) if choices.highest else ""


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


def unknown_title(own: OwnList) -> str:
    """What the list at an address that names nothing calls itself."""
    return UNKNOWN_BRAND if own.brand else UNKNOWN_AGE if own.age else UNKNOWN_CATEGORY


def age_in_words(age: str) -> str:
    """An age range as a heading says it: `3-5`, `12+`."""
    youngest, _hyphen, oldest = age.partition("-")
    if oldest:
        return _("Juguetes de {youngest} a {oldest} años").format(youngest=youngest, oldest=oldest)
    return _("Juguetes desde los {youngest} años").format(youngest=age.removesuffix("+"))


def heading(text: str, trail: list[CategoryNode], page: CatalogPage, own: OwnList, applied: Choices) -> str:
    """What the list calls itself."""
    if text and page.near is not None:
        return _("No encontramos «{text}»").format(text=text)
    if text:
        return _("Resultados para «{text}»").format(text=text)
    if trail:
        return trail[-1].name
    if own.age and applied.ages == [own.age]:
        return age_in_words(own.age)
    if own.brands and applied.brands == list(own.brands):
        # of two ways to write it, the one that more toys have
        return max(page.brands, key=lambda facet: (facet.value in own.brands, facet.count)).label
    return WHOLE


def meta_of(
    content: CatalogContent, trail: list[CategoryNode], own: OwnList, *, is_unknown: bool
) -> DocumentMeta:
    """The document of a list. The answers to searches are not for search engines."""
    number = 1 if content.is_custom else content.choices.start // STEP + 1
    is_narrower = content.choices.on_sale or bool(
        (own.age or own.brand) and trail
    )  # than what its canonical url leads to
    category = trail[-1].handle if trail and not (own.age or own.brand) else ""
    first = next((card.picture for card in content.page.cards if card.picture), None)
    way = [CategoryRef(handle=node.handle, name=node.name) for node in trail]
    return DocumentMeta(
        title=_("{title}, página {n}").format(title=content.title, n=number) if number > 1 else content.title,
        description=shortened(content.lead or description_of(content.title, own)),
        status=404 if is_unknown else 200,
        image=absolute(first.url if first else OG_IMAGE),
        canonical=absolute(
            catalog_path(category, age=own.age, brand=own.brand, page=1 if is_narrower else number)
        )
        if not is_unknown
        else "",
        previous=absolute(content.earlier) if content.earlier else "",
        following=absolute(content.further) if content.further else "",
        robots=NOINDEX if content.text or is_unknown else "index,follow",
        structured_data=structured(breadcrumb_data(way)) if way else "",
        first_picture=first_picture(first, CARD_SIZES),
    )


def description_of(title: str, own: OwnList) -> str:
    """What search engines show of a list that says nothing more of itself."""
    if own.brands:
        return _("Los juguetes de {brand} que tenemos, con su precio y envío a toda Colombia.").format(
            brand=title
        )
    if own.age:
        return _("{title}, escogidos uno por uno, con envío a toda Colombia.").format(title=title)
    return _("Juguetes para todas las edades, con envío a toda Colombia.")

"""The catalogue's list: its choices from a URL or a customer, its products, and the head of its document."""

from dataclasses import dataclass, field, replace

from backend.app import current_shop
from backend.catalog.category_tree import department_nodes, read_visible_tree
from backend.catalog.search.product_codes import read_search
from backend.catalog.search.query_intents import HelpTopic, ShopperSearch
from backend.catalog.storefront.product_list import catalog_page, has_products_for_sale
from backend.catalog.views import (
    DEFAULT_SORT,
    CatalogFilter,
    CatalogPage,
    CategoryNode,
    CategoryRef,
    PictureView,
)
from backend.content.goods import NEUTRAL_GOODS, Goods, capitalize_first
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.texts import _
from backend.core.web.html_text import to_plain_text
from backend.news.topics import Topic
from storefront.brand_icons import get_brand
from storefront.components.header import SEARCH_TOO_LONG
from storefront.components.product_card import CARD_SIZES
from storefront.links import CATALOG, catalog_path
from storefront.meta import (
    NOINDEX,
    DocumentMeta,
    absolute_url,
    breadcrumb_data,
    shorten_text,
    to_first_picture,
    to_json_ld,
)
from storefront.pages.catalog_landing import LandingList, find_landing_list, find_moved_path, has_moved
from storefront.pages.page_loader import PageData, PageParams
from storefront.state.frame import get_frame
from storefront.state.handlers import checked_number, checked_text, checked_texts
from storefront.state.search import (
    HelpLink,
    find_help_links,
    get_search_words,
    to_search_text,
)

PAGE_SIZE = 24
MAX_SHOWN = 192
"""Maximum number of products on the page at once.

Beyond this number, the button for more products replaces the displayed products.
"""
MAX_PAGE = 40_000
MAX_CHOICES = 40
MAX_CHOICE_LENGTH = 100
UNKNOWN_CATEGORY = _("Esta categoría no existe")
UNKNOWN_BRAND = _("Esta marca no existe")
UNKNOWN_COLLECTION = _("Esta colección no existe")
UNKNOWN_AGE = _("No tenemos nada para esta edad")
MAX_PRICE = 1_000_000_000
"""Maximum price of a filter, in pesos."""
HEAD_SIZES = "(min-width: 1280px) 400px, (min-width: 768px) 38vw, 92vw"
"""Displayed width of the picture in the head of the list."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The filters, the sort order and the range of the list. The browser uses the same field names."""

    categories: list[str] = field(default_factory=list)
    brands: list[str] = field(default_factory=list)
    ages: list[str] = field(default_factory=list)
    on_sale: bool = False
    lowest: int = 0
    highest: int = 0
    """The price range in pesos; 0 means no limit."""
    sort: str = DEFAULT_SORT
    shown: int = PAGE_SIZE
    start: int = 0
    """Number of products in the list before the displayed ones."""


@dataclass(frozen=True, slots=True)
class CatalogContent:
    """The catalogue's list, its choices and its texts.

    Attributes:
        place: the decoded path of the URL.
        category, text, asked_page: parameters of the URL's query.
        is_custom: True if the customer has changed the choices after opening the URL.
        asked_sort: the sort order that the search text asks for; empty if it asks for none.
        help_links: pages of the shop that may answer the search.
        number: a number that is different in every answer.
        earlier, further: the paths of the previous and the next page; empty if there is none, or if no URL can
            contain the choices.
    """

    page: CatalogPage
    choices: Choices
    place: str = CATALOG
    category: str = ""
    text: str = ""
    is_custom: bool = False
    asked_sort: str = ""
    help_links: list[HelpLink] = field(default_factory=list)
    number: int = 0
    title: str = NEUTRAL_GOODS.every
    lead: str = ""
    picture: PictureView | None = None
    """The collection's own picture."""
    inner: list[str] = field(default_factory=list)
    """Subcategories in the filter, which are indented below their parent category."""
    asked_page: str = ""
    earlier: str = ""
    further: str = ""
    prices: str = ""
    """The chosen price range as text."""
    is_bare: bool = False
    """True if the shop has nothing for sale."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the chosen categories, by handle: an empty one is not in the filter."""


EMPTY_CONTENT = CatalogContent(
    page=CatalogPage(cards=[], total=0, offset=0, limit=PAGE_SIZE, categories=[], brands=[], ages=[]),
    choices=Choices(),
)


def choices_from_params(params: PageParams, landing: LandingList, search: ShopperSearch) -> Choices:
    """Return the choices of the URL: its filters, and the prices and sort order that its search text asks for."""
    return Choices(
        categories=[params.get_parameter("category")] if params.get_parameter("category") else [],
        brands=list(landing.brands),
        ages=[landing.age] if landing.age and not landing.is_unknown else [],
        on_sale=params.get_parameter("sale") == "1",
        lowest=search.min_price or 0,
        highest=search.max_price or 0,
        sort=search.sort or DEFAULT_SORT,
        shown=PAGE_SIZE,
        start=(page_from_params(params) - 1) * PAGE_SIZE,
    )


def page_from_params(params: PageParams) -> int:
    """Return the page number of the URL; 1 if it is missing or invalid."""
    parameter = params.get_parameter("page")
    is_number = parameter.isascii() and parameter.isdigit() and len(parameter) <= len(str(MAX_PAGE))
    return min(max(1, int(parameter)), MAX_PAGE) if is_number else 1


def build_page_path(params: PageParams, landing: LandingList, page: int) -> str:
    """Return the path of page number `page` of the list that this URL shows."""
    parameter = params.get_parameter
    return catalog_path(
        parameter("category"),
        text_from_params(params),
        age=landing.age,
        brand=landing.brand,
        collection=landing.collection,
        sale=parameter("sale"),
        page=page,
    )


def parse_choices(sent: object) -> Choices:
    """Parse the filters, the sort order and the range of the list that a browser sent."""
    if not isinstance(sent, dict):
        raise InvalidData("not choices")
    return Choices(
        categories=checked_texts(sent.get("categories"), MAX_CHOICES, MAX_CHOICE_LENGTH),
        brands=checked_texts(sent.get("brands"), MAX_CHOICES, MAX_CHOICE_LENGTH),
        ages=checked_texts(sent.get("ages"), MAX_CHOICES, MAX_CHOICE_LENGTH),
        on_sale=sent.get("on_sale") is True,
        lowest=checked_number(sent.get("lowest", 0), 0, MAX_PRICE),
        highest=checked_number(sent.get("highest", 0), 0, MAX_PRICE),
        sort=checked_text(sent.get("sort"), MAX_CHOICE_LENGTH),
        shown=checked_number(sent.get("shown"), 1, MAX_SHOWN),
        start=checked_number(sent.get("start", 0), 0, MAX_PAGE * PAGE_SIZE),
    )


async def load(params: PageParams, choices: Choices | None = None) -> PageData[CatalogContent]:
    """Read the catalogue's list for a URL. If `choices` are given, use them instead of the choices in the URL."""
    landing = await find_landing_list(params)
    goods = (await get_brand()).goods
    text, words = text_from_params(params), await get_search_words()
    async with current_shop().database.read() as session:
        search = await read_search(session, text, words)
        applied = choices or choices_from_params(params, landing, search)
        tree = await read_visible_tree(session)
        nodes = await department_nodes(session, tree)
        known_handles = [handle for handle in applied.categories if handle in tree.by_handle]
        is_unknown = choices is None and (landing.is_unknown or len(known_handles) < len(applied.categories))
        whole = tree.main_root if tree.main_root and tree.main_root.handle in known_handles else None
        applied = replace(applied, categories=[] if whole else known_handles)
        product_filter = CatalogFilter(
            text=text,
            categories=tuple(applied.categories),
            collection_id=landing.collection_view.id if landing.collection_view else "",
            brands=tuple(applied.brands),
            ages=tuple(applied.ages),
            on_sale=applied.on_sale,
            min_price=applied.lowest or None,
            max_price=applied.highest or None,
            sort=applied.sort,
        )
        page = await catalog_page(session, product_filter, words, offset=applied.start, limit=applied.shown)
        if page.total and not page.cards:  # the list has become shorter: show its final page
            applied = replace(applied, start=(page.total - 1) // PAGE_SIZE * PAGE_SIZE)
            page = await catalog_page(
                session, product_filter, words, offset=applied.start, limit=applied.shown
            )
        is_bare = not page.total and not await has_products_for_sale(session)
    trail = find_trail(nodes, applied.categories[0]) if len(applied.categories) == 1 else []
    if whole:  # the page of the root category is the whole catalogue with that category's name
        trail = [
            CategoryNode(whole.id, whole.handle, whole.name, whole.description, page.total, children=nodes)
        ]
    content = CatalogContent(
        page=page,
        choices=applied,
        place=params.decoded_path,
        category=params.get_parameter("category"),
        text=text,
        is_custom=choices is not None,
        asked_sort=search.sort,
        help_links=find_help_links(search),
        title=build_search_title(text, page, search)
        if text
        else get_unknown_title(landing)
        if is_unknown
        else build_title(trail, page, landing, applied, goods),
        lead=build_lead(params, text, trail, page, landing),
        picture=landing.collection_view.picture if landing.collection_view and not text else None,
        inner=[child.handle for node in nodes for child in node.children],
        asked_page=params.get_parameter("page"),
        earlier=build_page_path(params, landing, applied.start // PAGE_SIZE)
        if choices is None and applied.start
        else "",
        further=build_page_path(params, landing, applied.start // PAGE_SIZE + 2)
        if choices is None and applied.start + len(page.cards) < page.total
        else "",
        prices=format_prices(applied),
        is_bare=is_bare,
        names={handle: tree.by_handle[handle].name for handle in applied.categories},
    )
    takes_pse = (await get_frame()).shop.takes_pse
    description = build_description(content.title, landing, goods, takes_pse=takes_pse)
    meta = build_meta(content, trail, landing, description, is_unknown=is_unknown)
    if is_unknown and (moved_path := await find_moved_path(params, landing)):
        meta = DocumentMeta(meta.title, status=301, moved_to=moved_path)
    elif choices is None and not is_unknown and has_moved(params, landing):
        meta = DocumentMeta(
            meta.title, status=301, moved_to=build_page_path(params, landing, page_from_params(params))
        )
    return PageData(content, meta, frozenset({Topic.CATEGORIES} if landing.collection else ()))


def format_prices(choices: Choices) -> str:
    """Return the price range as text; empty if there is no limit."""
    lowest, highest = format_cop(choices.lowest), format_cop(choices.highest)
    if choices.lowest and choices.highest:
        return _("De {lowest} a {highest}").format(lowest=lowest, highest=highest)
    if choices.lowest:
        return _("Desde {price}").format(price=lowest)
    return _("Hasta {price}").format(price=highest) if choices.highest else ""


def find_trail(nodes: list[CategoryNode], handle: str) -> list[CategoryNode]:
    """Return the categories from the top of the tree to this one; empty if the category is not in the tree."""
    for node in nodes:
        if node.handle == handle:
            return [node]
        if below := find_trail(node.children, handle):
            return [node, *below]
    return []


def text_from_params(params: PageParams) -> str:
    """Return the search text of the URL."""
    return to_search_text(params.query.get("q", "").strip())


def build_lead(
    params: PageParams, text: str, trail: list[CategoryNode], page: CatalogPage, landing: LandingList
) -> str:
    """Return the text below the title: a category's or collection's description, or a note about the results."""
    if not text and landing.collection_view:
        return landing.collection_view.description
    if not text:
        return to_plain_text(trail[-1].description) if trail else ""
    sentences = [SEARCH_TOO_LONG] if text != params.query["q"].strip() else []
    if page.near:
        sentences.append(_("Primero va lo que más se parece; después, toda la tienda."))
    elif page.near is not None:
        sentences.append(_("Aquí está toda la tienda, por si algo te gusta."))
    return " ".join(sentences)


def get_unknown_title(landing: LandingList) -> str:
    """Return the title of the list if the URL's category, age, brand or collection does not exist."""
    if landing.collection:
        return UNKNOWN_COLLECTION
    return UNKNOWN_BRAND if landing.brand else UNKNOWN_AGE if landing.age else UNKNOWN_CATEGORY


def format_age_title(age: str, goods: Goods) -> str:
    """Return the title of the list of an age range. `age` has the form `3-5` or `12+`."""
    youngest, _hyphen, oldest = age.partition("-")
    if oldest:
        title = _("{goods} de {youngest} a {oldest} años").format(
            goods=goods.many, youngest=youngest, oldest=oldest
        )
    else:
        title = _("{goods} desde los {youngest} años").format(
            goods=goods.many, youngest=age.removesuffix("+")
        )
    return capitalize_first(title)


def build_search_title(text: str, page: CatalogPage, search: ShopperSearch) -> str:
    """Return the title of the list for a search text."""
    if page.near is None:
        return _("Resultados para «{text}»").format(text=text)
    if set(search.topics) - {HelpTopic.GIFT_FINDER}:
        return _("Ayuda sobre «{text}»").format(text=text)
    return _("No encontramos «{text}»").format(text=text)


def build_title(
    trail: list[CategoryNode], page: CatalogPage, landing: LandingList, applied: Choices, goods: Goods
) -> str:
    """Return the title of a list without a search text: of a category, collection, age or brand, or of all products."""
    if landing.collection_view:
        return landing.collection_view.title
    if trail:
        return trail[-1].name
    if landing.age and applied.ages == [landing.age]:
        return format_age_title(landing.age, goods)
    if landing.brands and applied.brands == list(landing.brands):
        # prefer the spelling of the most products; other filters may leave no product
        spellings = [facet for facet in page.brands if facet.value in landing.brands]
        return max(spellings, key=lambda facet: facet.count).label if spellings else landing.brands[0]
    return goods.every


def build_meta(
    content: CatalogContent,
    trail: list[CategoryNode],
    landing: LandingList,
    description: str,
    *,
    is_unknown: bool,
) -> DocumentMeta:
    """Return the status and head of the list's document. Search engines must not index search results.

    `description` is used if the list has no text below its title.
    """
    number = 1 if content.is_custom else content.choices.start // PAGE_SIZE + 1
    is_narrower = content.choices.on_sale or bool(
        landing.has_own_path and trail
    )  # than the list at its canonical URL
    category = trail[-1].handle if trail and not landing.has_own_path else ""
    first = next((card.picture for card in content.page.cards if card.picture), None)
    shared = content.picture or first
    return DocumentMeta(
        title=_("{title}, página {n}").format(title=content.title, n=number) if number > 1 else content.title,
        description=shorten_text(content.lead or description),
        status=404 if is_unknown else 200,
        image=absolute_url(shared.url) if shared else "",
        canonical=absolute_url(
            catalog_path(
                category,
                age=landing.age,
                brand=landing.brand,
                collection=landing.collection,
                page=1 if is_narrower else number,
            )
        )
        if not is_unknown
        else "",
        previous=absolute_url(content.earlier) if content.earlier else "",
        following=absolute_url(content.further) if content.further else "",
        robots=NOINDEX if content.text or is_unknown else "index,follow",
        structured_data=build_breadcrumb(trail, landing),
        first_picture=to_first_picture(content.picture, HEAD_SIZES) or to_first_picture(first, CARD_SIZES),
    )


def build_breadcrumb(trail: list[CategoryNode], landing: LandingList) -> str:
    """Return the JSON-LD of the breadcrumb of a category or collection; empty for other lists."""
    if collection := landing.collection_view:
        return to_json_ld(breadcrumb_data([], CategoryRef(collection.handle, collection.title)))
    refs = [CategoryRef(handle=node.handle, name=node.name) for node in trail]
    return to_json_ld(breadcrumb_data(refs)) if refs else ""


def build_description(title: str, landing: LandingList, goods: Goods, *, takes_pse: bool) -> str:
    """Return the description that search engines get for a list without a text below its title."""
    if landing.brands:
        return _("Lo que tenemos de {brand}, con su precio y envío a toda Colombia.").format(brand=title)
    if landing.age:
        return _("{title}, escogidos uno por uno, con envío a toda Colombia.").format(title=title)
    if not takes_pse:
        return _("{goods}, con envío a toda Colombia.").format(goods=goods.every)
    return _("{goods}, con envío a toda Colombia y pago por PSE.").format(goods=goods.every)

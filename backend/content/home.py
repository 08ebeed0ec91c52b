"""The home page: the catalogue's content combined with the office's."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_visible_tree
from backend.catalog.models import Collection, Product, ProductCategory, for_sale, is_available
from backend.catalog.redirects.targets import category_page_path, collection_page_path
from backend.catalog.storefront.category_tiles import CategoryTile, read_category_tiles
from backend.catalog.storefront.page_content import home_content
from backend.catalog.storefront.product_cards import read_cards, uploaded_picture_view
from backend.catalog.views import Facet, HomeContent, PictureView, ProductCard
from backend.content.areas import (
    DEFAULT_SECTIONS,
    MAX_SECTION_PRODUCTS,
    SECTION_NAMES,
    Section,
    SectionKind,
    Slide,
    SlideKind,
)
from backend.content.current_content import VisibleContent

EDITORIAL = SectionKind.EDITORIAL


@dataclass(frozen=True, slots=True)
class SlideView:
    """A slide of the banner: a product, with its page's `handle`, or a picture that links to `href`.

    For a product, `href` is empty unless the office set another target; for a picture, the prices are empty.
    """

    id: str
    handle: str
    title: str
    subtitle: str
    brand: str
    href: str
    price_label: str
    compare_at_label: str | None
    percent_off: int | None
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section of the home page. For a section that the shop fills, only the title and `more` are set."""

    kind: str
    key: str
    title: str = ""
    paragraphs: list[str] = field(default_factory=list)
    picture: PictureView | None = None
    href: str = ""
    label: str = ""
    more: str = ""
    """Path of the collection or category whose products it shows; empty without one."""
    cards: list[ProductCard] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HomePage:
    """The content of the home page.

    Attributes:
        slides: the slides of the banner. If the office set none, they are the slides that the specification defines
            (Storefront view rules 1).
        is_bare: True if no slide is a product, because the store has no active product: the static slide is shown.
        new_or_featured, on_sale: the products that the office chose for the section, or that the shop chooses.
        sections: the sections that are shown, in their order.
    """

    slides: list[SlideView]
    is_bare: bool
    new_or_featured: list[ProductCard]
    on_sale: list[ProductCard]
    categories: list[CategoryTile]
    ages: list[Facet]
    sections: list[SectionView]


async def read_home_page(session: AsyncSession, visible_content: VisibleContent) -> HomePage:
    """Return the home page with the office's content.

    The office's product slides replace the slides that the shop chooses. A product slide is shown only while the
    product can be bought. If none of the office's products can be bought, the shop's slides are shown. The office's
    picture slides are added; they never replace a product or the static slide.
    """
    content = await home_content(session)
    slides = await list_slide_views(session, visible_content.slides)
    sections = visible_content.sections or [Section(kind=kind) for kind in DEFAULT_SECTIONS]
    visible = await _read_categories(session, sections)
    chosen = {
        one.kind: await _read_section_cards(session, one, visible)
        for one in sections
        if one.kind != EDITORIAL and not one.is_hidden
    }
    unfilled = {kind for kind, cards in chosen.items() if not cards}
    if not any(slide.handle for slide in slides):
        slides = [*slides, *map(_product_slide, content.slides)]
    return HomePage(
        slides=slides,
        is_bare=not any(slide.handle for slide in slides),
        new_or_featured=chosen.get(SectionKind.NEW) or content.new_or_featured,
        on_sale=chosen.get(SectionKind.SALE) or _without_repetition(content),
        categories=await read_category_tiles(session),
        ages=content.ages,
        sections=[
            replace(view, more="") if view.kind in unfilled else view
            for view in await list_section_views(session, sections)
        ],
    )


def _without_repetition(content: HomeContent) -> list[ProductCard]:
    """Return the products on sale; none if the section with new products already shows all of them."""
    shown = {card.id for card in content.new_or_featured}
    return [] if all(card.id in shown for card in content.on_sale) else content.on_sale


async def list_slide_views(session: AsyncSession, slides: Sequence[Slide]) -> list[SlideView]:
    """Return the office's slides in their order, without products that cannot be bought."""
    ids = [slide.product_id for slide in slides if slide.kind is SlideKind.PRODUCT]
    cards = {card.id: card for card in await _read_cards(session, ids, only_available=True)}
    views = []
    for number, slide in enumerate(slides):
        if slide.kind is SlideKind.PICTURE:
            views.append(_picture_slide(slide, number))
        elif (card := cards.get(slide.product_id)) is not None:
            views.append(_product_slide(card, slide))
    return list({view.id: view for view in views}.values())


async def list_section_views(session: AsyncSession, sections: Sequence[Section]) -> list[SectionView]:
    """Return the sections for display, without hidden ones."""
    visible = await _read_categories(session, sections)
    return [
        await _section_view(session, section, number, visible)
        for number, section in enumerate(sections)
        if not section.is_hidden
    ]


def _product_slide(card: ProductCard, slide: Slide | None = None) -> SlideView:
    return SlideView(
        id=card.id,
        handle=card.handle,
        title=card.title,
        subtitle=(slide.text if slide else "") or card.subtitle,
        brand=card.brand,
        href=slide.link if slide else "",
        price_label=card.price_label,
        compare_at_label=card.compare_at_label,
        percent_off=card.percent_off,
        picture=card.picture,
    )


def _picture_slide(slide: Slide, number: int) -> SlideView:
    return SlideView(
        id=f"own-{number}",
        handle="",
        title=slide.title,
        subtitle=slide.text,
        brand="",
        href=slide.link,
        price_label="",
        compare_at_label=None,
        percent_off=None,
        picture=uploaded_picture_view(slide.picture, slide.alt),
    )


async def _section_view(session: AsyncSession, section: Section, number: int, visible: Tree) -> SectionView:
    if section.kind != EDITORIAL:
        title = section.title or SECTION_NAMES[section.kind]
        more = await _find_group_path(session, section, visible)
        return SectionView(section.kind, section.kind, title, more=more)
    collection = await _find_collection(session, section)
    text = section.text or (collection.description if collection else "")
    picture = uploaded_picture_view(section.picture, section.alt)
    if picture is None and collection is not None:
        picture = uploaded_picture_view(collection.picture, "")
    return SectionView(
        kind=section.kind,
        key=f"own-{number}",
        title=section.title,
        paragraphs=[line for line in text.splitlines() if line],
        picture=picture,
        href=section.link,
        label=section.label,
        more=await _find_group_path(session, section, visible),
        cards=await _read_section_cards(session, section, visible),
    )


async def _read_categories(session: AsyncSession, sections: Sequence[Section]) -> Tree:
    """Return the categories that shoppers see; none if no section has a category."""
    has_categories = any(section.category_id for section in sections)
    return await read_visible_tree(session) if has_categories else Tree([])


async def _find_collection(session: AsyncSession, section: Section) -> Collection | None:
    """Return the section's collection; None if the section has none or the collection is hidden."""
    if not section.collection_id:
        return None
    collection = await session.get(Collection, section.collection_id)
    return collection if collection is not None and collection.is_active else None


async def _find_group_path(session: AsyncSession, section: Section, visible: Tree) -> str:
    """Return the path of the page of the section's collection, else of its category; empty if shoppers see neither."""
    if collection := await _find_collection(session, section):
        return collection_page_path(collection.handle)
    category = visible.by_id.get(section.category_id)
    return category_page_path(category.handle) if category else ""


async def _read_section_cards(session: AsyncSession, section: Section, visible: Tree) -> list[ProductCard]:
    """Return the products of a section: first those that the office chose, then its category's and collection's.

    From the category and the collection, only available products are returned. If the category or the
    collection is hidden, none of its products is. At most `MAX_SECTION_PRODUCTS` are returned.
    """
    cards = {card.id: card for card in await _read_cards(session, section.product_ids)}
    category = visible.by_id.get(section.category_id)
    if category and len(cards) < MAX_SECTION_PRODUCTS:
        below = visible.with_descendants([category.handle])
        in_category = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(below))
        found = await _read_available_cards(session, Product.id.in_(in_category))
        cards |= {card.id: card for card in found}
    if len(cards) < MAX_SECTION_PRODUCTS and (collection := await _find_collection(session, section)):
        within = Product.collection_id == collection.id
        cards |= {card.id: card for card in await _read_available_cards(session, within)}
    return list(cards.values())[:MAX_SECTION_PRODUCTS]


async def _read_cards(
    session: AsyncSession, product_ids: Sequence[str], *, only_available: bool = False
) -> list[ProductCard]:
    """Return the cards of those products that are for sale, in the order of the ids.

    With `only_available`, sold-out products are left out too.
    """
    if not product_ids:
        return []
    query = select(Product).where(Product.id.in_(product_ids), for_sale())
    if only_available:
        query = query.where(is_available())
    found = {
        card.id: card for card in await read_cards(session, (await session.execute(query)).scalars().all())
    }
    return [found[one] for one in dict.fromkeys(product_ids) if one in found]


async def _read_available_cards(session: AsyncSession, within: ColumnElement[bool]) -> list[ProductCard]:
    query = (
        select(Product)
        .where(for_sale(), is_available(), within)
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(MAX_SECTION_PRODUCTS)
    )
    return await read_cards(session, (await session.execute(query)).scalars().all())

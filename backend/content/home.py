"""The home page: what the catalogue gives, with what the office put on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_tree
from backend.catalog.models import Category, Product, ProductCategory, available, for_sale
from backend.catalog.storefront.page_content import home_content
from backend.catalog.storefront.product_cards import cards_of
from backend.catalog.views import CategoryNode, Facet, PictureView, ProductCard
from backend.content.areas import MOST_TOYS, Section, SectionKind, Slide, SlideKind
from backend.content.current_content import ShownContent
from backend.media.picture_urls import picture_address
from backend.media.picture_widths import uploaded_at


@dataclass(frozen=True, slots=True)
class SlideView:
    """A slide of the banner: a toy, with the name of its page (`handle`), or a picture that leads to `href`.

    Of a toy `href` is empty unless the office gave it another place to lead to; of a picture the prices are.
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
    """A section of the home page. Only an editorial one has more than its kind."""

    kind: str
    key: str
    title: str = ""
    paragraphs: list[str] = field(default_factory=list)
    picture: PictureView | None = None
    href: str = ""
    label: str = ""
    cards: list[ProductCard] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HomePage:
    """What the home page shows.

    Attributes:
        slides: without slides of the office's, exactly those of the specification (Storefront view rules 1).
        is_bare: no slide is of a toy, because the store has no active product: the static slide is shown.
        sections: empty where the shop's own stand in their order.
    """

    slides: list[SlideView]
    is_bare: bool
    new_or_featured: list[ProductCard]
    on_sale: list[ProductCard]
    categories: list[CategoryNode]
    ages: list[Facet]
    sections: list[SectionView]


async def home_page(session: AsyncSession, shown: ShownContent) -> HomePage:
    """The home page with what the office put on it.

    Toys of the office's stand in the place of those that the shop chooses, and each only while it can be bought; while
    none can, the shop chooses. Pictures come in addition, never in the place of a toy or of the static slide.
    """
    content = await home_content(session)
    slides = await slides_of(session, shown.slides)
    if not any(slide.handle for slide in slides):
        slides = [*slides, *map(_slide_of_toy, content.slides)]
    return HomePage(
        slides=slides,
        is_bare=not any(slide.handle for slide in slides),
        new_or_featured=content.new_or_featured,
        on_sale=content.on_sale,
        categories=content.categories,
        ages=content.ages,
        sections=await sections_of(session, shown.sections),
    )


async def slides_of(session: AsyncSession, slides: Sequence[Slide]) -> list[SlideView]:
    """The office's slides in their order, without those of toys that cannot be bought."""
    ids = [slide.product_id for slide in slides if slide.kind is SlideKind.TOY]
    cards = {card.id: card for card in await _cards(session, ids, only_available=True)}
    views = []
    for number, slide in enumerate(slides):
        if slide.kind is SlideKind.PICTURE:
            views.append(_slide_of_picture(slide, number))
        elif (card := cards.get(slide.product_id)) is not None:
            views.append(_slide_of_toy(card, slide))
    return list({view.id: view for view in views}.values())


async def sections_of(session: AsyncSession, sections: Sequence[Section]) -> list[SectionView]:
    """The sections as they are shown."""
    return [await _section(session, section, number) for number, section in enumerate(sections)]


def _slide_of_toy(card: ProductCard, slide: Slide | None = None) -> SlideView:
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


def _slide_of_picture(slide: Slide, number: int) -> SlideView:
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
        picture=uploaded_view(slide.picture, slide.alt),
    )


def uploaded_view(url: str, alt: str) -> PictureView | None:
    """An uploaded picture as pages show it; None for any other address."""
    prepared = uploaded_at(url)
    if prepared is None:
        return None
    srcset = ", ".join(f"{picture_address(source)} {width}w" for source, width in prepared.sources)
    return PictureView(picture_address(prepared.url), alt, prepared.width, prepared.height, srcset)


async def _section(session: AsyncSession, section: Section, number: int) -> SectionView:
    if section.kind is not SectionKind.EDITORIAL:
        return SectionView(section.kind, section.kind)
    chosen = await _cards(session, section.product_ids)
    of_category: list[ProductCard] = []
    if section.category_id and len(chosen) < MOST_TOYS:
        of_category = await _cards_of_category(session, section.category_id)
    cards = {card.id: card for card in (*chosen, *of_category)}
    return SectionView(
        kind=section.kind,
        key=f"own-{number}",
        title=section.title,
        paragraphs=[line for line in section.text.splitlines() if line],
        picture=uploaded_view(section.picture, section.alt),
        href=section.link,
        label=section.label,
        cards=list(cards.values())[:MOST_TOYS],
    )


async def _cards(
    session: AsyncSession, product_ids: Sequence[str], *, only_available: bool = False
) -> list[ProductCard]:
    """The cards of those that are for sale, in the order of the ids."""
    if not product_ids:
        return []
    query = select(Product).where(Product.id.in_(product_ids), for_sale())
    if only_available:
        query = query.where(available())
    found = {
        card.id: card for card in await cards_of(session, (await session.execute(query)).scalars().all())
    }
    return [found[one] for one in dict.fromkeys(product_ids) if one in found]


async def _cards_of_category(session: AsyncSession, category_id: str) -> list[ProductCard]:
    category = await session.get(Category, category_id)
    if category is None:
        return []
    below = (await read_tree(session)).with_descendants((category.handle,))
    within = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(below))
    query = (
        select(Product)
        .where(for_sale(), available(), Product.id.in_(within))
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(MOST_TOYS)
    )
    return await cards_of(session, (await session.execute(query)).scalars().all())

"""The home page: the banner, new products, products on sale, and links into the catalogue."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.app import current_shop
from backend.catalog.storefront.category_tiles import CategoryTile
from backend.catalog.views import Facet, PictureView
from backend.content.areas import SECTION_NAMES, SectionKind
from backend.content.brand import Brand
from backend.content.home import HomePage, SectionView, SlideView, read_home_page
from backend.core.texts import _
from backend.news.topics import Topic
from storefront.brand_icons import find_share_image, get_brand
from storefront.components.frame import page_frame, section
from storefront.components.header import age_links
from storefront.components.icons import icon
from storefront.components.pictures import (
    age_drawing,
    drawing,
    picture,
)
from storefront.components.placeholders import grid_skeleton, link_button, loaded_content
from storefront.components.product_card import discount_badge, price_tag, product_grid
from storefront.components.product_suggestions import recently_viewed_products
from storefront.components.react_components import SLIDES, Slides
from storefront.links import AGES_ID, CATALOG, GIFT, age_href, category_href, product_href
from storefront.meta import (
    DocumentMeta,
    FirstPicture,
    absolute_url,
    shorten_text,
    store_data,
    to_first_picture,
    to_json_ld,
)
from storefront.pages.page_loader import PageData, PageParams, PageState, Reader
from storefront.reflex_ext.hooks import ABSENT, props
from storefront.state.frame import OFFERS_GIFTS, FrameState, get_frame

TITLE = _("Juguetes hechos con cuidado")
DEMO_DEPARTMENTS_TITLE = _("¿A qué jugamos hoy?")
DESCRIPTION = _(
    "Juguetes de madera, peluches, juegos de mesa y kits para crear, con envío a toda Colombia y pago por PSE."
)
SLIDE_MS = 6500
"""Milliseconds that the banner displays a slide."""

MAX_LARGE_TITLE_LENGTH = 36
"""Maximum length of a slide's title that has large letters on a wide screen: two lines."""
SLIDE_ID_PREFIX = "destacado-"
EMPTY_SHOP_DRAWING = "/brand/hero.svg"
"""Drawing of the first slide while no product is for sale."""
STORY_SIZES = "(min-width: 1280px) 620px, (min-width: 768px) 48vw, 92vw"
TILE_SIZES = "(min-width: 640px) 144px, 28vw"
SLIDE_SIZES = "(min-width: 1280px) 560px, (min-width: 768px) 48vw, 84vw"


async def load(_params: PageParams) -> PageData[HomePage]:
    """Read the home page's content (spec: Storefront view rules 1)."""
    shop = current_shop()
    shown = await shop.content.read_current()
    brand, effective = await get_brand(), await shop.effective_settings.now()
    async with shop.database.read() as session:
        content = await read_home_page(session, shown)
    if brand.is_demo:
        content = replace(content, sections=[with_demo_title(section) for section in content.sections])
    takes_pse = (await get_frame()).shop.takes_pse
    title, description = (
        find_title(brand),
        find_description(brand, effective.store_about, takes_pse=takes_pse),
    )
    return PageData(
        content,
        DocumentMeta(
            title=title,
            description=description,
            image=absolute_url(find_share_image(brand)),
            canonical=absolute_url("/"),
            structured_data=to_json_ld(store_data(effective, brand)),
            first_picture=get_opening_picture(content, brand),
        ),
        frozenset({Topic.CATEGORIES, Topic.CONTENT, *(slide.product_id for slide in shown.slides)}),
    )


def with_demo_title(section: SectionView) -> SectionView:
    """Return the section. A section of departments with the default title gets the demo's title."""
    if section.kind == SectionKind.DEPARTMENTS and section.title == SECTION_NAMES[SectionKind.DEPARTMENTS]:
        return replace(section, title=DEMO_DEPARTMENTS_TITLE)
    return section


def find_title(brand: Brand) -> str:
    """Return the title of the home page; empty if the title is only the shop's name."""
    if brand.has_own_headline:
        return brand.headline
    return TITLE if brand.is_demo else ""


def find_description(brand: Brand, about: str, *, takes_pse: bool) -> str:
    """Return the description for search engines: the owner's text, or a general one."""
    if brand.headline_text or about:
        return shorten_text(brand.headline_text or about)
    if brand.is_demo:
        return DESCRIPTION
    if not takes_pse:
        return _("{store}: compra en línea, con envío a toda Colombia.").format(store=brand.name)
    return _("{store}: compra en línea, con envío a toda Colombia y pago por PSE.").format(store=brand.name)


def get_opening_picture(content: HomePage, brand: Brand) -> FirstPicture | None:
    """Return the picture of the banner's first slide, or None.

    While no product is for sale, it is a drawing in the demo, and None in other shops.
    """
    if content.is_bare:
        return FirstPicture(EMPTY_SHOP_DRAWING) if brand.is_demo else None
    return to_first_picture(next((slide.picture for slide in content.slides), None), SLIDE_SIZES)


class HomeState(PageState, rx.State):
    """The home page's content."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[HomePage] = rx.field(
        default_factory=lambda: HomePage(
            slides=[], is_bare=True, new_or_featured=[], on_sale=[], categories=[], ages=[], sections=[]
        )
    )
    meta: rx.Field[DocumentMeta] = rx.field(
        default_factory=lambda: DocumentMeta(title=TITLE, description=DESCRIPTION)
    )

    def _reader(self, params: PageParams) -> Reader:
        return partial(load, params)


def banner_slide(card: ObjectVar[SlideView], place: rx.Var[int]) -> rx.Component:
    """Build a slide of the banner.

    It shows a product (picture, name, price and link), or a picture and texts that staff have written.
    """
    to = rx.cond(card.href != "", card.href, product_href(card.handle))
    shown = rx.el.div(
        picture(
            card.picture.to(ObjectVar, PictureView),
            SLIDE_SIZES,
            is_first=place == 0,
            class_name="slide__image",
            alt="",
        ),
        class_name="slide__frame",
    )
    return rx.el.div(
        rx.el.div(
            rx.el.p(card.brand, class_name="slide__eyebrow"),
            rx.el.h2(
                rx.el.a(card.title, href=to, class_name="slide__link"),
                class_name=rx.cond(
                    card.title.to(str).length() > MAX_LARGE_TITLE_LENGTH,
                    "slide__title slide__title--long",
                    "slide__title",
                ),
            ),
            rx.el.p(card.subtitle, class_name="slide__subtitle"),
            rx.cond(
                card.handle != "", rx.el.div(price_tag(card), discount_badge(card), class_name="slide__price")
            ),
            rx.el.span(
                rx.cond(card.handle != "", _("Conocerlo"), _("Ver más")),
                icon("right", size=20),
                class_name="button button--dark slide__button",
            ),
            class_name="slide__words",
        ),
        rx.el.div(
            rx.cond(card.picture, shown),
            id=SLIDE_ID_PREFIX + place.to(str),
            class_name="slide__picture",
        ),
        key=card.id,
        class_name=rx.cond(card.picture, "slide", "slide slide--plain"),
        data_testid="banner-slide",
        role="group",
        aria_roledescription=_("destacado"),
        aria_label=card.title,
    )


def fallback_slide() -> rx.Component:
    """Build the banner's first slide for a shop in which no product is for sale."""
    return rx.el.div(
        rx.el.div(
            rx.el.p(FrameState.shop.name, class_name="slide__eyebrow"),
            rx.el.h2(
                rx.el.a(_("Estamos armando la vitrina"), href=CATALOG, class_name="slide__link"),
                class_name="slide__title",
            ),
            rx.el.p(_("Muy pronto habrá novedades por aquí."), class_name="slide__subtitle"),
            rx.el.span(
                _("Ver el catálogo"), icon("right", size=20), class_name="button button--dark slide__button"
            ),
            class_name="slide__words",
        ),
        rx.el.div(
            rx.cond(FrameState.brand.is_demo, drawing(EMPTY_SHOP_DRAWING, 600, 240, is_first=True)),
            id=f"{SLIDE_ID_PREFIX}0",
            class_name="slide__picture slide__picture--drawn",
        ),
        class_name="slide",
        data_testid="banner-slide",
    )


@rx.memo
def banner_controls(count: NumberVar[int]) -> rx.Component:
    """Build the pause button and a button for each slide.

    They are before the slides, as a carousel requires (w3.org/WAI/ARIA/apg/patterns/carousel). There they do not
    move when more slides are loaded.
    """

    def dot(place: NumberVar[int]) -> rx.Component:
        return rx.el.button(
            type="button",
            class_name="banner__dot",
            aria_label=_("Ver el destacado {n}").format(n=place + 1),
            key=place,
            special_props=[props(SLIDES.mark, place)],
        )

    is_wanted = SLIDES.is_wanted
    return rx.fragment(
        rx.el.button(
            icon(rx.cond(is_wanted, "pause", "play"), size=20),
            type="button",
            class_name="icon-button banner__pause",
            aria_label=rx.cond(is_wanted, _("Pausar el carrusel"), _("Reanudar el carrusel")),
            special_props=[SLIDES.pause],
        ),
        rx.el.div(rx.foreach(rx.Var.range(count), dot), class_name="banner__dots"),
    )


def banner() -> rx.Component:
    """Build the banner (spec: Storefront view rules 1)."""
    slides, is_bare = HomeState.content.slides, HomeState.content.is_bare
    drawn: Any = rx.cond(is_bare, 1, 0)  # the fallback slide is the first while no product is for sale
    count = slides.length() + drawn
    return rx.cond(
        HomeState.is_ready,
        Slides.create(
            rx.el.section(
                rx.cond(count > 1, banner_controls(count=count)),
                rx.el.div(
                    rx.cond(is_bare, fallback_slide()),
                    rx.foreach(slides, lambda card, place: banner_slide(card, place + drawn)),
                    class_name="banner__track",
                    special_props=[SLIDES.track],
                    custom_attrs={"aria-live": rx.cond(SLIDES.is_playing, "off", "polite")},
                ),
                class_name="banner",
                aria_roledescription=_("carrusel"),
                aria_label=_("Destacados"),
                data_testid="banner",
                data_playing=rx.cond(SLIDES.is_playing, "true", ABSENT),
                special_props=[SLIDES.interaction_props],
            ),
            count=count,
            interval_ms=SLIDE_MS,
        ),
        rx.el.div(rx.el.div(class_name="banner__track bone"), class_name="banner", aria_hidden="true"),
    )


def entry_links() -> rx.Component:
    """Build the links below the banner: the age ranges for sale, and the gift finder."""
    return rx.el.nav(
        age_links(class_name="entries__ages"),
        rx.el.a(
            icon("gift", size=22), _("Encuentra un regalo"), href=GIFT, class_name="button button--primary"
        ),
        id=AGES_ID,
        class_name="entries",
        aria_label=_("Por edades y para regalar"),
        data_testid="entries",
    )


def promise_item(icon_name: str, title: str | rx.Var[str], text: str | rx.Var[str]) -> rx.Component:
    """Build one promise of the shop."""
    return rx.el.li(
        rx.el.span(icon(icon_name), class_name="promise__mark"),
        rx.el.p(rx.el.b(title), text, class_name="promise__text"),
        class_name="promise",
    )


def promise_list() -> rx.Component:
    """Build the list of the shop's promises."""
    takes_pse = FrameState.shop.takes_pse
    return rx.el.ul(
        promise_item("truck", _("Envío a toda Colombia"), _("Con el precio exacto antes de pagar")),
        promise_item(
            "bank",
            rx.cond(takes_pse, _("Pago por PSE"), _("Pago sin sorpresas")),
            rx.cond(takes_pse, _("Desde tu banco, sin tarjetas"), _("Ves cómo pagar antes de confirmar")),
        ),
        promise_item("back", _("Cinco días para arrepentirte"), _("Días hábiles, como dice la ley")),
        class_name="promises",
    )


def department_tile(department: ObjectVar[CategoryTile]) -> rx.Component:
    """Build the link to a department: its picture, or the first letter of its name."""
    return rx.el.li(
        rx.el.a(
            rx.cond(
                department.picture,
                picture(department.picture, TILE_SIZES, class_name="tile__drawing", alt=""),
                rx.el.span(department.initial, class_name="tile__drawing tile__letter", aria_hidden="true"),
            ),
            rx.el.span(department.name, class_name="tile__name"),
            href=category_href(department.handle),
            class_name="tile",
        ),
        key=department.handle,
    )


def age_tile(age: ObjectVar[Facet]) -> rx.Component:
    """Build the link to the products of an age."""
    return rx.el.li(
        rx.el.a(
            age_drawing(age.value, 88, class_name="age__drawing"),
            rx.el.span(age.label, class_name="age__number"),
            rx.el.span(_("años"), class_name="age__word"),
            href=age_href(age.value),
            class_name="age",
        ),
        key=age.value,
    )


def _section_if_any(
    title: rx.Var[str], entries: Any, *content: rx.Component, least: int = 1, **more: Any
) -> rx.Component:
    """Build a section that is hidden if it has fewer than `least` entries. `more` are arguments of `section`."""
    return rx.cond(entries.length() >= least, section(title, *content, **more))


@rx.memo
def departments_section(title: rx.Var[str]) -> rx.Component:
    """Build the section of links to the departments. It is hidden if there is only one."""
    departments = HomeState.content.categories
    tiles = rx.el.ul(rx.foreach(departments, department_tile), class_name="tiles")
    return _section_if_any(title, departments, tiles, least=2)


@rx.memo
def new_section(title: rx.Var[str], more: rx.Var[str]) -> rx.Component:
    """Build the section of new and featured products, or of those that staff chose. Hidden if there are no products."""
    products = HomeState.content.new_or_featured
    grid = loaded_content(
        HomeState.is_ready, HomeState.has_failed, HomeState.load, grid_skeleton(), product_grid(products)
    )
    return rx.cond(
        ~HomeState.is_ready | (products.length() > 0),
        section(title, grid, more=rx.cond(more != "", more, CATALOG)),
    )


@rx.memo
def sale_section(title: rx.Var[str], more: rx.Var[str]) -> rx.Component:
    """Build the section of products on sale, or of those that staff chose."""
    on_sale = HomeState.content.on_sale
    products = product_grid(on_sale, class_name="grid grid--row")
    page = rx.cond(more != "", more, f"{CATALOG}?sale=1")
    return _section_if_any(title, on_sale, products, more=page, class_name="section--sale")


@rx.memo
def ages_section(title: rx.Var[str]) -> rx.Component:
    """Build the section of links to the products of each age. It is hidden if there is only one age."""
    ages = HomeState.content.ages
    tiles = rx.el.ul(rx.foreach(ages, age_tile), class_name="ages")
    gift = rx.el.div(link_button(_("Encuentra un regalo"), GIFT, "quiet"), class_name="more")
    return _section_if_any(title, ages, tiles, gift, least=2)


SECTION_BUILDERS: dict[SectionKind, Callable[[ObjectVar[SectionView]], rx.Component]] = {
    SectionKind.DEPARTMENTS: lambda shown: departments_section(title=shown.title),
    SectionKind.NEW: lambda shown: new_section(title=shown.title, more=shown.more),
    SectionKind.SALE: lambda shown: sale_section(title=shown.title, more=shown.more),
    SectionKind.AGES: lambda shown: ages_section(title=shown.title),
}
"""Builders of the sections that the shop fills by itself."""


def paragraph(words: rx.Var[str]) -> rx.Component:
    """Build a paragraph of a text that staff have written."""
    return rx.el.p(words)


def editorial_section(shown: ObjectVar[SectionView]) -> rx.Component:
    """Build a section that staff have written: text, picture, link and products."""
    words = rx.el.div(
        rx.foreach(shown.paragraphs, paragraph),
        rx.cond(shown.href != "", link_button(shown.label, shown.href, "dark")),
        class_name="story__words",
    )
    return section(
        shown.title,
        rx.el.div(
            rx.cond(
                shown.picture,
                picture(shown.picture, STORY_SIZES, class_name="story__picture"),
            ),
            words,
            class_name="story",
        ),
        rx.cond(shown.cards.length() > 0, product_grid(shown.cards, class_name="grid grid--row")),
        more=rx.cond(shown.cards.length() > 0, shown.more, ""),
    )


def sections() -> rx.Component:
    """Build the sections below the banner, in their order. Until the page is ready, only placeholders are shown."""

    def section_row(shown: ObjectVar[SectionView]) -> rx.Component:
        kinds = [(kind, build(shown)) for kind, build in SECTION_BUILDERS.items()]
        return rx.fragment(rx.match(shown.kind, *kinds, editorial_section(shown)), key=shown.key)

    return rx.cond(
        HomeState.is_ready,
        rx.foreach(HomeState.content.sections, section_row),
        new_section(title=SECTION_NAMES[SectionKind.NEW], more=""),
    )


def page() -> rx.Component:
    """Build the whole page."""
    return page_frame(
        # the first paint waits for the first slide, whose text would otherwise visibly change its size
        rx.el.link(rel="expect", href=f"#{SLIDE_ID_PREFIX}0", custom_attrs={"blocking": "render"}),
        rx.el.div(
            # the heading is first in the document; styles place it below the banner
            rx.el.div(
                rx.el.h1(FrameState.brand.headline, class_name="opening__title"),
                rx.cond(FrameState.brand.text != "", rx.el.p(FrameState.brand.text)),
                class_name="opening__words",
            ),
            banner(),
            rx.cond(OFFERS_GIFTS, entry_links()),
            promise_list(),
            class_name="opening",
        ),
        sections(),
        recently_viewed_products(),
        class_name="main--home",
    )

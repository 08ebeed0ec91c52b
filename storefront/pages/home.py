"""The home page: the banner, what is new, what is on sale, and the ways into the catalogue."""

from functools import partial
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.app import current_shop
from backend.catalog.views import CategoryNode, Facet
from backend.content.areas import OWN_SECTIONS, SECTION_NAMES, SectionKind
from backend.content.home import HomePage, SectionView, SlideView, home_page
from backend.core.texts import _
from backend.news.topics import Topic
from storefront.components.frame import framed, section
from storefront.components.icons import icon
from storefront.components.pictures import (
    OG_IMAGE,
    age_drawing,
    department_drawing,
    drawing,
    picture,
    product_picture,
)
from storefront.components.placeholders import grid_skeleton, link_button, until
from storefront.components.product_card import discount_badge, price, product_grid
from storefront.components.react_components import SLIDES, Slides
from storefront.links import CATALOG, GIFT, to_age, to_category, to_product
from storefront.meta import DocumentMeta, FirstPicture, absolute, first_picture, store_data, structured
from storefront.pages.page_loader import PageData, PageParams, PageState, Reading
from storefront.reflex_ext.hooks import ABSENT, props
from storefront.state.frame import FrameState

TITLE = _("Juguetes hechos con cuidado")
DESCRIPTION = _(
    "Juguetes de madera, peluches, juegos de mesa y kits para crear, con envío a toda Colombia y pago por PSE."
)
SLIDE_MS = 6500
"""How long the banner shows a slide."""

SLIDE_PICTURE = "destacado-"
DRAWING = "/brand/hero.svg"
"""On the slide that stands first while no toy is for sale."""
STORY_SIZES = "(min-width: 1280px) 620px, (min-width: 768px) 48vw, 92vw"
SLIDE_SIZES = "(min-width: 1280px) 560px, (min-width: 768px) 48vw, 84vw"


async def load(_params: PageParams) -> PageData[HomePage]:
    """What the home page shows (spec: Storefront view rules 1)."""
    shop = current_shop()
    shown = await shop.content.now()
    async with shop.database.read() as session:
        content = await home_page(session, shown)
    return PageData(
        content,
        DocumentMeta(
            title=TITLE,
            description=DESCRIPTION,
            image=absolute(OG_IMAGE),
            canonical=absolute("/"),
            structured_data=structured(store_data(await shop.effective_settings.now())),
            first_picture=opening_picture(content),
        ),
        frozenset({Topic.CONTENT, *(slide.product_id for slide in shown.slides)}),
    )


def opening_picture(content: HomePage) -> FirstPicture | None:
    """What the banner shows first: the drawing while no toy is for sale, else the picture of the first slide."""
    if content.is_bare:
        return FirstPicture(DRAWING)
    return first_picture(next((slide.picture for slide in content.slides), None), SLIDE_SIZES)


class HomeState(PageState, rx.State):
    """What the home page shows."""

    shows_units: ClassVar[bool] = False

    content: rx.Field[HomePage] = rx.field(
        default_factory=lambda: HomePage(
            slides=[], is_bare=True, new_or_featured=[], on_sale=[], categories=[], ages=[], sections=[]
        )
    )
    meta: rx.Field[DocumentMeta] = rx.field(
        default_factory=lambda: DocumentMeta(title=TITLE, description=DESCRIPTION)
    )

    def _reading(self, params: PageParams) -> Reading:
        return partial(load, params)


def slide(card: ObjectVar[SlideView], place: rx.Var[int]) -> rx.Component:
    """One product in the banner: picture, name, price and the way to it; or a picture of the office's, with words."""
    to = rx.cond(card.href != "", card.href, to_product(card.handle))
    return rx.el.div(
        rx.el.div(
            rx.el.p(card.brand, class_name="slide__eyebrow"),
            rx.el.h2(
                rx.el.a(card.title, href=to, class_name="slide__link"),
                class_name="slide__title",
            ),
            rx.el.p(card.subtitle, class_name="slide__subtitle"),
            rx.cond(
                card.handle != "", rx.el.div(price(card), discount_badge(card), class_name="slide__price")
            ),
            rx.el.span(
                rx.cond(card.handle != "", _("Conocerlo"), _("Ver más")),
                icon("right", size=20),
                class_name="button button--dark slide__button",
            ),
            class_name="slide__words",
        ),
        rx.el.div(
            rx.el.div(
                product_picture(
                    card.picture, SLIDE_SIZES, is_first=place == 0, class_name="slide__image", alt=""
                ),
                class_name="slide__frame",
            ),
            id=SLIDE_PICTURE + place.to(str),
            class_name="slide__picture",
        ),
        key=card.id,
        class_name="slide",
        data_testid="banner-slide",
        role="group",
        aria_roledescription=_("destacado"),
        aria_label=card.title,
    )


def fallback_slide() -> rx.Component:
    """What the banner shows while the store has no active product."""
    return rx.el.div(
        rx.el.div(
            rx.el.p(FrameState.shop.name, class_name="slide__eyebrow"),
            rx.el.h2(
                rx.el.a(_("Estamos armando la vitrina"), href=CATALOG, class_name="slide__link"),
                class_name="slide__title",
            ),
            rx.el.p(_("Muy pronto habrá juguetes nuevos por aquí."), class_name="slide__subtitle"),
            rx.el.span(
                _("Ver el catálogo"), icon("right", size=20), class_name="button button--dark slide__button"
            ),
            class_name="slide__words",
        ),
        rx.el.div(
            drawing(DRAWING, 600, 240, is_first=True),
            id=f"{SLIDE_PICTURE}0",
            class_name="slide__picture slide__picture--drawn",
        ),
        class_name="slide",
        data_testid="banner-slide",
    )


@rx.memo
def controls(count: NumberVar[int]) -> rx.Component:
    """What stops the banner, and leads to each slide. They come before the slides, as a carousel's should.

    See w3.org/WAI/ARIA/apg/patterns/carousel; so they do not move either when more slides arrive.
    """

    def dot(place: NumberVar[int]) -> rx.Component:
        return rx.el.button(
            type="button",
            class_name="banner__dot",
            aria_label=_("Ver el destacado {n}").format(n=place + 1),
            key=place,
            special_props=[props(SLIDES.mark, place)],
        )

    wanted = SLIDES.is_wanted
    return rx.fragment(
        rx.el.button(
            icon(rx.cond(wanted, "pause", "play"), size=20),
            type="button",
            class_name="icon-button banner__pause",
            aria_label=rx.cond(wanted, _("Pausar el carrusel"), _("Reanudar el carrusel")),
            special_props=[SLIDES.pause],
        ),
        rx.el.div(rx.foreach(rx.Var.range(count), dot), class_name="banner__dots"),
    )


def banner() -> rx.Component:
    """The banner (spec: Storefront view rules 1)."""
    slides, is_bare = HomeState.content.slides, HomeState.content.is_bare
    drawn: Any = rx.cond(is_bare, 1, 0)  # the slide that stands first while no toy is for sale
    count = slides.length() + drawn
    return rx.cond(
        HomeState.is_ready,
        Slides.create(
            rx.el.section(
                rx.cond(count > 1, controls(count=count)),
                rx.el.div(
                    rx.cond(is_bare, fallback_slide()),
                    rx.foreach(slides, lambda card, place: slide(card, place + drawn)),
                    class_name="banner__track",
                    special_props=[SLIDES.track],
                    custom_attrs={"aria-live": rx.cond(SLIDES.is_playing, "off", "polite")},
                ),
                class_name="banner",
                aria_roledescription=_("carrusel"),
                aria_label=_("Destacados"),
                data_testid="banner",
                data_playing=rx.cond(SLIDES.is_playing, "true", ABSENT),
                special_props=[SLIDES.resting],
            ),
            count=count,
            every=SLIDE_MS,
        ),
        rx.el.div(rx.el.div(class_name="banner__track bone"), class_name="banner", aria_hidden="true"),
    )


def reason(icon_name: str, title: str, text: str) -> rx.Component:
    """Something a shopper can count on."""
    return rx.el.li(
        rx.el.span(icon(icon_name), class_name="promise__mark"),
        rx.el.p(rx.el.b(title), text, class_name="promise__text"),
        class_name="promise",
    )


def reasons() -> rx.Component:
    """Why buy here."""
    return rx.el.ul(
        reason("truck", _("Envío a toda Colombia"), _("Con el precio exacto antes de pagar")),
        reason("bank", _("Pago por PSE"), _("Desde tu banco, sin tarjetas")),
        reason("back", _("Cinco días para arrepentirte"), _("Días hábiles, como dice la ley")),
        class_name="promises",
    )


def department_tile(department: ObjectVar[CategoryNode]) -> rx.Component:
    """A way into a department."""
    return rx.el.li(
        rx.el.a(
            department_drawing(department.handle, 120, class_name="tile__drawing"),
            rx.el.span(department.name, class_name="tile__name"),
            href=to_category(department.handle),
            class_name="tile",
        ),
        key=department.handle,
    )


def age_tile(age: ObjectVar[Facet]) -> rx.Component:
    """A way to what suits an age."""
    return rx.el.li(
        rx.el.a(
            age_drawing(age.value, 88, class_name="age__drawing"),
            rx.el.span(age.label, class_name="age__number"),
            rx.el.span(_("años"), class_name="age__word"),
            href=to_age(age.value),
            class_name="age",
        ),
        key=age.value,
    )


def _filled(kind: SectionKind, things: Any, *content: rx.Component, **more: Any) -> rx.Component:
    """A section that the shop fills with these things, where there are any. For `more` see `section`."""
    return rx.cond(things.length() > 0, section(SECTION_NAMES[kind], *content, **more))


@rx.memo
def departments_section() -> rx.Component:
    """The ways into the departments."""
    departments = HomeState.content.categories
    tiles = rx.el.ul(rx.foreach(departments, department_tile), class_name="tiles")
    return _filled(SectionKind.DEPARTMENTS, departments, tiles)


@rx.memo
def new_section() -> rx.Component:
    """What is new and what the shop puts forward; nothing once the shop is known to have no toys."""
    toys = HomeState.content.new_or_featured
    grid = until(
        HomeState.is_ready, HomeState.has_failed, HomeState.load, grid_skeleton(), product_grid(toys)
    )
    return rx.cond(
        ~HomeState.is_ready | (toys.length() > 0),
        section(SECTION_NAMES[SectionKind.NEW], grid, more=CATALOG),
    )


@rx.memo
def sale_section() -> rx.Component:
    """What costs less now."""
    on_sale = HomeState.content.on_sale
    toys = product_grid(on_sale, class_name="grid grid--row")
    return _filled(SectionKind.SALE, on_sale, toys, more=f"{CATALOG}?sale=1", class_name="section--sale")


@rx.memo
def ages_section() -> rx.Component:
    """The ways to what suits an age."""
    ages = HomeState.content.ages
    tiles = rx.el.ul(rx.foreach(ages, age_tile), class_name="ages")
    gift = rx.el.div(link_button(_("Encuentra un regalo"), GIFT, "quiet"), class_name="more")
    return _filled(SectionKind.AGES, ages, tiles, gift)


OWN = {
    SectionKind.DEPARTMENTS: departments_section,
    SectionKind.NEW: new_section,
    SectionKind.SALE: sale_section,
    SectionKind.AGES: ages_section,
}
"""The sections that the shop fills by itself."""


def paragraph(words: rx.Var[str]) -> rx.Component:
    """A paragraph of what the office wrote."""
    return rx.el.p(words)


def editorial_section(shown: ObjectVar[SectionView]) -> rx.Component:
    """A section that the office wrote: words and a picture, the way to more, and toys."""
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
    )


def sections() -> rx.Component:
    """What is below the banner: in the office's order, or in the shop's own."""

    def one(shown: ObjectVar[SectionView]) -> rx.Component:
        kinds = [(kind, made()) for kind, made in OWN.items()]
        return rx.fragment(rx.match(shown.kind, *kinds, editorial_section(shown)), key=shown.key)

    ordered = HomeState.content.sections
    return rx.cond(
        ordered.length() > 0,
        rx.foreach(ordered, one),
        rx.fragment(*(OWN[kind]() for kind in OWN_SECTIONS)),
    )


def page() -> rx.Component:
    """The whole page."""
    return framed(
        # the first frame waits for the text of the first slide, which would otherwise grow while one looks
        rx.el.link(rel="expect", href=f"#{SLIDE_PICTURE}0", custom_attrs={"blocking": "render"}),
        rx.el.div(
            # the heading comes first in the document; styles show it below the banner
            rx.el.h1(_("Juguetes hechos con cuidado, para jugar de verdad"), class_name="opening__title"),
            banner(),
            reasons(),
            class_name="opening",
        ),
        sections(),
        class_name="main--home",
    )

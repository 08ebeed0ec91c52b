"""The home page: the banner, what is new, what is on sale, and the ways into the catalogue."""

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.app import current_shop
from backend.catalog.browse import home_content
from backend.catalog.views import CategoryNode, Facet, HomeContent, ProductCard
from backend.texts import _
from storefront.components.browser import SLIDES, Slides
from storefront.components.frame import framed, section
from storefront.components.hooks import ABSENT, props
from storefront.components.icons import icon
from storefront.components.links import CATALOG, GIFT, to_age, to_category, to_product
from storefront.components.pictures import OG_IMAGE, age_drawing, department_drawing, drawing, picture
from storefront.components.placeholders import grid_skeleton, link_button, until
from storefront.components.product_card import discount_badge, price, product_grid
from storefront.meta import DocumentMeta, absolute, first_picture, store_data, structured
from storefront.pages.loading import PageData, PageParams, PageState
from storefront.state.frame import FrameState

TITLE = _("Juguetes hechos con cuidado")
DESCRIPTION = _(
    "Juguetes de madera, peluches, juegos de mesa y kits para crear, con envío a toda Colombia y pago por PSE."
)
SLIDE_MS = 6500
"""How long the banner shows a slide."""

SLIDE_PICTURE = "destacado-"
SLIDE_SIZES = "(min-width: 1280px) 560px, (min-width: 768px) 48vw, 84vw"


async def load(_params: PageParams) -> PageData[HomeContent]:
    """What the home page shows (spec: Storefront view rules 1)."""
    async with current_shop().database.read() as session:
        content = await home_content(session)
    opening = next((card.picture for card in content.slides), None)
    return PageData(
        content,
        DocumentMeta(
            title=TITLE,
            description=DESCRIPTION,
            image=absolute(OG_IMAGE),
            canonical=absolute("/"),
            structured_data=structured(store_data(await current_shop().standing.now())),
            first_picture=first_picture(opening, SLIDE_SIZES),
        ),
    )


class HomeState(PageState, rx.State):
    """What the home page shows."""

    content: rx.Field[HomeContent] = rx.field(
        default_factory=lambda: HomeContent(slides=[], new_or_featured=[], on_sale=[], categories=[], ages=[])
    )
    meta: rx.Field[DocumentMeta] = rx.field(
        default_factory=lambda: DocumentMeta(title=TITLE, description=DESCRIPTION)
    )

    async def _data(self, params: PageParams) -> PageData[HomeContent]:
        return await load(params)


def slide(card: ObjectVar[ProductCard], place: rx.Var[int]) -> rx.Component:
    """One product in the banner: picture, name, price and the way to it."""
    return rx.el.div(
        rx.el.div(
            rx.el.p(card.brand, class_name="slide__eyebrow"),
            rx.el.h2(
                rx.el.a(card.title, href=to_product(card.handle), class_name="slide__link"),
                class_name="slide__title",
            ),
            rx.el.p(card.subtitle, class_name="slide__subtitle"),
            rx.el.div(price(card), discount_badge(card), class_name="slide__price"),
            rx.el.span(
                _("Conocerlo"), icon("right", size=20), class_name="button button--dark slide__button"
            ),
            class_name="slide__words",
        ),
        rx.el.div(
            rx.el.div(
                rx.cond(
                    card.picture,
                    picture(
                        card.picture, SLIDE_SIZES, is_first=place == 0, class_name="slide__image", alt=""
                    ),
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
            drawing("/brand/hero.svg", 600, 240),
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
    slides = HomeState.content.slides
    return rx.cond(
        HomeState.is_ready,
        Slides.create(
            rx.el.section(
                rx.cond(slides.length() > 1, controls(count=slides.length())),
                rx.el.div(
                    rx.cond(slides.length() > 0, rx.foreach(slides, slide), fallback_slide()),
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
            count=slides.length(),
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


def page() -> rx.Component:
    """The whole page."""
    content = HomeState.content
    fresh, on_sale = content.new_or_featured, content.on_sale
    departments, ages = content.categories, content.ages
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
        rx.cond(
            departments.length() > 0,
            section(
                _("¿A qué jugamos hoy?"),
                rx.el.ul(rx.foreach(departments, department_tile), class_name="tiles"),
            ),
        ),
        section(
            _("Lo nuevo y lo más querido"),
            until(
                HomeState.is_ready, HomeState.has_failed, HomeState.load, grid_skeleton(), product_grid(fresh)
            ),
            more=CATALOG,
        ),
        rx.cond(
            on_sale.length() > 0,
            section(
                _("Con descuento, mientras haya"),
                product_grid(on_sale, class_name="grid grid--row"),
                more=f"{CATALOG}?sale=1",
                class_name="section--sale",
            ),
        ),
        rx.cond(
            ages.length() > 0,
            section(
                _("Por edades"),
                rx.el.ul(rx.foreach(ages, age_tile), class_name="ages"),
                rx.el.div(link_button(_("Encuentra un regalo"), GIFT, "quiet"), class_name="more"),
            ),
        ),
        class_name="main--home",
    )

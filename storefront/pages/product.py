"""A product's page: pictures, price, stock, the way into the cart, and what goes with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, NumberVar, ObjectVar

from backend.app import current_shop
from backend.cart.lines import MAX_QUANTITY
from backend.catalog.handles import moved_to, was_deleted
from backend.catalog.storefront.page_content import product_detail, with_units_of_now
from backend.catalog.views import CategoryRef, ProductCard, ProductDetail
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.reviews.views import ReviewsPart, reviews_of
from storefront.components.cart import CONTROLS, stepper
from storefront.components.frame import framed, section
from storefront.components.gallery import SIZES, GalleryPicture, gallery, gallery_pictures
from storefront.components.icons import icon
from storefront.components.pictures import OG_IMAGE
from storefront.components.placeholders import bar, not_found, until
from storefront.components.product_card import ages, discount_badge, price, product_grid
from storefront.components.product_suggestions import offered_toys, viewed_toys
from storefront.components.react_components import AddToCart
from storefront.components.reviews import PAGE as REVIEWS_PAGE
from storefront.components.reviews import product_reviews, rating_link
from storefront.components.sharing import share_button, whatsapp
from storefront.components.variant_picker import CHOSEN, FEW_UNITS, SHOWN, VariantChoice, option_pickers
from storefront.components.wishlist import heart
from storefront.links import (
    HOME,
    product_path,
    to_age,
    to_brand,
    to_category,
    to_product,
)
from storefront.meta import (
    NOINDEX,
    DocumentMeta,
    absolute,
    breadcrumb_data,
    first_picture,
    product_data,
    reviews_data,
    shortened,
    structured,
)
from storefront.pages.page_loader import PageData, PageParams, PageState, Reading
from storefront.pages.shipping_estimate import shipping_estimate
from storefront.pages.stock_notices import notify_me
from storefront.reflex_ext.hooks import ABSENT, address_part
from storefront.state.cart import CartState

SLUG = "slug"
UNKNOWN_TITLE = _("Este producto no existe")


@dataclass(frozen=True, slots=True)
class ProductContent:
    """The product of an address; `detail` is None when it leads to none."""

    slug: str = ""
    detail: ProductDetail | None = None
    gallery: list[GalleryPicture] = field(default_factory=list)
    reviews: ReviewsPart = field(default_factory=ReviewsPart)


async def load(params: PageParams) -> PageData[ProductContent]:
    """What the page of a product shows. An unknown product is content of its own, not a failure.

    All but the units is read again only after it may have changed: each sale of the shop changes units of some toy.
    """
    slug, page = params.tail, page_of(params.asked(REVIEWS_PAGE))
    shop = current_shop()
    data: PageData[ProductContent] = await shop.products.get(
        (slug, page), partial(_read, slug, page), shows_units=False
    )
    if data.content.detail is None:
        return data
    async with shop.database.read() as session:
        detail = await with_units_of_now(session, data.content.detail)
    return replace(data, content=replace(data.content, detail=detail))


async def _read(slug: str, page: int) -> PageData[ProductContent]:
    try:
        async with current_shop().database.read() as session:
            detail = await product_detail(session, slug)
            reviews = await reviews_of(session, detail.card.id, page)
    except NotFound:
        return PageData(ProductContent(slug=slug), await meta_elsewhere(slug))
    content = ProductContent(
        slug=slug, detail=detail, gallery=gallery_pictures(detail.pictures), reviews=reviews
    )
    return PageData(content, meta_of(detail, reviews))


def page_of(text: str) -> int:
    """The page of the list that an address asks for; the first for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


async def meta_elsewhere(slug: str) -> DocumentMeta:
    """The document of an address that names no product for sale: the product moved, is gone, or never was."""
    async with current_shop().database.read() as session:
        handle = await moved_to(session, slug)
        is_gone = handle is None and await was_deleted(session, slug)
    return DocumentMeta(
        title=UNKNOWN_TITLE,
        status=301 if handle else 410 if is_gone else 404,
        robots=NOINDEX,
        moved_to=product_path(handle) if handle else "",
    )


def meta_of(detail: ProductDetail, reviews: ReviewsPart) -> DocumentMeta:
    """The document of a product."""
    data = {**product_data(detail), **reviews_data(reviews)}
    if detail.breadcrumb:
        data = {"@graph": [data, breadcrumb_data(detail.breadcrumb)]}
    return DocumentMeta(
        title=detail.card.title,
        description=shortened(detail.description or detail.card.subtitle),
        image=absolute(detail.pictures[0].url if detail.pictures else OG_IMAGE),
        canonical=absolute(f"/product/{detail.card.handle}"),
        structured_data=structured(data),
        first_picture=first_picture(detail.pictures[0] if detail.pictures else None, SIZES),
    )


class ProductState(PageState, rx.State):
    """The product that is shown."""

    content: rx.Field[ProductContent] = rx.field(default_factory=ProductContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=""))

    def _reading(self, params: PageParams) -> Reading:
        return partial(load, params)


def breadcrumb(trail: ArrayVar[list[CategoryRef]]) -> rx.Component:
    """Render the links from the home page down to the product's category."""
    return rx.el.nav(
        rx.el.ol(
            rx.el.li(rx.el.a(_("Inicio"), href=HOME)),
            rx.foreach(
                trail,
                lambda category: rx.el.li(
                    rx.el.a(category.name, href=to_category(category.handle)), key=category.handle
                ),
            ),
            class_name="breadcrumb__list",
        ),
        class_name="breadcrumb",
        aria_label=_("Estás en"),
    )


def stock_words() -> rx.Component:
    """How much is left, in words."""
    return rx.cond(
        CHOSEN.is_missing,
        rx.el.p(_("Esta combinación no existe"), class_name="stock stock--out"),
        rx.cond(
            ~SHOWN.available,
            rx.el.p(_("Agotado por ahora"), class_name="stock stock--out"),
            rx.cond(
                SHOWN.stock == 1,
                rx.el.p(_("¡Último disponible!"), class_name="stock stock--few"),
                rx.cond(
                    SHOWN.stock.to(int) <= FEW_UNITS,
                    rx.el.p(_("Quedan {n} unidades").format(n=SHOWN.stock), class_name="stock stock--few"),
                    rx.el.p(_("Disponible, listo para despachar"), class_name="stock"),
                ),
            ),
        ),
    )


def add_to_cart() -> rx.Component:
    """Quantity and button."""
    return AddToCart.create(
        rx.cond(SHOWN.available, stepper()),
        add_buttons(
            is_out=~SHOWN.available,
            word=rx.cond(CHOSEN.is_missing, _("No disponible"), _("Agotado")),
            price=SHOWN.price_label,
        ),
        variant_id=SHOWN.id,
        max=rx.cond(SHOWN.stock.to(int) > MAX_QUANTITY, MAX_QUANTITY, SHOWN.stock),
        answers=CartState.answers,
        added=CartState.added.number,
        on_add=CartState.add,
    )


@rx.memo
def add_buttons(is_out: rx.Var[bool], word: rx.Var[str], price: rx.Var[str]) -> rx.Component:
    """The button, with `word` on it for what cannot be bought, and the bar with another one for phones.

    The bar is shown when the first one was scrolled past.
    """
    is_ready = CONTROLS.step == "ready"
    face = rx.cond(is_ready, _("Agregar al carrito"), rx.fragment(icon("check", size=20), _("Agregado")))
    look = {"type": "button", "class_name": "button button--primary add__button"}
    bar = rx.el.div(
        rx.el.span(price, class_name="add-bar__price"),
        rx.el.button(face, **look, special_props=[CONTROLS.button]),
        class_name="add-bar",
        data_shown=rx.cond(CONTROLS.is_past, "true", ABSENT),
        custom_attrs={"inert": ~CONTROLS.is_past},
    )
    return rx.fragment(
        rx.el.button(
            rx.cond(is_out, word, face),
            **look,
            data_testid="add-to-cart",
            disabled=is_out,
            special_props=[CONTROLS.button, CONTROLS.place],
        ),
        rx.cond(is_out, rx.fragment(), bar),
    )


def assurances() -> rx.Component:
    """What a shopper asks before buying."""
    return rx.el.ul(
        rx.el.li(
            icon("truck"), _("Envío a toda Colombia. El precio exacto sale con tu dirección, antes de pagar.")
        ),
        rx.el.li(icon("bank"), _("Pagas por PSE, desde tu banco.")),
        rx.el.li(icon("back"), _("Cinco días hábiles para arrepentirte de la compra.")),
        class_name="assurances",
    )


def product_article(
    content: ObjectVar[ProductContent], *buying: rx.Component, below: rx.Component | None = None
) -> rx.Component:
    """The product, in the variant that is chosen, with what buys it and what is `below` that, and its reviews."""
    detail = content.detail
    return VariantChoice.create(
        _article(content, buying, below or rx.fragment()),
        product_reviews(content.reviews, to_product(content.slug)),
        options=detail.options,
        variants=detail.variants,
        first=detail.card.variant_id,
        otherwise=detail.card.price_label,
    )


def related_products(related: ArrayVar[list[ProductCard]]) -> rx.Component:
    """What goes with it, if anything does."""
    return rx.cond(
        related.length() > 0,
        section(_("Van bien juntos"), product_grid(related, class_name="grid grid--row")),
    )


def _article(
    content: ObjectVar[ProductContent], buying: Sequence[rx.Component], below: rx.Component
) -> rx.Component:
    detail = content.detail
    card = detail.card
    # where there is a choice, what is said of the one that was made is said aloud
    is_said = rx.cond(detail.options.length() > 0, "polite", ABSENT)
    return rx.el.article(
        # its name comes first: on a phone it is read before the pictures have come
        rx.el.header(
            rx.el.p(card.brand, class_name="product__brand"),
            rx.el.h1(card.title, class_name="product__title"),
            rating_link(card.rating),
            class_name="product__name",
        ),
        gallery(
            content.gallery.to(list[GalleryPicture]),
            detail.video,
            rx.el.div(discount_badge(SHOWN), class_name="gallery__badge"),
            key=content.slug,
        ),
        rx.el.div(
            rx.el.p(card.subtitle, class_name="product__subtitle"),
            rx.el.div(
                rx.el.div(
                    price(SHOWN),
                    rx.el.p(taxed(detail.tax_rate), class_name="product__tax"),
                    class_name="product__price",
                ),
                stock_words(),
                custom_attrs={"aria-live": is_said},
            ),
            option_pickers(detail.options),
            rx.el.div(*buying, class_name="product__buy"),
            below,
            rx.el.div(
                whatsapp(
                    _("Hola, tengo una pregunta sobre {toy}: {page}").format(
                        toy=card.title, page=ProductState.meta.canonical
                    )
                ),
                share_button(page=ProductState.meta.canonical, title=card.title),
                class_name="product__ask",
            ),
            shipping_estimate(SHOWN.id, SHOWN.price),
            rx.el.p(detail.description, class_name="product__description"),
            rx.el.dl(
                _fact(card.age_range, _("Edad"), rx.el.a(ages(card), href=to_age(card.age_range))),
                _fact(card.brand, _("Marca"), rx.el.a(card.brand, href=to_brand(detail.brand_handle))),
                _fact(detail.collection, _("Colección"), detail.collection.name),
                _fact(SHOWN.sku, _("Referencia"), SHOWN.sku),
                rx.foreach(
                    detail.facts,
                    lambda fact: rx.el.div(
                        rx.el.dt(fact.term),
                        rx.el.dd(rx.cond(fact.is_not_under_three, not_under_three()), fact.value),
                        key=fact.term,
                    ),
                ),
                class_name="product__facts",
            ),
            assurances(),
            class_name="product__words",
        ),
        class_name="product",
    )


def taxed(rate: NumberVar[int]) -> rx.Var[str]:
    """Whether there is IVA in the price."""
    return rx.cond(rate > 0, _("IVA incluido"), _("Sin IVA")).to(str)


def not_under_three() -> rx.Component:
    """The symbol of toys that are not for children under three (ISO 8124-1, annex; EN 71-6)."""
    return rx.el.img(
        src="/brand/not-under-three.svg",
        alt=_("No es para menores de 3 años"),
        loading="lazy",
        class_name="product__warning",
        custom_attrs={"width": 40, "height": 40},
    )


def _fact(is_known: rx.Var[Any], term: str, value: rx.Component | rx.Var[str]) -> rx.Component:
    return rx.cond(is_known, rx.el.div(rx.el.dt(term), rx.el.dd(value)))


def skeleton() -> rx.Component:
    """The product to come."""
    return rx.fragment(
        rx.el.div(bar("14rem"), class_name="breadcrumb"),
        rx.el.div(
            rx.el.div(bar("30%"), bar("80%", "2.4rem"), class_name="product__name"),
            rx.el.div(rx.el.div(class_name="gallery__stage bone"), class_name="gallery"),
            rx.el.div(
                bar("60%"),
                bar("40%", "2rem"),
                bar("100%", "3rem"),
                class_name="product__words",
            ),
            class_name="product",
        ),
    )


def page() -> rx.Component:
    """The whole page. While the address is already another product's than the one loaded, neither is shown."""
    content, detail = ProductState.content, ProductState.content.detail
    heart_of_it = heart(handle=detail.card.handle, title=detail.card.title)
    return framed(
        until(
            ProductState.is_ready & (content.slug == address_part(SLUG)),
            ProductState.has_failed,
            ProductState.load,
            skeleton(),
            rx.cond(
                content.detail,
                rx.fragment(
                    breadcrumb(detail.breadcrumb),
                    product_article(content, add_to_cart(), heart_of_it, below=notify_me()),
                    related_products(detail.related),
                    viewed_toys(content.slug),
                ),
                rx.fragment(
                    not_found(
                        UNKNOWN_TITLE,
                        _("Puede que se haya agotado para siempre o que la dirección esté mal escrita."),
                    ),
                    offered_toys(),
                ),
            ),
        ),
        class_name="main--product",
    )

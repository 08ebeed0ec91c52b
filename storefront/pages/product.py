"""A product's page: pictures, price, stock, the cart's button, and related products."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, NumberVar, ObjectVar

from backend.app import current_shop
from backend.cart.lines import MAX_QUANTITY
from backend.catalog.handles import find_current_handle, is_deleted_product
from backend.catalog.storefront.page_content import (
    SearchTexts,
    product_detail,
    read_bar_codes,
    read_search_texts,
    with_current_units,
)
from backend.catalog.views import CategoryRef, ProductCard, ProductDetail
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.reviews.views import ProductReviews, reviews_of
from storefront.components.cart import CONTROLS, added_number, quantity_stepper
from storefront.components.footer import NO_PSE_TEXT
from storefront.components.frame import page_frame, section
from storefront.components.gallery import SIZES, GalleryPicture, gallery, gallery_pictures
from storefront.components.icons import icon
from storefront.components.placeholders import loaded_content, not_found_state, skeleton_bar
from storefront.components.product_card import age_label, discount_badge, price_tag, product_grid
from storefront.components.product_suggestions import suggested_products, viewed_products
from storefront.components.react_components import AddToCart
from storefront.components.reviews import REVIEWS_PAGE_PARAM as REVIEWS_PAGE
from storefront.components.reviews import product_reviews, rating_link
from storefront.components.sharing import share_button, whatsapp_button
from storefront.components.variant_picker import (
    CHOSEN,
    LOW_STOCK_UNITS,
    SHOWN_VARIANT,
    VariantChoice,
    option_pickers,
)
from storefront.components.wishlist import heart_button
from storefront.links import (
    HOME,
    age_href,
    brand_href,
    category_href,
    collection_href,
    product_href,
    product_path,
)
from storefront.meta import (
    NOINDEX,
    DocumentMeta,
    absolute_url,
    breadcrumb_data,
    product_data,
    reviews_data,
    shorten_text,
    to_first_picture,
    to_json_ld,
)
from storefront.pages.page_loader import PageData, PageParams, PageState, Reader
from storefront.pages.shipping_estimate import shipping_estimate
from storefront.pages.stock_notices import stock_notice_form
from storefront.reflex_ext.hooks import ABSENT, address_part
from storefront.state.cart import CartState
from storefront.state.frame import FrameState

SLUG = "slug"
UNKNOWN_TITLE = _("Este producto no existe")


@dataclass(frozen=True, slots=True)
class ProductContent:
    """The product in a URL. `detail` is None if no product has this URL."""

    slug: str = ""
    detail: ProductDetail | None = None
    gallery: list[GalleryPicture] = field(default_factory=list)
    reviews: ProductReviews = field(default_factory=ProductReviews)


async def load(params: PageParams) -> PageData[ProductContent]:
    """Read a product's page. If there is no such product, the page displays a "not found" message instead.

    The content is cached until it may have changed. The units in stock are not cached, because almost every order
    changes them.
    """
    slug, page = params.last_part, parse_page(params.get_parameter(REVIEWS_PAGE))
    shop = current_shop()
    data: PageData[ProductContent] = await shop.products.get(
        (slug, page), partial(_read_page, slug, page), shows_units=False
    )
    if data.content.detail is None:
        return data
    async with shop.database.read() as session:
        detail = await with_current_units(session, data.content.detail)
    return replace(data, content=replace(data.content, detail=detail))


async def _read_page(slug: str, page: int) -> PageData[ProductContent]:
    try:
        async with current_shop().database.read() as session:
            detail = await product_detail(session, slug)
            reviews = await reviews_of(session, detail.card.id, page)
            bar_codes = await read_bar_codes(session, detail.card.id)
            texts = await read_search_texts(session, detail.card.id)
    except NotFound:
        return PageData(ProductContent(slug=slug), await build_missing_meta(slug))
    content = ProductContent(
        slug=slug, detail=detail, gallery=gallery_pictures(detail.pictures), reviews=reviews
    )
    return PageData(content, build_meta(detail, reviews, bar_codes, texts))


def parse_page(text: str) -> int:
    """Return the page number of the reviews in the URL; 1 if it is missing or invalid."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


async def build_missing_meta(slug: str) -> DocumentMeta:
    """Return the status and head of the document for a URL without a product.

    The status is 301 if the product has moved, 410 if it was deleted, and 404 if it never existed.
    """
    async with current_shop().database.read() as session:
        handle = await find_current_handle(session, slug)
        is_gone = handle is None and await is_deleted_product(session, slug)
    return DocumentMeta(
        title=UNKNOWN_TITLE,
        status=301 if handle else 410 if is_gone else 404,
        robots=NOINDEX,
        moved_to=product_path(handle) if handle else "",
    )


NO_SEARCH_TEXTS = SearchTexts()


def build_meta(
    detail: ProductDetail,
    reviews: ProductReviews,
    bar_codes: Mapping[str, str],
    texts: SearchTexts = NO_SEARCH_TEXTS,
) -> DocumentMeta:
    """Return the meta of a product's document.

    `bar_codes` are those of its variants, by id. `texts` are title and description for search engines, if staff
    wrote them.
    """
    data = {**product_data(detail, bar_codes), **reviews_data(reviews)}
    if detail.breadcrumb:
        data = {"@graph": [data, breadcrumb_data(detail.breadcrumb)]}
    return DocumentMeta(
        title=texts.title or detail.card.title,
        description=texts.description or shorten_text(detail.description or detail.card.subtitle),
        image=absolute_url(detail.pictures[0].url) if detail.pictures else "",
        canonical=absolute_url(f"/product/{detail.card.handle}"),
        structured_data=to_json_ld(data),
        first_picture=to_first_picture(detail.pictures[0] if detail.pictures else None, SIZES),
    )


class ProductState(PageState, rx.State):
    """State of a product's page: the displayed product."""

    content: rx.Field[ProductContent] = rx.field(default_factory=ProductContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=""))

    def _reader(self, params: PageParams) -> Reader:
        return partial(load, params)


def breadcrumb(trail: ArrayVar[list[CategoryRef]]) -> rx.Component:
    """Build the links from the home page down to the product's category."""
    return rx.el.nav(
        rx.el.ol(
            rx.el.li(rx.el.a(_("Inicio"), href=HOME)),
            rx.foreach(
                trail,
                lambda category: rx.el.li(
                    rx.el.a(category.name, href=category_href(category.handle)), key=category.handle
                ),
            ),
            class_name="breadcrumb__list",
        ),
        class_name="breadcrumb",
        aria_label=_("Estás en"),
    )


def stock_text(preorder: rx.Var[str]) -> rx.Component:
    """Build the text about the stock. `preorder` is the sentence about a preorder; empty without one."""
    return rx.cond(
        CHOSEN.is_missing,
        rx.el.p(_("Esta combinación no existe"), class_name="stock stock--out"),
        rx.cond(
            ~SHOWN_VARIANT.available,
            rx.el.p(_("Agotado por ahora"), class_name="stock stock--out"),
            rx.cond(
                preorder != "",
                rx.el.p(preorder, class_name="stock", data_testid="preorder"),
                stock_count(),
            ),
        ),
    )


def stock_count() -> rx.Component:
    """Build the text about the units in stock."""
    return rx.cond(
        SHOWN_VARIANT.stock == 1,
        rx.el.p(_("¡Último disponible!"), class_name="stock stock--few"),
        rx.cond(
            SHOWN_VARIANT.stock.to(int) <= LOW_STOCK_UNITS,
            rx.el.p(_("Quedan {n} unidades").format(n=SHOWN_VARIANT.stock), class_name="stock stock--few"),
            rx.el.p(_("Disponible, listo para despachar"), class_name="stock"),
        ),
    )


def add_to_cart_box() -> rx.Component:
    """Build the quantity and the add button."""
    return AddToCart.create(
        rx.cond(SHOWN_VARIANT.available, quantity_stepper()),
        add_buttons(
            is_out=~SHOWN_VARIANT.available,
            word=rx.cond(CHOSEN.is_missing, _("No disponible"), _("Agotado")),
            price=SHOWN_VARIANT.price_label,
        ),
        variant_id=SHOWN_VARIANT.id,
        max=rx.cond(SHOWN_VARIANT.stock.to(int) > MAX_QUANTITY, MAX_QUANTITY, SHOWN_VARIANT.stock),
        answers=CartState.answers,
        added=added_number(SHOWN_VARIANT.id),
        on_add=CartState.add,
    )


@rx.memo
def add_buttons(is_out: rx.Var[bool], word: rx.Var[str], price: rx.Var[str]) -> rx.Component:
    """Build the button that adds the product to the cart, and for phones a bar with a second one.

    The bar is displayed while the first button is scrolled out of view. `word` is the button's text if the product
    cannot be bought.
    """
    is_ready = CONTROLS.step == "ready"
    face = rx.cond(is_ready, _("Agregar al carrito"), rx.fragment(icon("check", size=20), _("Agregado")))
    look = {"type": "button", "class_name": "button button--primary add__button"}
    bar = rx.el.div(
        rx.el.span(price, class_name="add-bar__price"),
        rx.el.button(face, **look, special_props=[CONTROLS.button]),
        class_name="add-bar",
        data_shown=rx.cond(CONTROLS.is_scrolled_past, "true", ABSENT),
        custom_attrs={"inert": ~CONTROLS.is_scrolled_past},
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
    """Build short answers to common questions before buying."""
    return rx.el.ul(
        rx.el.li(
            icon("truck"), _("Envío a toda Colombia. El precio exacto sale con tu dirección, antes de pagar.")
        ),
        rx.el.li(
            icon("bank"), rx.cond(FrameState.shop.takes_pse, _("Pagas por PSE, desde tu banco."), NO_PSE_TEXT)
        ),
        rx.el.li(icon("back"), _("Cinco días hábiles para arrepentirte de la compra.")),
        class_name="assurances",
    )


def product_article(
    content: ObjectVar[ProductContent], *buying: rx.Component, below: rx.Component | None = None
) -> rx.Component:
    """Build a product with its chosen variant and its reviews.

    `buying` are the controls to buy it, and `below` is the element below these controls.
    """
    detail = content.detail
    return VariantChoice.create(
        _article(content, buying, below or rx.fragment()),
        product_reviews(content.reviews, product_href(content.slug)),
        options=detail.options,
        variants=detail.variants,
        default_id=detail.card.variant_id,
        missing_label=detail.card.price_label,
    )


def related_products(related: ArrayVar[list[ProductCard]]) -> rx.Component:
    """Build the related products, if there are any."""
    return rx.cond(
        related.length() > 0,
        section(_("Van bien juntos"), product_grid(related, class_name="grid grid--row")),
    )


def _article(
    content: ObjectVar[ProductContent], buying: Sequence[rx.Component], below: rx.Component
) -> rx.Component:
    detail = content.detail
    card = detail.card
    # with several variants, screen readers announce price and stock of the newly chosen one
    is_said = rx.cond(detail.options.length() > 0, "polite", ABSENT)
    return rx.el.article(
        # the name is first: on a phone it can be read before the pictures have loaded
        rx.el.header(
            rx.el.p(card.brand, class_name="product__brand"),
            rx.el.h1(card.title, class_name="product__title"),
            rating_link(card.rating),
            class_name="product__name",
        ),
        gallery(
            content.gallery.to(list[GalleryPicture]),
            detail.video,
            rx.el.div(discount_badge(SHOWN_VARIANT), class_name="gallery__badge"),
            key=content.slug,
            wanted=CHOSEN.picture,
        ),
        rx.el.div(
            rx.el.p(card.subtitle, class_name="product__subtitle"),
            rx.el.div(
                rx.el.div(
                    price_tag(SHOWN_VARIANT),
                    rx.el.p(tax_label(detail.tax_rate), class_name="product__tax"),
                    class_name="product__price",
                ),
                stock_text(detail.preorder_label),
                custom_attrs={"aria-live": is_said},
            ),
            option_pickers(detail.options),
            rx.el.div(*buying, class_name="product__buy"),
            below,
            rx.el.div(
                whatsapp_button(
                    _("Hola, tengo una pregunta sobre {toy}: {page}").format(
                        toy=card.title, page=ProductState.meta.canonical
                    )
                ),
                share_button(page=ProductState.meta.canonical, title=card.title),
                class_name="product__ask",
            ),
            shipping_estimate(SHOWN_VARIANT.id, SHOWN_VARIANT.price),
            rx.el.p(detail.description, class_name="product__description"),
            rx.el.dl(
                _fact(card.age_range, _("Edad"), rx.el.a(age_label(card), href=age_href(card.age_range))),
                _fact(card.brand, _("Marca"), rx.el.a(card.brand, href=brand_href(detail.brand_handle))),
                _fact(
                    detail.collection,
                    _("Colección"),
                    rx.el.a(detail.collection.name, href=collection_href(detail.collection.handle)),
                ),
                _fact(SHOWN_VARIANT.sku, _("Referencia"), SHOWN_VARIANT.sku),
                rx.foreach(
                    detail.facts,
                    lambda fact: rx.el.div(
                        rx.el.dt(fact.term),
                        rx.el.dd(rx.cond(fact.is_not_under_three, under_three_warning()), fact.value),
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


def tax_label(rate: NumberVar[int]) -> rx.Var[str]:
    """Return the text about IVA: included or exempt."""
    return rx.cond(rate > 0, _("IVA incluido"), _("Sin IVA")).to(str)


def under_three_warning() -> rx.Component:
    """Build the symbol of products that are not for children under three (ISO 8124-1, annex; EN 71-6)."""
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
    """Build the skeleton of a product's page."""
    return rx.fragment(
        rx.el.div(skeleton_bar("14rem"), class_name="breadcrumb"),
        rx.el.div(
            rx.el.div(skeleton_bar("30%"), skeleton_bar("80%", "2.4rem"), class_name="product__name"),
            rx.el.div(rx.el.div(class_name="gallery__stage bone"), class_name="gallery"),
            rx.el.div(
                skeleton_bar("60%"),
                skeleton_bar("40%", "2rem"),
                skeleton_bar("100%", "3rem"),
                class_name="product__words",
            ),
            class_name="product",
        ),
    )


def page() -> rx.Component:
    """Build the product page. If the URL is already that of another product, the skeleton is displayed."""
    content, detail = ProductState.content, ProductState.content.detail
    wish_button = heart_button(handle=detail.card.handle, title=detail.card.title)
    return page_frame(
        loaded_content(
            ProductState.is_ready & (content.slug == address_part(SLUG)),
            ProductState.has_failed,
            ProductState.load,
            skeleton(),
            rx.cond(
                content.detail,
                rx.fragment(
                    breadcrumb(detail.breadcrumb),
                    product_article(content, add_to_cart_box(), wish_button, below=stock_notice_form()),
                    related_products(detail.related),
                    viewed_products(content.slug),
                ),
                rx.fragment(
                    not_found_state(
                        UNKNOWN_TITLE,
                        _("Puede que se haya agotado para siempre o que la dirección esté mal escrita."),
                    ),
                    suggested_products(),
                ),
            ),
        ),
        class_name="main--product",
    )

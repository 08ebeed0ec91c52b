"""What buyers say of a product: stars wherever it is shown, and the reviews on its page."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.ratings import RatingView
from backend.catalog.views import PictureView
from backend.core.texts import _
from backend.reviews.page_links import ReviewLink
from backend.reviews.views import ReviewsPart, ReviewView, StarCount
from storefront.components.frame import section
from storefront.components.icons import icon
from storefront.components.pictures import picture
from storefront.components.variant_picker import CHOSEN

NAME = "resenas"
"""The part of the product's page, in its address."""
PAGE = "reviews"
"""The parameter of a product's address that names the page of its reviews."""


def rating_stars(rating: ObjectVar[RatingView]) -> rx.Component:
    """The average, drawn; what it is in words for those who do not see it."""
    return rx.el.span(role="img", aria_label=rating.label, class_name="stars", data_halves=rating.halves)


def card_rating(rating: rx.Var[RatingView | None]) -> rx.Component:
    """The stars on a card, where there are reviews."""
    known = rating.to(ObjectVar, RatingView)
    return rx.cond(
        rating,
        rx.el.p(
            rating_stars(known),
            rx.el.span("(", known.count, ")", aria_hidden="true"),
            class_name="card__rating",
        ),
    )


def rating_link(rating: rx.Var[RatingView | None]) -> rx.Component:
    """The stars under a product's name, which lead to its reviews. What was chosen of it stays chosen."""
    known = rating.to(ObjectVar, RatingView)
    return rx.cond(
        rating,
        rx.el.a(
            rating_stars(known),
            rx.el.span(known.average, " (", known.count, ")", aria_hidden="true"),
            href=rx.cond(CHOSEN.named != "", f"?{CHOSEN.named}#{NAME}", f"#{NAME}"),
            class_name="product__rating",
            data_testid="product-rating",
        ),
    )


def product_reviews(part: ObjectVar[ReviewsPart], product: rx.Var[str]) -> rx.Component:
    """The reviews of a product, where there are any, in its `VariantChoice`. `product` is the path of its page."""
    rating = part.rating
    shown = section(
        _("Lo que dicen quienes lo compraron"),
        rx.el.div(
            rx.el.div(
                rx.el.p(
                    rx.el.span(rating.average, class_name="reviews__average", aria_hidden="true"),
                    rating_stars(rating),
                    rx.el.span(rating.label, class_name="reviews__count", aria_hidden="true"),
                    class_name="reviews__rating",
                ),
                rx.el.ul(
                    rx.foreach(part.counts, lambda one: _bar(one, rating.count)), class_name="reviews__bars"
                ),
                class_name="reviews__sum",
            ),
            rx.el.div(
                rx.el.ol(rx.foreach(part.reviews, _review), class_name="reviews__list"),
                rx.cond(part.pages.to(int) > 1, _pages(part, product)),
            ),
            class_name="reviews",
            data_testid="reviews",
        ),
    )
    return rx.cond(part.rating, rx.el.div(shown, id=NAME, class_name="reviews__place"))


def review_link(link: ObjectVar[ReviewLink], *, names_toy: bool = False) -> rx.Component:
    """The way to review a toy of an order. Without its name on it, only those who do not see the toy are told it."""
    toy = rx.el.span(": ", link.toy, class_name="" if names_toy else "sr-only")
    return rx.el.a(
        rx.el.span("★", aria_hidden="true"),
        rx.el.span(rx.cond(link.is_written, _("Cambiar mi reseña"), _("Opinar")), toy),
        href=link.page,
        class_name="review-link",
        data_testid="review-link",
    )


def picture_links(pictures: Any) -> rx.Component:
    """Pictures of a review; each opens by itself."""

    def link(shown: ObjectVar[PictureView]) -> rx.Component:
        return rx.el.a(picture(shown, "96px"), href=shown.url, target="_blank", rel="noopener", key=shown.url)

    return rx.cond(
        pictures.length() > 0, rx.el.div(rx.foreach(pictures, link), class_name="reviews__pictures")
    )


def _bar(one: ObjectVar[StarCount], of: rx.Var[int]) -> rx.Component:
    words = rx.cond(
        one.stars == 1,
        _("1 estrella: {count}").format(count=one.count),
        _("{stars} estrellas: {count}").format(stars=one.stars, count=one.count),
    )
    return rx.el.li(
        rx.el.span(one.stars, " ★", aria_hidden="true"),
        rx.el.progress(value=one.count, max=of, aria_label=words),
        rx.el.span(one.count, aria_hidden="true"),
        key=one.stars,
    )


def _review(one: ObjectVar[ReviewView]) -> rx.Component:
    words = _("{stars} de 5 estrellas").format(stars=one.stars)
    return rx.el.li(
        rx.el.p(
            rx.el.span(role="img", aria_label=words, class_name="stars", data_halves=one.stars.to(int) * 2),
            rx.el.b(one.name),
            rx.cond(
                one.is_demo,
                rx.el.span(_("Reseña de muestra"), class_name="reviews__mark"),
                rx.el.span(icon("check", size=18), _("Compra verificada"), class_name="reviews__mark"),
            ),
            rx.el.time(one.written, custom_attrs={"dateTime": one.date}),
            class_name="reviews__head",
        ),
        rx.el.p(one.text, class_name="reviews__text"),
        picture_links(one.pictures),
        rx.cond(
            one.answer != "",
            rx.el.div(
                rx.el.p(rx.el.b(_("Responde la tienda"))),
                rx.el.p(one.answer, class_name="reviews__text"),
                class_name="reviews__answer",
            ),
        ),
        key=one.id,
        data_testid="review",
    )


def _pages(part: ObjectVar[ReviewsPart], product: rx.Var[str]) -> rx.Component:
    page, last = part.page.to(int), part.pages.to(int)
    chosen = rx.cond(CHOSEN.named != "", f"{CHOSEN.named}&", "")

    def way(number: rx.Var[Any], label: str, rel: str) -> rx.Component:
        there = f"{product}?{chosen}{PAGE}={number}#{NAME}"
        return rx.el.a(label, href=there, rel=rel, class_name="button button--quiet button--small")

    return rx.el.nav(
        rx.cond(page > 1, way(page - 1, _("Más recientes"), "prev")),
        rx.el.span(_("Página {page} de {pages}").format(page=page, pages=last)),
        rx.cond(page < last, way(page + 1, _("Más antiguas"), "next")),
        aria_label=_("Páginas de reseñas"),
        class_name="reviews__pages",
    )

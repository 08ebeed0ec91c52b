"""Customers' reviews of a product: stars wherever the product is displayed, and the reviews on its page."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.ratings import RatingView
from backend.catalog.views import PictureView
from backend.core.texts import _
from backend.reviews.page_links import ReviewLink
from backend.reviews.views import ProductReviews, ReviewView, StarCount
from storefront.components.frame import section
from storefront.components.icons import icon
from storefront.components.pictures import picture
from storefront.components.variant_picker import CHOSEN
from storefront.reflex_ext.numbers import grouped

REVIEWS_ID = "resenas"
"""Id of the reviews' section, used as fragment of the page's URL."""
REVIEWS_PAGE_PARAM = "reviews"
"""Query parameter of a product's URL that selects the page of its reviews."""


def rating_stars(rating: ObjectVar[RatingView]) -> rx.Component:
    """Build the average rating as stars, with a text for screen readers."""
    return rx.el.span(role="img", aria_label=rating.label, class_name="stars", data_halves=rating.halves)


def card_rating(rating: rx.Var[RatingView | None]) -> rx.Component:
    """Build the stars of a product card, if the product has reviews."""
    rating_view = rating.to(ObjectVar, RatingView)
    return rx.cond(
        rating,
        rx.el.p(
            rating_stars(rating_view),
            rx.el.span("(", grouped(rating_view.count), ")", aria_hidden="true"),
            class_name="card__rating",
        ),
    )


def rating_link(rating: rx.Var[RatingView | None]) -> rx.Component:
    """Build the stars below a product's name, which link to its reviews.

    The link keeps the chosen variant in the URL.
    """
    rating_view = rating.to(ObjectVar, RatingView)
    return rx.cond(
        rating,
        rx.el.a(
            rating_stars(rating_view),
            rx.el.span(rating_view.average, " (", grouped(rating_view.count), ")", aria_hidden="true"),
            href=rx.cond(CHOSEN.query != "", f"?{CHOSEN.query}#{REVIEWS_ID}", f"#{REVIEWS_ID}"),
            class_name="product__rating",
            data_testid="product-rating",
        ),
    )


def product_reviews(part: ObjectVar[ProductReviews], product: rx.Var[str]) -> rx.Component:
    """Build the reviews of a product, if it has any. `product` is the path of its page.

    The component must be inside the product's `VariantChoice`.
    """
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
                    rx.foreach(part.counts, lambda row: _star_bar(row, rating.count)),
                    class_name="reviews__bars",
                ),
                class_name="reviews__sum",
            ),
            rx.el.div(
                rx.el.ol(rx.foreach(part.reviews, _review), class_name="reviews__list"),
                rx.cond(part.pages.to(int) > 1, _page_links(part, product)),
            ),
            class_name="reviews",
            data_testid="reviews",
        ),
    )
    return rx.cond(part.rating, rx.el.div(shown, id=REVIEWS_ID, class_name="reviews__place"))


def review_link(link: ObjectVar[ReviewLink], *, names_product: bool = False) -> rx.Component:
    """Build the link with which a customer reviews an ordered product.

    Without `names_product`, the product's name is only for screen readers.
    """
    name = rx.el.span(": ", link.title, class_name="" if names_product else "sr-only")
    return rx.el.a(
        rx.el.span("★", aria_hidden="true"),
        rx.el.span(rx.cond(link.is_written, _("Cambiar mi reseña"), _("Opinar")), name),
        href=link.page,
        class_name="review-link",
        data_testid="review-link",
    )


def picture_links(pictures: Any) -> rx.Component:
    """Build the pictures of a review. Each picture links to its file."""

    def link(shown: ObjectVar[PictureView]) -> rx.Component:
        return rx.el.a(picture(shown, "96px"), href=shown.url, target="_blank", rel="noopener", key=shown.url)

    return rx.cond(
        pictures.length() > 0, rx.el.div(rx.foreach(pictures, link), class_name="reviews__pictures")
    )


def _star_bar(row: ObjectVar[StarCount], total: rx.Var[int]) -> rx.Component:
    words = rx.cond(
        row.stars == 1,
        _("1 estrella: {count}").format(count=grouped(row.count)),
        _("{stars} estrellas: {count}").format(stars=row.stars, count=grouped(row.count)),
    )
    return rx.el.li(
        rx.el.span(row.stars, " ★", aria_hidden="true"),
        rx.el.progress(value=row.count, max=total, aria_label=words),
        rx.el.span(grouped(row.count), aria_hidden="true"),
        key=row.stars,
    )


def _review(review: ObjectVar[ReviewView]) -> rx.Component:
    words = _("{stars} de 5 estrellas").format(stars=review.stars)
    return rx.el.li(
        rx.el.p(
            rx.el.span(
                role="img", aria_label=words, class_name="stars", data_halves=review.stars.to(int) * 2
            ),
            rx.el.b(review.name),
            rx.cond(
                review.is_demo,
                rx.el.span(_("Reseña de muestra"), class_name="reviews__mark"),
                rx.el.span(icon("check", size=18), _("Compra verificada"), class_name="reviews__mark"),
            ),
            rx.el.time(review.written, custom_attrs={"dateTime": review.date}),
            class_name="reviews__head",
        ),
        rx.el.p(review.text, class_name="reviews__text"),
        picture_links(review.pictures),
        rx.cond(
            review.answer != "",
            rx.el.div(
                rx.el.p(rx.el.b(_("Responde la tienda"))),
                rx.el.p(review.answer, class_name="reviews__text"),
                class_name="reviews__answer",
            ),
        ),
        key=review.id,
        data_testid="review",
    )


def _page_links(part: ObjectVar[ProductReviews], product: rx.Var[str]) -> rx.Component:
    page, last = part.page.to(int), part.pages.to(int)
    chosen = rx.cond(CHOSEN.query != "", f"{CHOSEN.query}&", "")

    def page_link(number: rx.Var[Any], label: str, rel: str) -> rx.Component:
        path = f"{product}?{chosen}{REVIEWS_PAGE_PARAM}={number}#{REVIEWS_ID}"
        return rx.el.a(label, href=path, rel=rel, class_name="button button--quiet button--small")

    return rx.el.nav(
        rx.cond(page > 1, page_link(page - 1, _("Más recientes"), "prev")),
        rx.el.span(_("Página {page} de {pages}").format(page=page, pages=last)),
        rx.cond(page < last, page_link(page + 1, _("Más antiguas"), "next")),
        aria_label=_("Páginas de reseñas"),
        class_name="reviews__pages",
    )

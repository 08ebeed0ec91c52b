"""A document's status and the values of its head: title, description, canonical url, structured data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.app import current_shop
from backend.catalog.ratings import MOST_STARS
from backend.catalog.views import CategoryRef, PictureView, ProductDetail
from backend.core.config.settings import Settings
from backend.core.money import Cop
from backend.core.texts import _
from backend.reviews.views import ReviewsPart
from storefront.links import HOME, catalog_path

DESCRIPTION_LENGTH = 155
INDEX = "index,follow"
NOINDEX = "noindex,follow"


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """The picture a page opens with, to be fetched at once: its files, and how wide it is shown; a drawing has one."""

    url: str
    srcset: str = ""
    sizes: str = ""


@dataclass(frozen=True, slots=True)
class DocumentMeta:
    """The status and the head of one document. Empty texts mean that there is none.

    Attributes:
        title: without the shop's name, which the head adds.
        image: an absolute url, for those who share the page.
        canonical: an absolute url.
        previous, following: the absolute urls of the pages of the list before and after this one.
        structured_data: JSON-LD that is safe inside a `<script>`.
        first_picture: what is fetched before all other pictures.
        moved_to: the path where what was asked for is found now (status 301).
    """

    title: str
    description: str = ""
    status: int = 200
    image: str = ""
    canonical: str = ""
    robots: str = INDEX
    structured_data: str = field(default="", repr=False)
    first_picture: FirstPicture | None = None
    moved_to: str = ""
    previous: str = ""
    following: str = ""


def absolute(path: str) -> str:
    """The whole url of a path of this shop; a whole url is given back as it is."""
    return path if path.startswith(("http://", "https://")) else current_shop().settings.base_url + path


def first_picture(picture: PictureView | None, sizes: str) -> FirstPicture | None:
    """The picture as one that its page opens with."""
    return FirstPicture(picture.url, picture.srcset, sizes) if picture else None


def shortened(text: str, length: int = DESCRIPTION_LENGTH) -> str:
    """The text on one line, cut at a word to `length` characters."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def structured(data: Mapping[str, Any]) -> str:
    """JSON-LD with its context, escaped so that no text in it can end the script that holds it."""
    text = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False, separators=(",", ":"))
    return text.translate(
        {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
    )


def store_data(settings: Settings) -> dict[str, Any]:
    """Structured data: the shop as it stands, and its search (schema.org/ToyStore, WebSite)."""
    return {
        "@graph": [
            {
                "@type": "ToyStore",
                "@id": absolute("/#store"),
                "name": settings.store_name,
                "legalName": settings.store_legal_name,
                "url": absolute("/"),
                "telephone": settings.store_phone,
                "email": settings.store_email,
                "currenciesAccepted": "COP",
            },
            {
                "@type": "WebSite",
                "url": absolute("/"),
                "name": settings.store_name,
                "potentialAction": {
                    "@type": "SearchAction",
                    "target": absolute("/catalog?q={search_term_string}"),
                    "query-input": "required name=search_term_string",
                },
            },
        ]
    }


def product_data(detail: ProductDetail) -> dict[str, Any]:
    """Structured data: a product and its offers (schema.org/Product, Offer, AggregateOffer)."""
    card = detail.card
    url = absolute(f"/product/{card.handle}")
    if detail.options:
        prices = [variant.price for variant in detail.variants]
        offers = {
            "@type": "AggregateOffer",
            "url": url,
            "priceCurrency": "COP",
            "lowPrice": min(prices),
            "highPrice": max(prices),
            "offerCount": len(prices),
            "offers": [
                {
                    **_offer(f"{url}?variant={variant.id}", variant.price, is_in_stock=variant.available),
                    "name": variant.title,
                    "sku": variant.sku,
                }
                for variant in detail.variants
            ],
        }
    else:
        offers = _offer(url, card.price, is_in_stock=card.available)
    return {
        "@type": "Product",
        "name": card.title,
        "description": shortened(detail.description, 500),
        "sku": next((variant.sku for variant in detail.variants if variant.id == card.variant_id), ""),
        "brand": {"@type": "Brand", "name": card.brand},
        **({"image": [absolute(picture.url) for picture in detail.pictures]} if detail.pictures else {}),
        "offers": offers,
        **_video_data(detail),
    }


def _video_data(detail: ProductDetail) -> dict[str, Any]:
    """What a product's video needs, which is a picture too (schema.org/VideoObject)."""
    if detail.video is None or not detail.pictures:
        return {}
    video = {
        "@type": "VideoObject",
        "name": detail.card.title,
        "description": shortened(detail.description or detail.card.title, 500),
        "thumbnailUrl": [absolute(detail.pictures[0].url)],
        "uploadDate": detail.video.day,
        "contentUrl": absolute(detail.video.url),
        "encodingFormat": detail.video.media_type,
    }
    return {"subjectOf": video}


def reviews_data(part: ReviewsPart) -> dict[str, Any]:
    """Structured data: what buyers say (schema.org/AggregateRating, Review). What is made up for a demo is left out."""
    if part.by_buyers is None:
        return {}
    return {
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": part.by_buyers.average.replace(",", "."),
            "reviewCount": part.by_buyers.count,
            "bestRating": MOST_STARS,
            "worstRating": 1,
        },
        "review": [
            {
                "@type": "Review",
                "author": {"@type": "Person", "name": review.name},
                "datePublished": review.date,
                "reviewBody": review.text,
                "reviewRating": {
                    "@type": "Rating",
                    "ratingValue": review.stars,
                    "bestRating": MOST_STARS,
                    "worstRating": 1,
                },
            }
            for review in part.reviews
            if not review.is_demo
        ],
    }


def _offer(url: str, price: Cop, *, is_in_stock: bool) -> dict[str, Any]:
    return {
        "@type": "Offer",
        "url": url,
        "priceCurrency": "COP",
        "price": price,
        "availability": f"https://schema.org/{'InStock' if is_in_stock else 'OutOfStock'}",
        "itemCondition": "https://schema.org/NewCondition",
    }


def breadcrumb_data(trail: list[CategoryRef]) -> dict[str, Any]:
    """Return the links from the home page down through the categories (schema.org/BreadcrumbList)."""
    steps = [(_("Inicio"), HOME), *((category.name, catalog_path(category.handle)) for category in trail)]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": name, "item": absolute(path)}
            for place, (name, path) in enumerate(steps, 1)
        ],
    }

"""A document's HTTP status and the values of its head: title, description, canonical URL and structured data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.app import current_shop
from backend.catalog.merchant_facts import COUNTRY, CURRENCY, parse_suggested_ages, to_plain_name
from backend.catalog.ratings import MAX_STARS
from backend.catalog.views import CategoryRef, PictureView, ProductDetail, VariantView
from backend.content.brand import Brand
from backend.core.config.settings import Settings
from backend.core.money import Cop
from backend.core.texts import _
from backend.core.web.html_text import to_plain_text
from backend.legal.texts import LegalKind
from backend.returns.deadlines import WITHDRAWAL_DAYS
from backend.reviews.views import ProductReviews
from storefront.links import HOME, catalog_path, legal_path

MAX_DESCRIPTION_LENGTH = 155
INDEX = "index,follow"
NOINDEX = "noindex,follow"
PRIVATE = "noindex,nofollow"
"""Robots tag of a page whose path is secret. Its document also forbids the `Referer` header."""


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """The first large picture of a page, which the browser preloads: its files and its displayed width.

    If it is a drawing, only `url` is set.
    """

    url: str
    srcset: str = ""
    sizes: str = ""


@dataclass(frozen=True, slots=True)
class DocumentMeta:
    """The status and the head of one document. An empty text means that the value is absent.

    Attributes:
        title: the title without the shop's name, which the head adds.
        image: absolute URL of the picture that is displayed when the page is shared.
        canonical: the canonical URL, absolute.
        previous, following: absolute URLs of the previous and next page of a list.
        structured_data: JSON-LD that is safe inside a `<script>`.
        first_picture: the picture to preload before all others.
        moved_to: the path to redirect to (status 301).
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


def absolute_url(path: str) -> str:
    """Return the absolute URL of a path of this shop. An absolute URL is returned unchanged."""
    return path if path.startswith(("http://", "https://")) else current_shop().settings.base_url + path


def to_first_picture(picture: PictureView | None, sizes: str) -> FirstPicture | None:
    """Return the picture as a `FirstPicture`, or None if there is no picture."""
    return FirstPicture(picture.url, picture.srcset, sizes) if picture else None


def shorten_text(text: str, length: int = MAX_DESCRIPTION_LENGTH) -> str:
    """Return the text on one line and without HTML, cut at a word boundary to at most `length` characters."""
    text = " ".join(to_plain_text(text).split())
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def to_json_ld(data: Mapping[str, Any]) -> str:
    """Return the data as JSON-LD with its context, escaped so that no text can end the enclosing `<script>`."""
    text = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False, separators=(",", ":"))
    return text.translate(
        {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
    )


def store_data(settings: Settings, brand: Brand) -> dict[str, Any]:
    """Return the structured data of the shop and its search (schema.org/Store, WebSite)."""
    return {
        "@graph": [
            {
                "@type": "ToyStore" if brand.is_demo else "Store",
                "@id": absolute_url("/#store"),
                "name": settings.store_name,
                "legalName": settings.store_legal_name,
                "url": absolute_url("/"),
                "telephone": settings.store_phone,
                "email": settings.store_email,
                "currenciesAccepted": CURRENCY,
                **({"logo": absolute_url(brand.logo.url)} if brand.logo else {}),
                **({"sameAs": [link.url for link in brand.links]} if brand.links else {}),
            },
            {
                "@type": "WebSite",
                "url": absolute_url("/"),
                "name": settings.store_name,
                "potentialAction": {
                    "@type": "SearchAction",
                    "target": absolute_url("/catalog?q={search_term_string}"),
                    "query-input": "required name=search_term_string",
                },
            },
        ]
    }


def product_data(detail: ProductDetail, bar_codes: Mapping[str, str]) -> dict[str, Any]:
    """Return the structured data of a product and its offers (schema.org/Product, Offer, AggregateOffer).

    Args:
        detail: the product.
        bar_codes: EAN or UPC by variant id, as far as they are known.
    """
    card = detail.card
    url = absolute_url(f"/product/{card.handle}")
    if detail.options:
        prices = [variant.price for variant in detail.variants]
        offers = {
            "@type": "AggregateOffer",
            "url": url,
            "priceCurrency": CURRENCY,
            "lowPrice": min(prices),
            "highPrice": max(prices),
            "offerCount": len(prices),
            "offers": [
                {
                    **_offer_data(
                        f"{url}?variant={variant.id}",
                        variant.price,
                        availability=_availability(detail, variant.available),
                    ),
                    "name": to_plain_name(variant.title),
                    "sku": variant.sku,
                    **_variant_picture_data(detail, variant),
                    **_bar_code_data(bar_codes.get(variant.id)),
                }
                for variant in detail.variants
            ],
        }
    else:
        offers = _offer_data(url, card.price, availability=_availability(detail, card.available))
    return {
        "@type": "Product",
        "name": to_plain_name(card.title),
        "description": shorten_text(detail.description, 500),
        "sku": next((variant.sku for variant in detail.variants if variant.id == card.variant_id), ""),
        "brand": {"@type": "Brand", "name": to_plain_name(card.brand)},
        **({} if detail.options else _bar_code_data(bar_codes.get(card.variant_id))),
        **_audience_data(card.age_range),
        **({"image": [absolute_url(picture.url) for picture in detail.pictures]} if detail.pictures else {}),
        "offers": offers,
        **_video_data(detail),
    }


def _video_data(detail: ProductDetail) -> dict[str, Any]:
    """Return the structured data of the product's video (schema.org/VideoObject); empty if there is no video.

    It is also empty if the product has no picture, because a thumbnail is required.
    """
    if detail.video is None or not detail.pictures:
        return {}
    video = {
        "@type": "VideoObject",
        "name": to_plain_name(detail.card.title),
        "description": shorten_text(detail.description or detail.card.title, 500),
        "thumbnailUrl": [absolute_url(detail.pictures[0].url)],
        "uploadDate": detail.video.day,
        "contentUrl": absolute_url(detail.video.url),
        "encodingFormat": detail.video.media_type,
    }
    return {"subjectOf": video}


def reviews_data(part: ProductReviews) -> dict[str, Any]:
    """Return the structured data of customers' reviews (schema.org/AggregateRating, Review), without demo reviews."""
    if part.by_customers is None:
        return {}
    return {
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": part.by_customers.average.replace(",", "."),
            "reviewCount": part.by_customers.count,
            "bestRating": MAX_STARS,
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
                    "bestRating": MAX_STARS,
                    "worstRating": 1,
                },
            }
            for review in part.reviews
            if not review.is_demo
        ],
    }


def _availability(detail: ProductDetail, is_available: bool) -> dict[str, str]:
    """Return the availability of an offer, and the day from which a preorder is available."""
    if is_available and detail.preorder_day:
        return {"availability": "https://schema.org/PreOrder", "availabilityStarts": detail.preorder_day}
    return {"availability": f"https://schema.org/{'InStock' if is_available else 'OutOfStock'}"}


def _offer_data(url: str, price: Cop, *, availability: Mapping[str, str]) -> dict[str, Any]:
    return {
        "@type": "Offer",
        "url": url,
        "priceCurrency": CURRENCY,
        "price": price,
        **availability,
        "itemCondition": "https://schema.org/NewCondition",
        "shippingDetails": SHIPPING_DATA,
        "hasMerchantReturnPolicy": _return_policy_data(),
    }


def _variant_picture_data(detail: ProductDetail, variant: VariantView) -> dict[str, str]:
    """Return the variant's own picture; empty if it has none."""
    has_own = 0 <= variant.picture < len(detail.pictures)
    return {"image": absolute_url(detail.pictures[variant.picture].url)} if has_own else {}


def _bar_code_data(bar_code: str | None) -> dict[str, str]:
    return {"gtin": bar_code} if bar_code else {}


def _audience_data(age_range: str) -> dict[str, Any]:
    """Return the structured data of a product's ages (schema.org/PeopleAudience); empty if it has none."""
    if (ages := parse_suggested_ages(age_range)) is None:
        return {}
    youngest = {"@type": "PeopleAudience", "suggestedMinAge": ages.min_years}
    oldest = {} if ages.max_years is None else {"suggestedMaxAge": ages.max_years}
    return {"audience": {**youngest, **oldest}}


SHIPPING_DATA = {
    "@type": "OfferShippingDetails",
    "shippingDestination": {"@type": "DefinedRegion", "addressCountry": COUNTRY},
}
"""Structured data of the delivery (schema.org/OfferShippingDetails).

It has no rate, because carriers calculate the price for an address.
"""


def _return_policy_data() -> dict[str, Any]:
    """Return the structured data of the legal right of withdrawal (retracto: Ley 1480 of 2011, art. 47).

    The law counts business days. The policy states the same number of calendar days, which is never more than that.
    """
    return {
        "@type": "MerchantReturnPolicy",
        "applicableCountry": COUNTRY,
        "returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow",
        "merchantReturnDays": WITHDRAWAL_DAYS,
        "returnMethod": "https://schema.org/ReturnByMail",
        "returnFees": "https://schema.org/ReturnFeesCustomerResponsibility",
        "refundType": "https://schema.org/FullRefund",
        "merchantReturnLink": absolute_url(legal_path(LegalKind.WITHDRAWAL)),
    }


def breadcrumb_data(trail: list[CategoryRef], collection: CategoryRef | None = None) -> dict[str, Any]:
    """Return the structured data of the breadcrumbs: the home page, the categories, and the collection, if given.

    See schema.org/BreadcrumbList.
    """
    steps = [(_("Inicio"), HOME), *((category.name, catalog_path(category.handle)) for category in trail)]
    if collection is not None:
        steps.append((collection.name, catalog_path(collection=collection.handle)))
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": name, "item": absolute_url(path)}
            for place, (name, path) in enumerate(steps, 1)
        ],
    }

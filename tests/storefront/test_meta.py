"""What documents say of themselves: texts that fit, and data that cannot break out of its script."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from backend.app import Shop
from backend.catalog.views import (
    CategoryRef,
    OptionView,
    PictureView,
    ProductCard,
    ProductDetail,
    VariantView,
)
from backend.media.videos import video_at
from storefront.meta import (
    DESCRIPTION_LENGTH,
    absolute,
    breadcrumb_data,
    product_data,
    shortened,
    store_data,
    structured,
)

PICTURE = PictureView("/demo/Trompo%20%28frente%29.webp", "Un trompo", 960, 960, "")
CARD = ProductCard(
    id="prod_1",
    handle="trompo",
    title="Trompo",
    subtitle="",
    brand="Rayuela",
    age_range="6-8",
    price=18_900,
    price_label="$ 18.900",
    compare_at_price=None,
    compare_at_label=None,
    percent_off=None,
    available=False,
    is_new=False,
    featured=False,
    variant_id="variant_1",
    picture=PICTURE,
    second_picture=None,
)
DETAIL = ProductDetail(
    card=CARD,
    description="Baila.",
    options=[],
    variants=[
        VariantView("variant_1", "Única", [], "TRO-1", 18_900, "$ 18.900", None, None, 0, available=False)
    ],
    pictures=[PICTURE],
    breadcrumb=[CategoryRef("juguetes", "Juguetes"), CategoryRef("tradicionales", "Tradicionales")],
    collection=None,
    facts=[],
    related=[],
)


@given(st.text())
def test_structured_data_is_safe_in_a_script_and_still_says_the_same(name: str) -> None:
    text = structured({"@type": "Product", "name": name})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"@context": "https://schema.org", "@type": "Product", "name": name}


@given(st.text())
def test_a_description_fits(text: str) -> None:
    short = shortened(text)
    assert len(short) <= DESCRIPTION_LENGTH
    assert short == " ".join(text.split()) or short.endswith("…")


def test_a_description_ends_between_words() -> None:
    assert shortened("Un trompo, una coca y un yoyo", 16) == "Un trompo, una…"


def test_addresses_are_told_in_full(shop: Shop) -> None:
    assert absolute("/product/trompo") == "http://localhost:3000/product/trompo"
    assert absolute("https://cdn.example/a.webp") == "https://cdn.example/a.webp"


def test_a_sold_out_product_is_offered_as_such(shop: Shop) -> None:
    data = product_data(DETAIL)
    assert data["image"] == ["http://localhost:3000/demo/Trompo%20%28frente%29.webp"]
    assert data["offers"] == {
        "@type": "Offer",
        "url": "http://localhost:3000/product/trompo",
        "priceCurrency": "COP",
        "price": 18_900,
        "availability": "https://schema.org/OutOfStock",
        "itemCondition": "https://schema.org/NewCondition",
    }


def test_each_variant_is_an_offer_with_an_address_of_its_own(shop: Shop) -> None:
    small = VariantView("v_1", "Chico", ["Chico"], "T-1", 15_000, "$ 15.000", None, None, 2, available=True)
    large = VariantView(
        "v_2", "Grande", ["Grande"], "T-2", 20_000, "$ 20.000", None, None, 0, available=False
    )
    size = OptionView("Talla", ["Chico", "Grande"])
    offers = product_data(replace(DETAIL, options=[size], variants=[small, large]))["offers"]
    assert {name: value for name, value in offers.items() if name != "offers"} == {
        "@type": "AggregateOffer",
        "url": "http://localhost:3000/product/trompo",
        "priceCurrency": "COP",
        "lowPrice": 15_000,
        "highPrice": 20_000,
        "offerCount": 2,
    }
    assert [(one["name"], one["sku"], one["price"], one["availability"]) for one in offers["offers"]] == [
        ("Chico", "T-1", 15_000, "https://schema.org/InStock"),
        ("Grande", "T-2", 20_000, "https://schema.org/OutOfStock"),
    ]
    assert offers["offers"][1]["url"] == "http://localhost:3000/product/trompo?variant=v_2"


def test_a_video_is_told_with_its_picture_and_its_day(shop: Shop) -> None:
    video = video_at("/pictures/0123456789abcdef/video-20261125.mp4")
    told = product_data(replace(DETAIL, video=video))["subjectOf"]
    assert told["contentUrl"] == absolute("/pictures/0123456789abcdef/video-20261125.mp4")
    assert told["thumbnailUrl"] == [absolute(PICTURE.url)]
    assert (told["@type"], told["name"], told["uploadDate"]) == ("VideoObject", "Trompo", "2026-11-25")
    assert "subjectOf" not in product_data(replace(DETAIL, video=video, pictures=[]))


def test_the_trail_starts_at_the_home_page_and_counts_from_one(shop: Shop) -> None:
    trail = [CategoryRef("madera", "Madera"), CategoryRef("trompos-y-más", "Trompos y más")]
    items = breadcrumb_data(trail)["itemListElement"]
    assert [(item["position"], item["name"], item["item"]) for item in items] == [
        (1, "Inicio", "http://localhost:3000/"),
        (2, "Madera", "http://localhost:3000/catalog?category=madera"),
        (3, "Trompos y más", "http://localhost:3000/catalog?category=trompos-y-m%C3%A1s"),
    ]


def test_the_store_names_its_search(shop: Shop) -> None:
    search = store_data(shop.settings)["@graph"][1]["potentialAction"]
    assert search["target"] == "http://localhost:3000/catalog?q={search_term_string}"

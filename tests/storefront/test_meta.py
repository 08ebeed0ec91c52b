"""Tests of document metadata: short descriptions, absolute URLs, and structured data that cannot end its script."""

import json
from dataclasses import replace

import pytest
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
from backend.content.areas import BrandBody
from backend.content.brand import resolve_brand
from backend.media.videos import parse_video_url
from storefront.meta import (
    MAX_DESCRIPTION_LENGTH,
    absolute_url,
    breadcrumb_data,
    product_data,
    shorten_text,
    store_data,
    to_json_ld,
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
def test_structured_data_is_safe_in_a_script_and_decodes_to_the_same_values(name: str) -> None:
    text = to_json_ld({"@type": "Product", "name": name})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"@context": "https://schema.org", "@type": "Product", "name": name}


@given(st.text())
def test_description_in_the_head_fits_the_maximum_length(text: str) -> None:
    short = shorten_text(text)
    assert len(short) <= MAX_DESCRIPTION_LENGTH
    assert short == " ".join(text.split()) or short.endswith("…")


def test_description_in_the_head_is_cut_between_words() -> None:
    assert shorten_text("Un trompo, una coca y un yoyo", 16) == "Un trompo, una…"


def test_absolute_url_adds_the_base_url(shop: Shop) -> None:
    assert absolute_url("/product/trompo") == "http://localhost:3000/product/trompo"
    assert absolute_url("https://cdn.example/a.webp") == "https://cdn.example/a.webp"


def test_sold_out_product_has_an_out_of_stock_offer(shop: Shop) -> None:
    data = product_data(DETAIL, {})
    assert data["image"] == ["http://localhost:3000/demo/Trompo%20%28frente%29.webp"]
    assert data["offers"] == {
        "@type": "Offer",
        "url": "http://localhost:3000/product/trompo",
        "priceCurrency": "COP",
        "price": 18_900,
        "availability": "https://schema.org/OutOfStock",
        "itemCondition": "https://schema.org/NewCondition",
        "shippingDetails": {
            "@type": "OfferShippingDetails",
            "shippingDestination": {"@type": "DefinedRegion", "addressCountry": "CO"},
        },
        "hasMerchantReturnPolicy": {
            "@type": "MerchantReturnPolicy",
            "applicableCountry": "CO",
            "returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow",
            "merchantReturnDays": 5,
            "returnMethod": "https://schema.org/ReturnByMail",
            "returnFees": "https://schema.org/ReturnFeesCustomerResponsibility",
            "refundType": "https://schema.org/FullRefund",
            "merchantReturnLink": "http://localhost:3000/legal/retracto",
        },
    }


@pytest.mark.parametrize(
    ("age_range", "ages"),
    [
        ("6-8", {"suggestedMinAge": 6, "suggestedMaxAge": 8}),
        ("12+", {"suggestedMinAge": 12}),
    ],
)
def test_audience_has_the_products_ages(shop: Shop, age_range: str, ages: dict[str, int]) -> None:
    data = product_data(replace(DETAIL, card=replace(CARD, age_range=age_range)), {})
    assert data["audience"] == {"@type": "PeopleAudience", **ages}


def test_product_without_ages_has_no_audience(shop: Shop) -> None:
    assert "audience" not in product_data(replace(DETAIL, card=replace(CARD, age_range="")), {})


def test_bar_code_of_the_only_variant_is_the_products(shop: Shop) -> None:
    assert product_data(DETAIL, {"variant_1": "7701234567897"})["gtin"] == "7701234567897"
    assert "gtin" not in product_data(DETAIL, {})


def test_names_in_structured_data_have_no_tags(shop: Shop) -> None:
    card = replace(CARD, title="Oso <b>Tomás</b> & Cía 🧸 <3", brand="A<br>B\x07")
    data = product_data(replace(DETAIL, card=card, description="<ul><li>Uno</li></ul>"), {})
    assert (data["name"], data["brand"]["name"]) == ("Oso Tomás & Cía 🧸 <3", "A B")
    assert data["description"] == "• Uno"


def test_each_variant_is_an_offer_with_its_own_url(shop: Shop) -> None:
    small = VariantView("v_1", "Chico", ["Chico"], "T-1", 15_000, "$ 15.000", None, None, 2, available=True)
    large = VariantView(
        "v_2", "Grande", ["Grande"], "T-2", 20_000, "$ 20.000", None, None, 0, available=False
    )
    size = OptionView("Talla", ["Chico", "Grande"])
    offers = product_data(replace(DETAIL, options=[size], variants=[small, large]), {"v_2": "7701234567897"})[
        "offers"
    ]
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
    assert [one.get("gtin") for one in offers["offers"]] == [None, "7701234567897"]
    assert all(one["hasMerchantReturnPolicy"]["merchantReturnDays"] == 5 for one in offers["offers"])


def test_structured_data_of_a_video_has_picture_and_upload_date(shop: Shop) -> None:
    video = parse_video_url("/pictures/0123456789abcdef/video-20261125.mp4")
    data = product_data(replace(DETAIL, video=video), {})["subjectOf"]
    assert data["contentUrl"] == absolute_url("/pictures/0123456789abcdef/video-20261125.mp4")
    assert data["thumbnailUrl"] == [absolute_url(PICTURE.url)]
    assert (data["@type"], data["name"], data["uploadDate"]) == ("VideoObject", "Trompo", "2026-11-25")
    assert "subjectOf" not in product_data(replace(DETAIL, video=video, pictures=[]), {})


def test_breadcrumb_data_start_at_the_home_page_and_count_from_one(shop: Shop) -> None:
    trail = [CategoryRef("madera", "Madera"), CategoryRef("trompos-y-más", "Trompos y más")]
    items = breadcrumb_data(trail)["itemListElement"]
    assert [(item["position"], item["name"], item["item"]) for item in items] == [
        (1, "Inicio", "http://localhost:3000/"),
        (2, "Madera", "http://localhost:3000/catalog?category=madera"),
        (3, "Trompos y más", "http://localhost:3000/catalog?category=trompos-y-m%C3%A1s"),
    ]


def test_store_data_contains_the_search_url(shop: Shop) -> None:
    brand = resolve_brand(BrandBody(), shop.settings)
    store, site = store_data(shop.settings, brand)["@graph"]
    assert (store["@type"], "logo" in store, "sameAs" in store) == ("ToyStore", False, False)
    search = site["potentialAction"]
    assert search["target"] == "http://localhost:3000/catalog?q={search_term_string}"


def test_store_data_of_another_shop_names_its_logo_and_profiles(shop: Shop) -> None:
    effective = shop.settings.model_copy(update={"store_name": "Macondo"})
    logo, profile = "/pictures/0123456789abcdef/marca-300x100.webp", "https://www.instagram.com/macondo"
    brand = resolve_brand(BrandBody(logo=logo, instagram=profile), effective)
    store = store_data(effective, brand)["@graph"][0]
    assert (store["@type"], store["logo"], store["sameAs"]) == (
        "Store",
        f"http://localhost:3000{logo}",
        [profile],
    )

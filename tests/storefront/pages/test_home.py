"""Tests of the home page's first picture."""

from dataclasses import replace

from backend.catalog.views import PictureView
from backend.content.areas import SECTION_NAMES, BrandBody, SectionKind
from backend.content.brand import resolve_brand
from backend.content.home import HomePage, SectionView, SlideView
from backend.core.config.settings import Settings
from storefront.documents.markup import with_first_picture
from storefront.meta import DocumentMeta
from storefront.pages.home import (
    SLIDE_SIZES,
    find_description,
    find_title,
    get_opening_picture,
    with_demo_title,
)

PICTURE = PictureView(
    url="/pictures/0a/a.webp", alt="", width=960, height=720, srcset="/pictures/0a/a.webp 960w"
)
OWN = SlideView("own-0", "", "Navidad", "", "", "/catalog", "", None, None, PICTURE)
BARE = HomePage([OWN], is_bare=True, new_or_featured=[], on_sale=[], categories=[], ages=[], sections=[])


def test_picture_of_the_first_slide_is_preloaded(settings: Settings) -> None:
    demo = resolve_brand(BrandBody(), settings)
    other = resolve_brand(BrandBody(), settings.model_copy(update={"store_name": "Macondo"}))
    assert get_opening_picture(BARE, other) is None
    for home, tag in (
        (BARE, 'href="/brand/hero.svg" fetchpriority'),  # the fallback slide is before the office's slides
        (
            replace(BARE, is_bare=False),
            f'imagesrcset="{PICTURE.srcset}" imagesizes="{SLIDE_SIZES}" fetchpriority',
        ),
        (replace(BARE, is_bare=False, slides=[replace(OWN, picture=None), OWN]), None),
    ):
        meta = DocumentMeta("", first_picture=get_opening_picture(home, demo))
        html = with_first_picture('<head><link rel="icon"/></head>', meta)
        assert html.count('rel="preload"') == (tag is not None)
        assert tag is None or tag in html


def test_demo_replaces_only_the_default_title_of_the_departments_section() -> None:
    category, own = SECTION_NAMES[SectionKind.DEPARTMENTS], "Por géneros"
    titles = [
        with_demo_title(SectionView(SectionKind.DEPARTMENTS, "departments", title)).title
        for title in (category, own)
    ]
    assert titles == ["¿A qué jugamos hoy?", own]


def test_home_page_has_the_owners_title_and_description_or_general_ones(settings: Settings) -> None:
    other = settings.model_copy(update={"store_name": "Macondo"})
    plain = resolve_brand(BrandBody(), other)
    assert (find_title(plain), find_description(plain, "", takes_pse=True)) == (
        "",
        "Macondo: compra en línea, con envío a toda Colombia y pago por PSE.",
    )
    assert (
        find_description(plain, "", takes_pse=False) == "Macondo: compra en línea, con envío a toda Colombia."
    )
    assert find_description(plain, "Libros", takes_pse=True) == "Libros"
    own = resolve_brand(BrandBody(headline="Libros", headline_text="De todo"), other)
    assert (find_title(own), find_description(own, "Otra cosa", takes_pse=True)) == ("Libros", "De todo")
    assert find_title(resolve_brand(BrandBody(), settings)) == "Juguetes hechos con cuidado"

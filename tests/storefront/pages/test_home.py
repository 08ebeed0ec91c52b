"""Tests of the home page's first picture."""

from dataclasses import replace

from backend.catalog.views import PictureView
from backend.content.home import HomePage, SlideView
from storefront.documents.markup import with_first_picture
from storefront.meta import DocumentMeta
from storefront.pages.home import SLIDE_SIZES, get_opening_picture

PICTURE = PictureView(
    url="/pictures/0a/a.webp", alt="", width=960, height=720, srcset="/pictures/0a/a.webp 960w"
)
OWN = SlideView("own-0", "", "Navidad", "", "", "/catalog", "", None, None, PICTURE)
BARE = HomePage([OWN], is_bare=True, new_or_featured=[], on_sale=[], categories=[], ages=[], sections=[])


def test_picture_of_the_first_slide_is_preloaded() -> None:
    for home, tag in (
        (BARE, 'href="/brand/hero.svg" fetchpriority'),  # the fallback slide is before the office's slides
        (
            replace(BARE, is_bare=False),
            f'imagesrcset="{PICTURE.srcset}" imagesizes="{SLIDE_SIZES}" fetchpriority',
        ),
        (replace(BARE, is_bare=False, slides=[replace(OWN, picture=None), OWN]), None),
    ):
        meta = DocumentMeta("", first_picture=get_opening_picture(home))
        html = with_first_picture('<head><link rel="icon"/></head>', meta)
        assert html.count('rel="preload"') == (tag is not None)
        assert tag is None or tag in html

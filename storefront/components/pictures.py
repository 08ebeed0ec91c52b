"""Pictures of products, which reserve their space while they load, and the shop's own drawings."""

from typing import Any
from urllib.parse import quote

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import PictureView
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.frame import FrameState

URL_CHARACTERS = "/:?#[]@!$&*+,;=%-._~"
"""Characters of a URL that need no encoding.

Quotes, parentheses, backslashes and spaces are encoded, as they have a meaning in CSS.
"""


def css_url(url: str) -> str:
    """Return the URL as a quoted CSS `url("…")`, safe for all characters (spec: Storefront view rules 4)."""
    return f'url("{quote(url, safe=URL_CHARACTERS)}")'


def picture(
    shown: rx.Var[PictureView],
    sizes: str | rx.Var[str],
    *,
    is_first: bool | rx.Var[bool] = False,
    class_name: str = "",
    alt: str | rx.Var[str] | None = None,
    **more: Any,
) -> rx.Component:
    """Build a responsive `<img>` with a file for each width.

    A picture that is far from square has `data-whole`: square frames show it whole instead of cropping it. A picture
    that is nearly square fills them.

    Args:
        shown: the picture.
        sizes: its displayed width, as `<img sizes>`.
        is_first: True if it is the first large picture of the page, which is downloaded immediately and before
            others, and displayed together with the text around it.
        class_name: its class.
        alt: replaces the picture's own alternative text; empty if text next to the picture says the same.
        more: more props of the element.
    """
    view = shown.to(ObjectVar, PictureView)
    is_whole = (view.width * 10 < view.height * 9) | (view.height * 10 < view.width * 9)
    return rx.el.img(
        src=view.url,
        src_set=view.srcset,
        sizes=sizes,
        alt=view.alt if alt is None else alt,
        loading=rx.cond(is_first, "eager", "lazy"),
        decoding=rx.cond(is_first, "sync", "async"),
        class_name=class_name,
        custom_attrs={
            "width": view.width,
            "height": view.height,
            "fetchPriority": rx.cond(is_first, "high", "auto"),
            "data-whole": rx.cond(is_whole, "", ABSENT),
        },
        **more,
    )


NO_PICTURE = "/brand/no-picture.svg"
STAND_IN_SCRIPT = f"""
addEventListener("error", ({{ target }}) => {{
  if (!(target instanceof HTMLImageElement) || target.src.endsWith("{NO_PICTURE}")) return;
  if (target.classList.contains("card__image--second")) target.hidden = true;
  target.removeAttribute("srcset");
  target.src = "{NO_PICTURE}";
}}, true);
"""
"""Script for the head of every page. It replaces a picture that cannot be loaded, even before the page is hydrated."""


def product_picture(
    shown: rx.Var[PictureView | None], sizes: str, *, class_name: str = "", **more: Any
) -> rx.Component:
    """Build a product's picture, or a placeholder if it has none. The arguments are those of `picture`."""
    return rx.cond(
        shown,
        picture(shown.to(ObjectVar, PictureView), sizes, class_name=class_name, **more),
        drawing(NO_PICTURE, 240, class_name=class_name),
    )


MARK = "/brand/mark.svg"
"""The demo shop's mark."""
SHOP_ICON = "/apple-touch-icon.png"
"""The shop's icon, whatever its brand."""

GOOGLE = "/brand/google.svg"
"""Google's mark for the sign-in button."""

AGE_DRAWINGS = {"0-2": "age-0-2", "3-5": "age-3-5", "6-8": "age-6-8", "9-12": "age-9-12", "12+": "age-12%2B"}


def drawing(
    source: str | rx.Var[str],
    width: int,
    height: int | None = None,
    class_name: str = "",
    *,
    is_first: bool = False,
) -> rx.Component:
    """Build a decorative drawing. It loads lazily unless `is_first`, because an SVG file is slow to parse."""
    return rx.el.img(
        src=source,
        alt="",
        decoding="async",
        loading="eager" if is_first else "lazy",
        class_name=class_name,
        custom_attrs={"width": width, "height": height or width},
    )


def age_drawing(age: rx.Var[str], size: int, class_name: str = "") -> rx.Component:
    """Build the demo shop's drawing of an age range; nothing in any other shop."""
    sources = [(value, f"/brand/{name}.svg") for value, name in AGE_DRAWINGS.items()]
    drawn = drawing(rx.match(age, *sources, MARK), size, class_name=class_name)
    return rx.cond(FrameState.brand.is_demo, drawn)


def illustration(
    source: str | rx.Var[str], icon_name: str | rx.Var[str], class_name: str = ""
) -> rx.Component:
    """Build the demo shop's drawing above a message. Other shops have an icon in their own colours."""
    return rx.cond(
        FrameState.brand.is_demo,
        drawing(source, 240, 180, class_name=class_name),
        rx.el.span(icon(icon_name, size=56), class_name="illustration"),
    )


def logo_content(brand: Any, name: rx.Var[str], name_class: Any) -> rx.Component:
    """Build the shop's logo, or its name if there is no logo, as the content of a link that has its own label.

    In the demo shop, a drawn mark precedes the name.

    `brand` is a variable with the fields `is_demo`, `logo`, `width` and `height`, such as `BrandInfo`.
    """
    return rx.cond(
        brand.logo != "",
        rx.el.img(
            src=brand.logo,
            alt="",
            decoding="async",
            class_name="logo__picture",
            custom_attrs={"width": brand.width, "height": brand.height},
        ),
        rx.fragment(
            rx.cond(brand.is_demo, drawing(MARK, 38, class_name="logo__mark")),
            rx.el.span(name, class_name=name_class),
        ),
    )


def demo_mark(size: int) -> rx.Component:
    """Build the demo shop's mark; nothing in any other shop."""
    return rx.cond(FrameState.brand.is_demo, drawing(MARK, size))

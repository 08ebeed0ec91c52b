"""Pictures that keep their place while they load, and the one place where a url goes into CSS."""

from urllib.parse import quote

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import PictureView

URL_CHARACTERS = "/:?#[]@!$&*+,;=%-._~"
"""What a url may hold as it is. Quotes, parentheses, backslashes and spaces are encoded: CSS gives them a meaning."""


def css_url(url: str) -> str:
    """The url as a quoted CSS `url("…")`, whatever characters it holds (spec: Storefront view rules 4)."""
    return f'url("{quote(url, safe=URL_CHARACTERS)}")'


def picture(
    shown: rx.Var[PictureView],
    sizes: str,
    *,
    is_first: bool | rx.Var[bool] = False,
    class_name: str = "",
    alt: str | rx.Var[str] | None = None,
) -> rx.Component:
    """A picture with its files by width.

    Args:
        shown: what to show.
        sizes: how wide it is drawn, as `<img sizes>`.
        is_first: whether the page opens with it: then it is fetched at once and before others.
        class_name: its class.
        alt: what it shows, when not what the picture itself says; empty where words beside it say the same.
    """
    view = shown.to(ObjectVar, PictureView)
    return rx.el.img(
        src=view.url,
        src_set=view.srcset,
        sizes=sizes,
        alt=view.alt if alt is None else alt,
        loading=rx.cond(is_first, "eager", "lazy"),
        decoding="async",
        class_name=class_name,
        custom_attrs={
            "width": view.width,
            "height": view.height,
            "fetchPriority": rx.cond(is_first, "high", "auto"),
        },
    )

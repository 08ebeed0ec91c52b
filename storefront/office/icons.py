"""The office's icons. They use the same grid as the shop's icons and include them."""

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components import icons as shop
from storefront.components.icons import line_icon

SHAPES = {
    "sun": (
        "M7.8 12a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0 -8.4 0ZM12 2.8v2.4M12 18.8v2.4M2.8 12h2.4M18.8 12"
        "h2.4M5.5 5.5l1.7 1.7M16.8 16.8l1.7 1.7M18.5 5.5l-1.7 1.7M7.2 16.8l-1.7 1.7"
    ),
    "bell": "M5 17.5c1.3-1.4 1.7-3 1.7-6a5.3 5.3 0 0 1 10.6 0c0 3 .4 4.6 1.7 6ZM10 20.2c.9.9 3.1.9 4 0",
    "receipt": "M5.5 3.5h13v17l-2.2-1.5-2.1 1.5-2.2-1.5-2.2 1.5-2.1-1.5-2.2 1.5ZM9 8.5h6M9 12.5h6",
    "invoice": "M6 3.5h8l4.5 4.5v12.5H6ZM14 3.5V8h4.5M9 12h6.5M9 15h6.5M9 18h4",
    "box": "M3.5 8 12 3.8 20.5 8v8.5L12 20.5l-8.5-4ZM3.5 8l8.5 4 8.5-4M12 12v8.5M7.7 5.9l8.5 4.2",
    "tag": (
        "M3.5 12.2V4.5a1 1 0 0 1 1-1h7.7l8.3 8.3a1.5 1.5 0 0 1 0 2.1l-6.6 6.6a1.5 1.5 0 0 1-2.1 0ZM8 8v.1"
    ),
    "till": "M4 12.5h16v8H4ZM6.5 12.5 8 6.5h8l1.5 6M10 3.5h4v3h-4ZM8.5 9.5h7M10 16.5h4",
    "shelves": "M4 3.5v17M20 3.5v17M4 9.5h16M4 16.5h16M7 9.5V5.5h4v4M13.5 16.5v-4H18v4",
    "people": (
        "M5.8 8.5a3.2 3.2 0 1 0 6.4 0 3.2 3.2 0 1 0 -6.4 0ZM3 19.5c.5-3.5 3-5.2 6-5.2s5.5 1.7 6 5.2"
        "M15.5 5.6a3.2 3.2 0 0 1 0 5.8M17.5 14.7c2 .7 3.2 2.3 3.5 4.8"
    ),
    "customers": (
        "M8.6 7.8a3.4 3.4 0 1 0 6.8 0 3.4 3.4 0 1 0 -6.8 0ZM4.5 20c.7-4.3 3.8-6.2 7.5-6.2s6.8 1.9 7.5 6.2"
        "M9.5 17.2l1.9 1.8 3.3-3.4"
    ),
    "chart": "M4 20.5V3.5M4 20.5h16.5M8 17v-5M12 17V7M16 17v-8",
    "gear": (
        "M9 12a3 3 0 1 0 6 0 3 3 0 1 0 -6 0ZM12 3.5v2.2M12 18.3v2.2M3.5 12h2.2M18.3 12h2.2M6 6"
        "l1.6 1.6M16.4 16.4 18 18M18 6l-1.6 1.6M7.6 16.4 6 18"
    ),
    "book": (
        "M5 4.5h6.5c.3 0 .5.2.5.5v15c-1-1-2-1.5-3.5-1.5H5ZM19 4.5h-6.5c-.3 0-.5.2-.5.5v15"
        "c1-1 2-1.5 3.5-1.5H19Z"
    ),
    "history": "M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4v4.5h4.5M12 8v4.3l3 1.7",
    "tree": "M4 5h7M8 5v14M8 12h5M8 19h5M15.5 10.5h5v3h-5ZM15.5 17.5h5v3h-5Z",
    "layers": "M12 4 20.5 8.5 12 13 3.5 8.5ZM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5",
    "grip": "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
    "more": (
        "M5 12h.01M12 12h.01M18.5 12h.01M4.4 12a1.1 1.1 0 1 0 2.2 0 1.1 1.1 0 1 0 -2.2 0ZM10.9 12"
        "a1.1 1.1 0 1 0 2.2 0 1.1 1.1 0 1 0 -2.2 0ZM17.4 12a1.1 1.1 0 1 0 2.2 0 1.1 1.1 0 1 0 -2.2 0Z"
    ),
    "leave": "M13.5 4.5h-8v15h8M10 12h10.5M17 8.5l3.5 3.5-3.5 3.5",
    "camera": "M4 7.5h3.5l1.5-2.5h6l1.5 2.5H20v11.5H4ZM8.6 13a3.4 3.4 0 1 0 6.8 0 3.4 3.4 0 1 0 -6.8 0Z",
    "undo": "M4 9.5h10a5 5 0 0 1 0 10H9M8.5 5 4 9.5 8.5 14",
    "upload": "M12 15.5V4.5M7.5 9 12 4.5 16.5 9M4.5 19.5h15",
    "signpost": "M12 3v18M9 21h6M5 5h12.5l2.5 2.5-2.5 2.5H5ZM19 12H7.5L5 14.2l2.5 2.3H19Z",
    "download": "M12 4.5v11M7.5 11l4.5 4.5 4.5-4.5M4.5 19.5h15",
    "edit": "M4.5 19.5l.8-4L16 4.8a1.5 1.5 0 0 1 2.1 0l1.1 1.1a1.5 1.5 0 0 1 0 2.1L8.5 18.7Z",
    "star": "M12 3.8l2.5 5.3 5.7.8-4.1 4.1 1 5.8-5.1-2.8-5.1 2.8 1-5.8-4.1-4.1 5.7-.8Z",
    "brush": "M14 4.5l5.5 5.5-7 7-5.5-5.5ZM7 11.5c-2 .5-3 2-3 4.5 0 1.500-.8 2.500-1.500 3 4 1 8.500.5 9.500-2.500",
    "chat": "M4 5.5h16v11H11l-4 3.5v-3.5H4ZM8 9.5h8M8 12.7h5",
}


def icon(name: str | rx.Var[str], size: int = 22) -> rx.Component:
    """Render an icon of the office or of the shop. It is decorative: the control around it needs a label.

    Args:
        name: a key of `SHAPES` in this file or in `storefront/components/icons.py`.
        size: its width and height, in CSS pixels.

    Raises:
        KeyError: there is no icon with that name.
    """
    if isinstance(name, str) and name not in SHAPES:
        return shop.icon(name, size)
    return office_icon(name=name, size=size)


@rx.memo
def office_icon(name: rx.Var[str], size: rx.Var[int]) -> rx.Component:
    """Render the icon with this name: the office's, or the shop's if the office has none."""
    shapes = rx.Var.create(SHAPES).to(ObjectVar, dict[str, str])
    return rx.cond(
        shapes.contains(name), line_icon(shapes[name], size), shop.icon_drawing(name=name, size=size)
    )

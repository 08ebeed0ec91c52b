"""Line icons, drawn for this shop. They are decorative: the control around an icon has the accessible name."""

import reflex as rx
from reflex.vars import ObjectVar

SHAPES = {
    "menu": "M4 7h16M4 12h16M4 17h10",
    "search": "M4.5 11a6.5 6.5 0 1 0 13 0 6.5 6.5 0 1 0 -13 0ZM16 16l4.5 4.5",
    "heart": (
        "M12 20.2C5 15.6 3.2 12.2 3.2 9.1a4.6 4.6 0 0 1 8.8-1.9 4.6 4.6 0 0 1 8.8 1.9c0 3.1-1.8 6.5-8.8 11.1Z"
    ),
    "cart": (
        "M2.5 4h2.2l2.5 11h10.6l2.5-8H5.6M7.6 19.2a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0 -2.8 0Z"
        "M15.1 19.2a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0 -2.8 0Z"
    ),
    "person": "M8.2 8a3.8 3.8 0 1 0 7.6 0 3.8 3.8 0 1 0 -7.6 0ZM4.5 20.5c.7-4 3.7-6 7.5-6s6.8 2 7.5 6",
    "close": "M6 6l12 12M18 6 6 18",
    "left": "M14.5 5.5l-6.5 6.5 6.5 6.5",
    "right": "M9.5 5.5l6.5 6.5-6.5 6.5",
    "down": "M5.5 9l6.5 6.5 6.5-6.5",
    "plus": "M12 5.5v13M5.5 12h13",
    "minus": "M5.5 12h13",
    "trash": "M4.5 7h15M9.5 7V4.5h5V7m-8 0 .8 12.5h9.4L17.5 7M10.3 11v5M13.7 11v5",
    "check": "M5 12.5l4.7 4.7L19.3 7.3",
    "pause": "M9 6v12M15 6v12",
    "play": "M8.5 5.8v12.4L18.5 12Z",
    "sliders": (
        "M4 8h9M19 8h1M4 16h2M12 16h8M13.6 8a2.4 2.4 0 1 0 4.8 0 2.4 2.4 0 1 0 -4.8 0ZM6.6 16"
        "a2.4 2.4 0 1 0 4.8 0 2.4 2.4 0 1 0 -4.8 0Z"
    ),
    "gift": (
        "M4.5 8.5h15v4h-15ZM5.8 12.5v8h12.4v-8M12 8.5v12M12 8.5C8 8.5 6.8 7 7.4 5.3 8.3 3 11.3 4.6 12 8.5"
        "c.7-3.9 3.7-5.5 4.6-3.2C17.2 7 16 8.5 12 8.5Z"
    ),
    "zoom": "M4.5 11a6.5 6.5 0 1 0 13 0 6.5 6.5 0 1 0 -13 0ZM16 16l4.5 4.5M11 8.3v5.4M8.3 11h5.4",
    "truck": (
        "M2.8 6.5h11v10H6.8M2.8 6.5v10h.9M13.8 10h4l3.4 3.4v3.1h-1.4M13.8 16.5h2.6M3.7 17"
        "a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0 -3.2 0ZM16.4 17a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0 -3.2 0Z"
    ),
    "bank": "M3.5 9.5 12 4.5l8.5 5v1h-17ZM5.8 13v4.5M10 13v4.5M14 13v4.5M18.2 13v4.5M3.5 20h17",
    "back": "M4 9.5h11a4.8 4.8 0 0 1 0 9.6H8.5M8.5 5 4 9.5 8.5 14",
    "hands": (
        "M12 11.5c-2.5-1.7-3.6-3-3.6-4.3A2 2 0 0 1 12 6a2 2 0 0 1 3.6 1.2c0 1.3-1.1 2.6-3.6 4.3Z"
        "M3 13.5h3l3.5 1.2h3c1.6 0 1.6 2.3 0 2.3H9.8M13.5 16.5l4.7-2.3c1.7-.8 2.8 1.3 1.3 2.3"
        "l-5.7 3.7c-.5.3-1 .4-1.6.3L3 19"
    ),
    "mail": (
        "M6 5.5h12a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1 -2.5 2.5h-12a2.5 2.5 0 0 1 -2.5 -2.5v-8"
        "a2.5 2.5 0 0 1 2.5 -2.5ZM4.5 7.5l7.5 6 7.5-6"
    ),
    "phone": (
        "M5 4.5h3.2l1.5 4-2 1.5a11 11 0 0 0 5.3 5.8l1.9-2 4.1 1.6v2.9c0 .9-.8 1.6-1.7 1.5"
        "C10.5 19.2 4.5 13 3.5 6.2 3.4 5.3 4.1 4.5 5 4.5Z"
    ),
    "chat": (
        "M12 4.5a8 7.5 0 1 1-3.6 14.2L4 19.8l1.2-3.6A8 7.5 0 0 1 12 4.5ZM8.6 10.2v.1M12 10.2v.1M15.4 10.2v.1"
        "M8.8 13.4c1.8 1.7 4.6 1.7 6.4 0"
    ),
    "share": "M12 14.5V3.8M8 7.5l4-4 4 4M6.5 11H5v9h14v-9h-1.5",
    "offline": (
        "M3 9.5a13 13 0 0 1 4.5-2.7M21 9.5a13 13 0 0 0-9.3-3.7M6.2 13a9 9 0 0 1 3.3-2M17.8 13"
        "a9 9 0 0 0-2-1.5M9.5 16.3a4 4 0 0 1 5 0M12 19.5v.1M4 4l16 16"
    ),
    "warning": "M12 3.8 21.2 19.8H2.8ZM12 10v4.6M12 17.3v.1",
    "lock": (
        "M7.5 10.5h9a2.5 2.5 0 0 1 2.5 2.5v4.5a2.5 2.5 0 0 1 -2.5 2.5h-9a2.5 2.5 0 0 1 -2.5 -2.5v-4.5"
        "a2.5 2.5 0 0 1 2.5 -2.5ZM8 10.5V8a4 4 0 0 1 8 0v2.5M12 14.3v2"
    ),
    "print": (
        "M7 8.5v-5h10v5M7 16.5H4.8c-.7 0-1.3-.6-1.3-1.3v-5.4c0-.7.6-1.3 1.3-1.3h14.4"
        "c.7 0 1.3.6 1.3 1.3v5.4c0 .7-.6 1.3-1.3 1.3H17M7 13.5h10v7H7Z"
    ),
    "store": (
        "M4.5 10.5v9.7h15v-9.7M3.5 8.5l1.7-4.7h13.6l1.7 4.7c0 1.5-1.2 2.5-2.8 2.5s-2.9-1-2.9-2.5"
        "c0 1.5-1.2 2.5-2.8 2.5s-2.8-1-2.8-2.5c0 1.5-1.3 2.5-2.9 2.5s-2.8-1-2.8-2.5ZM9.5 20.2v-5.5h5"
        "v5.5"
    ),
    "building": (
        "M5.5 20.5v-16h8.5v16M14 9.5h4.5v11M3.5 20.5h17M8.3 8v.1M11.2 8v.1M8.3 11.7v.1M11.2 11.7v.1"
        "M8.3 15.4v.1M11.2 15.4v.1"
    ),
    "pin": (
        "M12 21c4.7-4.6 7-8.2 7-11.2A7 7 0 0 0 5 9.8c0 3 2.3 6.6 7 11.2ZM9.5 9.8"
        "a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0 -5 0Z"
    ),
    "clock": "M3.5 12a8.5 8.5 0 1 0 17 0 8.5 8.5 0 1 0 -17 0ZM12 7.5V12l3 2.3",
    # the departments
    "top": (
        "M12 2.8v3M7.5 5.8h9M4.5 9.2h15c0 4.6-4.2 7-6.5 9.8L12 21.2 11 19c-2.3-2.8-6.5-5.2-6.5-9.8Z"
        "M5.3 12.5h13.4"
    ),
    "blocks": "M4 13.5h7.5V21H4ZM12.5 13.5H20V21h-7.5ZM8.2 3.5h7.6v8.5H8.2ZM6.5 17.2h2.5M15 17.2h2.5",
    "bear": (
        "M5.3 9.8A2.9 2.9 0 1 1 8.8 5.6a7.8 7.8 0 0 1 6.4 0 2.9 2.9 0 1 1 3.5 4.2"
        "A7.3 7.3 0 1 1 5.3 9.8ZM9.3 11.5v.1M14.7 11.5v.1M10.5 15.3c1 .9 2 .9 3 0"
    ),
    "car": (
        "M3 16.5v-4l2.5-.8L8 7.5h7l3 4 3 1v4h-1.5M9.5 16.5h5M3 16.5h1.5M5.5 11.7h12M5 17"
        "a2 2 0 1 0 4 0 2 2 0 1 0 -4 0ZM15 17a2 2 0 1 0 4 0 2 2 0 1 0 -4 0Z"
    ),
    "puzzle": "M4 9h4.6a2.4 2.4 0 1 1 4.8 0H18v4.3a2.4 2.4 0 1 1 0 4.7V20.5H4v-4.3a2.3 2.3 0 1 0 0-4Z",
    "drum": (
        "M4 10a8 3 0 1 0 16 0 8 3 0 1 0 -16 0ZM4 10v6.5c0 1.8 3.6 3.2 8 3.2s8-1.4 8-3.2V10M7 12.5"
        "l3.3 7M17 12.5l-3.3 7M12 13v6.6M9.5 8 4.5 3.5M14.5 8l5-4.5"
    ),
    "palette": (
        "M12 3.5c-5 0-8.8 3.7-8.8 8.4S7 20.5 11 20.5c1.5 0 2-1 1.6-2.2-.6-1.7.3-3 2-3h2.6"
        "c2 0 3.6-1.6 3.6-4 0-4.5-3.8-7.8-8.8-7.8ZM7.5 12.5v.1M9.3 8.3v.1M13.8 7.3v.1M17 10.3v.1"
    ),
    "pot": (
        "M4.5 10.5h15l-1 8a2 2 0 0 1-2 1.8h-9a2 2 0 0 1-2-1.8ZM2.5 10.5h19M8.5 7.5c-1-1.3 1-2 0-3.5"
        "M12 7.5c-1-1.3 1-2 0-3.5M15.5 7.5c-1-1.3 1-2 0-3.5"
    ),
    "kite": "M13.5 3 20 9.5 10.5 15 7 5.5ZM13.5 3l-3 12M7 5.5l13 4M10.5 15c-1 2-3 .8-4 2.3s-.5 2.5-2.5 3.2",
}
"""Paths of the icons by name. Each is a value of `<path d>` on a grid of 24 units."""


def icon(name: str | rx.Var[str], size: int = 24) -> rx.Component:
    """Build an icon.

    Args:
        name: a key of `SHAPES`.
        size: width and height in CSS pixels.

    Raises:
        KeyError: there is no icon with that name.
    """
    if isinstance(name, str) and name not in SHAPES:
        raise KeyError(name)
    return icon_drawing(name=name, size=size)


@rx.memo
def icon_drawing(name: rx.Var[str], size: rx.Var[int]) -> rx.Component:
    """Build an icon by its name.

    All icons share this component, so that the script of a page contains each SVG path only once.
    """
    shapes = rx.Var.create(SHAPES).to(ObjectVar, dict[str, str])
    return line_icon(shapes[name], size)


def line_icon(path: rx.Var[str], size: rx.Var[int]) -> rx.Component:
    """Build an SVG icon from a path on a grid of 24 units. Its lines have the colour of the text."""
    return rx.el.svg(
        rx.el.path(d=path),
        width=size,
        height=size,
        view_box="0 0 24 24",
        class_name="icon",
        custom_attrs={
            "fill": "none",
            "stroke": "currentColor",
            "strokeWidth": "1.8",
            "strokeLinecap": "round",
            "strokeLinejoin": "round",
            "aria-hidden": "true",
            "focusable": "false",
        },
    )

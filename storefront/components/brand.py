"""The shop's own drawings: its mark, its departments, and what stands where there is nothing else to see."""

import reflex as rx

MARK = "/brand/mark.svg"
OG_IMAGE = "/brand/og.png"

GOOGLE = "/brand/google.svg"
"""The mark by which Google's button is known."""

DEPARTMENTS = (
    "aire-libre",
    "ciencia-y-arte",
    "construccion",
    "juego-de-roles",
    "juegos-tradicionales",
    "juegos-y-rompecabezas",
    "munecas-y-peluches",
    "musica",
    "vehiculos",
)
"""The departments that have a drawing; any other gets the shop's mark."""

AGES = {"0-2": "age-0-2", "3-5": "age-3-5", "6-8": "age-6-8", "9-12": "age-9-12", "12+": "age-12%2B"}


def drawing(
    source: str | rx.Var[str], width: int, height: int | None = None, class_name: str = ""
) -> rx.Component:
    """A drawing beside words that say the same, which come first: it is a document of its own to a browser."""
    return rx.el.img(
        src=source,
        alt="",
        decoding="async",
        loading="lazy",
        class_name=class_name,
        custom_attrs={"width": width, "height": height or width},
    )


def department_drawing(handle: rx.Var[str], size: int, class_name: str = "") -> rx.Component:
    """The drawing of a department."""
    sources = [(name, f"/brand/category-{name}.svg") for name in DEPARTMENTS]
    return drawing(rx.match(handle, *sources, MARK), size, class_name=class_name)


def age_drawing(age: rx.Var[str], size: int, class_name: str = "") -> rx.Component:
    """The drawing of an age."""
    sources = [(value, f"/brand/{name}.svg") for value, name in AGES.items()]
    return drawing(rx.match(age, *sources, MARK), size, class_name=class_name)

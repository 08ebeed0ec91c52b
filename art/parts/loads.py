"""What travels on roofs and in wagons: sacks, plantains, crates, hens, suitcases."""

from art.colour import CREAM, INK, OAK, PINE, SUN, TOMATO, WHITE, darker, lighter
from art.materials import wooden
from art.paint import fill, line, solid
from art.shapes import arc, blob, box, circle, curve, ellipse, leaf, poly


def sack(x: float, y: float, s: float, colour: str = "#D9B98A", mark: bool = True) -> str:
    """A tied coffee sack standing on (x, y)."""
    shape = blob(
        (x - s * 0.42, y),
        (x - s * 0.5, y - s * 0.5),
        (x - s * 0.26, y - s * 0.86),
        (x + s * 0.26, y - s * 0.86),
        (x + s * 0.5, y - s * 0.5),
        (x + s * 0.42, y),
    )
    ears = poly(
        (x - s * 0.2, y - s * 0.84),
        (x - s * 0.3, y - s * 1.06),
        (x, y - s * 0.96),
        (x + s * 0.3, y - s * 1.06),
        (x + s * 0.2, y - s * 0.84),
        r=s * 0.04,
    )
    bean = (
        fill(ellipse(x, y - s * 0.42, s * 0.17, s * 0.22), "#7A4A2A")
        + line(
            curve((x - s * 0.03, y - s * 0.6), (x + s * 0.05, y - s * 0.42), (x - s * 0.03, y - s * 0.24)),
            colour,
            s * 0.05,
        )
        if mark
        else ""
    )
    return (
        solid(ears, colour, shade=(-3, -3), rim=0)
        + solid(shape, colour, bean, shade=(-s * 0.1, -s * 0.09), rim=3)
        + line(
            poly((x - s * 0.22, y - s * 0.84), (x + s * 0.22, y - s * 0.84), closed=False), TOMATO, s * 0.07
        )
    )


def bananas(x: float, y: float, s: float, colour: str = "#8DB048") -> str:
    """A hand of green plantains; (x, y) is its lower middle."""
    parts = line(
        curve((x, y - s * 0.8), (x + s * 0.02, y - s * 1.0), (x + s * 0.14, y - s * 1.14)),
        "#6B7F38",
        s * 0.16,
    )
    for d, drop_ in ((-1, 0.16), (1, 0.16), (-0.55, 0.04), (0.55, 0.04), (0, 0)):
        top, mid, tip = (
            (x + d * s * 0.1, y - s * 0.84),
            (x + d * s * 0.56, y - s * 0.56),
            (x + d * s * 0.5, y - s * (0.06 + drop_)),
        )
        fruit = curve(top, mid, tip)
        parts += (
            line(fruit, darker(colour, 0.3), s * 0.25)
            + line(fruit, colour, s * 0.21)
            + line(fruit.move(-s * 0.04, -s * 0.01), lighter(colour, 0.35), s * 0.04)
        )
        parts += fill(circle(*tip, s * 0.06), "#4F5A2A")
    return parts + solid(ellipse(x, y - s * 0.84, s * 0.17, s * 0.12), "#6B7F38", shade=(-3, -3), rim=0)


def guacal(x: float, y: float, w: float, h: float, *inside: str) -> str:
    """A crate of slats with something in it; (x, y) is its lower left."""
    slats = "".join(
        wooden(box(x, y - h + n * h / 3 + 3, w, h / 3 - 7, r=4), PINE, n + 3, lines=2, shade=(-3, -4), rim=2)
        for n in range(3)
    )
    posts = "".join(
        solid(box(x + u * w - 7, y - h - 2, 14, h + 2, r=4), OAK, shade=(-3, 0), rim=2)
        for u in (0.05, 0.5, 0.95)
    )
    return "".join(inside) + fill(box(x, y - h, w, h, r=4), darker(PINE, 0.4)) + slats + posts


def hen(x: float, y: float, s: float, colour: str = WHITE) -> str:
    """A hen looking right; (x, y) is under it."""
    body = blob(
        (x - s * 0.5, y - s * 0.62),
        (x - s * 0.2, y - s * 0.4),
        (x + s * 0.1, y - s * 0.5),
        (x + s * 0.2, y - s * 0.86),
        (x + s * 0.44, y - s * 0.8),
        (x + s * 0.5, y - s * 0.3),
        (x + s * 0.2, y),
        (x - s * 0.3, y - s * 0.06),
    )
    comb = circle(x + s * 0.22, y - s * 0.9, s * 0.09) + circle(x + s * 0.34, y - s * 0.94, s * 0.09)
    return (
        fill(comb, TOMATO)
        + solid(
            body,
            colour,
            fill(
                leaf((x - s * 0.2, y - s * 0.36), (x + s * 0.2, y - s * 0.1), s * 0.24), darker(colour, 0.14)
            ),
            shade=(-4, -4),
            rim=2,
        )
        + fill(
            poly(
                (x + s * 0.46, y - s * 0.74), (x + s * 0.64, y - s * 0.66), (x + s * 0.46, y - s * 0.6), r=2
            ),
            SUN,
        )
        + fill(circle(x + s * 0.37, y - s * 0.72, s * 0.05), INK)
    )


def suitcase(x: float, y: float, w: float, h: float, colour: str) -> str:
    """A strapped suitcase; (x, y) is its lower left."""
    return line(arc((x + w / 2, y - h), w * 0.14, 180, 360), darker(colour, 0.4), 7) + solid(
        box(x, y - h, w, h, r=10),
        colour,
        *(fill(box(x + u * w - 6, y - h, 12, h), CREAM) for u in (0.22, 0.78)),
        shade=(-6, -7),
        rim=3,
    )

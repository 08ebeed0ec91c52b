"""Arcoíris de madera: seven nested arches… and what else they can be."""

from art.colour import (
    CEDAR,
    CREAM,
    LEAF,
    ORANGE,
    PINE,
    PINK,
    PLUM,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    TOMATO_DARK,
    darker,
)
from art.gallery import picture
from art.materials import wheel
from art.nature import round_tree
from art.paint import fill, group, line, shadow, solid
from art.scenes import closed_below, cloud, flat, plain, sun
from art.shapes import arc, arch, box, curve, poly

ARCS = (TOMATO, ORANGE, SUN, LEAF, TEAL, SKY, PLUM)


def rainbow_arc(cx: float, base: float, outer: float, colour: str, seed: int, width: float = 46) -> str:
    """One arch of the rainbow: the grain shows through the stain."""
    shape = arch(cx, base, outer, outer - width)
    veins = "".join(
        line(
            arc((cx, base), outer - width * u, 180 + 4 * s, 360 - 7 * s),
            darker(colour, 0.12),
            3.5,
            opacity=0.7,
        )
        for u, s in ((0.22, seed % 5), (0.48, (seed * 3) % 7), (0.74, (seed * 2) % 6))
    )
    return solid(shape, colour, veins, shade=(-9, -11), rim=5)


def rainbow(cx: float, base: float, size: float) -> str:
    """Seven nested arches."""
    return "".join(
        rainbow_arc(cx, base, size * (1 - n * 0.132), colour, n + 1, size * 0.122)
        for n, colour in enumerate(ARCS)
    )


@picture("Arcoíris de madera (frente)")
def rainbow_front() -> str:
    return plain("paper", 690) + shadow(480, 742, 440, 50) + rainbow(480, 730, 380)


@picture("Arcoíris de madera (puente)")
def rainbow_world() -> str:
    road = closed_below(curve((-40, 770), (200, 750), (480, 770), (760, 746), (1000, 770)))
    return (
        flat("sky")
        + cloud(170, 170, 84)
        + cloud(800, 330, 64)
        + sun(700, 160, 62)
        + fill(closed_below(curve((-40, 640), (240, 590), (560, 640), (1000, 580))), "#C9DCA2")
        + fill(road, "#E4CDA0")
        + round_tree(880, 600, 130)
        + round_tree(560, 610, 110, "#79AE57")
        + rainbow_arc(330, 766, 300, TOMATO, 1, 60)
        + rainbow_arc(330, 766, 232, SUN, 2, 56)
        + rainbow_arc(790, 760, 176, SKY, 4, 52)
        + rainbow_arc(790, 760, 118, PINK, 3, 46)
        + group(rainbow_arc(790, 586, 116, ORANGE, 6, 44))
        + group(rainbow_arc(580, 900, 120, TEAL, 5, 48), turn=0)
        + group(rainbow_arc(120, 900, 92, PLUM, 7, 40), turn=180, about=(120, 860))
        + shadow(330, 826, 170, 22)
        + little_car(330, 812, 250, TOMATO_DARK)
    )


def little_car(x: float, base: float, size: float, colour: str) -> str:
    """A simple wooden car; base is the ground."""
    s = size
    body = poly(
        (x - s * 0.5, base - s * 0.12),
        (x - s * 0.5, base - s * 0.36),
        (x - s * 0.24, base - s * 0.4),
        (x - s * 0.14, base - s * 0.62),
        (x + s * 0.2, base - s * 0.62),
        (x + s * 0.3, base - s * 0.38),
        (x + s * 0.5, base - s * 0.32),
        (x + s * 0.5, base - s * 0.12),
        r=s * 0.08,
    )
    return (
        solid(
            body,
            colour,
            fill(box(x - s * 0.1, base - s * 0.56, s * 0.26, s * 0.16, r=s * 0.04), CREAM),
            shade=(-6, -7),
            rim=3,
        )
        + wheel(x - s * 0.28, base - s * 0.1, s * 0.13, PINE, CEDAR)
        + wheel(x + s * 0.28, base - s * 0.1, s * 0.13, PINE, CEDAR)
    )


@picture("Arcoíris de madera (veta)")
def rainbow_detail() -> str:
    return flat("paper") + rainbow(610, 1130, 980)

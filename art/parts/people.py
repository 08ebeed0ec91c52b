"""Peg people and the colours of dolls."""

from art.colour import COCOA, INK, SUN, TOMATO, TOMATO_DARK
from art.faces import cheeks, eyes, smile
from art.paint import solid
from art.shapes import box, circle, sector

SKIN = "#DDA177"


def driver(x: float, y: float, s: float, colour: str = SUN) -> str:
    """A peg person; (x, y) is the shoulder line."""
    return (
        solid(
            box(x - s * 0.42, y - s * 0.2, s * 0.84, s * 1.1, r=s * 0.3), colour, shade=(-s * 0.08, 0), rim=3
        )
        + solid(circle(x, y - s * 0.58, s * 0.46), "#E7BE8E", shade=(-s * 0.08, -s * 0.09), rim=3)
        + eyes(x + s * 0.1, y - s * 0.58, s * 0.3, s * 0.05, INK)
        + smile(x + s * 0.1, y - s * 0.42, s * 0.2, s * 0.08, COCOA, s * 0.04)
        + cheeks(x + s * 0.1, y - s * 0.46, s * 0.46, s * 0.07)
        + solid(sector((x, y - s * 0.64), s * 0.48, 0, 180, 360), TOMATO, shade=(-s * 0.06, -s * 0.05), rim=2)
        + solid(
            box(x - s * 0.1, y - s * 0.7, s * 0.72, s * 0.11, r=s * 0.05), TOMATO_DARK, shade=(0, 0), rim=0
        )
    )

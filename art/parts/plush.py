"""Sewn animals: the plush itself and its label."""

from art.colour import CREAM, SUN, TOMATO, darker, lighter
from art.materials import tufts
from art.paint import fill, group, line, solid
from art.shapes import Path, box, poly, twin


def plush(
    shape: Path, colour: str, seed: int, *details: str, hairs: int = 40, fall: float = 90, depth: float = 18
) -> str:
    """A stuffed body: short hairs, soft shade."""
    hair = tufts(shape, darker(colour, 0.14), seed, hairs, fall=fall)
    light = tufts(shape, lighter(colour, 0.25), seed + 1, hairs // 2, fall=fall)
    return solid(shape, colour, hair, light, *details, shade=(-depth, -depth * 1.1), rim=6)


def tag(x: float, y: float, turn: float = 0) -> str:
    """The sewn label every plush carries."""
    mark = fill(twin((x, y + 10), (x + 15, y + 20), (x + 2, y + 44), (x, y + 46), x=x), TOMATO) + fill(
        box(x - 3, y + 4, 6, 8, r=2), TOMATO
    )
    return group(
        solid(box(x - 24, y - 6, 48, 62, r=7), CREAM, mark, shade=(-5, -5), rim=2),
        line(poly((x - 16, y), (x + 16, y), closed=False), SUN, 3, dash="6 5"),
        turn=turn,
        about=(x, y),
    )

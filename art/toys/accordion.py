"""Acordeón infantil: pearl buttons and long bellows."""

from collections.abc import Sequence
from itertools import pairwise

from art.colour import BRASS, COCOA, CREAM, PLUM, SUN, TEAL, TOMATO, TOMATO_DARK, WHITE, darker, lighter
from art.gallery import picture
from art.materials import note, stitches
from art.paint import fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import Point, box, circle, curve, polar, poly, star


def treble(x: float, y: float) -> str:
    """The melody side: grille, pearl buttons; (x, y) is its upper left, 230 × 460."""
    grille = box(x + 24, y + 40, 90, 380, r=24)
    cuts = "".join(
        line(
            curve((x + 36, y + 70 + n * 40), (x + 68, y + 56 + n * 40), (x + 102, y + 70 + n * 40)),
            darker(BRASS, 0.36),
            9,
        )
        for n in range(9)
    )
    board = solid(box(x + 134, y + 26, 78, 408, r=22), CREAM, shade=(-8, -8), rim=4)
    buttons = "".join(
        solid(
            circle(x + 173, y + 66 + n * 54, 19),
            WHITE,
            fill(circle(x + 170, y + 62 + n * 54, 9), "#F3DDE4"),
            shade=(-5, -6),
            rim=3,
        )
        for n in range(7)
    )
    return (
        solid(
            box(x, y, 230, 460, r=(36, 20, 20, 36)),
            TOMATO,
            fill(box(x + 10, y + 10, 210, 10, r=5), lighter(TOMATO, 0.3)),
            shade=(-14, -16),
            rim=6,
        )
        + solid(grille, BRASS, cuts, shade=(-8, -8), rim=4)
        + board
        + buttons
    )


def bass(x: float, y: float) -> str:
    """The bass side, 170 × 460."""
    medal = solid(
        circle(x + 86, y + 190, 54),
        BRASS,
        fill(star(x + 86, y + 190, 36, 15, 5, 3), TOMATO_DARK),
        shade=(-8, -9),
        rim=4,
    )
    keys = "".join(
        solid(circle(x + 86, y + 316 + n * 60, 21), WHITE, shade=(-5, -6), rim=3) for n in range(2)
    )
    return (
        solid(
            box(x, y, 170, 460, r=(20, 36, 36, 20)),
            TOMATO,
            line(box(x + 22, y + 24, 126, 412, r=20), BRASS, 6),
            shade=(-14, -16),
            rim=6,
        )
        + medal
        + keys
    )


def bellows(points: Sequence[tuple[Point, Point]], wide: bool) -> str:
    """Folds between pairs of (upper, lower) points."""
    parts = ""
    for n, ((ua, la), (ub, lb)) in enumerate(pairwise(points)):
        tone = ("#2E4F7A", "#3D6AA0")[n % 2] if wide else ("#2E4F7A", "#3A6295")[n % 2]
        parts += fill(poly(ua, ub, lb, la), tone) + line(poly(ub, lb, closed=False), "#22395A", 4)
        parts += fill(
            poly(ua, ub, (ub[0], ub[1] + 22), (ua[0], ua[1] + 22)), BRASS if n % 2 else darker(BRASS, 0.15)
        ) + fill(
            poly((la[0], la[1] - 22), (lb[0], lb[1] - 22), lb, la), BRASS if n % 2 else darker(BRASS, 0.15)
        )
        mid = ((ua[0] + ub[0] + la[0] + lb[0]) / 4, (ua[1] + ub[1] + la[1] + lb[1]) / 4)
        if n % 2 == 0:
            parts += fill(
                poly(
                    (mid[0], mid[1] - 30), (mid[0] + 10, mid[1]), (mid[0], mid[1] + 30), (mid[0] - 10, mid[1])
                ),
                SUN,
                0.9,
            )
    return parts


@picture("Acordeón infantil (cerrado)")
def accordion_closed() -> str:
    folds = [
        ((360 + n * 24, 268 + (8 if n % 2 else 0)), (360 + n * 24, 700 - (8 if n % 2 else 0)))
        for n in range(11)
    ]
    strap = (
        line(curve((210, 270), (60, 360), (70, 600), (210, 690)), darker(COCOA, 0.2), 44)
        + line(curve((210, 270), (60, 360), (70, 600), (210, 690)), "#6A4A3B", 34)
        + stitches(curve((206, 284), (74, 366), (84, 596), (206, 678)), CREAM, 4)
    )
    return (
        plain("butter", 690)
        + shadow(480, 728, 380, 38)
        + strap
        + bellows(folds, False)
        + treble(134, 256)
        + bass(594, 256)
        + line(curve((770, 330), (850, 400), (850, 560), (770, 640)), "#6A4A3B", 28)
    )


@picture("Acordeón infantil (abierto)")
def accordion_open() -> str:
    pivot = (480, 1180)
    folds = []
    for n in range(19):
        a = -90 - 30 + n * 60 / 18
        outer, inner = (880, 470) if n % 2 else (866, 484)
        folds.append((polar(pivot, outer, a), polar(pivot, inner, a)))
    left = group(treble(365, 310), turn=-30, about=(480, 1180))
    right = group(bass(395, 310), turn=30, about=(480, 1180))
    music = note(300, 250, 30, TOMATO, True) + note(640, 240, 30, TEAL) + note(450, 190, 34, PLUM, True)
    return (
        flat("mint")
        + group(
            bellows(folds, True),
            group(left, move=(-70, 30)),
            group(right, move=(70, 30)),
            size=0.76,
            move=(0, 60),
            about=(480, 500),
        )
        + music
    )


@picture("Acordeón infantil (botones)")
def accordion_detail() -> str:
    return flat("butter") + group(
        bellows([((496 + n * 30, 40), (496 + n * 30, 1100)) for n in range(18)], False),
        group(treble(134, 256), size=2.3, about=(250, 486)),
        move=(70, 0),
    )

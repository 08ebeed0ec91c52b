"""Rana mini de mesa: the frog, its holes and quoits."""

from art.colour import BRASS, CEDAR, COCOA, OAK, PLUM, STEEL, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain, swish
from art.paint import fill, group, line, shadow, solid
from art.parts.animals import frog
from art.scenes import flat, plain
from art.shapes import arc, box, curve, ellipse, leaf, polar, poly


def hole(cx: float, cy: float, size: float, squash: float = 0.55) -> str:
    """A hole with its brass rim."""
    return (
        fill(ellipse(cx, cy, size * 1.3, size * 1.3 * squash), darker(BRASS, 0.22))
        + fill(ellipse(cx, cy - size * 0.06, size * 1.26, size * 1.22 * squash), BRASS)
        + fill(ellipse(cx, cy, size, size * squash), "#3A2319")
        + line(arc((cx, cy), size * 1.14, 190, 260, squash), lighter(BRASS, 0.6), size * 0.12)
    )


def rana_cabinet() -> str:
    """The whole game: back board, sloping top with holes, front with numbered pockets."""
    back = poly(
        (190, 200), (300, 120), (660, 120), (770, 200), (770, 420), (190, 420), r=(30, 60, 60, 30, 4, 4)
    )
    top = poly((190, 400), (770, 400), (846, 610), (114, 610), r=12)
    front = box(114, 600, 732, 190, r=(8, 8, 26, 26))
    holes = "".join(
        hole(x, y, s)
        for x, y, s in (
            (280, 446, 30),
            (680, 446, 30),
            (250, 505, 33),
            (710, 505, 33),
            (350, 512, 33),
            (610, 512, 33),
            (212, 570, 36),
            (324, 574, 36),
            (436, 578, 36),
            (548, 578, 36),
            (660, 574, 36),
            (758, 570, 36),
        )
    )
    pockets = ""
    for n, points in enumerate(("50", "100", "200", "500", "200", "100", "50")):
        x = 150 + n * 96
        colour = (TOMATO, SUN, TEAL, PLUM, TEAL, SUN, TOMATO)[n]
        pockets += (
            fill(box(x, 650, 84, 96, r=(40, 40, 8, 8)), "#4A2B1C")
            + fill(box(x + 6, 702, 72, 44, r=6), colour)
            + fill(words(points, x + 42, 734, 30, 600), WHITE if colour != SUN else COCOA)
        )
    sun = "".join(
        fill(leaf(polar((480, 300), 62, a), polar((480, 300), 150, a), 34), TOMATO if n % 2 else SUN)
        for n, a in enumerate(range(-180, 1, 20))
    )
    return (
        solid(
            back,
            TEAL,
            sun,
            line(
                poly(
                    (214, 410), (214, 212), (308, 144), (652, 144), (746, 212), (746, 410), r=24, closed=False
                ),
                SUN,
                8,
            ),
            shade=(-18, -16),
            rim=6,
        )
        + solid(top, OAK, grain((114, 400, 846, 610), OAK, 6, 8), shade=(0, -14), rim=4)
        + holes
        + solid(front, CEDAR, grain((114, 600, 846, 790), CEDAR, 14, 7), pockets, shade=(-18, -16), rim=6)
        + frog(480, 506, 168)
    )


@picture("Rana mini de mesa (frente)")
def rana_front() -> str:
    rings = "".join(ring(x, y, 40) for x, y in ((190, 842), (262, 856), (770, 850)))
    return plain("butter", 700) + shadow(480, 800, 420, 40) + rana_cabinet() + rings


def ring(cx: float, cy: float, radius: float, squash: float = 0.45, turn: float = 0) -> str:
    """A metal quoit."""
    return group(
        line(ellipse(cx, cy + 4, radius, radius * squash), darker(STEEL, 0.4), radius * 0.36)
        + line(ellipse(cx, cy, radius, radius * squash), STEEL, radius * 0.32)
        + line(arc((cx, cy), radius, 195, 290, squash), WHITE, radius * 0.12),
        turn=turn,
        about=(cx, cy),
    )


@picture("Rana mini de mesa (jugando)")
def rana_play() -> str:
    path = curve((930, 120), (760, 90), (600, 190), (510, 330))
    return (
        flat("mint")
        + group(rana_cabinet(), move=(-40, 210), size=1.22, about=(480, 480))
        + line(path, WHITE, 9, dash="4 26", opacity=0.95)
        + ring(850, 104, 54, 0.6, -20)
        + ring(690, 128, 54, 0.5, -38)
        + ring(548, 262, 54, 0.42, -62)
        + swish((430, 470), 240, 196, 232, SUN, 11)
        + swish((430, 470), 240, -48, -14, SUN, 11)
    )


@picture("Rana mini de mesa (detalle)")
def rana_detail() -> str:
    return flat("butter") + group(rana_cabinet(), move=(0, 130), size=2.5, about=(480, 400))

"""Dominó de madera: tiles with coloured dots."""

from art.colour import (
    BRASS,
    CEDAR,
    LEAF,
    OAK,
    ORANGE,
    PINE,
    PLUM,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    WALNUT,
    darker,
    lighter,
)
from art.gallery import picture
from art.lettering import words
from art.materials import grain, swish
from art.paint import cast, fill, group, line, shadow, solid
from art.parts.dice import PIPS, spot
from art.scenes import flat, plain
from art.shapes import arc, box, circle, poly

DOT = {1: TOMATO, 2: SKY, 3: LEAF, 4: PLUM, 5: ORANGE, 6: TEAL}


def tile(
    cx: float,
    cy: float,
    width: float,
    first: int,
    second: int,
    turn: float = 0,
    seed: int = 1,
    thick: float = 16,
    depth: bool = True,
) -> str:
    """A domino seen from above, upright before turning."""
    w, h = width, width * 2
    face = box(cx - w / 2, cy - h / 2, w, h, r=w * 0.16)
    edge = box(cx - w / 2 + thick * 0.5, cy - h / 2 + thick, w, h, r=w * 0.16)
    dots = ""
    for count, top in ((first, cy - h / 2), (second, cy)):
        for u, v in PIPS[count]:
            x, y = cx - w / 2 + u * w, top + v * w
            dots += fill(circle(x, y, w * 0.095), DOT[count]) + line(
                arc((x, y), w * 0.08, 180, 260), lighter(DOT[count], 0.4), w * 0.02
            )
    bar = line(poly((cx - w * 0.36, cy), (cx + w * 0.36, cy), closed=False), WALNUT, w * 0.035) + fill(
        circle(cx, cy, w * 0.06), BRASS
    )
    whole = (fill(edge, darker(PINE, 0.28)) if depth else "") + solid(
        face,
        PINE,
        grain(face.bounds(), PINE, seed, 6, upright=True),
        bar,
        dots,
        shade=(-w * 0.05, -w * 0.05),
        rim=w * 0.03,
    )
    return group(cast(face, 14, 24, 10, 0.3) + whole, turn=turn, about=(cx, cy))


@picture("domino-de-madera-1")
def domino_set() -> str:
    case = (
        cast(box(150, 170, 330, 560, r=30), 18, 26, 14, 0.32)
        + solid(
            box(150, 170, 330, 560, r=30),
            CEDAR,
            grain((150, 170, 480, 730), CEDAR, 6, 10, upright=True),
            shade=(-16, -18),
            rim=6,
        )
        + fill(box(180, 200, 270, 500, r=14), darker(CEDAR, 0.34))
    )
    inside = "".join(
        tile(248 + (n % 2) * 134, 290 + (n // 2) * 250, 116, a, b, 0, n, 8)
        for n, (a, b) in enumerate(((6, 6), (5, 2), (3, 1), (4, 4)))
    )
    lid = solid(
        box(110, 640, 410, 190, r=24),
        OAK,
        grain((110, 640, 520, 830), OAK, 9, 8),
        fill(words("dominó", 315, 758, 82, 600), WALNUT),
        shade=(-12, -16),
        rim=6,
    )
    return (
        flat("rose")
        + case
        + inside
        + cast(box(110, 640, 410, 190, r=24), 12, 18, 10, 0.3)
        + lid
        + tile(650, 300, 150, 6, 3, 24, 21)
        + tile(800, 520, 150, 5, 5, -12, 22)
        + tile(690, 800, 150, 2, 4, 82, 23)
    )


@picture("domino-de-madera-2")
def domino_row() -> str:
    falling = {0: 52, 1: 34, 2: 17}
    shadows, tiles = "", ""
    for n in range(6):
        x = 120 + n * 124
        shadows += shadow(x + 90, 690 - n * 4, 110, 22, 0.5)
        tiles = (
            group(
                standing(x, 690, 250, (5, 3, 6, 2, 4, 1)[n], (2, 5, 1, 6, 3, 4)[n], n),
                turn=falling.get(n, 0),
                about=(x + 40, 690),
            )
            + tiles
        )
    wind = swish((330, 690), 430, 196, 218, TOMATO, 11) + swish((330, 690), 480, 200, 213, SUN, 11)
    return plain("sky", 640) + group(shadows, tiles, wind, move=(-20, -10), size=1.1, about=(500, 690))


def standing(x: float, base: float, height: float, first: int, second: int, seed: int) -> str:
    """A tile on its short edge, seen mostly from its thin side; its face looks to the right."""
    thick, reach, rise = 42, 112, 62
    face = (
        (x + thick, base - height),
        (x + thick + reach, base - height - rise),
        (x + thick + reach, base - rise),
        (x + thick, base),
    )
    edge = poly((x, base - height), (x + thick, base - height), (x + thick, base), (x, base), r=8)
    lid = poly(
        (x, base - height + 2),
        (x + reach, base - height - rise + 2),
        (x + thick + reach, base - height - rise),
        (x + thick, base - height),
        r=6,
    )
    dots = ""
    for count, top in ((first, 0.0), (second, 0.5)):
        for u, v in PIPS[count]:
            dots += fill(spot(face, u, top + v / 2, 11.5), DOT[count])
    bar = line(
        poly(
            (x + thick + 14, base - height / 2 - 8),
            (x + thick + reach - 14, base - height / 2 - rise + 8),
            closed=False,
        ),
        WALNUT,
        5,
    )
    return (
        solid(
            poly(*face, r=8),
            PINE,
            grain(poly(*face).bounds(), PINE, seed + 40, 4, upright=True),
            bar,
            dots,
            shade=(-8, -4),
            rim=4,
        )
        + fill(lid, lighter(PINE, 0.5))
        + solid(edge, darker(PINE, 0.14), shade=(-8, 0), rim=0)
    )


@picture("domino-de-madera-3")
def domino_detail() -> str:
    return flat("butter") + tile(330, 500, 330, 5, 3, -14, 31, 30) + tile(704, 500, 330, 6, 4, 10, 33, 30)

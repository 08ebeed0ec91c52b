"""Bolsa de canicas: glass with a twist of colour."""

from random import Random

from art.colour import (
    COCOA,
    CREAM,
    LEAF,
    ORANGE,
    PINK,
    PLUM,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    WHITE,
    darker,
    lighter,
    mix,
)
from art.gallery import picture
from art.lettering import words
from art.materials import bead, rope, stitches
from art.paint import cast, fill, gloss, group, line, shadow, solid
from art.scenes import plain
from art.shapes import Path, arc, box, circle, curve, ellipse, poly, twin

MARBLES = (
    (TOMATO, SUN),
    (SKY, WHITE),
    (LEAF, SUN),
    (PLUM, PINK),
    (ORANGE, WHITE),
    (TEAL, SUN),
    (PINK, TOMATO),
    (SUN, TOMATO),
    (SKY, LEAF),
)


def marble(cx: float, cy: float, radius: float, pair: tuple[str, str], turn: float = 0) -> str:
    """A glass marble: tinted glass, a twisted ribbon within, a hard glint and a glow where the light leaves."""
    r, (one, two) = radius, pair
    glass = mix(lighter(one, 0.62), "#A9DAD3", 0.4)

    def twist(size: float, bend: float) -> Path:
        k = r * size
        a, b = (cx - k * 0.84, cy + k * 0.3), (cx + k * 0.84, cy - k * 0.3)
        over = ((cx - k * 0.5, cy - k * bend), (cx + k * 0.2, cy + k * 0.2), b)
        under = ((cx + k * 0.5, cy + k * bend), (cx - k * 0.2, cy - k * 0.2), a)
        return Path((("M", (a,)), ("C", over), ("C", under), ("Z", ())))

    ribbons = (
        fill(twist(1.02, 0.95), one)
        + fill(twist(0.78, 0.5).turn(24, (cx, cy)), two)
        + fill(twist(0.5, 0.36).turn(-8, (cx, cy)), darker(one, 0.2))
    )
    return (
        solid(
            circle(cx, cy, r),
            glass,
            group(ribbons, turn=turn, about=(cx, cy)),
            fill(ellipse(cx + r * 0.3, cy + r * 0.5, r * 0.5, r * 0.3), WHITE, 0.25),
            shade=(-r * 0.16, -r * 0.18),
            rim=r * 0.05,
        )
        + line(arc((cx, cy), r * 0.93, 10, 90), darker(one, 0.15), r * 0.07, opacity=0.4)
        + gloss((cx - r * 0.62, cy - r * 0.24), (cx - r * 0.22, cy - r * 0.64), -0.16, r * 0.17, 0.85)
        + fill(circle(cx + r * 0.44, cy + r * 0.46, r * 0.08), WHITE, 0.8)
    )


@picture("bolsa-de-canicas-1")
def marbles_bag() -> str:
    bag = twin((480, 330), (600, 326), (650, 366), (706, 520), (740, 660), (690, 780), (480, 800))
    neck = twin((480, 250), (596, 236), (640, 262), (584, 312), (600, 352), (480, 372), (480, 372))
    heap = "".join(
        marble(x, y, r, MARBLES[n], n * 47)
        for n, (x, y, r) in enumerate(
            ((400, 236, 54), (560, 240, 52), (480, 222, 60), (440, 280, 50), (530, 286, 48))
        )
    )
    around = "".join(
        marble(x, y, r, MARBLES[n + 3], n * 61)
        for n, (x, y, r) in enumerate(((196, 770, 62), (286, 822, 44), (790, 790, 56), (842, 726, 38)))
    )
    label = box(396, 500, 168, 168, r=26)
    return (
        plain("sand", 720)
        + shadow(480, 800, 300, 44)
        + shadow(230, 836, 120, 20)
        + shadow(810, 842, 100, 18)
        + fill(ellipse(480, 270, 150, 40), darker("#C9A87A", 0.4))
        + heap
        + solid(
            neck,
            "#D9BD90",
            line(curve((380, 270), (400, 310), (396, 350)), darker("#D9BD90", 0.15), 5),
            line(curve((470, 300), (476, 330), (474, 360)), darker("#D9BD90", 0.15), 5),
            line(curve((570, 280), (550, 310), (560, 350)), darker("#D9BD90", 0.15), 5),
            shade=(-18, -10),
        )
        + heap_front()
        + solid(
            bag,
            "#D9BD90",
            weave(),
            line(curve((330, 420), (300, 560), (320, 700)), darker("#D9BD90", 0.13), 6),
            line(curve((640, 440), (668, 580), (640, 720)), darker("#D9BD90", 0.13), 6),
            shade=(-40, -26),
            rim=6,
        )
        + rope(curve((352, 344), (420, 366), (480, 370), (550, 366), (610, 344)), TOMATO, 13, 10)
        + rope(curve((560, 362), (640, 400), (690, 380), (720, 440)), TOMATO, 11, 9)
        + bead(722, 450, 18, TOMATO)
        + solid(label, CREAM, shade=(-8, -8), rim=3)
        + stitches(box(408, 512, 144, 144, r=18), TOMATO, 4)
        + marble(480, 566, 44, MARBLES[1], 20)
        + fill(words("50", 480, 648, 44, 700), COCOA)
        + around
    )


def heap_front() -> str:
    """Two marbles that look over the rim."""
    return marble(436, 262, 50, MARBLES[5], 70) + marble(522, 262, 54, MARBLES[7], 15)


def weave() -> str:
    """Canvas threads."""
    chance = Random(5)
    marks = ""
    for _ in range(90):
        x, y = chance.uniform(220, 740), chance.uniform(320, 800)
        marks += line(poly((x, y), (x + 18, y), closed=False), darker("#D9BD90", 0.1), 4, opacity=0.6)
    return marks


@picture("bolsa-de-canicas-2")
def marbles_game() -> str:
    ring = ellipse(480, 500, 330, 322)
    chalk = line(ring, WHITE, 16, dash="60 9 24 7 90 11", opacity=0.85) + line(
        ring.move(5, 4), WHITE, 6, dash="20 14", opacity=0.6
    )
    spots = (
        (480, 470, 92),
        (352, 420, 56),
        (600, 380, 54),
        (410, 590, 54),
        (590, 580, 58),
        (500, 300, 50),
        (300, 560, 46),
        (690, 490, 48),
    )
    field = "".join(
        cast(circle(x, y, r * 0.96), 16, 22, 9, 0.35) + marble(x, y, r, MARBLES[n], n * 53)
        for n, (x, y, r) in enumerate(spots)
    )
    shooter = cast(circle(800, 800, 80), 16, 22, 9, 0.35) + marble(800, 800, 82, MARBLES[8], 30)
    trail = line(curve((690, 700), (650, 662), (622, 632)), WHITE, 9, dash="26 20", opacity=0.9)
    pebbles = "".join(
        fill(circle(x, y, r), "#A9865E", 0.6)
        for x, y, r in (
            (90, 120, 9),
            (160, 84, 6),
            (870, 180, 8),
            (120, 850, 10),
            (190, 890, 6),
            (900, 560, 6),
            (60, 480, 7),
        )
    )
    return (
        fill(box(0, 0, 960, 960), "#CFAE82")
        + fill(ring, "#C6A274")
        + pebbles
        + chalk
        + field
        + trail
        + shooter
    )


@picture("bolsa-de-canicas-3")
def marbles_detail() -> str:
    return (
        plain("sky", 560)
        + shadow(330, 742, 260, 50)
        + shadow(690, 812, 190, 36)
        + shadow(690, 420, 150, 26)
        + marble(706, 290, 130, MARBLES[3], -24)
        + marble(340, 480, 270, MARBLES[0], 12)
        + marble(700, 660, 168, MARBLES[1], 62)
    )

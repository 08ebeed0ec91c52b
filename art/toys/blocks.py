"""Bloques de madera: a castle, a cart full, the shapes."""

from art.colour import (
    BEECH,
    CEDAR,
    CREAM,
    OAK,
    ORANGE,
    PINE,
    PINK,
    PLUM,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    WALNUT,
    darker,
)
from art.gallery import picture
from art.lettering import words
from art.materials import bead, grain, rope, wheel, wooden
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import Path, arc, box, circle, curve, poly, sector


def block(shape: Path, colour: str, seed: int = 1, depth: float = 10) -> str:
    """One wooden block, front view, with a hint of thickness below and right."""
    return wooden(
        shape,
        colour,
        seed,
        lines=max(3, int((shape.bounds()[3] - shape.bounds()[1]) / 22)),
        shade=(-depth, -depth),
        rim=5,
    )


def bridge(x: float, y: float, width: float, height: float, radius: float) -> Path:
    """A block with a round arch cut out of its foot."""
    arc_ = arc((x + width / 2, y + height), radius, 180, 360)
    joined = tuple(("L", points) if command == "M" else (command, points) for command, points in arc_.parts)
    return Path(
        (
            ("M", ((x, y + height),)),
            *joined,
            ("L", ((x + width, y + height),)),
            ("L", ((x + width, y),)),
            ("L", ((x, y),)),
            ("Z", ()),
        )
    )


def castle() -> str:
    """A castle that a patient child would build."""
    flag = line(poly((480, 96), (480, 190), closed=False), WALNUT, 9) + solid(
        poly((484, 98), (560, 122), (484, 150), r=5), TOMATO, shade=(-5, -5), rim=2
    )
    return (
        flag
        + block(box(160, 700, 120, 120, r=8), SKY, 1)
        + block(box(680, 700, 120, 120, r=8), TEAL, 2)
        + block(bridge(290, 660, 380, 160, 96), PINE, 3)
        + block(box(172, 560, 96, 140, r=8), BEECH, 4)
        + block(box(692, 560, 96, 140, r=8), PINE, 5)
        + block(poly((150, 560), (290, 560), (220, 440), r=10), TOMATO, 6)
        + block(poly((670, 560), (810, 560), (740, 440), r=10), TOMATO, 7)
        + block(box(290, 590, 380, 70, r=8), SUN, 8)
        + block(box(312, 440, 66, 150, r=28), BEECH, 9)
        + block(box(582, 440, 66, 150, r=28), PINE, 10)
        + block(bridge(390, 440, 180, 150, 58), TEAL, 11)
        + block(box(296, 380, 368, 60, r=8), OAK, 12)
        + block(box(330, 300, 80, 80, r=8), PINK, 13)
        + block(box(550, 300, 80, 80, r=8), SKY, 14)
        + block(box(424, 280, 112, 100, r=8), PINE, 15)
        + block(poly((400, 280), (560, 280), (480, 184), r=10), SUN, 16)
        + window_of(480, 330)
    )


def window_of(x: float, y: float) -> str:
    """A painted arched window."""
    return fill(box(x - 18, y - 26, 36, 52, r=(18, 18, 3, 3)), WALNUT) + line(
        poly((x, y - 24), (x, y + 24), closed=False), PINE, 4
    )


@picture("Bloques de madera (castillo)")
def blocks_castle() -> str:
    loose = block(circle(110, 790, 40), TOMATO, 31) + block(
        poly((842, 826), (940, 826), (892, 740), r=8), PINK, 32
    )
    return plain("sky", 740) + shadow(480, 826, 430, 40) + castle() + loose


@picture("Bloques de madera (caja)")
def blocks_box() -> str:
    inside = (
        block(poly((210, 420), (340, 420), (276, 300), r=10), TOMATO, 41)
        + block(box(330, 330, 110, 150, r=8), SKY, 42)
        + group(block(box(450, 300, 90, 180, r=40), PINE, 43), turn=12, about=(495, 400))
        + group(block(bridge(560, 330, 190, 110, 52), SUN, 44), turn=-9, about=(650, 400))
        + block(circle(250, 440, 50), TEAL, 45)
        + block(box(430, 400, 120, 90, r=8), PINK, 46)
        + group(block(box(600, 410, 110, 90, r=8), TOMATO, 47), turn=8, about=(650, 450))
        + block(box(340, 440, 80, 60, r=8), BEECH, 48)
    )
    crate = box(150, 470, 660, 270, r=(10, 10, 26, 26))
    return (
        plain("peach", 720)
        + shadow(480, 826, 380, 40)
        + fill(box(170, 440, 620, 60, r=8), darker(OAK, 0.34))
        + inside
        + solid(
            crate,
            OAK,
            grain(crate.bounds(), OAK, 51, 10),
            fill(words("bloques", 480, 642, 120, 600), CREAM),
            shade=(-24, -18),
            rim=6,
        )
        + solid(
            box(140, 456, 680, 36, r=12),
            CEDAR,
            grain((140, 456, 820, 492), CEDAR, 53, 3),
            shade=(0, -10),
            rim=4,
        )
        + rope(curve((150, 620), (70, 640), (60, 720), (110, 770)), CREAM, 11, 9)
        + bead(112, 778, 24, TOMATO)
        + wheel(270, 766, 62, TOMATO, PINE)
        + wheel(690, 766, 62, TOMATO, PINE)
    )


@picture("Bloques de madera (piezas)")
def blocks_pieces() -> str:
    shapes = (
        (box(110, 120, 170, 170, r=10), TOMATO),
        (poly((350, 290), (550, 290), (450, 116), r=12), SUN),
        (circle(730, 204, 92), TEAL),
        (bridge(100, 390, 260, 170, 84), SKY),
        (box(420, 376, 96, 190, r=48), PINE),
        (sector((710, 560), 180, 96, 180, 360), PINK),
        (box(100, 700, 300, 96, r=10), BEECH),
        (poly((450, 796), (630, 796), (450, 640), r=12), PLUM),
        (sector((690, 800), 170, 0, 270, 360), ORANGE),
    )
    return flat("mint") + "".join(
        cast(s, 12, 18, 9, 0.34) + block(s, c, n + 61) for n, (s, c) in enumerate(shapes)
    )

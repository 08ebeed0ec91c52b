"""Trompo de madera: turned, banded, spun."""

from art.colour import BEECH, CEDAR, CREAM, SKY, STEEL, SUN, TEAL, TOMATO, WHITE, lighter, mix
from art.gallery import picture
from art.materials import bead, grain, rope, stripe, swish
from art.paint import fill, gloss, group, shadow, solid
from art.scenes import flat, plain
from art.shapes import Path, circle, curve, ellipse, poly, twin


def top_body() -> Path:
    """The pear shape of a turned top, crown to shoulder to point."""
    return twin(
        (480, 218),
        (530, 224),
        (548, 262),
        (640, 296),
        (728, 380),
        (732, 470),
        (660, 590),
        (570, 690),
        (520, 742),
        (480, 752),
    )


def trompo() -> str:
    """The top standing upright."""
    body = top_body()
    bands = (
        stripe(180, 780, 318, 60, 56, TOMATO)
        + stripe(180, 780, 394, 22, 60, CREAM)
        + stripe(180, 780, 432, 66, 62, SUN)
        + stripe(180, 780, 514, 22, 60, CREAM)
        + stripe(180, 780, 552, 58, 54, TEAL)
    )
    dots = "".join(
        fill(circle(x, 466 + 60 * (1 - ((x - 480) / 270) ** 2), 13), TOMATO) for x in range(240, 740, 60)
    )
    tip = poly((466, 726), (494, 726), (492, 800), (480, 826), (468, 800), r=8)
    return (
        solid(tip, STEEL, shade=(-9, 0), rim=3)
        + solid(body, BEECH, grain((200, 200, 760, 760), BEECH, 4, 16), bands, dots, shade=(-46, -26), rim=7)
        + solid(
            twin((480, 196), (522, 200), (536, 226), (524, 250), (480, 256)), CEDAR, shade=(-12, -8), rim=4
        )
        + gloss((286, 400), (336, 322), -0.16, 20, 0.6)
    )


@picture("Trompo de madera (frente)")
def trompo_front() -> str:
    pita = curve(
        (560, 806), (680, 770), (800, 800), (760, 850), (640, 846), (660, 806), (790, 792), (850, 830)
    )
    return (
        plain("mint", 720)
        + shadow(490, 826, 170, 30)
        + rope(pita, WHITE, 11, 8)
        + group(trompo(), turn=-4, about=(480, 820))
    )


@picture("Trompo de madera (girando)")
def trompo_spinning() -> str:
    cord = curve(
        (86, 250),
        (180, 180),
        (250, 260),
        (170, 330),
        (110, 420),
        (190, 520),
        (150, 640),
        (230, 720),
        (330, 690),
    )
    whirl = "".join(
        swish((470, 812), r, a, b, mix(WHITE, SKY, 0.25), w, 0.22)
        for r, a, b, w in ((120, 15, 160, 8), (190, -20, 110, 9), (260, 30, 170, 7), (200, 150, 260, 7))
    )
    sparks = swish((520, 420), 320, -62, -22, TOMATO, 10) + swish((520, 420), 364, -52, -30, SUN, 10)
    sparks += swish((520, 420), 330, 120, 150, TOMATO, 10) + swish((520, 420), 372, 128, 144, SUN, 10)
    return (
        flat("sky")
        + fill(ellipse(480, 830, 400, 108), lighter("#D2E5F2", 0.45))
        + whirl
        + shadow(486, 818, 120, 22)
        + rope(cord, CREAM, 11, 8)
        + bead(86, 250, 22, TOMATO)
        + sparks
        + group(trompo(), turn=17, about=(480, 826))
    )


@picture("Trompo de madera (detalle)")
def trompo_detail() -> str:
    return flat("butter") + group(trompo(), move=(150, 250), turn=-14, size=2.05, about=(480, 480))

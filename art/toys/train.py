"""Tren de madera con vagones."""

from art.colour import (
    BEECH,
    CREAM,
    INK,
    LEAF,
    OAK,
    PINE,
    PINK,
    SKY,
    STEEL,
    SUN,
    TEAL,
    TOMATO,
    WALNUT,
    WHITE,
    darker,
    lighter,
)
from art.gallery import picture
from art.materials import grain, wheel
from art.paint import cast, clip, fill, group, line, shadow, solid
from art.parts.loads import sack
from art.parts.people import driver
from art.scenes import flat, plain
from art.shapes import box, capsule, circle, polar, poly
from art.toys.blocks import block


def smoke(x: float, y: float, s: float) -> str:
    """Cotton smoke."""
    return "".join(
        fill(circle(x + dx * s, y - dy * s, r * s), WHITE, 0.95)
        for dx, dy, r in ((0, 0, 0.3), (-0.3, 0.44, 0.38), (-0.16, 0.98, 0.44), (-0.66, 1.16, 0.36))
    )


def locomotive(x: float = 0) -> str:
    """The engine, nose to the right, wheels on y = 780."""
    cab = box(420 + x, 330, 180, 340, r=(16, 16, 8, 8))
    boiler = box(560 + x, 450, 270, 200, r=(10, 96, 96, 10))
    chimney = poly(
        (700 + x, 290), (800 + x, 290), (776 + x, 350), (776 + x, 456), (724 + x, 456), (724 + x, 350), r=8
    )
    return (
        solid(chimney, TEAL, fill(box(700 + x, 290, 100, 30), SUN), shade=(-12, 0), rim=4)
        + solid(box(620 + x, 408, 56, 56, r=(28, 28, 0, 0)), SUN, shade=(-8, -6), rim=3)
        + solid(
            boiler,
            TOMATO,
            grain((560 + x, 450, 830 + x, 650), TOMATO, 5, 6),
            *(fill(box(q + x, 440, 16, 220), SUN) for q in (630, 742)),
            shade=(-20, -24),
            rim=6,
        )
        + solid(circle(822 + x, 550, 34), SUN, fill(circle(822 + x, 550, 19), CREAM), shade=(-6, -7), rim=3)
        + solid(
            cab,
            TOMATO,
            grain((420 + x, 330, 600 + x, 670), TOMATO, 9, 6, upright=True),
            clip(
                box(456 + x, 384, 108, 110, r=18),
                fill(box(450 + x, 380, 130, 130), "#BFE0EA"),
                driver(510 + x, 500, 84, SKY),
            ),
            line(box(456 + x, 384, 108, 110, r=18), CREAM, 9),
            shade=(-14, -14),
            rim=5,
        )
        + solid(box(396 + x, 298, 228, 44, r=18), TEAL, shade=(-8, -12), rim=4)
        + solid(
            box(412 + x, 650, 440, 48, r=12),
            WALNUT,
            grain((412 + x, 650, 852 + x, 698), WALNUT, 4, 3),
            shade=(-8, -12),
            rim=4,
        )
        + solid(poly((838 + x, 660), (900 + x, 736), (838 + x, 736), r=8), SUN, shade=(-8, -6), rim=3)
        + wheel(500 + x, 708, 76, SUN, TOMATO)
        + wheel(660 + x, 724, 58, SUN, TOMATO)
        + wheel(786 + x, 724, 58, SUN, TOMATO)
        + solid(capsule((500 + x, 716), (668 + x, 728), 16), STEEL, shade=(0, -5), rim=2)
    )


def wagon(x: float, colour: str, *load: str) -> str:
    """A truck of the train, about 300 wide, its left edge at x."""
    return (
        "".join(load)
        + solid(
            box(x, 540, 300, 130, r=(10, 10, 26, 26)),
            colour,
            grain((x, 540, x + 300, 670), colour, int(x) + 3, 5),
            fill(box(x, 566, 300, 16), CREAM),
            shade=(-16, -16),
            rim=5,
        )
        + solid(box(x - 10, 528, 320, 28, r=10), OAK, shade=(0, -7), rim=3)
        + solid(box(x + 12, 656, 276, 36, r=10), WALNUT, shade=(-6, -10), rim=3)
        + wheel(x + 80, 724, 58, SUN, TOMATO)
        + wheel(x + 220, 724, 58, SUN, TOMATO)
        + solid(circle(x + 318, 676, 16), STEEL, shade=(-3, -4), rim=2)
        + solid(circle(x - 18, 676, 16), STEEL, shade=(-3, -4), rim=2)
    )


def load_of_blocks(x: float) -> str:
    """Blocks piled in a wagon."""
    return (
        block(box(x + 30, 450, 96, 96, r=8), SKY, 3)
        + block(poly((x + 130, 546), (x + 240, 546), (x + 184, 440), r=8), SUN, 4)
        + group(block(box(x + 216, 470, 66, 90, r=8), PINK, 5), turn=12, about=(x + 240, 510))
    )


@picture("tren-de-madera-1")
def train_side() -> str:
    rail = solid(
        box(-20, 768, 1000, 26, r=6), OAK, grain((0, 768, 960, 794), OAK, 8, 2), shade=(0, -8), rim=3
    )
    convoy = (
        wagon(-330, TEAL, load_of_blocks(-330))
        + wagon(40, SKY, sack(120, 540, 120), sack(228, 540, 110))
        + locomotive()
    )
    return (
        plain("butter", 700)
        + shadow(480, 800, 480, 26)
        + rail
        + group(smoke(740, 250, 90), convoy, move=(140, 0), size=0.72, about=(480, 780))
    )


@picture("tren-de-madera-2")
def train_above() -> str:
    track = (
        line(circle(480, 480, 330), darker(OAK, 0.1), 120)
        + line(circle(480, 480, 330), PINE, 108)
        + line(circle(480, 480, 362), darker(PINE, 0.3), 13)
        + line(circle(480, 480, 298), darker(PINE, 0.3), 13)
    )
    ties = "".join(
        line(poly(polar((480, 480), 276, a), polar((480, 480), 384, a), closed=False), darker(PINE, 0.16), 5)
        for a in range(0, 360, 10)
    )

    def car(angle: float, colour: str, long: float, *top: str) -> str:
        x, y = polar((480, 480), 330, angle)
        return group(
            cast(box(x - long / 2, y - 54, long, 108, r=18), 10, 14, 8, 0.36),
            solid(
                box(x - long / 2, y - 54, long, 108, r=18),
                colour,
                grain((x - long / 2, y - 54, x + long / 2, y + 54), colour, int(angle), 4),
                shade=(-9, -10),
                rim=4,
            ),
            *(part for part in top),
            turn=angle + 90,
            about=(x, y),
        )

    lx, ly = polar((480, 480), 330, -60)
    ax, ay = polar((480, 480), 330, -98)
    bx, by = polar((480, 480), 330, -134)
    engine = car(
        -60,
        TOMATO,
        210,
        solid(box(lx - 104, ly - 60, 90, 120, r=14), TEAL, shade=(-8, -8), rim=3),
        solid(circle(lx + 62, ly, 30), SUN, fill(circle(lx + 62, ly, 18), INK), shade=(-5, -5), rim=3),
        fill(box(lx - 2, ly - 54, 14, 108), SUN),
        fill(box(lx + 92, ly - 20, 30, 40, r=8), SUN),
    )
    second = car(
        -98,
        SKY,
        176,
        fill(box(ax - 70, ay - 38, 140, 76, r=8), darker(SKY, 0.35)),
        solid(box(ax - 60, ay - 32, 54, 54, r=6), SUN, shade=(-5, -5), rim=3),
        solid(circle(ax + 36, ay + 2, 30), TOMATO, shade=(-5, -6), rim=3),
    )
    third = car(
        -134,
        TEAL,
        176,
        fill(box(bx - 70, by - 38, 140, 76, r=8), darker(TEAL, 0.35)),
        solid(box(bx - 56, by - 30, 50, 60, r=6), PINK, shade=(-5, -5), rim=3),
        solid(box(bx + 8, by - 30, 50, 60, r=6), BEECH, shade=(-5, -5), rim=3),
    )
    middle = fill(circle(480, 480, 190), "#C9DCA2") + "".join(
        cast(circle(x, y, r), 12, 18, 8, 0.3)
        + solid(
            circle(x, y, r),
            c,
            solid(circle(x - r * 0.1, y - r * 0.12, r * 0.6), lighter(c, 0.12), shade=(0, 0), rim=0),
            shade=(-8, -9),
            rim=4,
        )
        for x, y, r, c in ((420, 430, 62, LEAF), (540, 400, 46, "#79AE57"), (500, 570, 54, LEAF))
    )
    house = (
        cast(box(560, 490, 80, 90, r=6), 10, 14, 8, 0.3)
        + solid(box(560, 490, 40, 90, r=4), TOMATO, shade=(0, 0), rim=3)
        + solid(box(600, 490, 40, 90, r=4), darker(TOMATO, 0.14), shade=(0, 0), rim=3)
    )
    return flat("mint") + middle + track + ties + house + third + second + engine


@picture("tren-de-madera-3")
def train_engine() -> str:
    return (
        plain("butter", 760)
        + shadow(480, 800, 380, 30)
        + smoke(590, 250, 130)
        + group(locomotive(), move=(-190, 10), size=1.34, about=(640, 700))
    )

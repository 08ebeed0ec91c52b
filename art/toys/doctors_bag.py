"""Maletín de medicina: instruments and a patient."""

from art.colour import (
    BRASS,
    CEDAR,
    COCOA,
    CREAM,
    ORANGE,
    PINE,
    PINK,
    SKY,
    STEEL,
    SUN,
    TEAL,
    TOMATO,
    WHITE,
    darker,
    lighter,
)
from art.faces import asleep, cheeks, muzzle_smile
from art.gallery import picture
from art.materials import stitches, tufts, wooden
from art.paint import cast, clip, fill, group, line, shadow, solid
from art.scenes import closed_below, flat, plain
from art.shapes import Point, box, capsule, circle, curve, ellipse, heart, join, poly, twin


def stethoscope(points: tuple[Point, ...], disc: Point) -> str:
    """A tube that ends in its disc."""
    return (
        line(curve(*points), darker(TEAL, 0.25), 26)
        + line(curve(*points), TEAL, 20)
        + line(curve(*points).move(-3, -4), lighter(TEAL, 0.35), 4)
        + solid(
            circle(*disc, 52), STEEL, line(circle(*disc, 34), darker(STEEL, 0.18), 5), shade=(-8, -9), rim=4
        )
    )


def thermometer(x: float, y: float, s: float, turn: float) -> str:
    """A wooden thermometer, bulb down; (x, y) its middle."""
    return group(
        solid(
            capsule((x, y - s * 0.8), (x, y + s * 0.7), s * 0.36),
            CREAM,
            *(
                line(
                    poly(
                        (x + s * 0.02, y - s * 0.6 + n * s * 0.2),
                        (x + s * 0.12, y - s * 0.6 + n * s * 0.2),
                        closed=False,
                    ),
                    COCOA,
                    3,
                )
                for n in range(6)
            ),
            line(
                poly((x - s * 0.04, y - s * 0.2), (x - s * 0.04, y + s * 0.7), closed=False), TOMATO, s * 0.08
            ),
            shade=(-s * 0.05, 0),
            rim=3,
        )
        + solid(circle(x, y + s * 0.82, s * 0.2), TOMATO, shade=(-3, -4), rim=2),
        turn=turn,
        about=(x, y),
    )


def syringe(x: float, y: float, s: float, turn: float) -> str:
    """A toy syringe, point down; (x, y) its middle."""
    return group(
        solid(box(x - s * 0.06, y - s * 0.95, s * 0.12, s * 0.5, r=4), STEEL, shade=(-3, 0), rim=0)
        + solid(box(x - s * 0.24, y - s * 1.04, s * 0.48, s * 0.13, r=s * 0.05), TOMATO, shade=(0, -4), rim=2)
        + solid(box(x - s * 0.3, y - s * 0.56, s * 0.6, s * 0.1, r=s * 0.04), TOMATO, shade=(0, -4), rim=2)
        + solid(
            box(x - s * 0.19, y - s * 0.5, s * 0.38, s * 0.96, r=s * 0.06),
            "#E4F0F2",
            fill(box(x - s * 0.19, y - s * 0.1, s * 0.38, s * 0.6), PINK),
            *(
                line(
                    poly(
                        (x, y - s * 0.3 + n * s * 0.16),
                        (x + s * 0.14, y - s * 0.3 + n * s * 0.16),
                        closed=False,
                    ),
                    COCOA,
                    3,
                )
                for n in range(5)
            ),
            shade=(-s * 0.05, 0),
            rim=3,
        )
        + solid(
            poly(
                (x - s * 0.1, y + s * 0.44),
                (x + s * 0.1, y + s * 0.44),
                (x + s * 0.05, y + s * 0.66),
                (x - s * 0.05, y + s * 0.66),
                r=4,
            ),
            TOMATO,
            shade=(-3, 0),
            rim=0,
        )
        + solid(circle(x, y + s * 0.72, s * 0.09), SUN, shade=(-2, -3), rim=0),
        turn=turn,
        about=(x, y),
    )


def hammer(x: float, y: float, s: float, turn: float) -> str:
    """A reflex hammer; (x, y) its middle."""
    return group(
        solid(box(x - s * 0.07, y - s * 0.5, s * 0.14, s * 1.3, r=s * 0.06), PINE, shade=(-3, 0), rim=2)
        + solid(
            poly(
                (x - s * 0.4, y - s * 0.84),
                (x + s * 0.4, y - s * 0.68),
                (x + s * 0.4, y - s * 0.5),
                (x - s * 0.4, y - s * 0.34),
                r=s * 0.07,
            ),
            ORANGE,
            shade=(-5, -6),
            rim=3,
        ),
        turn=turn,
        about=(x, y),
    )


def plaster(x: float, y: float, s: float, colour: str, turn: float) -> str:
    """A felt plaster."""
    return group(
        solid(
            capsule((x - s * 0.5, y), (x + s * 0.5, y), s * 0.5),
            colour,
            fill(box(x - s * 0.22, y - s * 0.25, s * 0.44, s * 0.5), lighter(colour, 0.45)),
            *(
                fill(circle(x + dx * s, y + dy * s, s * 0.035), darker(colour, 0.2))
                for dx in (-0.1, 0.1)
                for dy in (-0.1, 0.1)
            ),
            shade=(-4, -5),
            rim=2,
        ),
        turn=turn,
        about=(x, y),
    )


@picture("maletin-de-medicina-1")
def doctor_bag() -> str:
    bag = poly((190, 420), (770, 420), (810, 790), (150, 790), r=(60, 60, 50, 50))
    flap = poly((190, 420), (770, 420), (760, 560), (480, 610), (200, 560), r=(60, 60, 50, 40, 50))
    cross = join((box(444, 626, 72, 150, r=10), box(405, 665, 150, 72, r=10)))
    handle = (
        line(curve((360, 424), (380, 300), (480, 268), (580, 300), (600, 424)), darker(CEDAR, 0.25), 46)
        + line(curve((360, 424), (380, 300), (480, 268), (580, 300), (600, 424)), CEDAR, 36)
        + stitches(curve((366, 410), (388, 308), (480, 280), (572, 308), (594, 410)), CREAM, 4)
    )
    return (
        plain("mint", 720)
        + shadow(480, 796, 360, 38)
        + handle
        + solid(
            bag,
            TOMATO,
            stitches(bag.size(0.93, about=(480, 610)), CREAM, 5),
            fill(circle(480, 700, 96), CREAM),
            fill(cross, TOMATO),
            shade=(-30, -22),
            rim=6,
        )
        + solid(
            flap,
            darker(TOMATO, 0.1),
            stitches(flap.size(0.93, about=(480, 490)), CREAM, 5),
            shade=(-14, -18),
            rim=5,
        )
        + solid(
            box(446, 566, 68, 64, r=14),
            BRASS,
            fill(circle(480, 602, 9), darker(BRASS, 0.5)),
            shade=(-6, -8),
            rim=4,
        )
        + stethoscope(((300, 400), (230, 470), (250, 620), (200, 720), (120, 740), (90, 800)), (96, 820))
    )


@picture("maletin-de-medicina-2")
def doctor_tools() -> str:
    roll = box(80, 170, 800, 600, r=40)
    pockets = "".join(
        solid(
            box(130 + n * 148, 500, 128, 210, r=(6, 6, 24, 24)),
            c,
            stitches(box(140 + n * 148, 510, 108, 190, r=18), CREAM, 4),
            shade=(-6, -8),
            rim=3,
        )
        for n, c in enumerate((TEAL, SUN, PINK, SKY, TOMATO))
    )
    return (
        flat("peach")
        + cast(roll, 18, 26, 14, 0.3)
        + solid(roll, CREAM, stitches(roll.size(0.95, about=(480, 470)), TOMATO, 5), shade=(-14, -16), rim=5)
        + thermometer(194, 420, 210, 0)
        + syringe(342, 420, 200, 0)
        + hammer(490, 420, 220, 0)
        + wooden(box(612, 250, 52, 380, r=26), PINE, 3, upright=True, lines=3, shade=(-8, 0), rim=3)
        + otoscope(786, 420, 200)
        + pockets
        + plaster(196, 610, 84, "#EBC09A", -30)
        + plaster(492, 616, 84, SUN, 24)
        + fill(heart(638, 612, 60), CREAM)
    )


def otoscope(x: float, y: float, s: float) -> str:
    """The lamp for looking into ears."""
    return (
        solid(box(x - s * 0.13, y - s * 0.3, s * 0.26, s * 1.2, r=s * 0.1), "#45403E", shade=(-5, 0), rim=3)
        + solid(
            poly(
                (x - s * 0.5, y - s * 0.66),
                (x + s * 0.06, y - s * 0.86),
                (x + s * 0.2, y - s * 0.4),
                (x - s * 0.1, y - s * 0.3),
                r=s * 0.07,
            ),
            STEEL,
            shade=(-6, -7),
            rim=3,
        )
        + fill(ellipse(x - s * 0.46, y - s * 0.64, s * 0.05, s * 0.08), SUN)
    )


@picture("maletin-de-medicina-3")
def doctor_patient() -> str:
    fur = "#C99562"

    def teddy_ear(x: float) -> str:
        return solid(circle(x, 190, 74), fur, fill(circle(x, 196, 42), "#EBCBA0"), shade=(-9, -10), rim=5)

    head = twin((480, 160), (640, 190), (720, 350), (640, 500), (480, 540))
    muzzle = ellipse(480, 424, 110, 88)
    blanket = closed_below(curve((-40, 640), (240, 610), (480, 640), (720, 608), (1000, 640)))
    squares = "".join(
        fill(box(c * 120, r * 120 + 600, 120, 120), (PINK, CREAM, SKY, SUN)[(c * 3 + r * 2) % 4], 0.55)
        for c in range(8)
        for r in range(3)
    )
    return (
        flat("lilac")
        + solid(
            box(110, 120, 740, 480, r=150),
            WHITE,
            stitches(box(134, 144, 692, 432, r=130), SKY, 5),
            shade=(-22, -26),
            rim=6,
        )
        + teddy_ear(310)
        + teddy_ear(650)
        + solid(head, fur, tufts(head, darker(fur, 0.14), 4, 50), shade=(-26, -26), rim=6)
        + solid(muzzle, "#EBCBA0", shade=(-10, -11), rim=4)
        + asleep(480, 330, 190, 34, COCOA, 10)
        + fill(ellipse(480, 390, 34, 25), COCOA)
        + muzzle_smile(480, 412, 76, 30, COCOA, 8)
        + cheeks(480, 420, 330, 38, TOMATO, 0.45)
        + plaster(610, 230, 130, SUN, 26)
        + thermometer(600, 470, 160, 112)
        + solid(
            blanket,
            WHITE,
            fill(blanket, "#F2E3D0"),
            clip(blanket, squares),
            stitches(curve((-20, 664), (240, 634), (480, 664), (720, 632), (980, 664)), TOMATO, 5),
            shade=(0, -16),
            rim=6,
        )
        + solid(ellipse(300, 650, 70, 58), fur, shade=(-10, -10), rim=5)
        + solid(ellipse(660, 648, 70, 58), fur, shade=(-10, -10), rim=5)
    )

"""Avión de hélice: a biplane and its pilot."""

from art.colour import BEECH, CEDAR, COCOA, CREAM, OAK, SUN, TOMATO, WALNUT, WHITE
from art.faces import smile
from art.gallery import picture
from art.lettering import words
from art.materials import grain, swish, wheel
from art.paint import fill, group, line, shadow, solid
from art.scenes import cloud, flat, plain
from art.shapes import blob, box, capsule, circle, curve, leaf, polar, poly, sector, star


def biplane() -> str:
    """The plane in profile, nose to the left."""
    body = blob(
        (196, 520),
        (230, 430),
        (340, 408),
        (520, 410),
        (700, 450),
        (850, 470),
        (856, 520),
        (700, 590),
        (480, 628),
        (300, 620),
        (216, 590),
    )
    fin = blob((770, 468), (800, 350), (870, 330), (888, 400), (866, 490))
    tail = solid(capsule((760, 510), (900, 500), 44), CREAM, shade=(-6, -10), rim=4)
    upper = solid(
        capsule((270, 300), (560, 284), 60),
        CREAM,
        fill(box(330, 240, 46, 120), TOMATO),
        fill(box(460, 240, 46, 120), TOMATO),
        shade=(-10, -16),
        rim=5,
    )
    lower = solid(
        capsule((270, 580), (570, 566), 64),
        CREAM,
        fill(box(330, 500, 46, 140), TOMATO),
        fill(box(470, 500, 46, 140), TOMATO),
        shade=(-10, -16),
        rim=5,
    )
    struts = "".join(
        line(poly(a, b, closed=False), OAK, 13)
        for a, b in (((300, 310), (320, 560)), ((520, 300), (530, 550)), ((304, 324), (400, 420)))
    )
    pilot = (
        solid(blob((560, 420), (566, 350), (620, 332), (668, 356), (672, 430)), CEDAR, shade=(-8, -8), rim=3)
        + solid(circle(604, 386, 50), "#E7BE8E", shade=(-8, -8), rim=0)
        + solid(sector((610, 384), 56, 0, 160, 380), CEDAR, shade=(-8, -6), rim=3)
        + "".join(
            solid(circle(x, 386, 18), "#BFE0EA", shade=(-3, -3), rim=0) + line(circle(x, 386, 18), WALNUT, 6)
            for x in (576, 616)
        )
        + smile(590, 412, 26, 10, COCOA, 5)
        + solid(
            blob((600, 428), (690, 414), (800, 380), (830, 400), (740, 440), (650, 452)),
            SUN,
            *(line(poly((x, 380), (x + 14, 450), closed=False), TOMATO, 9) for x in (680, 730, 780)),
            shade=(-5, -7),
            rim=3,
        )
    )
    prop = "".join(
        solid(leaf((178, 520), (178 + dx, y), 46, 4), BEECH, shade=(-6, -6), rim=3)
        for dx, y in ((-26, 340), (26, 700))
    )
    wheel_ = (
        line(poly((360, 610), (330, 700), closed=False), OAK, 13)
        + line(poly((420, 610), (340, 700), closed=False), OAK, 13)
        + wheel(334, 716, 54, SUN, TOMATO, "#45403E")
    )
    return (
        tail
        + solid(fin, TOMATO, fill(star(836, 412, 28, 12, 5, 3), SUN), shade=(-8, -8), rim=4)
        + wheel_
        + struts
        + pilot
        + solid(
            body,
            TOMATO,
            grain((196, 408, 856, 628), TOMATO, 8, 9),
            fill(box(250, 380, 26, 260), CREAM),
            fill(words("Cóndor", 672, 540, 58, 600), CREAM),
            shade=(-20, -26),
            rim=7,
        )
        + lower
        + upper
        + prop
        + solid(circle(184, 520, 38), SUN, shade=(-7, -8), rim=4)
    )


@picture("Avión de hélice (de lado)")
def plane_side() -> str:
    return plain("butter", 730) + shadow(420, 772, 330, 32) + group(biplane(), move=(-46, 0))


@picture("Avión de hélice (en vuelo)")
def plane_flying() -> str:
    loop = line(
        curve((1000, 800), (860, 760), (780, 660), (860, 590), (930, 660), (830, 740), (700, 700)),
        WHITE,
        9,
        dash="4 24",
    )
    return (
        flat("sky")
        + cloud(220, 800, 130)
        + cloud(800, 200, 100)
        + cloud(140, 170, 80, opacity=0.9)
        + loop
        + group(biplane(), turn=12, size=0.88, about=(480, 500), move=(-30, -30))
        + cloud(640, 860, 90)
    )


@picture("Avión de hélice (de frente)")
def plane_front() -> str:
    wings = solid(
        box(70, 296, 820, 64, r=32),
        CREAM,
        fill(box(190, 290, 60, 80), TOMATO),
        fill(box(710, 290, 60, 80), TOMATO),
        shade=(-12, -18),
        rim=6,
    ) + solid(
        box(110, 590, 740, 62, r=31),
        CREAM,
        fill(box(200, 580, 56, 80), TOMATO),
        fill(box(704, 580, 56, 80), TOMATO),
        shade=(-12, -18),
        rim=6,
    )
    struts = "".join(
        line(poly(a, b, closed=False), OAK, 14)
        for a, b in (
            ((220, 350), (226, 600)),
            ((740, 350), (734, 600)),
            ((396, 350), (430, 430)),
            ((564, 350), (530, 430)),
        )
    )
    pilot = solid(sector((480, 384), 72, 0, 180, 360), CEDAR, shade=(-8, -6), rim=3) + "".join(
        solid(circle(x, 380, 24), "#BFE0EA", shade=(-3, -3), rim=0) + line(circle(x, 380, 24), WALNUT, 7)
        for x in (450, 510)
    )
    legs = "".join(
        line(poly((480 + d * 60, 640), (480 + d * 150, 744), closed=False), OAK, 15)
        + solid(
            box(480 + d * 160 - 30, 700, 60, 118, r=28),
            "#45403E",
            fill(box(480 + d * 160 - 9, 700, 18, 118), SUN),
            shade=(-8, 0),
            rim=4,
        )
        for d in (-1, 1)
    )
    blades_ = "".join(
        solid(
            leaf((480, 520), polar((480, 520), 250, a), 76, 8),
            BEECH,
            fill(circle(*polar((480, 520), 215, a), 46), TOMATO),
            shade=(-8, -8),
            rim=4,
        )
        for a in (-62, 118)
    )
    spin = (
        swish((480, 520), 250, -40, 20, WHITE, 9)
        + swish((480, 520), 250, 140, 200, WHITE, 9)
        + swish((480, 520), 216, -30, 5, WHITE, 7)
        + swish((480, 520), 216, 150, 185, WHITE, 7)
    )
    return (
        plain("mint", 750)
        + shadow(480, 820, 300, 32)
        + legs
        + struts
        + pilot
        + wings
        + solid(
            circle(480, 520, 140), TOMATO, line(circle(480, 520, 112), CREAM, 12), shade=(-24, -26), rim=7
        )
        + spin
        + blades_
        + solid(circle(480, 520, 44), SUN, shade=(-8, -9), rim=4)
    )

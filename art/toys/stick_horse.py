"""Caballito de palo Relámpago: quilted head, woollen mane."""

from art.colour import (
    BRASS,
    CEDAR,
    COCOA,
    CREAM,
    INK,
    PINE,
    PINK,
    SUN,
    TEAL,
    TOMATO,
    TOMATO_DARK,
    WHITE,
    darker,
    lighter,
)
from art.faces import eye
from art.gallery import picture
from art.materials import daisy, grain, stitches, wheel
from art.paint import fill, group, line, shadow, solid
from art.scenes import cloud, halo, meadow, plain, sun
from art.shapes import blob, box, circle, curve, ellipse, leaf, poly

HORSE, MANE = "#A9673C", "#F0DDB6"


def horse_head() -> str:
    """Quilted head in profile, nose to the left, neck ending at (560, 640)."""
    neck = blob((420, 380), (520, 250), (640, 300), (690, 460), (690, 660), (520, 680), (480, 560))
    head = blob(
        (220, 500),
        (180, 430),
        (230, 380),
        (340, 300),
        (440, 220),
        (560, 230),
        (600, 320),
        (540, 430),
        (420, 480),
        (330, 540),
        (260, 550),
    )
    ear = solid(
        leaf((520, 260), (560, 110), 66),
        HORSE,
        fill(leaf((526, 250), (556, 140), 32), PINK),
        shade=(-6, -7),
        rim=4,
    )
    far_ear = fill(leaf((486, 250), (500, 120), 58), darker(HORSE, 0.2))
    muzzle = blob((176, 440), (240, 374), (320, 420), (330, 530), (262, 560), (206, 520))
    tufts_ = "".join(
        solid(
            blob((x, y), (x + 60, y - 14), (x + 96, y + 40), (x + 60, y + 84), (x + 6, y + 50)),
            MANE,
            line(curve((x + 12, y + 16), (x + 50, y + 14), (x + 78, y + 42)), darker(MANE, 0.16), 4),
            line(curve((x + 10, y + 34), (x + 40, y + 38), (x + 60, y + 62)), darker(MANE, 0.16), 4),
            shade=(-6, -7),
            rim=3,
        )
        for x, y in ((600, 570), (620, 500), (622, 430), (604, 362), (570, 298))
    )
    forelock = "".join(
        solid(leaf((530, 220), p, 40), MANE, shade=(-4, -5), rim=2)
        for p in ((430, 300), (460, 330), (500, 330))
    )
    bridle = (
        line(curve((300, 350), (340, 440), (352, 530)), TOMATO, 20)
        + line(curve((480, 228), (500, 340), (470, 460)), TOMATO, 20)
        + line(curve((318, 400), (400, 380), (488, 384)), TOMATO, 18)
        + stitches(curve((300, 352), (338, 440), (350, 526)), CREAM, 3, 8, 7)
        + solid(circle(336, 470, 26), BRASS, fill(circle(336, 470, 13), HORSE), shade=(-4, -5), rim=3)
    )
    rein = line(curve((336, 480), (440, 640), (600, 560), (690, 520)), TOMATO_DARK, 14) + "".join(
        bell(x, y) for x, y in ((420, 606), (500, 618), (584, 574))
    )
    return (
        far_ear
        + solid(
            neck,
            HORSE,
            stitches(curve((450, 420), (500, 520), (520, 660)), darker(HORSE, 0.25), 4),
            shade=(-22, -10),
            rim=6,
        )
        + tufts_
        + solid(
            head,
            HORSE,
            solid(muzzle, lighter(HORSE, 0.42), shade=(0, 0), rim=0),
            fill(leaf((330, 330), (480, 250), 50), CREAM),
            stitches(curve((260, 390), (380, 310), (520, 250)), darker(HORSE, 0.25), 4),
            shade=(-20, -22),
            rim=6,
        )
        + ear
        + forelock
        + bridle
        + fill(ellipse(222, 446, 12, 18).turn(20, (222, 446)), COCOA)
        + line(curve((214, 510), (254, 522), (296, 504)), COCOA, 8)
        + fill(ellipse(430, 330, 30, 34), WHITE)
        + eye(428, 334, 24, INK)
        + line(curve((398, 300), (430, 286), (462, 302)), COCOA, 7)
        + fill(ellipse(396, 420, 30, 20), TOMATO, 0.35)
        + rein
    )


def bell(x: float, y: float) -> str:
    """A jingle bell."""
    return solid(
        circle(x, y + 12, 22),
        BRASS,
        line(poly((x - 16, y + 16), (x + 16, y + 16), closed=False), darker(BRASS, 0.4), 4),
        fill(circle(x, y + 16, 5), darker(BRASS, 0.5)),
        shade=(-5, -6),
        rim=3,
    )


def hobby_horse() -> str:
    """Head, stick and two little wheels; stands on y = 1400 before scaling."""
    stick = solid(
        box(584, 600, 44, 760, r=18),
        PINE,
        grain((584, 600, 628, 1360), PINE, 3, 3, upright=True),
        *(
            fill(box(580, y, 60, 26), c)
            for y, c in ((800, TOMATO), (840, SUN), (880, TEAL), (1180, TEAL), (1220, SUN), (1260, TOMATO))
        ),
        shade=(-12, 0),
        rim=4,
    )
    handle = solid(
        box(500, 720, 210, 44, r=22), CEDAR, grain((500, 720, 710, 764), CEDAR, 5, 3), shade=(-6, -10), rim=4
    )
    return (
        stick
        + handle
        + wheel(556, 1350, 56, SUN, TOMATO)
        + wheel(660, 1350, 56, SUN, TOMATO)
        + horse_head()
        + solid(
            blob((490, 640), (600, 660), (716, 630), (706, 690), (600, 706), (500, 690)),
            TEAL,
            *(fill(circle(x, 672, 9), SUN) for x in (540, 600, 660)),
            shade=(-8, -8),
            rim=4,
        )
    )


@picture("Caballito 'Relámpago' (completo)")
def horse_full() -> str:
    return (
        plain("sky", 780)
        + shadow(378, 888, 110, 18)
        + group(hobby_horse(), move=(60, -250), turn=24, size=0.72, about=(560, 700))
    )


@picture("Caballito 'Relámpago' (al galope)")
def horse_gallop() -> str:
    dust = "".join(
        fill(circle(x, y, r), WHITE, 0.8)
        for x, y, r in ((830, 850, 40), (880, 830, 30), (790, 870, 26), (910, 866, 22))
    )
    speed = "".join(
        line(poly((x, y), (x + 130, y + 16), closed=False), c, 11, opacity=0.9)
        for x, y, c in ((770, 330, TOMATO), (810, 390, SUN), (780, 450, TOMATO))
    )
    return (
        meadow("peach", "#C6DA9E", 600)
        + sun(170, 160, 66)
        + cloud(760, 170, 84)
        + speed
        + dust
        + group(hobby_horse(), move=(-20, 30), turn=-30, size=0.6, about=(420, 330))
        + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((90, 860), (300, 910), (500, 880)))
    )


@picture("Caballito 'Relámpago' (cabeza)")
def horse_close() -> str:
    return halo("sky", radius=400) + group(horse_head(), move=(40, 130), size=1.42, about=(440, 400))

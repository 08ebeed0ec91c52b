"""Patico de arrastre."""

from art.colour import INK, ORANGE, PINE, SUN, TEAL, TOMATO, WHITE, darker
from art.faces import eye
from art.gallery import picture
from art.materials import bead, daisy, grain, rope, wheel
from art.paint import fill, group, line, shadow, solid
from art.scenes import flat, meadow, plain
from art.shapes import blob, box, circle, curve, ellipse, leaf, polar


def duckling(x: float, y: float, s: float) -> str:
    """A floating duckling looking left; (x, y) is its waterline middle."""
    body = blob(
        (x - s * 0.4, y - s * 0.1),
        (x - s * 0.1, y - s * 0.34),
        (x + s * 0.36, y - s * 0.3),
        (x + s * 0.62, y - s * 0.46),
        (x + s * 0.5, y + s * 0.1),
        (x, y + s * 0.2),
    )
    return (
        solid(
            body,
            SUN,
            fill(leaf((x, y - s * 0.16), (x + s * 0.4, y - s * 0.02), s * 0.22), "#E39A22"),
            shade=(-6, -7),
            rim=3,
        )
        + solid(circle(x - s * 0.22, y - s * 0.46, s * 0.28), SUN, shade=(-6, -7), rim=3)
        + fill(leaf((x - s * 0.4, y - s * 0.42), (x - s * 0.76, y - s * 0.38), s * 0.18), ORANGE)
        + eye(x - s * 0.3, y - s * 0.52, s * 0.06, INK)
    )


def pull_duck() -> str:
    """The walking duck, beak to the left, wheels on y = 800."""
    body = blob(
        (250, 560),
        (330, 470),
        (520, 480),
        (680, 440),
        (800, 380),
        (810, 520),
        (740, 650),
        (560, 710),
        (370, 700),
        (270, 650),
    )
    head = circle(330, 360, 138)
    beak = blob((232, 356), (130, 352), (84, 386), (130, 424), (240, 412))
    wing = blob((440, 560), (560, 520), (690, 520), (660, 610), (540, 650), (460, 630))
    neck = blob((250, 440), (420, 420), (440, 560), (260, 580))
    feathers = "".join(
        line(
            curve((500 + n * 44, 548 - n * 6), (530 + n * 42, 590), (510 + n * 40, 622 - n * 6)), "#C97F14", 8
        )
        for n in range(4)
    )

    def foot_wheel(cx: float) -> str:
        flap = "".join(
            solid(leaf((cx, 730), polar((cx, 730), 108, a), 52), ORANGE, shade=(-5, -5), rim=3)
            for a in (20, 140, 260)
        )
        return flap + wheel(cx, 730, 70, TOMATO, PINE)

    return (
        foot_wheel(620)
        + solid(
            body,
            SUN,
            grain(body.bounds(), SUN, 3, 9),
            fill(blob((300, 690), (420, 640), (620, 680), (560, 730), (360, 720)), "#FBD77E"),
            shade=(-26, -26),
            rim=7,
        )
        + solid(
            neck,
            SUN,
            fill(box(230, 500, 240, 34), TEAL),
            fill(circle(340, 552, 18), TOMATO),
            shade=(-18, -6),
            rim=0,
        )
        + solid(
            beak,
            ORANGE,
            line(curve((96, 388), (170, 394), (240, 386)), darker(ORANGE, 0.25), 6),
            shade=(-6, -12),
            rim=4,
        )
        + solid(head, SUN, grain(head.bounds(), SUN, 9, 6), shade=(-22, -24), rim=6)
        + "".join(
            line(curve((320 + d * 14, 226), (316 + d * 22, 196), (330 + d * 34, 178)), "#C97F14", 9)
            for d in (-1, 0, 1)
        )
        + fill(circle(292, 340, 36), WHITE)
        + eye(288, 342, 25, INK)
        + fill(ellipse(360, 400, 32, 22), TOMATO, 0.4)
        + solid(wing, "#E79D1E", feathers, shade=(-12, -12), rim=5)
        + foot_wheel(420)
    )


@picture("patico-de-arrastre-1")
def duck_side() -> str:
    cord = curve((276, 620), (180, 700), (110, 660), (60, 760), (140, 830))
    return (
        plain("sky", 730)
        + shadow(520, 806, 300, 34)
        + rope(cord, WHITE, 11, 9)
        + bead(146, 834, 30, TOMATO)
        + group(pull_duck(), move=(24, 0))
    )


@picture("patico-de-arrastre-2")
def duck_family() -> str:
    return (
        meadow("butter", "#C6DA9E", 600)
        + shadow(330, 800, 230, 26, 0.6)
        + shadow(680, 820, 110, 16, 0.6)
        + shadow(860, 822, 90, 14, 0.6)
        + rope(curve((170, 640), (90, 560), (-20, 600)), WHITE, 10, 9)
        + group(pull_duck(), move=(-150, -4), size=0.78, about=(480, 800))
        + group(pull_duck(), move=(220, 20), size=0.36, about=(480, 800))
        + group(pull_duck(), move=(390, 22), size=0.28, about=(480, 800))
        + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((110, 880), (560, 900), (800, 890)))
    )


@picture("patico-de-arrastre-3")
def duck_wheel() -> str:
    return flat("sky") + group(pull_duck(), move=(-30, -90), size=1.75, about=(440, 740))

"""Triciclo Primer Viaje."""

from art.colour import BRASS, COCOA, CREAM, PINK, SKY, STEEL, SUN, TOMATO, TOMATO_DARK, WHITE, darker
from art.gallery import picture
from art.materials import daisy, swish
from art.nature import round_tree
from art.paint import fill, gloss, group, line, shadow, solid
from art.scenes import cloud, flat, meadow, plain
from art.shapes import arc, blob, box, capsule, circle, curve, polar, poly, star
from art.toys.spectacled_bear import bear_head


def spokes(cx: float, cy: float, r: float) -> str:
    """A spoked wheel with a white tyre."""
    rays = "".join(
        line(poly((cx, cy), polar((cx, cy), r * 0.84, a), closed=False), "#A9B0B4", 5)
        for a in range(0, 360, 30)
    )
    return (
        line(circle(cx, cy, r * 0.92), "#3E3936", r * 0.2)
        + line(circle(cx, cy, r * 0.92), CREAM, r * 0.07)
        + line(circle(cx, cy, r * 0.78), STEEL, r * 0.06)
        + rays
        + solid(circle(cx, cy, r * 0.16), SUN, shade=(-3, -4), rim=3)
    )


def tassels(x: float, y: float, way: float, s: float) -> str:
    """Ribbons at the end of a handlebar."""
    return "".join(
        line(
            curve(
                (x, y),
                (x + way * s * (0.42 - n * 0.2), y + s * 0.26),
                (x + way * s * (0.5 - n * 0.3), y + s * (0.72 - n % 2 * 0.14)),
            ),
            (TOMATO, SUN, SKY, PINK)[n],
            s * 0.065,
        )
        for n in range(4)
    )


def wicker(x: float, y: float, w: float, h: float) -> str:
    """A small basket; (x, y) is its upper left."""
    shape = poly((x, y), (x + w, y), (x + w * 0.88, y + h), (x + w * 0.12, y + h), r=14)
    weave_ = "".join(
        line(
            curve(
                (x + c * 26 - (13 if r % 2 else 0), y + 18 + r * 22),
                (x + c * 26 + 12 - (13 if r % 2 else 0), y + 12 + r * 22),
                (x + c * 26 + 24 - (13 if r % 2 else 0), y + 18 + r * 22),
            ),
            "#A8763F",
            9,
        )
        for r in range(int(h / 22))
        for c in range(int(w / 26) + 2)
    )
    return solid(shape, "#D4A566", weave_, shade=(-12, -8), rim=4) + line(
        poly((x - 4, y + 4), (x + w + 4, y + 4), closed=False), "#B98746", 16
    )


def tricycle(passenger: str = "") -> str:
    """The tricycle, front wheel to the right."""
    red = TOMATO
    seat = blob((250, 410), (330, 380), (420, 400), (440, 430), (340, 450), (256, 440))
    return (
        spokes(300, 700, 106)
        + line(poly((690, 300), (722, 660), closed=False), darker(red, 0.25), 34)
        + line(poly((690, 300), (722, 660), closed=False), red, 26)
        + line(curve((704, 440), (560, 560), (400, 610), (240, 650)), darker(red, 0.25), 40)
        + line(curve((704, 440), (560, 560), (400, 610), (240, 650)), red, 32)
        + line(curve((690, 440), (550, 550), (400, 598), (250, 636)), WHITE, 6, opacity=0.5)
        + line(poly((350, 430), (360, 610), closed=False), STEEL, 26)
        + solid(box(150, 620, 150, 40, r=16), red, shade=(-6, -12), rim=4)
        + solid(seat, COCOA, shade=(-10, -12), rim=5)
        + line(curve((690, 296), (640, 270), (560, 300)), STEEL, 20)
        + line(poly((560, 300), (530, 312), closed=False), TOMATO_DARK, 30)
        + tassels(528, 318, -1, 120)
        + passenger
        + wicker(716, 300, 170, 130)
        + solid(circle(660, 262, 28), BRASS, shade=(-6, -7), rim=4)
        + line(poly((720, 690), (790, 740), closed=False), STEEL, 16)
        + solid(box(760, 730, 70, 24, r=10), COCOA, shade=(0, -6), rim=3)
        + spokes(722, 670, 140)
        + line(arc((722, 670), 164, 196, 318), darker(red, 0.2), 26)
        + line(arc((722, 670), 164, 196, 318), red, 20)
        + spokes(200, 712, 100)
    )


@picture("triciclo-primer-viaje-1")
def tricycle_side() -> str:
    return plain("sky", 740) + shadow(480, 812, 420, 34) + group(tricycle(), move=(-34, 4))


@picture("triciclo-primer-viaje-2")
def tricycle_park() -> str:
    rider = group(bear_head(810, 250, 92))
    return (
        meadow("sky", "#C6DA9E", 560)
        + cloud(200, 170, 90)
        + cloud(560, 120, 60)
        + round_tree(90, 640, 260)
        + round_tree(890, 600, 190, "#79AE57")
        + shadow(480, 846, 390, 30, 0.6)
        + group(tricycle(rider), move=(-40, 40), size=0.9, about=(480, 800))
        + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((80, 880), (880, 870), (560, 910), (300, 900)))
    )


@picture("triciclo-primer-viaje-3")
def tricycle_bar() -> str:
    bar = curve((110, 420), (220, 330), (400, 350), (480, 420), (560, 350), (740, 330), (850, 420))
    return (
        flat("butter")
        + line(poly((480, 420), (500, 1000), closed=False), darker(TOMATO, 0.25), 92)
        + line(poly((480, 420), (500, 1000), closed=False), TOMATO, 78)
        + line(poly((462, 460), (478, 1000), closed=False), WHITE, 10, opacity=0.5)
        + line(bar, darker(STEEL, 0.3), 52)
        + line(bar, STEEL, 42)
        + line(bar.move(-2, -10), WHITE, 8, opacity=0.8)
        + solid(
            capsule((104, 424), (190, 356), 76),
            TOMATO_DARK,
            *(
                line(poly((x, 320), (x - 26, 460), closed=False), darker(TOMATO_DARK, 0.2), 6)
                for x in (120, 150, 180, 210)
            ),
            shade=(-10, -14),
            rim=5,
        )
        + solid(capsule((856, 424), (770, 356), 76), TOMATO_DARK, shade=(-10, -14), rim=5)
        + tassels(104, 430, -0.5, 420)
        + tassels(858, 430, 0.5, 420)
        + solid(
            circle(620, 300, 96),
            BRASS,
            line(circle(620, 300, 62), darker(BRASS, 0.2), 6),
            fill(circle(620, 300, 18), darker(BRASS, 0.4)),
            shade=(-18, -20),
            rim=6,
        )
        + gloss((556, 280), (600, 230), -0.2, 16, 0.7)
        + line(poly((690, 350), (730, 390), closed=False), STEEL, 18)
        + solid(circle(736, 396, 20), TOMATO, shade=(-4, -5), rim=3)
        + solid(circle(484, 424, 54), SUN, fill(star(484, 424, 32, 14, 5, 3), TOMATO), shade=(-9, -10), rim=4)
        + swish((620, 300), 140, -70, -20, TOMATO, 11)
        + swish((620, 300), 176, -62, -28, TOMATO, 11)
    )

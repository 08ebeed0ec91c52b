"""Caja de acuarelas."""

from art.colour import (
    COCOA,
    LEAF,
    LIME,
    ORANGE,
    PINK,
    PLUM,
    SKY,
    STEEL,
    SUN,
    TEAL,
    TOMATO,
    WHITE,
    darker,
    lighter,
)
from art.gallery import picture
from art.paint import cast, fill, group, line, solid
from art.scenes import flat
from art.shapes import Point, blob, box, capsule, circle, curve, ellipse, leaf, poly

PANS = (
    "#F7D547",
    SUN,
    ORANGE,
    TOMATO,
    "#C8323F",
    "#D9588A",
    PINK,
    PLUM,
    "#4B4FA0",
    SKY,
    "#4FB0D8",
    "#2B9A94",
    TEAL,
    LEAF,
    LIME,
    "#B9803F",
    "#7A4A2E",
    "#3A3634",
)


def pan(x: float, y: float, w: float, h: float, colour: str, used: float = 0) -> str:
    """A cake of paint; `used` shows how far the brush has dug in."""
    shape = box(x, y, w, h, r=w * 0.16)
    worn = (
        fill(ellipse(x + w * 0.5, y + h * 0.54, w * 0.3 * used, h * 0.28 * used), lighter(colour, 0.4))
        + fill(ellipse(x + w * 0.52, y + h * 0.56, w * 0.18 * used, h * 0.16 * used), WHITE, 0.7)
        if used
        else ""
    )
    return (
        fill(box(x - w * 0.06, y - w * 0.06, w * 1.12, h + w * 0.12, r=w * 0.18), "#E9E4DA")
        + solid(shape, colour, worn, shade=(w * 0.06, w * 0.07), rim=0)
        + line(
            curve((x + w * 0.16, y + h * 0.14), (x + w * 0.5, y + h * 0.1), (x + w * 0.7, y + h * 0.12)),
            WHITE,
            w * 0.06,
            opacity=0.55,
        )
    )


def brush(a: Point, b: Point, colour: str, tip: str) -> str:
    """A brush from its end a to its point b."""
    dx, dy = b[0] - a[0], b[1] - a[1]

    def at(u: float) -> Point:
        return a[0] + dx * u, a[1] + dy * u

    long = (dx * dx + dy * dy) ** 0.5
    return (
        line(poly(a, at(0.7), closed=False), darker(colour, 0.25), long * 0.05)
        + line(poly(a, at(0.7), closed=False), colour, long * 0.04)
        + line(poly(at(0.68), at(0.8), closed=False), STEEL, long * 0.056, cap="butt")
        + fill(leaf(at(0.77), b, long * 0.07), "#5B4033")
        + fill(leaf(at(0.86), b, long * 0.045), tip)
    )


def paint_box() -> str:
    """The tin, open: pans below, mixing lid above."""
    tray, lid = box(110, 470, 740, 370, r=34), box(110, 90, 740, 370, r=34)
    wells = "".join(
        solid(box(150 + n * 226, 140, 206, 270, r=50), "#F1ECE2", *puddle(n), shade=(14, 14), rim=0)
        for n in range(3)
    )
    pans = "".join(
        pan(
            150 + (n % 9) * 76,
            510 + (n // 9) * 112,
            56,
            84,
            c,
            (0, 0, 0.8, 0.9, 0, 0, 0, 0, 0, 0.9, 0, 0, 0.7, 0, 0.8, 0, 0, 0)[n],
        )
        for n, c in enumerate(PANS)
    )
    return (
        cast(box(110, 90, 740, 750, r=34), 18, 26, 16, 0.3)
        + solid(lid, WHITE, wells, shade=(-12, -14), rim=5)
        + solid(tray, TOMATO, fill(box(130, 490, 700, 330, r=22), "#F7F2E8"), pans, shade=(-12, -14), rim=6)
        + fill(box(144, 738, 672, 66, r=30), "#D8D0C2")
        + fill(box(110, 452, 740, 26), STEEL)
        + "".join(solid(box(x, 446, 90, 38, r=10), STEEL, shade=(0, -8), rim=3) for x in (200, 670))
    )


def puddle(index: int) -> tuple[str, ...]:
    """Mixed paint in a lid well."""
    x, colours = 150 + index * 226, ((SKY, LIME), (TOMATO, SUN), (PLUM, PINK))[index]
    return (
        fill(
            blob((x + 50, 230), (x + 110, 190), (x + 166, 240), (x + 150, 320), (x + 90, 340), (x + 44, 300)),
            colours[0],
            0.55,
        ),
        fill(
            blob((x + 90, 260), (x + 150, 250), (x + 170, 320), (x + 110, 370), (x + 76, 330)),
            colours[1],
            0.6,
        ),
    )


@picture("caja-de-acuarelas-1")
def paints_open() -> str:
    return flat("sky") + group(
        paint_box(), brush((170, 772), (800, 768), TEAL, SKY), turn=-3, size=0.96, about=(480, 480)
    )


@picture("caja-de-acuarelas-2")
def paints_sheet() -> str:
    sheet = box(90, 90, 600, 500, r=6)
    sea_ = blob(
        (110, 480), (260, 440), (430, 470), (600, 440), (676, 480), (660, 560), (400, 575), (130, 560)
    )
    washes = (
        fill(blob((120, 120), (400, 105), (660, 130), (650, 330), (420, 300), (140, 340)), "#BFE0EE", 0.8),
        fill(circle(560, 200, 54), SUN, 0.75),
        fill(circle(560, 200, 36), "#F7D547", 0.7),
        fill(
            blob((130, 470), (220, 310), (320, 400), (420, 270), (520, 420), (600, 350), (660, 470)),
            "#6FA68C",
            0.75,
        ),
        fill(blob((240, 470), (420, 330), (560, 480)), "#3F8470", 0.45),
        fill(sea_, SKY, 0.55),
        fill(blob((150, 520), (400, 500), (640, 530), (400, 556)), "#2B78C5", 0.35),
        fill(poly((330, 500), (420, 500), (400, 526), (350, 526), r=4), TOMATO, 0.85),
        fill(poly((372, 430), (372, 494), (420, 494), r=3), WHITE),
        line(poly((370, 426), (370, 500), closed=False), COCOA, 4),
    )
    drips = "".join(
        fill(circle(x, y, r), c, 0.6)
        for x, y, r, c in ((740, 200, 16, SKY), (780, 250, 9, SKY), (736, 290, 7, TOMATO))
    )
    return (
        flat("paper")
        + drips
        + group(
            cast(sheet, 12, 18, 12, 0.26),
            solid(sheet, "#FFFEFA", *washes, shade=(0, 0), rim=0),
            turn=-5,
            about=(390, 340),
        )
        + group(paint_box(), move=(150, 270), size=0.5, turn=9, about=(480, 480))
        + cast(capsule((160, 860), (420, 700), 24), 10, 14, 8, 0.3)
        + brush((110, 880), (440, 660), PLUM, TOMATO)
    )


@picture("caja-de-acuarelas-3")
def paints_detail() -> str:
    return (
        flat("sky")
        + group(paint_box(), move=(150, -200), turn=-4, size=2.6, about=(330, 600))
        + brush((1010, 980), (560, 560), TEAL, TOMATO)
    )

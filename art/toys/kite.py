"""Cometa de agosto: six gores and a tail of rags."""

from art.colour import BEECH, CEDAR, CREAM, ORANGE, PINK, SKY, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.materials import grain, rope
from art.paint import cast, clip, fill, group, line, solid
from art.scenes import andes, cloud, flat, halo
from art.shapes import Path, box, circle, curve, ellipse, ngon, polar, poly, twin, twin_poly

KITE = (TOMATO, SUN, TEAL, SKY, PINK, ORANGE)


def kite(cx: float, cy: float, radius: float) -> str:
    """The six-sided kite seen from below."""
    hexagon = ngon(cx, cy, radius, 6, radius * 0.04, turn=-90)
    gores = "".join(
        solid(
            poly((cx, cy), polar((cx, cy), radius, -90 + 60 * n), polar((cx, cy), radius, -30 + 60 * n), r=2),
            KITE[n],
            shade=(-radius * 0.03, -radius * 0.04),
            rim=0,
        )
        for n in range(6)
    )
    inner = "".join(
        fill(
            poly(
                (cx, cy),
                polar((cx, cy), radius * 0.46, -90 + 60 * n),
                polar((cx, cy), radius * 0.46, -30 + 60 * n),
            ),
            lighter(KITE[(n + 3) % 6], 0.12),
        )
        for n in range(6)
    )
    sticks = "".join(
        line(poly(polar((cx, cy), radius, a), polar((cx, cy), radius, a + 180), closed=False), CEDAR, 9)
        for a in (-90, -30, 30)
    )
    fringe = "".join(
        fill(poly((x - 12, y), (x + 12, y), (x, y + 30), r=3).turn(a, (x, y)), WHITE, 0.95)
        for (x, y), a in ngon(cx, cy, radius, 6, 4).turn(180, (cx, cy)).sample(43)[:-1]
    )
    return (
        fringe
        + clip(hexagon, gores, inner)
        + sticks
        + line(hexagon, CREAM, 8)
        + solid(circle(cx, cy, radius * 0.09), WHITE, shade=(-4, -4), rim=2)
        + fill(circle(cx, cy, radius * 0.04), TOMATO)
    )


def tail(path: Path, bows: int, size: float, skip: int = 1) -> str:
    """A string with rag bows."""
    parts = [line(path, WHITE, 8), line(path, darker(CREAM, 0.2), 3)]
    for index, ((x, y), angle) in enumerate(path.sample(bows + skip)[skip:]):
        parts.append(group(bow(x, y, size, KITE[index % 6]), turn=angle - 90, about=(x, y)))
    return "".join(parts)


def bow(x: float, y: float, size: float, colour: str) -> str:
    """A rag tied in a knot."""
    s = size
    left = poly((x, y), (x - s, y - s * 0.5), (x - s * 0.9, y + s * 0.52), r=s * 0.14)
    right = poly((x, y), (x + s, y - s * 0.46), (x + s * 0.94, y + s * 0.5), r=s * 0.14)
    return (
        solid(left, colour, shade=(-4, -5), rim=2)
        + solid(right, colour, shade=(-5, -6), rim=2)
        + fill(ellipse(x, y, s * 0.22, s * 0.3), darker(colour, 0.2))
    )


@picture("Cometa de agosto (armada)")
def kite_made() -> str:
    rag = curve((420, 640), (400, 740), (500, 790), (620, 760), (730, 790), (800, 860))
    return (
        halo("sky", cy=410, radius=372)
        + tail(rag, 6, 36)
        + group(
            cast(ngon(470, 390, 290, 6), 16, 24, 12, 0.25), kite(470, 390, 292), turn=-9, about=(470, 390)
        )
    )


@picture("Cometa de agosto (volando)")
def kite_flying() -> str:
    cord = curve((600, 340), (470, 520), (300, 700), (196, 800))
    rag = curve((690, 470), (760, 520), (730, 600), (800, 650), (780, 730))
    child = (
        fill(ellipse(186, 866, 60, 14), "#7C9A5B", 0.7)
        + solid(twin((186, 806), (214, 812), (222, 862), (186, 868), x=186), TOMATO, shade=(-8, -4), rim=3)
        + solid(circle(186, 788, 28), "#B97F56", shade=(-6, -6), rim=0)
        + solid(twin_poly((186, 744), (238, 782), (186, 786), x=186, r=8), "#E9CF9A", shade=(-5, -4), rim=2)
    )
    return (
        andes()
        + cloud(180, 220, 90)
        + cloud(820, 180, 66)
        + cloud(860, 520, 50, opacity=0.85)
        + line(cord, WHITE, 5)
        + child
        + tail(rag, 5, 26)
        + group(kite(600, 300, 208), turn=18, about=(600, 300))
    )


@picture("Cometa de agosto (carrete y cola)")
def kite_reel() -> str:
    reel = (
        cast(box(206, 300, 330, 360, r=30), 14, 20, 12, 0.3)
        + solid(
            box(346, 170, 54, 620, r=26),
            BEECH,
            grain((346, 170, 400, 790), BEECH, 6, 3, upright=True),
            shade=(-12, 0),
            rim=5,
        )
        + solid(
            box(200, 280, 346, 60, r=28),
            CEDAR,
            grain((200, 280, 546, 340), CEDAR, 9, 3),
            shade=(-10, -14),
            rim=5,
        )
        + solid(
            box(200, 620, 346, 60, r=28),
            CEDAR,
            grain((200, 620, 546, 680), CEDAR, 12, 3),
            shade=(-10, -14),
            rim=5,
        )
        + solid(
            box(238, 330, 270, 300, r=44),
            WHITE,
            "".join(
                line(
                    curve(
                        (230, 344 + n * 20), (372, 336 + n * 20 + (8 if n % 2 else -6)), (516, 350 + n * 20)
                    ),
                    "#DCC9A5",
                    5,
                )
                for n in range(15)
            ),
            shade=(-30, -16),
            rim=5,
        )
    )
    free = rope(curve((500, 600), (600, 560), (640, 640), (560, 760), (640, 850), (800, 880)), WHITE, 8, 7)
    rag = curve((640, 40), (760, 140), (680, 280), (780, 400), (730, 540), (800, 660))
    return flat("mint") + free + reel + tail(rag, 5, 74, skip=0)

"""What toys are made of: wood grain, stitches, fur, knitting, rope, beads and wheels."""

import math
from random import Random

from art.colour import BEECH, CREAM, darker, lighter
from art.paint import fill, gloss, line, solid
from art.shapes import Path, Point, arc, circle, curve, ellipse, leaf, polar, poly


def grain(
    area: tuple[float, float, float, float], colour: str, seed: int, lines: int = 9, upright: bool = False
) -> str:
    """Wood grain over (left, top, right, bottom): long wavering lines, some of them broken, and now and then a knot."""
    left, top, right, bottom = area
    if upright:
        left, top, right, bottom = top, left, bottom, right
    chance, vein = Random(seed), darker(colour, 0.13)
    strokes = []
    gap = (bottom - top) / lines
    for index in range(lines):
        y = top + gap * (index + 0.5) + chance.uniform(-0.3, 0.3) * gap
        begin = left + (right - left) * chance.choice((-0.05, -0.05, 0.1, 0.35))
        end = right - (right - left) * chance.choice((-0.05, -0.05, 0.12, 0.4))
        wave = gap * chance.uniform(0.1, 0.32)
        points = [(begin + (end - begin) * step / 4, y + chance.uniform(-wave, wave)) for step in range(5)]
        if upright:
            points = [(py, px) for px, py in points]
        strokes.append(line(curve(*points), vein, chance.choice((2.5, 3.5, 5)), opacity=0.75))
    return "".join(strokes)


def knot(cx: float, cy: float, size: float, colour: str) -> str:
    """An eye in the wood."""
    vein = darker(colour, 0.2)
    return (
        line(ellipse(cx, cy, size * 1.7, size), vein, 3, opacity=0.7)
        + line(ellipse(cx, cy, size * 1.05, size * 0.58), vein, 3, opacity=0.7)
        + fill(ellipse(cx, cy, size * 0.45, size * 0.25), vein, 0.8)
    )


def wooden(
    shape: Path, colour: str, seed: int, *details: str, upright: bool = False, lines: int = 9, **kind: object
) -> str:
    """A body of visible wood."""
    return solid(shape, colour, grain(shape.bounds(), colour, seed, lines, upright), *details, **kind)  # type: ignore[arg-type]


def stitches(path: Path, colour: str = CREAM, width: float = 4, length: float = 13, gap: float = 11) -> str:
    """A running stitch."""
    return line(path, colour, width, dash=f"{length} {gap}", opacity=0.9)


def tufts(area: Path, colour: str, seed: int, count: int, size: float = 16, fall: float = 90) -> str:
    """Short hairs scattered over a plush body; clip them to it."""
    chance = Random(seed)
    left, top, right, bottom = area.bounds()
    marks = []
    for _ in range(count):
        x, y = chance.uniform(left, right), chance.uniform(top, bottom)
        angle = fall + chance.uniform(-22, 22)
        bend = polar((x, y), size * 0.5, angle + 14)
        marks.append(line(curve((x, y), bend, polar((x, y), size, angle)), colour, 4, opacity=0.55))
    return "".join(marks)


def knit(area: tuple[float, float, float, float], colour: str, stitch: float = 22) -> str:
    """Rows of knitted V stitches over (left, top, right, bottom)."""
    left, top, right, bottom = area
    strokes: list[Path] = []
    y = top
    while y < bottom + stitch:
        x = left
        while x < right + stitch:
            half, rise = stitch / 2, stitch * 0.42
            strokes.append(poly((x, y - rise), (x + half, y + rise), (x + stitch, y - rise), closed=False))
            x += stitch
        y += stitch * 0.82
    return "".join(line(stroke, colour, stitch * 0.18, opacity=0.55) for stroke in strokes)


def rope(path: Path, colour: str, width: float = 12, twist: float = 10) -> str:
    """A twisted cord."""
    return (
        line(path, darker(colour, 0.22), width + 4)
        + line(path, colour, width)
        + line(path, darker(colour, 0.16), width * 0.86, dash=f"3 {number_of(twist)}", cap="butt")
    )


def number_of(value: float) -> str:
    """A dash length."""
    return f"{value:.1f}"


def wheel(cx: float, cy: float, radius: float, colour: str, hub: str = BEECH, tyre: str = "") -> str:
    """A wheel seen from the side, with tyre, disc and a pegged hub."""
    parts = []
    if tyre:
        parts.append(solid(circle(cx, cy, radius), tyre, shade=(-radius * 0.1, -radius * 0.12), rim=4))
        radius *= 0.72
    parts.append(
        solid(
            circle(cx, cy, radius),
            colour,
            line(circle(cx, cy, radius * 0.72), darker(colour, 0.16), max(3, radius * 0.06)),
            shade=(-radius * 0.16, -radius * 0.18),
            rim=max(3, radius * 0.06),
        )
    )
    parts.append(solid(circle(cx, cy, radius * 0.36), hub, shade=(-radius * 0.07, -radius * 0.08), rim=3))
    parts.append(fill(circle(cx, cy, radius * 0.12), darker(hub, 0.42)))
    return "".join(parts)


def bead(cx: float, cy: float, radius: float, colour: str) -> str:
    """A shiny round bead."""
    return solid(circle(cx, cy, radius), colour, shade=(-radius * 0.22, -radius * 0.26), rim=0) + gloss(
        (cx - radius * 0.52, cy - radius * 0.12),
        (cx - radius * 0.1, cy - radius * 0.55),
        -0.18,
        radius * 0.18,
        0.6,
    )


def screw(cx: float, cy: float, radius: float = 9, colour: str = "#9AA1A5") -> str:
    """A round-headed screw with its slot."""
    return (
        fill(circle(cx, cy, radius), colour)
        + fill(circle(cx - radius * 0.18, cy - radius * 0.2, radius * 0.66), lighter(colour, 0.35))
        + line(
            poly(
                (cx - radius * 0.5, cy + radius * 0.35), (cx + radius * 0.5, cy - radius * 0.35), closed=False
            ),
            darker(colour, 0.5),
            2.6,
        )
    )


def daisy(
    cx: float, cy: float, radius: float, colour: str, heart: str, count: int = 5, turn: float = -90
) -> str:
    """A painted flower: round petals about a dot."""
    ring = [polar((cx, cy), radius * 0.56, turn + 360 / count * index) for index in range(count)]
    return "".join(fill(circle(x, y, radius * 0.42), colour) for x, y in ring) + fill(
        circle(cx, cy, radius * 0.34), heart
    )


def sprig(base: Point, tip: Point, colour: str, leaves: int = 4, size: float = 30, width: float = 5) -> str:
    """A stem with pairs of painted leaves."""
    angle = math.degrees(math.atan2(tip[1] - base[1], tip[0] - base[0]))
    parts = [line(poly(base, tip, closed=False), colour, width)]
    for index in range(1, leaves + 1):
        share = index / (leaves + 0.4)
        spot = (base[0] + (tip[0] - base[0]) * share, base[1] + (tip[1] - base[1]) * share)
        for side in (-48, 48):
            parts.append(fill(leaf(spot, polar(spot, size, angle + side), size * 0.42), colour))
    parts.append(fill(leaf(tip, polar(tip, size, angle), size * 0.42), colour))
    return "".join(parts)


def note(x: float, y: float, size: float, colour: str, double: bool = False) -> str:
    """A musical note with its foot at (x, y)."""
    stem = 2.6 * size
    parts = [fill(ellipse(x, y, size * 0.72, size * 0.52).turn(-18, (x, y)), colour)]
    sx = x + size * 0.62
    if double:
        ox = x + size * 2.4
        parts.append(
            fill(
                ellipse(ox, y - size * 0.4, size * 0.72, size * 0.52).turn(-18, (ox, y - size * 0.4)), colour
            )
        )
        parts.append(
            line(
                poly(
                    (sx, y),
                    (sx, y - stem),
                    (ox + size * 0.62, y - stem - size * 0.4),
                    (ox + size * 0.62, y - size * 0.4),
                    closed=False,
                ),
                colour,
                size * 0.26,
            )
        )
        parts.append(
            line(
                poly((sx, y - stem + size * 0.5), (ox + size * 0.62, y - stem + size * 0.1), closed=False),
                colour,
                size * 0.4,
            )
        )
    else:
        parts.append(line(poly((sx, y), (sx, y - stem), closed=False), colour, size * 0.26))
        parts.append(
            line(
                curve(
                    (sx, y - stem),
                    (sx + size * 0.9, y - stem + size * 0.7),
                    (sx + size * 0.7, y - stem + size * 1.5),
                ),
                colour,
                size * 0.3,
            )
        )
    return "".join(parts)


def stripe(
    left: float, right: float, y: float, height: float, sag: float, colour: str, opacity: float = 1
) -> str:
    """A band painted round a turned body: it sags in the middle as a circle seen from above does. Clip it."""
    mid = (left + right) / 2
    over = curve((left, y), (mid, y + sag), (right, y))
    under = curve((right, y + height), (mid, y + height + sag), (left, y + height))
    joined = tuple(("L", points) if command == "M" else (command, points) for command, points in under.parts)
    return fill(Path((*over.parts, *joined, ("Z", ()))), colour, opacity)


def swish(
    centre: Point, radius: float, start: float, stop: float, colour: str, width: float = 8, squash: float = 1
) -> str:
    """A drawn mark of movement."""
    return line(arc(centre, radius, start, stop, squash), colour, width, opacity=0.8)

"""Dice and pips, in perspective."""

from art.colour import TOMATO, WHITE, darker, lighter
from art.paint import clip, fill
from art.shapes import Point, circle, poly


def die(
    cx: float, cy: float, size: float, top: int, left: int, right: int, colour: str = WHITE, pip: str = TOMATO
) -> str:
    """A die seen from a corner: its top, left and right faces."""
    s, h = size, size * 0.58
    faces = (
        (
            (cx, cy - s),
            (cx + s * 0.9, cy - s + h * 0.86),
            (cx, cy - s + 2 * h * 0.86),
            (cx - s * 0.9, cy - s + h * 0.86),
        ),
        (
            (cx - s * 0.9, cy - s + h * 0.86),
            (cx, cy - s + 2 * h * 0.86),
            (cx, cy + s * 0.96),
            (cx - s * 0.9, cy + s * 0.96 - h * 0.86),
        ),
        (
            (cx, cy - s + 2 * h * 0.86),
            (cx + s * 0.9, cy - s + h * 0.86),
            (cx + s * 0.9, cy + s * 0.96 - h * 0.86),
            (cx, cy + s * 0.96),
        ),
    )
    tones = (lighter(colour, 0.5), darker(colour, 0.06), darker(colour, 0.14))
    hull = poly(faces[0][0], faces[0][1], faces[2][2], faces[2][3], faces[1][3], faces[0][3], r=s * 0.24)
    parts = []
    for corners, tone, count in zip(faces, tones, (top, left, right), strict=True):
        parts.append(fill(poly(*corners, r=s * 0.12), tone))
        for u, v in PIPS[count]:
            parts.append(fill(spot(corners, u, v, s * 0.1), pip))
    return clip(hull, fill(hull, darker(colour, 0.03)), *parts)


PIPS: dict[int, tuple[Point, ...]] = {
    0: (),
    1: ((0.5, 0.5),),
    2: ((0.26, 0.26), (0.74, 0.74)),
    3: ((0.24, 0.24), (0.5, 0.5), (0.76, 0.76)),
    4: ((0.27, 0.27), (0.73, 0.27), (0.27, 0.73), (0.73, 0.73)),
    5: ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5)),
    6: ((0.27, 0.22), (0.73, 0.22), (0.27, 0.5), (0.73, 0.5), (0.27, 0.78), (0.73, 0.78)),
}


def spot(corners: tuple[Point, ...], u: float, v: float, radius: float):  # type: ignore[no-untyped-def]
    """A round spot drawn in the perspective of a face."""
    (ax, ay), (bx, by), _, (dx, dy) = corners
    ex, ey, fx, fy = bx - ax, by - ay, dx - ax, dy - ay
    cx, cy = ax + ex * u + fx * v, ay + ey * u + fy * v
    long = max(1.0, (ex * ex + ey * ey) ** 0.5)
    wide = max(1.0, (fx * fx + fy * fy) ** 0.5)
    return circle(0, 0, radius).warp(
        lambda p: (cx + p[0] * ex / long + p[1] * fx / wide, cy + p[0] * ey / long + p[1] * fy / wide)
    )

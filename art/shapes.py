"""Outlines: paths of straight and cubic strokes that can be moved, turned, mirrored and sampled.

Everything is drawn on a square of 960 units, y downward.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
CIRCLE = 0.5523  # how far a cubic's handles reach to follow a quarter circle


@dataclass(frozen=True)
class Path:
    """A chain of absolute M, L, C and Z commands."""

    parts: tuple[tuple[str, tuple[Point, ...]], ...]

    @property
    def d(self) -> str:
        """The text of an SVG `d` attribute, to a tenth of a unit."""
        return "".join(
            command + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) for command, points in self.parts
        )

    def __add__(self, other: "Path") -> "Path":
        return Path(self.parts + other.parts)

    def warp(self, change: Callable[[Point], Point]) -> "Path":
        """Every point put through `change`."""
        return Path(
            tuple((command, tuple(change(point) for point in points)) for command, points in self.parts)
        )

    def move(self, dx: float, dy: float) -> "Path":
        """Shifted."""
        return self.warp(lambda p: (p[0] + dx, p[1] + dy))

    def turn(self, degrees: float, about: Point = (0, 0)) -> "Path":
        """Rotated clockwise (as seen) about a point."""
        return self.warp(lambda p: turned(p, degrees, about))

    def size(self, sx: float, sy: float | None = None, about: Point = (0, 0)) -> "Path":
        """Scaled about a point."""
        kx, ky, (ax, ay) = sx, sx if sy is None else sy, about
        return self.warp(lambda p: (ax + (p[0] - ax) * kx, ay + (p[1] - ay) * ky))

    def mirror(self, x: float = 480) -> "Path":
        """Reflected in a vertical line."""
        return self.warp(lambda p: (2 * x - p[0], p[1]))

    def bounds(self) -> tuple[float, float, float, float]:
        """left, top, right, bottom of all control points."""
        points = [point for _, group in self.parts for point in group]
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        return min(xs), min(ys), max(xs), max(ys)

    def sample(self, count: int) -> list[tuple[Point, float]]:
        """`count` points at even distances along the path, each with its direction in degrees."""
        dense = list(self._walk())
        lengths = [0.0]
        for (ax, ay), (bx, by) in pairwise(dense):
            lengths.append(lengths[-1] + math.hypot(bx - ax, by - ay))
        found, index = [], 0
        for number in range(count):
            goal = lengths[-1] * number / max(1, count - 1)
            while index < len(dense) - 2 and lengths[index + 1] < goal:
                index += 1
            (ax, ay), (bx, by) = dense[index], dense[index + 1]
            share = (goal - lengths[index]) / max(1e-6, lengths[index + 1] - lengths[index])
            angle = math.degrees(math.atan2(by - ay, bx - ax))
            found.append(((ax + (bx - ax) * share, ay + (by - ay) * share), angle))
        return found

    def _walk(self) -> Iterator[Point]:
        here: Point = (0, 0)
        start: Point = (0, 0)
        for command, points in self.parts:
            if command == "C":
                for step in range(1, 17):
                    yield cubic_at((here, *points), step / 16)
            elif command == "Z":
                yield start
            else:
                yield from points
            if command == "M":
                start = points[0]
            here = start if command == "Z" else points[-1]


def turned(point: Point, degrees: float, about: Point = (0, 0)) -> Point:
    """One point rotated about another."""
    angle, (ax, ay) = math.radians(degrees), about
    x, y = point[0] - ax, point[1] - ay
    return ax + x * math.cos(angle) - y * math.sin(angle), ay + x * math.sin(angle) + y * math.cos(angle)


def polar(centre: Point, radius: float, degrees: float) -> Point:
    """The point at `degrees` (0 = right, 90 = down) on a circle."""
    angle = math.radians(degrees)
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def cubic_at(stroke: tuple[Point, ...], share: float) -> Point:
    """The point at `share` of a cubic stroke's four points."""
    a, b, c, d = stroke
    t, u = share, 1 - share
    k = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
    x, y = (k[0] * a[n] + k[1] * b[n] + k[2] * c[n] + k[3] * d[n] for n in (0, 1))
    return x, y


def ellipse(cx: float, cy: float, rx: float, ry: float | None = None) -> Path:
    """An ellipse, or a circle when `ry` is left out."""
    ry = rx if ry is None else ry
    hx, hy = rx * CIRCLE, ry * CIRCLE
    return Path(
        (
            ("M", ((cx + rx, cy),)),
            ("C", ((cx + rx, cy + hy), (cx + hx, cy + ry), (cx, cy + ry))),
            ("C", ((cx - hx, cy + ry), (cx - rx, cy + hy), (cx - rx, cy))),
            ("C", ((cx - rx, cy - hy), (cx - hx, cy - ry), (cx, cy - ry))),
            ("C", ((cx + hx, cy - ry), (cx + rx, cy - hy), (cx + rx, cy))),
            ("Z", ()),
        )
    )


circle = ellipse


def poly(*points: Point, r: float | Sequence[float] = 0, closed: bool = True) -> Path:
    """Straight edges with corners rounded by `r` (one radius, or one a corner)."""
    radii = [r] * len(points) if isinstance(r, int | float) else list(r)
    parts: list[tuple[str, tuple[Point, ...]]] = []
    for index, corner in enumerate(points):
        ends = not closed and index in (0, len(points) - 1)
        before, after = points[index - 1], points[(index + 1) % len(points)]
        near = 0.0 if ends else min(radii[index], math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        enter, leave = toward(corner, before, near), toward(corner, after, near)
        parts.append(("L" if parts else "M", (enter,)))
        if near:
            parts.append(
                ("C", (toward(corner, before, near * 0.45), toward(corner, after, near * 0.45), leave))
            )
    if closed:
        parts.append(("Z", ()))
    return Path(tuple(parts))


def toward(here: Point, there: Point, distance: float) -> Point:
    """The point `distance` from `here` on the way to `there`."""
    whole = math.dist(here, there) or 1
    return here[0] + (there[0] - here[0]) * distance / whole, here[1] + (
        there[1] - here[1]
    ) * distance / whole


def box(x: float, y: float, width: float, height: float, r: float | Sequence[float] = 0) -> Path:
    """A rectangle; `r` rounds all corners or (top left, top right, bottom right, bottom left)."""
    return poly((x, y), (x + width, y), (x + width, y + height), (x, y + height), r=r)


def curve(*points: Point, closed: bool = False, ease: float = 1.0) -> Path:
    """A smooth stroke through the points; `ease` below 1 tightens the bends."""
    count, k = len(points), ease / 6
    parts: list[tuple[str, tuple[Point, ...]]] = [("M", (points[0],))]
    for index in range(count if closed else count - 1):
        a = points[index - 1] if closed or index else points[index]
        b, c = points[index], points[(index + 1) % count]
        d = points[(index + 2) % count] if closed or index + 2 < count else c
        one = (b[0] + (c[0] - a[0]) * k, b[1] + (c[1] - a[1]) * k)
        two = (c[0] - (d[0] - b[0]) * k, c[1] - (d[1] - b[1]) * k)
        parts.append(("C", (one, two, c)))
    if closed:
        parts.append(("Z", ()))
    return Path(tuple(parts))


def blob(*points: Point, ease: float = 1.0) -> Path:
    """A smooth closed outline through the points."""
    return curve(*points, closed=True, ease=ease)


def twin(*points: Point, x: float = 480, ease: float = 1.0) -> Path:
    """A blob symmetrical about a vertical: give the right half from top to bottom; end points on `x` join."""
    left = [(2 * x - px, py) for px, py in reversed(points) if abs(px - x) > 0.5]
    return blob(*points, *left, ease=ease)


def twin_poly(*points: Point, x: float = 480, r: float = 0) -> Path:
    """A polygon symmetrical about a vertical: give the right half from top to bottom."""
    left = [(2 * x - px, py) for px, py in reversed(points) if abs(px - x) > 0.5]
    return poly(*points, *left, r=r)


def leaf(base: Point, tip: Point, width: float, lean: float = 0.0) -> Path:
    """Pointed at both ends, `width` across the middle; `lean` bends it to one side."""
    dx, dy = tip[0] - base[0], tip[1] - base[1]
    long = math.hypot(dx, dy) or 1
    nx, ny = -dy / long, dx / long

    def at(share: float, side: float) -> Point:
        return base[0] + dx * share + nx * side, base[1] + dy * share + ny * side

    half = width * 0.67
    return Path(
        (
            ("M", (base,)),
            ("C", (at(0.3, half + lean), at(0.75, half + lean), tip)),
            ("C", (at(0.75, -half + lean), at(0.3, -half + lean), base)),
            ("Z", ()),
        )
    )


def drop(tip: Point, centre: Point, radius: float) -> Path:
    """A round drop about `centre` that runs out to `tip`."""
    angle = math.degrees(math.atan2(tip[1] - centre[1], tip[0] - centre[0]))
    ring = [polar(centre, radius, angle + step) for step in (70, 125, 180, 235, 290)]
    near = [
        polar(toward(centre, tip, math.dist(centre, tip) * 0.6), radius * 0.36, angle + side)
        for side in (-90, 90)
    ]
    return curve(tip, near[1], *ring, near[0], tip, ease=0.9)


def star(
    cx: float, cy: float, outer: float, inner: float, tips: int = 5, r: float = 0, turn: float = -90
) -> Path:
    """A star with `tips` rays."""
    step = 180 / tips
    points = [
        polar((cx, cy), inner if index % 2 else outer, turn + step * index) for index in range(tips * 2)
    ]
    return poly(*points, r=r)


def ngon(cx: float, cy: float, radius: float, sides: int, r: float = 0, turn: float = -90) -> Path:
    """A regular polygon."""
    return poly(*(polar((cx, cy), radius, turn + 360 / sides * index) for index in range(sides)), r=r)


def heart(cx: float, cy: float, width: float) -> Path:
    """A heart centred on (cx, cy)."""
    w = width / 2
    return Path(
        (
            ("M", ((cx, cy + w * 0.92),)),
            ("C", ((cx - w * 0.45, cy + w * 0.55), (cx - w, cy + w * 0.2), (cx - w, cy - w * 0.3))),
            ("C", ((cx - w, cy - w * 0.95), (cx - w * 0.2, cy - w * 1.02), (cx, cy - w * 0.42))),
            ("C", ((cx + w * 0.2, cy - w * 1.02), (cx + w, cy - w * 0.95), (cx + w, cy - w * 0.3))),
            ("C", ((cx + w, cy + w * 0.2), (cx + w * 0.45, cy + w * 0.55), (cx, cy + w * 0.92))),
            ("Z", ()),
        )
    )


def sector(centre: Point, outer: float, inner: float, start: float, stop: float) -> Path:
    """A slice of a ring from `start` to `stop` degrees; `inner` 0 makes a pie slice."""
    rim = arc(centre, outer, start, stop)
    back = arc(centre, inner, stop, start) if inner else poly(centre, centre, closed=False)
    joined = tuple(("L", points) if command == "M" else (command, points) for command, points in back.parts)
    return Path((*rim.parts, *joined, ("Z", ())))


def arc(centre: Point, radius: float, start: float, stop: float, squash: float = 1.0) -> Path:
    """An open arc; `squash` flattens it vertically."""
    pieces = max(1, math.ceil(abs(stop - start) / 60))
    step = (stop - start) / pieces
    reach = 4 / 3 * math.tan(math.radians(step) / 4) * radius
    cy = centre[1]

    def flat(point: Point) -> Point:
        return point[0], cy + (point[1] - cy) * squash

    parts: list[tuple[str, tuple[Point, ...]]] = [("M", (flat(polar(centre, radius, start)),))]
    for index in range(pieces):
        a, b = start + step * index, start + step * (index + 1)
        pa, pb = polar(centre, radius, a), polar(centre, radius, b)
        one = polar(pa, reach, a + 90)
        two = polar(pb, reach, b - 90)
        parts.append(("C", (flat(one), flat(two), flat(pb))))
    return Path(tuple(parts))


def arch(cx: float, base: float, outer: float, inner: float) -> Path:
    """A half ring standing on `base`, as an arch block."""
    return sector((cx, base), outer, inner, 180, 360)


def capsule(a: Point, b: Point, width: float) -> Path:
    """A bar with round ends."""
    angle = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
    one, two = arc(a, width / 2, angle + 90, angle + 270), arc(b, width / 2, angle - 90, angle + 90)
    joined = tuple(("L", points) if command == "M" else (command, points) for command, points in two.parts)
    return Path((*one.parts, *joined, ("Z", ())))


def petals(
    cx: float, cy: float, radius: float, count: int, width: float, turn: float = -90, start: float = 0
) -> Path:
    """A rosette of leaves that begin `start` from the centre."""
    whole: tuple[tuple[str, tuple[Point, ...]], ...] = ()
    for index in range(count):
        angle = turn + 360 / count * index
        whole += leaf(polar((cx, cy), start, angle), polar((cx, cy), radius, angle), width).parts
    return Path(whole)


def scalloped(cx: float, cy: float, radius: float, bumps: int, depth: float) -> Path:
    """A circle with a wavy rim."""
    points = [
        polar((cx, cy), radius + (depth if index % 2 else -depth), 180 / bumps * index)
        for index in range(bumps * 2)
    ]
    return blob(*points)


def furry(outline: Path, tufts: int, height: float, lean: float = 0.35) -> Path:
    """The outline with a saw-tooth of soft tufts."""
    spots = outline.sample(tufts * 2 + 1)[:-1]
    points = []
    for index, ((x, y), angle) in enumerate(spots):
        out = height * (1 if index % 2 else 0)
        away = polar((x, y), out, angle - 90)
        points.append(polar(away, out * lean, angle))
    return blob(*points, ease=0.7)


def join(paths: Iterable[Path]) -> Path:
    """Several outlines as one."""
    whole: tuple[tuple[str, tuple[Point, ...]], ...] = ()
    for path in paths:
        whole += path.parts
    return Path(whole)

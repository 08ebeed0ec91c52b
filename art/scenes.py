"""Grounds and places that toys are shown in, each filling the whole square."""

from collections.abc import Sequence
from random import Random

from art.colour import INK, LEAF, PINE, SUN, TINTS, WHITE, darker, lighter, mix
from art.materials import grain
from art.paint import clip, fill, line, solid
from art.shapes import Path, Point, arc, box, circle, curve, ellipse, leaf, poly, star


def plain(tint: str, horizon: float = 690) -> str:
    """A studio table: a tinted wall that turns softly into a slightly deeper floor."""
    wall = TINTS[tint]
    floor = curve(
        (-40, horizon + 26), (240, horizon + 4), (480, horizon - 4), (720, horizon + 4), (1000, horizon + 26)
    )
    return fill(box(0, 0, 960, 960), wall) + fill(closed_below(floor), darker(wall, 0.045))


def closed_below(edge: Path) -> Path:
    """The area under an open line from left to right."""
    return Path((*edge.parts, ("L", ((1000, 1000),)), ("L", ((-40, 1000),)), ("Z", ())))


def flat(tint: str) -> str:
    """Plain tinted paper, for things seen from above or very close."""
    return fill(box(0, 0, 960, 960), TINTS[tint])


def halo(tint: str, colour: str | None = None, cx: float = 480, cy: float = 470, radius: float = 350) -> str:
    """Tinted paper with one big lighter disc behind the toy."""
    wall = TINTS[tint]
    return fill(box(0, 0, 960, 960), wall) + fill(circle(cx, cy, radius), colour or lighter(wall, 0.5))


def planks(colour: str = PINE, seed: int = 1, width: float = 240) -> str:
    """A wooden floor or table from above."""
    parts = [fill(box(0, 0, 960, 960), lighter(colour, 0.3))]
    chance, x, tone = Random(seed), 0.0, lighter(colour, 0.3)
    while x < 960:
        board = mix(tone, colour, chance.uniform(0, 0.3))
        parts.append(
            clip(
                box(x, 0, width, 960),
                fill(box(x, 0, width, 960), board),
                grain((x, -20, x + width, 980), board, seed + int(x), 6, upright=True),
            )
        )
        parts.append(line(poly((x, 0), (x, 960), closed=False), darker(colour, 0.12), 4))
        x += width
    return "".join(parts)


def cloud(x: float, y: float, size: float, colour: str = WHITE, opacity: float = 1) -> str:
    """A flat-bottomed cloud of three puffs."""
    s = size
    whole = (
        Path(circle(x - s * 0.62, y - s * 0.2, s * 0.36).parts)
        + circle(x, y - s * 0.42, s * 0.58)
        + circle(x + s * 0.66, y - s * 0.18, s * 0.4)
        + box(x - s * 0.98, y - s * 0.34, s * 2.04, s * 0.56, r=s * 0.27)
    )
    return fill(whole, colour, opacity)


def mountains(colour: str, base: float, peaks: Sequence[Point], snow: bool = False) -> str:
    """A ridge drawn as soft peaks down to `base`."""
    ridge = curve(*peaks, ease=0.75)
    shape = Path((*ridge.parts, ("L", ((1000, base),)), ("L", ((-40, base),)), ("Z", ())))
    parts = [fill(shape, colour)]
    if snow:
        for x, y in peaks[1::2]:
            parts.append(
                fill(
                    poly(
                        (x, y - 4),
                        (x + 46, y + 54),
                        (x + 18, y + 44),
                        (x, y + 66),
                        (x - 20, y + 44),
                        (x - 46, y + 54),
                        r=12,
                    ),
                    WHITE,
                )
            )
    return "".join(parts)


def andes(tint: str = "sky", ground: str = "#BFD59A", horizon: float = 660) -> str:
    """Open country: two blue ridges and a meadow."""
    sky = TINTS[tint]
    far, near = mix("#7FA7B8", sky, 0.45), mix("#5F9184", sky, 0.25)
    meadow = curve(
        (-40, horizon + 30),
        (220, horizon - 8),
        (520, horizon + 14),
        (760, horizon - 14),
        (1000, horizon + 24),
    )
    return (
        fill(box(0, 0, 960, 960), sky)
        + mountains(
            far, 960, [(-40, 500), (110, 392), (250, 500), (420, 340), (610, 500), (780, 400), (1000, 540)]
        )
        + mountains(
            near,
            960,
            [(-40, 590), (60, 540), (200, 600), (340, 512), (500, 610), (680, 500), (860, 600), (1000, 560)],
        )
        + fill(closed_below(meadow), ground)
    )


def blades(spots: Sequence[Point], colour: str = LEAF, size: float = 26) -> str:
    """Little tufts of grass."""
    parts = []
    for x, y in spots:
        for dx in (-0.5, 0, 0.5):
            parts.append(
                fill(
                    leaf(
                        (x + dx * 10, y), (x + dx * size * 1.4, y - size * (1.1 - abs(dx) * 0.5)), size * 0.24
                    ),
                    colour,
                )
            )
    return "".join(parts)


def meadow(tint: str = "sky", ground: str = "#C6DA9E", horizon: float = 640) -> str:
    """A park: sky, a low hill and grass tufts."""
    hill = curve((-40, horizon + 40), (260, horizon - 16), (560, horizon + 10), (1000, horizon - 30))
    front = curve((-40, horizon + 150), (300, horizon + 120), (700, horizon + 160), (1000, horizon + 120))
    spots = [
        (90, horizon + 90),
        (250, horizon + 220),
        (860, horizon + 80),
        (730, horizon + 250),
        (420, horizon + 280),
        (910, horizon + 220),
    ]
    return (
        fill(box(0, 0, 960, 960), TINTS[tint])
        + fill(closed_below(hill), ground)
        + fill(closed_below(front), darker(ground, 0.07))
        + blades(spots, mix(ground, LEAF, 0.6))
    )


def night(horizon: float = 760, ground: str = "#2F4A5C") -> str:
    """A clear night with stars."""
    chance = Random(7)
    sky = "#243B5E"
    parts = [fill(box(0, 0, 960, 960), sky), fill(ellipse(480, 1000, 760, 420), mix(sky, "#4E6FA0", 0.45))]
    for _ in range(46):
        x, y, r = chance.uniform(20, 940), chance.uniform(20, horizon - 60), chance.choice((2.5, 3.5, 5))
        parts.append(fill(circle(x, y, r), "#FCEFC9", chance.uniform(0.5, 1)))
    for x, y, r in ((170, 150, 15), (790, 300, 13), (560, 110, 11)):
        parts.append(fill(star(x, y, r * 1.5, r * 0.55, 4), "#FDE9A9"))
    hill = curve((-40, horizon + 20), (240, horizon - 16), (600, horizon + 12), (1000, horizon - 10))
    return "".join(parts) + fill(closed_below(hill), ground)


def sea(level: float = 560, tint: str = "butter") -> str:
    """Bath water or a calm sea, with drawn ripples."""
    water = "#8CC4D6"
    edge = curve(
        (-40, level),
        (120, level + 12),
        (280, level - 10),
        (460, level + 10),
        (640, level - 10),
        (820, level + 10),
        (1000, level - 4),
    )
    parts = [fill(box(0, 0, 960, 960), TINTS[tint]), fill(closed_below(edge), water)]
    for x, y, w in (
        (120, level + 130, 90),
        (760, level + 90, 80),
        (300, level + 260, 110),
        (640, level + 300, 90),
        (850, level + 220, 70),
        (90, level + 330, 60),
    ):
        parts.append(
            line(
                curve((x - w, y), (x - w / 2, y - 12), (x, y), (x + w / 2, y + 12), (x + w, y)),
                lighter(water, 0.5),
                9,
            )
        )
    return "".join(parts)


def rug(tint: str, colour: str, band: str, radius: float = 400, cy: float = 560, squash: float = 1.0) -> str:
    """A round rug on the floor."""

    def ring(r: float) -> Path:
        return ellipse(480, cy, r, r * squash)

    fringe = "".join(
        line(
            poly(p, (p[0] + (p[0] - 480) * 0.05, p[1] + (p[1] - cy) * 0.05), closed=False),
            lighter(colour, 0.4),
            6,
        )
        for p, _ in ring(radius).sample(90)
    )
    return (
        flat(tint)
        + fringe
        + fill(ring(radius), colour)
        + line(ring(radius * 0.86), band, 16)
        + line(ring(radius * 0.72), lighter(colour, 0.35), 8, dash="4 26")
    )


def wall_and_floor(tint: str, floor: str = PINE, horizon: float = 660, seed: int = 3) -> str:
    """A room: tinted wall, a skirting board and wooden floor boards."""
    wood = lighter(floor, 0.25)
    parts = [fill(box(0, 0, 960, 960), TINTS[tint]), fill(box(0, horizon, 960, 300), wood)]
    parts.append(clip(box(0, horizon, 960, 300), grain((0, horizon, 960, 960), wood, seed, 7)))
    for y in (horizon + 84, horizon + 196):
        parts.append(line(poly((0, y), (960, y), closed=False), darker(wood, 0.12), 4))
    parts.append(solid(box(-20, horizon - 34, 1000, 36), WHITE, shade=(0, -8), rim=0))
    return "".join(parts)


def bunting(y: float, colours: tuple[str, ...], sag: float = 70) -> str:
    """A string of paper flags across the top."""
    cord = curve((-30, y), (225, y + sag), (480, y + sag * 1.25), (735, y + sag), (990, y))
    parts = [line(cord, INK, 4, opacity=0.55)]
    for index, ((x, py), angle) in enumerate(cord.sample(13)[1:-1]):
        flag = poly((x - 32, py), (x + 32, py), (x, py + 66), r=6).turn(angle, (x, py))
        parts.append(solid(flag, colours[index % len(colours)], shade=(-8, -4), rim=0))
    return "".join(parts)


def bush(x: float, y: float, size: float, colour: str = LEAF) -> str:
    """A round shrub."""
    shape = (
        circle(x - size * 0.6, y - size * 0.3, size * 0.5)
        + circle(x, y - size * 0.6, size * 0.66)
        + circle(x + size * 0.62, y - size * 0.28, size * 0.48)
        + box(x - size * 1.1, y - size * 0.42, size * 2.2, size * 0.42, r=size * 0.2)
    )
    return fill(shape, colour)


def sun(x: float, y: float, radius: float, colour: str = SUN) -> str:
    """A paper sun."""
    return fill(circle(x, y, radius), colour) + line(
        arc((x, y), radius * 1.28, 0, 359.9),
        colour,
        radius * 0.1,
        dash=f"{radius * 0.16:.0f} {radius * 0.3:.0f}",
    )

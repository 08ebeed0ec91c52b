"""Set de arena: bucket, spade, rake and moulds."""

from random import Random

from art.colour import INK, PINE, PINK, SKY, STEEL, SUN, TEAL, TOMATO, WALNUT, WHITE, darker, lighter
from art.faces import eyes, smile
from art.gallery import picture
from art.materials import grain
from art.paint import cast, clip, fill, group, line, shadow, solid
from art.scenes import closed_below, cloud, flat, plain, sun
from art.shapes import Path, blob, box, circle, curve, ellipse, polar, poly, sector, star


def bucket(x: float, base: float, s: float) -> str:
    """A painted tin bucket."""
    body = poly(
        (x - s * 0.54, base - s),
        (x + s * 0.54, base - s),
        (x + s * 0.4, base),
        (x - s * 0.4, base),
        r=(4, 4, s * 0.08, s * 0.08),
    )
    waves = fill(
        closed_below(
            curve(
                (x - s, base - s * 0.34),
                (x - s * 0.5, base - s * 0.42),
                (x - s * 0.1, base - s * 0.32),
                (x + s * 0.3, base - s * 0.42),
                (x + s, base - s * 0.32),
            )
        ),
        SKY,
    ) + line(
        curve(
            (x - s, base - s * 0.34),
            (x - s * 0.5, base - s * 0.42),
            (x - s * 0.1, base - s * 0.32),
            (x + s * 0.3, base - s * 0.42),
            (x + s, base - s * 0.32),
        ),
        WHITE,
        s * 0.03,
    )
    crab = (
        solid(ellipse(x, base - s * 0.56, s * 0.2, s * 0.13), TOMATO, shade=(-4, -4), rim=3)
        + "".join(
            line(
                curve(
                    (x + d * s * 0.17, base - s * 0.56),
                    (x + d * s * 0.3, base - s * 0.64),
                    (x + d * s * 0.28, base - s * 0.72),
                ),
                TOMATO,
                s * 0.05,
            )
            + fill(circle(x + d * s * 0.28, base - s * 0.74, s * 0.06), TOMATO)
            + line(
                poly((x + d * s * 0.14, base - s * 0.48), (x + d * s * 0.24, base - s * 0.42), closed=False),
                TOMATO,
                s * 0.035,
            )
            for d in (-1, 1)
        )
        + eyes(x, base - s * 0.6, s * 0.14, s * 0.03, INK)
        + smile(x, base - s * 0.53, s * 0.1, s * 0.04, INK, s * 0.015)
    )
    handle = line(
        curve(
            (x - s * 0.52, base - s * 0.94),
            (x - s * 0.4, base - s * 1.44),
            (x + s * 0.4, base - s * 1.44),
            (x + s * 0.52, base - s * 0.94),
        ),
        STEEL,
        s * 0.05,
    ) + line(
        poly((x - s * 0.16, base - s * 1.38), (x + s * 0.16, base - s * 1.38), closed=False), TOMATO, s * 0.12
    )
    return (
        handle
        + fill(ellipse(x, base - s, s * 0.54, s * 0.11), "#8E7F6A")
        + solid(body, SUN, waves, crab, shade=(-s * 0.13, 0), rim=5)
        + line(ellipse(x, base - s, s * 0.54, s * 0.11), lighter(STEEL, 0.2), s * 0.04)
        + "".join(
            solid(circle(x + d * s * 0.52, base - s * 0.94, s * 0.05), STEEL, shade=(-2, -3), rim=2)
            for d in (-1, 1)
        )
    )


def shovel(x: float, y: float, s: float, turn: float, colour: str = TOMATO) -> str:
    """A spade, blade down; (x, y) its middle."""
    return group(
        solid(
            box(x - s * 0.06, y - s * 0.8, s * 0.12, s * 0.9, r=s * 0.04),
            PINE,
            grain((x - s * 0.06, y - s, x + s * 0.06, y), PINE, 3, 2, upright=True),
            shade=(-4, 0),
            rim=3,
        )
        + solid(
            box(x - s * 0.22, y - s * 0.94, s * 0.44, s * 0.17, r=s * 0.08), colour, shade=(-4, -5), rim=3
        )
        + solid(
            poly(
                (x - s * 0.28, y + s * 0.04),
                (x + s * 0.28, y + s * 0.04),
                (x + s * 0.26, y + s * 0.6),
                (x, y + s * 0.8),
                (x - s * 0.26, y + s * 0.6),
                r=s * 0.09,
            ),
            colour,
            line(poly((x, y + s * 0.12), (x, y + s * 0.56), closed=False), darker(colour, 0.18), s * 0.05),
            shade=(-s * 0.06, -s * 0.06),
            rim=4,
        ),
        turn=turn,
        about=(x, y),
    )


def rake(x: float, y: float, s: float, turn: float, colour: str = TEAL) -> str:
    """A rake, teeth down; (x, y) its middle."""
    teeth = "".join(
        solid(
            box(x - s * 0.36 + n * s * 0.16, y + s * 0.3, s * 0.08, s * 0.36, r=s * 0.03),
            colour,
            shade=(-3, 0),
            rim=2,
        )
        for n in range(5)
    )
    return group(
        solid(
            box(x - s * 0.06, y - s * 0.8, s * 0.12, s * 1.06, r=s * 0.04),
            PINE,
            grain((x - s * 0.06, y - s, x + s * 0.06, y), PINE, 5, 2, upright=True),
            shade=(-4, 0),
            rim=3,
        )
        + solid(
            box(x - s * 0.22, y - s * 0.94, s * 0.44, s * 0.17, r=s * 0.08), colour, shade=(-4, -5), rim=3
        )
        + teeth
        + solid(
            box(x - s * 0.42, y + s * 0.2, s * 0.84, s * 0.18, r=s * 0.08), colour, shade=(-5, -6), rim=3
        ),
        turn=turn,
        about=(x, y),
    )


def star_mould(cx: float, cy: float, r: float, turn: float = 0) -> str:
    """A star-shaped mould from above."""
    outer, inner = (
        star(cx, cy, r, r * 0.52, 5, r * 0.16, turn - 90),
        star(cx, cy, r * 0.74, r * 0.38, 5, r * 0.12, turn - 90),
    )
    return (
        cast(outer, 10, 14, 8, 0.3)
        + solid(outer, PINK, shade=(-8, -9), rim=5)
        + fill(inner, darker(PINK, 0.2))
        + clip(inner, fill(inner.move(8, 10), darker(PINK, 0.08)))
    )


def shell_mould(cx: float, cy: float, r: float, turn: float = 0, colour: str = SKY) -> str:
    """A snail shell mould, ribs and all."""
    spiral = curve(*(polar((cx, cy), r * (0.86 - n * 0.045), 30 + n * 42) for n in range(18)))
    shape = circle(cx, cy, r)
    foot = blob(
        (cx + r * 0.3, cy + r * 0.66),
        (cx + r * 1.1, cy + r * 0.7),
        (cx + r * 1.2, cy + r * 0.98),
        (cx, cy + r * 1.0),
    )
    return group(
        cast(shape, 10, 14, 8, 0.3),
        solid(foot, colour, shade=(-5, -6), rim=3),
        solid(shape, colour, line(spiral, darker(colour, 0.2), r * 0.12), shade=(-8, -9), rim=5),
        turn=turn,
        about=(cx, cy),
    )


SAND = "#E5C68E"


def grains(area: tuple[float, float, float, float], seed: int, count: int = 90) -> str:
    """Loose sand."""
    chance, (left, top, right, bottom) = Random(seed), area
    return "".join(
        fill(
            circle(chance.uniform(left, right), chance.uniform(top, bottom), chance.choice((2, 3, 4))),
            darker(SAND, chance.choice((0.12, 0.2))),
            0.8,
        )
        for _ in range(count)
    )


@picture("set-de-arena-1")
def sand_set() -> str:
    return (
        plain("mint", 700)
        + shadow(440, 812, 260, 36)
        + shadow(770, 840, 140, 22)
        + shadow(170, 846, 110, 18)
        + shovel(290, 380, 300, 166)
        + rake(588, 380, 300, 194)
        + bucket(440, 806, 400)
        + star_mould(784, 770, 104, 10)
        + shell_mould(160, 780, 74, 0)
    )


@picture("set-de-arena-2")
def sand_castle() -> str:
    waves = closed_below(
        curve((-40, 420), (120, 432), (280, 414), (460, 432), (640, 412), (820, 430), (1000, 416))
    )
    beach = closed_below(curve((-40, 590), (200, 560), (480, 580), (760, 550), (1000, 580)))

    def tower_(x: float, base: float, w: float, h: float) -> str:
        body = poly(
            (x - w * 0.5, base), (x - w * 0.42, base - h), (x + w * 0.42, base - h), (x + w * 0.5, base), r=6
        )
        teeth = "".join(
            solid(
                box(x - w * 0.46 + n * w * 0.34, base - h - w * 0.2, w * 0.24, w * 0.26, r=5),
                darker(SAND, 0.06),
                shade=(-4, 0),
                rim=3,
            )
            for n in range(3)
        )
        return teeth + solid(
            body,
            darker(SAND, 0.06),
            grains(body.bounds(), int(x), 40),
            fill(
                box(x - w * 0.1, base - h * 0.72, w * 0.2, w * 0.36, r=(w * 0.1, w * 0.1, 2, 2)),
                darker(SAND, 0.4),
            ),
            shade=(-w * 0.12, 0),
            rim=4,
        )

    flag = line(poly((480, 210), (480, 340), closed=False), WALNUT, 9) + solid(
        poly((484, 212), (580, 242), (484, 274), r=5), TOMATO, shade=(-4, -5), rim=2
    )
    gate = fill(box(430, 700, 100, 130, r=(50, 50, 4, 4)), darker(SAND, 0.42))
    shells = "".join(
        fill(sector((x, y), r, 0, 180, 360), c)
        + "".join(
            line(poly((x, y), polar((x, y), r * 0.9, a), closed=False), darker(c, 0.16), 3)
            for a in (-150, -120, -90, -60, -30)
        )
        for x, y, r, c in (
            (330, 800, 22, PINK),
            (600, 806, 20, WHITE),
            (380, 640, 16, WHITE),
            (580, 644, 16, PINK),
        )
    )
    return (
        flat("butter")
        + sun(790, 150, 62)
        + cloud(220, 170, 84)
        + fill(waves, "#8CC4D6")
        + line(curve((-20, 500), (160, 510), (340, 496), (560, 512), (760, 496), (980, 506)), "#D8EEF2", 9)
        + fill(beach, SAND)
        + line(curve((-40, 584), (200, 556), (480, 576), (760, 546), (1000, 574)), WHITE, 12)
        + grains((0, 620, 960, 960), 3)
        + shadow(480, 836, 330, 30, 0.6)
        + flag
        + tower_(480, 700, 170, 320)
        + tower_(270, 830, 150, 260)
        + tower_(690, 830, 150, 260)
        + solid(
            box(300, 650, 360, 180, r=8),
            darker(SAND, 0.03),
            grains((300, 650, 660, 830), 8, 70),
            shade=(-14, 0),
            rim=4,
        )
        + "".join(
            solid(box(316 + n * 60, 624, 34, 40, r=5), darker(SAND, 0.03), shade=(-4, 0), rim=3)
            for n in range(6)
        )
        + gate
        + shells
        + bucket(860, 910, 170)
        + shovel(120, 830, 180, 20)
    )


@picture("set-de-arena-3")
def sand_moulds() -> str:
    def print_of(shape: Path) -> str:
        return (
            fill(shape, darker(SAND, 0.16))
            + clip(shape, fill(shape.move(12, 14), darker(SAND, 0.05)))
            + line(shape, lighter(SAND, 0.4), 7, opacity=0.8)
        )

    spiral = curve(*(polar((690, 700), 110 * (0.86 - n * 0.045), 30 + n * 42) for n in range(18)))
    return (
        fill(box(0, 0, 960, 960), SAND)
        + "".join(
            line(curve((-20, y), (240, y - 16), (480, y), (720, y + 16), (980, y)), darker(SAND, 0.07), 8)
            for y in range(60, 960, 74)
        )
        + grains((0, 0, 960, 960), 5, 140)
        + print_of(star(270, 690, 150, 78, 5, 22, -80))
        + print_of(circle(690, 700, 126))
        + line(spiral, darker(SAND, 0.22), 14)
        + star_mould(280, 280, 176, -12)
        + shell_mould(670, 270, 140, 8)
        + fill(star(490, 500, 50, 24, 5, 8), darker(SAND, 0.14))
    )

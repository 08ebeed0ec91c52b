"""Torre tambaleante: slats with painted ends."""

from random import Random

from art.colour import BEECH, CREAM, PINE, PINK, PLUM, SKY, SUN, TEAL, TOMATO, lighter
from art.gallery import picture
from art.materials import grain, swish
from art.paint import fill, group, line, shadow, solid
from art.scenes import flat, halo, plain
from art.shapes import box, poly

ENDS = (TOMATO, SUN, TEAL, SKY, PINK, PLUM)


def slat_long(x: float, y: float, w: float, h: float, seed: int) -> str:
    """A slat from its long side."""
    shape = box(x, y, w, h, r=6)
    return solid(
        shape,
        (PINE, BEECH, lighter(PINE, 0.25))[seed % 3],
        grain(shape.bounds(), PINE, seed, 3),
        shade=(-6, -7),
        rim=3,
    )


def slat_end(x: float, y: float, w: float, h: float, colour: str) -> str:
    """A slat from its painted end."""
    return solid(
        box(x, y, w, h, r=6),
        colour,
        line(box(x + 5, y + 5, w - 10, h - 10, r=4), lighter(colour, 0.25), 3, opacity=0.6),
        shade=(-5, -6),
        rim=3,
    )


def tower(
    floors: int, x: float, base: float, width: float, height: float, gaps: dict[tuple[int, int], float]
) -> str:
    """Alternate floors of one long side and three ends; `gaps` moves a slat sideways (or away, at 999)."""
    parts = []
    for floor in range(floors):
        y = base - (floor + 1) * height
        if floor % 2:
            parts.append(slat_long(x + gaps.get((floor, 0), 0), y, width, height, floor * 3 + 1))
        else:
            for n in range(3):
                shift = gaps.get((floor, n), 0)
                if shift != 999:
                    parts.append(
                        slat_end(
                            x + n * width / 3 + shift, y, width / 3, height, ENDS[(floor * 2 + n * 5) % 6]
                        )
                    )
                else:
                    parts.append(fill(box(x + n * width / 3, y, width / 3, height), "#6B4A38"))
    return "".join(parts)


@picture("torre-tambaleante-1")
def tower_front() -> str:
    gaps = {(2, 1): 999.0, (5, 0): 36.0, (8, 2): 999.0, (9, 0): -30.0, (11, 0): 18.0, (6, 0): 999.0}
    loose = group(slat_long(120, 790, 170, 44, 5), turn=-6, about=(200, 800)) + group(
        slat_long(700, 800, 170, 44, 7), turn=8, about=(780, 810)
    )
    return (
        plain("rose", 740)
        + shadow(480, 838, 220, 34)
        + shadow(210, 846, 110, 14)
        + shadow(790, 856, 110, 14)
        + group(tower(14, 330, 836, 300, 50, gaps), turn=1.6, about=(480, 836))
        + loose
        + die_of_colours(196, 730, 54)
    )


def die_of_colours(cx: float, cy: float, size: float) -> str:
    """A die whose faces are painted instead of numbered."""
    s, h = size, size * 0.5
    top = poly(
        (cx, cy - s), (cx + s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx - s * 0.9, cy - s + h), r=s * 0.1
    )
    left = poly(
        (cx - s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx, cy + s), (cx - s * 0.9, cy + s - h), r=s * 0.1
    )
    right = poly(
        (cx + s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx, cy + s), (cx + s * 0.9, cy + s - h), r=s * 0.1
    )
    return shadow(cx, cy + s, s * 1.1, s * 0.24) + "".join(
        solid(shape, CREAM, fill(shape.size(0.66, about=(mx, my)), tone), shade=(0, 0), rim=2)
        for shape, tone, mx, my in (
            (top, TOMATO, cx, cy - s + h),
            (left, SUN, cx - s * 0.45, cy + h * 0.5),
            (right, TEAL, cx + s * 0.45, cy + h * 0.5),
        )
    )


@picture("torre-tambaleante-2")
def tower_fall() -> str:
    chance = Random(14)
    flying = ""
    for n in range(13):
        x, y, t = chance.uniform(180, 800), chance.uniform(130, 600), chance.uniform(-70, 70)
        piece = (
            slat_long(x - 85, y - 22, 170, 44, n) if n % 3 else slat_end(x - 40, y - 22, 80, 44, ENDS[n % 6])
        )
        flying += group(piece, turn=t, about=(x, y))
    pile = "".join(
        group(slat_long(x, y, 180, 46, n + 20), turn=t, about=(x + 90, y))
        for n, (x, y, t) in enumerate(
            ((130, 800, 6), (640, 804, -8), (700, 760, 22), (180, 760, -24), (560, 836, 4))
        )
    )
    whoosh = swish((480, 800), 500, -128, -108, TOMATO, 11) + swish((480, 800), 560, -72, -52, SUN, 11)
    return (
        halo("butter", radius=400, cy=440)
        + shadow(480, 850, 400, 40)
        + whoosh
        + group(tower(5, 350, 846, 260, 48, {}), turn=-3, about=(480, 846))
        + group(tower(3, 350, 590, 260, 48, {}), turn=-17, about=(480, 590))
        + flying
        + pile
    )


@picture("torre-tambaleante-3")
def tower_detail() -> str:
    return (
        flat("rose")
        + tower(6, 70, 990, 630, 150, {(2, 1): 999.0, (5, 0): 40.0})
        + group(die_of_colours(812, 760, 96))
    )

"""Mi primera huerta: pots, seeds and a watering can."""

from art.colour import BRASS, CLAY, CREAM, LEAF, STEEL, SUN, TEAL, TOMATO, darker
from art.faces import cheeks, eyes, smile
from art.gallery import picture
from art.lettering import words
from art.materials import daisy, stripe
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, halo, plain
from art.shapes import arc, box, capsule, circle, curve, leaf, polar, poly


def clay_pot(x: float, base: float, s: float, *plant: str) -> str:
    """A terracotta pot standing on `base` with what grows in it."""
    bowl = poly(
        (x - s * 0.44, base - s * 0.66),
        (x + s * 0.44, base - s * 0.66),
        (x + s * 0.32, base),
        (x - s * 0.32, base),
        r=s * 0.06,
    )
    return (
        "".join(plant)
        + solid(
            bowl,
            CLAY,
            line(
                curve((x - s * 0.4, base - s * 0.36), (x, base - s * 0.3), (x + s * 0.4, base - s * 0.36)),
                CREAM,
                s * 0.04,
                dash=f"{s * 0.1:.0f} {s * 0.08:.0f}",
            ),
            shade=(-s * 0.13, 0),
            rim=4,
        )
        + solid(
            box(x - s * 0.52, base - s * 0.84, s * 1.04, s * 0.24, r=s * 0.06),
            CLAY,
            shade=(-s * 0.12, -s * 0.06),
            rim=4,
        )
    )


def coriander(x: float, y: float, s: float) -> str:
    """Leafy stems."""
    parts = ""
    for a in (-130, -110, -90, -70, -50):
        tip = polar((x, y), s * (1.0 if a == -90 else 0.86), a)
        parts += line(curve((x, y), polar((x, y), s * 0.5, a + 6), tip), "#5E9B45", s * 0.05)
        parts += "".join(
            fill(circle(tip[0] + dx * s, tip[1] + dy * s, s * 0.13), c)
            for dx, dy, c in ((0, -0.06, "#79AE57"), (-0.14, 0.04, "#6BA34C"), (0.14, 0.04, "#6BA34C"))
        )
    return parts


def radish(x: float, y: float, s: float) -> str:
    """A radish showing its shoulder."""
    leaves = "".join(
        solid(
            leaf((x, y), polar((x, y), s * 0.9, a), s * 0.36),
            "#6BA34C",
            line(curve((x, y), polar((x, y), s * 0.7, a)), "#4C8A3E", 4),
            shade=(-4, -4),
            rim=2,
        )
        for a in (-140, -40, -112, -68, -90)
    )
    return leaves + solid(circle(x, y + s * 0.12, s * 0.26), "#D8366B", shade=(-5, -6), rim=3)


def sunflower(x: float, y: float, r: float, stem_to: float, face: bool = False) -> str:
    """A sunflower on its stem."""
    rays = "".join(
        solid(
            leaf(polar((x, y), r * 0.5, a), polar((x, y), r * 1.12, a), r * 0.36),
            SUN if n % 2 else "#F0A01E",
            shade=(-3, -4),
            rim=2,
        )
        for n, a in enumerate(range(0, 360, 20))
    )
    seeds = (
        "".join(
            fill(circle(*polar((x, y), r * q, a + q * 40), r * 0.035), "#5B3420")
            for q in (0.22, 0.36, 0.5)
            for a in range(0, 360, 36)
        )
        if not face
        else ""
    )
    smile_ = (
        eyes(x, y - r * 0.06, r * 0.42, r * 0.07, "#2A1A12")
        + smile(x, y + r * 0.14, r * 0.34, r * 0.14, "#2A1A12", r * 0.05)
        + cheeks(x, y + r * 0.12, r * 0.7, r * 0.09, TOMATO, 0.6)
        if face
        else ""
    )
    stem = line(curve((x, y), (x + r * 0.1, (y + stem_to) / 2), (x, stem_to)), "#5E9B45", r * 0.16)
    leaves = fill(
        leaf((x, y + (stem_to - y) * 0.62), (x + r * 0.9, y + (stem_to - y) * 0.44), r * 0.4), "#6BA34C"
    ) + fill(leaf((x, y + (stem_to - y) * 0.74), (x - r * 0.9, y + (stem_to - y) * 0.58), r * 0.4), "#79AE57")
    return (
        stem
        + leaves
        + rays
        + solid(circle(x, y, r * 0.58), "#8A5A33", seeds, shade=(-r * 0.07, -r * 0.08), rim=3)
        + smile_
    )


def watering_can(x: float, base: float, s: float) -> str:
    """A small green can, spout to the left."""
    body = poly(
        (x - s * 0.4, base - s * 0.86),
        (x + s * 0.4, base - s * 0.86),
        (x + s * 0.5, base),
        (x - s * 0.5, base),
        r=s * 0.08,
    )
    spout = poly(
        (x - s * 0.44, base - s * 0.2),
        (x - s * 0.44, base - s * 0.44),
        (x - s * 0.98, base - s * 0.94),
        (x - s * 1.08, base - s * 0.84),
        r=s * 0.03,
    )
    rose = group(
        solid(
            poly(
                (x - s * 1.14, base - s * 1.06),
                (x - s * 0.86, base - s * 0.94),
                (x - s * 0.98, base - s * 0.8),
                (x - s * 1.22, base - s * 0.86),
                r=s * 0.04,
            ),
            BRASS,
            shade=(-4, -5),
            rim=3,
        )
    )
    return (
        line(arc((x + s * 0.5, base - s * 0.5), s * 0.4, -100, 80), darker(TEAL, 0.25), s * 0.14)
        + line(arc((x + s * 0.5, base - s * 0.5), s * 0.4, -100, 80), TEAL, s * 0.1)
        + line(arc((x, base - s * 0.8), s * 0.36, 190, 350), TEAL, s * 0.09)
        + solid(spout, TEAL, shade=(-4, -8), rim=4)
        + rose
        + solid(
            body,
            TEAL,
            stripe(x - s, x + s, base - s * 0.66, s * 0.06, s * 0.05, SUN),
            daisy(x, base - s * 0.32, s * 0.19, CREAM, SUN),
            shade=(-s * 0.14, 0),
            rim=5,
        )
    )


@picture("Mi primera huerta (materas)")
def garden_pots() -> str:
    return (
        plain("butter", 720)
        + shadow(190, 800, 120, 20)
        + shadow(420, 822, 130, 22)
        + shadow(640, 800, 110, 20)
        + shadow(800, 850, 120, 20)
        + clay_pot(420, 820, 240, sunflower(420, 260, 118, 660))
        + clay_pot(180, 800, 210, coriander(180, 630, 200))
        + clay_pot(640, 800, 200, radish(640, 640, 180))
        + watering_can(800, 850, 150)
    )


@picture("Mi primera huerta (semillas)")
def garden_seeds() -> str:
    def packet(cx: float, cy: float, name: str, ground: str, drawn: str, turn: float) -> str:
        sheet = box(cx - 120, cy - 170, 240, 340, r=12)
        zigzag = "".join(
            fill(
                poly(
                    (cx - 120 + n * 24, cy - 170), (cx - 96 + n * 24, cy - 170), (cx - 108 + n * 24, cy - 156)
                ),
                darker(ground, 0.2),
            )
            for n in range(10)
        )
        return group(
            cast(sheet, 12, 18, 10, 0.3),
            solid(
                sheet,
                ground,
                zigzag,
                fill(circle(cx, cy - 10, 96), CREAM),
                drawn,
                fill(words(name, cx, cy + 140, 46, 600), CREAM),
                shade=(-7, -8),
                rim=4,
            ),
            turn=turn,
            about=(cx, cy),
        )

    trowel = (
        line(poly((640, 700), (500, 790), closed=False), STEEL, 24)
        + solid(
            leaf((530, 772), (300, 900), 140),
            STEEL,
            line(poly((500, 790), (350, 872), closed=False), darker(STEEL, 0.2), 6),
            shade=(-8, -10),
            rim=4,
        )
        + solid(capsule((660, 688), (800, 600), 52), TOMATO, shade=(-8, -12), rim=4)
    )
    seeds = "".join(
        fill(leaf((x, y), (x + 22, y + 10), 14), c)
        for x, y, c in (
            (700, 800, "#5B4033"),
            (750, 840, "#5B4033"),
            (790, 790, "#8A6A4C"),
            (840, 850, "#5B4033"),
            (860, 780, "#8A6A4C"),
            (680, 870, "#8A6A4C"),
        )
    )
    return (
        flat("mint")
        + packet(220, 290, "cilantro", LEAF, coriander(220, 350, 120), -9)
        + packet(740, 300, "rábano", "#C8436F", radish(740, 320, 104), 8)
        + packet(480, 270, "girasol", "#D98A1F", sunflower(480, 240, 62, 346), 0)
        + cast(capsule((340, 880), (800, 610), 60), 12, 18, 10, 0.28)
        + trowel
        + seeds
    )


@picture("Mi primera huerta (girasol)")
def garden_sunflower() -> str:
    return halo("sky", cy=400, radius=380) + clay_pot(480, 1010, 330, sunflower(480, 390, 270, 790, True))

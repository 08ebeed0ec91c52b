"""Teatro de títeres: curtains, a dragon and a princess."""

from art.colour import (
    COCOA,
    CREAM,
    INK,
    OAK,
    ORANGE,
    PINK,
    SUN,
    TEAL,
    TOMATO,
    TOMATO_DARK,
    WHITE,
    darker,
    lighter,
)
from art.faces import cheeks, eye, eyes, smile
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.paint import clip, fill, flip, line, shadow, solid
from art.parts.people import SKIN
from art.scenes import closed_below, plain
from art.shapes import blob, box, circle, curve, ellipse, poly, sector, star, twin


def dragon(x: float, y: float, s: float) -> str:
    """A green glove puppet; (x, y) is the bottom of its skirt."""
    green = "#58A552"
    robe = twin((x, y - s * 1.1), (x + s * 0.34, y - s * 1.0), (x + s * 0.46, y), (x, y + s * 0.02), x=x)
    arm = solid(
        blob(
            (x + s * 0.24, y - s * 0.9),
            (x + s * 0.6, y - s * 0.96),
            (x + s * 0.72, y - s * 0.8),
            (x + s * 0.3, y - s * 0.64),
        ),
        green,
        shade=(-4, -5),
        rim=3,
    )
    spikes = "".join(
        solid(
            poly(
                (x + dx * s - s * 0.1, y + dy * s),
                (x + dx * s + s * 0.12, y + dy * s),
                (x + dx * s + s * 0.03, y + dy * s - s * 0.22),
                r=s * 0.03,
            ),
            ORANGE,
            shade=(-3, -3),
            rim=0,
        )
        for dx, dy in ((-0.06, -1.92), (0.16, -1.9), (0.34, -1.76))
    )
    head = blob(
        (x - s * 0.3, y - s * 1.84),
        (x + s * 0.26, y - s * 1.94),
        (x + s * 0.48, y - s * 1.5),
        (x + s * 0.3, y - s * 1.06),
        (x - s * 0.2, y - s * 1.08),
        (x - s * 0.64, y - s * 1.18),
        (x - s * 0.74, y - s * 1.44),
        (x - s * 0.44, y - s * 1.56),
    )
    return (
        solid(
            robe,
            green,
            fill(
                twin((x, y - s * 0.9), (x + s * 0.22, y - s * 0.84), (x + s * 0.26, y), (x, y), x=x),
                "#DCE7A5",
            ),
            *(
                line(
                    curve((x - s * 0.22, y - s * h), (x, y - s * (h - 0.04)), (x + s * 0.22, y - s * h)),
                    "#B9CB78",
                    4,
                )
                for h in (0.7, 0.5, 0.3, 0.12)
            ),
            shade=(-s * 0.07, 0),
            rim=4,
        )
        + arm
        + flip(arm, x=x)
        + spikes
        + solid(head, green, shade=(-s * 0.08, -s * 0.08), rim=4)
        + "".join(
            fill(ellipse(x - s * n, y - s * 1.42, s * 0.035, s * 0.05), darker(green, 0.4))
            for n in (0.64, 0.5)
        )
        + line(
            curve((x - s * 0.68, y - s * 1.24), (x - s * 0.4, y - s * 1.16), (x - s * 0.06, y - s * 1.28)),
            darker(green, 0.45),
            s * 0.045,
        )
        + fill(
            poly((x - s * 0.5, y - s * 1.21), (x - s * 0.4, y - s * 1.2), (x - s * 0.46, y - s * 1.1), r=2),
            WHITE,
        )
        + fill(circle(x - s * 0.08, y - s * 1.6, s * 0.14), WHITE)
        + eye(x - s * 0.1, y - s * 1.59, s * 0.09, INK)
        + fill(ellipse(x + s * 0.1, y - s * 1.34, s * 0.1, s * 0.07), TOMATO, 0.4)
    )


def princess(x: float, y: float, s: float) -> str:
    """A glove puppet with a paper crown; (x, y) is the bottom of her skirt."""
    robe = twin((x, y - s * 1.1), (x + s * 0.3, y - s * 1.0), (x + s * 0.5, y), (x, y + s * 0.02), x=x)
    arm = solid(
        blob(
            (x + s * 0.2, y - s * 0.94),
            (x + s * 0.6, y - s * 1.0),
            (x + s * 0.62, y - s * 0.78),
            (x + s * 0.28, y - s * 0.64),
        ),
        PINK,
        shade=(-4, -5),
        rim=3,
    ) + solid(circle(x + s * 0.68, y - s * 0.9, s * 0.11), SKIN, shade=(-3, -3), rim=2)
    hair = twin(
        (x, y - s * 1.92),
        (x + s * 0.5, y - s * 1.7),
        (x + s * 0.5, y - s * 1.06),
        (x + s * 0.3, y - s * 1.0),
        (x, y - s * 1.2),
        x=x,
    )
    face = twin(
        (x, y - s * 1.8), (x + s * 0.36, y - s * 1.64), (x + s * 0.36, y - s * 1.28), (x, y - s * 1.04), x=x
    )
    fringe = blob(
        (x - s * 0.44, y - s * 1.36),
        (x - s * 0.36, y - s * 1.78),
        (x, y - s * 1.92),
        (x + s * 0.36, y - s * 1.78),
        (x + s * 0.44, y - s * 1.36),
        (x + s * 0.2, y - s * 1.64),
        (x - s * 0.1, y - s * 1.62),
    )
    crown = poly(
        (x - s * 0.3, y - s * 1.82),
        (x - s * 0.34, y - s * 2.16),
        (x - s * 0.14, y - s * 2.0),
        (x, y - s * 2.24),
        (x + s * 0.14, y - s * 2.0),
        (x + s * 0.34, y - s * 2.16),
        (x + s * 0.3, y - s * 1.82),
        r=s * 0.03,
    )
    return (
        solid(hair, "#7A3F2A", shade=(-s * 0.06, -s * 0.06), rim=3)
        + solid(
            robe,
            PINK,
            *(
                fill(star(x + dx * s, y + dy * s, s * 0.09, s * 0.04, 5), CREAM)
                for dx, dy in ((-0.2, -0.3), (0.16, -0.5), (0.3, -0.16), (-0.06, -0.72), (0.02, -0.1))
            ),
            line(curve((x - s * 0.5, y - s * 0.05), (x, y), (x + s * 0.5, y - s * 0.05)), SUN, s * 0.08),
            shade=(-s * 0.08, 0),
            rim=4,
        )
        + arm
        + flip(arm, x=x)
        + solid(face, SKIN, shade=(-s * 0.06, -s * 0.07), rim=3)
        + eyes(x, y - s * 1.4, s * 0.34, s * 0.055, COCOA)
        + smile(x, y - s * 1.24, s * 0.2, s * 0.07, TOMATO_DARK, s * 0.035)
        + cheeks(x, y - s * 1.28, s * 0.5, s * 0.075)
        + solid(fringe, "#7A3F2A", shade=(-s * 0.03, -s * 0.03), rim=0)
        + solid(
            crown,
            SUN,
            *(fill(circle(x + d * s * 0.17, y - s * 1.92, s * 0.045), TOMATO) for d in (-1, 0, 1)),
            shade=(-4, -4),
            rim=3,
        )
    )


def curtain(x: float, top: float, width: float, height: float) -> str:
    """A gathered red drape tied to the left."""
    shape = blob(
        (x, top),
        (x + width, top),
        (x + width * 0.86, top + height * 0.4),
        (x + width * 0.34, top + height * 0.68),
        (x + width * 0.56, top + height),
        (x, top + height),
        ease=0.7,
    )
    folds = "".join(
        line(
            curve(
                (x + width * u, top),
                (x + width * u * 0.8, top + height * 0.4),
                (x + width * u * 0.36, top + height * 0.68),
            ),
            darker(TOMATO, 0.2),
            7,
        )
        for u in (0.22, 0.44, 0.66, 0.86)
    )
    return solid(shape, TOMATO, folds, shade=(-14, -10), rim=4) + line(
        curve(
            (x, top + height * 0.64),
            (x + width * 0.2, top + height * 0.7),
            (x + width * 0.38, top + height * 0.67),
        ),
        SUN,
        16,
    )


def valance(left: float, right: float, top: float, depth: float, count: int) -> str:
    """Scalloped edge over the stage."""
    step = (right - left) / count
    return "".join(
        solid(
            sector((left + step * (n + 0.5), top), step * 0.52, 0, 0, 180).size(
                1, depth / (step * 0.52), (0, top)
            ),
            TOMATO if n % 2 else SUN,
            shade=(-5, -6),
            rim=2,
        )
        for n in range(count)
    )


def stage(x: float, top: float, width: float, height: float) -> str:
    """The opening with its painted backdrop."""
    opening = box(x, top, width, height)
    hills = closed_below(
        curve(
            (x - 20, top + height * 0.74),
            (x + width * 0.3, top + height * 0.6),
            (x + width * 0.66, top + height * 0.78),
            (x + width + 20, top + height * 0.62),
        )
    )
    return clip(
        opening,
        fill(opening, "#3B4F86"),
        fill(circle(x + width * 0.76, top + height * 0.26, width * 0.07), "#FBE7A8"),
        *(
            fill(star(x + width * u, top + height * v, 10, 4.4, 5), "#FBE7A8")
            for u, v in ((0.24, 0.2), (0.4, 0.34), (0.54, 0.16), (0.88, 0.46), (0.14, 0.44))
        ),
        fill(hills, "#3F7F62"),
    )


def theatre() -> str:
    """The whole booth."""
    roof = poly((480, 80), (800, 224), (160, 224), r=18)
    body = box(180, 216, 600, 620, r=(8, 8, 14, 14))
    stripes = "".join(fill(box(180 + n * 100, 570, 50, 270), lighter(TEAL, 0.16)) for n in range(6))
    board = box(350, 630, 260, 140, r=18)
    return (
        solid(body, TEAL, stripes, shade=(-22, -14), rim=6)
        + stage(230, 260, 500, 300)
        + dragon(590, 572, 116)
        + princess(380, 572, 112)
        + curtain(230, 260, 150, 300)
        + flip(curtain(230, 260, 150, 300))
        + valance(222, 738, 258, 50, 9)
        + solid(
            box(200, 544, 560, 40, r=10), OAK, grain((200, 544, 760, 584), OAK, 3, 3), shade=(0, -10), rim=4
        )
        + solid(
            roof,
            SUN,
            fill(star(480, 170, 46, 20, 5, 5), TOMATO),
            *(
                fill(circle(480 + d * x, y, 11), WHITE)
                for d in (-1, 1)
                for x, y in ((110, 196), (180, 206), (250, 212))
            ),
            shade=(-16, -12),
            rim=6,
        )
        + solid(
            board,
            "#33413F",
            line(box(350, 630, 260, 140, r=18), OAK, 16),
            fill(words("Función", 480, 696, 54, 600), WHITE),
            fill(words("hoy 4 p. m.", 480, 742, 36, 500), "#FBE7A8"),
            shade=(0, 0),
            rim=0,
        )
    )


@picture("Teatro de títeres (telón abierto)")
def theatre_open() -> str:
    return plain("lilac", 740) + shadow(480, 836, 360, 40) + theatre()


@picture("Teatro de títeres (función)")
def theatre_show() -> str:
    heads = "".join(
        solid(circle(x, 920, r), tone, shade=(-8, -8), rim=0)
        + solid(sector((x, 916), r * 1.04, 0, 180, 360), hair, shade=(-6, -4), rim=0)
        for x, r, tone, hair in (
            (150, 90, SKIN, "#3A2A24"),
            (360, 104, "#B97F56", "#2A201C"),
            (600, 92, "#EBC09A", "#8A5A33"),
            (810, 106, SKIN, "#3A2A24"),
        )
    )
    return (
        fill(box(0, 0, 960, 960), TEAL)
        + stage(90, 90, 780, 640)
        + dragon(640, 760, 236)
        + princess(320, 760, 220)
        + "".join(fill(star(x, y, 22, 9, 5), "#FBE7A8") for x, y in ((470, 250), (250, 190), (720, 330)))
        + curtain(80, 80, 220, 660)
        + flip(curtain(80, 80, 220, 660))
        + valance(70, 890, 84, 84, 9)
        + solid(box(-20, 730, 1000, 66), OAK, grain((0, 730, 960, 796), OAK, 3, 4), shade=(0, -14), rim=5)
        + fill(box(0, 796, 960, 200), darker(TEAL, 0.12))
        + heads
    )


@picture("Teatro de títeres (los dos títeres)")
def theatre_puppets() -> str:
    return (
        plain("butter", 740)
        + shadow(280, 838, 170, 26)
        + shadow(690, 838, 170, 26)
        + princess(280, 830, 290)
        + dragon(710, 830, 300)
    )

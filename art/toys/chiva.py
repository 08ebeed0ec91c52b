"""Chiva de madera: the painted bus of the mountains."""

from art.colour import (
    CEDAR,
    COCOA,
    CREAM,
    INK,
    ORANGE,
    PINK,
    PLUM,
    SKY,
    STEEL,
    SUN,
    TEAL,
    TOMATO,
    WALNUT,
    WHITE,
)
from art.faces import eyes, smile
from art.gallery import picture
from art.materials import wheel
from art.nature import palm
from art.paint import clip, fill, group, line, shadow, solid
from art.parts.loads import bananas, guacal, hen, sack, suitcase
from art.scenes import andes, bush, cloud, flat, plain, sun
from art.shapes import Path, box, circle, leaf, polar, poly, sector, star


def motif(x: float, y: float, w: float, h: float, index: int) -> str:
    """One hand-painted panel of a chiva's side."""
    cx, cy, grounds = x + w / 2, y + h / 2, (SUN, TEAL, TOMATO, SKY, ORANGE)
    ground = grounds[index % 5]
    r = min(w, h) * 0.4
    if index % 3 == 0:
        art = (
            "".join(
                fill(leaf((cx, cy), polar((cx, cy), r * 1.06, a), r * 0.52), TOMATO if n % 2 else CREAM)
                for n, a in enumerate(range(0, 360, 45))
            )
            + fill(circle(cx, cy, r * 0.3), SKY)
            + fill(circle(cx, cy, r * 0.14), SUN)
        )
    elif index % 3 == 1:
        art = (
            fill(
                poly((cx, cy - r * 1.05), (cx + r * 1.05, cy), (cx, cy + r * 1.05), (cx - r * 1.05, cy)),
                CREAM,
            )
            + fill(
                poly((cx, cy - r * 0.72), (cx + r * 0.72, cy), (cx, cy + r * 0.72), (cx - r * 0.72, cy)), PLUM
            )
            + fill(poly((cx, cy - r * 0.4), (cx + r * 0.4, cy), (cx, cy + r * 0.4), (cx - r * 0.4, cy)), SUN)
        )
    else:
        art = "".join(
            line(circle(cx, cy, r * u), c, r * 0.2) for u, c in ((0.95, CREAM), (0.66, SUN), (0.38, TOMATO))
        ) + fill(circle(cx, cy, r * 0.2), WHITE)
    corners = "".join(
        fill(sector((x + (w if dx else 0), y + (h if dy else 0)), h * 0.22, 0, a, a + 90), CREAM)
        for dx, dy, a in ((0, 0, 0), (1, 0, 90), (1, 1, 180), (0, 1, 270))
    )
    return clip(box(x, y, w, h), fill(box(x, y, w, h), ground), corners, art)


def chiva() -> str:
    """The bus of the mountains, nose to the right, wheels on y = 800."""
    roof = box(96, 330, 640, 42, r=(20, 20, 8, 8))
    body = poly((104, 520), (736, 520), (736, 716), (104, 716), r=(8, 8, 10, 22))
    hood = poly((730, 560), (860, 580), (878, 610), (878, 716), (730, 716), r=(4, 26, 16, 10, 4))
    cabin = poly((640, 366), (718, 366), (752, 560), (752, 716), (640, 716), r=6)
    passengers = ""
    for n, (skin, shirt, hair) in enumerate(
        (
            ("#C98C60", SUN, INK),
            ("#E7BE8E", SKY, "#6B3A22"),
            ("#A86B45", PINK, INK),
            ("#DDA177", TEAL, "#3A2A24"),
            ("#E7BE8E", TOMATO, "#8A5A33"),
        )
    ):
        x = 160 + n * 104
        passengers += (
            solid(box(x - 30, 470, 60, 80, r=22), shirt, shade=(-6, 0), rim=2)
            + solid(circle(x, 444, 32), skin, shade=(-6, -6), rim=2)
            + solid(sector((x, 438), 34, 0, 180, 360), hair, shade=(0, 0), rim=0)
            + eyes(x + 6, 448, 20, 3.6, INK)
            + smile(x + 6, 458, 14, 5, COCOA, 3)
        )
    pillars = "".join(
        solid(
            box(104 + n * 107, 366, 18, 160),
            (TOMATO, SUN, TEAL, SKY, ORANGE, TOMATO)[n],
            shade=(-5, 0),
            rim=2,
        )
        for n in range(6)
    )
    rails = "".join(
        solid(box(104 + n * 107, 500, 107, 26), (SUN, SKY, TOMATO, TEAL, ORANGE)[n], shade=(0, -7), rim=2)
        for n in range(5)
    )
    panels = "".join(motif(104 + n * 107, 548, 105, 112, n) for n in range(5))
    rack = line(
        poly((110, 330), (110, 282), (724, 282), (724, 330), r=10, closed=False), CEDAR, 11
    ) + "".join(line(poly((x, 286), (x, 330), closed=False), CEDAR, 8) for x in range(180, 720, 68))
    cargo = (
        sack(170, 330, 96)
        + suitcase(216, 330, 112, 84, PLUM)
        + bananas(388, 326, 112)
        + guacal(440, 330, 120, 76, hen(486, 262, 78), hen(530, 264, 66, "#C9773A"))
        + sack(612, 330, 104, "#E0C79A")
        + sack(676, 330, 78, "#CDA877")
        + group(suitcase(236, 244, 84, 58, TEAL), turn=-5, about=(270, 240))
    )
    ladder = "".join(
        line(poly((78, y), (104, y), closed=False), CEDAR, 8) for y in range(420, 700, 48)
    ) + line(poly((80, 350), (80, 700), closed=False), CEDAR, 9)
    return (
        ladder
        + fill(box(110, 366, 620, 170), "#4A2F3B")
        + passengers
        + cargo
        + rack
        + solid(
            hood,
            TOMATO,
            fill(box(730, 636, 160, 22), SUN),
            fill(box(730, 668, 160, 12), CREAM),
            *(line(poly((844, y), (874, y), closed=False), CREAM, 6) for y in (604, 620)),
            shade=(-14, -14),
            rim=5,
        )
        + solid(
            cabin,
            TOMATO,
            clip(
                poly((654, 390), (706, 390), (728, 516), (654, 516), r=10),
                fill(box(640, 380, 120, 150), "#BFE0EA"),
                line(poly((660, 520), (720, 380), closed=False), WHITE, 14, opacity=0.7),
            ),
            line(poly((654, 390), (706, 390), (728, 516), (654, 516), r=10), CREAM, 8),
            fill(box(640, 548, 120, 112), SUN),
            fill(star(696, 604, 42, 18, 5, 4), TOMATO),
            fill(circle(696, 604, 9), CREAM),
            shade=(-8, -8),
            rim=4,
        )
        + pillars
        + rails
        + solid(
            body,
            TOMATO,
            panels,
            fill(box(100, 524, 640, 14), CREAM),
            fill(box(100, 668, 640, 16), SUN),
            fill(box(100, 690, 640, 10), CREAM),
            shade=(0, -16),
            rim=0,
        )
        + solid(
            roof,
            TEAL,
            *(fill(circle(124 + n * 46, 352, 10), SUN if n % 2 else CREAM) for n in range(14)),
            shade=(-8, -10),
            rim=4,
        )
        + solid(circle(868, 640, 25), SUN, fill(circle(868, 640, 14), CREAM), shade=(-4, -5), rim=3)
        + solid(box(840, 700, 74, 26, r=12), STEEL, shade=(-6, -8), rim=4)
        + solid(box(96, 706, 780, 22, r=8), WALNUT, shade=(0, -6), rim=0)
        + wheel(232, 728, 76, SUN, TOMATO, "#45403E")
        + wheel(756, 728, 76, SUN, TOMATO, "#45403E")
    )


@picture("Chiva de madera (de lado)")
def chiva_side() -> str:
    return plain("sky", 730) + shadow(490, 796, 430, 28, 0.6) + group(chiva(), move=(-14, 0))


@picture("Chiva de madera (carretera)")
def chiva_road() -> str:
    road = Path(
        (
            ("M", ((-40, 900),)),
            ("C", ((240, 840), (520, 760), (1000, 560))),
            ("L", ((1000, 760),)),
            ("C", ((640, 900), (400, 960), (-40, 1040))),
            ("Z", ()),
        )
    )
    dashes = line(
        Path((("M", ((-40, 972),)), ("C", ((300, 900), (600, 830), (1000, 664))))),
        CREAM,
        9,
        dash="46 34",
        cap="butt",
    )
    dust = "".join(
        fill(circle(x, y, r), "#EAD7B4", 0.85)
        for x, y, r in ((90, 826, 46), (40, 800, 36), (130, 846, 30), (20, 860, 40))
    )
    return (
        andes("peach", "#A9C77E", 620)
        + sun(170, 170, 74)
        + cloud(640, 170, 84)
        + palm(876, 560, 200)
        + palm(780, 590, 150)
        + bush(60, 700, 70, "#6E9E52")
        + bush(920, 640, 60, "#7FAE5E")
        + fill(road, "#C9A77C")
        + dashes
        + dust
        + group(chiva(), move=(0, 16), turn=-17, size=0.74, about=(500, 760))
        + bush(820, 960, 90, "#6E9E52")
    )


@picture("Chiva de madera (figuras pintadas)")
def chiva_detail() -> str:
    return flat("sky") + group(chiva(), move=(160, -100), size=2.5, about=(320, 640))

"""Telescopio Primeras Lunas."""

from random import Random

from art.colour import BRASS, OAK, PINE, SKY, STEEL, WHITE, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import bush, night, plain, planks
from art.shapes import arc, box, circle, ellipse, polar, poly, star


def scope() -> str:
    """Tube and tripod; the tube points up right."""
    legs = "".join(
        solid(
            poly((480 + a, 560), (500 + a, 560), (500 + b, 860), (474 + b, 860), r=8),
            OAK,
            grain((300, 560, 680, 860), OAK, 3, 6, upright=True),
            shade=(-7, 0),
            rim=3,
        )
        + solid(ellipse(488 + b, 858, 22, 12), "#45403E", shade=(-3, -3), rim=0)
        for a, b in ((-6, -170), (-2, 160))
    )
    middle = solid(
        poly((476, 560), (506, 560), (504, 890), (478, 890), r=8),
        OAK,
        grain((470, 560, 510, 890), OAK, 5, 2, upright=True),
        shade=(-8, 0),
        rim=3,
    ) + solid(ellipse(491, 888, 22, 12), "#45403E", shade=(-3, -3), rim=0)
    barrel = (
        solid(box(150, 420, 110, 56, r=12), "#45403E", shade=(0, -14), rim=4)
        + solid(box(120, 408, 48, 80, r=16), BRASS, shade=(-6, -16), rim=4)
        + solid(box(250, 396, 240, 104, r=14), lighter(SKY, 0.1), shade=(0, -26), rim=5)
        + solid(
            box(470, 378, 300, 140, r=18),
            SKY,
            *(
                fill(star(x, y, r, r * 0.45, 5), "#FBE7A8")
                for x, y, r in ((540, 430, 20), (610, 470, 14), (670, 416, 17), (590, 408, 9), (720, 470, 11))
            ),
            line(
                poly((540, 430), (590, 408), (670, 416), (720, 470), closed=False), "#FBE7A8", 3, opacity=0.7
            ),
            shade=(0, -34),
            rim=6,
        )
        + solid(box(754, 366, 56, 164, r=18), BRASS, shade=(-8, -36), rim=5)
        + solid(box(462, 372, 26, 152, r=10), BRASS, shade=(0, -30), rim=3)
        + fill(ellipse(808, 448, 16, 70), "#BFE0EA")
        + line(poly((290, 420), (450, 420), closed=False), WHITE, 8, opacity=0.5)
        + solid(box(330, 346, 130, 30, r=14), "#45403E", shade=(0, -8), rim=3)
        + line(poly((360, 376), (360, 398), closed=False), BRASS, 12)
        + line(poly((430, 376), (430, 398), closed=False), BRASS, 12)
    )
    return (
        legs
        + middle
        + solid(
            box(446, 500, 90, 76, r=18), "#45403E", fill(circle(491, 538, 18), BRASS), shade=(-8, -10), rim=4
        )
        + group(barrel, turn=-24, about=(490, 470))
    )


def moon(x: float, y: float, r: float) -> str:
    """A full moon with craters."""
    return (
        fill(circle(x, y, r * 1.35), "#FBE7A8", 0.12)
        + fill(circle(x, y, r * 1.16), "#FBE7A8", 0.16)
        + solid(
            circle(x, y, r),
            "#FBEFC6",
            *(
                fill(circle(x + dx * r, y + dy * r, s * r), "#E8D59C")
                + line(arc((x + dx * r, y + dy * r), s * r, 180, 300), "#D3BE83", r * 0.03)
                for dx, dy, s in (
                    (-0.4, -0.3, 0.2),
                    (0.3, -0.5, 0.12),
                    (0.4, 0.3, 0.24),
                    (-0.2, 0.45, 0.16),
                    (-0.66, 0.2, 0.1),
                    (0.08, -0.05, 0.09),
                )
            ),
            shade=(-r * 0.14, -r * 0.14),
            rim=4,
        )
    )


@picture("Telescopio Primeras Lunas (trípode)")
def scope_plain() -> str:
    return plain("lilac", 760) + shadow(488, 878, 250, 30) + group(scope(), move=(0, 0))


@picture("Telescopio Primeras Lunas (de noche)")
def scope_night() -> str:
    return (
        night(760)
        + moon(720, 220, 130)
        + group(scope(), move=(-120, 60), turn=-4, size=0.86, about=(480, 860))
        + bush(880, 900, 100, "#24423F")
        + bush(60, 920, 90, "#24423F")
    )


@picture("Telescopio Primeras Lunas (mapa y oculares)")
def scope_map() -> str:
    chart = box(110, 90, 600, 600, r=26)
    chance = Random(31)
    dots = "".join(
        fill(
            circle(
                *polar((410, 390), chance.uniform(20, 240), chance.uniform(0, 360)), chance.choice((3, 4, 6))
            ),
            "#FBE7A8",
        )
        for _ in range(60)
    )
    cross = (
        ((300, 300), (340, 340), (390, 330), (440, 380)),
        ((480, 240), (520, 290), (500, 350), (560, 380)),
        ((320, 480), (370, 450), (420, 490), (470, 470), (500, 520)),
    )
    figures = "".join(
        line(poly(*points, closed=False), "#FBE7A8", 3.5, opacity=0.7)
        + "".join(fill(star(x, y, 12, 5, 5), WHITE) for x, y in points)
        for points in cross
    )

    def eyepiece(x: float, y: float, s: float) -> str:
        return (
            cast(ellipse(x, y + s * 0.8, s * 0.6, s * 0.5), 10, 14, 8, 0.3)
            + solid(
                box(x - s * 0.34, y + s * 0.3, s * 0.68, s * 1.0, r=s * 0.1),
                STEEL,
                shade=(-s * 0.12, 0),
                rim=4,
            )
            + solid(
                box(x - s * 0.5, y - s * 0.3, s, s * 0.74, r=s * 0.12),
                "#45403E",
                *(
                    line(
                        poly(
                            (x - s * 0.5 + n * s * 0.1, y + s * 0.1),
                            (x - s * 0.5 + n * s * 0.1, y + s * 0.36),
                            closed=False,
                        ),
                        "#2E2A29",
                        4,
                    )
                    for n in range(11)
                ),
                shade=(-s * 0.12, 0),
                rim=4,
            )
            + fill(ellipse(x, y - s * 0.28, s * 0.5, s * 0.18), "#5F5855")
            + fill(ellipse(x, y - s * 0.28, s * 0.3, s * 0.1), "#BFE0EA")
        )

    return (
        planks(PINE, 9)
        + group(
            cast(chart, 16, 22, 14, 0.32),
            solid(
                chart,
                "#243B5E",
                fill(circle(410, 390, 262), "#2C4A75"),
                line(circle(410, 390, 262), BRASS, 7),
                line(circle(410, 390, 180), "#FBE7A8", 2.5, dash="6 12"),
                line(circle(410, 390, 96), "#FBE7A8", 2.5, dash="6 12"),
                dots,
                figures,
                fill(words("N", 410, 128, 34, 600), "#FBE7A8"),
                fill(words("S", 410, 684, 34, 600), "#FBE7A8"),
                shade=(-8, -8),
                rim=4,
            ),
            turn=-7,
            about=(410, 390),
        )
        + eyepiece(760, 560, 130)
        + eyepiece(590, 740, 104)
    )

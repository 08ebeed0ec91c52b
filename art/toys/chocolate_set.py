"""Juego de chocolate: jug, beater, cups, almojábanas."""

from art.colour import CEDAR, CREAM, LIME, OAK, SKY, SUN, TEAL, TOMATO, WHITE, darker
from art.gallery import picture
from art.materials import daisy, grain, stripe
from art.paint import clip, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import arc, box, circle, curve, ellipse, leaf, polar, poly, twin_poly
from art.toys.kitchen import steam


def chocolatera(x: float, base: float, s: float) -> str:
    """The tall jug with the beater standing in it."""
    body = twin_poly(
        (x + s * 0.3, base - s * 1.3),
        (x + s * 0.36, base - s * 0.9),
        (x + s * 0.52, base - s * 0.2),
        (x + s * 0.42, base),
        x=x,
        r=s * 0.12,
    )
    spout = poly(
        (x - s * 0.3, base - s * 1.28),
        (x - s * 0.56, base - s * 1.16),
        (x - s * 0.36, base - s * 0.84),
        r=s * 0.04,
    )
    handle = line(
        curve(
            (x + s * 0.32, base - s * 1.06),
            (x + s * 0.76, base - s * 1.0),
            (x + s * 0.8, base - s * 0.6),
            (x + s * 0.48, base - s * 0.34),
        ),
        darker(TOMATO, 0.3),
        s * 0.13,
    ) + line(
        curve(
            (x + s * 0.32, base - s * 1.06),
            (x + s * 0.76, base - s * 1.0),
            (x + s * 0.8, base - s * 0.6),
            (x + s * 0.48, base - s * 0.34),
        ),
        TOMATO,
        s * 0.09,
    )
    return (
        molinillo(x + s * 0.06, base - s * 1.2, s * 1.0, 6)
        + handle
        + solid(spout, TOMATO, shade=(-3, -4), rim=3)
        + solid(
            body,
            TOMATO,
            stripe(x - s, x + s, base - s * 1.12, s * 0.05, s * 0.03, CREAM),
            *(
                fill(
                    leaf(
                        (x - s * 0.04, base - s * 0.5),
                        polar((x - s * 0.04, base - s * 0.5), s * 0.4, a),
                        s * 0.14,
                    ),
                    LIME,
                )
                for a in (30, 150, 210, 330)
            ),
            daisy(x - s * 0.04, base - s * 0.5, s * 0.24, CREAM, SUN, 6),
            stripe(x - s, x + s, base - s * 0.14, s * 0.05, s * 0.05, CREAM),
            shade=(-s * 0.12, -s * 0.06),
            rim=5,
        )
        + fill(ellipse(x, base - s * 1.29, s * 0.3, s * 0.07), "#5B2F1C")
        + line(ellipse(x, base - s * 1.29, s * 0.3, s * 0.07), CREAM, s * 0.035)
        + froth(x, base - s * 1.3, s * 0.26)
        + line(
            poly((x + s * 0.06, base - s * 1.32), (x + s * 0.16, base - s * 2.0), closed=False), OAK, s * 0.09
        )
    )


def molinillo(x: float, y: float, s: float, turn: float) -> str:
    """The wooden beater's stick, rising from (x, y)."""
    return group(
        solid(box(x - s * 0.05, y - s * 0.9, s * 0.1, s * 0.9, r=s * 0.04), OAK, shade=(-3, 0), rim=2)
        + solid(circle(x, y - s * 0.92, s * 0.1), OAK, shade=(-3, -4), rim=2),
        turn=turn,
        about=(x, y),
    )


def froth(x: float, y: float, w: float) -> str:
    """Bubbles of beaten chocolate."""
    return "".join(
        solid(circle(x + dx * w, y + dy * w, r * w), "#B98458" if n % 2 else "#CB9A6C", shade=(-2, -3), rim=2)
        for n, (dx, dy, r) in enumerate(
            (
                (-0.7, 0, 0.26),
                (-0.3, -0.14, 0.34),
                (0.2, -0.1, 0.3),
                (0.64, 0, 0.28),
                (0, 0.06, 0.28),
                (-0.5, 0.1, 0.2),
                (0.42, 0.1, 0.22),
            )
        )
    )


def pocillo(x: float, base: float, s: float, colour: str = CREAM, band: str = TEAL) -> str:
    """A filled chocolate cup on its saucer."""
    body = poly(
        (x - s * 0.5, base - s * 0.74),
        (x + s * 0.5, base - s * 0.74),
        (x + s * 0.34, base),
        (x - s * 0.34, base),
        r=(6, 6, s * 0.18, s * 0.18),
    )
    return (
        solid(
            ellipse(x, base + s * 0.02, s * 0.78, s * 0.15),
            colour,
            line(ellipse(x, base + s * 0.01, s * 0.66, s * 0.11), band, 5),
            shade=(-5, -6),
            rim=3,
        )
        + line(arc((x + s * 0.5, base - s * 0.42), s * 0.2, -90, 100), darker(colour, 0.16), s * 0.1)
        + solid(
            body,
            colour,
            stripe(x - s, x + s, base - s * 0.46, s * 0.08, s * 0.03, band),
            *(fill(circle(x + u * s, base - s * 0.24, s * 0.045), TOMATO) for u in (-0.22, 0, 0.22)),
            shade=(-s * 0.1, 0),
            rim=4,
        )
        + fill(ellipse(x, base - s * 0.74, s * 0.5, s * 0.12), darker(colour, 0.1))
        + fill(ellipse(x, base - s * 0.73, s * 0.43, s * 0.09), "#6B3A22")
        + froth(x, base - s * 0.76, s * 0.3)
    )


def almojabana(x: float, y: float, r: float) -> str:
    """A round cheese bun."""
    return solid(
        ellipse(x, y, r, r * 0.72),
        "#E7B45E",
        *(
            line(arc((x + dx * r, y + dy * r), r * 0.3, 200, 330), "#C98F3A", 5)
            for dx, dy in ((-0.3, 0), (0.3, -0.06), (0, 0.26))
        ),
        shade=(-r * 0.14, -r * 0.14),
        rim=4,
    )


def cheese(x: float, y: float, s: float) -> str:
    """A block of white cheese."""
    return (
        solid(
            poly(
                (x - s * 0.6, y - s * 0.3),
                (x + s * 0.3, y - s * 0.44),
                (x + s * 0.62, y - s * 0.24),
                (x - s * 0.24, y - s * 0.06),
                r=4,
            ),
            "#FFF9E6",
            shade=(0, 0),
            rim=2,
        )
        + solid(
            poly(
                (x - s * 0.6, y - s * 0.3),
                (x - s * 0.24, y - s * 0.06),
                (x - s * 0.24, y + s * 0.4),
                (x - s * 0.6, y + s * 0.14),
                r=4,
            ),
            "#F0E2BE",
            shade=(0, 0),
            rim=2,
        )
        + solid(
            poly(
                (x - s * 0.24, y - s * 0.06),
                (x + s * 0.62, y - s * 0.24),
                (x + s * 0.62, y + s * 0.18),
                (x - s * 0.24, y + s * 0.4),
                r=4,
            ),
            "#F8EED2",
            *(
                fill(ellipse(x + dx * s, y + dy * s, s * 0.05, s * 0.04), "#E4D3A8")
                for dx, dy in ((0, 0.1), (0.3, 0), (0.16, 0.2), (0.46, -0.06))
            ),
            shade=(0, 0),
            rim=2,
        )
    )


@picture("juego-de-chocolate-1")
def chocolate_set() -> str:
    tray = box(90, 760, 780, 60, r=30)
    return (
        plain("rose", 720)
        + shadow(480, 824, 430, 34)
        + solid(tray, OAK, grain(tray.bounds(), OAK, 3, 4), shade=(0, -16), rim=5)
        + "".join(line(arc((x, 776), 30, a, a + 180), CEDAR, 14) for x, a in ((92, 90), (868, -90)))
        + chocolatera(450, 772, 330)
        + pocillo(210, 766, 150)
        + pocillo(730, 766, 150, CREAM, SUN)
    )


@picture("juego-de-chocolate-2")
def chocolate_table() -> str:
    cloth = (
        fill(box(0, 560, 960, 400), "#F4E8D2")
        + "".join(fill(box(x, 560, 40, 400), TOMATO, 0.16) for x in range(0, 960, 80))
        + "".join(fill(box(0, y, 960, 34), TOMATO, 0.16) for y in range(590, 960, 70))
        + fill(box(0, 552, 960, 16), TOMATO, 0.4)
    )
    plate = shadow(620, 850, 230, 34) + solid(
        ellipse(620, 830, 230, 66), CREAM, line(ellipse(620, 828, 196, 52), TEAL, 7), shade=(-10, -12), rim=4
    )
    return (
        flat("mint")
        + sun_window()
        + cloth
        + shadow(250, 700, 150, 24)
        + shadow(560, 690, 150, 24)
        + shadow(810, 700, 130, 22)
        + steam(240, 500, 150)
        + steam(800, 490, 150)
        + chocolatera(530, 690, 240)
        + pocillo(240, 696, 190)
        + pocillo(800, 690, 180, CREAM, SUN)
        + plate
        + almojabana(520, 800, 84)
        + almojabana(640, 770, 84)
        + almojabana(590, 830, 84)
        + cheese(760, 816, 110)
        + pocillo(220, 900, 170, CREAM, SKY)
    )


def sun_window() -> str:
    """A window on the mountains."""
    frame = box(110, 70, 330, 330, r=16)
    return solid(
        frame,
        WHITE,
        clip(
            box(132, 92, 286, 286),
            fill(box(132, 92, 286, 286), "#F9DDA8"),
            fill(circle(330, 200, 44), SUN),
            fill(poly((120, 380), (220, 240), (300, 330), (360, 260), (440, 380)), "#7FA894"),
        ),
        fill(box(266, 80, 16, 310), WHITE),
        fill(box(120, 228, 310, 16), WHITE),
        shade=(-8, -8),
        rim=3,
    )


@picture("juego-de-chocolate-3")
def chocolate_detail() -> str:
    wings = "".join(
        solid(
            box(430, 430 + n * 70, 200, 44, r=20),
            OAK,
            *(
                line(poly((x, 430 + n * 70), (x, 474 + n * 70), closed=False), darker(OAK, 0.3), 6)
                for x in range(452, 620, 26)
            ),
            shade=(-12, -12),
            rim=4,
        )
        for n in range(3)
    )
    stick = solid(
        box(500, -40, 60, 480, r=20),
        OAK,
        grain((500, 0, 560, 440), OAK, 4, 3, upright=True),
        fill(box(490, 180, 80, 18), TOMATO),
        fill(box(490, 220, 80, 12), SUN),
        shade=(-14, 0),
        rim=5,
    )
    bowl = ellipse(500, 800, 470, 230)
    bubbles = "".join(
        solid(
            circle(x, y, r),
            ("#B98458", "#CB9A6C", "#D8AE84")[n % 3],
            line(arc((x, y), r * 0.66, 200, 270), WHITE, r * 0.12, opacity=0.7),
            shade=(-r * 0.14, -r * 0.16),
            rim=3,
        )
        for n, (x, y, r) in enumerate(
            (
                (250, 760, 70),
                (360, 700, 58),
                (700, 690, 64),
                (800, 770, 76),
                (640, 780, 60),
                (440, 800, 74),
                (560, 850, 80),
                (330, 860, 66),
                (760, 880, 70),
                (180, 860, 50),
                (880, 860, 44),
                (470, 700, 44),
                (610, 690, 40),
                (450, 900, 50),
                (650, 920, 52),
            )
        )
    )
    return (
        flat("rose")
        + solid(bowl, TOMATO, fill(ellipse(500, 810, 420, 190), "#6B3A22"), shade=(-20, -22), rim=8)
        + stick
        + wings
        + clip(ellipse(500, 806, 424, 194) + box(76, 600, 848, 206), bubbles)
    )

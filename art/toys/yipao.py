"""Yipao cafetero: a jeep loaded to the sky."""

from art.colour import CREAM, INK, LEAF, PINE, PLUM, STEEL, SUN, TOMATO, TOMATO_DARK, darker
from art.gallery import picture
from art.lettering import words
from art.materials import grain, swish, wheel
from art.nature import palm
from art.paint import fill, group, line, shadow, solid
from art.parts.loads import bananas, guacal, hen, sack, suitcase
from art.parts.people import driver
from art.scenes import andes, plain
from art.shapes import box, circle, ellipse, poly, sector


def stool(x: float, y: float, s: float, colour: str = TOMATO) -> str:
    """A rush-seated chair upside down on the load; (x, y) is its lower middle."""
    legs = "".join(
        line(
            poly((x + d * s * 0.36, y - s * 0.3), (x + d * s * 0.46, y - s * 1.0), closed=False),
            darker(colour, 0.1),
            s * 0.1,
        )
        for d in (-1, -0.4, 0.4, 1)
    )
    return (
        legs
        + line(poly((x - s * 0.4, y - s * 0.66), (x + s * 0.4, y - s * 0.66), closed=False), colour, s * 0.08)
        + solid(
            box(x - s * 0.46, y - s * 0.34, s * 0.92, s * 0.3, r=s * 0.07),
            PINE,
            *(
                line(
                    poly((x - s * 0.4, y - s * u), (x + s * 0.4, y - s * u), closed=False),
                    darker(PINE, 0.2),
                    3,
                )
                for u in (0.12, 0.2, 0.28)
            ),
            shade=(-4, -5),
            rim=2,
        )
    )


def jeep_load() -> str:
    """Everything a farm moves on market day."""
    return (
        sack(210, 470, 150)
        + sack(330, 474, 160, "#CFAE7E")
        + sack(442, 470, 146)
        + bananas(250, 360, 170)
        + suitcase(330, 350, 150, 96, PLUM)
        + sack(520, 476, 112, "#E0C79A")
        + stool(430, 282, 150)
        + guacal(262, 258, 130, 78, hen(312, 190, 82))
    )


def jeep() -> str:
    """The little four-by-four, nose to the right, wheels on y = 800."""
    body = poly(
        (130, 470),
        (560, 470),
        (580, 560),
        (640, 556),
        (850, 576),
        (866, 610),
        (866, 700),
        (130, 700),
        r=(14, 10, 20, 10, 26, 10, 14, 16),
    )
    screen = line(poly((560, 480), (596, 350), (622, 350), closed=False), darker(LEAF, 0.35), 18)
    glass = fill(poly((574, 470), (600, 366), (616, 366), (604, 470)), "#BFE0EA")
    arches = "".join(fill(sector((x, 710), 104, 0, 180, 360), darker("#3F7A4A", 0.42)) for x in (280, 740))
    steering = line(ellipse(560, 450, 12, 38).turn(24, (560, 450)), INK, 9)
    return (
        glass
        + screen
        + driver(500, 450, 110, CREAM).replace(TOMATO_DARK, "#C9A468").replace(TOMATO, "#E8CE97")
        + steering
        + solid(
            body,
            "#3F7A4A",
            grain((130, 470, 866, 700), "#3F7A4A", 12, 9),
            arches,
            fill(box(130, 520, 420, 12), SUN),
            line(box(450, 500, 104, 130, r=14), darker("#3F7A4A", 0.25), 6),
            fill(words("café", 320, 598, 76, 600), CREAM),
            *(
                line(poly((x, 600), (x, 650), closed=False), darker("#3F7A4A", 0.35), 9)
                for x in (816, 836, 856)
            ),
            shade=(-16, -18),
            rim=6,
        )
        + solid(circle(838, 622, 28), SUN, fill(circle(838, 622, 16), CREAM), shade=(-5, -6), rim=3)
        + solid(box(820, 690, 90, 30, r=12), STEEL, shade=(-6, -9), rim=4)
        + solid(box(100, 690, 60, 26, r=12), STEEL, shade=(-4, -8), rim=3)
        + wheel(280, 716, 86, "#EADBB8", TOMATO, "#45403E")
        + wheel(740, 716, 86, "#EADBB8", TOMATO, "#45403E")
    )


@picture("Yipao cafetero (cargado)")
def jeep_loaded() -> str:
    return plain("butter", 730) + shadow(490, 802, 410, 28, 0.6) + group(jeep_load(), jeep(), move=(-10, 6))


@picture("Yipao cafetero (en dos llantas)")
def jeep_wheelie() -> str:
    return (
        andes("sky", "#B6CC86", 640)
        + palm(120, 640, 240)
        + palm(880, 640, 200)
        + palm(210, 650, 170)
        + shadow(330, 856, 260, 28, 0.6)
        + swish((330, 840), 560, -40, -24, TOMATO, 11)
        + swish((330, 840), 600, -38, -27, SUN, 11)
        + group(jeep_load(), jeep(), move=(50, 56), turn=-24, size=0.8, about=(280, 800))
    )


@picture("Yipao cafetero (piezas de carga)")
def jeep_pieces() -> str:
    return (
        plain("peach", 640)
        + shadow(200, 520, 130, 18)
        + shadow(480, 520, 120, 18)
        + shadow(760, 520, 130, 18)
        + shadow(190, 830, 130, 18)
        + shadow(480, 830, 130, 18)
        + shadow(770, 830, 130, 18)
        + sack(200, 520, 260)
        + bananas(480, 516, 270)
        + guacal(650, 520, 220, 150, hen(736, 382, 150))
        + suitcase(80, 830, 220, 150, PLUM)
        + stool(480, 836, 240)
        + sack(770, 830, 220, "#CFAE7E")
    )

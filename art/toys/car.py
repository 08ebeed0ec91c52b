"""Carro de madera: an open racer and its driver."""

from art.colour import BEECH, CREAM, PINE, PINK, SKY, SUN, TEAL, TOMATO, darker
from art.gallery import picture
from art.lettering import words
from art.materials import grain, wheel, wooden
from art.paint import fill, group, line, shadow, solid
from art.parts.people import driver
from art.scenes import flat, plain
from art.shapes import Path, blob, box, circle, ellipse, poly


def roadster(colour: str, seed: int = 3, with_driver: bool = True) -> str:
    """The open wooden car, about (480, 560), nose to the right."""
    body = blob(
        (150, 640),
        (150, 560),
        (220, 500),
        (330, 486),
        (420, 486),
        (560, 486),
        (700, 500),
        (800, 550),
        (820, 640),
        (780, 690),
        (480, 694),
        (190, 690),
        ease=0.8,
    )
    seat = ellipse(430, 488, 92, 20)
    screen = poly((540, 486), (588, 396), (606, 396), (574, 486), r=6)
    return (
        solid(screen, CREAM, shade=(-4, 0), rim=2)
        + fill(seat, darker(colour, 0.5))
        + (driver(430, 440, 124) if with_driver else "")
        + solid(
            body,
            colour,
            grain((150, 486, 820, 694), colour, seed, 9),
            fill(box(120, 610, 740, 26), CREAM),
            fill(circle(480, 590, 66), CREAM),
            fill(words("7", 480, 626, 100, 700), colour),
            shade=(-26, -26),
            rim=7,
        )
        + solid(circle(796, 566, 26), SUN, shade=(-5, -6), rim=3)
        + solid(box(800, 640, 50, 28, r=14), BEECH, shade=(-4, -6), rim=3)
        + wheel(270, 690, 96, PINE, TOMATO, "#4A4340")
        + wheel(690, 690, 96, PINE, TOMATO, "#4A4340")
    )


@picture("carro-de-madera-1")
def car_side() -> str:
    return plain("peach", 730) + shadow(480, 786, 390, 40) + roadster(SKY)


@picture("carro-de-madera-2")
def car_ramp() -> str:
    ramp = poly((60, 400), (120, 380), (880, 800), (880, 836), (60, 836), r=10)
    arches = fill(bridge_hole(250, 836, 110, 200), darker(PINE, 0.3)) + fill(
        bridge_hole(520, 836, 70, 110), darker(PINE, 0.3)
    )
    lines = "".join(
        line(poly((x, y), (x - 90, y - 50), closed=False), c, 11, opacity=0.9)
        for x, y, c in ((230, 250, TOMATO), (196, 310, SUN), (270, 190, SUN))
    )
    return (
        plain("mint", 760)
        + shadow(480, 846, 440, 30)
        + wooden(ramp, PINE, 5, shade=(-12, -14), rim=6, lines=14)
        + arches
        + lines
        + group(roadster(SKY), move=(-20, -116), turn=29, size=0.62, about=(480, 620))
    )


def bridge_hole(cx: float, base: float, r: float, h: float) -> Path:
    """An arched opening."""
    return box(cx - r, base - h, r * 2, h, r=(r, r, 0, 0))


@picture("carro-de-madera-3")
def car_colours() -> str:
    rows = ((TOMATO, SUN, 250), (TEAL, PINK, 520), (SUN, SKY, 790))
    cars = "".join(
        shadow(340, y + 64, 240, 22)
        + group(roadster(c, n + 4, False), move=(-140, y - 660), size=0.66, about=(480, 640))
        for n, (c, _, y) in enumerate(rows)
    )
    return (
        flat("lilac")
        + cars
        + "".join(shadow(770, y + 60, 76, 14) + driver(770, y - 56, 124, c) for _, c, y in rows)
    )

"""Volqueta de obra."""

from art.colour import COCOA, CREAM, STEEL, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain, wheel
from art.paint import clip, fill, group, line, shadow, solid
from art.parts.people import driver
from art.scenes import plain
from art.shapes import blob, box, capsule, circle, curve, poly


def truck(tilt: float = 0, loaded: bool = True) -> str:
    """The dump truck, cab to the right, wheels on y = 790."""
    bed = poly((110, 380), (580, 380), (560, 610), (190, 610), r=(16, 16, 20, 40))
    stones = "".join(
        solid(shape, c, shade=(-7, -8), rim=3)
        for shape, c in (
            (blob((180, 392), (200, 320), (280, 310), (310, 392)), "#A59B90"),
            (blob((290, 392), (310, 290), (400, 280), (430, 392)), "#BDB3A6"),
            (blob((400, 392), (430, 330), (500, 320), (530, 392)), "#A59B90"),
            (blob((250, 320), (280, 262), (340, 262), (350, 320)), "#CFC6BA"),
        )
    )
    tip = group(
        stones if loaded else "",
        solid(
            bed,
            SUN,
            grain((110, 380, 580, 610), SUN, 4, 8),
            *(fill(box(x, 380, 18, 240), darker(SUN, 0.12)) for x in (230, 340, 450)),
            line(poly((120, 402), (572, 402), closed=False), lighter(SUN, 0.4), 10),
            shade=(-20, -20),
            rim=6,
        ),
        turn=tilt,
        about=(190, 610),
    )
    jack = solid(capsule((420, 640), (400, 500), 30), STEEL, shade=(-6, 0), rim=3) if tilt else ""
    cab = poly(
        (596, 360), (770, 360), (812, 480), (860, 500), (866, 660), (596, 660), r=(20, 24, 20, 26, 12, 10)
    )
    return (
        jack
        + solid(box(130, 612, 740, 62, r=14), "#5C5450", shade=(0, -14), rim=4)
        + tip
        + solid(
            cab,
            TOMATO,
            grain((596, 360, 866, 660), TOMATO, 8, 8),
            clip(
                poly((640, 396), (748, 396), (782, 490), (640, 490), r=14),
                fill(box(630, 390, 170, 110), "#BFE0EA"),
                driver(700, 500, 92, TEAL),
            ),
            line(poly((640, 396), (748, 396), (782, 490), (640, 490), r=14), CREAM, 9),
            line(poly((622, 520), (622, 650), closed=False), darker(TOMATO, 0.2), 5),
            fill(box(640, 536, 44, 12, r=6), CREAM),
            shade=(-16, -16),
            rim=6,
        )
        + solid(circle(850, 580, 24), SUN, fill(circle(850, 580, 13), CREAM), shade=(-4, -5), rim=3)
        + solid(box(836, 640, 66, 30, r=12), SUN, shade=(-5, -8), rim=3)
        + wheel(270, 694, 96, SUN, TOMATO, "#45403E")
        + wheel(480, 694, 96, SUN, TOMATO, "#45403E")
        + wheel(752, 694, 96, SUN, TOMATO, "#45403E")
    )


@picture("volqueta-de-obra-1")
def truck_side() -> str:
    return plain("sky", 720) + shadow(490, 790, 420, 38) + group(truck(), move=(-10, 0))


@picture("volqueta-de-obra-2")
def truck_tipping() -> str:
    pile = blob((-20, 850), (40, 740), (130, 690), (220, 750), (280, 850))
    grains = "".join(
        fill(circle(x, y, r), "#D9B779")
        for x, y, r in (
            (146, 610, 16),
            (120, 650, 13),
            (170, 660, 12),
            (110, 690, 10),
            (150, 580, 10),
            (190, 700, 9),
            (240, 740, 8),
            (60, 720, 9),
        )
    )
    return (
        plain("peach", 720)
        + shadow(530, 806, 420, 36)
        + group(truck(-34, False), move=(96, 10), size=0.92, about=(480, 790))
        + line(curve((262, 560), (190, 620), (140, 720)), "#E0C088", 74)
        + grains
        + solid(
            pile,
            "#E0C088",
            *(
                fill(circle(x, y, 5), darker("#E0C088", 0.16))
                for x, y in ((60, 790), (110, 740), (150, 800), (200, 790), (130, 840), (90, 830), (230, 830))
            ),
            shade=(-16, -16),
            rim=4,
        )
        + shadow(880, 850, 50, 10)
        + cone(882, 848, 110)
    )


def cone(x: float, base: float, s: float) -> str:
    """A traffic cone."""
    shape = poly(
        (x - s * 0.08, base - s),
        (x + s * 0.08, base - s),
        (x + s * 0.32, base - s * 0.1),
        (x - s * 0.32, base - s * 0.1),
        r=s * 0.05,
    )
    return solid(
        box(x - s * 0.44, base - s * 0.14, s * 0.88, s * 0.14, r=s * 0.05), TOMATO, shade=(-3, -4), rim=2
    ) + solid(
        shape,
        TOMATO,
        fill(box(x - s * 0.5, base - s * 0.66, s, s * 0.16), CREAM),
        fill(box(x - s * 0.5, base - s * 0.36, s, s * 0.14), CREAM),
        shade=(-s * 0.07, 0),
        rim=3,
    )


@picture("volqueta-de-obra-3")
def truck_front() -> str:
    stones = "".join(
        solid(shape, c, shade=(-7, -8), rim=3)
        for shape, c in (
            (blob((300, 300), (330, 220), (420, 210), (440, 300)), "#A59B90"),
            (blob((420, 300), (440, 190), (540, 190), (560, 300)), "#BDB3A6"),
            (blob((540, 300), (560, 230), (640, 230), (670, 300)), "#A59B90"),
        )
    )
    tyres = "".join(
        solid(
            box(x, 660, 130, 150, r=40),
            "#45403E",
            *(line(poly((x, y), (x + 130, y), closed=False), "#2F2B2A", 6) for y in range(676, 800, 22)),
            shade=(-14, 0),
            rim=5,
        )
        for x in (150, 680)
    )
    bed = poly((210, 290), (750, 290), (720, 440), (240, 440), r=18)
    cab = poly(
        (280, 350), (680, 350), (720, 530), (740, 560), (740, 740), (220, 740), (220, 560), (240, 530), r=30
    )
    glass = poly((316, 386), (644, 386), (672, 522), (288, 522), r=22)
    lamps = "".join(
        solid(circle(x, 616, 44), SUN, fill(circle(x, 616, 26), CREAM), shade=(-7, -8), rim=4)
        for x in (290, 670)
    )
    grille = solid(
        box(368, 580, 224, 84, r=20),
        "#5C5450",
        *(line(poly((x, 588), (x, 656), closed=False), STEEL, 10) for x in range(398, 580, 33)),
        shade=(0, 0),
        rim=4,
    )
    return (
        plain("mint", 730)
        + shadow(480, 812, 350, 38)
        + tyres
        + stones
        + solid(bed, SUN, grain((210, 290, 750, 440), SUN, 3, 5), shade=(-18, -10), rim=6)
        + solid(cab, TOMATO, grain((220, 350, 740, 740), TOMATO, 6, 10), shade=(-26, -22), rim=7)
        + clip(
            glass,
            fill(glass, "#BFE0EA"),
            group(driver(480, 520, 150, TEAL)),
            line(poly((330, 540), (410, 370), closed=False), WHITE, 22, opacity=0.6),
        )
        + line(glass, CREAM, 12)
        + lamps
        + grille
        + solid(
            box(190, 690, 580, 60, r=26),
            SUN,
            fill(words("OBRA", 480, 736, 46, 700, spacing=80), COCOA),
            shade=(-12, -14),
            rim=5,
        )
        + "".join(solid(box(x, 440, 50, 76, r=14), "#5C5450", shade=(-6, -8), rim=3) for x in (178, 732))
    )

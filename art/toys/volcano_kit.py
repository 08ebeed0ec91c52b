"""Kit de ciencia «Mi volcán»."""

from art.colour import COCOA, CREAM, OAK, ORANGE, PLUM, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.paint import cast, clip, fill, group, line, multiply, shadow, solid
from art.scenes import flat, plain
from art.shapes import blob, box, capsule, circle, curve, drop, ellipse, poly, twin


def volcano() -> str:
    """The model cone on its board, erupting."""
    cone = poly(
        (370, 400), (590, 400), (700, 600), (810, 760), (150, 760), (260, 600), r=(20, 20, 60, 30, 30, 60)
    )
    ridges = "".join(
        line(curve((a, 430), (b, 580), (c, 750)), darker("#8A6147", 0.16), 9, opacity=0.7)
        for a, b, c in ((400, 340, 250), (450, 420, 390), (520, 560, 590), (560, 630, 720))
    )
    snow = fill(
        poly(
            (360, 390),
            (600, 390),
            (640, 480),
            (586, 460),
            (556, 520),
            (510, 466),
            (470, 530),
            (430, 462),
            (392, 500),
            (326, 480),
            r=14,
        ),
        "#A67B5B",
    )
    lava = blob(
        (400, 396),
        (560, 396),
        (586, 470),
        (566, 600),
        (600, 700),
        (560, 722),
        (520, 610),
        (500, 520),
        (466, 560),
        (470, 680),
        (430, 690),
        (416, 560),
        (380, 470),
    )
    foam = "".join(
        solid(circle(x, y, r), c, shade=(-r * 0.16, -r * 0.18), rim=3)
        for x, y, r, c in (
            (420, 372, 44, TOMATO),
            (540, 368, 48, TOMATO),
            (480, 350, 56, "#F0623C"),
            (450, 300, 44, "#F0623C"),
            (526, 296, 46, ORANGE),
            (484, 240, 44, ORANGE),
            (440, 220, 24, SUN),
            (534, 212, 28, SUN),
            (480, 170, 26, SUN),
        )
    )
    drops = "".join(
        solid(drop((x, y - 40), (x, y), r), c, shade=(-3, -3), rim=2)
        for x, y, r, c in (
            (330, 270, 16, TOMATO),
            (640, 250, 18, ORANGE),
            (290, 360, 12, ORANGE),
            (676, 350, 13, TOMATO),
            (380, 170, 12, SUN),
            (600, 150, 13, TOMATO),
        )
    )
    trees = "".join(
        solid(poly((x, y - s), (x + s * 0.42, y), (x - s * 0.42, y), r=5), "#3F7F4F", shade=(-5, -3), rim=2)
        for x, y, s in ((190, 770, 64), (240, 784, 50), (740, 784, 60), (786, 770, 46))
    )
    board = box(110, 752, 740, 56, r=18)
    return (
        solid(cone, "#8A6147", ridges, snow, shade=(-54, -10), rim=6)
        + fill(ellipse(480, 402, 106, 22), "#5B2A20")
        + solid(lava, TOMATO, shade=(-10, -6), rim=4)
        + line(curve((440, 430), (430, 540), (446, 650)), ORANGE, 12)
        + line(curve((540, 430), (536, 560), (566, 680)), ORANGE, 12)
        + drops
        + foam
        + solid(board, OAK, grain((110, 752, 850, 808), OAK, 4, 4), shade=(-10, -14), rim=5)
        + trees
    )


def goggles(x: float, y: float, s: float) -> str:
    """Lab goggles, (x, y) their middle."""
    frame = twin(
        (x, y - s * 0.34),
        (x + s * 0.5, y - s * 0.42),
        (x + s * 0.96, y - s * 0.3),
        (x + s * 0.96, y + s * 0.24),
        (x + s * 0.56, y + s * 0.42),
        (x + s * 0.2, y + s * 0.34),
        (x, y + s * 0.1),
        x=x,
    )
    strap = line(
        curve(
            (x - s * 0.9, y),
            (x - s * 1.16, y - s * 0.5),
            (x, y - s * 0.8),
            (x + s * 1.16, y - s * 0.5),
            (x + s * 0.9, y),
        ),
        COCOA,
        s * 0.13,
    )
    return (
        strap
        + solid(frame, TEAL, shade=(-s * 0.06, -s * 0.08), rim=4)
        + "".join(
            solid(
                ellipse(x + d * s * 0.52, y - s * 0.02, s * 0.32, s * 0.27),
                "#CBE7EF",
                line(
                    poly(
                        (x + d * s * 0.52 - s * 0.16, y + s * 0.16),
                        (x + d * s * 0.52 + s * 0.1, y - s * 0.2),
                        closed=False,
                    ),
                    WHITE,
                    s * 0.09,
                    opacity=0.8,
                ),
                shade=(s * 0.05, s * 0.05),
                rim=0,
            )
            for d in (-1, 1)
        )
    )


def tube(x: float, top: float, w: float, h: float, colour: str, level: float = 0.6) -> str:
    """A test tube with liquid and bubbles; x is its middle."""
    glass = box(x - w / 2, top, w, h, r=(w * 0.1, w * 0.1, w / 2, w / 2))
    liquid = box(x - w, top + h * (1 - level), w * 2, h)
    bubbles = "".join(
        fill(circle(x + dx * w, top + h * (1 - level * u), w * r), WHITE, 0.55)
        for dx, u, r in ((-0.14, 0.3, 0.08), (0.16, 0.5, 0.06), (0.0, 0.75, 0.09), (-0.2, 0.6, 0.05))
    )
    return clip(
        glass,
        fill(glass, "#EAF4F4"),
        fill(liquid, colour),
        fill(ellipse(x, top + h * (1 - level), w / 2, w * 0.12), lighter(colour, 0.35)),
        bubbles,
        fill(box(x - w * 0.34, top + h * 0.08, w * 0.13, h * 0.74, r=w * 0.06), WHITE, 0.65),
        multiply(glass + glass.move(-w * 0.14, -4)),
    ) + line(poly((x - w * 0.6, top), (x + w * 0.6, top), closed=False), "#BFD3D6", w * 0.16)


def rack_of_tubes(x: float, y: float, s: float) -> str:
    """A wooden rack with four tubes; (x, y) is its lower left, 4 s wide."""
    tubes = "".join(
        tube(x + s * (0.62 + n * 0.92), y - s * 3.3, s * 0.56, s * 2.9, c, u)
        for n, (c, u) in enumerate(((TOMATO, 0.62), (SUN, 0.48), (TEAL, 0.7), (PLUM, 0.55)))
    )
    back = "".join(
        solid(box(x + u * s, y - s * 2.5, s * 0.2, s * 2.5, r=6), darker(OAK, 0.12), shade=(-4, 0), rim=2)
        for u in (0.04, 3.76)
    )
    return (
        back
        + solid(
            box(x, y - s * 2.5, s * 4, s * 0.34, r=8),
            OAK,
            grain((x, y - s * 2.5, x + s * 4, y - s * 2.16), OAK, 3, 3),
            shade=(0, -6),
            rim=3,
        )
        + tubes
        + solid(
            box(x, y - s * 1.5, s * 4, s * 0.38, r=8),
            OAK,
            grain((x, y - s * 1.5, x + s * 4, y - s * 1.1), OAK, 5, 3),
            shade=(0, -7),
            rim=3,
        )
        + solid(
            box(x - s * 0.1, y - s * 0.34, s * 4.2, s * 0.34, r=8),
            OAK,
            grain((x, y - s * 0.34, x + s * 4, y), OAK, 7, 3),
            shade=(0, -7),
            rim=3,
        )
    )


@picture("Kit 'Mi volcán' (en erupción)")
def volcano_erupting() -> str:
    return plain("sky", 720) + shadow(480, 812, 400, 34) + volcano()


@picture("Kit 'Mi volcán' (contenido)")
def volcano_kit() -> str:
    lid = box(90, 110, 430, 540, r=28)
    cover = clip(
        box(124, 240, 362, 330, r=18),
        fill(box(124, 240, 362, 330), "#D2E5F2"),
        group(volcano(), move=(-175, -50), size=0.46, about=(480, 500)),
    )
    book = box(560, 110, 280, 360, r=14)
    pipette = (
        solid(capsule((640, 620), (640, 690), 66), TOMATO, shade=(-8, -6), rim=4)
        + line(poly((640, 720), (640, 860), closed=False), "#CFE0E4", 22)
        + line(poly((640, 860), (640, 900), closed=False), "#CFE0E4", 10)
    )
    return (
        flat("butter")
        + group(
            cast(lid, 16, 24, 14, 0.32),
            solid(
                lid,
                TEAL,
                cover,
                fill(words("Mi volcán", 305, 206, 82, 700), CREAM),
                fill(words("12 experimentos", 305, 622, 38, 500), SUN),
                shade=(-14, -16),
                rim=6,
            ),
            turn=-4,
            about=(300, 380),
        )
        + group(
            cast(book, 12, 18, 10, 0.3),
            solid(
                book,
                CREAM,
                fill(box(560, 110, 40, 360), TOMATO),
                fill(words("Cuaderno", 720, 210, 44, 600), COCOA),
                *(
                    line(poly((626, y), (812, y), closed=False), "#D8C7A6", 5)
                    for y in (260, 300, 340, 380, 420)
                ),
                shade=(-8, -10),
                rim=4,
            ),
            turn=6,
            about=(700, 290),
        )
        + cast(ellipse(300, 800, 150, 60), 12, 18, 10, 0.3)
        + goggles(290, 790, 170)
        + group(cast(capsule((640, 620), (640, 890), 50), 10, 14, 8, 0.3), pipette, turn=38, about=(640, 740))
        + group(
            cast(capsule((800, 560), (800, 840), 60), 12, 16, 8, 0.3),
            tube(780, 560, 66, 280, TOMATO, 0.6),
            turn=8,
            about=(780, 700),
        )
        + group(
            cast(capsule((880, 560), (880, 840), 60), 12, 16, 8, 0.3),
            tube(880, 570, 66, 280, SUN, 0.45),
            turn=3,
            about=(880, 700),
        )
    )


@picture("Kit 'Mi volcán' (tubos)")
def volcano_tubes() -> str:
    return plain("mint", 740) + shadow(480, 824, 380, 34) + rack_of_tubes(150, 820, 166)

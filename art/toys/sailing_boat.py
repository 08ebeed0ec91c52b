"""Velerito de baño: hull, sails and captain."""

from art.colour import CREAM, INK, OAK, PINE, SKY, SUN, TOMATO, TOMATO_DARK, WHITE
from art.faces import eyes
from art.gallery import picture
from art.materials import grain, stitches
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import closed_below, flat, plain, sea
from art.shapes import Path, box, circle, curve, ellipse, poly, star, twin
from art.toys.pull_duck import duckling


def hull() -> Path:
    """The boat's side."""
    return Path(
        (
            ("M", ((140, 610),)),
            ("L", ((830, 596),)),
            ("C", ((800, 700), (720, 760), (600, 764))),
            ("L", ((330, 764),)),
            ("C", ((230, 758), (170, 700), (140, 610))),
            ("Z", ()),
        )
    )


def captain(x: float, y: float, s: float) -> str:
    """A peg with a cap and a beard."""
    return (
        solid(
            box(x - s * 0.42, y - s * 0.3, s * 0.84, s * 1.2, r=s * 0.26),
            SKY,
            *(fill(circle(x, y + s * d, s * 0.05), SUN) for d in (0.05, 0.28, 0.5)),
            shade=(-s * 0.08, 0),
            rim=3,
        )
        + solid(circle(x, y - s * 0.6, s * 0.44), "#E7BE8E", shade=(-s * 0.07, -s * 0.08), rim=3)
        + eyes(x, y - s * 0.64, s * 0.32, s * 0.05, INK)
        + solid(
            twin(
                (x, y - s * 0.5),
                (x + s * 0.34, y - s * 0.6),
                (x + s * 0.34, y - s * 0.26),
                (x, y - s * 0.06),
                x=x,
            ),
            WHITE,
            shade=(-3, -4),
            rim=0,
        )
        + fill(ellipse(x, y - s * 0.38, s * 0.09, s * 0.05), TOMATO)
        + solid(box(x - s * 0.48, y - s * 1.02, s * 0.96, s * 0.24, r=s * 0.08), WHITE, shade=(-4, -4), rim=2)
        + solid(box(x - s * 0.44, y - s * 0.86, s * 0.94, s * 0.12, r=s * 0.05), INK, shade=(0, 0), rim=0)
    )


def sailboat() -> str:
    """Hull, mast, striped sail, captain."""
    sail = Path(
        (("M", ((500, 130),)), ("C", ((660, 220), (770, 380), (784, 560))), ("L", ((500, 560),)), ("Z", ()))
    )
    jib = Path(
        (("M", ((462, 190),)), ("C", ((400, 320), (300, 460), (196, 560))), ("L", ((462, 560),)), ("Z", ()))
    )
    stripes = "".join(line(curve((490, y), (640, y + 14), (800, y)), TOMATO, 30) for y in range(200, 560, 74))
    pennant = solid(poly((482, 72), (590, 98), (482, 124), r=5), SUN, shade=(-5, -5), rim=2)
    return (
        solid(
            box(466, 66, 26, 560, r=12),
            OAK,
            grain((466, 66, 492, 626), OAK, 3, 2, upright=True),
            shade=(-7, 0),
            rim=3,
        )
        + pennant
        + solid(
            sail,
            CREAM,
            stripes,
            stitches(curve((516, 170), (650, 270), (764, 550)), TOMATO_DARK, 3),
            shade=(-16, -10),
            rim=5,
        )
        + solid(jib, SUN, fill(star(392, 474, 44, 19, 5, 4), TOMATO), shade=(-12, -10), rim=5)
        + captain(300, 560, 116)
        + solid(
            hull(),
            TOMATO,
            grain((140, 600, 830, 764), TOMATO, 7, 7),
            fill(box(100, 596, 760, 40), OAK),
            *(fill(circle(x, 680, 26), CREAM) + fill(circle(x, 680, 16), SKY) for x in (380, 490, 600)),
            shade=(-24, -24),
            rim=6,
        )
    )


@picture("velerito-de-bano-1")
def boat_plain() -> str:
    stand = solid(
        box(300, 748, 360, 40, r=14), PINE, grain((300, 748, 660, 788), PINE, 4, 3), shade=(0, -12), rim=4
    )
    return plain("mint", 720) + shadow(480, 792, 290, 32) + stand + sailboat()


@picture("velerito-de-bano-2")
def boat_afloat() -> str:
    front = closed_below(
        curve((-40, 690), (100, 706), (240, 680), (400, 704), (560, 680), (720, 704), (860, 682), (1000, 700))
    )
    foam = "".join(
        fill(circle(x, y, r), WHITE, 0.92)
        for x, y, r in (
            (110, 760, 46),
            (170, 790, 34),
            (60, 800, 30),
            (830, 780, 50),
            (890, 750, 34),
            (770, 812, 30),
            (900, 820, 26),
        )
    )
    bubbles = "".join(
        line(circle(x, y, r), WHITE, 6, opacity=0.9) + fill(circle(x - r * 0.3, y - r * 0.3, r * 0.18), WHITE)
        for x, y, r in ((120, 330, 34), (860, 420, 26), (800, 250, 40), (180, 480, 20))
    )
    duck_ = group(duckling(800, 700, 150), turn=4, about=(800, 700))
    return (
        sea(600, "butter")
        + bubbles
        + group(sailboat(), move=(-50, 0), turn=-7, size=0.9, about=(480, 700))
        + duck_
        + fill(front, "#6FB2C8", 0.97)
        + foam
        + line(curve((260, 800), (340, 786), (420, 800), (500, 814), (580, 800)), "#CDE8EE", 9)
    )


@picture("velerito-de-bano-3")
def boat_parts() -> str:
    sail = Path(
        (("M", ((560, 120),)), ("C", ((720, 200), (810, 330), (826, 500))), ("L", ((560, 500),)), ("Z", ()))
    )
    stripes = "".join(line(curve((550, y), (700, y + 12), (850, y)), TOMATO, 28) for y in range(190, 500, 70))
    jib = poly((380, 150), (380, 500), (150, 500), r=10)
    return (
        flat("sky")
        + cast(sail, 14, 20, 10, 0.3)
        + solid(sail, CREAM, stripes, shade=(-14, -10), rim=5)
        + cast(jib, 14, 20, 10, 0.3)
        + solid(jib, SUN, fill(star(318, 420, 40, 17, 5, 4), TOMATO), shade=(-12, -10), rim=5)
        + cast(box(456, 90, 30, 450, r=14), 12, 18, 8, 0.3)
        + solid(
            box(456, 90, 30, 450, r=14),
            OAK,
            grain((456, 90, 486, 540), OAK, 3, 2, upright=True),
            shade=(-7, 0),
            rim=3,
        )
        + group(
            cast(hull(), 16, 24, 12, 0.3),
            solid(
                hull(),
                TOMATO,
                grain((140, 600, 830, 764), TOMATO, 7, 7),
                fill(box(100, 596, 760, 40), OAK),
                *(fill(circle(x, 680, 26), CREAM) + fill(circle(x, 680, 16), SKY) for x in (380, 490, 600)),
                shade=(-24, -24),
                rim=6,
            ),
            move=(-110, 40),
            size=0.86,
            about=(480, 680),
        )
        + shadow(810, 822, 80, 16)
        + captain(806, 700, 130)
    )

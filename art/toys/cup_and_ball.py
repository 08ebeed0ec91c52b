"""Coca pintada: cup, ball and string."""

from art.colour import BEECH, CEDAR, CREAM, LEAF, PLUM, SKY, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.materials import grain, rope, stripe, swish
from art.paint import fill, gloss, group, line, shadow, solid
from art.scenes import halo, plain
from art.shapes import circle, curve, ellipse, twin, twin_poly


def coca_handle(colour: str = CEDAR, accent: str = SUN, seed: int = 3) -> str:
    """The turned stick with its cup, upright, cup rim centred on (480, 330)."""
    stick = twin(
        (480, 420),
        (540, 424),
        (524, 452),
        (506, 476),
        (530, 500),
        (530, 520),
        (508, 540),
        (516, 600),
        (540, 690),
        (548, 760),
        (530, 806),
        (480, 820),
    )
    cup = twin_poly((612, 322), (600, 396), (540, 444), (480, 450), r=40)
    return (
        solid(
            stick,
            colour,
            grain((400, 400, 560, 830), colour, seed, 7, upright=True),
            stripe(400, 560, 506, 20, 6, accent),
            stripe(400, 560, 694, 26, 12, accent),
            stripe(400, 560, 736, 12, 12, CREAM),
            shade=(-24, -10),
            rim=5,
        )
        + solid(
            cup,
            colour,
            grain((340, 320, 620, 450), colour, seed + 1, 6),
            stripe(330, 630, 362, 24, 26, accent),
            shade=(-34, -16),
            rim=5,
        )
        + fill(ellipse(480, 324, 132, 30), darker(colour, 0.42))
        + line(ellipse(480, 324, 132, 30), lighter(colour, 0.25), 9)
    )


def coca_ball(cx: float, cy: float, radius: float, one: str = TOMATO, two: str = CREAM) -> str:
    """The striped ball with the hole it lands on."""
    r = radius
    stripes = "".join(
        stripe(cx - r, cx + r, cy - r * 0.72 + index * r * 0.46, r * 0.22, r * 0.2, two) for index in range(4)
    )
    return solid(circle(cx, cy, r), one, stripes, shade=(-r * 0.22, -r * 0.24), rim=5) + gloss(
        (cx - r * 0.66, cy - r * 0.2), (cx - r * 0.26, cy - r * 0.66), -0.16, r * 0.12, 0.6
    )


@picture("Coca pintada (frente)")
def coca_front() -> str:
    pair = (
        shadow(370, 816, 120, 22)
        + shadow(702, 812, 130, 22)
        + group(coca_handle(accent=SUN), move=(-110, 0))
        + rope(curve((392, 706), (480, 770), (560, 700), (600, 590), (690, 548)), WHITE, 10, 8)
        + coca_ball(702, 678, 136)
        + fill(circle(694, 560, 17), darker(TOMATO, 0.45))
        + fill(circle(692, 557, 8), WHITE)
    )
    return plain("peach", 740) + group(pair, size=1.2, about=(520, 760), move=(-30, 40))


@picture("Coca pintada (en el aire)")
def coca_air() -> str:
    cord = curve((478, 690), (600, 650), (690, 560), (660, 440), (610, 330), (560, 250))
    return (
        halo("mint", cy=450, radius=370)
        + swish((500, 200), 190, -150, -100, SUN, 11)
        + swish((500, 200), 190, -70, -30, SUN, 11)
        + swish((500, 200), 230, -130, -110, TOMATO, 10)
        + swish((440, 640), 250, 110, 150, WHITE, 10)
        + group(coca_handle(accent=TEAL), move=(-40, 120), turn=-10)
        + rope(cord, WHITE, 10, 8)
        + group(coca_ball(510, 200, 126), turn=-28, about=(510, 200))
    )


@picture("Coca pintada (colores)")
def coca_three() -> str:
    def one(x: float, y: float, turn: float, accent: str, ball: str, wood: str, seed: int) -> str:
        return group(
            coca_ball(480, 250, 118, ball),
            coca_handle(wood, accent, seed),
            move=(x - 480, y),
            turn=turn,
            size=0.86,
            about=(480, 560),
        )

    return (
        plain("lilac", 720)
        + shadow(220, 806, 110, 20)
        + shadow(740, 806, 110, 20)
        + shadow(480, 850, 120, 22)
        + one(210, 0, -7, SUN, SKY, CEDAR, 5)
        + one(750, 0, 7, TOMATO, LEAF, BEECH, 9)
        + one(480, 36, 0, TEAL, PLUM, "#C98D55", 12)
    )

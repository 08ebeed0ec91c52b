"""Mini tejo sin pólvora: clay, ring and paper triangles."""

from random import Random

from art.colour import CLAY, OAK, PINE, PINK, SKY, STEEL, SUN, TEAL, TOMATO, WALNUT, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import arc, box, circle, ellipse, polar, poly, star


def mecha(cx: float, cy: float, size: float, turn: float = 0) -> str:
    """The paper triangle that jumps."""
    s = size
    shape = poly((cx, cy - s), (cx + s * 0.9, cy + s * 0.6), (cx - s * 0.9, cy + s * 0.6), r=s * 0.14)
    fold = line(
        poly((cx, cy - s * 0.8), (cx, cy + s * 0.1), (cx + s * 0.7, cy + s * 0.5), closed=False),
        darker(PINK, 0.16),
        s * 0.07,
    ) + line(
        poly((cx, cy + s * 0.1), (cx - s * 0.7, cy + s * 0.5), closed=False), darker(PINK, 0.16), s * 0.07
    )
    return group(
        cast(shape, 5, 8, 4, 0.35) + solid(shape, PINK, fold, shade=(-s * 0.1, -s * 0.1), rim=s * 0.05),
        turn=turn,
        about=(cx, cy),
    )


def tejo_disc(cx: float, cy: float, size: float, squash: float = 0.62, colour: str = "#8E979C") -> str:
    """A tejo: a metal puck, wider below than above."""
    s = size
    under = ellipse(cx, cy + s * 0.34, s, s * squash)
    upper = ellipse(cx, cy, s * 0.78, s * 0.78 * squash)
    wall = poly(
        (cx - s, cy + s * 0.34), (cx - s * 0.78, cy), (cx + s * 0.78, cy), (cx + s, cy + s * 0.34), r=2
    )
    return (
        solid(under + wall, darker(colour, 0.14), shade=(-s * 0.2, -s * 0.08), rim=0)
        + solid(
            upper,
            colour,
            line(ellipse(cx, cy, s * 0.5, s * 0.5 * squash), TOMATO, s * 0.13),
            shade=(-s * 0.08, -s * 0.06),
            rim=s * 0.04,
        )
        + line(arc((cx, cy), s * 0.66, 190, 262, squash), WHITE, s * 0.07, opacity=0.8)
    )


def tejo_court() -> str:
    """The sloping box of clay with its ring in the middle and four mechas on the rim."""
    chance = Random(11)
    clay_top = poly((236, 250), (724, 250), (812, 690), (148, 690), r=20)
    frame = poly((200, 214), (760, 214), (862, 730), (98, 730), r=34)
    front = poly((98, 706), (862, 706), (846, 806), (114, 806), r=(6, 6, 24, 24))
    clods = "".join(
        fill(
            ellipse(
                chance.uniform(190, 770),
                chance.uniform(270, 680),
                chance.uniform(10, 30),
                chance.uniform(4, 9),
            ),
            darker(CLAY, 0.12),
            0.6,
        )
        for _ in range(26)
    )
    dents = "".join(
        fill(ellipse(x, y, 40, 20), darker(CLAY, 0.2), 0.6)
        + line(arc((x, y), 40, 10, 170, 0.5), lighter(CLAY, 0.3), 5)
        for x, y in ((300, 380), (660, 590))
    )
    rim = (
        line(ellipse(480, 476, 104, 64), darker(STEEL, 0.42), 26)
        + line(ellipse(480, 472, 104, 64), STEEL, 20)
        + line(arc((480, 472), 104, 190, 280, 0.61), WHITE, 7)
    )
    return (
        solid(frame, OAK, grain((98, 214, 862, 730), OAK, 21, 18), shade=(-10, -14), rim=6)
        + solid(clay_top, CLAY, clods, dents, shade=(18, 16), rim=0)
        + fill(ellipse(480, 474, 96, 58), darker(CLAY, 0.34))
        + rim
        + mecha(480, 402, 40)
        + mecha(372, 482, 40, -84)
        + mecha(588, 482, 40, 84)
        + mecha(480, 548, 40, 180)
        + solid(
            front,
            TEAL,
            grain((98, 706, 862, 806), TEAL, 5, 4),
            fill(words("TEJO", 480, 782, 66, 700, spacing=120), SUN),
            shade=(-14, -12),
            rim=6,
        )
    )


@picture("Mini tejo (cancha)")
def tejo_front() -> str:
    return (
        plain("sky", 660)
        + shadow(480, 812, 430, 44)
        + tejo_court()
        + group(tejo_disc(250, 580, 70), move=(0, 0))
        + tejo_disc(690, 356, 62)
    )


@picture("Mini tejo (moñona)")
def tejo_hit() -> str:
    burst = star(480, 500, 390, 250, 14, 14)
    small = star(480, 500, 300, 190, 14, 10)
    rays = "".join(
        line(poly(polar((480, 500), 330, a), polar((480, 500), 420, a), closed=False), TOMATO, 12)
        for a in range(-166, 0, 38)
    )
    ring_ = (
        line(ellipse(480, 640, 230, 130), darker(STEEL, 0.42), 50)
        + line(ellipse(480, 632, 230, 130), STEEL, 40)
        + line(arc((480, 632), 230, 190, 280, 0.565), WHITE, 12)
    )
    return (
        flat("butter")
        + fill(burst, SUN)
        + fill(small, lighter(SUN, 0.6))
        + rays
        + solid(
            ellipse(480, 690, 380, 210),
            CLAY,
            fill(ellipse(480, 640, 210, 110), darker(CLAY, 0.34)),
            shade=(-24, -30),
            rim=6,
        )
        + ring_
        + tejo_disc(480, 560, 150)
        + mecha(206, 330, 74, -34)
        + mecha(752, 300, 74, 40)
        + mecha(330, 170, 62, 18)
        + mecha(640, 150, 62, -22)
    )


@picture("Mini tejo (piezas)")
def tejo_pieces() -> str:
    board = box(500, 160, 330, 300, r=26)
    score = "".join(fill(circle(560 + c * 52, 262 + r * 70, 13), WALNUT) for c in range(5) for r in range(3))
    pegs = "".join(
        solid(circle(560 + c * 52, 262 + r * 70, 20), k, shade=(-5, -6), rim=3)
        for c, r, k in ((1, 0, TOMATO), (3, 1, SKY), (0, 2, SUN))
    )
    discs = "".join(
        cast(ellipse(x, y + 20, 100, 66), 12, 18, 10, 0.32) + tejo_disc(x, y, 104, 0.66)
        for x, y in ((240, 250), (230, 470), (440, 640))
    )
    return (
        flat("mint")
        + cast(board, 14, 20, 12, 0.32)
        + solid(
            board,
            PINE,
            grain((500, 160, 830, 460), PINE, 6, 9),
            fill(words("puntos", 665, 222, 44, 600), WALNUT),
            score,
            shade=(-12, -14),
            rim=5,
        )
        + pegs
        + discs
        + mecha(620, 600, 70, 20)
        + mecha(770, 660, 70, -30)
        + mecha(690, 790, 70, 70)
        + mecha(200, 760, 70, -12)
        + mecha(330, 810, 70, 50)
    )

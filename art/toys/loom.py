"""Telar de mesa: warp, diamonds and wool."""

from art.colour import OAK, PINE, WALNUT, darker
from art.gallery import picture
from art.materials import wooden
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import box, circle, curve, ellipse, leaf, poly

WEAVE = ("#B9402D", "#E9B44C", "#2F6F73", "#F2E4C9", "#7A3E6B")


def thread_colour(row: int, col: int) -> str:
    """The yarn of one thread: nested diamonds between pale bands."""
    if row % 24 >= 22:
        return WEAVE[3]
    away = abs(col % 12 - 5.5) + abs(row % 12 - 5.5)
    return next(
        WEAVE[yarn] for reach, yarn in ((2.2, 0), (4.2, 1), (5.2, 3), (8.2, 2), (99, 4)) if away < reach
    )


def tapestry(left: float, top: float, cols: int, rows: int, cell: float) -> str:
    """Woven diamonds, thread over and thread under."""
    parts = ""
    for row in range(rows):
        for col in range(cols):
            over = (row + col) % 2
            x, y = left + col * cell, top + row * cell - (cell * 0.1 if over else 0)
            colour = thread_colour(row, col)
            thread = box(x, y, cell * 1.02, cell * 0.92, r=cell * 0.4)
            parts += fill(thread, colour if over else darker(colour, 0.1))
    return parts


def loom() -> str:
    """The frame with its warp and a tapestry half done, comb resting on it."""
    pegs = "".join(fill(box(236 + n * 20.4, y, 8, 24, r=4), WALNUT) for n in range(24) for y in (150, 786))
    warp = "".join(
        line(poly((240 + n * 20.4, 168), (240 + n * 20.4, 796), closed=False), "#EADBB8", 4)
        for n in range(24)
    )
    cloth = tapestry(232, 470, 24, 16, 20.4)
    posts = "".join(
        wooden(box(x, 110, 56, 740, r=20), OAK, int(x), upright=True, lines=4, shade=(-10, 0), rim=5)
        for x in (160, 744)
    )
    rails = wooden(box(130, 120, 700, 54, r=20), OAK, 3, lines=3, shade=(0, -12), rim=5) + wooden(
        box(130, 786, 700, 54, r=20), OAK, 5, lines=3, shade=(0, -12), rim=5
    )
    shuttle = group(
        line(curve((250, 440), (500, 452), (700, 446)), WEAVE[0], 9),
        solid(
            leaf((420, 400), (790, 400), 64),
            PINE,
            line(poly((470, 400), (740, 400), closed=False), WEAVE[0], 26),
            line(
                poly((490, 400), (730, 400), closed=False), darker(WEAVE[0], 0.2), 22, dash="4 9", cap="butt"
            ),
            shade=(-5, -8),
            rim=4,
        ),
        turn=-7,
        about=(600, 400),
    )
    return posts + warp + cloth + rails + pegs + shuttle


def skein(x: float, y: float, s: float, colour: str, turn: float = 0) -> str:
    """A ball of wool."""
    strands = "".join(
        line(ellipse(x, y, s, s * k).turn(a, (x, y)), darker(colour, 0.16), s * 0.07)
        for a, k in ((0, 0.3), (0, 0.6), (62, 0.36), (62, 0.7), (124, 0.4))
    )
    return cast(circle(x, y, s), 10, 14, 8, 0.3) + group(
        solid(circle(x, y, s), colour, strands, shade=(-s * 0.14, -s * 0.16), rim=4), turn=turn, about=(x, y)
    )


def comb(x: float, y: float, s: float) -> str:
    """The beater, teeth down."""
    teeth = "".join(
        solid(box(x - s * 0.46 + n * s * 0.14, y, s * 0.08, s * 0.56, r=s * 0.03), PINE, shade=(-3, 0), rim=2)
        for n in range(7)
    )
    return teeth + wooden(
        poly(
            (x - s * 0.5, y + s * 0.06),
            (x - s * 0.5, y - s * 0.3),
            (x - s * 0.16, y - s * 0.44),
            (x - s * 0.13, y - s * 1.1),
            (x + s * 0.13, y - s * 1.1),
            (x + s * 0.16, y - s * 0.44),
            (x + s * 0.5, y - s * 0.3),
            (x + s * 0.5, y + s * 0.06),
            r=s * 0.08,
        ),
        PINE,
        7,
        shade=(-8, -8),
        rim=4,
    )


@picture("telar-de-mesa-1")
def loom_front() -> str:
    return plain("sand", 740) + shadow(480, 858, 380, 30) + loom()


@picture("telar-de-mesa-2")
def loom_wools() -> str:
    return (
        flat("mint")
        + group(
            cast(box(140, 110, 680, 740, r=20), 18, 26, 14, 0.28),
            loom(),
            turn=-8,
            size=0.66,
            about=(300, 360),
            move=(-40, -20),
        )
        + skein(770, 200, 96, WEAVE[0], 20)
        + skein(850, 400, 80, WEAVE[1], -30)
        + skein(720, 530, 96, WEAVE[2], 50)
        + skein(860, 680, 86, WEAVE[4], 10)
        + skein(640, 760, 92, "#E7D6B4", -16)
        + skein(450, 830, 80, "#C7673F", 35)
        + group(
            cast(box(150, 690, 160, 200, r=16), 10, 14, 8, 0.3),
            comb(220, 800, 150),
            turn=-24,
            about=(220, 800),
        )
    )


@picture("telar-de-mesa-3")
def loom_detail() -> str:
    return (
        flat("sand")
        + "".join(
            line(poly((0 + n * 50, -20), (0 + n * 50, 980), closed=False), "#FBF2DC", 12) for n in range(20)
        )
        + tapestry(-26, 300, 20, 14, 50)
    )

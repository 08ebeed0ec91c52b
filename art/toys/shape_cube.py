"""Cubo de figuras: twelve shapes and their slots."""

from art.colour import LEAF, LIME, ORANGE, PINE, PINK, PLUM, SKY, SUN, TEAL, TINTS, TOMATO, darker, lighter
from art.gallery import picture
from art.materials import wooden
from art.paint import cast, clip, fill, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import Path, Point, box, circle, ellipse, heart, ngon, poly, scalloped, sector, star

PLUS = ((-36, -100), (36, -100), (36, -36), (100, -36), (100, 36), (36, 36), (36, 100), (-36, 100))
FIGURES = (  # about (0, 0), 100 units from the middle to the rim
    circle(0, 0, 100),
    star(0, 0, 116, 56, 5, 12),
    heart(0, 0, 210),
    poly((0, -100), (100, 80), (-100, 80), r=14),
    box(-86, -86, 172, 172, r=12),
    ngon(0, 0, 100, 6, 10),
    poly(*PLUS, (-36, 36), (-100, 36), (-100, -36), (-36, -36), r=10),
    sector((0, 50), 110, 0, 180, 360),
    poly((0, -110), (80, 0), (0, 110), (-80, 0), r=12),
    ellipse(0, 0, 116, 76),
    poly((-60, -70), (60, -70), (100, 70), (-100, 70), r=12),
    scalloped(0, 0, 92, 6, 14),
)


def figure(kind: int, cx: float, cy: float, r: float) -> Path:
    """One of the twelve shapes."""
    return FIGURES[kind].size(r / 100).move(cx, cy)


FIGURE_COLOURS = (TOMATO, SUN, PINK, TEAL, SKY, ORANGE, LEAF, PLUM, LIME, TOMATO, SKY, SUN)


def chunky(kind: int, cx: float, cy: float, r: float, turn: float = 0, thick: float = 0.24) -> str:
    """A thick painted figure lying or standing."""
    shape, colour = figure(kind, cx, cy, r).turn(turn, (cx, cy)), FIGURE_COLOURS[kind]
    under = "".join(
        fill(shape.move(r * thick * u * 0.55, r * thick * u), darker(colour, 0.3))
        for u in (0.25, 0.5, 0.75, 1)
    )
    return under + solid(shape, colour, shade=(-r * 0.1, -r * 0.11), rim=4)


def shape_cube(open_lid: bool) -> str:
    """The cube in a three-quarter view."""
    top = ((480, 200), (770, 320), (480, 450), (190, 320))
    left = ((190, 320), (480, 450), (480, 800), (190, 660))
    right = ((480, 450), (770, 320), (770, 660), (480, 800))

    def slot(face: tuple[Point, ...], kind: int, u: float, v: float, r: float) -> str:
        (ax, ay), (bx, by), _, (dx, dy) = face
        size = 300
        shape = figure(kind, u, v, r).warp(
            lambda p: (
                ax + (bx - ax) * p[0] / size + (dx - ax) * p[1] / size,
                ay + (by - ay) * p[0] / size + (dy - ay) * p[1] / size,
            )
        )
        return (
            fill(shape, "#5B3520")
            + clip(shape, fill(shape.move(10, 12), "#3B2114"))
            + line(shape, lighter(PINE, 0.4), 5)
        )

    wood = "".join(
        wooden(poly(*face, r=8), tone, seed, shade=(0, 0), rim=5, lines=14)
        for face, tone, seed in ((left, PINE, 3), (right, darker(PINE, 0.12), 5))
    )
    slots = (
        slot(left, 4, 85, 85, 44)
        + slot(left, 1, 215, 90, 50)
        + slot(left, 3, 85, 220, 46)
        + slot(left, 8, 215, 218, 48)
        + slot(right, 2, 85, 85, 48)
        + slot(right, 6, 215, 88, 46)
        + slot(right, 9, 88, 218, 46)
        + slot(right, 5, 215, 216, 48)
    )
    if open_lid:
        rim = poly(*top, r=8)
        mouth = poly((480, 232), (722, 322), (480, 424), (238, 322), r=6)
        inner = clip(
            mouth,
            fill(mouth, "#4A2B1C"),
            chunky(0, 400, 330, 62),
            chunky(3, 560, 340, 66, 20),
            chunky(1, 480, 400, 70, 14),
            chunky(4, 330, 390, 60, 24),
            chunky(2, 640, 390, 62, -16),
        )
        return wood + slots + fill(rim, lighter(PINE, 0.4)) + inner
    lid = wooden(poly(*top, r=8), lighter(PINE, 0.45), 7, shade=(0, 0), rim=5, lines=10)
    return (
        wood
        + slots
        + lid
        + slot(top, 0, 90, 95, 46)
        + slot(top, 7, 210, 95, 50)
        + slot(top, 10, 92, 212, 46)
        + slot(top, 11, 212, 212, 50)
    )


@picture("Cubo de figuras (frente)")
def cube_front() -> str:
    return (
        plain("sky", 660)
        + shadow(480, 760, 350, 70)
        + shape_cube(False)
        + shadow(150, 820, 90, 16)
        + shadow(820, 806, 90, 16)
        + shadow(640, 868, 80, 14)
        + chunky(2, 146, 764, 62, -8)
        + chunky(1, 806, 744, 68, 12)
        + chunky(0, 640, 816, 56)
    )


@picture("Cubo de figuras (abierto)")
def cube_open() -> str:
    board = poly((560, 100), (850, 50), (930, 260), (640, 320), r=10)
    holes = (
        circle(662, 150, 38),
        figure(7, 794, 118, 40).turn(-10, (794, 118)),
        figure(10, 700, 248, 38).turn(-10, (700, 248)),
        figure(11, 836, 216, 42),
    )
    cut = "".join(
        fill(shape, TINTS["butter"]) + clip(shape, fill(shape.move(-7, -9), "#8A5A33")) for shape in holes
    )
    lid = fill(board.move(8, 13), darker(PINE, 0.26)) + wooden(
        board, lighter(PINE, 0.3), 9, cut, shade=(0, 0), rim=5
    )
    return (
        plain("butter", 660)
        + shadow(480, 760, 350, 70)
        + shape_cube(True)
        + cast(board, 10, 40, 14, 0.2)
        + lid
        + shadow(170, 826, 100, 18)
        + chunky(9, 170, 782, 66, -14)
    )


@picture("Cubo de figuras (las doce figuras)")
def cube_figures() -> str:
    return flat("peach") + "".join(
        cast(circle(190 + n % 4 * 196, 230 + n // 4 * 236, 70), 14, 20, 9, 0.26)
        + chunky(n, 186 + n % 4 * 196, 226 + n // 4 * 236, 76, (n * 37) % 21 - 10)
        for n in range(12)
    )

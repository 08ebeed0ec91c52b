"""Tangram de siete piezas: exact pieces, a fox and a boat."""

from art.colour import COCOA, OAK, ORANGE, PINK, PLUM, SKY, SUN, TEAL, TOMATO, WHITE, darker
from art.gallery import picture
from art.materials import grain
from art.paint import cast, fill, group, line, solid
from art.scenes import flat, halo
from art.shapes import Point, box, curve, poly

Corners = tuple[Point, ...]
TANGRAM: tuple[tuple[Corners, str], ...] = (
    (((0, 0), (4, 0), (2, 2)), TOMATO),
    (((0, 0), (2, 2), (0, 4)), SKY),
    (((2, 2), (3, 1), (4, 2), (3, 3)), SUN),
    (((3, 1), (4, 0), (4, 2)), PLUM),
    (((4, 2), (4, 4), (2, 4)), TEAL),
    (((2, 2), (3, 3), (1, 3)), PINK),
    (((0, 4), (1, 3), (3, 3), (2, 4)), ORANGE),
)
H = 2**0.5 / 2  # half the diagonal of the small square
FOX: tuple[Corners, ...] = (
    ((0, H), (2 * H, 3 * H), (0, 5 * H)),
    ((0, 5 * H), (4 * H, 5 * H), (2 * H, 3 * H)),
    ((0, -H), (H, 0), (0, H), (-H, 0)),
    ((-H, 0), (0, -H), (-H, -2 * H)),
    ((0, 5 * H), (0, 5 * H - 2), (-1, 5 * H - 1)),
    ((H, 0), (0, -H), (H, -2 * H)),
    ((4 * H, 5 * H), (4 * H + 1, 5 * H), (4 * H + 2, 5 * H - 1), (4 * H + 1, 5 * H - 1)),
)
BOAT: tuple[Corners, ...] = (
    ((0.04, 0), (0.04, -2), (2.04, 0)),
    ((-0.04, 0), (-0.04, -2), (-2.04, 0)),
    ((-1, 0.1), (0, 0.1), (0, 1.1), (-1, 1.1)),
    ((-2, 0.1), (-1, 0.1), (-1, 1.1)),
    ((0, -2.08), (0, -4.08), (1, -3.08)),
    ((0, 0.1), (1, 0.1), (0, 1.1)),
    ((1, 0.1), (2, 0.1), (1, 1.1), (0, 1.1)),
)


def tangram(figure: tuple[Corners, ...], left: float, top: float, unit: float, lift: bool = True) -> str:
    """The seven pieces laid out as `figure`."""
    whole = ""
    for index, corners in enumerate(figure):
        colour = TANGRAM[index][1]
        shape = poly(*((left + x * unit, top + y * unit) for x, y in corners), r=unit * 0.07)
        middle = (
            sum(left + x * unit for x, _ in corners) / len(corners),
            sum(top + y * unit for _, y in corners) / len(corners),
        )
        shape = shape.size(0.972, about=middle)
        whole += (
            (cast(shape, 9, 13, 6, 0.34) if lift else "")
            + fill(shape.move(4, 7), darker(colour, 0.3))
            + solid(
                shape,
                colour,
                grain(shape.bounds(), colour, index + 3, 7),
                shade=(-unit * 0.06, -unit * 0.07),
                rim=5,
            )
        )
    return whole


SQUARE = tuple(corners for corners, _ in TANGRAM)


@picture("tangram-siete-piezas-1")
def tangram_square() -> str:
    frame = box(140, 140, 680, 680, r=36)
    return flat("paper") + group(
        cast(frame, 18, 26, 16, 0.34),
        solid(frame, OAK, grain(frame.bounds(), OAK, 31, 16), shade=(-14, -16), rim=6),
        fill(box(192, 192, 576, 576, r=14), darker(OAK, 0.34)),
        tangram(SQUARE, 200, 200, 140, lift=False),
        turn=6,
        about=(480, 480),
    )


@picture("tangram-siete-piezas-2")
def tangram_fox() -> str:
    return halo("mint", radius=390) + tangram(FOX, 258, 356, 124)


def silhouette(
    figure: tuple[Corners, ...], left: float, top: float, unit: float, turn: float, cx: float, cy: float
) -> str:
    """A task card: the figure in one colour."""
    sheet = box(cx - 110, cy - 140, 220, 280, r=22)
    shape = "".join(
        fill(poly(*((left + x * unit, top + y * unit) for x, y in corners)), COCOA)
        + line(poly(*((left + x * unit, top + y * unit) for x, y in corners)), COCOA, 3)
        for corners in figure
    )
    return group(
        cast(sheet, 10, 14, 8, 0.3),
        solid(sheet, WHITE, line(box(cx - 94, cy - 124, 188, 248, r=14), SUN, 5), shape, shade=(0, 0), rim=0),
        turn=turn,
        about=(cx, cy),
    )


@picture("tangram-siete-piezas-3")
def tangram_boat() -> str:
    return (
        flat("sky")
        + silhouette(FOX, 124, 208, 25, -10, 170, 226)
        + silhouette(BOAT, 790, 282, 38, 9, 790, 230)
        + line(
            curve(
                (120, 800), (220, 780), (320, 800), (420, 820), (520, 800), (620, 780), (720, 800), (820, 818)
            ),
            WHITE,
            12,
        )
        + tangram(BOAT, 480, 640, 132)
    )

"""Parqués de madera: board, pawns and dice."""

from art.colour import CEDAR, COCOA, CREAM, LEAF, SKY, SUN, TOMATO, WHITE, darker, lighter, mix
from art.gallery import picture
from art.materials import grain, stripe
from art.paint import cast, fill, gloss, group, line, shadow, solid
from art.parts.dice import die
from art.scenes import flat, plain
from art.shapes import box, circle, curve, drop, ellipse, heart, leaf, polar, poly, star, twin

PLAYERS = (SUN, SKY, TOMATO, LEAF)


def pawn(x: float, y: float, size: float, colour: str) -> str:
    """A turned pawn standing on (x, y)."""
    s = size
    body = twin(
        (x, y - s * 0.95),
        (x + s * 0.16, y - s * 0.92),
        (x + s * 0.18, y - s * 0.5),
        (x + s * 0.42, y - s * 0.1),
        (x + s * 0.36, y + s * 0.04),
        (x, y + s * 0.08),
        x=x,
    )
    return (
        solid(
            body,
            colour,
            stripe(x - s, x + s, y - s * 0.2, s * 0.07, s * 0.08, lighter(colour, 0.55)),
            shade=(-s * 0.1, -s * 0.05),
            rim=4,
        )
        + solid(ellipse(x, y - s * 0.84, s * 0.26, s * 0.1), colour, shade=(-4, -5), rim=3)
        + solid(circle(x, y - s * 1.1, s * 0.28), colour, shade=(-s * 0.07, -s * 0.08), rim=4)
        + gloss((x - s * 0.15, y - s * 1.1), (x - s * 0.04, y - s * 1.26), -0.2, s * 0.07)
    )


def parques_board(cx: float, cy: float, side: float) -> str:
    """The board from above: four homes, twelve lanes, the sky in the middle."""
    half, cell = side / 2, side / 19
    frame = box(cx - half - cell, cy - half - cell, side + 2 * cell, side + 2 * cell, r=cell * 0.9)
    parts = [
        solid(frame, CEDAR, grain(frame.bounds(), CEDAR, 8, 26), shade=(-12, -14), rim=6),
        fill(box(cx - half, cy - half, side, side), CREAM),
    ]
    for n, colour in enumerate(PLAYERS):
        turn = 90 * n
        corner = box(cx - half, cy - half, cell * 7, cell * 7)
        home = (
            fill(corner, colour)
            + fill(circle(cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 2.7), lighter(colour, 0.75))
            + line(circle(cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 2.25), colour, cell * 0.16)
            + emblem(n, cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 1.5, colour, turn)
        )
        lanes = ""
        for column in range(3):
            for row in range(7):
                x, y = cx + (column - 1.5) * cell * 5 / 3, cy - half + row * cell
                tone = (
                    colour
                    if column == 1 and row > 0
                    else (mix(colour, WHITE, 0.35) if (column, row) in ((0, 4), (2, 4)) else CREAM)
                )
                field = box(x, y, cell * 5 / 3, cell)
                lanes += fill(field, tone) + line(field, "#8B6B4F", 2.5)
                if (column, row) in ((0, 4), (2, 4), (1, 0)):
                    lanes += line(circle(x + cell * 5 / 6, y + cell / 2, cell * 0.3), darker(colour, 0.15), 3)
        wedge = fill(
            poly((cx - cell * 2.5, cy - cell * 2.5), (cx + cell * 2.5, cy - cell * 2.5), (cx, cy)), colour
        )
        parts.append(group(home, lanes, wedge, turn=turn, about=(cx, cy)))
    parts.append(
        fill(circle(cx, cy, cell * 1.1), WHITE) + fill(star(cx, cy, cell * 0.9, cell * 0.4, 8, 2), COCOA)
    )
    parts.append(line(box(cx - half, cy - half, side, side), "#8B6B4F", 4))
    return "".join(parts)


def emblem(index: int, cx: float, cy: float, size: float, colour: str, turn: float) -> str:
    """What each home shows: sun, drop, heart, leaf; kept upright."""
    deep = darker(colour, 0.12)
    if index == 0:
        shape = fill(circle(cx, cy, size * 0.5), deep) + "".join(
            fill(leaf(polar((cx, cy), size * 0.56, a), polar((cx, cy), size, a), size * 0.2), deep)
            for a in range(0, 360, 45)
        )
    elif index == 1:
        shape = fill(drop((cx, cy - size), (cx, cy + size * 0.2), size * 0.62), deep)
    elif index == 2:
        shape = fill(heart(cx, cy, size * 1.6), deep)
    else:
        shape = fill(
            leaf((cx - size * 0.7, cy + size * 0.7), (cx + size * 0.8, cy - size * 0.8), size * 0.9), deep
        ) + line(
            curve((cx - size * 0.8, cy + size * 0.8), (cx + size * 0.4, cy - size * 0.4)),
            lighter(colour, 0.6),
            4,
        )
    return group(shape, turn=-turn, about=(cx, cy))


@picture("parques-de-madera-1")
def parques_above() -> str:
    board = cast(box(138, 138, 684, 684, r=30), 16, 22, 14, 0.34) + parques_board(480, 480, 620)
    pieces = (
        pawn(280, 306, 62, SUN)
        + pawn(330, 330, 62, SUN)
        + pawn(680, 690, 62, TOMATO)
        + pawn(480, 300, 62, SKY)
        + pawn(566, 480, 62, LEAF)
    )
    return (
        flat("sand")
        + group(board, pieces, turn=-5, about=(480, 480))
        + cast(box(728, 140, 84, 84, r=20), 10, 14, 8, 0.35)
        + die(770, 186, 50, 5, 3, 6)
        + cast(box(840, 214, 84, 84, r=20), 10, 14, 8, 0.35)
        + die(866, 250, 50, 2, 4, 1)
    )


@picture("parques-de-madera-2")
def parques_pieces() -> str:
    return (
        plain("mint", 640)
        + shadow(240, 660, 110, 22)
        + shadow(400, 700, 110, 22)
        + shadow(566, 664, 110, 22)
        + shadow(720, 706, 110, 22)
        + shadow(330, 836, 130, 24)
        + shadow(620, 846, 130, 24)
        + pawn(234, 640, 230, SUN)
        + pawn(560, 644, 230, TOMATO)
        + pawn(396, 684, 230, SKY)
        + pawn(716, 690, 230, LEAF)
        + die(330, 760, 92, 6, 2, 4)
        + die(612, 776, 92, 5, 1, 3)
    )


@picture("parques-de-madera-3")
def parques_detail() -> str:
    board = group(parques_board(480, 480, 620), move=(-330, -230), size=2.5, about=(480, 480))
    return (
        flat("sand")
        + group(board, turn=-8, about=(480, 480))
        + shadow(330, 490, 90, 18, 0.7)
        + shadow(470, 610, 90, 18, 0.7)
        + shadow(250, 690, 90, 18, 0.7)
        + pawn(322, 470, 150, TOMATO)
        + pawn(462, 590, 150, TOMATO)
        + pawn(242, 670, 150, TOMATO)
        + shadow(716, 720, 110, 20, 0.7)
        + die(700, 640, 86, 6, 2, 3)
    )

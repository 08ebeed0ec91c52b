"""Juegos de mesa: rana, parqués, dominó, lotería, mini tejo."""

from random import Random

from art.colour import BRASS, CEDAR, CLAY, COCOA, CREAM, INK, LEAF, LIME, OAK, ORANGE, PINE, PINK, PLUM, SKY, STEEL, SUN, TEAL, TOMATO, WALNUT, WHITE, darker, lighter, mix
from art.faces import eye, eyes, muzzle_smile
from art.gallery import picture
from art.lettering import face, words
from art.materials import grain, stripe, swish
from art.paint import cast, clip, fill, flip, gloss, group, line, shadow, solid
from art.scenes import flat, plain, sun
from art.shapes import Point, arc, blob, box, circle, curve, drop, ellipse, heart, leaf, polar, poly, star, twin

# Rana -----------------------------------------------------------------------------------------------------------


def frog(cx: float, cy: float, size: float) -> str:
    """The open-mouthed frog of the game, sitting with its toes on (cx, cy)."""
    s, green = size, "#4F9E4A"
    legs = "".join(
        solid(blob((cx + d * s * 0.42, cy - s * 0.5), (cx + d * s * 0.78, cy - s * 0.36), (cx + d * s * 0.8, cy - s * 0.06), (cx + d * s * 0.5, cy)), darker(green, 0.1), shade=(-s * 0.05, -s * 0.05), rim=3)
        + solid(blob((cx + d * s * 0.34, cy - s * 0.1), (cx + d * s * 0.92, cy - s * 0.1), (cx + d * s * 0.9, cy + s * 0.02), (cx + d * s * 0.4, cy + s * 0.03)), green, shade=(-s * 0.03, -s * 0.05), rim=3)
        for d in (-1, 1)
    )
    body = twin((cx, cy - s * 0.9), (cx + s * 0.5, cy - s * 0.7), (cx + s * 0.6, cy - s * 0.24), (cx + s * 0.34, cy), (cx, cy + s * 0.01), x=cx)
    belly = ellipse(cx, cy - s * 0.2, s * 0.36, s * 0.26)
    head = twin((cx, cy - s * 1.3), (cx + s * 0.46, cy - s * 1.24), (cx + s * 0.72, cy - s * 0.92), (cx + s * 0.52, cy - s * 0.56), (cx, cy - s * 0.46), x=cx)
    mouth = twin((cx, cy - s * 1.02), (cx + s * 0.4, cy - s * 0.98), (cx + s * 0.5, cy - s * 0.84), (cx + s * 0.3, cy - s * 0.6), (cx, cy - s * 0.54), x=cx)
    tongue = ellipse(cx, cy - s * 0.58, s * 0.24, s * 0.13)
    eyes = "".join(
        solid(circle(cx + d * s * 0.38, cy - s * 1.27, s * 0.22), green, shade=(-s * 0.04, -s * 0.04), rim=3)
        + fill(circle(cx + d * s * 0.38, cy - s * 1.29, s * 0.15), SUN) + eye(cx + d * s * 0.37, cy - s * 1.28, s * 0.085, INK)
        for d in (-1, 1)
    )
    spots = "".join(fill(ellipse(cx + x * s, cy + y * s, s * r, s * r * 0.8), darker(green, 0.14)) for x, y, r in ((-0.56, -0.92, 0.06), (0.58, -0.86, 0.05), (-0.1, -1.2, 0.05), (0.1, -1.17, 0.035)))
    return (
        legs
        + solid(body, green, fill(belly, "#CFE39B"), shade=(-s * 0.08, -s * 0.06), rim=4)
        + solid(head, green, spots, shade=(-s * 0.08, -s * 0.07), rim=5)
        + line(mouth, darker(green, 0.3), s * 0.05) + fill(mouth, "#5E1F1B") + clip(mouth, fill(tongue, PINK))
        + eyes
    )


def hole(cx: float, cy: float, size: float, squash: float = 0.55) -> str:
    """A hole with its brass rim."""
    return (
        fill(ellipse(cx, cy, size * 1.3, size * 1.3 * squash), darker(BRASS, 0.22))
        + fill(ellipse(cx, cy - size * 0.06, size * 1.26, size * 1.22 * squash), BRASS)
        + fill(ellipse(cx, cy, size, size * squash), "#3A2319")
        + line(arc((cx, cy), size * 1.14, 190, 260, squash), lighter(BRASS, 0.6), size * 0.12)
    )


def rana_cabinet() -> str:
    """The whole game: back board, sloping top with holes, front with numbered pockets."""
    back = poly((190, 200), (300, 120), (660, 120), (770, 200), (770, 420), (190, 420), r=(30, 60, 60, 30, 4, 4))
    top = poly((190, 400), (770, 400), (846, 610), (114, 610), r=12)
    front = box(114, 600, 732, 190, r=(8, 8, 26, 26))
    holes = "".join(hole(x, y, s) for x, y, s in ((280, 446, 30), (680, 446, 30), (250, 505, 33), (710, 505, 33), (350, 512, 33), (610, 512, 33), (212, 570, 36), (324, 574, 36), (436, 578, 36), (548, 578, 36), (660, 574, 36), (758, 570, 36)))
    pockets = ""
    for n, points in enumerate(("50", "100", "200", "500", "200", "100", "50")):
        x = 150 + n * 96
        colour = (TOMATO, SUN, TEAL, PLUM, TEAL, SUN, TOMATO)[n]
        pockets += fill(box(x, 650, 84, 96, r=(40, 40, 8, 8)), "#4A2B1C") + fill(box(x + 6, 702, 72, 44, r=6), colour) + fill(words(points, x + 42, 734, 30, 600), WHITE if colour != SUN else COCOA)
    sun = "".join(fill(leaf(polar((480, 300), 62, a), polar((480, 300), 150, a), 34), TOMATO if n % 2 else SUN) for n, a in enumerate(range(-180, 1, 20)))
    return (
        solid(back, TEAL, sun, line(poly((214, 410), (214, 212), (308, 144), (652, 144), (746, 212), (746, 410), r=24, closed=False), SUN, 8), shade=(-18, -16), rim=6)
        + solid(top, OAK, grain((114, 400, 846, 610), OAK, 6, 8), shade=(0, -14), rim=4)
        + holes
        + solid(front, CEDAR, grain((114, 600, 846, 790), CEDAR, 14, 7), pockets, shade=(-18, -16), rim=6)
        + frog(480, 506, 168)
    )


@picture("Rana mini de mesa (frente)")
def rana_front() -> str:
    rings = "".join(ring(x, y, 40) for x, y in ((190, 842), (262, 856), (770, 850)))
    return plain("butter", 700) + shadow(480, 800, 420, 40) + rana_cabinet() + rings


def ring(cx: float, cy: float, radius: float, squash: float = 0.45, turn: float = 0) -> str:
    """A metal quoit."""
    return group(
        line(ellipse(cx, cy + 4, radius, radius * squash), darker(STEEL, 0.4), radius * 0.36)
        + line(ellipse(cx, cy, radius, radius * squash), STEEL, radius * 0.32)
        + line(arc((cx, cy), radius, 195, 290, squash), WHITE, radius * 0.12),
        turn=turn, about=(cx, cy),
    )


@picture("Rana mini de mesa (jugando)")
def rana_play() -> str:
    path = curve((930, 120), (760, 90), (600, 190), (510, 330))
    return (
        flat("mint")
        + group(rana_cabinet(), move=(-40, 210), size=1.22, about=(480, 480))
        + line(path, WHITE, 9, dash="4 26", opacity=0.95)
        + ring(850, 104, 54, 0.6, -20) + ring(690, 128, 54, 0.5, -38) + ring(548, 262, 54, 0.42, -62)
        + swish((430, 470), 240, 196, 232, SUN, 11) + swish((430, 470), 240, -48, -14, SUN, 11)
    )


@picture("Rana mini de mesa (detalle)")
def rana_detail() -> str:
    return flat("butter") + group(rana_cabinet(), move=(0, 130), size=2.5, about=(480, 400))


# Parqués --------------------------------------------------------------------------------------------------------

PLAYERS = (SUN, SKY, TOMATO, LEAF)


def pawn(x: float, y: float, size: float, colour: str) -> str:
    """A turned pawn standing on (x, y)."""
    s = size
    body = twin((x, y - s * 0.95), (x + s * 0.16, y - s * 0.92), (x + s * 0.18, y - s * 0.5), (x + s * 0.42, y - s * 0.1), (x + s * 0.36, y + s * 0.04), (x, y + s * 0.08), x=x)
    return (
        solid(body, colour, stripe(x - s, x + s, y - s * 0.2, s * 0.07, s * 0.08, lighter(colour, 0.55)), shade=(-s * 0.1, -s * 0.05), rim=4)
        + solid(ellipse(x, y - s * 0.84, s * 0.26, s * 0.1), colour, shade=(-4, -5), rim=3)
        + solid(circle(x, y - s * 1.1, s * 0.28), colour, shade=(-s * 0.07, -s * 0.08), rim=4)
        + gloss((x - s * 0.15, y - s * 1.1), (x - s * 0.04, y - s * 1.26), -0.2, s * 0.07)
    )


def die(cx: float, cy: float, size: float, top: int, left: int, right: int, colour: str = WHITE, pip: str = TOMATO) -> str:
    """A die seen from a corner: its top, left and right faces."""
    s, h = size, size * 0.58
    faces = (
        ((cx, cy - s), (cx + s * 0.9, cy - s + h * 0.86), (cx, cy - s + 2 * h * 0.86), (cx - s * 0.9, cy - s + h * 0.86)),
        ((cx - s * 0.9, cy - s + h * 0.86), (cx, cy - s + 2 * h * 0.86), (cx, cy + s * 0.96), (cx - s * 0.9, cy + s * 0.96 - h * 0.86)),
        ((cx, cy - s + 2 * h * 0.86), (cx + s * 0.9, cy - s + h * 0.86), (cx + s * 0.9, cy + s * 0.96 - h * 0.86), (cx, cy + s * 0.96)),
    )
    tones = (lighter(colour, 0.5), darker(colour, 0.06), darker(colour, 0.14))
    hull = poly(faces[0][0], faces[0][1], faces[2][2], faces[2][3], faces[1][3], faces[0][3], r=s * 0.24)
    parts = []
    for corners, tone, count in zip(faces, tones, (top, left, right), strict=True):
        parts.append(fill(poly(*corners, r=s * 0.12), tone))
        for u, v in PIPS[count]:
            parts.append(fill(spot(corners, u, v, s * 0.1), pip))
    return clip(hull, fill(hull, darker(colour, 0.03)), *parts)


PIPS: dict[int, tuple[Point, ...]] = {
    0: (),
    1: ((0.5, 0.5),),
    2: ((0.26, 0.26), (0.74, 0.74)),
    3: ((0.24, 0.24), (0.5, 0.5), (0.76, 0.76)),
    4: ((0.27, 0.27), (0.73, 0.27), (0.27, 0.73), (0.73, 0.73)),
    5: ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5)),
    6: ((0.27, 0.22), (0.73, 0.22), (0.27, 0.5), (0.73, 0.5), (0.27, 0.78), (0.73, 0.78)),
}


def spot(corners: tuple[Point, ...], u: float, v: float, radius: float):  # type: ignore[no-untyped-def]
    """A round spot drawn in the perspective of a face."""
    (ax, ay), (bx, by), _, (dx, dy) = corners
    ex, ey, fx, fy = bx - ax, by - ay, dx - ax, dy - ay
    cx, cy = ax + ex * u + fx * v, ay + ey * u + fy * v
    long = max(1.0, (ex * ex + ey * ey) ** 0.5)
    wide = max(1.0, (fx * fx + fy * fy) ** 0.5)
    return circle(0, 0, radius).warp(lambda p: (cx + p[0] * ex / long + p[1] * fx / wide, cy + p[0] * ey / long + p[1] * fy / wide))


def parques_board(cx: float, cy: float, side: float) -> str:
    """The board from above: four homes, twelve lanes, the sky in the middle."""
    half, cell = side / 2, side / 19
    frame = box(cx - half - cell, cy - half - cell, side + 2 * cell, side + 2 * cell, r=cell * 0.9)
    parts = [solid(frame, CEDAR, grain(frame.bounds(), CEDAR, 8, 26), shade=(-12, -14), rim=6), fill(box(cx - half, cy - half, side, side), CREAM)]
    for n, colour in enumerate(PLAYERS):
        turn = 90 * n
        corner = box(cx - half, cy - half, cell * 7, cell * 7)
        home = (
            fill(corner, colour) + fill(circle(cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 2.7), lighter(colour, 0.75))
            + line(circle(cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 2.25), colour, cell * 0.16)
            + emblem(n, cx - half + cell * 3.5, cy - half + cell * 3.5, cell * 1.5, colour, turn)
        )
        lanes = ""
        for column in range(3):
            for row in range(7):
                x, y = cx + (column - 1.5) * cell * 5 / 3, cy - half + row * cell
                tone = colour if column == 1 and row > 0 else (mix(colour, WHITE, 0.35) if (column, row) in ((0, 4), (2, 4)) else CREAM)
                lanes += f"{fill(box(x, y, cell * 5 / 3, cell), tone)}{line(box(x, y, cell * 5 / 3, cell), '#8B6B4F', 2.5)}"
                if (column, row) in ((0, 4), (2, 4), (1, 0)):
                    lanes += line(circle(x + cell * 5 / 6, y + cell / 2, cell * 0.3), darker(colour, 0.15), 3)
        wedge = fill(poly((cx - cell * 2.5, cy - cell * 2.5), (cx + cell * 2.5, cy - cell * 2.5), (cx, cy)), colour)
        parts.append(group(home, lanes, wedge, turn=turn, about=(cx, cy)))
    parts.append(fill(circle(cx, cy, cell * 1.1), WHITE) + fill(star(cx, cy, cell * 0.9, cell * 0.4, 8, 2), COCOA))
    parts.append(line(box(cx - half, cy - half, side, side), "#8B6B4F", 4))
    return "".join(parts)


def emblem(index: int, cx: float, cy: float, size: float, colour: str, turn: float) -> str:
    """What each home shows: sun, drop, heart, leaf; kept upright."""
    deep = darker(colour, 0.12)
    if index == 0:
        shape = fill(circle(cx, cy, size * 0.5), deep) + "".join(fill(leaf(polar((cx, cy), size * 0.56, a), polar((cx, cy), size, a), size * 0.2), deep) for a in range(0, 360, 45))
    elif index == 1:
        shape = fill(drop((cx, cy - size), (cx, cy + size * 0.2), size * 0.62), deep)
    elif index == 2:
        shape = fill(heart(cx, cy, size * 1.6), deep)
    else:
        shape = fill(leaf((cx - size * 0.7, cy + size * 0.7), (cx + size * 0.8, cy - size * 0.8), size * 0.9), deep) + line(curve((cx - size * 0.8, cy + size * 0.8), (cx + size * 0.4, cy - size * 0.4)), lighter(colour, 0.6), 4)
    return group(shape, turn=-turn, about=(cx, cy))


@picture("parques-de-madera-1")
def parques_above() -> str:
    board = cast(box(138, 138, 684, 684, r=30), 16, 22, 14, 0.34) + parques_board(480, 480, 620)
    pieces = pawn(280, 306, 62, SUN) + pawn(330, 330, 62, SUN) + pawn(680, 690, 62, TOMATO) + pawn(480, 300, 62, SKY) + pawn(566, 480, 62, LEAF)
    return flat("sand") + group(board, pieces, turn=-5, about=(480, 480)) + cast(box(728, 140, 84, 84, r=20), 10, 14, 8, 0.35) + die(770, 186, 50, 5, 3, 6) + cast(box(840, 214, 84, 84, r=20), 10, 14, 8, 0.35) + die(866, 250, 50, 2, 4, 1)


@picture("parques-de-madera-2")
def parques_pieces() -> str:
    return (
        plain("mint", 640) + shadow(240, 660, 110, 22) + shadow(400, 700, 110, 22) + shadow(566, 664, 110, 22) + shadow(720, 706, 110, 22)
        + shadow(330, 836, 130, 24) + shadow(620, 846, 130, 24)
        + pawn(234, 640, 230, SUN) + pawn(560, 644, 230, TOMATO) + pawn(396, 684, 230, SKY) + pawn(716, 690, 230, LEAF)
        + die(330, 760, 92, 6, 2, 4) + die(612, 776, 92, 5, 1, 3)
    )


@picture("parques-de-madera-3")
def parques_detail() -> str:
    board = group(parques_board(480, 480, 620), move=(-330, -230), size=2.5, about=(480, 480))
    return (
        flat("sand") + group(board, turn=-8, about=(480, 480))
        + shadow(330, 490, 90, 18, 0.7) + shadow(470, 610, 90, 18, 0.7) + shadow(250, 690, 90, 18, 0.7)
        + pawn(322, 470, 150, TOMATO) + pawn(462, 590, 150, TOMATO) + pawn(242, 670, 150, TOMATO)
        + shadow(716, 720, 110, 20, 0.7) + die(700, 640, 86, 6, 2, 3)
    )


# Dominó ---------------------------------------------------------------------------------------------------------

DOT = {1: TOMATO, 2: SKY, 3: LEAF, 4: PLUM, 5: ORANGE, 6: TEAL}


def tile(cx: float, cy: float, width: float, first: int, second: int, turn: float = 0, seed: int = 1, thick: float = 16, depth: bool = True) -> str:
    """A domino seen from above, upright before turning."""
    w, h = width, width * 2
    face = box(cx - w / 2, cy - h / 2, w, h, r=w * 0.16)
    edge = box(cx - w / 2 + thick * 0.5, cy - h / 2 + thick, w, h, r=w * 0.16)
    dots = ""
    for count, top in ((first, cy - h / 2), (second, cy)):
        for u, v in PIPS[count]:
            x, y = cx - w / 2 + u * w, top + v * w
            dots += fill(circle(x, y, w * 0.095), DOT[count]) + line(arc((x, y), w * 0.08, 180, 260), lighter(DOT[count], 0.4), w * 0.02)
    bar = line(poly((cx - w * 0.36, cy), (cx + w * 0.36, cy), closed=False), WALNUT, w * 0.035) + fill(circle(cx, cy, w * 0.06), BRASS)
    whole = (fill(edge, darker(PINE, 0.28)) if depth else "") + solid(face, PINE, grain(face.bounds(), PINE, seed, 6, upright=True), bar, dots, shade=(-w * 0.05, -w * 0.05), rim=w * 0.03)
    return group(cast(face, 14, 24, 10, 0.3) + whole, turn=turn, about=(cx, cy))


@picture("domino-de-madera-1")
def domino_set() -> str:
    case = (
        cast(box(150, 170, 330, 560, r=30), 18, 26, 14, 0.32)
        + solid(box(150, 170, 330, 560, r=30), CEDAR, grain((150, 170, 480, 730), CEDAR, 6, 10, upright=True), shade=(-16, -18), rim=6)
        + fill(box(180, 200, 270, 500, r=14), darker(CEDAR, 0.34))
    )
    inside = "".join(tile(248 + (n % 2) * 134, 290 + (n // 2) * 250, 116, a, b, 0, n, 8) for n, (a, b) in enumerate(((6, 6), (5, 2), (3, 1), (4, 4))))
    lid = (
        solid(box(110, 640, 410, 190, r=24), OAK, grain((110, 640, 520, 830), OAK, 9, 8), fill(words("dominó", 315, 758, 82, 600), WALNUT), shade=(-12, -16), rim=6)
    )
    return flat("rose") + case + inside + cast(box(110, 640, 410, 190, r=24), 12, 18, 10, 0.3) + lid + tile(650, 300, 150, 6, 3, 24, 21) + tile(800, 520, 150, 5, 5, -12, 22) + tile(690, 800, 150, 2, 4, 82, 23)


@picture("domino-de-madera-2")
def domino_row() -> str:
    falling = {0: 52, 1: 34, 2: 17}
    shadows, tiles = "", ""
    for n in range(6):
        x = 120 + n * 124
        shadows += shadow(x + 90, 690 - n * 4, 110, 22, 0.5)
        tiles = group(standing(x, 690, 250, (5, 3, 6, 2, 4, 1)[n], (2, 5, 1, 6, 3, 4)[n], n), turn=falling.get(n, 0), about=(x + 40, 690)) + tiles
    wind = swish((330, 690), 430, 196, 218, TOMATO, 11) + swish((330, 690), 480, 200, 213, SUN, 11)
    return plain("sky", 640) + group(shadows, tiles, wind, move=(-20, -10), size=1.1, about=(500, 690))


def standing(x: float, base: float, height: float, first: int, second: int, seed: int) -> str:
    """A tile on its short edge, seen mostly from its thin side; its face looks to the right."""
    thick, reach, rise = 42, 112, 62
    face = ((x + thick, base - height), (x + thick + reach, base - height - rise), (x + thick + reach, base - rise), (x + thick, base))
    edge = poly((x, base - height), (x + thick, base - height), (x + thick, base), (x, base), r=8)
    lid = poly((x, base - height + 2), (x + reach, base - height - rise + 2), (x + thick + reach, base - height - rise), (x + thick, base - height), r=6)
    dots = ""
    for count, top in ((first, 0.0), (second, 0.5)):
        for u, v in PIPS[count]:
            dots += fill(spot(face, u, top + v / 2, 11.5), DOT[count])
    bar = line(poly((x + thick + 14, base - height / 2 - 8), (x + thick + reach - 14, base - height / 2 - rise + 8), closed=False), WALNUT, 5)
    return (
        solid(poly(*face, r=8), PINE, grain(poly(*face).bounds(), PINE, seed + 40, 4, upright=True), bar, dots, shade=(-8, -4), rim=4)
        + fill(lid, lighter(PINE, 0.5)) + solid(edge, darker(PINE, 0.14), shade=(-8, 0), rim=0)
    )


@picture("domino-de-madera-3")
def domino_detail() -> str:
    return flat("butter") + tile(330, 500, 330, 5, 3, -14, 31, 30) + tile(704, 500, 330, 6, 4, 10, 33, 30)


# Lotería --------------------------------------------------------------------------------------------------------


def macaw(x: float, y: float, s: float) -> str:
    """La guacamaya."""
    body = blob((x - s * 0.1, y - s * 0.92), (x + s * 0.3, y - s * 0.72), (x + s * 0.3, y - s * 0.1), (x + s * 0.05, y + s * 0.35), (x - s * 0.28, y + s * 0.05), (x - s * 0.36, y - s * 0.56))
    tail = leaf((x, y + s * 0.1), (x + s * 0.16, y + s * 0.98), s * 0.26) + leaf((x + s * 0.08, y + s * 0.1), (x + s * 0.34, y + s * 0.84), s * 0.18)
    wing = leaf((x + s * 0.14, y - s * 0.52), (x + s * 0.3, y + s * 0.44), s * 0.36, -s * 0.06)
    feathers = fill(leaf((x + s * 0.16, y - s * 0.2), (x + s * 0.3, y + s * 0.44), s * 0.24, -s * 0.04), SUN) + fill(leaf((x + s * 0.2, y + s * 0.02), (x + s * 0.3, y + s * 0.44), s * 0.18, -s * 0.02), SKY)
    beak = blob((x - s * 0.32, y - s * 0.74), (x - s * 0.56, y - s * 0.62), (x - s * 0.58, y - s * 0.38), (x - s * 0.44, y - s * 0.46), (x - s * 0.28, y - s * 0.5))
    return (
        fill(tail, SKY) + solid(body, TOMATO, shade=(-s * 0.07, -s * 0.07), rim=s * 0.02)
        + fill(ellipse(x - s * 0.2, y - s * 0.64, s * 0.16, s * 0.14), WHITE) + fill(beak, INK) + line(curve((x - s * 0.5, y - s * 0.62), (x - s * 0.54, y - s * 0.5)), "#6A5B50", s * 0.04)
        + eye(x - s * 0.18, y - s * 0.66, s * 0.06, INK) + solid(wing, darker(TOMATO, 0.08), feathers, shade=(-s * 0.04, -s * 0.04), rim=0)
    )


def turtle(x: float, y: float, s: float) -> str:
    """La tortuga."""
    shell = twin((x, y - s * 0.5), (x + s * 0.46, y - s * 0.3), (x + s * 0.62, y + s * 0.2), (x, y + s * 0.26), x=x)
    plates = "".join(fill(poly((x + d * s * 0.3 - s * 0.12, y - s * 0.12), (x + d * s * 0.3 + s * 0.12, y - s * 0.12), (x + d * s * 0.3 + s * 0.17, y + s * 0.12), (x + d * s * 0.3 - s * 0.17, y + s * 0.12), r=s * 0.04), "#8A5A33") for d in (-1, 0, 1))
    skin = LIME
    return (
        fill(ellipse(x - s * 0.38, y + s * 0.34, s * 0.16, s * 0.15), darker(skin, 0.15)) + fill(ellipse(x + s * 0.38, y + s * 0.34, s * 0.16, s * 0.15), darker(skin, 0.15))
        + solid(blob((x - s * 0.5, y + s * 0.1), (x - s * 0.62, y - s * 0.26), (x - s * 0.94, y - s * 0.28), (x - s * 0.96, y + s * 0.04), (x - s * 0.6, y + s * 0.24)), skin, shade=(-s * 0.03, -s * 0.05), rim=0)
        + eye(x - s * 0.82, y - s * 0.12, s * 0.055, INK) + line(curve((x - s * 0.93, y + s * 0.02), (x - s * 0.84, y + s * 0.07), (x - s * 0.74, y + s * 0.02)), INK, s * 0.035)
        + solid(shell, "#B27A45", plates, shade=(-s * 0.08, -s * 0.07), rim=s * 0.03) + line(curve((x - s * 0.6, y + s * 0.18), (x, y + s * 0.25), (x + s * 0.6, y + s * 0.18)), CREAM, s * 0.08)
    )


def butterfly(x: float, y: float, s: float, one: str = SKY, two: str = PINK) -> str:
    """La mariposa."""
    wing = solid(blob((x, y), (x + s * 0.24, y - s * 0.62), (x + s * 0.78, y - s * 0.7), (x + s * 0.76, y - s * 0.18)), one, fill(circle(x + s * 0.5, y - s * 0.42, s * 0.16), WHITE), fill(circle(x + s * 0.5, y - s * 0.42, s * 0.08), INK), shade=(-s * 0.06, -s * 0.06), rim=s * 0.03)
    low = solid(blob((x, y), (x + s * 0.6, y + s * 0.02), (x + s * 0.56, y + s * 0.52), (x + s * 0.18, y + s * 0.56)), two, fill(circle(x + s * 0.36, y + s * 0.28, s * 0.1), SUN), shade=(-s * 0.06, -s * 0.06), rim=s * 0.03)
    feelers = line(curve((x, y - s * 0.3), (x + s * 0.08, y - s * 0.6), (x + s * 0.24, y - s * 0.78)), INK, s * 0.035)
    half = low + wing + feelers
    return half + flip(half, x=x) + fill(ellipse(x, y - s * 0.02, s * 0.09, s * 0.42), INK) + fill(circle(x, y - s * 0.38, s * 0.11), INK)


def manatee(x: float, y: float, s: float) -> str:
    """El manatí."""
    grey = "#8FA3AE"
    body = blob((x - s * 0.86, y - s * 0.12), (x - s * 0.5, y - s * 0.44), (x + s * 0.2, y - s * 0.4), (x + s * 0.6, y - s * 0.1), (x + s * 0.56, y + s * 0.12), (x, y + s * 0.36), (x - s * 0.6, y + s * 0.3))
    paddle = ellipse(x + s * 0.78, y + s * 0.02, s * 0.2, s * 0.32)
    return (
        fill(paddle, darker(grey, 0.08)) + solid(body, grey, shade=(-s * 0.07, -s * 0.08), rim=s * 0.03)
        + solid(leaf((x - s * 0.3, y + s * 0.12), (x - s * 0.12, y + s * 0.56), s * 0.2), darker(grey, 0.1), shade=(-3, -3), rim=0)
        + fill(ellipse(x - s * 0.74, y + s * 0.08, s * 0.18, s * 0.16), lighter(grey, 0.35)) + fill(circle(x - s * 0.8, y + s * 0.02, s * 0.03), INK) + fill(circle(x - s * 0.7, y + s * 0.01, s * 0.03), INK)
        + eye(x - s * 0.54, y - s * 0.16, s * 0.055, INK) + line(curve((x - s * 0.84, y + s * 0.14), (x - s * 0.74, y + s * 0.19), (x - s * 0.64, y + s * 0.13)), INK, s * 0.03)
    )


def jaguar_face(x: float, y: float, s: float) -> str:
    """El jaguar, looking straight at you."""
    fur = SUN
    head = twin((x, y - s * 0.6), (x + s * 0.48, y - s * 0.48), (x + s * 0.66, y), (x + s * 0.4, y + s * 0.5), (x, y + s * 0.6), x=x)
    rosettes = "".join(line(arc((x + dx * s, y + dy * s), s * 0.09, a, a + 250), "#7A4A22", s * 0.055) for dx, dy, a in ((-0.38, -0.22, 40), (0.38, -0.22, 200), (0, -0.42, 120), (-0.48, 0.1, 300), (0.48, 0.1, 90), (-0.2, -0.4, 10), (0.2, -0.4, 250)))
    ears = "".join(solid(circle(x + d * s * 0.46, y - s * 0.48, s * 0.2), fur, fill(circle(x + d * s * 0.46, y - s * 0.46, s * 0.1), "#7A4A22"), shade=(-3, -3), rim=0) for d in (-1, 1))
    return (
        ears + solid(head, fur, rosettes, fill(ellipse(x, y + s * 0.3, s * 0.34, s * 0.26), WHITE), shade=(-s * 0.07, -s * 0.07), rim=s * 0.03)
        + eye(x - s * 0.24, y - s * 0.08, s * 0.075, INK) + eye(x + s * 0.24, y - s * 0.08, s * 0.075, INK)
        + fill(poly((x - s * 0.12, y + s * 0.12), (x + s * 0.12, y + s * 0.12), (x, y + s * 0.24), r=s * 0.03), "#A8473F") + muzzle_smile(x, y + s * 0.22, s * 0.34, s * 0.12, INK, s * 0.035)
    )


def toucan(x: float, y: float, s: float) -> str:
    """El tucán."""
    body = blob((x + s * 0.05, y - s * 0.74), (x + s * 0.36, y - s * 0.5), (x + s * 0.42, y + s * 0.2), (x + s * 0.16, y + s * 0.6), (x - s * 0.16, y + s * 0.3), (x - s * 0.16, y - s * 0.4))
    beak = blob((x - s * 0.06, y - s * 0.66), (x - s * 0.5, y - s * 0.74), (x - s * 0.9, y - s * 0.42), (x - s * 0.86, y - s * 0.26), (x - s * 0.4, y - s * 0.34), (x - s * 0.06, y - s * 0.34), ease=0.8)
    return (
        fill(leaf((x + s * 0.2, y + s * 0.4), (x + s * 0.34, y + s * 0.95), s * 0.24), INK)
        + solid(body, "#2E2A33", fill(ellipse(x - s * 0.02, y - s * 0.2, s * 0.2, s * 0.26), SUN), shade=(-s * 0.06, -s * 0.05), rim=s * 0.02)
        + solid(beak, ORANGE, fill(box(x - s * 1.0, y - s * 0.8, s * 0.22, s * 0.6), INK), fill(leaf((x - s * 0.1, y - s * 0.44), (x - s * 0.72, y - s * 0.44), s * 0.1), SUN), shade=(-s * 0.02, -s * 0.07), rim=s * 0.02)
        + fill(circle(x + s * 0.08, y - s * 0.52, s * 0.13), SKY) + eye(x + s * 0.08, y - s * 0.52, s * 0.075, INK)
    )


def golden_frog(x: float, y: float, s: float) -> str:
    """La rana dorada."""
    return group(frog(x, y + s * 0.55, s * 0.82), size=1)


ANIMALS = (macaw, turtle, jaguar_face, butterfly, toucan, manatee, golden_frog)
NAMES = ("guacamaya", "tortuga", "jaguar", "mariposa", "tucán", "manatí", "rana")
CARD_TINTS = ("#FBE3B0", "#CFE7DA", "#F7D3C4", "#D5E6F3", "#F8DCE4", "#CBE6EC", "#E6DDEE")


def card(cx: float, cy: float, width: float, index: int, turn: float = 0, named: bool = True) -> str:
    """One caller's card: animal and name on a tinted ground."""
    w, h = width, width * 1.32
    sheet = box(cx - w / 2, cy - h / 2, w, h, r=w * 0.1)
    picture_box = box(cx - w * 0.43, cy - h * 0.44, w * 0.86, h * (0.68 if named else 0.88), r=w * 0.06)
    drawn = clip(picture_box, fill(picture_box, CARD_TINTS[index]), ANIMALS[index](cx, cy - h * (0.08 if named else 0), w * 0.36))
    label = fill(words(NAMES[index], cx, cy + h * 0.4, w * 0.15, 600), COCOA) if named else ""
    return group(cast(sheet, 8, 12, 7, 0.3) + solid(sheet, WHITE, drawn, label, shade=(0, 0), rim=0), turn=turn, about=(cx, cy))


@picture("loteria-de-animales-1")
def lottery_board() -> str:
    board = box(150, 110, 600, 700, r=30)
    cells = "".join(
        clip(box(186 + c * 268, 150 + r * 212, 252, 196, r=18), fill(box(186 + c * 268, 150 + r * 212, 252, 196), CARD_TINTS[r * 2 + c]), ANIMALS[r * 2 + c](312 + c * 268, 252 + r * 212, 92))
        for r in range(3) for c in range(2)
    )
    chips = "".join(cast(circle(x, y, 44), 8, 12, 6, 0.35) + solid(circle(x, y, 46), c, line(circle(x, y, 32), lighter(c, 0.4), 5), shade=(-8, -9), rim=4) for x, y, c in ((386, 306, TOMATO), (654, 720, TEAL), (830, 700, SUN), (850, 800, TOMATO)))
    return flat("butter") + group(cast(board, 16, 22, 14, 0.32) + solid(board, TOMATO, cells, shade=(-10, -12), rim=6), turn=-4, about=(480, 480)) + card(792, 250, 200, 6, 12) + chips


@picture("loteria-de-animales-2")
def lottery_box() -> str:
    fan = "".join(card(612 + n * 80, 446 + n * n * 16, 220, i, -14 + n * 18) for n, i in enumerate((1, 3, 4)))
    lid = poly((60, 230), (450, 200), (478, 720), (88, 770), r=22)
    side = poly((450, 200), (504, 232), (530, 728), (478, 720), r=8)
    return (
        plain("mint", 640) + shadow(310, 768, 280, 40) + shadow(720, 726, 210, 30)
        + fan
        + fill(side, darker(TOMATO, 0.25))
        + solid(lid, TOMATO, group(fill(circle(270, 476, 146), CREAM), jaguar_face(270, 474, 156), fill(words("Lotería", 264, 310, 88, 700), CREAM), fill(words("de animales", 276, 702, 54, 600), SUN), turn=-4.4, about=(270, 490)), shade=(-12, -14), rim=6)
    )


@picture("loteria-de-animales-3")
def lottery_card() -> str:
    return flat("peach") + card(210, 330, 300, 2, -16) + card(770, 640, 300, 5, 14) + card(480, 480, 540, 0, 3)


# Mini tejo ------------------------------------------------------------------------------------------------------


def mecha(cx: float, cy: float, size: float, turn: float = 0) -> str:
    """The paper triangle that jumps."""
    s = size
    shape = poly((cx, cy - s), (cx + s * 0.9, cy + s * 0.6), (cx - s * 0.9, cy + s * 0.6), r=s * 0.14)
    fold = line(poly((cx, cy - s * 0.8), (cx, cy + s * 0.1), (cx + s * 0.7, cy + s * 0.5), closed=False), darker(PINK, 0.16), s * 0.07) + line(poly((cx, cy + s * 0.1), (cx - s * 0.7, cy + s * 0.5), closed=False), darker(PINK, 0.16), s * 0.07)
    return group(cast(shape, 5, 8, 4, 0.35) + solid(shape, PINK, fold, shade=(-s * 0.1, -s * 0.1), rim=s * 0.05), turn=turn, about=(cx, cy))


def tejo_disc(cx: float, cy: float, size: float, squash: float = 0.62, colour: str = "#8E979C") -> str:
    """A tejo: a metal puck, wider below than above."""
    s = size
    under = ellipse(cx, cy + s * 0.34, s, s * squash)
    upper = ellipse(cx, cy, s * 0.78, s * 0.78 * squash)
    wall = poly((cx - s, cy + s * 0.34), (cx - s * 0.78, cy), (cx + s * 0.78, cy), (cx + s, cy + s * 0.34), r=2)
    return (
        solid(under + wall, darker(colour, 0.14), shade=(-s * 0.2, -s * 0.08), rim=0)
        + solid(upper, colour, line(ellipse(cx, cy, s * 0.5, s * 0.5 * squash), TOMATO, s * 0.13), shade=(-s * 0.08, -s * 0.06), rim=s * 0.04)
        + line(arc((cx, cy), s * 0.66, 190, 262, squash), WHITE, s * 0.07, opacity=0.8)
    )


def tejo_court() -> str:
    """The sloping box of clay with its ring in the middle and four mechas on the rim."""
    chance = Random(11)
    clay_top = poly((236, 250), (724, 250), (812, 690), (148, 690), r=20)
    frame = poly((200, 214), (760, 214), (862, 730), (98, 730), r=34)
    front = poly((98, 706), (862, 706), (846, 806), (114, 806), r=(6, 6, 24, 24))
    clods = "".join(fill(ellipse(chance.uniform(190, 770), chance.uniform(270, 680), chance.uniform(10, 30), chance.uniform(4, 9)), darker(CLAY, 0.12), 0.6) for _ in range(26))
    dents = "".join(fill(ellipse(x, y, 40, 20), darker(CLAY, 0.2), 0.6) + line(arc((x, y), 40, 10, 170, 0.5), lighter(CLAY, 0.3), 5) for x, y in ((300, 380), (660, 590)))
    rim = line(ellipse(480, 476, 104, 64), darker(STEEL, 0.42), 26) + line(ellipse(480, 472, 104, 64), STEEL, 20) + line(arc((480, 472), 104, 190, 280, 0.61), WHITE, 7)
    return (
        solid(frame, OAK, grain((98, 214, 862, 730), OAK, 21, 18), shade=(-10, -14), rim=6)
        + solid(clay_top, CLAY, clods, dents, shade=(18, 16), rim=0)
        + fill(ellipse(480, 474, 96, 58), darker(CLAY, 0.34)) + rim
        + mecha(480, 402, 40) + mecha(372, 482, 40, -84) + mecha(588, 482, 40, 84) + mecha(480, 548, 40, 180)
        + solid(front, TEAL, grain((98, 706, 862, 806), TEAL, 5, 4), fill(words("TEJO", 480, 782, 66, 700, spacing=120), SUN), shade=(-14, -12), rim=6)
    )


@picture("Mini tejo (cancha)")
def tejo_front() -> str:
    return plain("sky", 660) + shadow(480, 812, 430, 44) + tejo_court() + group(tejo_disc(250, 580, 70), move=(0, 0)) + tejo_disc(690, 356, 62)


@picture("Mini tejo (moñona)")
def tejo_hit() -> str:
    burst = star(480, 500, 390, 250, 14, 14)
    small = star(480, 500, 300, 190, 14, 10)
    rays = "".join(line(poly(polar((480, 500), 330, a), polar((480, 500), 420, a), closed=False), TOMATO, 12) for a in range(-166, 0, 38))
    ring_ = line(ellipse(480, 640, 230, 130), darker(STEEL, 0.42), 50) + line(ellipse(480, 632, 230, 130), STEEL, 40) + line(arc((480, 632), 230, 190, 280, 0.565), WHITE, 12)
    return (
        flat("butter") + fill(burst, SUN) + fill(small, lighter(SUN, 0.6)) + rays
        + solid(ellipse(480, 690, 380, 210), CLAY, fill(ellipse(480, 640, 210, 110), darker(CLAY, 0.34)), shade=(-24, -30), rim=6)
        + ring_ + tejo_disc(480, 560, 150)
        + mecha(206, 330, 74, -34) + mecha(752, 300, 74, 40) + mecha(330, 170, 62, 18) + mecha(640, 150, 62, -22)
    )


@picture("Mini tejo (piezas)")
def tejo_pieces() -> str:
    board = box(500, 160, 330, 300, r=26)
    score = "".join(fill(circle(560 + c * 52, 262 + r * 70, 13), WALNUT) for c in range(5) for r in range(3))
    pegs = "".join(solid(circle(560 + c * 52, 262 + r * 70, 20), k, shade=(-5, -6), rim=3) for c, r, k in ((1, 0, TOMATO), (3, 1, SKY), (0, 2, SUN)))
    discs = "".join(cast(ellipse(x, y + 20, 100, 66), 12, 18, 10, 0.32) + tejo_disc(x, y, 104, 0.66) for x, y in ((240, 250), (230, 470), (440, 640)))
    return (
        flat("mint")
        + cast(board, 14, 20, 12, 0.32) + solid(board, PINE, grain((500, 160, 830, 460), PINE, 6, 9), fill(words("puntos", 665, 222, 44, 600), WALNUT), score, shade=(-12, -14), rim=5) + pegs
        + discs + mecha(620, 600, 70, 20) + mecha(770, 660, 70, -30) + mecha(690, 790, 70, 70) + mecha(200, 760, 70, -12) + mecha(330, 810, 70, 50)
    )



"""Bloques y construcción: blocks, rainbow, stacking rings, shape cube, tumbling tower, balancing frailejones."""

from art.colour import BEECH, CEDAR, CREAM, INK, LEAF, LIME, OAK, ORANGE, PINE, PINK, PLUM, SKY, SUN, TEAL, TOMATO, TOMATO_DARK, WALNUT, WHITE, darker, lighter
from art.faces import eye
from art.gallery import picture
from art.lettering import face, words
from art.materials import bead, grain, rope, swish, wheel, wooden
from art.nature import round_tree
from art.paint import cast, clip, fill, gloss, group, line, shadow, solid
from art.scenes import closed_below, cloud, flat, halo, plain, sun
from art.shapes import Path, Point, arc, arch, blob, box, circle, curve, ellipse, heart, leaf, ngon, petals, polar, poly, scalloped, sector, star

from random import Random

PAINTED = {"red": TOMATO, "sun": SUN, "teal": TEAL, "sky": SKY, "pink": PINK, "raw": PINE, "oak": BEECH}

# Bloques --------------------------------------------------------------------------------------------------------


def block(shape: Path, colour: str, seed: int = 1, depth: float = 10) -> str:
    """One wooden block, front view, with a hint of thickness below and right."""
    return wooden(shape, colour, seed, lines=max(3, int((shape.bounds()[3] - shape.bounds()[1]) / 22)), shade=(-depth, -depth), rim=5)


def bridge(x: float, y: float, width: float, height: float, radius: float) -> Path:
    """A block with a round arch cut out of its foot."""
    arc_ = arc((x + width / 2, y + height), radius, 180, 360)
    joined = tuple(("L", points) if command == "M" else (command, points) for command, points in arc_.parts)
    return Path((("M", ((x, y + height),)), *joined, ("L", ((x + width, y + height),)), ("L", ((x + width, y),)), ("L", ((x, y),)), ("Z", ())))


def castle() -> str:
    """A castle that a patient child would build."""
    flag = line(poly((480, 96), (480, 190), closed=False), WALNUT, 9) + solid(poly((484, 98), (560, 122), (484, 150), r=5), TOMATO, shade=(-5, -5), rim=2)
    return (
        flag
        + block(box(160, 700, 120, 120, r=8), SKY, 1) + block(box(680, 700, 120, 120, r=8), TEAL, 2)
        + block(bridge(290, 660, 380, 160, 96), PINE, 3)
        + block(box(172, 560, 96, 140, r=8), BEECH, 4) + block(box(692, 560, 96, 140, r=8), PINE, 5)
        + block(poly((150, 560), (290, 560), (220, 440), r=10), TOMATO, 6) + block(poly((670, 560), (810, 560), (740, 440), r=10), TOMATO, 7)
        + block(box(290, 590, 380, 70, r=8), SUN, 8)
        + block(box(312, 440, 66, 150, r=28), BEECH, 9) + block(box(582, 440, 66, 150, r=28), PINE, 10)
        + block(bridge(390, 440, 180, 150, 58), TEAL, 11)
        + block(box(296, 380, 368, 60, r=8), OAK, 12)
        + block(box(330, 300, 80, 80, r=8), PINK, 13) + block(box(550, 300, 80, 80, r=8), SKY, 14)
        + block(box(424, 280, 112, 100, r=8), PINE, 15) + block(poly((400, 280), (560, 280), (480, 184), r=10), SUN, 16)
        + window_of(480, 330)
    )


def window_of(x: float, y: float) -> str:
    """A painted arched window."""
    return fill(box(x - 18, y - 26, 36, 52, r=(18, 18, 3, 3)), WALNUT) + line(poly((x, y - 24), (x, y + 24), closed=False), PINE, 4)


@picture("Bloques de madera (castillo)")
def blocks_castle() -> str:
    loose = block(circle(110, 790, 40), TOMATO, 31) + block(poly((842, 826), (940, 826), (892, 740), r=8), PINK, 32)
    return plain("sky", 740) + shadow(480, 826, 430, 40) + castle() + loose


@picture("Bloques de madera (caja)")
def blocks_box() -> str:
    inside = (
        block(poly((210, 420), (340, 420), (276, 300), r=10), TOMATO, 41) + block(box(330, 330, 110, 150, r=8), SKY, 42) + group(block(box(450, 300, 90, 180, r=40), PINE, 43), turn=12, about=(495, 400))
        + group(block(bridge(560, 330, 190, 110, 52), SUN, 44), turn=-9, about=(650, 400)) + block(circle(250, 440, 50), TEAL, 45) + block(box(430, 400, 120, 90, r=8), PINK, 46) + group(block(box(600, 410, 110, 90, r=8), TOMATO, 47), turn=8, about=(650, 450)) + block(box(340, 440, 80, 60, r=8), BEECH, 48)
    )
    crate = box(150, 470, 660, 270, r=(10, 10, 26, 26))
    return (
        plain("peach", 720) + shadow(480, 826, 380, 40)
        + fill(box(170, 440, 620, 60, r=8), darker(OAK, 0.34)) + inside
        + solid(crate, OAK, grain(crate.bounds(), OAK, 51, 10), fill(words("bloques", 480, 642, 120, 600), CREAM), shade=(-24, -18), rim=6)
        + solid(box(140, 456, 680, 36, r=12), CEDAR, grain((140, 456, 820, 492), CEDAR, 53, 3), shade=(0, -10), rim=4)
        + rope(curve((150, 620), (70, 640), (60, 720), (110, 770)), CREAM, 11, 9) + bead(112, 778, 24, TOMATO)
        + wheel(270, 766, 62, TOMATO, PINE) + wheel(690, 766, 62, TOMATO, PINE)
    )


@picture("Bloques de madera (piezas)")
def blocks_pieces() -> str:
    shapes = (
        (box(110, 120, 170, 170, r=10), TOMATO), (poly((350, 290), (550, 290), (450, 116), r=12), SUN), (circle(730, 204, 92), TEAL),
        (bridge(100, 390, 260, 170, 84), SKY), (box(420, 376, 96, 190, r=48), PINE), (sector((710, 560), 180, 96, 180, 360), PINK),
        (box(100, 700, 300, 96, r=10), BEECH), (poly((450, 796), (630, 796), (450, 640), r=12), PLUM), (sector((690, 800), 170, 0, 270, 360), ORANGE),
    )
    return flat("mint") + "".join(cast(s, 12, 18, 9, 0.34) + block(s, c, n + 61) for n, (s, c) in enumerate(shapes))


# Arcoíris -------------------------------------------------------------------------------------------------------

ARCS = (TOMATO, ORANGE, SUN, LEAF, TEAL, SKY, PLUM)


def rainbow_arc(cx: float, base: float, outer: float, colour: str, seed: int, width: float = 46) -> str:
    """One arch of the rainbow: the grain shows through the stain."""
    shape = arch(cx, base, outer, outer - width)
    veins = "".join(line(arc((cx, base), outer - width * u, 180 + 4 * s, 360 - 7 * s), darker(colour, 0.12), 3.5, opacity=0.7) for u, s in ((0.22, seed % 5), (0.48, (seed * 3) % 7), (0.74, (seed * 2) % 6)))
    return solid(shape, colour, veins, shade=(-9, -11), rim=5)


def rainbow(cx: float, base: float, size: float) -> str:
    """Seven nested arches."""
    return "".join(rainbow_arc(cx, base, size * (1 - n * 0.132), colour, n + 1, size * 0.122) for n, colour in enumerate(ARCS))


@picture("Arcoíris de madera (frente)")
def rainbow_front() -> str:
    return plain("paper", 690) + shadow(480, 742, 440, 50) + rainbow(480, 730, 380)


@picture("Arcoíris de madera (puente)")
def rainbow_world() -> str:
    road = closed_below(curve((-40, 770), (200, 750), (480, 770), (760, 746), (1000, 770)))
    return (
        flat("sky") + cloud(170, 170, 84) + cloud(800, 330, 64) + sun(700, 160, 62)
        + fill(closed_below(curve((-40, 640), (240, 590), (560, 640), (1000, 580))), "#C9DCA2") + fill(road, "#E4CDA0")
        + round_tree(880, 600, 130) + round_tree(560, 610, 110, "#79AE57")
        + rainbow_arc(330, 766, 300, TOMATO, 1, 60) + rainbow_arc(330, 766, 232, SUN, 2, 56)
        + rainbow_arc(790, 760, 176, SKY, 4, 52) + rainbow_arc(790, 760, 118, PINK, 3, 46) + group(rainbow_arc(790, 586, 116, ORANGE, 6, 44))
        + group(rainbow_arc(580, 900, 120, TEAL, 5, 48), turn=0) + group(rainbow_arc(120, 900, 92, PLUM, 7, 40), turn=180, about=(120, 860))
        + shadow(330, 826, 170, 22) + little_car(330, 812, 250, TOMATO_DARK)
    )


def little_car(x: float, base: float, size: float, colour: str) -> str:
    """A simple wooden car; base is the ground."""
    s = size
    body = poly((x - s * 0.5, base - s * 0.12), (x - s * 0.5, base - s * 0.36), (x - s * 0.24, base - s * 0.4), (x - s * 0.14, base - s * 0.62), (x + s * 0.2, base - s * 0.62), (x + s * 0.3, base - s * 0.38), (x + s * 0.5, base - s * 0.32), (x + s * 0.5, base - s * 0.12), r=s * 0.08)
    return solid(body, colour, fill(box(x - s * 0.1, base - s * 0.56, s * 0.26, s * 0.16, r=s * 0.04), CREAM), shade=(-6, -7), rim=3) + wheel(x - s * 0.28, base - s * 0.1, s * 0.13, PINE, CEDAR) + wheel(x + s * 0.28, base - s * 0.1, s * 0.13, PINE, CEDAR)


@picture("Arcoíris de madera (veta)")
def rainbow_detail() -> str:
    return flat("paper") + rainbow(610, 1130, 980)


# Torre de aros --------------------------------------------------------------------------------------------------

RINGS = (PLUM, SKY, TEAL, LIME, SUN, TOMATO)


def stack_ring(cx: float, cy: float, rx: float, colour: str, height: float = 72) -> str:
    """One ring from a little above, its hole hidden by the next one."""
    body = box(cx - rx, cy - height / 2, rx * 2, height, r=height / 2)
    return solid(body, colour, line(curve((cx - rx * 0.9, cy + 2), (cx, cy + 12), (cx + rx * 0.9, cy + 2)), darker(colour, 0.14), 4, opacity=0.6), shade=(-20, -14), rim=5) + gloss((cx - rx * 0.8, cy - height * 0.12), (cx - rx * 0.5, cy - height * 0.26), 0, 9, 0.5)


def wooden_bird(x: float, y: float, s: float) -> str:
    """The bird on top; (x, y) is its foot."""
    body = blob((x - s * 0.6, y - s * 0.56), (x - s * 0.32, y - s * 1.12), (x + s * 0.24, y - s * 1.0), (x + s * 0.74, y - s * 0.76), (x + s * 0.44, y - s * 0.16), (x, y), (x - s * 0.42, y - s * 0.12))
    return (
        solid(body, TOMATO, fill(blob((x - s * 0.5, y - s * 0.4), (x - s * 0.2, y - s * 0.5), (x, y - s * 0.2), (x - s * 0.1, y), (x - s * 0.4, y - s * 0.1)), CREAM), shade=(-s * 0.1, -s * 0.1), rim=4)
        + solid(leaf((x - s * 0.04, y - s * 0.6), (x + s * 0.6, y - s * 0.4), s * 0.4), SUN, stitch_dots(x, y, s), shade=(-4, -5), rim=2)
        + fill(poly((x - s * 0.52, y - s * 0.82), (x - s * 0.86, y - s * 0.68), (x - s * 0.5, y - s * 0.62), r=3), ORANGE) + eye(x - s * 0.28, y - s * 0.8, s * 0.085, INK)
    )


def stitch_dots(x: float, y: float, s: float) -> str:
    """Painted dots on a wing."""
    return "".join(fill(circle(x + s * u, y - s * v, s * 0.035), TOMATO) for u, v in ((0.12, 0.54), (0.26, 0.5), (0.4, 0.45)))


@picture("torre-de-aros-1")
def rings_front() -> str:
    base = blob((250, 760), (480, 740), (710, 760), (680, 826), (480, 850), (280, 826))
    rings = "".join(stack_ring(480, 716 - n * 70, 222 - n * 26, c) for n, c in enumerate(RINGS))
    return plain("mint", 730) + shadow(480, 850, 260, 34) + solid(base, OAK, grain(base.bounds(), OAK, 7, 5), shade=(-26, -18), rim=5) + rings + wooden_bird(484, 342, 150)


@picture("torre-de-aros-2")
def rings_scattered() -> str:
    def lying(cx: float, cy: float, r: float, colour: str) -> str:
        ringed = circle(cx, cy, r) + circle(cx, cy, r * 0.36)
        return cast(circle(cx, cy, r), 12, 18, 9, 0.32) + solid(ringed, colour, line(circle(cx, cy, r * 0.7), darker(colour, 0.12), 4, opacity=0.6), shade=(-12, -14), rim=5, evenodd=True) + line(arc((cx, cy), r * 0.82, 200, 250), WHITE, 9, opacity=0.5)

    post = cast(circle(480, 500, 150), 14, 20, 10, 0.32) + solid(circle(480, 500, 152), OAK, *(line(circle(480, 500, r), darker(OAK, 0.12), 4, opacity=0.7) for r in (40, 72, 100, 130)), shade=(-14, -16), rim=5) + solid(circle(480, 500, 42), PINE, line(circle(480, 500, 20), darker(PINE, 0.16), 4), shade=(-8, -9), rim=4)
    return flat("lilac") + lying(230, 230, 150, PLUM) + lying(726, 210, 132, SKY) + lying(790, 520, 116, TEAL) + lying(690, 792, 102, LIME) + lying(440, 806, 90, SUN) + lying(164, 590, 80, TOMATO) + post + group(cast(ellipse(216, 836, 60, 50), 8, 12, 6, 0.3), wooden_bird(216, 880, 130), turn=-8, about=(216, 860))


@picture("torre-de-aros-3")
def rings_detail() -> str:
    rings = "".join(stack_ring(480, 980 - n * 150, 480 - n * 60, c, 156) for n, c in enumerate(RINGS[2:]))
    return flat("mint") + rings + wooden_bird(490, 470, 330)


# Cubo de figuras ------------------------------------------------------------------------------------------------


def figure(kind: int, cx: float, cy: float, r: float) -> Path:
    """One of the twelve shapes."""
    if kind == 0:
        return circle(cx, cy, r)
    if kind == 1:
        return star(cx, cy, r * 1.16, r * 0.56, 5, r * 0.12)
    if kind == 2:
        return heart(cx, cy, r * 2.1)
    if kind == 3:
        return poly((cx, cy - r), (cx + r, cy + r * 0.8), (cx - r, cy + r * 0.8), r=r * 0.14)
    if kind == 4:
        return box(cx - r * 0.86, cy - r * 0.86, r * 1.72, r * 1.72, r=r * 0.12)
    if kind == 5:
        return ngon(cx, cy, r, 6, r * 0.1)
    if kind == 6:
        return poly((cx - r * 0.36, cy - r), (cx + r * 0.36, cy - r), (cx + r * 0.36, cy - r * 0.36), (cx + r, cy - r * 0.36), (cx + r, cy + r * 0.36), (cx + r * 0.36, cy + r * 0.36), (cx + r * 0.36, cy + r), (cx - r * 0.36, cy + r), (cx - r * 0.36, cy + r * 0.36), (cx - r, cy + r * 0.36), (cx - r, cy - r * 0.36), (cx - r * 0.36, cy - r * 0.36), r=r * 0.1)
    if kind == 7:
        return sector((cx, cy + r * 0.5), r * 1.1, 0, 180, 360)
    if kind == 8:
        return poly((cx, cy - r * 1.1), (cx + r * 0.8, cy), (cx, cy + r * 1.1), (cx - r * 0.8, cy), r=r * 0.12)
    if kind == 9:
        return ellipse(cx, cy, r * 1.16, r * 0.76)
    if kind == 10:
        return poly((cx - r * 0.6, cy - r * 0.7), (cx + r * 0.6, cy - r * 0.7), (cx + r, cy + r * 0.7), (cx - r, cy + r * 0.7), r=r * 0.12)
    return scalloped(cx, cy, r * 0.92, 6, r * 0.14)


FIGURE_COLOURS = (TOMATO, SUN, PINK, TEAL, SKY, ORANGE, LEAF, PLUM, LIME, TOMATO, SKY, SUN)


def chunky(kind: int, cx: float, cy: float, r: float, turn: float = 0, thick: float = 0.24) -> str:
    """A thick painted figure lying or standing."""
    shape, colour = figure(kind, cx, cy, r).turn(turn, (cx, cy)), FIGURE_COLOURS[kind]
    under = "".join(fill(shape.move(r * thick * u * 0.55, r * thick * u), darker(colour, 0.3)) for u in (0.25, 0.5, 0.75, 1))
    return under + solid(shape, colour, shade=(-r * 0.1, -r * 0.11), rim=4)


def shape_cube(open_lid: bool) -> str:
    """The cube in a three-quarter view."""
    top = ((480, 200), (770, 320), (480, 450), (190, 320))
    left = ((190, 320), (480, 450), (480, 800), (190, 660))
    right = ((480, 450), (770, 320), (770, 660), (480, 800))

    def slot(face: tuple[Point, ...], kind: int, u: float, v: float, r: float) -> str:
        (ax, ay), (bx, by), _, (dx, dy) = face
        size = 300
        shape = figure(kind, u, v, r).warp(lambda p: (ax + (bx - ax) * p[0] / size + (dx - ax) * p[1] / size, ay + (by - ay) * p[0] / size + (dy - ay) * p[1] / size))
        return fill(shape, "#5B3520") + clip(shape, fill(shape.move(10, 12), "#3B2114")) + line(shape, lighter(PINE, 0.4), 5)

    wood = "".join(wooden(poly(*face, r=8), tone, seed, shade=(0, 0), rim=5, lines=14) for face, tone, seed in ((left, PINE, 3), (right, darker(PINE, 0.12), 5)))
    slots = slot(left, 4, 85, 85, 44) + slot(left, 1, 215, 90, 50) + slot(left, 3, 85, 220, 46) + slot(left, 8, 215, 218, 48) + slot(right, 2, 85, 85, 48) + slot(right, 6, 215, 88, 46) + slot(right, 9, 88, 218, 46) + slot(right, 5, 215, 216, 48)
    if open_lid:
        rim = poly(*top, r=8)
        mouth = poly((480, 232), (722, 322), (480, 424), (238, 322), r=6)
        inner = clip(mouth, fill(mouth, "#4A2B1C"), chunky(0, 400, 330, 62), chunky(3, 560, 340, 66, 20), chunky(1, 480, 400, 70, 14), chunky(4, 330, 390, 60, 24), chunky(2, 640, 390, 62, -16))
        return wood + slots + fill(rim, lighter(PINE, 0.4)) + inner
    lid = wooden(poly(*top, r=8), lighter(PINE, 0.45), 7, shade=(0, 0), rim=5, lines=10)
    return wood + slots + lid + slot(top, 0, 90, 95, 46) + slot(top, 7, 210, 95, 50) + slot(top, 10, 92, 212, 46) + slot(top, 11, 212, 212, 50)


@picture("Cubo de figuras (frente)")
def cube_front() -> str:
    return plain("sky", 660) + shadow(480, 760, 350, 70) + shape_cube(False) + shadow(150, 820, 90, 16) + shadow(820, 806, 90, 16) + shadow(640, 868, 80, 14) + chunky(2, 146, 764, 62, -8) + chunky(1, 806, 744, 68, 12) + chunky(0, 640, 816, 56)


@picture("Cubo de figuras (abierto)")
def cube_open() -> str:
    lid = wooden(poly((560, 110), (850, 60), (930, 270), (640, 330), r=8), lighter(PINE, 0.45), 9, shade=(-6, -8), rim=5, lines=8)
    holes = "".join(fill(shape, "#9FC2D8") for shape in (circle(662, 160, 38), figure(7, 794, 128, 40).turn(-10, (794, 128)), figure(10, 700, 258, 38).turn(-10, (700, 258)), figure(11, 836, 226, 42)))
    return plain("butter", 660) + shadow(480, 760, 350, 70) + group(lid, holes.replace("#9FC2D8", "#E7D3A2"), move=(-6, -10)) + shape_cube(True) + shadow(170, 826, 100, 18) + chunky(9, 170, 782, 66, -14)


@picture("Cubo de figuras (las doce figuras)")
def cube_figures() -> str:
    return flat("peach") + "".join(cast(circle(190 + n % 4 * 196, 230 + n // 4 * 236, 70), 14, 20, 9, 0.26) + chunky(n, 186 + n % 4 * 196, 226 + n // 4 * 236, 76, (n * 37) % 21 - 10) for n in range(12))


# Torre tambaleante ----------------------------------------------------------------------------------------------

ENDS = (TOMATO, SUN, TEAL, SKY, PINK, PLUM)


def slat_long(x: float, y: float, w: float, h: float, seed: int) -> str:
    """A slat from its long side."""
    shape = box(x, y, w, h, r=6)
    return solid(shape, (PINE, BEECH, lighter(PINE, 0.25))[seed % 3], grain(shape.bounds(), PINE, seed, 3), shade=(-6, -7), rim=3)


def slat_end(x: float, y: float, w: float, h: float, colour: str) -> str:
    """A slat from its painted end."""
    return solid(box(x, y, w, h, r=6), colour, line(box(x + 5, y + 5, w - 10, h - 10, r=4), lighter(colour, 0.25), 3, opacity=0.6), shade=(-5, -6), rim=3)


def tower(floors: int, x: float, base: float, width: float, height: float, gaps: dict[tuple[int, int], float]) -> str:
    """Alternate floors of one long side and three ends; `gaps` moves a slat sideways (or away, at 999)."""
    parts = []
    for floor in range(floors):
        y = base - (floor + 1) * height
        if floor % 2:
            parts.append(slat_long(x + gaps.get((floor, 0), 0), y, width, height, floor * 3 + 1))
        else:
            for n in range(3):
                shift = gaps.get((floor, n), 0)
                if shift != 999:
                    parts.append(slat_end(x + n * width / 3 + shift, y, width / 3, height, ENDS[(floor * 2 + n * 5) % 6]))
                else:
                    parts.append(fill(box(x + n * width / 3, y, width / 3, height), "#6B4A38"))
    return "".join(parts)


@picture("torre-tambaleante-1")
def tower_front() -> str:
    gaps = {(2, 1): 999.0, (5, 0): 36.0, (8, 2): 999.0, (9, 0): -30.0, (11, 0): 18.0, (6, 0): 999.0}
    loose = group(slat_long(120, 790, 170, 44, 5), turn=-6, about=(200, 800)) + group(slat_long(700, 800, 170, 44, 7), turn=8, about=(780, 810))
    return plain("rose", 740) + shadow(480, 838, 220, 34) + shadow(210, 846, 110, 14) + shadow(790, 856, 110, 14) + group(tower(14, 330, 836, 300, 50, gaps), turn=1.6, about=(480, 836)) + loose + die_of_colours(196, 730, 54)


def die_of_colours(cx: float, cy: float, size: float) -> str:
    """A die whose faces are painted instead of numbered."""
    s, h = size, size * 0.5
    top = poly((cx, cy - s), (cx + s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx - s * 0.9, cy - s + h), r=s * 0.1)
    left = poly((cx - s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx, cy + s), (cx - s * 0.9, cy + s - h), r=s * 0.1)
    right = poly((cx + s * 0.9, cy - s + h), (cx, cy - s + 2 * h), (cx, cy + s), (cx + s * 0.9, cy + s - h), r=s * 0.1)
    return shadow(cx, cy + s, s * 1.1, s * 0.24) + "".join(solid(shape, CREAM, fill(shape.size(0.66, about=(mx, my)), tone), shade=(0, 0), rim=2) for shape, tone, mx, my in ((top, TOMATO, cx, cy - s + h), (left, SUN, cx - s * 0.45, cy + h * 0.5), (right, TEAL, cx + s * 0.45, cy + h * 0.5)))


@picture("torre-tambaleante-2")
def tower_fall() -> str:
    chance = Random(14)
    flying = ""
    for n in range(13):
        x, y, t = chance.uniform(180, 800), chance.uniform(130, 600), chance.uniform(-70, 70)
        piece = slat_long(x - 85, y - 22, 170, 44, n) if n % 3 else slat_end(x - 40, y - 22, 80, 44, ENDS[n % 6])
        flying += group(piece, turn=t, about=(x, y))
    pile = "".join(group(slat_long(x, y, 180, 46, n + 20), turn=t, about=(x + 90, y)) for n, (x, y, t) in enumerate(((130, 800, 6), (640, 804, -8), (700, 760, 22), (180, 760, -24), (560, 836, 4))))
    whoosh = swish((480, 800), 500, -128, -108, TOMATO, 11) + swish((480, 800), 560, -72, -52, SUN, 11)
    return halo("butter", radius=400, cy=440) + shadow(480, 850, 400, 40) + whoosh + group(tower(5, 350, 846, 260, 48, {}), turn=-3, about=(480, 846)) + group(tower(3, 350, 590, 260, 48, {}), turn=-17, about=(480, 590)) + flying + pile


@picture("torre-tambaleante-3")
def tower_detail() -> str:
    return flat("rose") + tower(6, 70, 990, 630, 150, {(2, 1): 999.0, (5, 0): 40.0}) + group(die_of_colours(812, 760, 96))


# Frailejones ----------------------------------------------------------------------------------------------------


def wooden_frailejon(x: float, y: float, s: float, turn: float = 0) -> str:
    """A flat wooden piece: trunk, silver rosette, yellow flowers, foot at (x, y)."""
    trunk = poly((x - s * 0.16, y - s), (x + s * 0.16, y - s), (x + s * 0.22, y), (x - s * 0.22, y), r=s * 0.05)
    bark = "".join(line(curve((x - s * 0.18, y - s * h), (x, y - s * (h - 0.07)), (x + s * 0.18, y - s * h)), darker(OAK, 0.25), s * 0.035) for h in (0.2, 0.36, 0.52, 0.68))
    crown = petals(x, y - s * 1.02, s * 0.62, 9, s * 0.24, -90)
    veins = "".join(line(poly(polar((x, y - s * 1.02), s * 0.16, a), polar((x, y - s * 1.02), s * 0.5, a), closed=False), "#94A97D", s * 0.025) for a in range(-90, 270, 40))
    blooms = "".join(line(poly((x, y - s * 1.1), (x + dx * s, y - dy * s), closed=False), LEAF, s * 0.05) + solid(circle(x + dx * s, y - dy * s, s * 0.12), SUN, fill(circle(x + dx * s, y - dy * s, s * 0.05), "#B9701F"), shade=(-3, -3), rim=2) for dx, dy in ((-0.22, 1.74), (0.22, 1.74), (0, 1.86)))
    return group(blooms, solid(trunk, OAK, grain(trunk.bounds(), OAK, int(x), 4, upright=True), bark, shade=(-s * 0.06, 0), rim=3), solid(crown, "#BFCBA6", veins, shade=(-s * 0.03, -s * 0.04), rim=3), turn=turn, about=(x, y))


def rocking_mountain(tilt: float, *on_top: str) -> str:
    """The half-moon mountain and what stands on it."""
    outline_ = Path((("M", ((830, 560),)), *arc((480, 560), 350, 0, 180, 0.72).parts[1:], *(("L", (p,)) for p in ((180, 520), (340, 520), (400, 470), (560, 470), (620, 520), (790, 520))), ("Z", ())))
    band = Path((*arc((480, 560), 350, 4, 176, 0.72).parts, *tuple(("L", p) if c == "M" else (c, p) for c, p in arc((480, 560), 290, 176, 4, 0.72).parts), ("Z", ())))
    lake = fill(ellipse(480, 640, 110, 34), "#7DB9C9") + line(curve((420, 636), (470, 630), (520, 638)), "#D7ECEE", 6)
    return group(*on_top, solid(outline_, TEAL, grain((130, 470, 830, 820), TEAL, 3, 12), fill(band, darker(TEAL, 0.2)), lake, "".join(fill(poly((x, 600), (x + 34, 560), (x + 68, 600), r=6), lighter(TEAL, 0.35)) for x in (250, 330, 590, 670)), shade=(-26, -18), rim=6), turn=tilt, about=(480, 812))


@picture("Frailejones en equilibrio (montaña)")
def balance_level() -> str:
    return plain("butter", 760) + shadow(480, 822, 240, 34) + rocking_mountain(0, wooden_frailejon(252, 524, 120), wooden_frailejon(480, 474, 170), wooden_frailejon(710, 524, 120))


@picture("Frailejones en equilibrio (inclinada)")
def balance_tilted() -> str:
    slip = wooden_frailejon(770, 520, 104, 40)
    marks = swish((700, 420), 170, -120, -60, TOMATO, 11) + swish((700, 420), 208, -110, -70, SUN, 11)
    return plain("sky", 760) + shadow(500, 824, 240, 34) + rocking_mountain(15, wooden_frailejon(252, 524, 100), wooden_frailejon(500, 474, 150)) + marks + slip


@picture("Frailejones en equilibrio (tres tamaños)")
def balance_pieces() -> str:
    return plain("mint", 740) + shadow(190, 816, 90, 18) + shadow(440, 816, 120, 20) + shadow(750, 816, 150, 24) + wooden_frailejon(190, 810, 150) + wooden_frailejon(440, 810, 230) + wooden_frailejon(750, 810, 330)

"""Ciencia y arte: volcano kit, abacus, telescope, watercolours, loom, first garden."""

from art.colour import BRASS, CEDAR, CLAY, COCOA, CREAM, INK, LEAF, LIME, OAK, ORANGE, PINE, PINK, PLUM, SKY, STEEL, SUN, TEAL, TOMATO, WALNUT, WHITE, darker, lighter
from art.faces import cheeks, eyes, smile
from art.gallery import picture
from art.lettering import face, words
from art.materials import bead, daisy, grain, stripe, wooden
from art.paint import cast, clip, fill, group, line, multiply, shadow, solid
from art.scenes import bush, flat, halo, night, plain, planks
from art.shapes import Point, arc, blob, box, capsule, circle, curve, drop, ellipse, leaf, polar, poly, star, twin

from random import Random

# Volcán ---------------------------------------------------------------------------------------------------------


def volcano() -> str:
    """The model cone on its board, erupting."""
    cone = poly((370, 400), (590, 400), (700, 600), (810, 760), (150, 760), (260, 600), r=(20, 20, 60, 30, 30, 60))
    ridges = "".join(line(curve((a, 430), (b, 580), (c, 750)), darker("#8A6147", 0.16), 9, opacity=0.7) for a, b, c in ((400, 340, 250), (450, 420, 390), (520, 560, 590), (560, 630, 720)))
    snow = fill(poly((360, 390), (600, 390), (640, 480), (586, 460), (556, 520), (510, 466), (470, 530), (430, 462), (392, 500), (326, 480), r=14), "#A67B5B")
    lava = blob((400, 396), (560, 396), (586, 470), (566, 600), (600, 700), (560, 722), (520, 610), (500, 520), (466, 560), (470, 680), (430, 690), (416, 560), (380, 470))
    foam = "".join(solid(circle(x, y, r), c, shade=(-r * 0.16, -r * 0.18), rim=3) for x, y, r, c in ((420, 372, 44, TOMATO), (540, 368, 48, TOMATO), (480, 350, 56, "#F0623C"), (450, 300, 44, "#F0623C"), (526, 296, 46, ORANGE), (484, 240, 44, ORANGE), (440, 220, 24, SUN), (534, 212, 28, SUN), (480, 170, 26, SUN)))
    drops = "".join(solid(drop((x, y - 40), (x, y), r), c, shade=(-3, -3), rim=2) for x, y, r, c in ((330, 270, 16, TOMATO), (640, 250, 18, ORANGE), (290, 360, 12, ORANGE), (676, 350, 13, TOMATO), (380, 170, 12, SUN), (600, 150, 13, TOMATO)))
    trees = "".join(solid(poly((x, y - s), (x + s * 0.42, y), (x - s * 0.42, y), r=5), "#3F7F4F", shade=(-5, -3), rim=2) for x, y, s in ((190, 770, 64), (240, 784, 50), (740, 784, 60), (786, 770, 46)))
    board = box(110, 752, 740, 56, r=18)
    return (
        solid(cone, "#8A6147", ridges, snow, shade=(-54, -10), rim=6) + fill(ellipse(480, 402, 106, 22), "#5B2A20")
        + solid(lava, TOMATO, shade=(-10, -6), rim=4) + line(curve((440, 430), (430, 540), (446, 650)), ORANGE, 12) + line(curve((540, 430), (536, 560), (566, 680)), ORANGE, 12) + drops + foam
        + solid(board, OAK, grain((110, 752, 850, 808), OAK, 4, 4), shade=(-10, -14), rim=5) + trees
    )


def goggles(x: float, y: float, s: float) -> str:
    """Lab goggles, (x, y) their middle."""
    frame = twin((x, y - s * 0.34), (x + s * 0.5, y - s * 0.42), (x + s * 0.96, y - s * 0.3), (x + s * 0.96, y + s * 0.24), (x + s * 0.56, y + s * 0.42), (x + s * 0.2, y + s * 0.34), (x, y + s * 0.1), x=x)
    strap = line(curve((x - s * 0.9, y), (x - s * 1.16, y - s * 0.5), (x, y - s * 0.8), (x + s * 1.16, y - s * 0.5), (x + s * 0.9, y)), COCOA, s * 0.13)
    return strap + solid(frame, TEAL, shade=(-s * 0.06, -s * 0.08), rim=4) + "".join(solid(ellipse(x + d * s * 0.52, y - s * 0.02, s * 0.32, s * 0.27), "#CBE7EF", line(poly((x + d * s * 0.52 - s * 0.16, y + s * 0.16), (x + d * s * 0.52 + s * 0.1, y - s * 0.2), closed=False), WHITE, s * 0.09, opacity=0.8), shade=(s * 0.05, s * 0.05), rim=0) for d in (-1, 1))


def tube(x: float, top: float, w: float, h: float, colour: str, level: float = 0.6) -> str:
    """A test tube with liquid and bubbles; x is its middle."""
    glass = box(x - w / 2, top, w, h, r=(w * 0.1, w * 0.1, w / 2, w / 2))
    liquid = box(x - w, top + h * (1 - level), w * 2, h)
    bubbles = "".join(fill(circle(x + dx * w, top + h * (1 - level * u), w * r), WHITE, 0.55) for dx, u, r in ((-0.14, 0.3, 0.08), (0.16, 0.5, 0.06), (0.0, 0.75, 0.09), (-0.2, 0.6, 0.05)))
    return clip(glass, fill(glass, "#EAF4F4"), fill(liquid, colour), fill(ellipse(x, top + h * (1 - level), w / 2, w * 0.12), lighter(colour, 0.35)), bubbles, fill(box(x - w * 0.34, top + h * 0.08, w * 0.13, h * 0.74, r=w * 0.06), WHITE, 0.65), multiply(glass + glass.move(-w * 0.14, -4))) + line(poly((x - w * 0.6, top), (x + w * 0.6, top), closed=False), "#BFD3D6", w * 0.16)


def rack_of_tubes(x: float, y: float, s: float) -> str:
    """A wooden rack with four tubes; (x, y) is its lower left, 4 s wide."""
    tubes = "".join(tube(x + s * (0.62 + n * 0.92), y - s * 3.3, s * 0.56, s * 2.9, c, u) for n, (c, u) in enumerate(((TOMATO, 0.62), (SUN, 0.48), (TEAL, 0.7), (PLUM, 0.55))))
    back = "".join(solid(box(x + u * s, y - s * 2.5, s * 0.2, s * 2.5, r=6), darker(OAK, 0.12), shade=(-4, 0), rim=2) for u in (0.04, 3.76))
    return back + solid(box(x, y - s * 2.5, s * 4, s * 0.34, r=8), OAK, grain((x, y - s * 2.5, x + s * 4, y - s * 2.16), OAK, 3, 3), shade=(0, -6), rim=3) + tubes + solid(box(x, y - s * 1.5, s * 4, s * 0.38, r=8), OAK, grain((x, y - s * 1.5, x + s * 4, y - s * 1.1), OAK, 5, 3), shade=(0, -7), rim=3) + solid(box(x - s * 0.1, y - s * 0.34, s * 4.2, s * 0.34, r=8), OAK, grain((x, y - s * 0.34, x + s * 4, y), OAK, 7, 3), shade=(0, -7), rim=3)


@picture("Kit 'Mi volcán' (en erupción)")
def volcano_erupting() -> str:
    return plain("sky", 720) + shadow(480, 812, 400, 34) + volcano()


@picture("Kit 'Mi volcán' (contenido)")
def volcano_kit() -> str:
    lid = box(90, 110, 430, 540, r=28)
    cover = clip(box(124, 240, 362, 330, r=18), fill(box(124, 240, 362, 330), "#D2E5F2"), group(volcano(), move=(-175, -50), size=0.46, about=(480, 500)))
    book = box(560, 110, 280, 360, r=14)
    pipette = solid(capsule((640, 620), (640, 690), 66), TOMATO, shade=(-8, -6), rim=4) + line(poly((640, 720), (640, 860), closed=False), "#CFE0E4", 22) + line(poly((640, 860), (640, 900), closed=False), "#CFE0E4", 10)
    return (
        flat("butter") + group(cast(lid, 16, 24, 14, 0.32), solid(lid, TEAL, cover, fill(words("Mi volcán", 305, 206, 82, 700), CREAM), fill(words("12 experimentos", 305, 622, 38, 500), SUN), shade=(-14, -16), rim=6), turn=-4, about=(300, 380))
        + group(cast(book, 12, 18, 10, 0.3), solid(book, CREAM, fill(box(560, 110, 40, 360), TOMATO), fill(words("Cuaderno", 720, 210, 44, 600), COCOA), *(line(poly((626, y), (812, y), closed=False), "#D8C7A6", 5) for y in (260, 300, 340, 380, 420)), shade=(-8, -10), rim=4), turn=6, about=(700, 290))
        + cast(ellipse(300, 800, 150, 60), 12, 18, 10, 0.3) + goggles(290, 790, 170)
        + group(cast(capsule((640, 620), (640, 890), 50), 10, 14, 8, 0.3), pipette, turn=38, about=(640, 740))
        + group(cast(capsule((800, 560), (800, 840), 60), 12, 16, 8, 0.3), tube(780, 560, 66, 280, TOMATO, 0.6), turn=8, about=(780, 700)) + group(cast(capsule((880, 560), (880, 840), 60), 12, 16, 8, 0.3), tube(880, 570, 66, 280, SUN, 0.45), turn=3, about=(880, 700))
    )


@picture("Kit 'Mi volcán' (tubos)")
def volcano_tubes() -> str:
    return plain("mint", 740) + shadow(480, 824, 380, 34) + rack_of_tubes(150, 820, 166)


# Ábaco ----------------------------------------------------------------------------------------------------------


def abacus(x: float, y: float, w: float, h: float, rows: int = 10, beads: int = 10, moved: tuple[int, ...] = (10, 7, 10, 4, 10, 6, 10, 8, 3, 10)) -> str:
    """A frame whose upper left is (x, y); `moved` counts the beads pushed left in each row."""
    bar, parts = w * 0.075, ""
    r = min((w - bar * 3) / (beads + 3.2) / 2, h / rows / 2.3)
    colours = (TOMATO, ORANGE, SUN, LIME, LEAF, TEAL, SKY, PLUM, PINK, CEDAR)
    for n in range(rows):
        cy = y + bar * 1.4 + (h - bar * 3.4) * n / (rows - 1) + bar * 0.3
        parts += line(poly((x + bar / 2, cy), (x + w - bar / 2, cy), closed=False), "#A8AEB1", r * 0.26)
        for b in range(beads):
            left = b < moved[n]
            cx = x + bar + r * (2 * b + 1.3) if left else x + w - bar - r * (2 * (beads - b) - 0.7)
            parts += bead(cx, cy, r, colours[n])
    posts = "".join(wooden(box(px, y - bar * 0.5, bar, h + bar * 0.4, r=bar * 0.4), OAK, int(px), upright=True, lines=3, shade=(-8, 0), rim=4) for px in (x, x + w - bar))
    rails = wooden(box(x - bar * 0.3, y - bar * 0.4, w + bar * 0.6, bar, r=bar * 0.4), OAK, 3, lines=3, shade=(0, -9), rim=4) + wooden(box(x - bar * 0.5, y + h - bar, w + bar, bar * 1.3, r=bar * 0.4), OAK, 5, lines=3, shade=(0, -10), rim=4)
    return parts + posts + rails


@picture("abaco-de-madera-1")
def abacus_front() -> str:
    feet = "".join(solid(poly((x - 60, 830), (x + 60, 830), (x + 30, 776), (x - 30, 776), r=14), CEDAR, shade=(-8, -6), rim=4) for x in (190, 770))
    return plain("rose", 730) + shadow(480, 832, 400, 34) + feet + abacus(150, 150, 660, 650)


@picture("abaco-de-madera-2")
def abacus_sum() -> str:
    page = box(120, 520, 470, 330, r=16)
    rules = "".join(line(poly((140, y), (572, y), closed=False), "#C9DDEB", 4) for y in range(566, 850, 42))
    holes = "".join(fill(circle(146 + n * 42, 532, 9), "#B9B0A0") for n in range(11))
    pencil = solid(poly((640, 640), (860, 800), (830, 842), (610, 682), r=6), SUN, line(poly((626, 662), (846, 822), closed=False), darker(SUN, 0.16), 5), shade=(0, 0), rim=3) + fill(poly((640, 640), (610, 682), (574, 616), r=4), "#EBD3A8") + fill(poly((592, 634), (600, 626), (574, 616)), INK) + fill(poly((860, 800), (830, 842), (858, 862), (886, 820), r=8), PINK)
    return flat("mint") + shadow(530, 486, 320, 22) + abacus(250, 90, 560, 380, 5, 10, (7, 5, 10, 0, 10)) + group(cast(page, 14, 20, 12, 0.3), solid(page, WHITE, rules, holes, fill(words("7 + 5 = 12", 356, 700, 88, 500), SKY), fill(star(356, 778, 34, 15, 5, 4), SUN), shade=(0, 0), rim=0), turn=-5, about=(350, 680)) + cast(capsule((610, 640), (860, 830), 40), 10, 14, 8, 0.3) + pencil


@picture("abaco-de-madera-3")
def abacus_detail() -> str:
    return flat("rose") + abacus(60, -260, 1500, 1480, 7, 7, (4, 3, 5, 4, 3, 6, 2))


# Telescopio -----------------------------------------------------------------------------------------------------


def scope() -> str:
    """Tube and tripod; the tube points up right."""
    legs = "".join(solid(poly((480 + a, 560), (500 + a, 560), (500 + b, 860), (474 + b, 860), r=8), OAK, grain((300, 560, 680, 860), OAK, 3, 6, upright=True), shade=(-7, 0), rim=3) + solid(ellipse(488 + b, 858, 22, 12), "#45403E", shade=(-3, -3), rim=0) for a, b in ((-6, -170), (-2, 160)))
    middle = solid(poly((476, 560), (506, 560), (504, 890), (478, 890), r=8), OAK, grain((470, 560, 510, 890), OAK, 5, 2, upright=True), shade=(-8, 0), rim=3) + solid(ellipse(491, 888, 22, 12), "#45403E", shade=(-3, -3), rim=0)
    barrel = (
        solid(box(150, 420, 110, 56, r=12), "#45403E", shade=(0, -14), rim=4) + solid(box(120, 408, 48, 80, r=16), BRASS, shade=(-6, -16), rim=4)
        + solid(box(250, 396, 240, 104, r=14), lighter(SKY, 0.1), shade=(0, -26), rim=5) + solid(box(470, 378, 300, 140, r=18), SKY, *(fill(star(x, y, r, r * 0.45, 5), "#FBE7A8") for x, y, r in ((540, 430, 20), (610, 470, 14), (670, 416, 17), (590, 408, 9), (720, 470, 11))), line(poly((540, 430), (590, 408), (670, 416), (720, 470), closed=False), "#FBE7A8", 3, opacity=0.7), shade=(0, -34), rim=6)
        + solid(box(754, 366, 56, 164, r=18), BRASS, shade=(-8, -36), rim=5) + solid(box(462, 372, 26, 152, r=10), BRASS, shade=(0, -30), rim=3) + fill(ellipse(808, 448, 16, 70), "#BFE0EA") + line(poly((290, 420), (450, 420), closed=False), WHITE, 8, opacity=0.5)
        + solid(box(330, 346, 130, 30, r=14), "#45403E", shade=(0, -8), rim=3) + line(poly((360, 376), (360, 398), closed=False), BRASS, 12) + line(poly((430, 376), (430, 398), closed=False), BRASS, 12)
    )
    return legs + middle + solid(box(446, 500, 90, 76, r=18), "#45403E", fill(circle(491, 538, 18), BRASS), shade=(-8, -10), rim=4) + group(barrel, turn=-24, about=(490, 470))


def moon(x: float, y: float, r: float) -> str:
    """A full moon with craters."""
    return fill(circle(x, y, r * 1.35), "#FBE7A8", 0.12) + fill(circle(x, y, r * 1.16), "#FBE7A8", 0.16) + solid(circle(x, y, r), "#FBEFC6", *(fill(circle(x + dx * r, y + dy * r, s * r), "#E8D59C") + line(arc((x + dx * r, y + dy * r), s * r, 180, 300), "#D3BE83", r * 0.03) for dx, dy, s in ((-0.4, -0.3, 0.2), (0.3, -0.5, 0.12), (0.4, 0.3, 0.24), (-0.2, 0.45, 0.16), (-0.66, 0.2, 0.1), (0.08, -0.05, 0.09))), shade=(-r * 0.14, -r * 0.14), rim=4)


@picture("Telescopio Primeras Lunas (trípode)")
def scope_plain() -> str:
    return plain("lilac", 760) + shadow(488, 878, 250, 30) + group(scope(), move=(0, 0))


@picture("Telescopio Primeras Lunas (de noche)")
def scope_night() -> str:
    return night(760) + moon(720, 220, 130) + group(scope(), move=(-120, 60), turn=-4, size=0.86, about=(480, 860)) + bush(880, 900, 100, "#24423F") + bush(60, 920, 90, "#24423F")


@picture("Telescopio Primeras Lunas (mapa y oculares)")
def scope_map() -> str:
    chart = box(110, 90, 600, 600, r=26)
    chance = Random(31)
    dots = "".join(fill(circle(*polar((410, 390), chance.uniform(20, 240), chance.uniform(0, 360)), chance.choice((3, 4, 6))), "#FBE7A8") for _ in range(60))
    cross = (((300, 300), (340, 340), (390, 330), (440, 380)), ((480, 240), (520, 290), (500, 350), (560, 380)), ((320, 480), (370, 450), (420, 490), (470, 470), (500, 520)))
    figures = "".join(line(poly(*points, closed=False), "#FBE7A8", 3.5, opacity=0.7) + "".join(fill(star(x, y, 12, 5, 5), WHITE) for x, y in points) for points in cross)

    def eyepiece(x: float, y: float, s: float) -> str:
        return cast(ellipse(x, y + s * 0.8, s * 0.6, s * 0.5), 10, 14, 8, 0.3) + solid(box(x - s * 0.34, y + s * 0.3, s * 0.68, s * 1.0, r=s * 0.1), STEEL, shade=(-s * 0.12, 0), rim=4) + solid(box(x - s * 0.5, y - s * 0.3, s, s * 0.74, r=s * 0.12), "#45403E", *(line(poly((x - s * 0.5 + n * s * 0.1, y + s * 0.1), (x - s * 0.5 + n * s * 0.1, y + s * 0.36), closed=False), "#2E2A29", 4) for n in range(11)), shade=(-s * 0.12, 0), rim=4) + fill(ellipse(x, y - s * 0.28, s * 0.5, s * 0.18), "#5F5855") + fill(ellipse(x, y - s * 0.28, s * 0.3, s * 0.1), "#BFE0EA")

    return (
        planks(PINE, 9) + group(cast(chart, 16, 22, 14, 0.32), solid(chart, "#243B5E", fill(circle(410, 390, 262), "#2C4A75"), line(circle(410, 390, 262), BRASS, 7), line(circle(410, 390, 180), "#FBE7A8", 2.5, dash="6 12"), line(circle(410, 390, 96), "#FBE7A8", 2.5, dash="6 12"), dots, figures, fill(words("N", 410, 128, 34, 600), "#FBE7A8"), fill(words("S", 410, 684, 34, 600), "#FBE7A8"), shade=(-8, -8), rim=4), turn=-7, about=(410, 390))
        + eyepiece(760, 560, 130) + eyepiece(590, 740, 104)
    )


# Acuarelas ------------------------------------------------------------------------------------------------------

PANS = (
    "#F7D547", SUN, ORANGE, TOMATO, "#C8323F", "#D9588A", PINK, PLUM, "#4B4FA0", SKY, "#4FB0D8", "#2B9A94", TEAL, LEAF, LIME, "#B9803F", "#7A4A2E", "#3A3634",
)


def pan(x: float, y: float, w: float, h: float, colour: str, used: float = 0) -> str:
    """A cake of paint; `used` shows how far the brush has dug in."""
    shape = box(x, y, w, h, r=w * 0.16)
    worn = fill(ellipse(x + w * 0.5, y + h * 0.54, w * 0.3 * used, h * 0.28 * used), lighter(colour, 0.4)) + fill(ellipse(x + w * 0.52, y + h * 0.56, w * 0.18 * used, h * 0.16 * used), WHITE, 0.7) if used else ""
    return fill(box(x - w * 0.06, y - w * 0.06, w * 1.12, h + w * 0.12, r=w * 0.18), "#E9E4DA") + solid(shape, colour, worn, shade=(w * 0.06, w * 0.07), rim=0) + line(curve((x + w * 0.16, y + h * 0.14), (x + w * 0.5, y + h * 0.1), (x + w * 0.7, y + h * 0.12)), WHITE, w * 0.06, opacity=0.55)


def brush(a: Point, b: Point, colour: str, tip: str) -> str:
    """A brush from its end a to its point b."""
    dx, dy = b[0] - a[0], b[1] - a[1]

    def at(u: float) -> Point:
        return a[0] + dx * u, a[1] + dy * u

    long = (dx * dx + dy * dy) ** 0.5
    return line(poly(a, at(0.7), closed=False), darker(colour, 0.25), long * 0.05) + line(poly(a, at(0.7), closed=False), colour, long * 0.04) + line(poly(at(0.68), at(0.8), closed=False), STEEL, long * 0.056, cap="butt") + fill(leaf(at(0.77), b, long * 0.07), "#5B4033") + fill(leaf(at(0.86), b, long * 0.045), tip)


def paint_box() -> str:
    """The tin, open: pans below, mixing lid above."""
    tray, lid = box(110, 470, 740, 370, r=34), box(110, 90, 740, 370, r=34)
    wells = "".join(solid(box(150 + n * 226, 140, 206, 270, r=50), "#F1ECE2", *puddle(n), shade=(14, 14), rim=0) for n in range(3))
    pans = "".join(pan(150 + (n % 9) * 76, 510 + (n // 9) * 112, 56, 84, c, (0, 0, 0.8, 0.9, 0, 0, 0, 0, 0, 0.9, 0, 0, 0.7, 0, 0.8, 0, 0, 0)[n]) for n, c in enumerate(PANS))
    return (
        cast(box(110, 90, 740, 750, r=34), 18, 26, 16, 0.3) + solid(lid, WHITE, wells, shade=(-12, -14), rim=5) + solid(tray, TOMATO, fill(box(130, 490, 700, 330, r=22), "#F7F2E8"), pans, shade=(-12, -14), rim=6)
        + fill(box(144, 738, 672, 66, r=30), "#D8D0C2") + fill(box(110, 452, 740, 26), STEEL) + "".join(solid(box(x, 446, 90, 38, r=10), STEEL, shade=(0, -8), rim=3) for x in (200, 670))
    )


def puddle(index: int) -> tuple[str, ...]:
    """Mixed paint in a lid well."""
    x, colours = 150 + index * 226, ((SKY, LIME), (TOMATO, SUN), (PLUM, PINK))[index]
    return (
        fill(blob((x + 50, 230), (x + 110, 190), (x + 166, 240), (x + 150, 320), (x + 90, 340), (x + 44, 300)), colours[0], 0.55),
        fill(blob((x + 90, 260), (x + 150, 250), (x + 170, 320), (x + 110, 370), (x + 76, 330)), colours[1], 0.6),
    )


@picture("caja-de-acuarelas-1")
def paints_open() -> str:
    return flat("sky") + group(paint_box(), brush((170, 772), (800, 768), TEAL, SKY), turn=-3, size=0.96, about=(480, 480))


@picture("caja-de-acuarelas-2")
def paints_sheet() -> str:
    sheet = box(90, 90, 600, 500, r=6)
    sea_ = blob((110, 480), (260, 440), (430, 470), (600, 440), (676, 480), (660, 560), (400, 575), (130, 560))
    washes = (
        fill(blob((120, 120), (400, 105), (660, 130), (650, 330), (420, 300), (140, 340)), "#BFE0EE", 0.8), fill(circle(560, 200, 54), SUN, 0.75), fill(circle(560, 200, 36), "#F7D547", 0.7),
        fill(blob((130, 470), (220, 310), (320, 400), (420, 270), (520, 420), (600, 350), (660, 470)), "#6FA68C", 0.75), fill(blob((240, 470), (420, 330), (560, 480)), "#3F8470", 0.45), fill(sea_, SKY, 0.55), fill(blob((150, 520), (400, 500), (640, 530), (400, 556)), "#2B78C5", 0.35),
        fill(poly((330, 500), (420, 500), (400, 526), (350, 526), r=4), TOMATO, 0.85), fill(poly((372, 430), (372, 494), (420, 494), r=3), WHITE), line(poly((370, 426), (370, 500), closed=False), COCOA, 4),
    )
    drips = "".join(fill(circle(x, y, r), c, 0.6) for x, y, r, c in ((740, 200, 16, SKY), (780, 250, 9, SKY), (736, 290, 7, TOMATO)))
    return (
        flat("paper") + drips + group(cast(sheet, 12, 18, 12, 0.26), solid(sheet, "#FFFEFA", *washes, shade=(0, 0), rim=0), turn=-5, about=(390, 340))
        + group(paint_box(), move=(150, 270), size=0.5, turn=9, about=(480, 480)) + cast(capsule((160, 860), (420, 700), 24), 10, 14, 8, 0.3) + brush((110, 880), (440, 660), PLUM, TOMATO)
    )


@picture("caja-de-acuarelas-3")
def paints_detail() -> str:
    return flat("sky") + group(paint_box(), move=(150, -200), turn=-4, size=2.6, about=(330, 600)) + brush((1010, 980), (560, 560), TEAL, TOMATO)


# Telar ----------------------------------------------------------------------------------------------------------

WEAVE = ("#B9402D", "#E9B44C", "#2F6F73", "#F2E4C9", "#7A3E6B")


def tapestry(left: float, top: float, cols: int, rows: int, cell: float) -> str:
    """Woven diamonds in yarn, thread by thread."""
    parts = ""
    for row in range(rows):
        for col in range(cols):
            d = abs((col % 12) - 5.5) + abs((row % 12) - 5.5)
            band = row % 24 >= 22
            colour = WEAVE[3] if band else WEAVE[0] if d < 2.2 else WEAVE[1] if d < 4.2 else WEAVE[3] if d < 5.2 else WEAVE[2] if d < 8.2 else WEAVE[4]
            x, y = left + col * cell, top + row * cell
            lift = cell * 0.1 if (row + col) % 2 else 0
            parts += f'<rect x="{x:.1f}" y="{y - lift:.1f}" width="{cell * 1.02:.1f}" height="{cell * 0.92:.1f}" rx="{cell * 0.4:.1f}" fill="{colour if (row + col) % 2 else darker(colour, 0.1)}"/>'
    return parts


def loom() -> str:
    """The frame with its warp and a tapestry half done, comb resting on it."""
    pegs = "".join(fill(box(236 + n * 20.4, y, 8, 24, r=4), WALNUT) for n in range(24) for y in (150, 786))
    warp = "".join(line(poly((240 + n * 20.4, 168), (240 + n * 20.4, 796), closed=False), "#EADBB8", 4) for n in range(24))
    cloth = tapestry(232, 470, 24, 16, 20.4)
    posts = "".join(wooden(box(x, 110, 56, 740, r=20), OAK, int(x), upright=True, lines=4, shade=(-10, 0), rim=5) for x in (160, 744))
    rails = wooden(box(130, 120, 700, 54, r=20), OAK, 3, lines=3, shade=(0, -12), rim=5) + wooden(box(130, 786, 700, 54, r=20), OAK, 5, lines=3, shade=(0, -12), rim=5)
    shuttle = group(line(curve((250, 440), (500, 452), (700, 446)), WEAVE[0], 9), solid(leaf((420, 400), (790, 400), 64), PINE, line(poly((470, 400), (740, 400), closed=False), WEAVE[0], 26), line(poly((490, 400), (730, 400), closed=False), darker(WEAVE[0], 0.2), 22, dash="4 9", cap="butt"), shade=(-5, -8), rim=4), turn=-7, about=(600, 400))
    return posts + warp + cloth + rails + pegs + shuttle


def skein(x: float, y: float, s: float, colour: str, turn: float = 0) -> str:
    """A ball of wool."""
    strands = "".join(line(ellipse(x, y, s, s * k).turn(a, (x, y)), darker(colour, 0.16), s * 0.07) for a, k in ((0, 0.3), (0, 0.6), (62, 0.36), (62, 0.7), (124, 0.4)))
    return cast(circle(x, y, s), 10, 14, 8, 0.3) + group(solid(circle(x, y, s), colour, strands, shade=(-s * 0.14, -s * 0.16), rim=4), turn=turn, about=(x, y))


def comb(x: float, y: float, s: float) -> str:
    """The beater, teeth down."""
    teeth = "".join(solid(box(x - s * 0.46 + n * s * 0.14, y, s * 0.08, s * 0.56, r=s * 0.03), PINE, shade=(-3, 0), rim=2) for n in range(7))
    return teeth + wooden(poly((x - s * 0.5, y + s * 0.06), (x - s * 0.5, y - s * 0.3), (x - s * 0.16, y - s * 0.44), (x - s * 0.13, y - s * 1.1), (x + s * 0.13, y - s * 1.1), (x + s * 0.16, y - s * 0.44), (x + s * 0.5, y - s * 0.3), (x + s * 0.5, y + s * 0.06), r=s * 0.08), PINE, 7, shade=(-8, -8), rim=4)


@picture("telar-de-mesa-1")
def loom_front() -> str:
    return plain("sand", 740) + shadow(480, 858, 380, 30) + loom()


@picture("telar-de-mesa-2")
def loom_wools() -> str:
    return (
        flat("mint") + group(cast(box(140, 110, 680, 740, r=20), 18, 26, 14, 0.28), loom(), turn=-8, size=0.66, about=(300, 360), move=(-40, -20))
        + skein(770, 200, 96, WEAVE[0], 20) + skein(850, 400, 80, WEAVE[1], -30) + skein(720, 530, 96, WEAVE[2], 50) + skein(860, 680, 86, WEAVE[4], 10) + skein(640, 760, 92, "#E7D6B4", -16) + skein(450, 830, 80, "#C7673F", 35)
        + group(cast(box(150, 690, 160, 200, r=16), 10, 14, 8, 0.3), comb(220, 800, 150), turn=-24, about=(220, 800))
    )


@picture("telar-de-mesa-3")
def loom_detail() -> str:
    return flat("sand") + "".join(line(poly((0 + n * 50, -20), (0 + n * 50, 980), closed=False), "#FBF2DC", 12) for n in range(20)) + tapestry(-26, 300, 20, 14, 50)


# Huerta ---------------------------------------------------------------------------------------------------------


def clay_pot(x: float, base: float, s: float, *plant: str) -> str:
    """A terracotta pot standing on `base` with what grows in it."""
    bowl = poly((x - s * 0.44, base - s * 0.66), (x + s * 0.44, base - s * 0.66), (x + s * 0.32, base), (x - s * 0.32, base), r=s * 0.06)
    return "".join(plant) + solid(bowl, CLAY, line(curve((x - s * 0.4, base - s * 0.36), (x, base - s * 0.3), (x + s * 0.4, base - s * 0.36)), CREAM, s * 0.04, dash=f"{s * 0.1:.0f} {s * 0.08:.0f}"), shade=(-s * 0.13, 0), rim=4) + solid(box(x - s * 0.52, base - s * 0.84, s * 1.04, s * 0.24, r=s * 0.06), CLAY, shade=(-s * 0.12, -s * 0.06), rim=4)


def coriander(x: float, y: float, s: float) -> str:
    """Leafy stems."""
    parts = ""
    for a in (-130, -110, -90, -70, -50):
        tip = polar((x, y), s * (1.0 if a == -90 else 0.86), a)
        parts += line(curve((x, y), polar((x, y), s * 0.5, a + 6), tip), "#5E9B45", s * 0.05)
        parts += "".join(fill(circle(tip[0] + dx * s, tip[1] + dy * s, s * 0.13), c) for dx, dy, c in ((0, -0.06, "#79AE57"), (-0.14, 0.04, "#6BA34C"), (0.14, 0.04, "#6BA34C")))
    return parts


def radish(x: float, y: float, s: float) -> str:
    """A radish showing its shoulder."""
    leaves = "".join(solid(leaf((x, y), polar((x, y), s * 0.9, a), s * 0.36), "#6BA34C", line(curve((x, y), polar((x, y), s * 0.7, a)), "#4C8A3E", 4), shade=(-4, -4), rim=2) for a in (-140, -40, -112, -68, -90))
    return leaves + solid(circle(x, y + s * 0.12, s * 0.26), "#D8366B", shade=(-5, -6), rim=3)


def sunflower(x: float, y: float, r: float, stem_to: float, face: bool = False) -> str:
    """A sunflower on its stem."""
    rays = "".join(solid(leaf(polar((x, y), r * 0.5, a), polar((x, y), r * 1.12, a), r * 0.36), SUN if n % 2 else "#F0A01E", shade=(-3, -4), rim=2) for n, a in enumerate(range(0, 360, 20)))
    seeds = "".join(fill(circle(*polar((x, y), r * q, a + q * 40), r * 0.035), "#5B3420") for q in (0.22, 0.36, 0.5) for a in range(0, 360, 36)) if not face else ""
    smile_ = eyes(x, y - r * 0.06, r * 0.42, r * 0.07, "#2A1A12") + smile(x, y + r * 0.14, r * 0.34, r * 0.14, "#2A1A12", r * 0.05) + cheeks(x, y + r * 0.12, r * 0.7, r * 0.09, TOMATO, 0.6) if face else ""
    stem = line(curve((x, y), (x + r * 0.1, (y + stem_to) / 2), (x, stem_to)), "#5E9B45", r * 0.16)
    leaves = fill(leaf((x, y + (stem_to - y) * 0.62), (x + r * 0.9, y + (stem_to - y) * 0.44), r * 0.4), "#6BA34C") + fill(leaf((x, y + (stem_to - y) * 0.74), (x - r * 0.9, y + (stem_to - y) * 0.58), r * 0.4), "#79AE57")
    return stem + leaves + rays + solid(circle(x, y, r * 0.58), "#8A5A33", seeds, shade=(-r * 0.07, -r * 0.08), rim=3) + smile_


def watering_can(x: float, base: float, s: float) -> str:
    """A small green can, spout to the left."""
    body = poly((x - s * 0.4, base - s * 0.86), (x + s * 0.4, base - s * 0.86), (x + s * 0.5, base), (x - s * 0.5, base), r=s * 0.08)
    spout = poly((x - s * 0.44, base - s * 0.2), (x - s * 0.44, base - s * 0.44), (x - s * 0.98, base - s * 0.94), (x - s * 1.08, base - s * 0.84), r=s * 0.03)
    rose = group(solid(poly((x - s * 1.14, base - s * 1.06), (x - s * 0.86, base - s * 0.94), (x - s * 0.98, base - s * 0.8), (x - s * 1.22, base - s * 0.86), r=s * 0.04), BRASS, shade=(-4, -5), rim=3))
    return (
        line(arc((x + s * 0.5, base - s * 0.5), s * 0.4, -100, 80), darker(TEAL, 0.25), s * 0.14) + line(arc((x + s * 0.5, base - s * 0.5), s * 0.4, -100, 80), TEAL, s * 0.1) + line(arc((x, base - s * 0.8), s * 0.36, 190, 350), TEAL, s * 0.09)
        + solid(spout, TEAL, shade=(-4, -8), rim=4) + rose + solid(body, TEAL, stripe(x - s, x + s, base - s * 0.66, s * 0.06, s * 0.05, SUN), daisy(x, base - s * 0.32, s * 0.19, CREAM, SUN), shade=(-s * 0.14, 0), rim=5)
    )


@picture("Mi primera huerta (materas)")
def garden_pots() -> str:
    return (
        plain("butter", 720) + shadow(190, 800, 120, 20) + shadow(420, 822, 130, 22) + shadow(640, 800, 110, 20) + shadow(800, 850, 120, 20)
        + clay_pot(420, 820, 240, sunflower(420, 260, 118, 660)) + clay_pot(180, 800, 210, coriander(180, 630, 200)) + clay_pot(640, 800, 200, radish(640, 640, 180)) + watering_can(800, 850, 150)
    )


@picture("Mi primera huerta (semillas)")
def garden_seeds() -> str:
    def packet(cx: float, cy: float, name: str, ground: str, drawn: str, turn: float) -> str:
        sheet = box(cx - 120, cy - 170, 240, 340, r=12)
        zigzag = "".join(fill(poly((cx - 120 + n * 24, cy - 170), (cx - 96 + n * 24, cy - 170), (cx - 108 + n * 24, cy - 156)), darker(ground, 0.2)) for n in range(10))
        return group(cast(sheet, 12, 18, 10, 0.3), solid(sheet, ground, zigzag, fill(circle(cx, cy - 10, 96), CREAM), drawn, fill(words(name, cx, cy + 140, 46, 600), CREAM), shade=(-7, -8), rim=4), turn=turn, about=(cx, cy))

    trowel = line(poly((640, 700), (500, 790), closed=False), STEEL, 24) + solid(leaf((530, 772), (300, 900), 140), STEEL, line(poly((500, 790), (350, 872), closed=False), darker(STEEL, 0.2), 6), shade=(-8, -10), rim=4) + solid(capsule((660, 688), (800, 600), 52), TOMATO, shade=(-8, -12), rim=4)
    seeds = "".join(fill(leaf((x, y), (x + 22, y + 10), 14), c) for x, y, c in ((700, 800, "#5B4033"), (750, 840, "#5B4033"), (790, 790, "#8A6A4C"), (840, 850, "#5B4033"), (860, 780, "#8A6A4C"), (680, 870, "#8A6A4C")))
    return (
        flat("mint") + packet(220, 290, "cilantro", LEAF, coriander(220, 350, 120), -9) + packet(740, 300, "rábano", "#C8436F", radish(740, 320, 104), 8) + packet(480, 270, "girasol", "#D98A1F", sunflower(480, 240, 62, 346), 0)
        + cast(capsule((340, 880), (800, 610), 60), 12, 18, 10, 0.28) + trowel + seeds
    )


@picture("Mi primera huerta (girasol)")
def garden_sunflower() -> str:
    return halo("sky", cy=400, radius=380) + clay_pot(480, 1010, 330, sunflower(480, 390, 270, 790, True))

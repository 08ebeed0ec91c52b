"""Carros, trenes y más: car, chiva, train, dump truck, biplane, sailing boat, yipao, tricycle, pull-along duck."""

from art.colour import BEECH, BRASS, CEDAR, COCOA, CREAM, INK, LEAF, OAK, ORANGE, PINE, PINK, PLUM, SKY, STEEL, SUN, TEAL, TOMATO, TOMATO_DARK, WALNUT, WHITE, darker, lighter
from art.faces import cheeks, eye, eyes, smile
from art.gallery import picture
from art.lettering import words
from art.materials import bead, daisy, grain, rope, stitches, swish, wheel, wooden
from art.nature import palm, round_tree
from art.paint import cast, clip, fill, gloss, group, line, shadow, solid
from art.scenes import andes, bush, closed_below, cloud, flat, meadow, plain, sea, sun
from art.shapes import Path, arc, blob, box, capsule, circle, curve, ellipse, leaf, polar, poly, sector, star, twin
from art.toys.building import block
from art.toys.plush import bear_head

# Carro ----------------------------------------------------------------------------------------------------------


def driver(x: float, y: float, s: float, colour: str = SUN) -> str:
    """A peg person; (x, y) is the shoulder line."""
    return (
        solid(box(x - s * 0.42, y - s * 0.2, s * 0.84, s * 1.1, r=s * 0.3), colour, shade=(-s * 0.08, 0), rim=3)
        + solid(circle(x, y - s * 0.58, s * 0.46), "#E7BE8E", shade=(-s * 0.08, -s * 0.09), rim=3)
        + eyes(x + s * 0.1, y - s * 0.58, s * 0.3, s * 0.05, INK) + smile(x + s * 0.1, y - s * 0.42, s * 0.2, s * 0.08, COCOA, s * 0.04) + cheeks(x + s * 0.1, y - s * 0.46, s * 0.46, s * 0.07)
        + solid(sector((x, y - s * 0.64), s * 0.48, 0, 180, 360), TOMATO, shade=(-s * 0.06, -s * 0.05), rim=2) + solid(box(x - s * 0.1, y - s * 0.7, s * 0.72, s * 0.11, r=s * 0.05), TOMATO_DARK, shade=(0, 0), rim=0)
    )


def roadster(colour: str, seed: int = 3, with_driver: bool = True) -> str:
    """The open wooden car, about (480, 560), nose to the right."""
    body = blob((150, 640), (150, 560), (220, 500), (330, 486), (420, 486), (560, 486), (700, 500), (800, 550), (820, 640), (780, 690), (480, 694), (190, 690), ease=0.8)
    seat = ellipse(430, 488, 92, 20)
    screen = poly((540, 486), (588, 396), (606, 396), (574, 486), r=6)
    return (
        solid(screen, CREAM, shade=(-4, 0), rim=2)
        + fill(seat, darker(colour, 0.5)) + (driver(430, 440, 124) if with_driver else "")
        + solid(body, colour, grain((150, 486, 820, 694), colour, seed, 9), fill(box(120, 610, 740, 26), CREAM), fill(circle(480, 590, 66), CREAM), fill(words("7", 480, 626, 100, 700), colour), shade=(-26, -26), rim=7)
        + solid(circle(796, 566, 26), SUN, shade=(-5, -6), rim=3) + solid(box(800, 640, 50, 28, r=14), BEECH, shade=(-4, -6), rim=3)
        + wheel(270, 690, 96, PINE, TOMATO, "#4A4340") + wheel(690, 690, 96, PINE, TOMATO, "#4A4340")
    )


@picture("carro-de-madera-1")
def car_side() -> str:
    return plain("peach", 730) + shadow(480, 786, 390, 40) + roadster(SKY)


@picture("carro-de-madera-2")
def car_ramp() -> str:
    ramp = poly((60, 400), (120, 380), (880, 800), (880, 836), (60, 836), r=10)
    arches = fill(bridge_hole(250, 836, 110, 200), darker(PINE, 0.3)) + fill(bridge_hole(520, 836, 70, 110), darker(PINE, 0.3))
    lines = "".join(line(poly((x, y), (x - 90, y - 50), closed=False), c, 11, opacity=0.9) for x, y, c in ((230, 250, TOMATO), (196, 310, SUN), (270, 190, SUN)))
    return plain("mint", 760) + shadow(480, 846, 440, 30) + wooden(ramp, PINE, 5, shade=(-12, -14), rim=6, lines=14) + arches + lines + group(roadster(SKY), move=(-20, -116), turn=29, size=0.62, about=(480, 620))


def bridge_hole(cx: float, base: float, r: float, h: float) -> Path:
    """An arched opening."""
    return box(cx - r, base - h, r * 2, h, r=(r, r, 0, 0))


@picture("carro-de-madera-3")
def car_colours() -> str:
    rows = ((TOMATO, SUN, 250), (TEAL, PINK, 520), (SUN, SKY, 790))
    cars = "".join(shadow(340, y + 64, 240, 22) + group(roadster(c, n + 4, False), move=(-140, y - 660), size=0.66, about=(480, 640)) for n, (c, _, y) in enumerate(rows))
    return flat("lilac") + cars + "".join(shadow(770, y + 60, 76, 14) + driver(770, y - 56, 124, c) for _, c, y in rows)


# Chiva ----------------------------------------------------------------------------------------------------------


def sack(x: float, y: float, s: float, colour: str = "#D9B98A", mark: bool = True) -> str:
    """A tied coffee sack standing on (x, y)."""
    shape = blob((x - s * 0.42, y), (x - s * 0.5, y - s * 0.5), (x - s * 0.26, y - s * 0.86), (x + s * 0.26, y - s * 0.86), (x + s * 0.5, y - s * 0.5), (x + s * 0.42, y))
    ears = poly((x - s * 0.2, y - s * 0.84), (x - s * 0.3, y - s * 1.06), (x, y - s * 0.96), (x + s * 0.3, y - s * 1.06), (x + s * 0.2, y - s * 0.84), r=s * 0.04)
    bean = fill(ellipse(x, y - s * 0.42, s * 0.17, s * 0.22), "#7A4A2A") + line(curve((x - s * 0.03, y - s * 0.6), (x + s * 0.05, y - s * 0.42), (x - s * 0.03, y - s * 0.24)), colour, s * 0.05) if mark else ""
    return solid(ears, colour, shade=(-3, -3), rim=0) + solid(shape, colour, bean, shade=(-s * 0.1, -s * 0.09), rim=3) + line(poly((x - s * 0.22, y - s * 0.84), (x + s * 0.22, y - s * 0.84), closed=False), TOMATO, s * 0.07)


def bananas(x: float, y: float, s: float, colour: str = "#8DB048") -> str:
    """A hand of green plantains; (x, y) is its lower middle."""
    parts = line(curve((x, y - s * 0.8), (x + s * 0.02, y - s * 1.0), (x + s * 0.14, y - s * 1.14)), "#6B7F38", s * 0.16)
    for d, drop_ in ((-1, 0.16), (1, 0.16), (-0.55, 0.04), (0.55, 0.04), (0, 0)):
        top, mid, tip = (x + d * s * 0.1, y - s * 0.84), (x + d * s * 0.56, y - s * 0.56), (x + d * s * 0.5, y - s * (0.06 + drop_))
        fruit = curve(top, mid, tip)
        parts += line(fruit, darker(colour, 0.3), s * 0.25) + line(fruit, colour, s * 0.21) + line(fruit.move(-s * 0.04, -s * 0.01), lighter(colour, 0.35), s * 0.04)
        parts += fill(circle(*tip, s * 0.06), "#4F5A2A")
    return parts + solid(ellipse(x, y - s * 0.84, s * 0.17, s * 0.12), "#6B7F38", shade=(-3, -3), rim=0)


def guacal(x: float, y: float, w: float, h: float, *inside: str) -> str:
    """A crate of slats with something in it; (x, y) is its lower left."""
    slats = "".join(wooden(box(x, y - h + n * h / 3 + 3, w, h / 3 - 7, r=4), PINE, n + 3, lines=2, shade=(-3, -4), rim=2) for n in range(3))
    posts = "".join(solid(box(x + u * w - 7, y - h - 2, 14, h + 2, r=4), OAK, shade=(-3, 0), rim=2) for u in (0.05, 0.5, 0.95))
    return "".join(inside) + fill(box(x, y - h, w, h, r=4), darker(PINE, 0.4)) + slats + posts


def hen(x: float, y: float, s: float, colour: str = WHITE) -> str:
    """A hen looking right; (x, y) is under it."""
    body = blob((x - s * 0.5, y - s * 0.62), (x - s * 0.2, y - s * 0.4), (x + s * 0.1, y - s * 0.5), (x + s * 0.2, y - s * 0.86), (x + s * 0.44, y - s * 0.8), (x + s * 0.5, y - s * 0.3), (x + s * 0.2, y), (x - s * 0.3, y - s * 0.06))
    comb = circle(x + s * 0.22, y - s * 0.9, s * 0.09) + circle(x + s * 0.34, y - s * 0.94, s * 0.09)
    return fill(comb, TOMATO) + solid(body, colour, fill(leaf((x - s * 0.2, y - s * 0.36), (x + s * 0.2, y - s * 0.1), s * 0.24), darker(colour, 0.14)), shade=(-4, -4), rim=2) + fill(poly((x + s * 0.46, y - s * 0.74), (x + s * 0.64, y - s * 0.66), (x + s * 0.46, y - s * 0.6), r=2), SUN) + fill(circle(x + s * 0.37, y - s * 0.72, s * 0.05), INK)


def suitcase(x: float, y: float, w: float, h: float, colour: str) -> str:
    """A strapped suitcase; (x, y) is its lower left."""
    return line(arc((x + w / 2, y - h), w * 0.14, 180, 360), darker(colour, 0.4), 7) + solid(box(x, y - h, w, h, r=10), colour, *(fill(box(x + u * w - 6, y - h, 12, h), CREAM) for u in (0.22, 0.78)), shade=(-6, -7), rim=3)


def motif(x: float, y: float, w: float, h: float, index: int) -> str:
    """One hand-painted panel of a chiva's side."""
    cx, cy, grounds = x + w / 2, y + h / 2, (SUN, TEAL, TOMATO, SKY, ORANGE)
    ground = grounds[index % 5]
    r = min(w, h) * 0.4
    if index % 3 == 0:
        art = "".join(fill(leaf((cx, cy), polar((cx, cy), r * 1.06, a), r * 0.52), TOMATO if n % 2 else CREAM) for n, a in enumerate(range(0, 360, 45))) + fill(circle(cx, cy, r * 0.3), SKY) + fill(circle(cx, cy, r * 0.14), SUN)
    elif index % 3 == 1:
        art = fill(poly((cx, cy - r * 1.05), (cx + r * 1.05, cy), (cx, cy + r * 1.05), (cx - r * 1.05, cy)), CREAM) + fill(poly((cx, cy - r * 0.72), (cx + r * 0.72, cy), (cx, cy + r * 0.72), (cx - r * 0.72, cy)), PLUM) + fill(poly((cx, cy - r * 0.4), (cx + r * 0.4, cy), (cx, cy + r * 0.4), (cx - r * 0.4, cy)), SUN)
    else:
        art = "".join(line(circle(cx, cy, r * u), c, r * 0.2) for u, c in ((0.95, CREAM), (0.66, SUN), (0.38, TOMATO))) + fill(circle(cx, cy, r * 0.2), WHITE)
    corners = "".join(fill(sector((x + (w if dx else 0), y + (h if dy else 0)), h * 0.22, 0, a, a + 90), CREAM) for dx, dy, a in ((0, 0, 0), (1, 0, 90), (1, 1, 180), (0, 1, 270)))
    return clip(box(x, y, w, h), fill(box(x, y, w, h), ground), corners, art)


def chiva() -> str:
    """The bus of the mountains, nose to the right, wheels on y = 800."""
    roof = box(96, 330, 640, 42, r=(20, 20, 8, 8))
    body = poly((104, 520), (736, 520), (736, 716), (104, 716), r=(8, 8, 10, 22))
    hood = poly((730, 560), (860, 580), (878, 610), (878, 716), (730, 716), r=(4, 26, 16, 10, 4))
    cabin = poly((640, 366), (718, 366), (752, 560), (752, 716), (640, 716), r=6)
    passengers = ""
    for n, (skin, shirt, hair) in enumerate((("#C98C60", SUN, INK), ("#E7BE8E", SKY, "#6B3A22"), ("#A86B45", PINK, INK), ("#DDA177", TEAL, "#3A2A24"), ("#E7BE8E", TOMATO, "#8A5A33"))):
        x = 160 + n * 104
        passengers += solid(box(x - 30, 470, 60, 80, r=22), shirt, shade=(-6, 0), rim=2) + solid(circle(x, 444, 32), skin, shade=(-6, -6), rim=2) + solid(sector((x, 438), 34, 0, 180, 360), hair, shade=(0, 0), rim=0) + eyes(x + 6, 448, 20, 3.6, INK) + smile(x + 6, 458, 14, 5, COCOA, 3)
    pillars = "".join(solid(box(104 + n * 107, 366, 18, 160), (TOMATO, SUN, TEAL, SKY, ORANGE, TOMATO)[n], shade=(-5, 0), rim=2) for n in range(6))
    rails = "".join(solid(box(104 + n * 107, 500, 107, 26), (SUN, SKY, TOMATO, TEAL, ORANGE)[n], shade=(0, -7), rim=2) for n in range(5))
    panels = "".join(motif(104 + n * 107, 548, 105, 112, n) for n in range(5))
    rack = line(poly((110, 330), (110, 282), (724, 282), (724, 330), r=10, closed=False), CEDAR, 11) + "".join(line(poly((x, 286), (x, 330), closed=False), CEDAR, 8) for x in range(180, 720, 68))
    cargo = (
        sack(170, 330, 96) + suitcase(216, 330, 112, 84, PLUM) + bananas(388, 326, 112) + guacal(440, 330, 120, 76, hen(486, 262, 78), hen(530, 264, 66, "#C9773A")) + sack(612, 330, 104, "#E0C79A") + sack(676, 330, 78, "#CDA877")
        + group(suitcase(236, 244, 84, 58, TEAL), turn=-5, about=(270, 240))
    )
    ladder = "".join(line(poly((78, y), (104, y), closed=False), CEDAR, 8) for y in range(420, 700, 48)) + line(poly((80, 350), (80, 700), closed=False), CEDAR, 9)
    return (
        ladder + fill(box(110, 366, 620, 170), "#4A2F3B") + passengers + cargo + rack
        + solid(hood, TOMATO, fill(box(730, 636, 160, 22), SUN), fill(box(730, 668, 160, 12), CREAM), *(line(poly((844, y), (874, y), closed=False), CREAM, 6) for y in (604, 620)), shade=(-14, -14), rim=5)
        + solid(cabin, TOMATO, clip(poly((654, 390), (706, 390), (728, 516), (654, 516), r=10), fill(box(640, 380, 120, 150), "#BFE0EA"), line(poly((660, 520), (720, 380), closed=False), WHITE, 14, opacity=0.7)), line(poly((654, 390), (706, 390), (728, 516), (654, 516), r=10), CREAM, 8), fill(box(640, 548, 120, 112), SUN), fill(star(696, 604, 42, 18, 5, 4), TOMATO), fill(circle(696, 604, 9), CREAM), shade=(-8, -8), rim=4)
        + pillars + rails
        + solid(body, TOMATO, panels, fill(box(100, 524, 640, 14), CREAM), fill(box(100, 668, 640, 16), SUN), fill(box(100, 690, 640, 10), CREAM), shade=(0, -16), rim=0)
        + solid(roof, TEAL, *(fill(circle(124 + n * 46, 352, 10), SUN if n % 2 else CREAM) for n in range(14)), shade=(-8, -10), rim=4)
        + solid(circle(868, 640, 25), SUN, fill(circle(868, 640, 14), CREAM), shade=(-4, -5), rim=3) + solid(box(840, 700, 74, 26, r=12), STEEL, shade=(-6, -8), rim=4)
        + solid(box(96, 706, 780, 22, r=8), WALNUT, shade=(0, -6), rim=0)
        + wheel(232, 728, 76, SUN, TOMATO, "#45403E") + wheel(756, 728, 76, SUN, TOMATO, "#45403E")
    )


@picture("Chiva de madera (de lado)")
def chiva_side() -> str:
    return plain("sky", 730) + shadow(490, 802, 430, 38) + group(chiva(), move=(-14, 0))


@picture("Chiva de madera (carretera)")
def chiva_road() -> str:
    road = Path((("M", ((-40, 900),)), ("C", ((240, 840), (520, 760), (1000, 560))), ("L", ((1000, 760),)), ("C", ((640, 900), (400, 960), (-40, 1040))), ("Z", ())))
    dashes = line(Path((("M", ((-40, 972),)), ("C", ((300, 900), (600, 830), (1000, 664))))), CREAM, 9, dash="46 34", cap="butt")
    dust = "".join(fill(circle(x, y, r), "#EAD7B4", 0.85) for x, y, r in ((90, 826, 46), (40, 800, 36), (130, 846, 30), (20, 860, 40)))
    return (
        andes("peach", "#A9C77E", 620) + sun(170, 170, 74) + cloud(640, 170, 84) + palm(876, 560, 200) + palm(780, 590, 150) + bush(60, 700, 70, "#6E9E52") + bush(920, 640, 60, "#7FAE5E")
        + fill(road, "#C9A77C") + dashes + dust + group(chiva(), move=(0, 16), turn=-17, size=0.74, about=(500, 760))
        + bush(820, 960, 90, "#6E9E52")
    )


@picture("Chiva de madera (figuras pintadas)")
def chiva_detail() -> str:
    return flat("sky") + group(chiva(), move=(160, -100), size=2.5, about=(320, 640))


# Tren -----------------------------------------------------------------------------------------------------------


def smoke(x: float, y: float, s: float) -> str:
    """Cotton smoke."""
    return "".join(fill(circle(x + dx * s, y - dy * s, r * s), WHITE, 0.95) for dx, dy, r in ((0, 0, 0.3), (-0.3, 0.44, 0.38), (-0.16, 0.98, 0.44), (-0.66, 1.16, 0.36)))


def locomotive(x: float = 0) -> str:
    """The engine, nose to the right, wheels on y = 780."""
    cab = box(420 + x, 330, 180, 340, r=(16, 16, 8, 8))
    boiler = box(560 + x, 450, 270, 200, r=(10, 96, 96, 10))
    chimney = poly((700 + x, 290), (800 + x, 290), (776 + x, 350), (776 + x, 456), (724 + x, 456), (724 + x, 350), r=8)
    return (
        solid(chimney, TEAL, fill(box(700 + x, 290, 100, 30), SUN), shade=(-12, 0), rim=4)
        + solid(box(620 + x, 408, 56, 56, r=(28, 28, 0, 0)), SUN, shade=(-8, -6), rim=3)
        + solid(boiler, TOMATO, grain((560 + x, 450, 830 + x, 650), TOMATO, 5, 6), *(fill(box(q + x, 440, 16, 220), SUN) for q in (630, 742)), shade=(-20, -24), rim=6)
        + solid(circle(822 + x, 550, 34), SUN, fill(circle(822 + x, 550, 19), CREAM), shade=(-6, -7), rim=3)
        + solid(cab, TOMATO, grain((420 + x, 330, 600 + x, 670), TOMATO, 9, 6, upright=True), clip(box(456 + x, 384, 108, 110, r=18), fill(box(450 + x, 380, 130, 130), "#BFE0EA"), driver(510 + x, 500, 84, SKY)), line(box(456 + x, 384, 108, 110, r=18), CREAM, 9), shade=(-14, -14), rim=5)
        + solid(box(396 + x, 298, 228, 44, r=18), TEAL, shade=(-8, -12), rim=4)
        + solid(box(412 + x, 650, 440, 48, r=12), WALNUT, grain((412 + x, 650, 852 + x, 698), WALNUT, 4, 3), shade=(-8, -12), rim=4) + solid(poly((838 + x, 660), (900 + x, 736), (838 + x, 736), r=8), SUN, shade=(-8, -6), rim=3)
        + wheel(500 + x, 708, 76, SUN, TOMATO) + wheel(660 + x, 724, 58, SUN, TOMATO) + wheel(786 + x, 724, 58, SUN, TOMATO)
        + solid(capsule((500 + x, 716), (668 + x, 728), 16), STEEL, shade=(0, -5), rim=2)
    )


def wagon(x: float, colour: str, *load: str) -> str:
    """A truck of the train, about 300 wide, its left edge at x."""
    return (
        "".join(load) + solid(box(x, 540, 300, 130, r=(10, 10, 26, 26)), colour, grain((x, 540, x + 300, 670), colour, int(x) + 3, 5), fill(box(x, 566, 300, 16), CREAM), shade=(-16, -16), rim=5)
        + solid(box(x - 10, 528, 320, 28, r=10), OAK, shade=(0, -7), rim=3) + solid(box(x + 12, 656, 276, 36, r=10), WALNUT, shade=(-6, -10), rim=3)
        + wheel(x + 80, 724, 58, SUN, TOMATO) + wheel(x + 220, 724, 58, SUN, TOMATO) + solid(circle(x + 318, 676, 16), STEEL, shade=(-3, -4), rim=2) + solid(circle(x - 18, 676, 16), STEEL, shade=(-3, -4), rim=2)
    )


def load_of_blocks(x: float) -> str:
    """Blocks piled in a wagon."""
    return block(box(x + 30, 450, 96, 96, r=8), SKY, 3) + block(poly((x + 130, 546), (x + 240, 546), (x + 184, 440), r=8), SUN, 4) + group(block(box(x + 216, 470, 66, 90, r=8), PINK, 5), turn=12, about=(x + 240, 510))


@picture("tren-de-madera-1")
def train_side() -> str:
    rail = solid(box(-20, 768, 1000, 26, r=6), OAK, grain((0, 768, 960, 794), OAK, 8, 2), shade=(0, -8), rim=3)
    convoy = wagon(-330, TEAL, load_of_blocks(-330)) + wagon(40, SKY, sack(120, 540, 120), sack(228, 540, 110)) + locomotive()
    return plain("butter", 700) + shadow(480, 800, 480, 26) + rail + group(smoke(740, 250, 90), convoy, move=(140, 0), size=0.72, about=(480, 780))


@picture("tren-de-madera-2")
def train_above() -> str:
    track = line(circle(480, 480, 330), darker(OAK, 0.1), 120) + line(circle(480, 480, 330), PINE, 108) + line(circle(480, 480, 362), darker(PINE, 0.3), 13) + line(circle(480, 480, 298), darker(PINE, 0.3), 13)
    ties = "".join(line(poly(polar((480, 480), 276, a), polar((480, 480), 384, a), closed=False), darker(PINE, 0.16), 5) for a in range(0, 360, 10))

    def car(angle: float, colour: str, long: float, *top: str) -> str:
        x, y = polar((480, 480), 330, angle)
        return group(cast(box(x - long / 2, y - 54, long, 108, r=18), 10, 14, 8, 0.36), solid(box(x - long / 2, y - 54, long, 108, r=18), colour, grain((x - long / 2, y - 54, x + long / 2, y + 54), colour, int(angle), 4), shade=(-9, -10), rim=4), *(part for part in top), turn=angle + 90, about=(x, y))

    lx, ly = polar((480, 480), 330, -60)
    ax, ay = polar((480, 480), 330, -98)
    bx, by = polar((480, 480), 330, -134)
    engine = car(-60, TOMATO, 210, solid(box(lx - 104, ly - 60, 90, 120, r=14), TEAL, shade=(-8, -8), rim=3), solid(circle(lx + 62, ly, 30), SUN, fill(circle(lx + 62, ly, 18), INK), shade=(-5, -5), rim=3), fill(box(lx - 2, ly - 54, 14, 108), SUN), fill(box(lx + 92, ly - 20, 30, 40, r=8), SUN))
    second = car(-98, SKY, 176, fill(box(ax - 70, ay - 38, 140, 76, r=8), darker(SKY, 0.35)), solid(box(ax - 60, ay - 32, 54, 54, r=6), SUN, shade=(-5, -5), rim=3), solid(circle(ax + 36, ay + 2, 30), TOMATO, shade=(-5, -6), rim=3))
    third = car(-134, TEAL, 176, fill(box(bx - 70, by - 38, 140, 76, r=8), darker(TEAL, 0.35)), solid(box(bx - 56, by - 30, 50, 60, r=6), PINK, shade=(-5, -5), rim=3), solid(box(bx + 8, by - 30, 50, 60, r=6), BEECH, shade=(-5, -5), rim=3))
    middle = fill(circle(480, 480, 190), "#C9DCA2") + "".join(cast(circle(x, y, r), 12, 18, 8, 0.3) + solid(circle(x, y, r), c, solid(circle(x - r * 0.1, y - r * 0.12, r * 0.6), lighter(c, 0.12), shade=(0, 0), rim=0), shade=(-8, -9), rim=4) for x, y, r, c in ((420, 430, 62, LEAF), (540, 400, 46, "#79AE57"), (500, 570, 54, LEAF)))
    house = cast(box(560, 490, 80, 90, r=6), 10, 14, 8, 0.3) + solid(box(560, 490, 40, 90, r=4), TOMATO, shade=(0, 0), rim=3) + solid(box(600, 490, 40, 90, r=4), darker(TOMATO, 0.14), shade=(0, 0), rim=3)
    return flat("mint") + middle + track + ties + house + third + second + engine


@picture("tren-de-madera-3")
def train_engine() -> str:
    return plain("butter", 760) + shadow(480, 800, 380, 30) + smoke(590, 250, 130) + group(locomotive(), move=(-190, 10), size=1.34, about=(640, 700))


# Volqueta -------------------------------------------------------------------------------------------------------


def truck(tilt: float = 0, loaded: bool = True) -> str:
    """The dump truck, cab to the right, wheels on y = 790."""
    bed = poly((110, 380), (580, 380), (560, 610), (190, 610), r=(16, 16, 20, 40))
    stones = "".join(solid(shape, c, shade=(-7, -8), rim=3) for shape, c in ((blob((180, 392), (200, 320), (280, 310), (310, 392)), "#A59B90"), (blob((290, 392), (310, 290), (400, 280), (430, 392)), "#BDB3A6"), (blob((400, 392), (430, 330), (500, 320), (530, 392)), "#A59B90"), (blob((250, 320), (280, 262), (340, 262), (350, 320)), "#CFC6BA")))
    tip = group(stones if loaded else "", solid(bed, SUN, grain((110, 380, 580, 610), SUN, 4, 8), *(fill(box(x, 380, 18, 240), darker(SUN, 0.12)) for x in (230, 340, 450)), line(poly((120, 402), (572, 402), closed=False), lighter(SUN, 0.4), 10), shade=(-20, -20), rim=6), turn=tilt, about=(190, 610))
    jack = solid(capsule((420, 640), (400, 500), 30), STEEL, shade=(-6, 0), rim=3) if tilt else ""
    cab = poly((596, 360), (770, 360), (812, 480), (860, 500), (866, 660), (596, 660), r=(20, 24, 20, 26, 12, 10))
    return (
        jack + solid(box(130, 612, 740, 62, r=14), "#5C5450", shade=(0, -14), rim=4) + tip
        + solid(cab, TOMATO, grain((596, 360, 866, 660), TOMATO, 8, 8), clip(poly((640, 396), (748, 396), (782, 490), (640, 490), r=14), fill(box(630, 390, 170, 110), "#BFE0EA"), driver(700, 500, 92, TEAL)), line(poly((640, 396), (748, 396), (782, 490), (640, 490), r=14), CREAM, 9), line(poly((622, 520), (622, 650), closed=False), darker(TOMATO, 0.2), 5), fill(box(640, 536, 44, 12, r=6), CREAM), shade=(-16, -16), rim=6)
        + solid(circle(850, 580, 24), SUN, fill(circle(850, 580, 13), CREAM), shade=(-4, -5), rim=3) + solid(box(836, 640, 66, 30, r=12), SUN, shade=(-5, -8), rim=3)
        + wheel(270, 694, 96, SUN, TOMATO, "#45403E") + wheel(480, 694, 96, SUN, TOMATO, "#45403E") + wheel(752, 694, 96, SUN, TOMATO, "#45403E")
    )


@picture("volqueta-de-obra-1")
def truck_side() -> str:
    return plain("sky", 720) + shadow(490, 790, 420, 38) + group(truck(), move=(-10, 0))


@picture("volqueta-de-obra-2")
def truck_tipping() -> str:
    pile = blob((-20, 850), (40, 740), (130, 690), (220, 750), (280, 850))
    grains = "".join(fill(circle(x, y, r), "#D9B779") for x, y, r in ((146, 610, 16), (120, 650, 13), (170, 660, 12), (110, 690, 10), (150, 580, 10), (190, 700, 9), (240, 740, 8), (60, 720, 9)))
    return (
        plain("peach", 720) + shadow(530, 806, 420, 36) + group(truck(-34, False), move=(96, 10), size=0.92, about=(480, 790))
        + line(curve((262, 560), (190, 620), (140, 720)), "#E0C088", 74) + grains
        + solid(pile, "#E0C088", *(fill(circle(x, y, 5), darker("#E0C088", 0.16)) for x, y in ((60, 790), (110, 740), (150, 800), (200, 790), (130, 840), (90, 830), (230, 830))), shade=(-16, -16), rim=4)
        + shadow(880, 850, 50, 10) + cone(882, 848, 110)
    )


def cone(x: float, base: float, s: float) -> str:
    """A traffic cone."""
    shape = poly((x - s * 0.08, base - s), (x + s * 0.08, base - s), (x + s * 0.32, base - s * 0.1), (x - s * 0.32, base - s * 0.1), r=s * 0.05)
    return solid(box(x - s * 0.44, base - s * 0.14, s * 0.88, s * 0.14, r=s * 0.05), TOMATO, shade=(-3, -4), rim=2) + solid(shape, TOMATO, fill(box(x - s * 0.5, base - s * 0.66, s, s * 0.16), CREAM), fill(box(x - s * 0.5, base - s * 0.36, s, s * 0.14), CREAM), shade=(-s * 0.07, 0), rim=3)


@picture("volqueta-de-obra-3")
def truck_front() -> str:
    stones = "".join(solid(shape, c, shade=(-7, -8), rim=3) for shape, c in ((blob((300, 300), (330, 220), (420, 210), (440, 300)), "#A59B90"), (blob((420, 300), (440, 190), (540, 190), (560, 300)), "#BDB3A6"), (blob((540, 300), (560, 230), (640, 230), (670, 300)), "#A59B90")))
    tyres = "".join(solid(box(x, 660, 130, 150, r=40), "#45403E", *(line(poly((x, y), (x + 130, y), closed=False), "#2F2B2A", 6) for y in range(676, 800, 22)), shade=(-14, 0), rim=5) for x in (150, 680))
    bed = poly((210, 290), (750, 290), (720, 440), (240, 440), r=18)
    cab = poly((280, 350), (680, 350), (720, 530), (740, 560), (740, 740), (220, 740), (220, 560), (240, 530), r=30)
    glass = poly((316, 386), (644, 386), (672, 522), (288, 522), r=22)
    lamps = "".join(solid(circle(x, 616, 44), SUN, fill(circle(x, 616, 26), CREAM), shade=(-7, -8), rim=4) for x in (290, 670))
    grille = solid(box(368, 580, 224, 84, r=20), "#5C5450", *(line(poly((x, 588), (x, 656), closed=False), STEEL, 10) for x in range(398, 580, 33)), shade=(0, 0), rim=4)
    return (
        plain("mint", 730) + shadow(480, 812, 350, 38) + tyres + stones + solid(bed, SUN, grain((210, 290, 750, 440), SUN, 3, 5), shade=(-18, -10), rim=6)
        + solid(cab, TOMATO, grain((220, 350, 740, 740), TOMATO, 6, 10), shade=(-26, -22), rim=7)
        + clip(glass, fill(glass, "#BFE0EA"), group(driver(480, 520, 150, TEAL)), line(poly((330, 540), (410, 370), closed=False), WHITE, 22, opacity=0.6)) + line(glass, CREAM, 12)
        + lamps + grille + solid(box(190, 690, 580, 60, r=26), SUN, fill(words("OBRA", 480, 736, 46, 700, spacing=80), COCOA), shade=(-12, -14), rim=5)
        + "".join(solid(box(x, 440, 50, 76, r=14), "#5C5450", shade=(-6, -8), rim=3) for x in (178, 732))
    )


# Avión ----------------------------------------------------------------------------------------------------------


def biplane() -> str:
    """The plane in profile, nose to the left."""
    body = blob((196, 520), (230, 430), (340, 408), (520, 410), (700, 450), (850, 470), (856, 520), (700, 590), (480, 628), (300, 620), (216, 590))
    fin = blob((770, 468), (800, 350), (870, 330), (888, 400), (866, 490))
    tail = solid(capsule((760, 510), (900, 500), 44), CREAM, shade=(-6, -10), rim=4)
    upper = solid(capsule((270, 300), (560, 284), 60), CREAM, fill(box(330, 240, 46, 120), TOMATO), fill(box(460, 240, 46, 120), TOMATO), shade=(-10, -16), rim=5)
    lower = solid(capsule((270, 580), (570, 566), 64), CREAM, fill(box(330, 500, 46, 140), TOMATO), fill(box(470, 500, 46, 140), TOMATO), shade=(-10, -16), rim=5)
    struts = "".join(line(poly(a, b, closed=False), OAK, 13) for a, b in (((300, 310), (320, 560)), ((520, 300), (530, 550)), ((304, 324), (400, 420))))
    pilot = (
        solid(blob((560, 420), (566, 350), (620, 332), (668, 356), (672, 430)), CEDAR, shade=(-8, -8), rim=3)
        + solid(circle(604, 386, 50), "#E7BE8E", shade=(-8, -8), rim=0) + solid(sector((610, 384), 56, 0, 160, 380), CEDAR, shade=(-8, -6), rim=3)
        + "".join(solid(circle(x, 386, 18), "#BFE0EA", shade=(-3, -3), rim=0) + line(circle(x, 386, 18), WALNUT, 6) for x in (576, 616)) + smile(590, 412, 26, 10, COCOA, 5)
        + solid(blob((600, 428), (690, 414), (800, 380), (830, 400), (740, 440), (650, 452)), SUN, *(line(poly((x, 380), (x + 14, 450), closed=False), TOMATO, 9) for x in (680, 730, 780)), shade=(-5, -7), rim=3)
    )
    prop = "".join(solid(leaf((178, 520), (178 + dx, y), 46, 4), BEECH, shade=(-6, -6), rim=3) for dx, y in ((-26, 340), (26, 700)))
    wheel_ = line(poly((360, 610), (330, 700), closed=False), OAK, 13) + line(poly((420, 610), (340, 700), closed=False), OAK, 13) + wheel(334, 716, 54, SUN, TOMATO, "#45403E")
    return (
        tail + solid(fin, TOMATO, fill(star(836, 412, 28, 12, 5, 3), SUN), shade=(-8, -8), rim=4) + wheel_ + struts + pilot
        + solid(body, TOMATO, grain((196, 408, 856, 628), TOMATO, 8, 9), fill(box(250, 380, 26, 260), CREAM), fill(words("Cóndor", 672, 540, 58, 600), CREAM), shade=(-20, -26), rim=7)
        + lower + upper + prop + solid(circle(184, 520, 38), SUN, shade=(-7, -8), rim=4)
    )


@picture("Avión de hélice (de lado)")
def plane_side() -> str:
    return plain("butter", 730) + shadow(420, 772, 330, 32) + group(biplane(), move=(-46, 0))


@picture("Avión de hélice (en vuelo)")
def plane_flying() -> str:
    loop = line(curve((1000, 800), (860, 760), (780, 660), (860, 590), (930, 660), (830, 740), (700, 700)), WHITE, 9, dash="4 24")
    return flat("sky") + cloud(220, 800, 130) + cloud(800, 200, 100) + cloud(140, 170, 80, opacity=0.9) + loop + group(biplane(), turn=12, size=0.88, about=(480, 500), move=(-30, -30)) + cloud(640, 860, 90)


@picture("Avión de hélice (de frente)")
def plane_front() -> str:
    wings = solid(box(70, 296, 820, 64, r=32), CREAM, fill(box(190, 290, 60, 80), TOMATO), fill(box(710, 290, 60, 80), TOMATO), shade=(-12, -18), rim=6) + solid(box(110, 590, 740, 62, r=31), CREAM, fill(box(200, 580, 56, 80), TOMATO), fill(box(704, 580, 56, 80), TOMATO), shade=(-12, -18), rim=6)
    struts = "".join(line(poly(a, b, closed=False), OAK, 14) for a, b in (((220, 350), (226, 600)), ((740, 350), (734, 600)), ((396, 350), (430, 430)), ((564, 350), (530, 430))))
    pilot = solid(sector((480, 384), 72, 0, 180, 360), CEDAR, shade=(-8, -6), rim=3) + "".join(solid(circle(x, 380, 24), "#BFE0EA", shade=(-3, -3), rim=0) + line(circle(x, 380, 24), WALNUT, 7) for x in (450, 510))
    legs = "".join(line(poly((480 + d * 60, 640), (480 + d * 150, 744), closed=False), OAK, 15) + solid(box(480 + d * 160 - 30, 700, 60, 118, r=28), "#45403E", fill(box(480 + d * 160 - 9, 700, 18, 118), SUN), shade=(-8, 0), rim=4) for d in (-1, 1))
    blades_ = "".join(solid(leaf((480, 520), polar((480, 520), 250, a), 76, 8), BEECH, fill(circle(*polar((480, 520), 215, a), 46), TOMATO), shade=(-8, -8), rim=4) for a in (-62, 118))
    spin = swish((480, 520), 250, -40, 20, WHITE, 9) + swish((480, 520), 250, 140, 200, WHITE, 9) + swish((480, 520), 216, -30, 5, WHITE, 7) + swish((480, 520), 216, 150, 185, WHITE, 7)
    return plain("mint", 750) + shadow(480, 820, 300, 32) + legs + struts + pilot + wings + solid(circle(480, 520, 140), TOMATO, line(circle(480, 520, 112), CREAM, 12), shade=(-24, -26), rim=7) + spin + blades_ + solid(circle(480, 520, 44), SUN, shade=(-8, -9), rim=4)


# Velerito -------------------------------------------------------------------------------------------------------


def hull() -> Path:
    """The boat's side."""
    return Path((("M", ((140, 610),)), ("L", ((830, 596),)), ("C", ((800, 700), (720, 760), (600, 764))), ("L", ((330, 764),)), ("C", ((230, 758), (170, 700), (140, 610))), ("Z", ())))


def captain(x: float, y: float, s: float) -> str:
    """A peg with a cap and a beard."""
    return (
        solid(box(x - s * 0.42, y - s * 0.3, s * 0.84, s * 1.2, r=s * 0.26), SKY, *(fill(circle(x, y + s * d, s * 0.05), SUN) for d in (0.05, 0.28, 0.5)), shade=(-s * 0.08, 0), rim=3)
        + solid(circle(x, y - s * 0.6, s * 0.44), "#E7BE8E", shade=(-s * 0.07, -s * 0.08), rim=3) + eyes(x, y - s * 0.64, s * 0.32, s * 0.05, INK)
        + solid(twin((x, y - s * 0.5), (x + s * 0.34, y - s * 0.6), (x + s * 0.34, y - s * 0.26), (x, y - s * 0.06), x=x), WHITE, shade=(-3, -4), rim=0) + fill(ellipse(x, y - s * 0.38, s * 0.09, s * 0.05), TOMATO)
        + solid(box(x - s * 0.48, y - s * 1.02, s * 0.96, s * 0.24, r=s * 0.08), WHITE, shade=(-4, -4), rim=2) + solid(box(x - s * 0.44, y - s * 0.86, s * 0.94, s * 0.12, r=s * 0.05), INK, shade=(0, 0), rim=0)
    )


def sailboat() -> str:
    """Hull, mast, striped sail, captain."""
    sail = Path((("M", ((500, 130),)), ("C", ((660, 220), (770, 380), (784, 560))), ("L", ((500, 560),)), ("Z", ())))
    jib = Path((("M", ((462, 190),)), ("C", ((400, 320), (300, 460), (196, 560))), ("L", ((462, 560),)), ("Z", ())))
    stripes = "".join(line(curve((490, y), (640, y + 14), (800, y)), TOMATO, 30) for y in range(200, 560, 74))
    pennant = solid(poly((482, 72), (590, 98), (482, 124), r=5), SUN, shade=(-5, -5), rim=2)
    return (
        solid(box(466, 66, 26, 560, r=12), OAK, grain((466, 66, 492, 626), OAK, 3, 2, upright=True), shade=(-7, 0), rim=3) + pennant
        + solid(sail, CREAM, stripes, stitches(curve((516, 170), (650, 270), (764, 550)), TOMATO_DARK, 3), shade=(-16, -10), rim=5) + solid(jib, SUN, fill(star(392, 474, 44, 19, 5, 4), TOMATO), shade=(-12, -10), rim=5)
        + captain(300, 560, 116)
        + solid(hull(), TOMATO, grain((140, 600, 830, 764), TOMATO, 7, 7), fill(box(100, 596, 760, 40), OAK), *(fill(circle(x, 680, 26), CREAM) + fill(circle(x, 680, 16), SKY) for x in (380, 490, 600)), shade=(-24, -24), rim=6)
    )


@picture("velerito-de-bano-1")
def boat_plain() -> str:
    stand = solid(box(300, 748, 360, 40, r=14), PINE, grain((300, 748, 660, 788), PINE, 4, 3), shade=(0, -12), rim=4)
    return plain("mint", 720) + shadow(480, 792, 290, 32) + stand + sailboat()


@picture("velerito-de-bano-2")
def boat_afloat() -> str:
    front = closed_below(curve((-40, 690), (100, 706), (240, 680), (400, 704), (560, 680), (720, 704), (860, 682), (1000, 700)))
    foam = "".join(fill(circle(x, y, r), WHITE, 0.92) for x, y, r in ((110, 760, 46), (170, 790, 34), (60, 800, 30), (830, 780, 50), (890, 750, 34), (770, 812, 30), (900, 820, 26)))
    bubbles = "".join(line(circle(x, y, r), WHITE, 6, opacity=0.9) + fill(circle(x - r * 0.3, y - r * 0.3, r * 0.18), WHITE) for x, y, r in ((120, 330, 34), (860, 420, 26), (800, 250, 40), (180, 480, 20)))
    duck_ = group(duckling(800, 700, 150), turn=4, about=(800, 700))
    return sea(600, "butter") + bubbles + group(sailboat(), move=(-50, 0), turn=-7, size=0.9, about=(480, 700)) + duck_ + fill(front, "#6FB2C8", 0.97) + foam + line(curve((260, 800), (340, 786), (420, 800), (500, 814), (580, 800)), "#CDE8EE", 9)


@picture("velerito-de-bano-3")
def boat_parts() -> str:
    sail = Path((("M", ((560, 120),)), ("C", ((720, 200), (810, 330), (826, 500))), ("L", ((560, 500),)), ("Z", ())))
    stripes = "".join(line(curve((550, y), (700, y + 12), (850, y)), TOMATO, 28) for y in range(190, 500, 70))
    jib = poly((380, 150), (380, 500), (150, 500), r=10)
    return (
        flat("sky") + cast(sail, 14, 20, 10, 0.3) + solid(sail, CREAM, stripes, shade=(-14, -10), rim=5) + cast(jib, 14, 20, 10, 0.3) + solid(jib, SUN, fill(star(318, 420, 40, 17, 5, 4), TOMATO), shade=(-12, -10), rim=5)
        + cast(box(456, 90, 30, 450, r=14), 12, 18, 8, 0.3) + solid(box(456, 90, 30, 450, r=14), OAK, grain((456, 90, 486, 540), OAK, 3, 2, upright=True), shade=(-7, 0), rim=3)
        + group(cast(hull(), 16, 24, 12, 0.3), solid(hull(), TOMATO, grain((140, 600, 830, 764), TOMATO, 7, 7), fill(box(100, 596, 760, 40), OAK), *(fill(circle(x, 680, 26), CREAM) + fill(circle(x, 680, 16), SKY) for x in (380, 490, 600)), shade=(-24, -24), rim=6), move=(-110, 40), size=0.86, about=(480, 680))
        + shadow(810, 822, 80, 16) + captain(806, 700, 130)
    )


# Yipao ----------------------------------------------------------------------------------------------------------


def stool(x: float, y: float, s: float, colour: str = TOMATO) -> str:
    """A rush-seated chair upside down on the load; (x, y) is its lower middle."""
    legs = "".join(line(poly((x + d * s * 0.36, y - s * 0.3), (x + d * s * 0.46, y - s * 1.0), closed=False), darker(colour, 0.1), s * 0.1) for d in (-1, -0.4, 0.4, 1))
    return legs + line(poly((x - s * 0.4, y - s * 0.66), (x + s * 0.4, y - s * 0.66), closed=False), colour, s * 0.08) + solid(box(x - s * 0.46, y - s * 0.34, s * 0.92, s * 0.3, r=s * 0.07), PINE, *(line(poly((x - s * 0.4, y - s * u), (x + s * 0.4, y - s * u), closed=False), darker(PINE, 0.2), 3) for u in (0.12, 0.2, 0.28)), shade=(-4, -5), rim=2)


def jeep_load() -> str:
    """Everything a farm moves on market day."""
    return (
        sack(210, 470, 150) + sack(330, 474, 160, "#CFAE7E") + sack(442, 470, 146)
        + bananas(250, 360, 170) + suitcase(330, 350, 150, 96, PLUM) + sack(520, 476, 112, "#E0C79A")
        + stool(430, 282, 150) + guacal(262, 258, 130, 78, hen(312, 190, 82))
    )


def jeep() -> str:
    """The little four-by-four, nose to the right, wheels on y = 800."""
    body = poly((130, 470), (560, 470), (580, 560), (640, 556), (850, 576), (866, 610), (866, 700), (130, 700), r=(14, 10, 20, 10, 26, 10, 14, 16))
    screen = line(poly((560, 480), (596, 350), (622, 350), closed=False), darker(LEAF, 0.35), 18)
    glass = fill(poly((574, 470), (600, 366), (616, 366), (604, 470)), "#BFE0EA")
    arches = "".join(fill(sector((x, 710), 104, 0, 180, 360), darker("#3F7A4A", 0.42)) for x in (280, 740))
    steering = line(ellipse(560, 450, 12, 38).turn(24, (560, 450)), INK, 9)
    return (
        glass + screen + driver(500, 450, 110, CREAM).replace(TOMATO_DARK, "#C9A468").replace(TOMATO, "#E8CE97") + steering
        + solid(body, "#3F7A4A", grain((130, 470, 866, 700), "#3F7A4A", 12, 9), arches, fill(box(130, 520, 420, 12), SUN), line(box(450, 500, 104, 130, r=14), darker("#3F7A4A", 0.25), 6), fill(words("café", 320, 598, 76, 600), CREAM), *(line(poly((x, 600), (x, 650), closed=False), darker("#3F7A4A", 0.35), 9) for x in (816, 836, 856)), shade=(-16, -18), rim=6)
        + solid(circle(838, 622, 28), SUN, fill(circle(838, 622, 16), CREAM), shade=(-5, -6), rim=3) + solid(box(820, 690, 90, 30, r=12), STEEL, shade=(-6, -9), rim=4) + solid(box(100, 690, 60, 26, r=12), STEEL, shade=(-4, -8), rim=3)
        + wheel(280, 716, 86, "#EADBB8", TOMATO, "#45403E") + wheel(740, 716, 86, "#EADBB8", TOMATO, "#45403E")
    )


@picture("Yipao cafetero (cargado)")
def jeep_loaded() -> str:
    return plain("butter", 730) + shadow(490, 804, 410, 38) + group(jeep_load(), jeep(), move=(-10, 6))


@picture("Yipao cafetero (en dos llantas)")
def jeep_wheelie() -> str:
    return (
        andes("sky", "#B6CC86", 640) + palm(120, 640, 240) + palm(880, 640, 200) + palm(210, 650, 170)
        + shadow(330, 856, 260, 28, 0.6) + swish((330, 840), 560, -40, -24, TOMATO, 11) + swish((330, 840), 600, -38, -27, SUN, 11)
        + group(jeep_load(), jeep(), move=(50, 56), turn=-24, size=0.8, about=(280, 800))
    )


@picture("Yipao cafetero (piezas de carga)")
def jeep_pieces() -> str:
    return (
        plain("peach", 640) + shadow(200, 520, 130, 18) + shadow(480, 520, 120, 18) + shadow(760, 520, 130, 18) + shadow(190, 830, 130, 18) + shadow(480, 830, 130, 18) + shadow(770, 830, 130, 18)
        + sack(200, 520, 260) + bananas(480, 516, 270) + guacal(650, 520, 220, 150, hen(736, 382, 150)) + suitcase(80, 830, 220, 150, PLUM) + stool(480, 836, 240) + sack(770, 830, 220, "#CFAE7E")
    )


# Triciclo -------------------------------------------------------------------------------------------------------


def spokes(cx: float, cy: float, r: float) -> str:
    """A spoked wheel with a white tyre."""
    rays = "".join(line(poly((cx, cy), polar((cx, cy), r * 0.84, a), closed=False), "#A9B0B4", 5) for a in range(0, 360, 30))
    return line(circle(cx, cy, r * 0.92), "#3E3936", r * 0.2) + line(circle(cx, cy, r * 0.92), CREAM, r * 0.07) + line(circle(cx, cy, r * 0.78), STEEL, r * 0.06) + rays + solid(circle(cx, cy, r * 0.16), SUN, shade=(-3, -4), rim=3)


def tassels(x: float, y: float, way: float, s: float) -> str:
    """Ribbons at the end of a handlebar."""
    return "".join(line(curve((x, y), (x + way * s * (0.42 - n * 0.2), y + s * 0.26), (x + way * s * (0.5 - n * 0.3), y + s * (0.72 - n % 2 * 0.14))), (TOMATO, SUN, SKY, PINK)[n], s * 0.065) for n in range(4))


def wicker(x: float, y: float, w: float, h: float) -> str:
    """A small basket; (x, y) is its upper left."""
    shape = poly((x, y), (x + w, y), (x + w * 0.88, y + h), (x + w * 0.12, y + h), r=14)
    weave_ = "".join(line(curve((x + c * 26 - (13 if r % 2 else 0), y + 18 + r * 22), (x + c * 26 + 12 - (13 if r % 2 else 0), y + 12 + r * 22), (x + c * 26 + 24 - (13 if r % 2 else 0), y + 18 + r * 22)), "#A8763F", 9) for r in range(int(h / 22)) for c in range(int(w / 26) + 2))
    return solid(shape, "#D4A566", weave_, shade=(-12, -8), rim=4) + line(poly((x - 4, y + 4), (x + w + 4, y + 4), closed=False), "#B98746", 16)


def tricycle(passenger: str = "") -> str:
    """The tricycle, front wheel to the right."""
    red = TOMATO
    seat = blob((250, 410), (330, 380), (420, 400), (440, 430), (340, 450), (256, 440))
    return (
        spokes(300, 700, 106) + line(poly((690, 300), (722, 660), closed=False), darker(red, 0.25), 34) + line(poly((690, 300), (722, 660), closed=False), red, 26)
        + line(curve((704, 440), (560, 560), (400, 610), (240, 650)), darker(red, 0.25), 40) + line(curve((704, 440), (560, 560), (400, 610), (240, 650)), red, 32) + line(curve((690, 440), (550, 550), (400, 598), (250, 636)), WHITE, 6, opacity=0.5)
        + line(poly((350, 430), (360, 610), closed=False), STEEL, 26) + solid(box(150, 620, 150, 40, r=16), red, shade=(-6, -12), rim=4)
        + solid(seat, COCOA, shade=(-10, -12), rim=5)
        + line(curve((690, 296), (640, 270), (560, 300)), STEEL, 20) + line(poly((560, 300), (530, 312), closed=False), TOMATO_DARK, 30) + tassels(528, 318, -1, 120)
        + passenger + wicker(716, 300, 170, 130)
        + solid(circle(660, 262, 28), BRASS, shade=(-6, -7), rim=4) + line(poly((720, 690), (790, 740), closed=False), STEEL, 16) + solid(box(760, 730, 70, 24, r=10), COCOA, shade=(0, -6), rim=3)
        + spokes(722, 670, 140) + line(arc((722, 670), 164, 196, 318), darker(red, 0.2), 26) + line(arc((722, 670), 164, 196, 318), red, 20)
        + spokes(200, 712, 100)
    )


@picture("triciclo-primer-viaje-1")
def tricycle_side() -> str:
    return plain("sky", 740) + shadow(480, 812, 420, 34) + group(tricycle(), move=(-34, 4))


@picture("triciclo-primer-viaje-2")
def tricycle_park() -> str:
    rider = group(bear_head(810, 250, 92))
    return meadow("sky", "#C6DA9E", 560) + cloud(200, 170, 90) + cloud(560, 120, 60) + round_tree(90, 640, 260) + round_tree(890, 600, 190, "#79AE57") + shadow(480, 846, 390, 30, 0.6) + group(tricycle(rider), move=(-40, 40), size=0.9, about=(480, 800)) + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((80, 880), (880, 870), (560, 910), (300, 900)))


@picture("triciclo-primer-viaje-3")
def tricycle_bar() -> str:
    bar = curve((110, 420), (220, 330), (400, 350), (480, 420), (560, 350), (740, 330), (850, 420))
    return (
        flat("butter") + line(poly((480, 420), (500, 1000), closed=False), darker(TOMATO, 0.25), 92) + line(poly((480, 420), (500, 1000), closed=False), TOMATO, 78) + line(poly((462, 460), (478, 1000), closed=False), WHITE, 10, opacity=0.5)
        + line(bar, darker(STEEL, 0.3), 52) + line(bar, STEEL, 42) + line(bar.move(-2, -10), WHITE, 8, opacity=0.8)
        + solid(capsule((104, 424), (190, 356), 76), TOMATO_DARK, *(line(poly((x, 320), (x - 26, 460), closed=False), darker(TOMATO_DARK, 0.2), 6) for x in (120, 150, 180, 210)), shade=(-10, -14), rim=5) + solid(capsule((856, 424), (770, 356), 76), TOMATO_DARK, shade=(-10, -14), rim=5)
        + tassels(104, 430, -0.5, 420) + tassels(858, 430, 0.5, 420)
        + solid(circle(620, 300, 96), BRASS, line(circle(620, 300, 62), darker(BRASS, 0.2), 6), fill(circle(620, 300, 18), darker(BRASS, 0.4)), shade=(-18, -20), rim=6) + gloss((556, 280), (600, 230), -0.2, 16, 0.7) + line(poly((690, 350), (730, 390), closed=False), STEEL, 18) + solid(circle(736, 396, 20), TOMATO, shade=(-4, -5), rim=3)
        + solid(circle(484, 424, 54), SUN, fill(star(484, 424, 32, 14, 5, 3), TOMATO), shade=(-9, -10), rim=4)
        + swish((620, 300), 140, -70, -20, TOMATO, 11) + swish((620, 300), 176, -62, -28, TOMATO, 11)
    )


# Patico ---------------------------------------------------------------------------------------------------------


def duckling(x: float, y: float, s: float) -> str:
    """A floating duckling looking left; (x, y) is its waterline middle."""
    body = blob((x - s * 0.4, y - s * 0.1), (x - s * 0.1, y - s * 0.34), (x + s * 0.36, y - s * 0.3), (x + s * 0.62, y - s * 0.46), (x + s * 0.5, y + s * 0.1), (x, y + s * 0.2))
    return solid(body, SUN, fill(leaf((x, y - s * 0.16), (x + s * 0.4, y - s * 0.02), s * 0.22), "#E39A22"), shade=(-6, -7), rim=3) + solid(circle(x - s * 0.22, y - s * 0.46, s * 0.28), SUN, shade=(-6, -7), rim=3) + fill(leaf((x - s * 0.4, y - s * 0.42), (x - s * 0.76, y - s * 0.38), s * 0.18), ORANGE) + eye(x - s * 0.3, y - s * 0.52, s * 0.06, INK)


def pull_duck() -> str:
    """The walking duck, beak to the left, wheels on y = 800."""
    body = blob((250, 560), (330, 470), (520, 480), (680, 440), (800, 380), (810, 520), (740, 650), (560, 710), (370, 700), (270, 650))
    head = circle(330, 360, 138)
    beak = blob((232, 356), (130, 352), (84, 386), (130, 424), (240, 412))
    wing = blob((440, 560), (560, 520), (690, 520), (660, 610), (540, 650), (460, 630))
    neck = blob((250, 440), (420, 420), (440, 560), (260, 580))
    feathers = "".join(line(curve((500 + n * 44, 548 - n * 6), (530 + n * 42, 590), (510 + n * 40, 622 - n * 6)), "#C97F14", 8) for n in range(4))

    def foot_wheel(cx: float) -> str:
        flap = "".join(solid(leaf((cx, 730), polar((cx, 730), 108, a), 52), ORANGE, shade=(-5, -5), rim=3) for a in (20, 140, 260))
        return flap + wheel(cx, 730, 70, TOMATO, PINE)

    return (
        foot_wheel(620)
        + solid(body, SUN, grain(body.bounds(), SUN, 3, 9), fill(blob((300, 690), (420, 640), (620, 680), (560, 730), (360, 720)), "#FBD77E"), shade=(-26, -26), rim=7)
        + solid(neck, SUN, fill(box(230, 500, 240, 34), TEAL), fill(circle(340, 552, 18), TOMATO), shade=(-18, -6), rim=0)
        + solid(beak, ORANGE, line(curve((96, 388), (170, 394), (240, 386)), darker(ORANGE, 0.25), 6), shade=(-6, -12), rim=4)
        + solid(head, SUN, grain(head.bounds(), SUN, 9, 6), shade=(-22, -24), rim=6) + "".join(line(curve((320 + d * 14, 226), (316 + d * 22, 196), (330 + d * 34, 178)), "#C97F14", 9) for d in (-1, 0, 1))
        + fill(circle(292, 340, 36), WHITE) + eye(288, 342, 25, INK) + fill(ellipse(360, 400, 32, 22), TOMATO, 0.4)
        + solid(wing, "#E79D1E", feathers, shade=(-12, -12), rim=5)
        + foot_wheel(420)
    )


@picture("patico-de-arrastre-1")
def duck_side() -> str:
    cord = curve((276, 620), (180, 700), (110, 660), (60, 760), (140, 830))
    return plain("sky", 730) + shadow(520, 806, 300, 34) + rope(cord, WHITE, 11, 9) + bead(146, 834, 30, TOMATO) + group(pull_duck(), move=(24, 0))


@picture("patico-de-arrastre-2")
def duck_family() -> str:
    return meadow("butter", "#C6DA9E", 600) + shadow(330, 800, 230, 26, 0.6) + shadow(680, 820, 110, 16, 0.6) + shadow(860, 822, 90, 14, 0.6) + rope(curve((170, 640), (90, 560), (-20, 600)), WHITE, 10, 9) + group(pull_duck(), move=(-150, -4), size=0.78, about=(480, 800)) + group(pull_duck(), move=(220, 20), size=0.36, about=(480, 800)) + group(pull_duck(), move=(390, 22), size=0.28, about=(480, 800)) + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((110, 880), (560, 900), (800, 890)))


@picture("patico-de-arrastre-3")
def duck_wheel() -> str:
    return flat("sky") + group(pull_duck(), move=(-30, -90), size=1.75, about=(440, 740))

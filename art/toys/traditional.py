"""Juegos tradicionales: spinning top, yo-yo, cup and ball, marbles and kite."""

from random import Random

from art.colour import BEECH, CEDAR, COCOA, CREAM, LEAF, ORANGE, PINE, PINK, PLUM, SKY, STEEL, SUN, TEAL, TOMATO, WHITE, darker, lighter, mix
from art.gallery import picture
from art.lettering import words
from art.materials import bead, grain, rope, stitches, stripe, swish
from art.paint import cast, clip, fill, flip, gloss, group, line, shadow, solid
from art.scenes import andes, cloud, flat, halo, plain
from art.shapes import Path, Point, arc, box, circle, curve, ellipse, ngon, polar, poly, star, twin, twin_poly

# Trompo ---------------------------------------------------------------------------------------------------------


def top_body() -> Path:
    """The pear shape of a turned top, crown to shoulder to point."""
    return twin(
        (480, 218), (530, 224), (548, 262), (640, 296), (728, 380), (732, 470), (660, 590), (570, 690), (520, 742), (480, 752),
    )


def trompo() -> str:
    """The top standing upright."""
    body = top_body()
    bands = (
        stripe(180, 780, 318, 60, 56, TOMATO)
        + stripe(180, 780, 394, 22, 60, CREAM)
        + stripe(180, 780, 432, 66, 62, SUN)
        + stripe(180, 780, 514, 22, 60, CREAM)
        + stripe(180, 780, 552, 58, 54, TEAL)
    )
    dots = "".join(fill(circle(x, 466 + 60 * (1 - ((x - 480) / 270) ** 2), 13), TOMATO) for x in range(240, 740, 60))
    tip = poly((466, 726), (494, 726), (492, 800), (480, 826), (468, 800), r=8)
    return (
        solid(tip, STEEL, shade=(-9, 0), rim=3)
        + solid(body, BEECH, grain((200, 200, 760, 760), BEECH, 4, 16), bands, dots, shade=(-46, -26), rim=7)
        + solid(twin((480, 196), (522, 200), (536, 226), (524, 250), (480, 256)), CEDAR, shade=(-12, -8), rim=4)
        + gloss((286, 400), (336, 322), -0.16, 20, 0.6)
    )


@picture("Trompo de madera (frente)")
def trompo_front() -> str:
    pita = curve((560, 806), (680, 770), (800, 800), (760, 850), (640, 846), (660, 806), (790, 792), (850, 830))
    return plain("butter", 720) + shadow(490, 826, 170, 30) + rope(pita, CREAM, 10, 8) + group(trompo(), turn=-4, about=(480, 820))


@picture("Trompo de madera (girando)")
def trompo_spinning() -> str:
    cord = curve((86, 250), (180, 180), (250, 260), (170, 330), (110, 420), (190, 520), (150, 640), (230, 720), (330, 690))
    whirl = "".join(
        swish((470, 812), r, a, b, mix(WHITE, SKY, 0.25), w, 0.22) for r, a, b, w in ((120, 15, 160, 8), (190, -20, 110, 9), (260, 30, 170, 7), (200, 150, 260, 7))
    )
    sparks = swish((520, 420), 320, -62, -22, TOMATO, 10) + swish((520, 420), 364, -52, -30, SUN, 10)
    sparks += swish((520, 420), 330, 120, 150, TOMATO, 10) + swish((520, 420), 372, 128, 144, SUN, 10)
    return (
        flat("sky")
        + fill(ellipse(480, 830, 400, 108), lighter("#D2E5F2", 0.45))
        + whirl + shadow(486, 818, 120, 22)
        + rope(cord, CREAM, 11, 8) + bead(86, 250, 22, TOMATO)
        + sparks
        + group(trompo(), turn=17, about=(480, 826))
    )


@picture("Trompo de madera (detalle)")
def trompo_detail() -> str:
    return flat("butter") + group(trompo(), move=(150, 250), turn=-14, size=2.05, about=(480, 480))


# Yoyo -----------------------------------------------------------------------------------------------------------


def yoyo_face(cx: float, cy: float, radius: float) -> str:
    """One painted cheek of the yo-yo."""
    r = radius
    rays = "".join(fill(circle(*polar((cx, cy), r * 0.86, 20 * n), r * 0.045), CREAM) for n in range(18))
    return (
        solid(circle(cx, cy, r), TOMATO, rays, shade=(-r * 0.14, -r * 0.16), rim=r * 0.035)
        + solid(circle(cx, cy, r * 0.7), PINE, grain((cx - r, cy - r, cx + r, cy + r), PINE, 8, 12), shade=(r * 0.06, r * 0.07), rim=0)
        + solid(star(cx, cy, r * 0.6, r * 0.27, 5, r * 0.05), SUN, shade=(-r * 0.05, -r * 0.06), rim=r * 0.02)
        + solid(circle(cx, cy, r * 0.13), TEAL, shade=(-r * 0.03, -r * 0.03), rim=3)
        + line(arc((cx, cy), r * 0.86, 196, 248), WHITE, r * 0.06, opacity=0.55)
    )


def finger_loop(x: float, y: float) -> str:
    """The knot that goes over a finger."""
    return line(ellipse(x, y, 26, 34), darker(CREAM, 0.25), 13) + line(ellipse(x, y, 26, 34), CREAM, 9)


@picture("yoyo-de-madera-1")
def yoyo_front() -> str:
    cord = curve((640, 650), (760, 700), (830, 640), (790, 570), (700, 610), (740, 740), (850, 760))
    return (
        plain("mint", 700) + shadow(480, 776, 250, 40)
        + rope(cord, WHITE, 10, 8) + finger_loop(866, 748)
        + yoyo_face(450, 480, 300)
    )


@picture("yoyo-de-madera-2")
def yoyo_play() -> str:
    cord = line(poly((500, -10), (492, 520), closed=False), darker(CREAM, 0.25), 12) + line(poly((500, -10), (492, 520), closed=False), WHITE, 8)
    motion = swish((490, 640), 290, -30, 20, SUN, 11) + swish((490, 640), 290, 150, 205, SUN, 11) + swish((490, 640), 330, -18, 6, TEAL, 10) + swish((490, 640), 330, 164, 190, TEAL, 10)
    stars = fill(star(190, 240, 40, 17, 5, 5), SUN) + fill(star(780, 180, 54, 23, 5, 6), TOMATO, 0.9) + fill(star(760, 420, 26, 11, 5, 4), PLUM, 0.8) + fill(star(240, 470, 24, 10, 5, 4), TEAL)
    return halo("rose", cy=620, radius=390) + stars + motion + cord + group(yoyo_face(490, 640, 220), turn=26, about=(490, 640))


@picture("yoyo-de-madera-3")
def yoyo_side() -> str:
    half = poly((300, 250), (370, 230), (440, 330), (452, 470), (452, 510), (440, 650), (370, 750), (300, 730), (268, 490), r=(50, 40, 30, 10, 10, 30, 40, 50, 120))
    wood = solid(half, TOMATO, stripe(240, 480, 0, 0, 0, TOMATO), fill(box(260, 200, 66, 600), PINE), fill(box(332, 200, 14, 600), CREAM), shade=(-22, -16), rim=6)
    axle = solid(box(440, 440, 80, 100, r=10), STEEL, shade=(0, -24), rim=3)
    cord = "".join(line(poly((466, 400 + 22 * n), (496, 410 + 22 * n), closed=False), WHITE if n % 2 else CREAM, 20) for n in range(8))
    free = rope(curve((482, 400), (490, 250), (620, 150), (800, 170), (850, 90)), WHITE, 11, 8)
    return plain("lilac", 700) + shadow(480, 768, 250, 36) + free + axle + cord + wood + flip(wood, x=481)


# Coca / balero --------------------------------------------------------------------------------------------------


def coca_handle(colour: str = CEDAR, accent: str = SUN, seed: int = 3) -> str:
    """The turned stick with its cup, upright, cup rim centred on (480, 330)."""
    stick = twin(
        (480, 420), (540, 424), (524, 452), (506, 476), (530, 500), (530, 520), (508, 540), (516, 600), (540, 690), (548, 760), (530, 806), (480, 820),
    )
    cup = twin_poly((612, 322), (600, 396), (540, 444), (480, 450), r=40)
    return (
        solid(stick, colour, grain((400, 400, 560, 830), colour, seed, 7, upright=True), stripe(400, 560, 506, 20, 6, accent), stripe(400, 560, 694, 26, 12, accent), stripe(400, 560, 736, 12, 12, CREAM), shade=(-24, -10), rim=5)
        + solid(cup, colour, grain((340, 320, 620, 450), colour, seed + 1, 6), stripe(330, 630, 362, 24, 26, accent), shade=(-34, -16), rim=5)
        + fill(ellipse(480, 324, 132, 30), darker(colour, 0.42))
        + line(ellipse(480, 324, 132, 30), lighter(colour, 0.25), 9)
    )


def coca_ball(cx: float, cy: float, radius: float, one: str = TOMATO, two: str = CREAM) -> str:
    """The striped ball with the hole it lands on."""
    r = radius
    stripes = "".join(stripe(cx - r, cx + r, cy - r * 0.72 + index * r * 0.46, r * 0.22, r * 0.2, two) for index in range(4))
    return (
        solid(circle(cx, cy, r), one, stripes, shade=(-r * 0.22, -r * 0.24), rim=5)
        + gloss((cx - r * 0.66, cy - r * 0.2), (cx - r * 0.26, cy - r * 0.66), -0.16, r * 0.12, 0.6)
    )


@picture("Coca pintada (frente)")
def coca_front() -> str:
    pair = (
        shadow(370, 816, 120, 22) + shadow(702, 812, 130, 22)
        + group(coca_handle(accent=SUN), move=(-110, 0))
        + rope(curve((392, 706), (480, 770), (560, 700), (600, 590), (690, 548)), WHITE, 10, 8)
        + coca_ball(702, 678, 136) + fill(circle(694, 560, 17), darker(TOMATO, 0.45)) + fill(circle(692, 557, 8), WHITE)
    )
    return plain("peach", 740) + group(pair, size=1.2, about=(520, 760), move=(-30, 40))


@picture("Coca pintada (en el aire)")
def coca_air() -> str:
    cord = curve((478, 690), (600, 650), (690, 560), (660, 440), (610, 330), (560, 250))
    return (
        halo("mint", cy=450, radius=370)
        + swish((500, 200), 190, -150, -100, SUN, 11) + swish((500, 200), 190, -70, -30, SUN, 11) + swish((500, 200), 230, -130, -110, TOMATO, 10)
        + swish((440, 640), 250, 110, 150, WHITE, 10)
        + group(coca_handle(accent=TEAL), move=(-40, 120), turn=-10)
        + rope(cord, WHITE, 10, 8)
        + group(coca_ball(510, 200, 126), turn=-28, about=(510, 200))
    )


@picture("Coca pintada (colores)")
def coca_three() -> str:
    def one(x: float, y: float, turn: float, accent: str, ball: str, wood: str, seed: int) -> str:
        return group(coca_ball(480, 250, 118, ball), coca_handle(wood, accent, seed), move=(x - 480, y), turn=turn, size=0.86, about=(480, 560))

    return (
        plain("lilac", 720) + shadow(220, 806, 110, 20) + shadow(740, 806, 110, 20) + shadow(480, 850, 120, 22)
        + one(210, 0, -7, SUN, SKY, CEDAR, 5) + one(750, 0, 7, TOMATO, LEAF, BEECH, 9) + one(480, 36, 0, TEAL, PLUM, "#C98D55", 12)
    )


# Canicas --------------------------------------------------------------------------------------------------------

MARBLES = (
    (TOMATO, SUN), (SKY, WHITE), (LEAF, SUN), (PLUM, PINK), (ORANGE, WHITE), (TEAL, SUN), (PINK, TOMATO), (SUN, TOMATO), (SKY, LEAF),
)


def marble(cx: float, cy: float, radius: float, pair: tuple[str, str], turn: float = 0) -> str:
    """A glass marble: tinted glass, a twisted ribbon within, a hard glint and a glow where the light leaves."""
    r, (one, two) = radius, pair
    glass = mix(lighter(one, 0.62), "#A9DAD3", 0.4)

    def twist(size: float, bend: float) -> Path:
        k = r * size
        a, b = (cx - k * 0.84, cy + k * 0.3), (cx + k * 0.84, cy - k * 0.3)
        over = ((cx - k * 0.5, cy - k * bend), (cx + k * 0.2, cy + k * 0.2), b)
        under = ((cx + k * 0.5, cy + k * bend), (cx - k * 0.2, cy - k * 0.2), a)
        return Path((("M", (a,)), ("C", over), ("C", under), ("Z", ())))

    ribbons = fill(twist(1.02, 0.95), one) + fill(twist(0.78, 0.5).turn(24, (cx, cy)), two) + fill(twist(0.5, 0.36).turn(-8, (cx, cy)), darker(one, 0.2))
    return (
        solid(circle(cx, cy, r), glass, group(ribbons, turn=turn, about=(cx, cy)), fill(ellipse(cx + r * 0.3, cy + r * 0.5, r * 0.5, r * 0.3), WHITE, 0.25), shade=(-r * 0.16, -r * 0.18), rim=r * 0.05)
        + line(arc((cx, cy), r * 0.93, 10, 90), darker(one, 0.15), r * 0.07, opacity=0.4)
        + gloss((cx - r * 0.62, cy - r * 0.24), (cx - r * 0.22, cy - r * 0.64), -0.16, r * 0.17, 0.85)
        + fill(circle(cx + r * 0.44, cy + r * 0.46, r * 0.08), WHITE, 0.8)
    )


@picture("bolsa-de-canicas-1")
def marbles_bag() -> str:
    bag = twin((480, 330), (600, 326), (650, 366), (706, 520), (740, 660), (690, 780), (480, 800))
    neck = twin((480, 250), (596, 236), (640, 262), (584, 312), (600, 352), (480, 372), (480, 372))
    heap = "".join(
        marble(x, y, r, MARBLES[n], n * 47) for n, (x, y, r) in enumerate(((400, 236, 54), (560, 240, 52), (480, 222, 60), (440, 280, 50), (530, 286, 48)))
    )
    around = "".join(marble(x, y, r, MARBLES[n + 3], n * 61) for n, (x, y, r) in enumerate(((196, 770, 62), (286, 822, 44), (790, 790, 56), (842, 726, 38))))
    label = box(396, 500, 168, 168, r=26)
    return (
        plain("sand", 720) + shadow(480, 800, 300, 44) + shadow(230, 836, 120, 20) + shadow(810, 842, 100, 18)
        + fill(ellipse(480, 270, 150, 40), darker("#C9A87A", 0.4)) + heap
        + solid(neck, "#D9BD90", line(curve((380, 270), (400, 310), (396, 350)), darker("#D9BD90", 0.15), 5), line(curve((470, 300), (476, 330), (474, 360)), darker("#D9BD90", 0.15), 5), line(curve((570, 280), (550, 310), (560, 350)), darker("#D9BD90", 0.15), 5), shade=(-18, -10))
        + heap_front()
        + solid(bag, "#D9BD90", weave(), line(curve((330, 420), (300, 560), (320, 700)), darker("#D9BD90", 0.13), 6), line(curve((640, 440), (668, 580), (640, 720)), darker("#D9BD90", 0.13), 6), shade=(-40, -26), rim=6)
        + rope(curve((352, 344), (420, 366), (480, 370), (550, 366), (610, 344)), TOMATO, 13, 10)
        + rope(curve((560, 362), (640, 400), (690, 380), (720, 440)), TOMATO, 11, 9) + bead(722, 450, 18, TOMATO)
        + solid(label, CREAM, shade=(-8, -8), rim=3) + stitches(box(408, 512, 144, 144, r=18), TOMATO, 4)
        + marble(480, 566, 44, MARBLES[1], 20) + fill(words("50", 480, 648, 44, 700), COCOA)
        + around
    )


def heap_front() -> str:
    """Two marbles that look over the rim."""
    return marble(436, 262, 50, MARBLES[5], 70) + marble(522, 262, 54, MARBLES[7], 15)


def weave() -> str:
    """Canvas threads."""
    chance = Random(5)
    marks = ""
    for _ in range(90):
        x, y = chance.uniform(220, 740), chance.uniform(320, 800)
        marks += line(poly((x, y), (x + 18, y), closed=False), darker("#D9BD90", 0.1), 4, opacity=0.6)
    return marks


@picture("bolsa-de-canicas-2")
def marbles_game() -> str:
    ring = ellipse(480, 500, 330, 322)
    chalk = line(ring, WHITE, 16, dash="60 9 24 7 90 11", opacity=0.85) + line(ring.move(5, 4), WHITE, 6, dash="20 14", opacity=0.6)
    spots = ((480, 470, 92), (352, 420, 56), (600, 380, 54), (410, 590, 54), (590, 580, 58), (500, 300, 50), (300, 560, 46), (690, 490, 48))
    field = "".join(cast(circle(x, y, r * 0.96), 16, 22, 9, 0.35) + marble(x, y, r, MARBLES[n], n * 53) for n, (x, y, r) in enumerate(spots))
    shooter = cast(circle(800, 800, 80), 16, 22, 9, 0.35) + marble(800, 800, 82, MARBLES[8], 30)
    trail = line(curve((690, 700), (650, 662), (622, 632)), WHITE, 9, dash="26 20", opacity=0.9)
    pebbles = "".join(fill(circle(x, y, r), "#A9865E", 0.6) for x, y, r in ((90, 120, 9), (160, 84, 6), (870, 180, 8), (120, 850, 10), (190, 890, 6), (900, 560, 6), (60, 480, 7)))
    return fill(box(0, 0, 960, 960), "#CFAE82") + fill(ring, "#C6A274") + pebbles + chalk + field + trail + shooter


@picture("bolsa-de-canicas-3")
def marbles_detail() -> str:
    return (
        plain("sky", 560) + shadow(330, 742, 260, 50) + shadow(690, 812, 190, 36) + shadow(690, 420, 150, 26)
        + marble(706, 290, 130, MARBLES[3], -24) + marble(340, 480, 270, MARBLES[0], 12) + marble(700, 660, 168, MARBLES[1], 62)
    )


# Cometa ---------------------------------------------------------------------------------------------------------

KITE = (TOMATO, SUN, TEAL, SKY, PINK, ORANGE)


def kite(cx: float, cy: float, radius: float) -> str:
    """The six-sided kite seen from below."""
    hexagon = ngon(cx, cy, radius, 6, radius * 0.04, turn=-90)
    gores = "".join(
        solid(poly((cx, cy), polar((cx, cy), radius, -90 + 60 * n), polar((cx, cy), radius, -30 + 60 * n), r=2), KITE[n], shade=(-radius * 0.03, -radius * 0.04), rim=0) for n in range(6)
    )
    inner = "".join(fill(poly((cx, cy), polar((cx, cy), radius * 0.46, -90 + 60 * n), polar((cx, cy), radius * 0.46, -30 + 60 * n)), lighter(KITE[(n + 3) % 6], 0.12)) for n in range(6))
    sticks = "".join(line(poly(polar((cx, cy), radius, a), polar((cx, cy), radius, a + 180), closed=False), CEDAR, 9) for a in (-90, -30, 30))
    fringe = "".join(
        fill(poly((x - 12, y), (x + 12, y), (x, y + 30), r=3).turn(a, (x, y)), WHITE, 0.95)
        for (x, y), a in ngon(cx, cy, radius, 6, 4).turn(180, (cx, cy)).sample(43)[:-1]
    )
    return (
        fringe + clip(hexagon, gores, inner) + sticks + line(hexagon, CREAM, 8)
        + solid(circle(cx, cy, radius * 0.09), WHITE, shade=(-4, -4), rim=2) + fill(circle(cx, cy, radius * 0.04), TOMATO)
    )


def tail(path: Path, bows: int, size: float, skip: int = 1) -> str:
    """A string with rag bows."""
    parts = [line(path, WHITE, 8), line(path, darker(CREAM, 0.2), 3)]
    for index, ((x, y), angle) in enumerate(path.sample(bows + skip)[skip:]):
        parts.append(group(bow(x, y, size, KITE[index % 6]), turn=angle - 90, about=(x, y)))
    return "".join(parts)


def bow(x: float, y: float, size: float, colour: str) -> str:
    """A rag tied in a knot."""
    s = size
    left = poly((x, y), (x - s, y - s * 0.5), (x - s * 0.9, y + s * 0.52), r=s * 0.14)
    right = poly((x, y), (x + s, y - s * 0.46), (x + s * 0.94, y + s * 0.5), r=s * 0.14)
    return solid(left, colour, shade=(-4, -5), rim=2) + solid(right, colour, shade=(-5, -6), rim=2) + fill(ellipse(x, y, s * 0.22, s * 0.3), darker(colour, 0.2))


@picture("Cometa de agosto (armada)")
def kite_made() -> str:
    rag = curve((420, 640), (400, 740), (500, 790), (620, 760), (730, 790), (800, 860))
    return halo("sky", cy=410, radius=372) + tail(rag, 6, 36) + group(cast(ngon(470, 390, 290, 6), 16, 24, 12, 0.25), kite(470, 390, 292), turn=-9, about=(470, 390))


@picture("Cometa de agosto (volando)")
def kite_flying() -> str:
    cord = curve((600, 340), (470, 520), (300, 700), (196, 800))
    rag = curve((690, 470), (760, 520), (730, 600), (800, 650), (780, 730))
    child = (
        fill(ellipse(186, 866, 60, 14), "#7C9A5B", 0.7)
        + solid(twin((186, 806), (214, 812), (222, 862), (186, 868), x=186), TOMATO, shade=(-8, -4), rim=3)
        + solid(circle(186, 788, 28), "#B97F56", shade=(-6, -6), rim=0)
        + solid(twin_poly((186, 744), (238, 782), (186, 786), x=186, r=8), "#E9CF9A", shade=(-5, -4), rim=2)
    )
    return andes() + cloud(180, 220, 90) + cloud(820, 180, 66) + cloud(860, 520, 50, opacity=0.85) + line(cord, WHITE, 5) + child + tail(rag, 5, 26) + group(kite(600, 300, 208), turn=18, about=(600, 300))


@picture("Cometa de agosto (carrete y cola)")
def kite_reel() -> str:
    reel = (
        cast(box(206, 300, 330, 360, r=30), 14, 20, 12, 0.3)
        + solid(box(346, 170, 54, 620, r=26), BEECH, grain((346, 170, 400, 790), BEECH, 6, 3, upright=True), shade=(-12, 0), rim=5)
        + solid(box(200, 280, 346, 60, r=28), CEDAR, grain((200, 280, 546, 340), CEDAR, 9, 3), shade=(-10, -14), rim=5)
        + solid(box(200, 620, 346, 60, r=28), CEDAR, grain((200, 620, 546, 680), CEDAR, 12, 3), shade=(-10, -14), rim=5)
        + solid(box(238, 330, 270, 300, r=44), WHITE, "".join(line(curve((230, 344 + n * 20), (372, 336 + n * 20 + (8 if n % 2 else -6)), (516, 350 + n * 20)), "#DCC9A5", 5) for n in range(15)), shade=(-30, -16), rim=5)
    )
    free = rope(curve((500, 600), (600, 560), (640, 640), (560, 760), (640, 850), (800, 880)), WHITE, 8, 7)
    rag = curve((640, 40), (760, 140), (680, 280), (780, 400), (730, 540), (800, 660))
    return flat("mint") + free + reel + tail(rag, 5, 74, skip=0)



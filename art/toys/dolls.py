"""Muñecas y títeres: the rag doll, the sleeping baby, the puppet theatre, finger puppets."""

from art.colour import CEDAR, COCOA, CREAM, INK, OAK, ORANGE, PINK, PLUM, SUN, TEAL, TOMATO, TOMATO_DARK, WHITE, darker, lighter
from art.faces import asleep, cheeks, eye, eyes, muzzle_smile, smile
from art.gallery import picture
from art.lettering import face, words
from art.materials import daisy, grain, knit, stitches
from art.nature import palm
from art.paint import clip, fill, flip, group, line, shadow, solid
from art.scenes import closed_below, flat, halo, plain
from art.shapes import Path, Point, arc, blob, box, capsule, circle, curve, ellipse, furry, heart, leaf, poly, sector, star, twin, twin_poly

import math
from random import Random

SKIN, HAIR, DRESS = "#DDA177", "#4B2E24", "#2B86A8"

# Lucero ---------------------------------------------------------------------------------------------------------


def braid(path: Path, links: int, size: float, colour: str) -> str:
    """Yarn in three strands, seen as overlapping links."""
    parts = []
    for index, ((x, y), angle) in enumerate(path.sample(links)):
        side = 20 if index % 2 else -20
        link = ellipse(x, y, size, size * 0.66).turn(angle + side, (x, y))
        parts.append(solid(link, colour, *(line(curve((x - size * 0.7, y + d), (x, y + d - 3), (x + size * 0.7, y + d)).turn(angle + side, (x, y)), lighter(colour, 0.16), 3) for d in (-size * 0.25, size * 0.1)), shade=(-4, -5), rim=2))
    return "".join(parts)


def ribbon(x: float, y: float, size: float, colour: str = TOMATO) -> str:
    """A tied bow."""
    s = size
    loop = blob((x, y), (x + s * 0.5, y - s * 0.5), (x + s, y - s * 0.3), (x + s * 0.96, y + s * 0.36), (x + s * 0.4, y + s * 0.34))
    end = poly((x - 4, y), (x + s * 0.3, y + s * 0.2), (x + s * 0.62, y + s * 0.98), (x + s * 0.2, y + s * 0.9), r=6)
    half = solid(end, darker(colour, 0.1), shade=(-4, -4), rim=0) + solid(loop, colour, shade=(-6, -6), rim=3)
    return half + flip(half, x=x) + solid(ellipse(x, y, s * 0.2, s * 0.25), darker(colour, 0.08), shade=(-3, -3), rim=2)


def lucero_head() -> str:
    """Face and hair about (480, 300)."""
    back = solid(twin((480, 132), (610, 168), (654, 290), (636, 380), (560, 390), (480, 380)), HAIR, shade=(-14, -14), rim=4)
    face = solid(twin((480, 160), (590, 190), (632, 310), (580, 416), (480, 446)), SKIN, shade=(-18, -20), rim=5)
    fringe = twin((480, 128), (600, 160), (650, 290), (622, 330), (590, 236), (500, 208), (480, 236))
    strands = "".join(line(curve((480 + d * 8, 140), (480 + d * 60, 170), (480 + d * 118, 300)), lighter(HAIR, 0.14), 4) + line(curve((480 + d * 8, 140), (480 + d * 34, 176), (480 + d * 70, 230)), lighter(HAIR, 0.14), 4) for d in (-1, 1))
    part = line(curve((480, 130), (481, 180), (480, 228)), darker(HAIR, 0.3), 4)
    return (
        back + face
        + eyes(480, 318, 116, 17, COCOA) + "".join(line(arc((480 + d * 60, 296), 30, 215, 325), HAIR, 5) for d in (-1, 1))
        + fill(poly((470, 352), (490, 352), (480, 368), r=4), TOMATO) + smile(480, 384, 76, 24, TOMATO_DARK, 7)
        + "".join(line(poly((480 + d * 38, 378), (480 + d * 42, 390), closed=False), TOMATO_DARK, 5) for d in (-1, 1))
        + cheeks(480, 366, 176, 26, TOMATO, 0.42)
        + solid(fringe, HAIR, strands, part, shade=(-10, -12), rim=4)
    )


def braids() -> str:
    """Both braids with their bows."""
    side = braid(curve((634, 352), (664, 420), (672, 500), (668, 560)), 8, 30, HAIR) + fill(leaf((668, 572), (664, 640), 44), HAIR) + ribbon(668, 566, 40)
    return side + flip(side)


def flowers_on(shape: Path, seed: int, petal: str = CREAM, heart: str = SUN, count: int = 22, size: float = 20) -> str:
    """A flowered print; clip it to the cloth."""
    chance = Random(seed)
    left, top, right, bottom = shape.bounds()
    spots: list[Point] = []
    while len(spots) < count:
        spot = (chance.uniform(left, right), chance.uniform(top, bottom))
        if all(math.dist(spot, other) > size * 2.1 for other in spots) or chance.random() < 0.02:
            spots.append(spot)
    return "".join(daisy(x, y, size * (0.8 if n % 3 else 1), petal if n % 4 else PINK, heart, turn=n * 17) for n, (x, y) in enumerate(spots))


def lucero_dress() -> str:
    """Dress and apron about the doll's waist."""
    skirt = twin((480, 470), (548, 476), (566, 540), (690, 740), (600, 768), (480, 776))
    apron = twin((480, 566), (540, 570), (590, 716), (540, 736), (480, 738))
    sleeve = blob((540, 470), (610, 478), (650, 530), (610, 566), (560, 540))
    collar = blob((480, 452), (540, 452), (556, 486), (510, 506), (480, 480))
    puff = solid(sleeve, DRESS, flowers_on(sleeve, 9, count=6, size=13), shade=(-10, -10), rim=4)
    neck = solid(collar, CREAM, shade=(-5, -6), rim=3) + stitches(curve((486, 488), (516, 498), (546, 480)), TOMATO, 3, 8, 7)
    heart_pocket = solid(heart(480, 662, 58), TOMATO, shade=(-5, -6), rim=0) + line(heart(480, 662, 46), CREAM, 3, dash="7 6")
    return (
        puff + flip(puff)
        + solid(skirt, DRESS, flowers_on(skirt, 4, count=40), line(curve((250, 752), (380, 778), (480, 782), (580, 778), (710, 752)), SUN, 22), shade=(-30, -16), rim=5)
        + line(curve((420, 556), (480, 566), (540, 556)), CREAM, 18) + solid(apron, CREAM, heart_pocket, stitches(curve((388, 704), (440, 726), (480, 728), (520, 726), (572, 704)), TOMATO, 4), shade=(-14, -8), rim=3)
        + neck + flip(neck)
    )


def lucero() -> str:
    """The doll standing."""
    arm = solid(blob((606, 528), (650, 540), (700, 640), (704, 690), (660, 700), (620, 620)), SKIN, shade=(-12, -8), rim=4)
    leg = (
        solid(box(498, 744, 60, 90, r=12), CREAM, *(fill(box(490, y, 80, 12), TOMATO) for y in (768, 792, 816)), shade=(-12, 0), rim=3)
        + solid(blob((492, 824), (560, 820), (606, 848), (596, 872), (500, 872)), TOMATO, shade=(-8, -10), rim=4) + line(curve((500, 838), (528, 846), (556, 836)), darker(TOMATO, 0.22), 5)
    )
    return arm + flip(arm) + leg + flip(leg) + lucero_dress() + braids() + lucero_head()


@picture("Muñeca Lucero (frente)")
def doll_front() -> str:
    return plain("rose", 740) + shadow(480, 868, 250, 32) + group(lucero(), move=(0, -8), size=1.02, about=(480, 500))


@picture("Muñeca Lucero (ropero)")
def doll_wardrobe() -> str:
    rail = line(poly((470, 200), (900, 200), closed=False), CEDAR, 20) + "".join(line(poly((x, 200), (x + d, 800), closed=False), CEDAR, 20) for x, d in ((500, -24), (870, 24)))

    def hanger(x: float) -> str:
        return line(curve((x, 206), (x + 12, 222), (x, 236)), "#8A6A4C", 7) + line(poly((x - 56, 276), (x, 236), (x + 56, 276), closed=False), "#8A6A4C", 9)

    dress = twin_poly((604, 268), (640, 330), (690, 520), (580, 536), x=580, r=16)
    ruana = poly((700, 262), (740, 250), (790, 262), (850, 500), (640, 500), r=14)
    clothes = (
        hanger(580) + solid(dress, SUN, flowers_on(dress, 21, WHITE, TOMATO, 14, 15), shade=(-14, -10), rim=4) + line(curve((540, 372), (580, 382), (620, 372)), TOMATO, 10)
        + hanger(745) + solid(ruana, PLUM, *(fill(box(600, y, 300, 18), c) for y, c in ((330, SUN), (366, CREAM), (420, TOMATO), (456, SUN))), shade=(-16, -10), rim=4)
        + "".join(line(poly((x, 500), (x, 526), closed=False), PLUM, 6) for x in range(648, 846, 16))
        + solid(ellipse(800, 176, 92, 24), "#E8CE97", shade=(-6, -6), rim=3) + solid(twin((800, 96), (846, 106), (850, 170), (800, 178), x=800), "#E8CE97", fill(box(740, 144, 120, 22), TOMATO), shade=(-8, -6), rim=3)
    )
    legs = "".join(solid(capsule((480 + d * 40, 748), (480 + d * 96, 806), 56), CREAM, shade=(-8, -8), rim=3) + solid(ellipse(480 + d * 118, 822, 54, 36), TOMATO, shade=(-8, -9), rim=4) for d in (-1, 1))
    arm = solid(blob((606, 528), (650, 540), (700, 640), (704, 690), (660, 700), (620, 620)), SKIN, shade=(-12, -8), rim=4)
    sitting = group(arm, flip(arm), legs, lucero_dress(), braids(), lucero_head(), move=(-200, 60), size=0.86, about=(480, 700))
    return plain("mint", 720) + shadow(690, 812, 210, 22) + shadow(290, 872, 220, 28) + rail + clothes + sitting


@picture("Muñeca Lucero (detalle)")
def doll_face() -> str:
    return flat("rose") + group(lucero(), move=(0, 170), size=2.15, about=(480, 330))


# Bebé dormilón --------------------------------------------------------------------------------------------------


def baby_cap(cx: float, cy: float, r: float) -> str:
    """A knitted cap with a pompom."""
    cap = twin((cx, cy - r * 1.24), (cx + r * 0.76, cy - r * 0.96), (cx + r * 1.06, cy - r * 0.1), (cx, cy - r * 0.34), x=cx)
    brim = blob((cx - r * 1.1, cy - r * 0.2), (cx, cy - r * 0.58), (cx + r * 1.1, cy - r * 0.2), (cx + r * 1.04, cy + r * 0.04), (cx, cy - r * 0.3), (cx - r * 1.04, cy + r * 0.04))
    pompom = furry(circle(cx + r * 0.1, cy - r * 1.32, r * 0.26), 14, r * 0.08)
    return (
        solid(cap, TEAL, knit(cap.bounds(), darker(TEAL, 0.3), r * 0.15), shade=(-r * 0.1, -r * 0.1), rim=4)
        + solid(pompom, CREAM, shade=(-r * 0.05, -r * 0.05), rim=3)
        + solid(brim, CREAM, knit(brim.bounds(), "#D8C7A6", r * 0.13), shade=(-r * 0.05, -r * 0.06), rim=3)
    )


def baby_head(cx: float, cy: float, r: float) -> str:
    """Fast asleep."""
    return (
        solid(ellipse(cx, cy, r, r * 0.94), "#E7B68E", shade=(-r * 0.1, -r * 0.11), rim=4)
        + asleep(cx, cy + r * 0.14, r * 0.86, r * 0.19, COCOA, r * 0.045) + fill(ellipse(cx, cy + r * 0.32, r * 0.07, r * 0.05), darker("#E7B68E", 0.2))
        + smile(cx, cy + r * 0.48, r * 0.28, r * 0.1, TOMATO_DARK, r * 0.05) + cheeks(cx, cy + r * 0.36, r * 1.16, r * 0.17, TOMATO, 0.34)
        + baby_cap(cx, cy, r)
        + line(curve((cx - r * 0.02, cy - r * 0.32), (cx + r * 0.1, cy - r * 0.2), (cx + r * 0.01, cy - r * 0.1), (cx - r * 0.05, cy - r * 0.16)), HAIR, r * 0.045)
    )


def woven(area: Path, base: str, bands: tuple[tuple[str, float], ...], step: float, slope: float = 0) -> str:
    """Stripes of a ruana across an area; clip it."""
    left, top, right, bottom = area.bounds()
    parts, y, index = "", top - abs(slope) * (right - left), 0
    while y < bottom + step:
        colour, share = bands[index % len(bands)]
        parts += line(poly((left - 20, y), (right + 20, y + slope * (right - left)), closed=False), colour, step * share, cap="butt")
        y, index = y + step, index + 1
    return fill(area, base) + parts


RUANA = ((SUN, 0.5), (CREAM, 0.22), (TOMATO, 0.6), (CREAM, 0.22), (TEAL, 0.5), (CREAM, 0.22))


@picture("bebe-dormilon-1")
def baby_wrapped() -> str:
    wrap = twin((480, 400), (620, 430), (690, 580), (650, 760), (560, 836), (480, 848))
    fold = poly((330, 440), (480, 520), (640, 430), (700, 560), (510, 700), (316, 780), (296, 600), r=60)
    fringe = "".join(line(poly(p, (p[0] + 16, p[1] + 26), closed=False), PLUM, 6) for p, _ in curve((340, 782), (430, 744), (520, 700), (610, 640), (690, 574)).sample(20))
    return (
        plain("sky", 730) + shadow(480, 846, 250, 34)
        + solid(wrap, PLUM, woven(wrap, "#7C4C97", RUANA, 52, -0.12), shade=(-34, -20), rim=6)
        + fringe + solid(fold, "#7C4C97", woven(fold, "#7C4C97", RUANA, 46, -0.5), shade=(-18, -20), rim=5)
        + baby_head(480, 330, 186)
        + solid(ellipse(566, 566, 44, 36), "#E7B68E", *(line(curve((546 + n * 18, 548), (548 + n * 18, 566)), darker("#E7B68E", 0.2), 4) for n in range(3)), shade=(-6, -7), rim=3)
    )


@picture("bebe-dormilon-2")
def baby_basket() -> str:
    basket = poly((120, 500), (840, 500), (776, 800), (184, 800), r=(30, 30, 110, 110))
    weave_ = ""
    for row in range(7):
        for column in range(15):
            x, y = 110 + column * 52 + (26 if row % 2 else 0), 540 + row * 42
            weave_ += line(curve((x, y), (x + 24, y - 9), (x + 48, y)), "#A8763F" if (row + column) % 2 else "#E0B478", 24)
    rim = "".join(line(curve((110 + n * 38, 516), (128 + n * 38, 488), (158 + n * 38, 500)), "#B9864A", 22) for n in range(19))
    handle = line(arc((480, 500), 330, 184, 356), "#9A6B38", 40) + line(arc((480, 500), 330, 184, 356), "#C99555", 30) + line(arc((480, 500), 330, 184, 356), "#9A6B38", 28, dash="6 24", cap="butt")
    blanket = blob((380, 440), (560, 400), (740, 430), (810, 500), (700, 560), (420, 560))
    zzz = fill(words("z", 640, 300, 90, 600), PLUM, 0.8) + fill(words("z", 706, 230, 66, 600), PLUM, 0.6) + fill(words("z", 756, 176, 48, 600), PLUM, 0.45)
    return (
        plain("butter", 720) + shadow(480, 806, 360, 44) + handle
        + fill(ellipse(480, 506, 350, 60), "#8A5F33")
        + solid(ellipse(320, 470, 190, 80), WHITE, shade=(-12, -14), rim=4) + group(baby_head(310, 420, 130), turn=-64, about=(310, 420))
        + solid(blanket, PLUM, woven(blanket, "#7C4C97", RUANA, 40, 0.18), shade=(-14, -18), rim=5)
        + solid(basket, "#C99555", weave_, shade=(-34, -26), rim=0) + rim + zzz
    )


@picture("bebe-dormilon-3")
def baby_face() -> str:
    wrap = ellipse(480, 980, 460, 300)
    return flat("sky") + solid(wrap, PLUM, woven(wrap, "#7C4C97", RUANA, 84, -0.1), shade=(-20, -20), rim=8) + baby_head(480, 530, 340)


# Teatro ---------------------------------------------------------------------------------------------------------


def dragon(x: float, y: float, s: float) -> str:
    """A green glove puppet; (x, y) is the bottom of its skirt."""
    green = "#58A552"
    robe = twin((x, y - s * 1.1), (x + s * 0.34, y - s * 1.0), (x + s * 0.46, y), (x, y + s * 0.02), x=x)
    arm = solid(blob((x + s * 0.24, y - s * 0.9), (x + s * 0.6, y - s * 0.96), (x + s * 0.72, y - s * 0.8), (x + s * 0.3, y - s * 0.64)), green, shade=(-4, -5), rim=3)
    spikes = "".join(solid(poly((x + dx * s - s * 0.1, y + dy * s), (x + dx * s + s * 0.12, y + dy * s), (x + dx * s + s * 0.03, y + dy * s - s * 0.22), r=s * 0.03), ORANGE, shade=(-3, -3), rim=0) for dx, dy in ((-0.06, -1.92), (0.16, -1.9), (0.34, -1.76)))
    head = blob((x - s * 0.3, y - s * 1.84), (x + s * 0.26, y - s * 1.94), (x + s * 0.48, y - s * 1.5), (x + s * 0.3, y - s * 1.06), (x - s * 0.2, y - s * 1.08), (x - s * 0.64, y - s * 1.18), (x - s * 0.74, y - s * 1.44), (x - s * 0.44, y - s * 1.56))
    return (
        solid(robe, green, fill(twin((x, y - s * 0.9), (x + s * 0.22, y - s * 0.84), (x + s * 0.26, y), (x, y), x=x), "#DCE7A5"), *(line(curve((x - s * 0.22, y - s * h), (x, y - s * (h - 0.04)), (x + s * 0.22, y - s * h)), "#B9CB78", 4) for h in (0.7, 0.5, 0.3, 0.12)), shade=(-s * 0.07, 0), rim=4)
        + arm + flip(arm, x=x) + spikes + solid(head, green, shade=(-s * 0.08, -s * 0.08), rim=4)
        + "".join(fill(ellipse(x - s * n, y - s * 1.42, s * 0.035, s * 0.05), darker(green, 0.4)) for n in (0.64, 0.5))
        + line(curve((x - s * 0.68, y - s * 1.24), (x - s * 0.4, y - s * 1.16), (x - s * 0.06, y - s * 1.28)), darker(green, 0.45), s * 0.045)
        + fill(poly((x - s * 0.5, y - s * 1.21), (x - s * 0.4, y - s * 1.2), (x - s * 0.46, y - s * 1.1), r=2), WHITE)
        + fill(circle(x - s * 0.08, y - s * 1.6, s * 0.14), WHITE) + eye(x - s * 0.1, y - s * 1.59, s * 0.09, INK) + fill(ellipse(x + s * 0.1, y - s * 1.34, s * 0.1, s * 0.07), TOMATO, 0.4)
    )


def princess(x: float, y: float, s: float) -> str:
    """A glove puppet with a paper crown; (x, y) is the bottom of her skirt."""
    robe = twin((x, y - s * 1.1), (x + s * 0.3, y - s * 1.0), (x + s * 0.5, y), (x, y + s * 0.02), x=x)
    arm = solid(blob((x + s * 0.2, y - s * 0.94), (x + s * 0.6, y - s * 1.0), (x + s * 0.62, y - s * 0.78), (x + s * 0.28, y - s * 0.64)), PINK, shade=(-4, -5), rim=3) + solid(circle(x + s * 0.68, y - s * 0.9, s * 0.11), SKIN, shade=(-3, -3), rim=2)
    hair = twin((x, y - s * 1.92), (x + s * 0.5, y - s * 1.7), (x + s * 0.5, y - s * 1.06), (x + s * 0.3, y - s * 1.0), (x, y - s * 1.2), x=x)
    face = twin((x, y - s * 1.8), (x + s * 0.36, y - s * 1.64), (x + s * 0.36, y - s * 1.28), (x, y - s * 1.04), x=x)
    fringe = blob((x - s * 0.44, y - s * 1.36), (x - s * 0.36, y - s * 1.78), (x, y - s * 1.92), (x + s * 0.36, y - s * 1.78), (x + s * 0.44, y - s * 1.36), (x + s * 0.2, y - s * 1.64), (x - s * 0.1, y - s * 1.62))
    crown = poly((x - s * 0.3, y - s * 1.82), (x - s * 0.34, y - s * 2.16), (x - s * 0.14, y - s * 2.0), (x, y - s * 2.24), (x + s * 0.14, y - s * 2.0), (x + s * 0.34, y - s * 2.16), (x + s * 0.3, y - s * 1.82), r=s * 0.03)
    return (
        solid(hair, "#7A3F2A", shade=(-s * 0.06, -s * 0.06), rim=3)
        + solid(robe, PINK, *(fill(star(x + dx * s, y + dy * s, s * 0.09, s * 0.04, 5), CREAM) for dx, dy in ((-0.2, -0.3), (0.16, -0.5), (0.3, -0.16), (-0.06, -0.72), (0.02, -0.1))), line(curve((x - s * 0.5, y - s * 0.05), (x, y), (x + s * 0.5, y - s * 0.05)), SUN, s * 0.08), shade=(-s * 0.08, 0), rim=4)
        + arm + flip(arm, x=x) + solid(face, SKIN, shade=(-s * 0.06, -s * 0.07), rim=3)
        + eyes(x, y - s * 1.4, s * 0.34, s * 0.055, COCOA) + smile(x, y - s * 1.24, s * 0.2, s * 0.07, TOMATO_DARK, s * 0.035) + cheeks(x, y - s * 1.28, s * 0.5, s * 0.075)
        + solid(fringe, "#7A3F2A", shade=(-s * 0.03, -s * 0.03), rim=0) + solid(crown, SUN, *(fill(circle(x + d * s * 0.17, y - s * 1.92, s * 0.045), TOMATO) for d in (-1, 0, 1)), shade=(-4, -4), rim=3)
    )


def curtain(x: float, top: float, width: float, height: float) -> str:
    """A gathered red drape tied to the left."""
    shape = blob((x, top), (x + width, top), (x + width * 0.86, top + height * 0.4), (x + width * 0.34, top + height * 0.68), (x + width * 0.56, top + height), (x, top + height), ease=0.7)
    folds = "".join(line(curve((x + width * u, top), (x + width * u * 0.8, top + height * 0.4), (x + width * u * 0.36, top + height * 0.68)), darker(TOMATO, 0.2), 7) for u in (0.22, 0.44, 0.66, 0.86))
    return solid(shape, TOMATO, folds, shade=(-14, -10), rim=4) + line(curve((x, top + height * 0.64), (x + width * 0.2, top + height * 0.7), (x + width * 0.38, top + height * 0.67)), SUN, 16)


def valance(left: float, right: float, top: float, depth: float, count: int) -> str:
    """Scalloped edge over the stage."""
    step = (right - left) / count
    return "".join(solid(sector((left + step * (n + 0.5), top), step * 0.52, 0, 0, 180).size(1, depth / (step * 0.52), (0, top)), TOMATO if n % 2 else SUN, shade=(-5, -6), rim=2) for n in range(count))


def stage(x: float, top: float, width: float, height: float) -> str:
    """The opening with its painted backdrop."""
    opening = box(x, top, width, height)
    hills = closed_below(curve((x - 20, top + height * 0.74), (x + width * 0.3, top + height * 0.6), (x + width * 0.66, top + height * 0.78), (x + width + 20, top + height * 0.62)))
    return clip(opening, fill(opening, "#3B4F86"), fill(circle(x + width * 0.76, top + height * 0.26, width * 0.07), "#FBE7A8"), *(fill(star(x + width * u, top + height * v, 10, 4.4, 5), "#FBE7A8") for u, v in ((0.24, 0.2), (0.4, 0.34), (0.54, 0.16), (0.88, 0.46), (0.14, 0.44))), fill(hills, "#3F7F62"))


def theatre() -> str:
    """The whole booth."""
    roof = poly((480, 80), (800, 224), (160, 224), r=18)
    body = box(180, 216, 600, 620, r=(8, 8, 14, 14))
    stripes = "".join(fill(box(180 + n * 100, 570, 50, 270), lighter(TEAL, 0.16)) for n in range(6))
    board = box(350, 630, 260, 140, r=18)
    return (
        solid(body, TEAL, stripes, shade=(-22, -14), rim=6)
        + stage(230, 260, 500, 300) + dragon(590, 590, 120) + princess(380, 590, 116)
        + curtain(230, 260, 150, 300) + flip(curtain(230, 260, 150, 300)) + valance(222, 738, 258, 50, 9)
        + solid(box(200, 544, 560, 40, r=10), OAK, grain((200, 544, 760, 584), OAK, 3, 3), shade=(0, -10), rim=4)
        + solid(roof, SUN, fill(star(480, 170, 46, 20, 5, 5), TOMATO), *(fill(circle(480 + d * x, y, 11), WHITE) for d in (-1, 1) for x, y in ((110, 196), (180, 206), (250, 212))), shade=(-16, -12), rim=6)
        + solid(board, "#33413F", line(box(350, 630, 260, 140, r=18), OAK, 16), fill(words("Función", 480, 696, 54, 600), WHITE), fill(words("hoy 4 p. m.", 480, 742, 36, 500), "#FBE7A8"), shade=(0, 0), rim=0)
    )


@picture("Teatro de títeres (telón abierto)")
def theatre_open() -> str:
    return plain("lilac", 740) + shadow(480, 836, 360, 40) + theatre()


@picture("Teatro de títeres (función)")
def theatre_show() -> str:
    heads = "".join(solid(circle(x, 920, r), tone, shade=(-8, -8), rim=0) + solid(sector((x, 916), r * 1.04, 0, 180, 360), hair, shade=(-6, -4), rim=0) for x, r, tone, hair in ((150, 90, SKIN, "#3A2A24"), (360, 104, "#B97F56", "#2A201C"), (600, 92, "#EBC09A", "#8A5A33"), (810, 106, SKIN, "#3A2A24")))
    return (
        fill(box(0, 0, 960, 960), TEAL) + stage(90, 90, 780, 640) + dragon(640, 760, 236) + princess(320, 760, 220)
        + "".join(fill(star(x, y, 22, 9, 5), "#FBE7A8") for x, y in ((470, 250), (250, 190), (720, 330)))
        + curtain(80, 80, 220, 660) + flip(curtain(80, 80, 220, 660)) + valance(70, 890, 84, 84, 9)
        + solid(box(-20, 730, 1000, 66), OAK, grain((0, 730, 960, 796), OAK, 3, 4), shade=(0, -14), rim=5) + fill(box(0, 796, 960, 200), darker(TEAL, 0.12)) + heads
    )


@picture("Teatro de títeres (los dos títeres)")
def theatre_puppets() -> str:
    return plain("butter", 740) + shadow(280, 838, 170, 26) + shadow(690, 838, 170, 26) + princess(280, 830, 290) + dragon(710, 830, 300)


# Títeres de dedo ------------------------------------------------------------------------------------------------


def tube(x: float, base: float, w: float, h: float, colour: str) -> str:
    """A crocheted finger body standing on `base`."""
    shape = box(x - w / 2, base - h, w, h, r=(w / 2, w / 2, w * 0.1, w * 0.1))
    return solid(shape, colour, knit(shape.bounds(), darker(colour, 0.26), w * 0.16), line(poly((x - w / 2, base - 5), (x + w / 2, base - 5), closed=False), darker(colour, 0.14), 10), shade=(-w * 0.12, -w * 0.08), rim=4)


def rabbit(x: float, base: float, w: float) -> str:
    """Un conejo."""
    h = w * 1.9
    top = base - h
    ear = "".join(solid(leaf((x + d * w * 0.2, top + w * 0.16), (x + d * w * 0.36, top - w * 0.86), w * 0.3), "#EDE6DC", fill(leaf((x + d * w * 0.22, top), (x + d * w * 0.34, top - w * 0.66), w * 0.13), PINK), shade=(-4, -4), rim=2) for d in (-1, 1))
    return ear + tube(x, base, w, h, "#EDE6DC") + eyes(x, top + w * 0.5, w * 0.44, w * 0.07, INK) + fill(ellipse(x, top + w * 0.66, w * 0.07, w * 0.05), PINK) + muzzle_smile(x, top + w * 0.7, w * 0.2, w * 0.07, COCOA, w * 0.03) + cheeks(x, top + w * 0.66, w * 0.68, w * 0.08, PINK, 0.7)


def fox(x: float, base: float, w: float) -> str:
    """Un zorro."""
    h = w * 1.9
    top = base - h
    coat = "#D9692F"
    ear = "".join(solid(poly((x + d * w * 0.1, top + w * 0.14), (x + d * w * 0.5, top + w * 0.3), (x + d * w * 0.46, top - w * 0.3), r=w * 0.05), coat, fill(poly((x + d * w * 0.24, top + w * 0.1), (x + d * w * 0.43, top + w * 0.18), (x + d * w * 0.41, top - w * 0.12), r=w * 0.03), COCOA), shade=(-4, -4), rim=2) for d in (-1, 1))
    face = blob((x - w * 0.48, top + w * 0.56), (x - w * 0.2, top + w * 0.58), (x, top + w * 0.44), (x + w * 0.2, top + w * 0.58), (x + w * 0.48, top + w * 0.56), (x + w * 0.3, top + w * 0.86), (x, top + w * 0.96), (x - w * 0.3, top + w * 0.86))
    bib = twin((x, base - w * 0.8), (x + w * 0.26, base - w * 0.7), (x + w * 0.2, base - w * 0.2), (x, base - w * 0.1), x=x)
    return ear + tube(x, base, w, h, coat) + clip(box(x - w / 2, top, w, h, r=w / 2), fill(face, CREAM)) + fill(bib, CREAM, 0.9) + eyes(x, top + w * 0.5, w * 0.5, w * 0.07, INK) + fill(ellipse(x, top + w * 0.72, w * 0.1, w * 0.075), INK) + smile(x, top + w * 0.8, w * 0.2, w * 0.07, COCOA, w * 0.03)


def owl(x: float, base: float, w: float) -> str:
    """Un búho."""
    h = w * 1.7
    top = base - h
    wing = solid(leaf((x + w * 0.4, top + w * 0.7), (x + w * 0.52, base - w * 0.2), w * 0.3), darker(PLUM, 0.1), shade=(-4, -4), rim=2)
    ear = "".join(solid(poly((x + d * w * 0.12, top + w * 0.1), (x + d * w * 0.46, top + w * 0.28), (x + d * w * 0.44, top - w * 0.12), r=w * 0.04), PLUM, shade=(-3, -3), rim=0) for d in (-1, 1))
    belly = "".join(line(arc((x + c * w * 0.18, base - w * (0.62 - r * 0.18)), w * 0.09, 10, 170), CREAM, w * 0.035) for r in range(3) for c in (-1, 0, 1))
    return ear + tube(x, base, w, h, PLUM) + belly + wing + flip(wing, x=x) + "".join(solid(circle(x + d * w * 0.22, top + w * 0.46, w * 0.22), CREAM, shade=(-3, -3), rim=0) + eye(x + d * w * 0.2, top + w * 0.47, w * 0.12, INK) for d in (-1, 1)) + fill(poly((x - w * 0.08, top + w * 0.56), (x + w * 0.08, top + w * 0.56), (x, top + w * 0.74), r=w * 0.02), SUN)


def frog_finger(x: float, base: float, w: float) -> str:
    """Una rana."""
    h = w * 1.6
    top = base - h
    green = "#63A94F"
    return (
        tube(x, base, w, h, green) + "".join(solid(circle(x + d * w * 0.26, top + w * 0.06, w * 0.2), green, shade=(-4, -4), rim=2) + fill(circle(x + d * w * 0.26, top + w * 0.03, w * 0.14), WHITE) + eye(x + d * w * 0.25, top + w * 0.04, w * 0.085, INK) for d in (-1, 1))
        + smile(x, top + w * 0.46, w * 0.6, w * 0.2, darker(green, 0.5), w * 0.04) + cheeks(x, top + w * 0.42, w * 0.78, w * 0.08, PINK, 0.8) + fill(twin((x, base - w * 0.7), (x + w * 0.26, base - w * 0.6), (x + w * 0.22, base - w * 0.14), (x, base - w * 0.08), x=x), "#D7E7A0", 0.9)
    )


def armadillo(x: float, base: float, w: float) -> str:
    """Un armadillo."""
    h = w * 1.7
    top = base - h
    grey = "#A3958C"
    shape = box(x - w / 2, top, w, h, r=w / 2)
    bands = "".join(fill(Path((*curve((x - w * 0.6, y), (x, y + w * 0.1), (x + w * 0.6, y)).parts, ("L", ((x + w * 0.6, y + w * 0.09),)), *(("L", (p,)) for p in ((x, y + w * 0.19), (x - w * 0.6, y + w * 0.09))), ("Z", ()))), "#7D6F67") for y in (base - w * 0.92, base - w * 0.68, base - w * 0.44, base - w * 0.2))
    ear = "".join(solid(leaf((x + d * w * 0.2, top + w * 0.18), (x + d * w * 0.36, top - w * 0.34), w * 0.28), grey, fill(leaf((x + d * w * 0.22, top + w * 0.08), (x + d * w * 0.34, top - w * 0.22), w * 0.12), PINK), shade=(-3, -3), rim=2) for d in (-1, 1))
    muzzle = twin((x, top + w * 0.4), (x + w * 0.24, top + w * 0.5), (x + w * 0.16, top + w * 0.78), (x, top + w * 0.82), x=x)
    return ear + tube(x, base, w, h, grey) + clip(shape, bands) + solid(muzzle, "#E3D2C4", shade=(-4, -4), rim=0) + eyes(x, top + w * 0.42, w * 0.52, w * 0.07, INK) + fill(ellipse(x, top + w * 0.72, w * 0.08, w * 0.055), INK) + cheeks(x, top + w * 0.6, w * 0.72, w * 0.07, PINK, 0.7)


@picture("titeres-de-dedo-1")
def finger_five() -> str:
    xs = (150, 316, 480, 644, 810)
    return (
        plain("sand", 690)
        + group("".join(shadow(x, 716 + (n % 2) * 50, 84, 16) for n, x in enumerate(xs)), rabbit(150, 716, 140), owl(480, 716, 150), armadillo(810, 716, 144), fox(316, 766, 146), frog_finger(644, 766, 150), size=1.14, about=(480, 620))
    )


@picture("titeres-de-dedo-2")
def finger_hand() -> str:
    skin = "#C98C60"
    fingers = ((214, 620, 92, -44, 372, 780), (338, 400, 96, -16, 410, 660), (476, 340, 98, 0, 486, 640), (612, 380, 96, 13, 566, 650), (734, 500, 88, 30, 636, 690))
    palm = blob((356, 680), (420, 620), (560, 616), (660, 670), (676, 800), (640, 1000), (410, 1000), (346, 830))
    stalks = "".join(line(poly((x, y), (bx, by), closed=False), skin, w) for x, y, w, _, bx, by in fingers)
    puppets = (rabbit, fox, owl, frog_finger, armadillo)
    dressed = "".join(group(puppets[n](x, y + 110, w + 44), turn=t, about=(x, y + 40)) for n, (x, y, w, t, _, _) in enumerate(fingers))
    lines_ = line(curve((420, 720), (500, 760), (610, 730)), darker(skin, 0.16), 8) + line(curve((430, 800), (520, 830), (600, 810)), darker(skin, 0.16), 8)
    return halo("mint", radius=400) + stalks + solid(palm, skin, lines_, shade=(-24, -16), rim=0) + dressed


@picture("titeres-de-dedo-3")
def finger_fox() -> str:
    return flat("sand") + fox(480, 1110, 480)

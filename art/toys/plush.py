"""Peluches: animals of the páramo, the forest and the plains."""

from art.colour import COCOA, CREAM, INK, LEAF, ORANGE, PINK, PLUM, SUN, TEAL, TOMATO, WHITE, darker, lighter, mix
from art.faces import cheeks, eye, eyes, muzzle_smile, smile
from art.gallery import picture
from art.lettering import face
from art.materials import stitches, tufts
from art.nature import big_leaf, branch, frailejon, tuft
from art.paint import fill, flip, gloss, group, line, shadow, solid
from art.scenes import andes, closed_below, cloud, flat, halo, plain
from art.shapes import Path, Point, arc, blob, box, circle, curve, ellipse, furry, leaf, polar, poly, sector, twin

FUR, FACE, MASK = "#A58361", "#F3E2C3", "#6A4A34"
BEAR, SPECS = "#43352F", "#F1DDB8"
CONDOR, COLLAR = "#34323C", "#FBF6EC"
CINNAMON = "#B0743F"
TAMARIN, CREST = "#8A5A3B", "#FBF5E9"


def plush(shape: Path, colour: str, seed: int, *details: str, hairs: int = 40, fall: float = 90, depth: float = 18) -> str:
    """A stuffed body: short hairs, soft shade."""
    hair = tufts(shape, darker(colour, 0.14), seed, hairs, fall=fall)
    light = tufts(shape, lighter(colour, 0.25), seed + 1, hairs // 2, fall=fall)
    return solid(shape, colour, hair, light, *details, shade=(-depth, -depth * 1.1), rim=6)


def tag(x: float, y: float, turn: float = 0) -> str:
    """The sewn label every plush carries."""
    mark = fill(twin((x, y + 10), (x + 15, y + 20), (x + 2, y + 44), (x, y + 46), x=x), TOMATO) + fill(box(x - 3, y + 4, 6, 8, r=2), TOMATO)
    return group(solid(box(x - 24, y - 6, 48, 62, r=7), CREAM, mark, shade=(-5, -5), rim=2), line(poly((x - 16, y), (x + 16, y), closed=False), SUN, 3, dash="6 5"), turn=turn, about=(x, y))


def claws(x: float, y: float, turn: float, size: float = 1) -> str:
    """Three felt claws pointing down before turning."""
    parts = "".join(solid(leaf((x + d * 20 * size, y - 8 * size), (x + d * 26 * size, y + 52 * size), 19 * size), "#EAD9B5", shade=(-4, -3), rim=2) for d in (-1, 0, 1))
    return group(parts, turn=turn, about=(x, y))


# Perezoso -------------------------------------------------------------------------------------------------------


def sloth_head(cx: float, cy: float, s: float) -> str:
    """The masked smile of a three-toed sloth."""
    head = furry(ellipse(cx, cy, s, s * 0.88), 30, s * 0.045)
    fringe = "".join(fill(leaf((cx + d * s * 0.1, cy - s * 0.78), (cx + d * s * 0.34, cy - s * 1.08), s * 0.16), darker(FUR, 0.1)) for d in (-1, 0, 1))
    face = twin((cx, cy - s * 0.5), (cx + s * 0.4, cy - s * 0.56), (cx + s * 0.78, cy - s * 0.2), (cx + s * 0.7, cy + s * 0.36), (cx + s * 0.3, cy + s * 0.66), (cx, cy + s * 0.7), x=cx)
    patches = "".join(fill(blob((cx + d * s * 0.16, cy - s * 0.1), (cx + d * s * 0.38, cy - s * 0.18), (cx + d * s * 0.76, cy + s * 0.16), (cx + d * s * 0.72, cy + s * 0.34), (cx + d * s * 0.34, cy + s * 0.18)), MASK) for d in (-1, 1))
    nose = solid(twin((cx, cy + s * 0.1), (cx + s * 0.16, cy + s * 0.12), (cx + s * 0.14, cy + s * 0.24), (cx, cy + s * 0.3), x=cx), COCOA, shade=(-3, -4), rim=0) + gloss((cx - s * 0.08, cy + s * 0.16), (cx, cy + s * 0.14), 0, s * 0.035, 0.5)
    return (
        fringe + plush(head, FUR, 3, hairs=46, depth=s * 0.09)
        + solid(face, FACE, patches, shade=(-s * 0.03, -s * 0.04), rim=0)
        + eye(cx - s * 0.36, cy + s * 0.02, s * 0.1, INK) + eye(cx + s * 0.36, cy + s * 0.02, s * 0.1, INK)
        + nose + line(curve((cx - s * 0.34, cy + s * 0.36), (cx - s * 0.16, cy + s * 0.47), (cx, cy + s * 0.49), (cx + s * 0.16, cy + s * 0.47), (cx + s * 0.34, cy + s * 0.36)), COCOA, s * 0.04)
        + cheeks(cx, cy + s * 0.42, s * 1.02, s * 0.11)
    )


@picture("Perezoso de peluche (sentado)")
def sloth_sitting() -> str:
    body = twin((480, 420), (610, 460), (670, 620), (650, 770), (560, 812), (480, 816))
    belly = twin((480, 540), (560, 570), (586, 680), (548, 770), (480, 782))
    seam = stitches(curve((480, 552), (484, 660), (480, 774)), darker(FACE, 0.25), 4)
    arm = blob((600, 462), (670, 500), (720, 610), (730, 740), (700, 806), (648, 796), (640, 700), (610, 600))
    leg = blob((540, 748), (640, 736), (716, 784), (710, 836), (620, 850), (540, 830))
    pads = fill(ellipse(668, 806, 26, 20), FACE)
    right = plush(arm, FUR, 13, hairs=24) + claws(690, 796, -10)
    limb = plush(leg, FUR, 17, pads, hairs=16) + claws(700, 818, -74, 0.8)
    return (
        plain("mint", 720) + shadow(480, 836, 280, 40)
        + plush(body, FUR, 5, solid(belly, FACE, seam, shade=(-8, -8), rim=0), hairs=44)
        + limb + flip(limb) + right + flip(right) + tag(706, 606, -64)
        + sloth_head(480, 330, 196)
    )


def sloth_hanging(x: float, y: float) -> str:
    """The sloth under its branch."""
    arms = "".join(plush(shape, FUR, seed, hairs=22, fall=-60) for shape, seed in ((blob((300, 250), (352, 240), (372, 380), (410, 500), (350, 560), (296, 420)), 21), (blob((640, 250), (692, 262), (676, 420), (620, 560), (556, 510), (606, 380)), 23)))
    body = blob((330, 500), (480, 450), (630, 500), (690, 620), (600, 740), (430, 760), (310, 660))
    legs = plush(blob((660, 560), (720, 470), (770, 260), (820, 262), (816, 440), (760, 640), (690, 680)), FUR, 29, hairs=22, fall=-60)
    return group(legs, plush(body, FUR, 25, hairs=40, fall=120), arms, sloth_head(430, 610, 176), move=(x, y))


@picture("Perezoso de peluche (colgado)")
def sloth_branch() -> str:
    limb = curve((-30, 270), (200, 230), (480, 250), (760, 220), (1000, 250))
    paws = "".join(group(claws(x, 214, 0, 0.95)) for x in (326, 664, 794))
    leaves = big_leaf((120, 240), (60, 90), 84, LEAF, 10) + big_leaf((190, 236), (240, 80), 76, "#4C8A4E", -8) + big_leaf((880, 234), (930, 80), 84, LEAF, 8) + big_leaf((90, 262), (40, 420), 76, "#4C8A4E", 8) + big_leaf((900, 240), (930, 400), 72, "#79AE57", -8)
    return halo("butter", cy=560, radius=380) + leaves + sloth_hanging(0, 40) + branch(limb, 46) + paws


@picture("Perezoso de peluche (carita)")
def sloth_face() -> str:
    return flat("mint") + plush(ellipse(480, 1000, 430, 260), FUR, 40, hairs=40) + sloth_head(480, 500, 410)


# Oso de anteojos ------------------------------------------------------------------------------------------------


def bear_head(cx: float, cy: float, s: float) -> str:
    """Dark head, cream spectacles."""
    ear = plush(circle(cx + s * 0.72, cy - s * 0.66, s * 0.3), BEAR, 4, fill(circle(cx + s * 0.72, cy - s * 0.62, s * 0.16), "#8A6B55"), hairs=8, depth=s * 0.05)
    head = twin((cx, cy - s * 0.9), (cx + s * 0.62, cy - s * 0.78), (cx + s * 0.98, cy - s * 0.1), (cx + s * 0.78, cy + s * 0.58), (cx, cy + s * 0.84), x=cx)
    rings = "".join(line(arc((cx + d * s * 0.38, cy - s * 0.1), s * 0.27, *(angles)), SPECS, s * 0.15) for d, angles in ((-1, (70, 330)), (1, (-150, 110))))
    bridge = line(curve((cx, cy - s * 0.3), (cx, cy - s * 0.02)), SPECS, s * 0.12)
    muzzle = twin((cx, cy + s * 0.04), (cx + s * 0.26, cy + s * 0.12), (cx + s * 0.4, cy + s * 0.42), (cx + s * 0.24, cy + s * 0.68), (cx, cy + s * 0.72), x=cx)
    nose = twin((cx, cy + s * 0.14), (cx + s * 0.2, cy + s * 0.16), (cx + s * 0.14, cy + s * 0.32), (cx, cy + s * 0.37), x=cx)
    return (
        ear + flip(ear, x=cx)
        + plush(head, BEAR, 9, rings, bridge, hairs=50, depth=s * 0.08)
        + solid(muzzle, SPECS, shade=(-s * 0.04, -s * 0.05), rim=4)
        + eye(cx - s * 0.36, cy - s * 0.08, s * 0.11, "#1B1512") + eye(cx + s * 0.36, cy - s * 0.08, s * 0.11, "#1B1512")
        + solid(nose, "#2A1F1B", shade=(-3, -3), rim=0) + gloss((cx - s * 0.09, cy + s * 0.2), (cx + s * 0.01, cy + s * 0.18), 0, s * 0.04, 0.55)
        + muzzle_smile(cx, cy + s * 0.36, s * 0.34, s * 0.13, COCOA, s * 0.04)
        + cheeks(cx, cy + s * 0.3, s * 1.18, s * 0.12, TOMATO, 0.4)
    )


def bear_body() -> str:
    """The bear sitting, soles forward, without its head."""
    trunk = twin((480, 420), (610, 470), (664, 640), (620, 790), (480, 820))
    bib = twin((480, 470), (560, 480), (536, 560), (480, 600))
    arm = blob((600, 480), (680, 540), (710, 650), (668, 706), (606, 660), (580, 560))
    leg = blob((560, 700), (660, 680), (744, 740), (748, 824), (660, 850), (560, 820))
    sole = solid(ellipse(682, 776, 52, 58), "#8A6B55", fill(ellipse(682, 796, 24, 20), SPECS, 0.8), *(fill(circle(682 + dx, 748 + dy, 9), SPECS, 0.8) for dx, dy in ((-24, 6), (0, -4), (24, 6))), shade=(-6, -7), rim=0)
    limb = plush(leg, BEAR, 31, hairs=16) + sole
    side = plush(arm, BEAR, 33, hairs=18)
    return plush(trunk, BEAR, 35, solid(bib, SPECS, shade=(0, 0), rim=0), hairs=40) + limb + flip(limb) + side + flip(side) + stitches(curve((480, 612), (483, 700), (480, 800)), "#6F594C", 4)


@picture("Oso de anteojos (frente)")
def bear_front() -> str:
    return plain("peach", 720) + shadow(480, 836, 290, 40) + bear_body() + tag(250, 620, 30) + bear_head(480, 310, 212)


@picture("Oso de anteojos (en el páramo)")
def bear_paramo() -> str:
    return (
        andes("butter", "#A9BF7C", 640) + cloud(790, 200, 80) + cloud(150, 150, 60)
        + frailejon(150, 800, 220) + frailejon(830, 780, 240) + frailejon(720, 690, 130)
        + shadow(480, 850, 250, 34, 0.6) + group(bear_body(), bear_head(480, 310, 212), move=(0, 60), size=0.86, about=(480, 820))
        + tuft(300, 900, 90, "#7F9A55") + tuft(690, 910, 100, "#7F9A55") + frailejon(60, 980, 220, bloom=False)
    )


@picture("Oso de anteojos (carita)")
def bear_face() -> str:
    return flat("peach") + plush(ellipse(480, 1010, 460, 260), BEAR, 44, hairs=40) + bear_head(480, 500, 420)


# Cóndor ---------------------------------------------------------------------------------------------------------


def condor_head(cx: float, cy: float, s: float, gaze: int = -1) -> str:
    """Bald pink head with a comb, looking left (-1) or right (1)."""
    skin = "#D98B7C"
    head = blob((cx - s * 0.5, cy - s * 0.1), (cx - s * 0.28, cy - s * 0.52), (cx + s * 0.3, cy - s * 0.54), (cx + s * 0.56, cy - s * 0.06), (cx + s * 0.4, cy + s * 0.5), (cx - s * 0.3, cy + s * 0.46))
    comb = blob((cx - s * 0.52, cy - s * 0.34), (cx - s * 0.46, cy - s * 0.72), (cx - s * 0.1, cy - s * 0.86), (cx + s * 0.14, cy - s * 0.66), (cx - s * 0.06, cy - s * 0.46))
    beak = blob((cx - s * 0.42, cy - s * 0.22), (cx - s * 0.86, cy - s * 0.2), (cx - s * 1.0, cy + s * 0.16), (cx - s * 0.86, cy + s * 0.26), (cx - s * 0.76, cy + s * 0.1), (cx - s * 0.4, cy + s * 0.18), ease=0.85)
    whole = (
        solid(comb, "#B9584C", shade=(-s * 0.05, -s * 0.05), rim=3) + solid(head, skin, *(line(arc((cx + s * 0.5, cy + s * 0.2), r * s, 140, 200), darker(skin, 0.16), 4) for r in (0.3, 0.42)), shade=(-s * 0.09, -s * 0.09), rim=4)
        + solid(beak, CREAM, fill(ellipse(cx - s * 0.36, cy, s * 0.14, s * 0.26), "#8A7A70"), shade=(-s * 0.02, -s * 0.07), rim=3) + line(curve((cx - s * 0.84, cy + s * 0.1), (cx - s * 0.6, cy + s * 0.02), (cx - s * 0.42, cy + s * 0.04)), darker(CREAM, 0.4), 4)
        + fill(circle(cx - s * 0.1, cy - s * 0.14, s * 0.17), WHITE) + eye(cx - s * 0.12, cy - s * 0.13, s * 0.115, INK)
        + fill(ellipse(cx + s * 0.16, cy + s * 0.14, s * 0.12, s * 0.08), TOMATO, 0.4)
    )
    return whole if gaze < 0 else flip(whole, x=cx)


def ruff(cx: float, cy: float, rx: float, ry: float) -> str:
    """The white collar."""
    return solid(furry(ellipse(cx, cy, rx, ry), 20, ry * 0.24), COLLAR, tufts(ellipse(cx, cy, rx, ry), "#CFC6BC", 51, 26, ry * 0.3, 90), shade=(-14, -12), rim=4)


def plume(base: Point, tip: Point, width: float, colour: str = CONDOR) -> str:
    """One felt feather, edged with stitches."""
    return solid(leaf(base, tip, width), colour, line(curve(base, tip), lighter(colour, 0.2), 4, dash="14 9"), shade=(-6, -6), rim=3)


@picture("peluche-cóndor-1")
def condor_standing() -> str:
    body = twin((480, 360), (620, 430), (650, 610), (580, 740), (480, 768))
    wing = blob((600, 400), (690, 460), (726, 620), (690, 790), (640, 776), (610, 640), (580, 500))
    tips = "".join(plume((666 - n * 8, 640), (706 - n * 34, 812 - n * 14), 44) for n in range(3))
    patch = solid(blob((640, 470), (686, 500), (706, 610), (660, 640), (636, 560)), COLLAR, *(line(curve((650 + n * 18, 480 + n * 14), (660 + n * 16, 560), (664 + n * 14, 630)), "#CFC6BC", 4) for n in range(3)), shade=(-6, -6), rim=0)
    side = tips + plush(wing, CONDOR, 61, hairs=26) + patch
    foot = "".join(solid(leaf((560, 786), (x, 830), 26), "#C9A27A", shade=(-4, -4), rim=2) for x in (520, 566, 612)) + solid(box(544, 730, 34, 66, r=14), "#C9A27A", shade=(-6, 0), rim=0)
    feet = group(foot, move=(-20, 0))
    return (
        plain("sky", 720) + shadow(480, 836, 240, 36)
        + feet + flip(feet) + plush(body, CONDOR, 63, stitches(curve((480, 470), (484, 620), (480, 750)), "#6B6875", 4), hairs=40) + side + flip(side)
        + ruff(480, 400, 172, 74) + condor_head(480, 270, 156)
    )


@picture("peluche-cóndor-2")
def condor_flying() -> str:
    fingers = "".join(plume((760 - n * 10, 360 + n * 26), (930 - n * 22, 250 + n * 92), 62 - n * 3) for n in range(5))
    rear = "".join(plume((690 - n * 60, 440), (676 - n * 66, 612 - n * 8), 66) for n in range(4))
    wing = blob((520, 370), (620, 300), (760, 270), (850, 320), (800, 430), (700, 470), (560, 500))
    patch = solid(blob((600, 400), (700, 372), (800, 372), (786, 430), (690, 470), (600, 474)), COLLAR, *(line(curve((620 + n * 44, 396 - n * 4), (628 + n * 42, 462)), "#CFC6BC", 4) for n in range(4)), shade=(-8, -8), rim=0)
    side = fingers + rear + plush(wing, CONDOR, 71, hairs=30) + patch
    tail = "".join(plume((480, 560), (x, 760 - abs(x - 480) * 0.3), 70) for x in (380, 430, 530, 580, 480))
    body = twin((480, 370), (570, 420), (586, 540), (540, 630), (480, 650))
    return (
        andes("peach", "#B9CC8E", 800) + cloud(140, 700, 70) + cloud(840, 740, 60)
        + tail + side + flip(side) + plush(body, CONDOR, 73, hairs=30) + ruff(480, 372, 126, 58) + condor_head(476, 270, 118)
    )


@picture("peluche-cóndor-3")
def condor_detail() -> str:
    return flat("sky") + plush(ellipse(500, 990, 440, 330), CONDOR, 75, hairs=46) + ruff(500, 740, 370, 150) + condor_head(510, 430, 350)


# Colibrí --------------------------------------------------------------------------------------------------------


def scales(area: Path, colour: str, size: float, fall: float) -> str:
    """Rows of felt feathers; clip them to the body."""
    left, top, right, bottom = area.bounds()
    parts, row, y = "", 0, top
    while y < bottom + size:
        x = left - (size / 2 if row % 2 else 0)
        while x < right + size:
            parts += line(arc((x, y), size * 0.56, 20, 160), colour, 4, opacity=0.6)
            x += size
        y, row = y + size * 0.62, row + 1
    left, top, right, bottom = area.bounds()
    return group(parts, turn=fall, about=((left + right) / 2, (top + bottom) / 2))


def hummingbird(turn: float = 0) -> str:
    """The bird in the air, beak to the left."""
    green, blue = "#2FA06B", "#2C6FB7"
    body = blob((330, 350), (420, 320), (520, 400), (600, 520), (640, 650), (560, 640), (430, 590), (330, 480))
    throat = blob((322, 402), (390, 430), (440, 520), (420, 572), (350, 500))
    belly = blob((420, 560), (470, 520), (560, 590), (600, 650), (540, 640))
    head = circle(352, 370, 92)
    beak = poly((282, 356), (70, 318), (66, 326), (280, 392), r=4)
    tail = solid(leaf((600, 610), (760, 830), 66), blue, shade=(-6, -6), rim=3) + solid(leaf((604, 600), (812, 770), 62), TEAL, shade=(-6, -6), rim=3) + solid(leaf((590, 620), (690, 850), 60), PLUM, shade=(-6, -6), rim=3)

    def wing(dx: float, tone: str, seed: int) -> str:
        feathers = "".join(
            solid(leaf((470 + dx, 430), polar((470 + dx, 430), 390 - n * 34, -96 + n * 15), 92 - n * 6), mix(tone, blue, n / 6), line(curve((470 + dx, 430), polar((470 + dx, 430), 350 - n * 34, -96 + n * 15)), lighter(tone, 0.3), 4, dash="16 10"), shade=(-6, -7), rim=3)
            for n in range(5)
        )
        del seed
        return feathers + solid(blob((400 + dx, 420), (460 + dx, 340), (560 + dx, 380), (560 + dx, 450), (470 + dx, 490)), green, shade=(-8, -8), rim=4)

    return group(
        group(wing(-70, lighter(TEAL, 0.2), 3), turn=-34, about=(420, 430), opacity=1),
        tail,
        solid(beak, COCOA, shade=(0, -6), rim=0),
        solid(body, green, scales(body, darker(green, 0.22), 46, 30), fill(belly, "#DDEBD2"), shade=(-20, -22), rim=6),
        solid(head, green, scales(head, darker(green, 0.22), 40, 10), shade=(-14, -16), rim=5),
        solid(throat, PINK, scales(throat, darker(PINK, 0.2), 34, 20), shade=(-8, -8), rim=0),
        fill(circle(330, 352, 27), WHITE), eye(328, 353, 20, INK), cheeks(372, 398, 0.1, 14),
        wing(0, TEAL, 5),
        turn=turn, about=(480, 480),
    )


@picture("peluche-colibri-1")
def hummingbird_plain() -> str:
    return halo("rose", radius=370, cy=500) + line(poly((470, -10), (470, 420), closed=False), COCOA, 4) + group(hummingbird(), move=(16, 0))


@picture("peluche-colibri-2")
def hummingbird_flower() -> str:
    petals_ = "".join(solid(leaf((230, 480), polar((230, 480), 210, a), 96), TOMATO, line(curve(polar((230, 480), 30, a), polar((230, 480), 160, a)), darker(TOMATO, 0.2), 5), shade=(-8, -8), rim=4) for a in (-150, -96, -40, 20, 76, 130, 184))
    stem = line(curve((230, 520), (210, 720), (250, 980)), "#4C8A4E", 22)
    return (
        flat("mint") + stem + big_leaf((222, 760), (60, 640), 96, LEAF, 10) + big_leaf((236, 840), (420, 770), 90, "#79AE57", -10)
        + petals_ + solid(circle(230, 480, 62), SUN, *(fill(circle(*polar((230, 480), r, a), 7), "#B9701F") for r in (20, 42) for a in range(0, 360, 45)), shade=(-10, -10), rim=4)
        + group(hummingbird(), move=(206, -40), size=0.8, about=(480, 480))
    )


@picture("peluche-colibri-3")
def hummingbird_detail() -> str:
    return flat("rose") + group(hummingbird(), move=(170, 210), size=2.1, about=(420, 400))


# Chigüiro -------------------------------------------------------------------------------------------------------


def birdie(x: float, y: float, s: float, gaze: int = -1) -> str:
    """The little yellow bird that sits on top; (x, y) is where it stands."""
    body = blob((x - s * 0.5, y - s * 0.6), (x - s * 0.2, y - s * 1.04), (x + s * 0.3, y - s * 0.9), (x + s * 0.5, y - s * 0.4), (x + s * 0.2, y), (x - s * 0.3, y - s * 0.04))
    whole = (
        solid(leaf((x + s * 0.3, y - s * 0.3), (x + s * 0.96, y - s * 0.62), s * 0.3), "#D98F1F", shade=(-3, -3), rim=0)
        + solid(body, SUN, shade=(-s * 0.1, -s * 0.1), rim=3)
        + solid(leaf((x - s * 0.1, y - s * 0.5), (x + s * 0.5, y - s * 0.34), s * 0.32), "#E39A22", shade=(-3, -3), rim=0)
        + fill(poly((x - s * 0.44, y - s * 0.72), (x - s * 0.78, y - s * 0.6), (x - s * 0.44, y - s * 0.52), r=3), ORANGE) + eye(x - s * 0.24, y - s * 0.72, s * 0.085, INK)
    )
    return whole if gaze < 0 else flip(whole, x=x)


def capybara_head(cx: float, cy: float, s: float) -> str:
    """Blunt-nosed head in profile to the left."""
    head = blob((cx - s * 0.98, cy - s * 0.22), (cx - s * 0.8, cy - s * 0.52), (cx - s * 0.1, cy - s * 0.66), (cx + s * 0.6, cy - s * 0.62), (cx + s * 0.86, cy), (cx + s * 0.6, cy + s * 0.56), (cx - s * 0.3, cy + s * 0.56), (cx - s * 0.9, cy + s * 0.44), (cx - s * 1.04, cy + s * 0.1), ease=0.9)
    ear = solid(blob((cx + s * 0.38, cy - s * 0.52), (cx + s * 0.44, cy - s * 0.86), (cx + s * 0.68, cy - s * 0.84), (cx + s * 0.7, cy - s * 0.5)), darker(CINNAMON, 0.12), fill(ellipse(cx + s * 0.55, cy - s * 0.64, s * 0.07, s * 0.12), "#7A4A2A"), shade=(-4, -4), rim=3)
    snout = blob((cx - s * 1.06, cy - s * 0.3), (cx - s * 0.7, cy - s * 0.5), (cx - s * 0.54, cy), (cx - s * 0.66, cy + s * 0.5), (cx - s * 1.1, cy + s * 0.5))
    return (
        plush(head, CINNAMON, 81, fill(snout, darker(CINNAMON, 0.16)), hairs=34, fall=0, depth=s * 0.1) + ear
        + fill(ellipse(cx - s * 0.9, cy - s * 0.18, s * 0.05, s * 0.08), COCOA) + line(curve((cx - s * 0.98, cy + s * 0.22), (cx - s * 0.76, cy + s * 0.3), (cx - s * 0.5, cy + s * 0.2)), COCOA, s * 0.045)
        + eye(cx - s * 0.02, cy - s * 0.2, s * 0.1, INK) + line(arc((cx - s * 0.02, cy - s * 0.2), s * 0.13, 195, 345), darker(CINNAMON, 0.32), s * 0.055)
        + fill(ellipse(cx + s * 0.1, cy + s * 0.12, s * 0.15, s * 0.1), TOMATO, 0.35)
    )


@picture("Chigüiro de peluche (de lado)")
def capybara_side() -> str:
    body = blob((300, 480), (420, 420), (600, 410), (760, 470), (810, 620), (770, 750), (600, 790), (400, 780), (300, 700))
    legs = "".join(plush(box(x, 700, 78, 118, r=32), darker(CINNAMON, c), seed, hairs=8) + "".join(fill(ellipse(x + 18 + n * 21, 808, 10, 8), "#6E4526") for n in range(3)) for x, c, seed in ((380, 0.12, 83), (650, 0.12, 84), (330, 0.0, 85), (710, 0.0, 86)))
    return (
        plain("mint", 720) + shadow(520, 822, 330, 44)
        + legs + plush(body, CINNAMON, 87, hairs=60, fall=10, depth=26) + stitches(curve((420, 462), (560, 446), (720, 490)), darker(CINNAMON, 0.2), 4) + tag(786, 560, -40)
        + birdie(590, 424, 92) + capybara_head(290, 470, 196)
    )


@picture("Chigüiro de peluche (en el agua)")
def capybara_water() -> str:
    back = blob((420, 520), (600, 480), (780, 530), (850, 700), (760, 800), (420, 800))
    pond = closed_below(curve((-40, 600), (160, 612), (330, 596), (520, 612), (700, 598), (860, 612), (1000, 598)))
    ripples = "".join(line(arc((x, y), r, a, b, 0.22), "#CDE8EE", 9) for x, y, r, a, b in ((500, 640, 300, 20, 160), (500, 650, 390, 40, 140), (500, 640, 460, 150, 176), (500, 640, 460, 4, 30)))
    lily = "".join(solid(sector((x, y), r, 0, 30, 340).size(1, 0.42, (x, y)), "#5FA35B", shade=(-6, -5), rim=3) for x, y, r in ((790, 850, 92), (150, 860, 80)))
    flower = "".join(fill(leaf((790, 838), polar((790, 838), 46, a), 22), PINK) for a in (-150, -120, -90, -60, -30)) + fill(circle(790, 836, 9), SUN)
    return (
        flat("butter") + fill(circle(740, 240, 92), "#F9CF6B") + reeds(90, 640) + reeds(890, 630)
        + plush(back, CINNAMON, 91, hairs=40, fall=10) + capybara_head(400, 480, 226) + birdie(450, 346, 100)
        + fill(pond, "#86C3D2") + ripples + lily + flower
    )


def reeds(x: float, y: float) -> str:
    """Bulrushes."""
    return "".join(line(curve((x + dx, y + 40), (x + dx * 1.2, y - h * 0.5), (x + dx * 1.6, y - h)), "#7FA255", 10) + line(poly((x + dx * 1.6, y - h), (x + dx * 1.7, y - h - 70), closed=False), "#8A5A33", 24) for dx, h in ((-40, 200), (0, 290), (36, 230)))


@picture("Chigüiro de peluche (carita)")
def capybara_face() -> str:
    head = twin((480, 214), (640, 226), (752, 360), (770, 560), (700, 780), (480, 836))
    muzzle = twin((480, 470), (650, 486), (690, 640), (626, 790), (480, 822))
    ear = solid(blob((660, 290), (690, 170), (790, 180), (770, 320)), darker(CINNAMON, 0.12), fill(ellipse(728, 244, 26, 44), "#7A4A2A"), shade=(-10, -8), rim=5)
    return (
        flat("mint") + plush(ellipse(480, 990, 400, 240), CINNAMON, 93, hairs=30) + ear + flip(ear)
        + plush(head, CINNAMON, 95, fill(muzzle, darker(CINNAMON, 0.14)), tufts(muzzle, darker(CINNAMON, 0.26), 7, 40), hairs=70, depth=34)
        + eyes(480, 440, 330, 32, INK) + "".join(line(arc((x, 440), 42, 195, 345), darker(CINNAMON, 0.34), 15) for x in (315, 645))
        + fill(ellipse(436, 560, 16, 24), COCOA) + fill(ellipse(524, 560, 16, 24), COCOA) + muzzle_smile(480, 640, 170, 50, COCOA, 13) + cheeks(480, 540, 500, 46)
        + birdie(500, 228, 150)
    )


# Tití -----------------------------------------------------------------------------------------------------------


def tamarin_head(cx: float, cy: float, s: float) -> str:
    """Dark face in a shock of white hair."""
    mane = "".join(solid(leaf((cx, cy), polar((cx, cy - s * 0.1), s * (1.24 if -140 < a < -40 else 1.0), a), s * 0.42), CREST, shade=(-s * 0.04, -s * 0.04), rim=0) for a in (-200, 20, -180, 0, -162, -18, -145, -35, -128, -52, -110, -70, -90))
    ear = solid(circle(cx + s * 0.68, cy + s * 0.1, s * 0.18), "#5B4338", fill(circle(cx + s * 0.68, cy + s * 0.1, s * 0.09), "#8A6B5C"), shade=(-4, -4), rim=3)
    face = twin((cx, cy - s * 0.52), (cx + s * 0.44, cy - s * 0.46), (cx + s * 0.62, cy + s * 0.02), (cx + s * 0.44, cy + s * 0.5), (cx, cy + s * 0.66), x=cx)
    muzzle = ellipse(cx, cy + s * 0.34, s * 0.3, s * 0.24)
    widow = poly((cx - s * 0.3, cy - s * 0.56), (cx + s * 0.3, cy - s * 0.56), (cx, cy - s * 0.08), r=s * 0.06)
    return (
        mane + ear + flip(ear, x=cx)
        + solid(face, "#54403A", fill(widow, CREST), tufts(widow, "#D3C8BA", 3, 10, s * 0.14), shade=(-s * 0.07, -s * 0.07), rim=4)
        + solid(muzzle, "#8D7468", shade=(-s * 0.03, -s * 0.03), rim=0)
        + "".join(fill(circle(cx + d * s * 0.27, cy, s * 0.16), "#C98F4B") + eye(cx + d * s * 0.26, cy + s * 0.01, s * 0.115, "#1B1512") for d in (-1, 1))
        + fill(ellipse(cx, cy + s * 0.24, s * 0.09, s * 0.06), "#2A1F1B") + smile(cx, cy + s * 0.38, s * 0.28, s * 0.1, "#2A1F1B", s * 0.04)
    )


@picture("peluche-titi-1")
def tamarin_sitting() -> str:
    tail = curve((590, 770), (740, 800), (830, 720), (800, 580), (700, 560), (690, 650), (760, 670))
    body = twin((480, 440), (590, 490), (630, 660), (570, 800), (480, 816))
    belly = twin((480, 480), (556, 520), (574, 680), (530, 780), (480, 792))
    arm = blob((580, 500), (650, 560), (660, 680), (620, 760), (570, 740), (580, 640))
    leg = blob((520, 740), (620, 720), (690, 790), (670, 836), (560, 840))
    side = plush(leg, TAMARIN, 103, hairs=12) + plush(arm, CREST, 105, hairs=16) + solid(ellipse(596, 758, 32, 28), "#54403A", shade=(-5, -5), rim=3) + solid(ellipse(654, 820, 40, 22), "#54403A", shade=(-5, -5), rim=3)
    return (
        plain("lilac", 720) + shadow(500, 838, 270, 38)
        + line(tail, darker(TAMARIN, 0.2), 56) + line(tail, TAMARIN, 48) + line(curve((800, 580), (700, 560), (690, 650), (760, 670)), "#3A2C27", 48) + line(tail.move(-4, -10), lighter(TAMARIN, 0.15), 6, dash="30 26")
        + plush(body, TAMARIN, 101, solid(belly, CREST, tufts(belly, "#D9CFC2", 9, 30), shade=(-6, -6), rim=0), hairs=30) + side + flip(side) + tag(330, 640, 28)
        + tamarin_head(480, 350, 204)
    )


@picture("peluche-titi-2")
def tamarin_branch() -> str:
    limb = curve((-30, 640), (260, 600), (560, 640), (1000, 570))
    tail = curve((590, 600), (640, 720), (580, 860), (440, 850), (430, 740), (520, 730))
    body = blob((360, 400), (500, 380), (620, 470), (640, 590), (560, 640), (400, 620), (330, 520))
    hand = "".join(solid(ellipse(x, y, 42, 30), "#54403A", *(line(poly((x + d, y), (x + d, y + 26), closed=False), "#3A2C27", 5) for d in (-14, 0, 14)), shade=(-5, -5), rim=3) for x, y in ((310, 610), (420, 618), (600, 622)))
    arms = plush(blob((360, 440), (420, 470), (400, 560), (340, 620), (280, 600), (310, 520)), CREST, 113, hairs=16) + plush(blob((430, 500), (480, 510), (470, 600), (420, 640), (390, 600)), CREST, 115, hairs=12)
    return (
        halo("mint", radius=380) + big_leaf((120, 620), (40, 450), 90, LEAF, 8) + big_leaf((830, 590), (920, 430), 96, "#79AE57", -8) + big_leaf((760, 620), (860, 780), 90, LEAF, 8) + big_leaf((180, 640), (90, 800), 84, "#79AE57", -6)
        + line(tail, darker(TAMARIN, 0.2), 54) + line(tail, TAMARIN, 46) + line(curve((440, 850), (430, 740), (520, 730)), "#3A2C27", 46)
        + branch(limb, 44) + plush(body, TAMARIN, 111, hairs=34, fall=20) + arms + hand
        + tamarin_head(380, 320, 178)
    )


@picture("peluche-titi-3")
def tamarin_face() -> str:
    return flat("lilac") + plush(ellipse(480, 1020, 360, 240), CREST, 117, hairs=30) + tamarin_head(480, 520, 380)

"""Muñeca de trapo Lucero: braids, apron, wardrobe."""

import math
from random import Random

from art.colour import CEDAR, COCOA, CREAM, PINK, PLUM, SUN, TOMATO, TOMATO_DARK, WHITE, darker, lighter
from art.faces import cheeks, eyes, smile
from art.gallery import picture
from art.materials import daisy, stitches
from art.paint import fill, flip, group, line, shadow, solid
from art.parts.people import SKIN
from art.scenes import flat, plain
from art.shapes import (
    Path,
    Point,
    arc,
    blob,
    box,
    capsule,
    curve,
    ellipse,
    heart,
    leaf,
    poly,
    twin,
    twin_poly,
)

HAIR, DRESS = "#4B2E24", "#2B86A8"


def braid(path: Path, links: int, size: float, colour: str) -> str:
    """Yarn in three strands, seen as overlapping links."""
    parts = []
    for index, ((x, y), angle) in enumerate(path.sample(links)):
        side = 20 if index % 2 else -20
        link = ellipse(x, y, size, size * 0.66).turn(angle + side, (x, y))
        parts.append(
            solid(
                link,
                colour,
                *(
                    line(
                        curve((x - size * 0.7, y + d), (x, y + d - 3), (x + size * 0.7, y + d)).turn(
                            angle + side, (x, y)
                        ),
                        lighter(colour, 0.16),
                        3,
                    )
                    for d in (-size * 0.25, size * 0.1)
                ),
                shade=(-4, -5),
                rim=2,
            )
        )
    return "".join(parts)


def ribbon(x: float, y: float, size: float, colour: str = TOMATO) -> str:
    """A tied bow."""
    s = size
    loop = blob(
        (x, y),
        (x + s * 0.5, y - s * 0.5),
        (x + s, y - s * 0.3),
        (x + s * 0.96, y + s * 0.36),
        (x + s * 0.4, y + s * 0.34),
    )
    end = poly(
        (x - 4, y), (x + s * 0.3, y + s * 0.2), (x + s * 0.62, y + s * 0.98), (x + s * 0.2, y + s * 0.9), r=6
    )
    half = solid(end, darker(colour, 0.1), shade=(-4, -4), rim=0) + solid(loop, colour, shade=(-6, -6), rim=3)
    return (
        half
        + flip(half, x=x)
        + solid(ellipse(x, y, s * 0.2, s * 0.25), darker(colour, 0.08), shade=(-3, -3), rim=2)
    )


def lucero_head() -> str:
    """Face and hair about (480, 300)."""
    back = solid(
        twin((480, 132), (610, 168), (654, 290), (636, 380), (560, 390), (480, 380)),
        HAIR,
        shade=(-14, -14),
        rim=4,
    )
    face = solid(
        twin((480, 160), (590, 190), (632, 310), (580, 416), (480, 446)), SKIN, shade=(-18, -20), rim=5
    )
    fringe = twin((480, 128), (600, 160), (650, 290), (622, 330), (590, 236), (500, 208), (480, 236))
    strands = "".join(
        line(curve((480 + d * 8, 140), (480 + d * 60, 170), (480 + d * 118, 300)), lighter(HAIR, 0.14), 4)
        + line(curve((480 + d * 8, 140), (480 + d * 34, 176), (480 + d * 70, 230)), lighter(HAIR, 0.14), 4)
        for d in (-1, 1)
    )
    part = line(curve((480, 130), (481, 180), (480, 228)), darker(HAIR, 0.3), 4)
    return (
        back
        + face
        + eyes(480, 318, 116, 17, COCOA)
        + "".join(line(arc((480 + d * 60, 296), 30, 215, 325), HAIR, 5) for d in (-1, 1))
        + fill(poly((470, 352), (490, 352), (480, 368), r=4), TOMATO)
        + smile(480, 384, 76, 24, TOMATO_DARK, 7)
        + "".join(
            line(poly((480 + d * 38, 378), (480 + d * 42, 390), closed=False), TOMATO_DARK, 5)
            for d in (-1, 1)
        )
        + cheeks(480, 366, 176, 26, TOMATO, 0.42)
        + solid(fringe, HAIR, strands, part, shade=(-10, -12), rim=4)
    )


def braids() -> str:
    """Both braids with their bows."""
    side = (
        braid(curve((634, 352), (664, 420), (672, 500), (668, 560)), 8, 30, HAIR)
        + fill(leaf((668, 572), (664, 640), 44), HAIR)
        + ribbon(668, 566, 40)
    )
    return side + flip(side)


def flowers_on(
    shape: Path, seed: int, petal: str = CREAM, heart: str = SUN, count: int = 22, size: float = 20
) -> str:
    """A flowered print; clip it to the cloth."""
    chance = Random(seed)
    left, top, right, bottom = shape.bounds()
    spots: list[Point] = []
    while len(spots) < count:
        spot = (chance.uniform(left, right), chance.uniform(top, bottom))
        if all(math.dist(spot, other) > size * 2.1 for other in spots) or chance.random() < 0.02:
            spots.append(spot)
    return "".join(
        daisy(x, y, size * (0.8 if n % 3 else 1), petal if n % 4 else PINK, heart, turn=n * 17)
        for n, (x, y) in enumerate(spots)
    )


def lucero_dress() -> str:
    """Dress and apron about the doll's waist."""
    skirt = twin((480, 470), (548, 476), (566, 540), (690, 740), (600, 768), (480, 776))
    apron = twin((480, 566), (540, 570), (590, 716), (540, 736), (480, 738))
    sleeve = blob((540, 470), (610, 478), (650, 530), (610, 566), (560, 540))
    collar = blob((480, 452), (540, 452), (556, 486), (510, 506), (480, 480))
    puff = solid(sleeve, DRESS, flowers_on(sleeve, 9, count=6, size=13), shade=(-10, -10), rim=4)
    neck = solid(collar, CREAM, shade=(-5, -6), rim=3) + stitches(
        curve((486, 488), (516, 498), (546, 480)), TOMATO, 3, 8, 7
    )
    heart_pocket = solid(heart(480, 662, 58), TOMATO, shade=(-5, -6), rim=0) + line(
        heart(480, 662, 46), CREAM, 3, dash="7 6"
    )
    return (
        puff
        + flip(puff)
        + solid(
            skirt,
            DRESS,
            flowers_on(skirt, 4, count=40),
            line(curve((250, 752), (380, 778), (480, 782), (580, 778), (710, 752)), SUN, 22),
            shade=(-30, -16),
            rim=5,
        )
        + line(curve((420, 556), (480, 566), (540, 556)), CREAM, 18)
        + solid(
            apron,
            CREAM,
            heart_pocket,
            stitches(curve((388, 704), (440, 726), (480, 728), (520, 726), (572, 704)), TOMATO, 4),
            shade=(-14, -8),
            rim=3,
        )
        + neck
        + flip(neck)
    )


def lucero() -> str:
    """The doll standing."""
    arm = solid(
        blob((606, 528), (650, 540), (700, 640), (704, 690), (660, 700), (620, 620)),
        SKIN,
        shade=(-12, -8),
        rim=4,
    )
    leg = (
        solid(
            box(498, 744, 60, 90, r=12),
            CREAM,
            *(fill(box(490, y, 80, 12), TOMATO) for y in (768, 792, 816)),
            shade=(-12, 0),
            rim=3,
        )
        + solid(
            blob((492, 824), (560, 820), (606, 848), (596, 872), (500, 872)), TOMATO, shade=(-8, -10), rim=4
        )
        + line(curve((500, 838), (528, 846), (556, 836)), darker(TOMATO, 0.22), 5)
    )
    return arm + flip(arm) + leg + flip(leg) + lucero_dress() + braids() + lucero_head()


@picture("Muñeca Lucero (frente)")
def doll_front() -> str:
    return (
        plain("rose", 740)
        + shadow(480, 868, 250, 32)
        + group(lucero(), move=(0, -8), size=1.02, about=(480, 500))
    )


@picture("Muñeca Lucero (ropero)")
def doll_wardrobe() -> str:
    rail = line(poly((470, 200), (900, 200), closed=False), CEDAR, 20) + "".join(
        line(poly((x, 200), (x + d, 800), closed=False), CEDAR, 20) for x, d in ((500, -24), (870, 24))
    )

    def hanger(x: float) -> str:
        return line(curve((x, 206), (x + 12, 222), (x, 236)), "#8A6A4C", 7) + line(
            poly((x - 56, 276), (x, 236), (x + 56, 276), closed=False), "#8A6A4C", 9
        )

    dress = twin_poly((604, 268), (640, 330), (690, 520), (580, 536), x=580, r=16)
    ruana = poly((700, 262), (740, 250), (790, 262), (850, 500), (640, 500), r=14)
    clothes = (
        hanger(580)
        + solid(dress, SUN, flowers_on(dress, 21, WHITE, TOMATO, 14, 15), shade=(-14, -10), rim=4)
        + line(curve((540, 372), (580, 382), (620, 372)), TOMATO, 10)
        + hanger(745)
        + solid(
            ruana,
            PLUM,
            *(
                fill(box(600, y, 300, 18), c)
                for y, c in ((330, SUN), (366, CREAM), (420, TOMATO), (456, SUN))
            ),
            shade=(-16, -10),
            rim=4,
        )
        + "".join(line(poly((x, 500), (x, 526), closed=False), PLUM, 6) for x in range(648, 846, 16))
        + solid(ellipse(800, 176, 92, 24), "#E8CE97", shade=(-6, -6), rim=3)
        + solid(
            twin((800, 96), (846, 106), (850, 170), (800, 178), x=800),
            "#E8CE97",
            fill(box(740, 144, 120, 22), TOMATO),
            shade=(-8, -6),
            rim=3,
        )
    )
    legs = "".join(
        solid(capsule((480 + d * 40, 748), (480 + d * 96, 806), 56), CREAM, shade=(-8, -8), rim=3)
        + solid(ellipse(480 + d * 118, 822, 54, 36), TOMATO, shade=(-8, -9), rim=4)
        for d in (-1, 1)
    )
    arm = solid(
        blob((606, 528), (650, 540), (700, 640), (704, 690), (660, 700), (620, 620)),
        SKIN,
        shade=(-12, -8),
        rim=4,
    )
    sitting = group(
        arm,
        flip(arm),
        legs,
        lucero_dress(),
        braids(),
        lucero_head(),
        move=(-200, 60),
        size=0.86,
        about=(480, 700),
    )
    return (
        plain("mint", 720) + shadow(690, 812, 210, 22) + shadow(290, 872, 220, 28) + rail + clothes + sitting
    )


@picture("Muñeca Lucero (detalle)")
def doll_face() -> str:
    return flat("rose") + group(lucero(), move=(0, 170), size=2.15, about=(480, 330))

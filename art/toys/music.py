"""Música: xylophone, maracas, drum, guacharaca, accordion, guitar, rattle."""

from art.colour import BRASS, CEDAR, COCOA, CREAM, LEAF, LIME, OAK, ORANGE, PINE, PINK, PLUM, SKY, STEEL, SUN, TEAL, TOMATO, TOMATO_DARK, WALNUT, WHITE, darker, lighter, mix
from art.gallery import picture
from art.lettering import words
from art.materials import daisy, grain, note, rope, screw, stitches, stripe, swish
from art.paint import cast, clip, fill, flip, gloss, group, line, shadow, solid
from art.scenes import flat, halo, plain
from art.shapes import Point, arc, box, capsule, circle, curve, ellipse, leaf, polar, poly, star, twin

from random import Random

NOTES = (TOMATO, ORANGE, SUN, LIME, LEAF, TEAL, SKY, PLUM)

# Xilófono -------------------------------------------------------------------------------------------------------


def mallet(a: Point, b: Point, colour: str) -> str:
    """A stick from a to b with its ball at b."""
    return line(poly(a, b, closed=False), darker(PINE, 0.22), 22) + line(poly(a, b, closed=False), PINE, 16) + solid(circle(*b, 38), colour, shade=(-8, -9), rim=4) + gloss((b[0] - 20, b[1] - 6), (b[0] - 4, b[1] - 22), -0.2, 7)


def xylophone() -> str:
    """Eight bars on two rails, from above."""
    rails = solid(poly((110, 300), (850, 396), (850, 440), (110, 344), r=16), CEDAR, grain((110, 300, 850, 440), CEDAR, 3, 8), shade=(-6, -10), rim=4) + solid(poly((110, 640), (850, 544), (850, 588), (110, 684), r=16), CEDAR, grain((110, 544, 850, 684), CEDAR, 5, 8), shade=(-6, -10), rim=4)
    bars = ""
    for n, colour in enumerate(NOTES):
        x, half = 134 + n * 90, 268 - n * 22
        shape = box(x, 492 - half, 72, half * 2, r=18)
        y = 344 + n * 11 + 8
        bars += cast(shape, 10, 14, 7, 0.3) + solid(shape, colour, fill(box(x + 8, 492 - half + 10, 12, half * 2 - 20, r=6), lighter(colour, 0.45), 0.8), shade=(-9, -10), rim=4)
        bars += screw(x + 36, y - 16, 11) + screw(x + 36, 984 - y + 16, 11) + fill(words("do re mi fa sol la si do".split()[n], x + 38, 506, 34, 600), WHITE if colour not in (SUN, LIME) else COCOA)
    return rails + bars


@picture("Xilófono arcoíris (con baquetas)")
def xylophone_above() -> str:
    return flat("butter") + group(cast(poly((110, 290), (850, 390), (850, 590), (110, 690)), 16, 24, 16, 0.2), xylophone(), turn=-6, about=(480, 480)) + cast(capsule((560, 860), (850, 720), 30), 10, 14, 8, 0.3) + mallet((850, 740), (560, 850), TOMATO) + mallet((180, 130), (440, 90), SKY)


@picture("Xilófono arcoíris (sonando)")
def xylophone_playing() -> str:
    music = note(150, 250, 34, TOMATO, True) + note(440, 170, 30, TEAL) + note(820, 220, 34, PLUM, True) + note(640, 130, 24, SUN)
    return flat("mint") + group(xylophone(), move=(0, 150), turn=4, about=(480, 480)) + music + mallet((920, 330), (600, 520), TOMATO) + swish((600, 520), 66, -150, -90, TOMATO, 9) + swish((600, 520), 66, 90, 150, TOMATO, 9)


@picture("Xilófono arcoíris (láminas)")
def xylophone_detail() -> str:
    return flat("butter") + group(xylophone(), move=(100, 120), turn=-6, size=2.4, about=(330, 400))


# Maracas --------------------------------------------------------------------------------------------------------


def maraca(cx: float, cy: float, s: float, ground: str, petal: str, turn: float = 0, seed: int = 1) -> str:
    """A gourd with painted flowers; (cx, cy) is the middle of the gourd."""
    gourd = twin((cx, cy - s), (cx + s * 0.78, cy - s * 0.62), (cx + s * 0.86, cy + s * 0.3), (cx + s * 0.36, cy + s * 0.96), (cx, cy + s * 1.06), x=cx)
    handle = poly((cx - s * 0.17, cy + s * 0.9), (cx + s * 0.17, cy + s * 0.9), (cx + s * 0.12, cy + s * 1.6), (cx + s * 0.2, cy + s * 2.3), (cx - s * 0.2, cy + s * 2.3), (cx - s * 0.12, cy + s * 1.6), r=s * 0.1)
    flower = daisy(cx - s * 0.1, cy - s * 0.06, s * 0.46, petal, SUN if petal != SUN else TOMATO, 6) + daisy(cx + s * 0.56, cy - s * 0.44, s * 0.22, CREAM, TOMATO) + daisy(cx - s * 0.62, cy - s * 0.5, s * 0.2, CREAM, TOMATO) + daisy(cx + s * 0.5, cy + s * 0.46, s * 0.24, CREAM, SUN)
    leaves = "".join(fill(leaf((cx - s * 0.1, cy - s * 0.06), polar((cx - s * 0.1, cy - s * 0.06), s * 0.76, a), s * 0.2), LIME) for a in (30, 100, 160, 250, 310))
    bands = stripe(cx - s, cx + s, cy + s * 0.6, s * 0.07, s * 0.12, CREAM) + stripe(cx - s, cx + s, cy + s * 0.76, s * 0.1, s * 0.1, petal)
    return group(
        solid(handle, CEDAR, grain(handle.bounds(), CEDAR, seed, 4, upright=True), fill(box(cx - s * 0.3, cy + s * 1.06, s * 0.6, s * 0.1), SUN), fill(box(cx - s * 0.3, cy + s * 2.1, s * 0.6, s * 0.08), SUN), shade=(-s * 0.08, 0), rim=4)
        + solid(gourd, ground, leaves, flower, bands, shade=(-s * 0.15, -s * 0.14), rim=6) + gloss((cx - s * 0.58, cy - s * 0.36), (cx - s * 0.24, cy - s * 0.76), -0.16, s * 0.09, 0.5),
        turn=turn, about=(cx, cy + s),
    )


@picture("maracas-pintadas-1")
def maracas_pair() -> str:
    return flat("peach") + cast(circle(270, 350, 160), 24, 30, 18, 0.28) + cast(circle(700, 350, 160), 24, 30, 18, 0.28) + maraca(312, 340, 196, TEAL, PINK, -20, 2) + maraca(648, 340, 196, TOMATO, SUN, 20, 3)


@picture("maracas-pintadas-2")
def maracas_shaking() -> str:
    move = "".join(swish(c, r, a, b, k, 11) for c, r, a, b, k in (((270, 330), 240, -200, -150, TEAL), ((270, 330), 284, -190, -160, SUN), ((690, 330), 240, -30, 20, TOMATO), ((690, 330), 284, -20, 10, SUN)))
    return halo("butter", radius=390) + group(move, maraca(300, 350, 156, TEAL, PINK, -42, 4), maraca(660, 350, 156, TOMATO, SUN, 42, 5), size=0.9, about=(480, 560), move=(0, 10)) + note(440, 190, 28, PLUM) + note(530, 130, 26, TEAL)


@picture("maracas-pintadas-3")
def maracas_detail() -> str:
    return flat("peach") + maraca(500, 520, 500, TEAL, PINK, -8, 6)


# Tambor ---------------------------------------------------------------------------------------------------------


def alegre() -> str:
    """The conical drum: skin, ropes, wedges, painted staves."""
    shell = poly((250, 330), (710, 330), (630, 800), (330, 800), r=(20, 20, 40, 40))
    staves = "".join(line(poly((x, 320), (480 + (x - 480) * 0.66, 810), closed=False), darker(OAK, 0.16), 4) for x in range(290, 700, 58))
    wedges = "".join(solid(poly((480 + (x - 480) * 0.84 - 16, 556), (480 + (x - 480) * 0.84 + 16, 556), (480 + (x - 480) * 0.82 + 10, 630), (480 + (x - 480) * 0.82 - 10, 630), r=5), TOMATO, shade=(-6, 0), rim=3) for x in range(290, 700, 76))
    ropes = rope(poly(*((230 + n * 50, 366 if n % 2 == 0 else 590) for n in range(11)), closed=False), CREAM, 11, 9)
    hoop = line(curve((266, 590), (480, 628), (694, 590)), darker(PINE, 0.3), 24) + line(curve((268, 586), (480, 624), (692, 586)), PINE, 18)
    bands = stripe(200, 760, 664, 34, 26, TEAL) + stripe(200, 760, 706, 10, 24, CREAM) + stripe(200, 760, 724, 26, 22, SUN) + "".join(fill(poly((x, 690), (x + 16, 674), (x + 32, 690), (x + 16, 706)).move(0, 8 * (1 - ((x - 464) / 160) ** 2)), CREAM) for x in range(320, 640, 48))
    head = ellipse(480, 326, 240, 74)
    return (
        solid(shell, OAK, staves, grain(shell.bounds(), OAK, 4, 14, upright=True), bands, shade=(-50, -10), rim=6)
        + clip(poly((226, 320), (734, 320), (690, 640), (270, 640)), ropes) + hoop + wedges
        + line(ellipse(480, 352, 238, 74), darker(PINE, 0.3), 26) + line(ellipse(480, 348, 238, 74), PINE, 20)
        + solid(head, "#F4E3C2", fill(ellipse(520, 336, 110, 30), "#E3C79A", 0.7), line(ellipse(480, 326, 226, 66), "#D9BE93", 5), shade=(-14, -12), rim=6)
    )


@picture("Tambor alegre (frente)")
def drum_front() -> str:
    return plain("sky", 760) + group(shadow(480, 806, 200, 34), alegre(), size=1.22, about=(480, 640))


@picture("Tambor alegre (sonando)")
def drum_playing() -> str:
    def hand(x: float, y: float, turn: float, skin: str) -> str:
        fingers = "".join(solid(capsule((x + d * 28, y), (x + d * 32, y + 84 - abs(d) * 9), 32), skin, shade=(-5, -4), rim=3) for d in (-1.5, -0.5, 0.5, 1.5))
        thumb = solid(capsule((x + 60, y - 44), (x + 96, y + 10), 34), skin, shade=(-5, -4), rim=3)
        return group(solid(box(x - 52, y - 280, 104, 240, r=40), TOMATO, line(poly((x - 60, y - 70), (x + 60, y - 70), closed=False), SUN, 16), shade=(-12, 0), rim=4), thumb, fingers, solid(box(x - 60, y - 92, 120, 116, r=44), skin, shade=(-10, -6), rim=3), turn=turn, about=(x, y))

    beats = swish((480, 420), 340, -64, -36, SUN, 11) + swish((480, 420), 340, -144, -116, SUN, 11) + swish((480, 420), 384, -58, -42, TOMATO, 11) + swish((480, 420), 384, -138, -122, TOMATO, 11)
    return halo("butter", radius=400, cy=520) + shadow(480, 902, 200, 30) + beats + group(alegre(), move=(0, 96)) + hand(350, 330, -14, "#8A5A3C") + flip(hand(350, 330, -14, "#8A5A3C"))


@picture("Tambor alegre (cuñas)")
def drum_detail() -> str:
    return flat("sky") + group(alegre(), move=(60, -90), size=2.2, about=(440, 540))


# Guacharaca -----------------------------------------------------------------------------------------------------


def guacharaca(a: Point, long: float, width: float, turn: float) -> str:
    """A ribbed cane lying level from a, before turning."""
    x, y = a
    cane = box(x, y - width / 2, long, width, r=width * 0.44)
    ribs = "".join(line(curve((x + u, y - width * 0.36), (x + u + 9, y), (x + u, y + width * 0.36)), "#8A6A35", 8) + line(curve((x + u + 8, y - width * 0.34), (x + u + 17, y), (x + u + 8, y + width * 0.34)), "#F2DC9F", 4) for u in range(int(long * 0.17), int(long * 0.84), 26))
    rings = "".join(fill(box(x + long * u, y - width, 24, width * 2), c) for u, c in ((0.07, TOMATO), (0.11, SUN), (0.885, SUN), (0.925, TOMATO)))
    mouth = fill(ellipse(x + long - width * 0.16, y, width * 0.16, width * 0.36), "#5B3F22")
    return group(solid(cane, "#D7B765", ribs, rings, shade=(-10, -width * 0.16), rim=6), mouth, turn=turn, about=(x + long / 2, y))


def trinche(x: float, y: float, s: float, turn: float) -> str:
    """The fork that scrapes it; (x, y) is the root of the wires."""
    wires = "".join(line(curve((x + d * s * 0.05, y), (x + d * s * 0.12, y - s * 0.4), (x + d * s * 0.14, y - s * 0.9)), STEEL, s * 0.035) for d in (-1.5, -0.5, 0.5, 1.5))
    handle = poly((x - s * 0.16, y - s * 0.06), (x + s * 0.16, y - s * 0.06), (x + s * 0.12, y + s * 0.4), (x + s * 0.17, y + s * 0.94), (x - s * 0.17, y + s * 0.94), (x - s * 0.12, y + s * 0.4), r=s * 0.08)
    return group(wires, solid(handle, CEDAR, grain(handle.bounds(), CEDAR, 6, 3, upright=True), fill(box(x - s * 0.3, y + s * 0.02, s * 0.6, s * 0.08), TEAL), fill(box(x - s * 0.3, y + s * 0.78, s * 0.6, s * 0.06), SUN), shade=(-s * 0.07, 0), rim=4), turn=turn, about=(x, y))


@picture("guacharaca-y-trinche-1")
def guacharaca_plain() -> str:
    return flat("lilac") + cast(capsule((200, 660), (720, 250), 120), 18, 26, 14, 0.3) + guacharaca((70, 440), 800, 136, -38) + cast(capsule((640, 820), (760, 500), 50), 12, 18, 10, 0.28) + trinche(720, 640, 250, 18)


@picture("guacharaca-y-trinche-2")
def guacharaca_playing() -> str:
    return halo("mint", radius=400) + guacharaca((60, 600), 840, 150, 14) + trinche(640, 400, 270, 200) + swish((560, 580), 130, 180, 250, TOMATO, 11) + swish((560, 580), 168, 190, 240, SUN, 11) + note(190, 300, 34, TOMATO, True) + note(380, 220, 28, TEAL) + note(820, 800, 28, PLUM)


@picture("guacharaca-y-trinche-3")
def guacharaca_detail() -> str:
    return flat("lilac") + guacharaca((-260, 520), 1700, 420, -16) + trinche(640, 560, 520, 208)


# Acordeón -------------------------------------------------------------------------------------------------------


def treble(x: float, y: float) -> str:
    """The melody side: grille, pearl buttons; (x, y) is its upper left, 230 × 460."""
    grille = box(x + 24, y + 40, 90, 380, r=24)
    cuts = "".join(line(curve((x + 36, y + 70 + n * 40), (x + 68, y + 56 + n * 40), (x + 102, y + 70 + n * 40)), darker(BRASS, 0.36), 9) for n in range(9))
    board = solid(box(x + 134, y + 26, 78, 408, r=22), CREAM, shade=(-8, -8), rim=4)
    buttons = "".join(solid(circle(x + 173, y + 66 + n * 54, 19), WHITE, fill(circle(x + 170, y + 62 + n * 54, 9), "#F3DDE4"), shade=(-5, -6), rim=3) for n in range(7))
    return solid(box(x, y, 230, 460, r=(36, 20, 20, 36)), TOMATO, fill(box(x + 10, y + 10, 210, 10, r=5), lighter(TOMATO, 0.3)), shade=(-14, -16), rim=6) + solid(grille, BRASS, cuts, shade=(-8, -8), rim=4) + board + buttons


def bass(x: float, y: float) -> str:
    """The bass side, 170 × 460."""
    medal = solid(circle(x + 86, y + 190, 54), BRASS, fill(star(x + 86, y + 190, 36, 15, 5, 3), TOMATO_DARK), shade=(-8, -9), rim=4)
    keys = "".join(solid(circle(x + 86, y + 316 + n * 60, 21), WHITE, shade=(-5, -6), rim=3) for n in range(2))
    return solid(box(x, y, 170, 460, r=(20, 36, 36, 20)), TOMATO, line(box(x + 22, y + 24, 126, 412, r=20), BRASS, 6), shade=(-14, -16), rim=6) + medal + keys


def bellows(points: list[tuple[Point, Point]], wide: bool) -> str:
    """Folds between pairs of (upper, lower) points."""
    parts = ""
    for n, ((ua, la), (ub, lb)) in enumerate(zip(points, points[1:], strict=False)):
        tone = ("#2E4F7A", "#3D6AA0")[n % 2] if wide else ("#2E4F7A", "#3A6295")[n % 2]
        parts += fill(poly(ua, ub, lb, la), tone) + line(poly(ub, lb, closed=False), "#22395A", 4)
        parts += fill(poly(ua, ub, (ub[0], ub[1] + 22), (ua[0], ua[1] + 22)), BRASS if n % 2 else darker(BRASS, 0.15)) + fill(poly((la[0], la[1] - 22), (lb[0], lb[1] - 22), lb, la), BRASS if n % 2 else darker(BRASS, 0.15))
        mid = ((ua[0] + ub[0] + la[0] + lb[0]) / 4, (ua[1] + ub[1] + la[1] + lb[1]) / 4)
        if n % 2 == 0:
            parts += fill(poly((mid[0], mid[1] - 30), (mid[0] + 10, mid[1]), (mid[0], mid[1] + 30), (mid[0] - 10, mid[1])), SUN, 0.9)
    return parts


@picture("Acordeón infantil (cerrado)")
def accordion_closed() -> str:
    folds = [((360 + n * 24, 268 + (8 if n % 2 else 0)), (360 + n * 24, 700 - (8 if n % 2 else 0))) for n in range(11)]
    strap = line(curve((210, 270), (60, 360), (70, 600), (210, 690)), darker(COCOA, 0.2), 44) + line(curve((210, 270), (60, 360), (70, 600), (210, 690)), "#6A4A3B", 34) + stitches(curve((206, 284), (74, 366), (84, 596), (206, 678)), CREAM, 4)
    return plain("butter", 690) + shadow(480, 728, 380, 38) + strap + bellows(folds, False) + treble(134, 256) + bass(594, 256) + line(curve((770, 330), (850, 400), (850, 560), (770, 640)), "#6A4A3B", 28)


@picture("Acordeón infantil (abierto)")
def accordion_open() -> str:
    pivot = (480, 1180)
    folds = []
    for n in range(19):
        a = -90 - 30 + n * 60 / 18
        outer, inner = (880, 470) if n % 2 else (866, 484)
        folds.append((polar(pivot, outer, a), polar(pivot, inner, a)))
    left = group(treble(365, 310), turn=-30, about=(480, 1180))
    right = group(bass(395, 310), turn=30, about=(480, 1180))
    music = note(150, 880, 30, TOMATO, True) + note(760, 890, 30, TEAL) + note(480, 860, 34, PLUM, True)
    return flat("mint") + group(bellows(folds, True), group(left, move=(-70, 30)), group(right, move=(70, 30)), size=0.86, move=(0, 10), about=(480, 500)) + music


@picture("Acordeón infantil (botones)")
def accordion_detail() -> str:
    return flat("butter") + group(bellows([((496 + n * 30, 40), (496 + n * 30, 1100)) for n in range(18)], False), group(treble(134, 256), size=2.3, about=(250, 486)), move=(70, 0))


# Guitarra -------------------------------------------------------------------------------------------------------


def guitar() -> str:
    """The little guitar upright, 300–660 wide, head up."""
    body = twin((480, 470), (560, 478), (610, 530), (590, 600), (640, 680), (640, 790), (560, 860), (480, 870))
    neck = box(450, 190, 60, 330, r=8)
    head = poly((442, 200), (430, 90), (446, 66), (514, 66), (530, 90), (518, 200), r=10)
    rosette = "".join(line(circle(480, 620, r), c, w) for r, c, w in ((74, WALNUT, 6), (64, TOMATO, 9), (53, SUN, 7)))
    petals_ = "".join(fill(leaf(polar((480, 620), 78, a), polar((480, 620), 108, a), 18), TEAL if n % 2 else TOMATO) for n, a in enumerate(range(0, 360, 30)))
    strings = "".join(line(poly((458 + n * 8.8, 110), (452 + n * 11.4, 778), closed=False), "#F5EFE0", 2.6) for n in range(6))
    pegs = "".join(solid(box(404 if d < 0 else 524, y, 32, 20, r=8), CREAM, shade=(-3, -4), rim=2) for d in (-1, 1) for y in (90, 126, 162))
    return (
        pegs + solid(body, "#E2AE6B", grain(body.bounds(), "#E2AE6B", 12, 18, upright=True), line(body, "#B9783B", 18), petals_, shade=(-24, -20), rim=6)
        + fill(circle(480, 620, 47), "#4A2B1C") + rosette
        + solid(neck, WALNUT, *(line(poly((450, y), (510, y), closed=False), BRASS, 4) for y in (230, 272, 312, 350, 386, 420, 452, 482)), *(fill(circle(480, y, 6), CREAM) for y in (331, 403)), shade=(-10, 0), rim=4)
        + solid(head, CEDAR, fill(star(480, 96, 18, 8, 5, 2), SUN), shade=(-10, -10), rim=4) + solid(box(416, 768, 128, 30, r=10), WALNUT, shade=(-6, -8), rim=3) + strings
    )


@picture("guitarrita-de-palo-1")
def guitar_front() -> str:
    return flat("peach") + group(cast(twin((480, 470), (610, 530), (640, 680), (600, 850), (480, 870)), 20, 26, 14, 0.3), cast(box(446, 80, 68, 420, r=8), 16, 22, 10, 0.3), guitar(), turn=14, about=(480, 480), size=1.04)


@picture("guitarrita-de-palo-2")
def guitar_case() -> str:
    case = twin((640, 120), (710, 130), (720, 420), (810, 520), (790, 620), (850, 740), (760, 850), (640, 860), x=640)
    pocket = box(548, 650, 184, 130, r=30)
    zip_ = line(case.size(0.93, about=(640, 500)), CREAM, 5, dash="12 9")
    return (
        plain("mint", 740) + shadow(640, 866, 220, 26) + shadow(300, 862, 170, 24)
        + solid(case, SKY, zip_, flowers_dots(), shade=(-24, -18), rim=6) + solid(pocket, darker(SKY, 0.12), fill(star(640, 712, 34, 15, 5, 3), SUN), shade=(-8, -8), rim=4) + stitches(box(560, 662, 160, 106, r=22), CREAM, 4) + line(arc((640, 124), 40, 180, 360), darker(SKY, 0.3), 16)
        + group(guitar(), move=(-170, -8), turn=-9, size=0.98, about=(480, 860))
    )


def flowers_dots() -> str:
    """Dots printed on the case."""
    chance = Random(3)
    return "".join(fill(circle(chance.uniform(440, 850), chance.uniform(130, 860), 7), lighter(SKY, 0.4), 0.7) for _ in range(60))


@picture("guitarrita-de-palo-3")
def guitar_detail() -> str:
    return flat("peach") + group(guitar(), move=(0, -140), turn=10, size=2.9, about=(480, 620))


# Sonajero -------------------------------------------------------------------------------------------------------


def rattle() -> str:
    """A turned rattle, upright: cage with a bell above, three rings on the stem."""
    maple = "#EBCB98"
    stem = twin((480, 440), (504, 446), (500, 720), (520, 770), (540, 820), (480, 850))
    rings = "".join(solid(box(396 + n * 6, 520 + n * 62, 168 - n * 12, 50, r=25), c, shade=(-14, -10), rim=5) + gloss((412 + n * 6, 538 + n * 62), (440 + n * 6, 532 + n * 62), 0, 8, 0.6) for n, c in enumerate((TOMATO, SUN, TEAL)))
    bars_back = "".join(line(curve((480, 150), (480 + d * 90, 290), (480, 430)), darker(maple, 0.3), 20) for d in (-0.6, 0.6))
    bell = solid(circle(480, 316, 62), BRASS, line(poly((430, 330), (530, 330), closed=False), darker(BRASS, 0.4), 7), fill(circle(480, 330, 10), darker(BRASS, 0.5)), shade=(-12, -14), rim=5) + gloss((444, 300), (466, 274), -0.2, 10, 0.8)
    bars = "".join(line(curve((480 + d * 10, 146), (480 + d * 150, 290), (480 + d * 10, 436)), darker(maple, 0.2), 30) + line(curve((480 + d * 10, 146), (480 + d * 150, 290), (480 + d * 10, 436)), maple, 24) for d in (-1, 1)) + line(curve((478, 146), (470, 290), (478, 436)), darker(maple, 0.2), 26) + line(curve((478, 146), (470, 290), (478, 436)), lighter(maple, 0.2), 20)
    caps = solid(twin((480, 110), (540, 124), (548, 160), (480, 172)), maple, shade=(-10, -10), rim=4) + solid(twin((480, 414), (548, 424), (540, 462), (480, 474)), maple, shade=(-10, -10), rim=4)
    return bars_back + bell + bars + caps + solid(stem, maple, grain(stem.bounds(), maple, 3, 4, upright=True), shade=(-14, -6), rim=4) + rings + solid(circle(480, 826, 48), maple, line(circle(474, 820, 24), darker(maple, 0.14), 4), shade=(-10, -12), rim=4)


@picture("sonajero-de-madera-1")
def rattle_plain() -> str:
    return flat("rose") + group(cast(capsule((480, 160), (480, 820), 110), 24, 26, 16, 0.26), rattle(), turn=24, size=1.1, about=(480, 480))


@picture("sonajero-de-madera-2")
def rattle_blanket() -> str:
    quilt = "".join(fill(box(c * 240, r * 240, 240, 240), (mix(SKY, WHITE, 0.62), mix(SKY, WHITE, 0.74))[(r + c) % 2]) + fill(star(c * 240 + 120, r * 240 + 120, 52, 23, 5, 7), (CREAM, "#F9D98C")[(r + c) % 2]) for r in range(4) for c in range(4))
    seams = "".join(stitches(poly((x, 0), (x, 960), closed=False), WHITE, 4) + stitches(poly((0, x), (960, x), closed=False), WHITE, 4) for x in (228, 252, 468, 492, 708, 732))
    shake = swish((350, 330), 240, 190, 240, TOMATO, 11) + swish((350, 330), 284, 198, 232, SUN, 11)
    return quilt + seams + shake + group(cast(capsule((480, 160), (480, 820), 110), 24, 26, 14, 0.34), rattle(), turn=-34, about=(480, 480))


@picture("sonajero-de-madera-3")
def rattle_detail() -> str:
    return flat("rose") + group(rattle(), move=(20, 200), turn=10, size=2.3, about=(480, 300))

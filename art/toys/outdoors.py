"""Aire libre: stick horse, sand set, skipping rope."""

from art.colour import BEECH, BRASS, CEDAR, COCOA, CREAM, INK, PINE, PINK, SKY, STEEL, SUN, TEAL, TOMATO, TOMATO_DARK, WALNUT, WHITE, darker, lighter
from art.faces import eye, eyes, smile
from art.gallery import picture
from art.lettering import words
from art.materials import daisy, grain, rope, stitches, stripe, swish, wheel
from art.paint import cast, clip, fill, group, line, shadow, solid
from art.scenes import closed_below, cloud, flat, halo, meadow, plain, sun
from art.shapes import Path, blob, box, capsule, circle, curve, ellipse, leaf, polar, poly, sector, star, twin

from random import Random

# Caballito ------------------------------------------------------------------------------------------------------

HORSE, MANE = "#A9673C", "#F0DDB6"


def horse_head() -> str:
    """Quilted head in profile, nose to the left, neck ending at (560, 640)."""
    neck = blob((420, 380), (520, 250), (640, 300), (690, 460), (690, 660), (520, 680), (480, 560))
    head = blob((220, 500), (180, 430), (230, 380), (340, 300), (440, 220), (560, 230), (600, 320), (540, 430), (420, 480), (330, 540), (260, 550))
    ear = solid(leaf((520, 260), (560, 110), 66), HORSE, fill(leaf((526, 250), (556, 140), 32), PINK), shade=(-6, -7), rim=4)
    far_ear = fill(leaf((486, 250), (500, 120), 58), darker(HORSE, 0.2))
    muzzle = blob((176, 440), (240, 374), (320, 420), (330, 530), (262, 560), (206, 520))
    tufts_ = "".join(solid(blob((x, y), (x + 60, y - 14), (x + 96, y + 40), (x + 60, y + 84), (x + 6, y + 50)), MANE, line(curve((x + 12, y + 16), (x + 50, y + 14), (x + 78, y + 42)), darker(MANE, 0.16), 4), line(curve((x + 10, y + 34), (x + 40, y + 38), (x + 60, y + 62)), darker(MANE, 0.16), 4), shade=(-6, -7), rim=3) for x, y in ((600, 570), (620, 500), (622, 430), (604, 362), (570, 298)))
    forelock = "".join(solid(leaf((530, 220), p, 40), MANE, shade=(-4, -5), rim=2) for p in ((430, 300), (460, 330), (500, 330)))
    bridle = (
        line(curve((300, 350), (340, 440), (352, 530)), TOMATO, 20) + line(curve((480, 228), (500, 340), (470, 460)), TOMATO, 20) + line(curve((318, 400), (400, 380), (488, 384)), TOMATO, 18) + stitches(curve((300, 352), (338, 440), (350, 526)), CREAM, 3, 8, 7)
        + solid(circle(336, 470, 26), BRASS, fill(circle(336, 470, 13), HORSE), shade=(-4, -5), rim=3)
    )
    rein = line(curve((336, 480), (440, 640), (600, 560), (690, 520)), TOMATO_DARK, 14) + "".join(bell(x, y) for x, y in ((420, 606), (500, 618), (584, 574)))
    return (
        far_ear + solid(neck, HORSE, stitches(curve((450, 420), (500, 520), (520, 660)), darker(HORSE, 0.25), 4), shade=(-22, -10), rim=6) + tufts_
        + solid(head, HORSE, solid(muzzle, lighter(HORSE, 0.42), shade=(0, 0), rim=0), fill(leaf((330, 330), (480, 250), 50), CREAM), stitches(curve((260, 390), (380, 310), (520, 250)), darker(HORSE, 0.25), 4), shade=(-20, -22), rim=6)
        + ear + forelock + bridle + fill(ellipse(222, 446, 12, 18).turn(20, (222, 446)), COCOA) + line(curve((214, 510), (254, 522), (296, 504)), COCOA, 8)
        + fill(ellipse(430, 330, 30, 34), WHITE) + eye(428, 334, 24, INK) + line(curve((398, 300), (430, 286), (462, 302)), COCOA, 7) + fill(ellipse(396, 420, 30, 20), TOMATO, 0.35) + rein
    )


def bell(x: float, y: float) -> str:
    """A jingle bell."""
    return solid(circle(x, y + 12, 22), BRASS, line(poly((x - 16, y + 16), (x + 16, y + 16), closed=False), darker(BRASS, 0.4), 4), fill(circle(x, y + 16, 5), darker(BRASS, 0.5)), shade=(-5, -6), rim=3)


def hobby_horse() -> str:
    """Head, stick and two little wheels; stands on y = 1400 before scaling."""
    stick = solid(box(584, 600, 44, 760, r=18), PINE, grain((584, 600, 628, 1360), PINE, 3, 3, upright=True), *(fill(box(580, y, 60, 26), c) for y, c in ((800, TOMATO), (840, SUN), (880, TEAL), (1180, TEAL), (1220, SUN), (1260, TOMATO))), shade=(-12, 0), rim=4)
    handle = solid(box(500, 720, 210, 44, r=22), CEDAR, grain((500, 720, 710, 764), CEDAR, 5, 3), shade=(-6, -10), rim=4)
    return stick + handle + wheel(556, 1350, 56, SUN, TOMATO) + wheel(660, 1350, 56, SUN, TOMATO) + horse_head() + solid(blob((490, 640), (600, 660), (716, 630), (706, 690), (600, 706), (500, 690)), TEAL, *(fill(circle(x, 672, 9), SUN) for x in (540, 600, 660)), shade=(-8, -8), rim=4)


@picture("Caballito 'Relámpago' (completo)")
def horse_full() -> str:
    return plain("sky", 760) + shadow(560, 868, 150, 20) + group(group(hobby_horse(), move=(40, -15), size=0.65, about=(480, 0)), turn=7, about=(560, 868))


@picture("Caballito 'Relámpago' (al galope)")
def horse_gallop() -> str:
    dust = "".join(fill(circle(x, y, r), WHITE, 0.8) for x, y, r in ((830, 850, 40), (880, 830, 30), (790, 870, 26), (910, 866, 22)))
    speed = "".join(line(poly((x, y), (x + 130, y + 16), closed=False), c, 11, opacity=0.9) for x, y, c in ((770, 330, TOMATO), (810, 390, SUN), (780, 450, TOMATO)))
    return meadow("peach", "#C6DA9E", 600) + sun(170, 160, 66) + cloud(760, 170, 84) + speed + dust + group(hobby_horse(), move=(-20, 30), turn=-30, size=0.6, about=(420, 330)) + "".join(daisy(x, y, 20, WHITE, SUN) for x, y in ((90, 860), (300, 910), (500, 880)))


@picture("Caballito 'Relámpago' (cabeza)")
def horse_close() -> str:
    return halo("sky", radius=400) + group(horse_head(), move=(40, 130), size=1.42, about=(440, 400))


# Set de arena ---------------------------------------------------------------------------------------------------


def bucket(x: float, base: float, s: float) -> str:
    """A painted tin bucket."""
    body = poly((x - s * 0.54, base - s), (x + s * 0.54, base - s), (x + s * 0.4, base), (x - s * 0.4, base), r=(4, 4, s * 0.08, s * 0.08))
    waves = fill(closed_below(curve((x - s, base - s * 0.34), (x - s * 0.5, base - s * 0.42), (x - s * 0.1, base - s * 0.32), (x + s * 0.3, base - s * 0.42), (x + s, base - s * 0.32))), SKY) + line(curve((x - s, base - s * 0.34), (x - s * 0.5, base - s * 0.42), (x - s * 0.1, base - s * 0.32), (x + s * 0.3, base - s * 0.42), (x + s, base - s * 0.32)), WHITE, s * 0.03)
    crab = solid(ellipse(x, base - s * 0.56, s * 0.2, s * 0.13), TOMATO, shade=(-4, -4), rim=3) + "".join(line(curve((x + d * s * 0.17, base - s * 0.56), (x + d * s * 0.3, base - s * 0.64), (x + d * s * 0.28, base - s * 0.72)), TOMATO, s * 0.05) + fill(circle(x + d * s * 0.28, base - s * 0.74, s * 0.06), TOMATO) + line(poly((x + d * s * 0.14, base - s * 0.48), (x + d * s * 0.24, base - s * 0.42), closed=False), TOMATO, s * 0.035) for d in (-1, 1)) + eyes(x, base - s * 0.6, s * 0.14, s * 0.03, INK) + smile(x, base - s * 0.53, s * 0.1, s * 0.04, INK, s * 0.015)
    handle = line(curve((x - s * 0.52, base - s * 0.94), (x - s * 0.4, base - s * 1.44), (x + s * 0.4, base - s * 1.44), (x + s * 0.52, base - s * 0.94)), STEEL, s * 0.05) + line(poly((x - s * 0.16, base - s * 1.38), (x + s * 0.16, base - s * 1.38), closed=False), TOMATO, s * 0.12)
    return handle + fill(ellipse(x, base - s, s * 0.54, s * 0.11), "#8E7F6A") + solid(body, SUN, waves, crab, shade=(-s * 0.13, 0), rim=5) + line(ellipse(x, base - s, s * 0.54, s * 0.11), lighter(STEEL, 0.2), s * 0.04) + "".join(solid(circle(x + d * s * 0.52, base - s * 0.94, s * 0.05), STEEL, shade=(-2, -3), rim=2) for d in (-1, 1))


def shovel(x: float, y: float, s: float, turn: float, colour: str = TOMATO) -> str:
    """A spade, blade down; (x, y) its middle."""
    return group(
        solid(box(x - s * 0.06, y - s * 0.8, s * 0.12, s * 0.9, r=s * 0.04), PINE, grain((x - s * 0.06, y - s, x + s * 0.06, y), PINE, 3, 2, upright=True), shade=(-4, 0), rim=3) + solid(box(x - s * 0.22, y - s * 0.94, s * 0.44, s * 0.17, r=s * 0.08), colour, shade=(-4, -5), rim=3)
        + solid(poly((x - s * 0.28, y + s * 0.04), (x + s * 0.28, y + s * 0.04), (x + s * 0.26, y + s * 0.6), (x, y + s * 0.8), (x - s * 0.26, y + s * 0.6), r=s * 0.09), colour, line(poly((x, y + s * 0.12), (x, y + s * 0.56), closed=False), darker(colour, 0.18), s * 0.05), shade=(-s * 0.06, -s * 0.06), rim=4),
        turn=turn, about=(x, y),
    )


def rake(x: float, y: float, s: float, turn: float, colour: str = TEAL) -> str:
    """A rake, teeth down; (x, y) its middle."""
    teeth = "".join(solid(box(x - s * 0.36 + n * s * 0.16, y + s * 0.3, s * 0.08, s * 0.36, r=s * 0.03), colour, shade=(-3, 0), rim=2) for n in range(5))
    return group(solid(box(x - s * 0.06, y - s * 0.8, s * 0.12, s * 1.06, r=s * 0.04), PINE, grain((x - s * 0.06, y - s, x + s * 0.06, y), PINE, 5, 2, upright=True), shade=(-4, 0), rim=3) + solid(box(x - s * 0.22, y - s * 0.94, s * 0.44, s * 0.17, r=s * 0.08), colour, shade=(-4, -5), rim=3) + teeth + solid(box(x - s * 0.42, y + s * 0.2, s * 0.84, s * 0.18, r=s * 0.08), colour, shade=(-5, -6), rim=3), turn=turn, about=(x, y))


def star_mould(cx: float, cy: float, r: float, turn: float = 0) -> str:
    """A star-shaped mould from above."""
    outer, inner = star(cx, cy, r, r * 0.52, 5, r * 0.16, turn - 90), star(cx, cy, r * 0.74, r * 0.38, 5, r * 0.12, turn - 90)
    return cast(outer, 10, 14, 8, 0.3) + solid(outer, PINK, shade=(-8, -9), rim=5) + fill(inner, darker(PINK, 0.2)) + clip(inner, fill(inner.move(8, 10), darker(PINK, 0.08)))


def shell_mould(cx: float, cy: float, r: float, turn: float = 0, colour: str = SKY) -> str:
    """A snail shell mould, ribs and all."""
    spiral = curve(*(polar((cx, cy), r * (0.86 - n * 0.045), 30 + n * 42) for n in range(18)))
    shape = circle(cx, cy, r)
    foot = blob((cx + r * 0.3, cy + r * 0.66), (cx + r * 1.1, cy + r * 0.7), (cx + r * 1.2, cy + r * 0.98), (cx, cy + r * 1.0))
    return group(cast(shape, 10, 14, 8, 0.3), solid(foot, colour, shade=(-5, -6), rim=3), solid(shape, colour, line(spiral, darker(colour, 0.2), r * 0.12), shade=(-8, -9), rim=5), turn=turn, about=(cx, cy))


SAND = "#E5C68E"


def grains(area: tuple[float, float, float, float], seed: int, count: int = 90) -> str:
    """Loose sand."""
    chance, (left, top, right, bottom) = Random(seed), area
    return "".join(fill(circle(chance.uniform(left, right), chance.uniform(top, bottom), chance.choice((2, 3, 4))), darker(SAND, chance.choice((0.12, 0.2))), 0.8) for _ in range(count))


@picture("set-de-arena-1")
def sand_set() -> str:
    return (
        plain("mint", 700) + shadow(440, 812, 260, 36) + shadow(770, 840, 140, 22) + shadow(170, 846, 110, 18)
        + shovel(290, 380, 300, 166) + rake(588, 380, 300, 194) + bucket(440, 806, 400) + star_mould(784, 770, 104, 10) + shell_mould(160, 780, 74, 0)
    )


@picture("set-de-arena-2")
def sand_castle() -> str:
    waves = closed_below(curve((-40, 420), (120, 432), (280, 414), (460, 432), (640, 412), (820, 430), (1000, 416)))
    beach = closed_below(curve((-40, 590), (200, 560), (480, 580), (760, 550), (1000, 580)))

    def tower_(x: float, base: float, w: float, h: float) -> str:
        body = poly((x - w * 0.5, base), (x - w * 0.42, base - h), (x + w * 0.42, base - h), (x + w * 0.5, base), r=6)
        teeth = "".join(solid(box(x - w * 0.46 + n * w * 0.34, base - h - w * 0.2, w * 0.24, w * 0.26, r=5), darker(SAND, 0.06), shade=(-4, 0), rim=3) for n in range(3))
        return teeth + solid(body, darker(SAND, 0.06), grains(body.bounds(), int(x), 40), fill(box(x - w * 0.1, base - h * 0.72, w * 0.2, w * 0.36, r=(w * 0.1, w * 0.1, 2, 2)), darker(SAND, 0.4)), shade=(-w * 0.12, 0), rim=4)

    flag = line(poly((480, 210), (480, 340), closed=False), WALNUT, 9) + solid(poly((484, 212), (580, 242), (484, 274), r=5), TOMATO, shade=(-4, -5), rim=2)
    gate = fill(box(430, 700, 100, 130, r=(50, 50, 4, 4)), darker(SAND, 0.42))
    shells = "".join(fill(sector((x, y), r, 0, 180, 360), c) + "".join(line(poly((x, y), polar((x, y), r * 0.9, a), closed=False), darker(c, 0.16), 3) for a in (-150, -120, -90, -60, -30)) for x, y, r, c in ((330, 800, 22, PINK), (600, 806, 20, WHITE), (380, 640, 16, WHITE), (580, 644, 16, PINK)))
    return (
        flat("butter") + sun(790, 150, 62) + cloud(220, 170, 84) + fill(waves, "#8CC4D6") + line(curve((-20, 500), (160, 510), (340, 496), (560, 512), (760, 496), (980, 506)), "#D8EEF2", 9) + fill(beach, SAND) + line(curve((-40, 584), (200, 556), (480, 576), (760, 546), (1000, 574)), WHITE, 12) + grains((0, 620, 960, 960), 3)
        + shadow(480, 836, 330, 30, 0.6) + flag + tower_(480, 700, 170, 320) + tower_(270, 830, 150, 260) + tower_(690, 830, 150, 260)
        + solid(box(300, 650, 360, 180, r=8), darker(SAND, 0.03), grains((300, 650, 660, 830), 8, 70), shade=(-14, 0), rim=4) + "".join(solid(box(316 + n * 60, 624, 34, 40, r=5), darker(SAND, 0.03), shade=(-4, 0), rim=3) for n in range(6)) + gate + shells
        + bucket(860, 910, 170) + shovel(120, 830, 180, 20)
    )


@picture("set-de-arena-3")
def sand_moulds() -> str:
    def print_of(shape: Path) -> str:
        return fill(shape, darker(SAND, 0.16)) + clip(shape, fill(shape.move(12, 14), darker(SAND, 0.05))) + line(shape, lighter(SAND, 0.4), 7, opacity=0.8)

    spiral = curve(*(polar((690, 700), 110 * (0.86 - n * 0.045), 30 + n * 42) for n in range(18)))
    return (
        fill(box(0, 0, 960, 960), SAND) + "".join(line(curve((-20, y), (240, y - 16), (480, y), (720, y + 16), (980, y)), darker(SAND, 0.07), 8) for y in range(60, 960, 74)) + grains((0, 0, 960, 960), 5, 140)
        + print_of(star(270, 690, 150, 78, 5, 22, -80)) + print_of(circle(690, 700, 126)) + line(spiral, darker(SAND, 0.22), 14)
        + star_mould(280, 280, 176, -12) + shell_mould(670, 270, 140, 8) + fill(star(490, 500, 50, 24, 5, 8), darker(SAND, 0.14))
    )


# Lazo -----------------------------------------------------------------------------------------------------------


def grip(x: float, y: float, s: float, turn: float, bands: tuple[str, str] = (TOMATO, SUN), seed: int = 2) -> str:
    """A turned handle; the cord enters at (x, y) and the handle runs down."""
    shape = twin((x, y), (x + s * 0.09, y + s * 0.02), (x + s * 0.13, y + s * 0.3), (x + s * 0.1, y + s * 0.6), (x + s * 0.16, y + s * 0.9), (x, y + s), x=x)
    return group(solid(shape, BEECH, grain(shape.bounds(), BEECH, seed, 3, upright=True), stripe(x - s, x + s, y + s * 0.12, s * 0.08, s * 0.02, bands[0]), stripe(x - s, x + s, y + s * 0.23, s * 0.04, s * 0.02, bands[1]), stripe(x - s, x + s, y + s * 0.7, s * 0.04, s * 0.02, bands[1]), stripe(x - s, x + s, y + s * 0.77, s * 0.08, s * 0.02, bands[0]), shade=(-s * 0.05, -s * 0.02), rim=4), turn=turn, about=(x, y))


@picture("lazo-para-saltar-1")
def rope_coiled() -> str:
    coil = "".join(rope(line_path, "#F5EAD2", 26, 17) for line_path in (ellipse(480, 430, 290, 250), ellipse(486, 436, 246, 208), ellipse(476, 428, 202, 168)))
    ends = rope(curve((300, 600), (280, 690), (250, 720)), "#F5EAD2", 26, 17) + rope(curve((640, 610), (690, 680), (700, 700)), "#F5EAD2", 26, 17)
    tie = solid(box(430, 150, 90, 130, r=20), TOMATO, fill(box(420, 196, 110, 12), SUN), shade=(-10, -10), rim=4)
    return flat("lilac") + coil + ends + tie + cast(capsule((250, 720), (200, 880), 50), 12, 18, 8, 0.26) + grip(252, 700, 230, 16) + cast(capsule((700, 700), (780, 860), 50), 12, 18, 8, 0.26) + grip(696, 690, 230, -26, (TEAL, SUN))


@picture("lazo-para-saltar-2")
def rope_swinging() -> str:
    squares = ""
    for n, (x, y, w) in enumerate(((400, 800, 160), (420, 724, 120), (310, 724, 110), (530, 724, 120), (430, 660, 100), (440, 606, 84))):
        corners = poly((x, y), (x + w, y), (x + w * 0.94, y - 62), (x + w * 0.06, y - 62), r=3)
        squares += line(corners, WHITE, 8, opacity=0.95) + fill(words(str(n + 1), x + w / 2, y - 16, 46, 600), WHITE)
    ground = closed_below(curve((-40, 520), (480, 500), (1000, 520)))
    loop = curve((200, 560), (210, 330), (360, 150), (480, 110), (600, 150), (750, 330), (760, 560))
    echo = curve((240, 560), (260, 390), (390, 240), (480, 210), (570, 240), (700, 390), (720, 560))
    return flat("sky") + cloud(150, 170, 70) + cloud(830, 220, 60) + fill(ground, "#CFC3B4") + group(squares, move=(0, 90)) + line(echo, WHITE, 9, dash="24 22", opacity=0.8) + rope(loop, "#F5EAD2", 24, 16) + grip(200, 550, 210, 6) + grip(760, 550, 210, -6, (TEAL, SUN)) + swish((480, 420), 380, -62, -40, TOMATO, 11) + swish((480, 420), 380, -140, -118, TOMATO, 11)


@picture("lazo-para-saltar-3")
def rope_detail() -> str:
    return flat("lilac") + rope(curve((-40, 180), (180, 60), (360, 160), (330, 300)), "#F5EAD2", 62, 40) + grip(330, 270, 720, -6) + rope(curve((1000, 120), (820, 60), (640, 150), (660, 270)), "#F5EAD2", 62, 40) + grip(664, 250, 720, 8, (TEAL, SUN), 7)

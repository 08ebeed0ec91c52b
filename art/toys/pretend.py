"""Juego de roles: kitchen, doctor's bag, market fruit, chocolate set."""

from art.colour import BRASS, CEDAR, COCOA, CREAM, LEAF, LIME, OAK, ORANGE, PINE, PINK, SKY, STEEL, SUN, TEAL, TOMATO, WALNUT, WHITE, darker, lighter
from art.faces import asleep, cheeks, muzzle_smile
from art.gallery import picture
from art.materials import daisy, grain, screw, stitches, stripe, tufts, wooden
from art.paint import cast, clip, fill, gloss, group, line, shadow, soft, solid
from art.scenes import closed_below, flat, plain
from art.shapes import Point, arc, blob, box, capsule, circle, curve, drop, ellipse, heart, join, leaf, polar, poly, sector, star, twin, twin_poly

# Cocina ---------------------------------------------------------------------------------------------------------


def knob(x: float, y: float, r: float, colour: str, turn: float = 0) -> str:
    """A dial that clicks."""
    return solid(circle(x, y, r), colour, shade=(-r * 0.18, -r * 0.2), rim=3) + group(solid(box(x - r * 0.16, y - r * 0.9, r * 0.32, r * 0.9, r=r * 0.14), CREAM, shade=(0, 0), rim=0), turn=turn, about=(x, y))


def pot(x: float, base: float, s: float, colour: str = TOMATO) -> str:
    """An enamel pot with its lid."""
    body = box(x - s * 0.5, base - s * 0.6, s, s * 0.6, r=(s * 0.06, s * 0.06, s * 0.18, s * 0.18))
    handles = "".join(line(arc((x + d * s * 0.52, base - s * 0.4), s * 0.11, -90 if d > 0 else 90, 90 if d > 0 else 270), darker(colour, 0.3), s * 0.07) for d in (-1, 1))
    lid = sector((x, base - s * 0.6), s * 0.54, 0, 180, 360).size(1, 0.42, (x, base - s * 0.6))
    return handles + solid(body, colour, fill(box(x - s, base - s * 0.5, s * 2, s * 0.06), CREAM), *(fill(circle(x + s * u, base - s * 0.24, s * 0.05), CREAM) for u in (-0.32, -0.11, 0.11, 0.32)), shade=(-s * 0.1, -s * 0.06), rim=4) + solid(lid, colour, shade=(-s * 0.07, -s * 0.06), rim=4) + solid(circle(x, base - s * 0.86, s * 0.08), SUN, shade=(-3, -3), rim=2)


def frying_pan(x: float, base: float, s: float, egg: bool = True) -> str:
    """A pan from above at a slant, handle to the right."""
    food = fill(blob((x - s * 0.24, base - s * 0.06), (x - s * 0.1, base - s * 0.16), (x + s * 0.2, base - s * 0.14), (x + s * 0.26, base), (x, base + s * 0.08), (x - s * 0.2, base + s * 0.05)), WHITE) + solid(ellipse(x + s * 0.02, base - s * 0.05, s * 0.11, s * 0.06), SUN, shade=(-3, -3), rim=0) if egg else ""
    return line(poly((x + s * 0.42, base), (x + s * 1.1, base - s * 0.14), closed=False), CEDAR, s * 0.1) + solid(ellipse(x, base + s * 0.05, s * 0.5, s * 0.22), "#3B3938", shade=(-6, -8), rim=3) + fill(ellipse(x, base - s * 0.02, s * 0.5, s * 0.2), "#57534F") + fill(ellipse(x, base, s * 0.43, s * 0.16), "#3B3938") + food


def burner(x: float, y: float, rx: float) -> str:
    """A painted ring."""
    return fill(ellipse(x, y, rx, rx * 0.3), "#3B3938") + line(ellipse(x, y, rx * 0.72, rx * 0.21), TOMATO, 5) + line(ellipse(x, y, rx * 0.4, rx * 0.12), ORANGE, 4)


def steam(x: float, y: float, s: float) -> str:
    """Three curls of vapour."""
    return "".join(line(curve((x + d, y), (x + d - s * 0.14, y - s * 0.3), (x + d + s * 0.12, y - s * 0.6), (x + d, y - s * 0.95)), WHITE, s * 0.09, opacity=0.9) for d in (-s * 0.3, 0, s * 0.3))


def kitchen() -> str:
    """Counter with oven and sink, back board with shelf and clock."""
    back = poly((210, 120), (750, 120), (750, 480), (210, 480), r=(40, 40, 4, 4))
    tiles = "".join(line(poly((210, y), (750, y), closed=False), darker("#D8EBE4", 0.08), 3) for y in (400, 440)) + "".join(line(poly((x, 366), (x, 480), closed=False), darker("#D8EBE4", 0.08), 3) for x in range(250, 750, 40))
    clock = solid(circle(640, 210, 54), CREAM, line(circle(640, 210, 48), TOMATO, 9), line(poly((640, 210), (640, 178), closed=False), COCOA, 6), line(poly((640, 210), (662, 222), closed=False), COCOA, 6), *(fill(circle(*polar((640, 210), 36, a), 3.4), COCOA) for a in range(0, 360, 30)), shade=(0, 0), rim=0)
    shelf = solid(box(236, 290, 300, 24, r=8), OAK, shade=(0, -8), rim=3) + "".join(jar(x, 290, c) for x, c in ((284, TOMATO), (360, SUN), (436, TEAL))) + cup(505, 290, 52, SKY)
    hooks = "".join(line(poly((x, 314), (x, 340), closed=False), COCOA, 5) for x in (290, 350, 410)) + line(poly((290, 340), (290, 400), closed=False), OAK, 9) + fill(ellipse(290, 412, 17, 23), OAK) + line(poly((350, 340), (350, 396), closed=False), STEEL, 8) + fill(box(334, 392, 32, 36, r=6), STEEL) + line(poly((410, 340), (410, 398), closed=False), TOMATO, 8) + fill(ellipse(410, 410, 18, 16), TOMATO)
    cabinet = box(170, 500, 620, 330, r=(8, 8, 16, 16))
    oven = solid(box(200, 590, 300, 220, r=18), CREAM, shade=(-8, -8), rim=3) + solid(box(230, 640, 240, 140, r=16), "#3B3333", fill(box(244, 712, 212, 6), "#6B5F5C"), chicken(350, 708), line(poly((250, 770), (330, 650), closed=False), WHITE, 12, opacity=0.16), shade=(10, 10), rim=0) + line(poly((250, 616), (450, 616), closed=False), STEEL, 14)
    door = solid(box(530, 590, 230, 220, r=18), CREAM, fill(heart(645, 690, 74), PINK), shade=(-8, -8), rim=3) + solid(circle(556, 700, 13), SUN, shade=(-3, -4), rim=2)
    knobs = "".join(knob(x, 552, 20, c, t) for x, c, t in ((230, TOMATO, -40), (290, SUN, 0), (350, TEAL, 30), (410, SKY, 70)))
    counter = solid(box(150, 470, 660, 46, r=14), OAK, grain((150, 470, 810, 516), OAK, 3, 3), shade=(0, -14), rim=5)
    sink = fill(ellipse(676, 476, 96, 17), "#8D969B") + fill(ellipse(676, 478, 84, 12), STEEL) + line(curve((740, 474), (744, 400), (700, 386), (676, 420)), STEEL, 16)
    return (
        solid(back, "#D8EBE4", fill(box(210, 366, 540, 120), WHITE), tiles, shade=(-12, -12), rim=5) + clock + shelf + hooks
        + solid(cabinet, TEAL, grain(cabinet.bounds(), TEAL, 4, 9), shade=(-16, -12), rim=5) + oven + door + knobs + counter + burner(280, 476, 74) + burner(450, 476, 74) + sink + pot(280, 472, 120)
        + "".join(solid(box(x, 826, 60, 30, r=8), WALNUT, shade=(-5, -6), rim=3) for x in (200, 700))
    )


def jar(x: float, base: float, colour: str) -> str:
    """A spice jar."""
    return solid(box(x - 28, base - 70, 56, 70, r=10), "#E9F1EE", fill(box(x - 28, base - 42, 56, 42), colour), shade=(-6, 0), rim=2) + solid(box(x - 30, base - 84, 60, 20, r=6), CEDAR, shade=(-4, -5), rim=2)


def cup(x: float, base: float, s: float, colour: str) -> str:
    """A small cup."""
    return line(arc((x + s * 0.46, base - s * 0.42), s * 0.24, -90, 90), darker(colour, 0.2), s * 0.13) + solid(box(x - s * 0.46, base - s * 0.84, s * 0.92, s * 0.84, r=(s * 0.05, s * 0.05, s * 0.3, s * 0.3)), colour, fill(box(x - s, base - s * 0.6, s * 2, s * 0.14), CREAM), shade=(-s * 0.12, 0), rim=3)


def chicken(x: float, y: float) -> str:
    """Roast in the oven."""
    return solid(blob((x - 66, y), (x - 56, y - 40), (x, y - 54), (x + 54, y - 36), (x + 60, y)), "#C98545", shade=(-7, -7), rim=3) + line(poly((x + 50, y - 20), (x + 88, y - 34), closed=False), "#C98545", 15) + fill(circle(x + 92, y - 36, 10), CREAM)


@picture("Cocina de juguete (frente)")
def kitchen_front() -> str:
    return plain("peach", 740) + shadow(480, 858, 370, 32) + kitchen()


@picture("Cocina de juguete (cocinando)")
def kitchen_cooking() -> str:
    wall = "".join(line(poly((0, y), (960, y), closed=False), darker("#D3E8DB", 0.06), 4) for y in range(60, 640, 120)) + "".join(line(poly((x, 0), (x, 640), closed=False), darker("#D3E8DB", 0.06), 4) for x in range(60, 960, 120))
    counter = solid(box(-40, 620, 1040, 400, r=0), TEAL, grain((0, 700, 960, 960), TEAL, 6, 6), shade=(0, 0), rim=0) + solid(box(-40, 590, 1040, 110, r=10), OAK, grain((0, 590, 960, 700), OAK, 3, 5), shade=(0, -26), rim=6)
    return flat("mint") + wall + counter + burner(300, 622, 190) + burner(690, 640, 180) + steam(300, 250, 170) + pot(300, 612, 330) + frying_pan(676, 618, 320) + "".join(knob(x, 830, 50, c, t) for x, c, t in ((200, TOMATO, -40), (390, SUN, 60), (580, SKY, 0), (770, PINK, 30)))


@picture("Cocina de juguete (utensilios)")
def kitchen_tools() -> str:
    spoon = cast(capsule((720, 200), (560, 400), 50), 12, 18, 9, 0.28) + line(poly((800, 120), (600, 360), closed=False), darker(OAK, 0.2), 38) + line(poly((800, 120), (600, 360), closed=False), OAK, 30) + solid(ellipse(566, 402, 62, 84).turn(40, (566, 402)), OAK, fill(ellipse(562, 400, 40, 58).turn(40, (562, 400)), darker(OAK, 0.14)), shade=(-7, -8), rim=4)
    egg = cast(circle(760, 380, 70), 10, 14, 8, 0.26) + solid(blob((690, 380), (720, 320), (800, 310), (850, 370), (820, 440), (740, 450)), WHITE, shade=(-6, -7), rim=3) + solid(circle(768, 380, 36), SUN, shade=(-6, -7), rim=4)
    return flat("peach") + shadow(270, 478, 190, 26, 0.6) + pot(270, 470, 320) + spoon + egg + shadow(440, 800, 260, 50, 0.5) + frying_pan(400, 740, 400, False)


# Maletín --------------------------------------------------------------------------------------------------------


def stethoscope(points: tuple[Point, ...], disc: Point) -> str:
    """A tube that ends in its disc."""
    return line(curve(*points), darker(TEAL, 0.25), 26) + line(curve(*points), TEAL, 20) + line(curve(*points).move(-3, -4), lighter(TEAL, 0.35), 4) + solid(circle(*disc, 52), STEEL, line(circle(*disc, 34), darker(STEEL, 0.18), 5), shade=(-8, -9), rim=4)


def thermometer(x: float, y: float, s: float, turn: float) -> str:
    """A wooden thermometer, bulb down; (x, y) its middle."""
    return group(solid(capsule((x, y - s * 0.8), (x, y + s * 0.7), s * 0.36), CREAM, *(line(poly((x + s * 0.02, y - s * 0.6 + n * s * 0.2), (x + s * 0.12, y - s * 0.6 + n * s * 0.2), closed=False), COCOA, 3) for n in range(6)), line(poly((x - s * 0.04, y - s * 0.2), (x - s * 0.04, y + s * 0.7), closed=False), TOMATO, s * 0.08), shade=(-s * 0.05, 0), rim=3) + solid(circle(x, y + s * 0.82, s * 0.2), TOMATO, shade=(-3, -4), rim=2), turn=turn, about=(x, y))


def syringe(x: float, y: float, s: float, turn: float) -> str:
    """A toy syringe, point down; (x, y) its middle."""
    return group(
        solid(box(x - s * 0.06, y - s * 0.95, s * 0.12, s * 0.5, r=4), STEEL, shade=(-3, 0), rim=0) + solid(box(x - s * 0.24, y - s * 1.04, s * 0.48, s * 0.13, r=s * 0.05), TOMATO, shade=(0, -4), rim=2) + solid(box(x - s * 0.3, y - s * 0.56, s * 0.6, s * 0.1, r=s * 0.04), TOMATO, shade=(0, -4), rim=2)
        + solid(box(x - s * 0.19, y - s * 0.5, s * 0.38, s * 0.96, r=s * 0.06), "#E4F0F2", fill(box(x - s * 0.19, y - s * 0.1, s * 0.38, s * 0.6), PINK), *(line(poly((x, y - s * 0.3 + n * s * 0.16), (x + s * 0.14, y - s * 0.3 + n * s * 0.16), closed=False), COCOA, 3) for n in range(5)), shade=(-s * 0.05, 0), rim=3)
        + solid(poly((x - s * 0.1, y + s * 0.44), (x + s * 0.1, y + s * 0.44), (x + s * 0.05, y + s * 0.66), (x - s * 0.05, y + s * 0.66), r=4), TOMATO, shade=(-3, 0), rim=0) + solid(circle(x, y + s * 0.72, s * 0.09), SUN, shade=(-2, -3), rim=0),
        turn=turn, about=(x, y),
    )


def hammer(x: float, y: float, s: float, turn: float) -> str:
    """A reflex hammer; (x, y) its middle."""
    return group(solid(box(x - s * 0.07, y - s * 0.5, s * 0.14, s * 1.3, r=s * 0.06), PINE, shade=(-3, 0), rim=2) + solid(poly((x - s * 0.4, y - s * 0.84), (x + s * 0.4, y - s * 0.68), (x + s * 0.4, y - s * 0.5), (x - s * 0.4, y - s * 0.34), r=s * 0.07), ORANGE, shade=(-5, -6), rim=3), turn=turn, about=(x, y))


def plaster(x: float, y: float, s: float, colour: str, turn: float) -> str:
    """A felt plaster."""
    return group(solid(capsule((x - s * 0.5, y), (x + s * 0.5, y), s * 0.5), colour, fill(box(x - s * 0.22, y - s * 0.25, s * 0.44, s * 0.5), lighter(colour, 0.45)), *(fill(circle(x + dx * s, y + dy * s, s * 0.035), darker(colour, 0.2)) for dx in (-0.1, 0.1) for dy in (-0.1, 0.1)), shade=(-4, -5), rim=2), turn=turn, about=(x, y))


@picture("maletin-de-medicina-1")
def doctor_bag() -> str:
    bag = poly((190, 420), (770, 420), (810, 790), (150, 790), r=(60, 60, 50, 50))
    flap = poly((190, 420), (770, 420), (760, 560), (480, 610), (200, 560), r=(60, 60, 50, 40, 50))
    cross = join((box(444, 626, 72, 150, r=10), box(405, 665, 150, 72, r=10)))
    handle = line(curve((360, 424), (380, 300), (480, 268), (580, 300), (600, 424)), darker(CEDAR, 0.25), 46) + line(curve((360, 424), (380, 300), (480, 268), (580, 300), (600, 424)), CEDAR, 36) + stitches(curve((366, 410), (388, 308), (480, 280), (572, 308), (594, 410)), CREAM, 4)
    return (
        plain("mint", 720) + shadow(480, 796, 360, 38) + handle
        + solid(bag, TOMATO, stitches(bag.size(0.93, about=(480, 610)), CREAM, 5), fill(circle(480, 700, 96), CREAM), fill(cross, TOMATO), shade=(-30, -22), rim=6)
        + solid(flap, darker(TOMATO, 0.1), stitches(flap.size(0.93, about=(480, 490)), CREAM, 5), shade=(-14, -18), rim=5) + solid(box(446, 566, 68, 64, r=14), BRASS, fill(circle(480, 602, 9), darker(BRASS, 0.5)), shade=(-6, -8), rim=4)
        + stethoscope(((300, 400), (230, 470), (250, 620), (200, 720), (120, 740), (90, 800)), (96, 820))
    )


@picture("maletin-de-medicina-2")
def doctor_tools() -> str:
    roll = box(80, 170, 800, 600, r=40)
    pockets = "".join(solid(box(130 + n * 148, 500, 128, 210, r=(6, 6, 24, 24)), c, stitches(box(140 + n * 148, 510, 108, 190, r=18), CREAM, 4), shade=(-6, -8), rim=3) for n, c in enumerate((TEAL, SUN, PINK, SKY, TOMATO)))
    return (
        flat("peach") + cast(roll, 18, 26, 14, 0.3) + solid(roll, CREAM, stitches(roll.size(0.95, about=(480, 470)), TOMATO, 5), shade=(-14, -16), rim=5)
        + thermometer(194, 420, 210, 0) + syringe(342, 420, 200, 0) + hammer(490, 420, 220, 0) + wooden(box(612, 250, 52, 380, r=26), PINE, 3, upright=True, lines=3, shade=(-8, 0), rim=3) + otoscope(786, 420, 200) + pockets
        + plaster(196, 610, 84, "#EBC09A", -30) + plaster(492, 616, 84, SUN, 24) + fill(heart(638, 612, 60), CREAM)
    )


def otoscope(x: float, y: float, s: float) -> str:
    """The lamp for looking into ears."""
    return solid(box(x - s * 0.13, y - s * 0.3, s * 0.26, s * 1.2, r=s * 0.1), "#45403E", shade=(-5, 0), rim=3) + solid(poly((x - s * 0.5, y - s * 0.66), (x + s * 0.06, y - s * 0.86), (x + s * 0.2, y - s * 0.4), (x - s * 0.1, y - s * 0.3), r=s * 0.07), STEEL, shade=(-6, -7), rim=3) + fill(ellipse(x - s * 0.46, y - s * 0.64, s * 0.05, s * 0.08), SUN)


@picture("maletin-de-medicina-3")
def doctor_patient() -> str:
    fur = "#C99562"

    def teddy_ear(x: float) -> str:
        return solid(circle(x, 190, 74), fur, fill(circle(x, 196, 42), "#EBCBA0"), shade=(-9, -10), rim=5)

    head = twin((480, 160), (640, 190), (720, 350), (640, 500), (480, 540))
    muzzle = ellipse(480, 424, 110, 88)
    blanket = closed_below(curve((-40, 640), (240, 610), (480, 640), (720, 608), (1000, 640)))
    squares = "".join(fill(box(c * 120, r * 120 + 600, 120, 120), (PINK, CREAM, SKY, SUN)[(c * 3 + r * 2) % 4], 0.55) for c in range(8) for r in range(3))
    return (
        flat("lilac") + solid(box(110, 120, 740, 480, r=150), WHITE, stitches(box(134, 144, 692, 432, r=130), SKY, 5), shade=(-22, -26), rim=6)
        + teddy_ear(310) + teddy_ear(650) + solid(head, fur, tufts(head, darker(fur, 0.14), 4, 50), shade=(-26, -26), rim=6) + solid(muzzle, "#EBCBA0", shade=(-10, -11), rim=4)
        + asleep(480, 330, 190, 34, COCOA, 10) + fill(ellipse(480, 390, 34, 25), COCOA) + muzzle_smile(480, 412, 76, 30, COCOA, 8) + cheeks(480, 420, 330, 38, TOMATO, 0.45)
        + plaster(610, 230, 130, SUN, 26) + thermometer(600, 470, 160, 112)
        + solid(blanket, WHITE, fill(blanket, "#F2E3D0"), clip(blanket, squares), stitches(curve((-20, 664), (240, 634), (480, 664), (720, 632), (980, 664)), TOMATO, 5), shade=(0, -16), rim=6)
        + solid(ellipse(300, 650, 70, 58), fur, shade=(-10, -10), rim=5) + solid(ellipse(660, 648, 70, 58), fur, shade=(-10, -10), rim=5)
    )


# Frutas ---------------------------------------------------------------------------------------------------------


def pineapple(x: float, base: float, s: float) -> str:
    """La piña."""
    body = twin((x, base - s * 1.2), (x + s * 0.4, base - s * 1.06), (x + s * 0.46, base - s * 0.5), (x + s * 0.3, base - s * 0.06), (x, base), x=x)
    lines_ = "".join(line(curve((x - s * 0.7 + n * s * 0.22, base - s * 1.3), (x + n * s * 0.22 - s * 0.2, base - s * 0.6), (x + s * 0.3 + n * s * 0.22, base + s * 0.1)), "#B9751C", s * 0.03) + line(curve((x + s * 0.7 - n * s * 0.22, base - s * 1.3), (x - n * s * 0.22 + s * 0.2, base - s * 0.6), (x - s * 0.3 - n * s * 0.22, base + s * 0.1)), "#B9751C", s * 0.03) for n in range(-3, 7))
    dots = "".join(fill(circle(x + (c - (r % 2) * 0.5) * s * 0.22, base - s * 0.14 - r * s * 0.17, s * 0.022), "#8A5216") for r in range(7) for c in range(-2, 4))
    crown = "".join(solid(leaf((x, base - s * 1.12), polar((x, base - s * 1.12), s * (0.74 if a == -90 else 0.6), a), s * 0.2), "#4C8F4A" if n % 2 else "#6BAA52", shade=(-3, -4), rim=2) for n, a in enumerate((-150, -30, -132, -48, -112, -68, -90)))
    return crown + solid(body, SUN, lines_, dots, shade=(-s * 0.09, -s * 0.08), rim=4)


def granadilla(x: float, y: float, r: float) -> str:
    """La granadilla, whole, with its long stem."""
    speckles = "".join(fill(circle(*polar((x, y), r * q, a + q * 90), r * 0.035), "#F8D9A4", 0.9) for q in (0.3, 0.55, 0.8) for a in range(0, 360, 40))
    return line(curve((x, y - r * 0.9), (x + r * 0.06, y - r * 1.2), (x + r * 0.24, y - r * 1.44)), "#6B7F38", r * 0.1) + solid(ellipse(x, y, r, r * 0.96), "#E8922E", speckles, shade=(-r * 0.16, -r * 0.17), rim=4) + "".join(fill(leaf((x, y - r * 0.9), polar((x, y - r * 0.9), r * 0.4, a), r * 0.16), "#7FA23F") for a in (-160, -20, 100)) + gloss((x - r * 0.6, y - r * 0.16), (x - r * 0.24, y - r * 0.58), -0.16, r * 0.1, 0.55)


def half_granadilla(x: float, y: float, r: float) -> str:
    """Cut open: white pith and grey seeds in jelly."""
    seeds = "".join(fill(drop(polar((x, y), r * (q + 0.16), a), polar((x, y), r * q, a), r * 0.09), "#4A5058") for q, step in ((0.16, 90), (0.4, 45)) for a in range(0, 360, step))
    return solid(circle(x, y, r), "#E8922E", shade=(-6, -7), rim=3) + fill(circle(x, y, r * 0.86), "#FFF5E0") + fill(circle(x, y, r * 0.66), "#D9DED2") + seeds


def mango(x: float, y: float, s: float) -> str:
    """El mango."""
    shape = blob((x - s * 0.5, y + s * 0.1), (x - s * 0.3, y - s * 0.5), (x + s * 0.3, y - s * 0.54), (x + s * 0.56, y), (x + s * 0.24, y + s * 0.5), (x - s * 0.3, y + s * 0.46))
    return solid(shape, SUN, soft(ellipse(x + s * 0.2, y - s * 0.3, s * 0.46, s * 0.4), TOMATO, 14, 0.85), soft(ellipse(x - s * 0.4, y + s * 0.3, s * 0.3, s * 0.2), LIME, 12, 0.6), shade=(-s * 0.1, -s * 0.11), rim=4) + line(curve((x + s * 0.04, y - s * 0.5), (x + s * 0.06, y - s * 0.66)), WALNUT, s * 0.08) + fill(leaf((x + s * 0.06, y - s * 0.6), (x + s * 0.5, y - s * 0.74), s * 0.18), LEAF) + gloss((x - s * 0.32, y - s * 0.06), (x - s * 0.1, y - s * 0.36), -0.16, s * 0.07)


def watermelon_slice(x: float, y: float, r: float, turn: float = 0) -> str:
    """La patilla, a thick wedge; (x, y) is the middle of its straight edge."""
    rind = sector((x, y), r, 0, 0, 180)
    seeds = "".join(fill(drop(polar((x, y), r * q - 12, a), polar((x, y), r * q, a), r * 0.035), COCOA) for q, angles in ((0.36, (40, 90, 140)), (0.62, (24, 57, 90, 123, 156))) for a in angles)
    return group(solid(rind, "#3E8C4E", fill(sector((x, y), r * 0.9, 0, 0, 180), "#DDE9B8"), fill(sector((x, y), r * 0.82, 0, 0, 180), "#E8503F"), seeds, shade=(-8, -9), rim=4), turn=turn, about=(x, y))


def papaya_half(x: float, y: float, s: float, turn: float = 0) -> str:
    """La papaya, cut lengthwise."""
    shape = twin((x, y - s), (x + s * 0.34, y - s * 0.76), (x + s * 0.54, y + s * 0.3), (x + s * 0.3, y + s * 0.86), (x, y + s * 0.94), x=x)
    seeds = "".join(fill(circle(x + dx * s, y + dy * s, s * 0.055), "#3A3330") + fill(circle(x + dx * s - s * 0.015, y + dy * s - s * 0.018, s * 0.016), "#9A928C") for dx, dy in ((0, -0.4), (-0.07, -0.24), (0.07, -0.26), (0, -0.1), (-0.12, 0), (0.12, -0.02), (0, 0.1), (-0.14, 0.2), (0.14, 0.18), (0, 0.3), (-0.1, 0.42), (0.1, 0.42), (0, 0.54)))
    return group(solid(shape, "#E9A03A", fill(shape.size(0.9, about=(x, y)), "#F0763C"), fill(shape.size(0.46, 0.62, (x, y + s * 0.06)), "#F5A35C"), seeds, shade=(-8, -9), rim=4), turn=turn, about=(x, y))


def banana(x: float, y: float, s: float, turn: float = 0) -> str:
    """Un banano."""
    shape = blob((x - s, y - s * 0.3), (x - s * 0.5, y + s * 0.16), (x + s * 0.2, y + s * 0.2), (x + s * 0.9, y - s * 0.34), (x + s * 0.98, y - s * 0.22), (x + s * 0.5, y + s * 0.4), (x - s * 0.2, y + s * 0.54), (x - s * 0.86, y + s * 0.12))
    return group(solid(shape, "#F7CF45", line(curve((x - s * 0.86, y - s * 0.1), (x - s * 0.2, y + s * 0.36), (x + s * 0.5, y + s * 0.2), (x + s * 0.92, y - s * 0.26)), "#D9A92B", s * 0.04), shade=(-s * 0.05, -s * 0.1), rim=4) + fill(ellipse(x + s * 0.95, y - s * 0.3, s * 0.09, s * 0.07), WALNUT) + fill(ellipse(x - s * 0.97, y - s * 0.26, s * 0.05, s * 0.08), "#6B5A2A"), turn=turn, about=(x, y))


def lulo(x: float, y: float, r: float) -> str:
    """El lulo."""
    return solid(circle(x, y, r), "#F0A23A", shade=(-r * 0.16, -r * 0.17), rim=4) + solid(star(x, y - r * 0.84, r * 0.42, r * 0.16, 5, 3), LEAF, shade=(-2, -3), rim=0) + gloss((x - r * 0.58, y - r * 0.1), (x - r * 0.26, y - r * 0.5), -0.16, r * 0.1)


def knife() -> str:
    """A blunt wooden knife pointing left."""
    blade = blob((120, 800), (180, 766), (430, 762), (440, 830), (200, 840), ease=0.7)
    return solid(blade, "#EAD9B5", grain(blade.bounds(), "#EAD9B5", 4, 4), shade=(-6, -10), rim=4) + solid(box(430, 768, 210, 62, r=30), TOMATO, *(fill(circle(x, 799, 9), CREAM) for x in (490, 580)), shade=(-8, -12), rim=4)


@picture("Frutas de la plaza (guacal)")
def fruit_crate() -> str:
    fruit = pineapple(300, 560, 250) + papaya_half(720, 400, 180, 22) + banana(520, 420, 150, -24) + banana(540, 470, 150, -12) + granadilla(440, 520, 84) + mango(600, 530, 150) + lulo(720, 560, 66) + watermelon_slice(210, 470, 130, -12) + lulo(520, 566, 60) + mango(330, 570, 110)
    slats = "".join(wooden(box(120, 560 + n * 82, 720, 70, r=8), PINE, n + 3, lines=4, shade=(-10, -10), rim=5) for n in range(3))
    posts = "".join(wooden(box(x, 540, 46, 270, r=8), OAK, int(x), upright=True, lines=3, shade=(-8, 0), rim=4) + "".join(screw(x + 23, y, 8) for y in (596, 678, 760)) for x in (130, 457, 784))
    return plain("butter", 720) + shadow(480, 808, 410, 40) + fill(box(130, 540, 700, 260, r=8), darker(PINE, 0.4)) + fruit + slats + posts


@picture("Frutas de la plaza (partidas)")
def fruit_cut() -> str:
    board = box(90, 110, 780, 560, r=70)
    return (
        flat("mint") + cast(board, 18, 26, 14, 0.3) + solid(board, OAK, grain(board.bounds(), OAK, 4, 14), fill(circle(810, 170, 26), darker(OAK, 0.35)), shade=(-16, -18), rim=6)
        + cast(circle(300, 330, 150), 12, 18, 10, 0.3) + watermelon_slice(300, 260, 170, -8) + cast(ellipse(610, 350, 110, 180), 12, 18, 10, 0.3) + papaya_half(610, 350, 210, 14)
        + cast(ellipse(300, 560, 150, 50), 12, 18, 10, 0.3) + clip(box(100, 400, 190, 300), banana(290, 540, 150, -4)) + group(clip(box(290, 400, 220, 300), banana(290, 540, 150, -4)), move=(40, 8), turn=6, about=(300, 540)) + fill(ellipse(291, 582, 8, 42), "#FFF3D0")
        + half_granadilla(770, 520, 76) + group(cast(box(130, 770, 500, 60, r=28), 12, 18, 10, 0.3), knife(), move=(120, 10), turn=-4, about=(400, 800))
    )


@picture("Frutas de la plaza (piña y granadilla)")
def fruit_detail() -> str:
    return plain("butter", 720) + shadow(330, 870, 260, 34) + shadow(720, 840, 180, 30) + pineapple(330, 866, 500) + granadilla(720, 560, 130) + half_granadilla(730, 730, 128)


# Chocolate ------------------------------------------------------------------------------------------------------


def chocolatera(x: float, base: float, s: float) -> str:
    """The tall jug with the beater standing in it."""
    body = twin_poly((x + s * 0.3, base - s * 1.3), (x + s * 0.36, base - s * 0.9), (x + s * 0.52, base - s * 0.2), (x + s * 0.42, base), x=x, r=s * 0.12)
    spout = poly((x - s * 0.3, base - s * 1.28), (x - s * 0.56, base - s * 1.16), (x - s * 0.36, base - s * 0.84), r=s * 0.04)
    handle = line(curve((x + s * 0.32, base - s * 1.06), (x + s * 0.76, base - s * 1.0), (x + s * 0.8, base - s * 0.6), (x + s * 0.48, base - s * 0.34)), darker(TOMATO, 0.3), s * 0.13) + line(curve((x + s * 0.32, base - s * 1.06), (x + s * 0.76, base - s * 1.0), (x + s * 0.8, base - s * 0.6), (x + s * 0.48, base - s * 0.34)), TOMATO, s * 0.09)
    return (
        molinillo(x + s * 0.06, base - s * 1.2, s * 1.0, 6) + handle + solid(spout, TOMATO, shade=(-3, -4), rim=3)
        + solid(body, TOMATO, stripe(x - s, x + s, base - s * 1.12, s * 0.05, s * 0.03, CREAM), *(fill(leaf((x - s * 0.04, base - s * 0.5), polar((x - s * 0.04, base - s * 0.5), s * 0.4, a), s * 0.14), LIME) for a in (30, 150, 210, 330)), daisy(x - s * 0.04, base - s * 0.5, s * 0.24, CREAM, SUN, 6), stripe(x - s, x + s, base - s * 0.14, s * 0.05, s * 0.05, CREAM), shade=(-s * 0.12, -s * 0.06), rim=5)
        + fill(ellipse(x, base - s * 1.29, s * 0.3, s * 0.07), "#5B2F1C") + line(ellipse(x, base - s * 1.29, s * 0.3, s * 0.07), CREAM, s * 0.035) + froth(x, base - s * 1.3, s * 0.26) + line(poly((x + s * 0.06, base - s * 1.32), (x + s * 0.16, base - s * 2.0), closed=False), OAK, s * 0.09)
    )


def molinillo(x: float, y: float, s: float, turn: float) -> str:
    """The wooden beater's stick, rising from (x, y)."""
    return group(solid(box(x - s * 0.05, y - s * 0.9, s * 0.1, s * 0.9, r=s * 0.04), OAK, shade=(-3, 0), rim=2) + solid(circle(x, y - s * 0.92, s * 0.1), OAK, shade=(-3, -4), rim=2), turn=turn, about=(x, y))


def froth(x: float, y: float, w: float) -> str:
    """Bubbles of beaten chocolate."""
    return "".join(solid(circle(x + dx * w, y + dy * w, r * w), "#B98458" if n % 2 else "#CB9A6C", shade=(-2, -3), rim=2) for n, (dx, dy, r) in enumerate(((-0.7, 0, 0.26), (-0.3, -0.14, 0.34), (0.2, -0.1, 0.3), (0.64, 0, 0.28), (0, 0.06, 0.28), (-0.5, 0.1, 0.2), (0.42, 0.1, 0.22))))


def pocillo(x: float, base: float, s: float, colour: str = CREAM, band: str = TEAL) -> str:
    """A filled chocolate cup on its saucer."""
    body = poly((x - s * 0.5, base - s * 0.74), (x + s * 0.5, base - s * 0.74), (x + s * 0.34, base), (x - s * 0.34, base), r=(6, 6, s * 0.18, s * 0.18))
    return (
        solid(ellipse(x, base + s * 0.02, s * 0.78, s * 0.15), colour, line(ellipse(x, base + s * 0.01, s * 0.66, s * 0.11), band, 5), shade=(-5, -6), rim=3)
        + line(arc((x + s * 0.5, base - s * 0.42), s * 0.2, -90, 100), darker(colour, 0.16), s * 0.1) + solid(body, colour, stripe(x - s, x + s, base - s * 0.46, s * 0.08, s * 0.03, band), *(fill(circle(x + u * s, base - s * 0.24, s * 0.045), TOMATO) for u in (-0.22, 0, 0.22)), shade=(-s * 0.1, 0), rim=4)
        + fill(ellipse(x, base - s * 0.74, s * 0.5, s * 0.12), darker(colour, 0.1)) + fill(ellipse(x, base - s * 0.73, s * 0.43, s * 0.09), "#6B3A22") + froth(x, base - s * 0.76, s * 0.3)
    )


def almojabana(x: float, y: float, r: float) -> str:
    """A round cheese bun."""
    return solid(ellipse(x, y, r, r * 0.72), "#E7B45E", *(line(arc((x + dx * r, y + dy * r), r * 0.3, 200, 330), "#C98F3A", 5) for dx, dy in ((-0.3, 0), (0.3, -0.06), (0, 0.26))), shade=(-r * 0.14, -r * 0.14), rim=4)


def cheese(x: float, y: float, s: float) -> str:
    """A block of white cheese."""
    return solid(poly((x - s * 0.6, y - s * 0.3), (x + s * 0.3, y - s * 0.44), (x + s * 0.62, y - s * 0.24), (x - s * 0.24, y - s * 0.06), r=4), "#FFF9E6", shade=(0, 0), rim=2) + solid(poly((x - s * 0.6, y - s * 0.3), (x - s * 0.24, y - s * 0.06), (x - s * 0.24, y + s * 0.4), (x - s * 0.6, y + s * 0.14), r=4), "#F0E2BE", shade=(0, 0), rim=2) + solid(poly((x - s * 0.24, y - s * 0.06), (x + s * 0.62, y - s * 0.24), (x + s * 0.62, y + s * 0.18), (x - s * 0.24, y + s * 0.4), r=4), "#F8EED2", *(fill(ellipse(x + dx * s, y + dy * s, s * 0.05, s * 0.04), "#E4D3A8") for dx, dy in ((0, 0.1), (0.3, 0), (0.16, 0.2), (0.46, -0.06))), shade=(0, 0), rim=2)


@picture("juego-de-chocolate-1")
def chocolate_set() -> str:
    tray = box(90, 760, 780, 60, r=30)
    return plain("rose", 720) + shadow(480, 824, 430, 34) + solid(tray, OAK, grain(tray.bounds(), OAK, 3, 4), shade=(0, -16), rim=5) + "".join(line(arc((x, 776), 30, a, a + 180), CEDAR, 14) for x, a in ((92, 90), (868, -90))) + chocolatera(450, 772, 330) + pocillo(210, 766, 150) + pocillo(730, 766, 150, CREAM, SUN)


@picture("juego-de-chocolate-2")
def chocolate_table() -> str:
    cloth = fill(box(0, 560, 960, 400), "#F4E8D2") + "".join(fill(box(x, 560, 40, 400), TOMATO, 0.16) for x in range(0, 960, 80)) + "".join(fill(box(0, y, 960, 34), TOMATO, 0.16) for y in range(590, 960, 70)) + fill(box(0, 552, 960, 16), TOMATO, 0.4)
    plate = shadow(620, 850, 230, 34) + solid(ellipse(620, 830, 230, 66), CREAM, line(ellipse(620, 828, 196, 52), TEAL, 7), shade=(-10, -12), rim=4)
    return (
        flat("mint") + sun_window() + cloth + shadow(250, 700, 150, 24) + shadow(560, 690, 150, 24) + shadow(810, 700, 130, 22) + steam(240, 500, 150) + steam(800, 490, 150) + chocolatera(530, 690, 240) + pocillo(240, 696, 190) + pocillo(800, 690, 180, CREAM, SUN)
        + plate + almojabana(520, 800, 84) + almojabana(640, 770, 84) + almojabana(590, 830, 84) + cheese(760, 816, 110) + pocillo(220, 900, 170, CREAM, SKY)
    )


def sun_window() -> str:
    """A window on the mountains."""
    frame = box(110, 70, 330, 330, r=16)
    return solid(frame, WHITE, clip(box(132, 92, 286, 286), fill(box(132, 92, 286, 286), "#F9DDA8"), fill(circle(330, 200, 44), SUN), fill(poly((120, 380), (220, 240), (300, 330), (360, 260), (440, 380)), "#7FA894")), fill(box(266, 80, 16, 310), WHITE), fill(box(120, 228, 310, 16), WHITE), shade=(-8, -8), rim=3)


@picture("juego-de-chocolate-3")
def chocolate_detail() -> str:
    wings = "".join(solid(box(430, 430 + n * 70, 200, 44, r=20), OAK, *(line(poly((x, 430 + n * 70), (x, 474 + n * 70), closed=False), darker(OAK, 0.3), 6) for x in range(452, 620, 26)), shade=(-12, -12), rim=4) for n in range(3))
    stick = solid(box(500, -40, 60, 480, r=20), OAK, grain((500, 0, 560, 440), OAK, 4, 3, upright=True), fill(box(490, 180, 80, 18), TOMATO), fill(box(490, 220, 80, 12), SUN), shade=(-14, 0), rim=5)
    bowl = ellipse(500, 800, 470, 230)
    bubbles = "".join(solid(circle(x, y, r), ("#B98458", "#CB9A6C", "#D8AE84")[n % 3], line(arc((x, y), r * 0.66, 200, 270), WHITE, r * 0.12, opacity=0.7), shade=(-r * 0.14, -r * 0.16), rim=3) for n, (x, y, r) in enumerate(((250, 760, 70), (360, 700, 58), (700, 690, 64), (800, 770, 76), (640, 780, 60), (440, 800, 74), (560, 850, 80), (330, 860, 66), (760, 880, 70), (180, 860, 50), (880, 860, 44), (470, 700, 44), (610, 690, 40), (450, 900, 50), (650, 920, 52))))
    return flat("rose") + solid(bowl, TOMATO, fill(ellipse(500, 810, 420, 190), "#6B3A22"), shade=(-20, -22), rim=8) + stick + wings + clip(ellipse(500, 806, 424, 194) + box(76, 600, 848, 206), bubbles)

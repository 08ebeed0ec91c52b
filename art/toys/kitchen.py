"""Cocina de juguete: oven, rings, pots and pans."""

from art.colour import (
    CEDAR,
    COCOA,
    CREAM,
    OAK,
    ORANGE,
    PINK,
    SKY,
    STEEL,
    SUN,
    TEAL,
    TOMATO,
    WALNUT,
    WHITE,
    darker,
)
from art.gallery import picture
from art.materials import grain
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import arc, blob, box, capsule, circle, curve, ellipse, heart, polar, poly, sector


def knob(x: float, y: float, r: float, colour: str, turn: float = 0) -> str:
    """A dial that clicks."""
    return solid(circle(x, y, r), colour, shade=(-r * 0.18, -r * 0.2), rim=3) + group(
        solid(box(x - r * 0.16, y - r * 0.9, r * 0.32, r * 0.9, r=r * 0.14), CREAM, shade=(0, 0), rim=0),
        turn=turn,
        about=(x, y),
    )


def pot(x: float, base: float, s: float, colour: str = TOMATO) -> str:
    """An enamel pot with its lid."""
    body = box(x - s * 0.5, base - s * 0.6, s, s * 0.6, r=(s * 0.06, s * 0.06, s * 0.18, s * 0.18))
    handles = "".join(
        line(
            arc((x + d * s * 0.52, base - s * 0.4), s * 0.11, -90 if d > 0 else 90, 90 if d > 0 else 270),
            darker(colour, 0.3),
            s * 0.07,
        )
        for d in (-1, 1)
    )
    lid = sector((x, base - s * 0.6), s * 0.54, 0, 180, 360).size(1, 0.42, (x, base - s * 0.6))
    return (
        handles
        + solid(
            body,
            colour,
            fill(box(x - s, base - s * 0.5, s * 2, s * 0.06), CREAM),
            *(fill(circle(x + s * u, base - s * 0.24, s * 0.05), CREAM) for u in (-0.32, -0.11, 0.11, 0.32)),
            shade=(-s * 0.1, -s * 0.06),
            rim=4,
        )
        + solid(lid, colour, shade=(-s * 0.07, -s * 0.06), rim=4)
        + solid(circle(x, base - s * 0.86, s * 0.08), SUN, shade=(-3, -3), rim=2)
    )


def frying_pan(x: float, base: float, s: float, egg: bool = True) -> str:
    """A pan from above at a slant, handle to the right."""
    food = (
        fill(
            blob(
                (x - s * 0.24, base - s * 0.06),
                (x - s * 0.1, base - s * 0.16),
                (x + s * 0.2, base - s * 0.14),
                (x + s * 0.26, base),
                (x, base + s * 0.08),
                (x - s * 0.2, base + s * 0.05),
            ),
            WHITE,
        )
        + solid(ellipse(x + s * 0.02, base - s * 0.05, s * 0.11, s * 0.06), SUN, shade=(-3, -3), rim=0)
        if egg
        else ""
    )
    return (
        line(poly((x + s * 0.42, base), (x + s * 1.1, base - s * 0.14), closed=False), CEDAR, s * 0.1)
        + solid(ellipse(x, base + s * 0.05, s * 0.5, s * 0.22), "#3B3938", shade=(-6, -8), rim=3)
        + fill(ellipse(x, base - s * 0.02, s * 0.5, s * 0.2), "#57534F")
        + fill(ellipse(x, base, s * 0.43, s * 0.16), "#3B3938")
        + food
    )


def burner(x: float, y: float, rx: float) -> str:
    """A painted ring."""
    return (
        fill(ellipse(x, y, rx, rx * 0.3), "#3B3938")
        + line(ellipse(x, y, rx * 0.72, rx * 0.21), TOMATO, 5)
        + line(ellipse(x, y, rx * 0.4, rx * 0.12), ORANGE, 4)
    )


def steam(x: float, y: float, s: float) -> str:
    """Three curls of vapour."""
    return "".join(
        line(
            curve(
                (x + d, y),
                (x + d - s * 0.14, y - s * 0.3),
                (x + d + s * 0.12, y - s * 0.6),
                (x + d, y - s * 0.95),
            ),
            WHITE,
            s * 0.09,
            opacity=0.9,
        )
        for d in (-s * 0.3, 0, s * 0.3)
    )


def kitchen() -> str:
    """Counter with oven and sink, back board with shelf and clock."""
    back = poly((210, 120), (750, 120), (750, 480), (210, 480), r=(40, 40, 4, 4))
    tiles = "".join(
        line(poly((210, y), (750, y), closed=False), darker("#D8EBE4", 0.08), 3) for y in (400, 440)
    ) + "".join(
        line(poly((x, 366), (x, 480), closed=False), darker("#D8EBE4", 0.08), 3) for x in range(250, 750, 40)
    )
    clock = solid(
        circle(640, 210, 54),
        CREAM,
        line(circle(640, 210, 48), TOMATO, 9),
        line(poly((640, 210), (640, 178), closed=False), COCOA, 6),
        line(poly((640, 210), (662, 222), closed=False), COCOA, 6),
        *(fill(circle(*polar((640, 210), 36, a), 3.4), COCOA) for a in range(0, 360, 30)),
        shade=(0, 0),
        rim=0,
    )
    shelf = (
        solid(box(236, 290, 300, 24, r=8), OAK, shade=(0, -8), rim=3)
        + "".join(jar(x, 290, c) for x, c in ((284, TOMATO), (360, SUN), (436, TEAL)))
        + cup(505, 290, 52, SKY)
    )
    hooks = (
        "".join(line(poly((x, 314), (x, 340), closed=False), COCOA, 5) for x in (290, 350, 410))
        + line(poly((290, 340), (290, 400), closed=False), OAK, 9)
        + fill(ellipse(290, 412, 17, 23), OAK)
        + line(poly((350, 340), (350, 396), closed=False), STEEL, 8)
        + fill(box(334, 392, 32, 36, r=6), STEEL)
        + line(poly((410, 340), (410, 398), closed=False), TOMATO, 8)
        + fill(ellipse(410, 410, 18, 16), TOMATO)
    )
    cabinet = box(170, 500, 620, 330, r=(8, 8, 16, 16))
    oven = (
        solid(box(200, 590, 300, 220, r=18), CREAM, shade=(-8, -8), rim=3)
        + solid(
            box(230, 640, 240, 140, r=16),
            "#3B3333",
            fill(box(244, 712, 212, 6), "#6B5F5C"),
            chicken(350, 708),
            line(poly((250, 770), (330, 650), closed=False), WHITE, 12, opacity=0.16),
            shade=(10, 10),
            rim=0,
        )
        + line(poly((250, 616), (450, 616), closed=False), STEEL, 14)
    )
    door = solid(
        box(530, 590, 230, 220, r=18), CREAM, fill(heart(645, 690, 74), PINK), shade=(-8, -8), rim=3
    ) + solid(circle(556, 700, 13), SUN, shade=(-3, -4), rim=2)
    knobs = "".join(
        knob(x, 552, 20, c, t)
        for x, c, t in ((230, TOMATO, -40), (290, SUN, 0), (350, TEAL, 30), (410, SKY, 70))
    )
    counter = solid(
        box(150, 470, 660, 46, r=14), OAK, grain((150, 470, 810, 516), OAK, 3, 3), shade=(0, -14), rim=5
    )
    sink = (
        fill(ellipse(676, 476, 96, 17), "#8D969B")
        + fill(ellipse(676, 478, 84, 12), STEEL)
        + line(curve((740, 474), (744, 400), (700, 386), (676, 420)), STEEL, 16)
    )
    return (
        solid(back, "#D8EBE4", fill(box(210, 366, 540, 120), WHITE), tiles, shade=(-12, -12), rim=5)
        + clock
        + shelf
        + hooks
        + solid(cabinet, TEAL, grain(cabinet.bounds(), TEAL, 4, 9), shade=(-16, -12), rim=5)
        + oven
        + door
        + knobs
        + counter
        + burner(280, 476, 74)
        + burner(450, 476, 74)
        + sink
        + pot(280, 472, 120)
        + "".join(solid(box(x, 826, 60, 30, r=8), WALNUT, shade=(-5, -6), rim=3) for x in (200, 700))
    )


def jar(x: float, base: float, colour: str) -> str:
    """A spice jar."""
    return solid(
        box(x - 28, base - 70, 56, 70, r=10),
        "#E9F1EE",
        fill(box(x - 28, base - 42, 56, 42), colour),
        shade=(-6, 0),
        rim=2,
    ) + solid(box(x - 30, base - 84, 60, 20, r=6), CEDAR, shade=(-4, -5), rim=2)


def cup(x: float, base: float, s: float, colour: str) -> str:
    """A small cup."""
    return line(
        arc((x + s * 0.46, base - s * 0.42), s * 0.24, -90, 90), darker(colour, 0.2), s * 0.13
    ) + solid(
        box(x - s * 0.46, base - s * 0.84, s * 0.92, s * 0.84, r=(s * 0.05, s * 0.05, s * 0.3, s * 0.3)),
        colour,
        fill(box(x - s, base - s * 0.6, s * 2, s * 0.14), CREAM),
        shade=(-s * 0.12, 0),
        rim=3,
    )


def chicken(x: float, y: float) -> str:
    """Roast in the oven."""
    return (
        solid(
            blob((x - 66, y), (x - 56, y - 40), (x, y - 54), (x + 54, y - 36), (x + 60, y)),
            "#C98545",
            shade=(-7, -7),
            rim=3,
        )
        + line(poly((x + 50, y - 20), (x + 88, y - 34), closed=False), "#C98545", 15)
        + fill(circle(x + 92, y - 36, 10), CREAM)
    )


@picture("Cocina de juguete (frente)")
def kitchen_front() -> str:
    return plain("peach", 740) + shadow(480, 858, 370, 32) + kitchen()


@picture("Cocina de juguete (cocinando)")
def kitchen_cooking() -> str:
    wall = "".join(
        line(poly((0, y), (960, y), closed=False), darker("#D3E8DB", 0.06), 4) for y in range(60, 640, 120)
    ) + "".join(
        line(poly((x, 0), (x, 640), closed=False), darker("#D3E8DB", 0.06), 4) for x in range(60, 960, 120)
    )
    counter = solid(
        box(-40, 620, 1040, 400, r=0), TEAL, grain((0, 700, 960, 960), TEAL, 6, 6), shade=(0, 0), rim=0
    ) + solid(
        box(-40, 590, 1040, 110, r=10), OAK, grain((0, 590, 960, 700), OAK, 3, 5), shade=(0, -26), rim=6
    )
    return (
        flat("mint")
        + wall
        + counter
        + burner(300, 622, 190)
        + burner(690, 640, 180)
        + steam(300, 250, 170)
        + pot(300, 612, 330)
        + frying_pan(676, 618, 320)
        + "".join(
            knob(x, 830, 50, c, t)
            for x, c, t in ((200, TOMATO, -40), (390, SUN, 60), (580, SKY, 0), (770, PINK, 30))
        )
    )


@picture("Cocina de juguete (utensilios)")
def kitchen_tools() -> str:
    spoon = (
        cast(capsule((720, 200), (560, 400), 50), 12, 18, 9, 0.28)
        + line(poly((800, 120), (600, 360), closed=False), darker(OAK, 0.2), 38)
        + line(poly((800, 120), (600, 360), closed=False), OAK, 30)
        + solid(
            ellipse(566, 402, 62, 84).turn(40, (566, 402)),
            OAK,
            fill(ellipse(562, 400, 40, 58).turn(40, (562, 400)), darker(OAK, 0.14)),
            shade=(-7, -8),
            rim=4,
        )
    )
    egg = (
        cast(circle(760, 380, 70), 10, 14, 8, 0.26)
        + solid(
            blob((690, 380), (720, 320), (800, 310), (850, 370), (820, 440), (740, 450)),
            WHITE,
            shade=(-6, -7),
            rim=3,
        )
        + solid(circle(768, 380, 36), SUN, shade=(-6, -7), rim=4)
    )
    return (
        flat("peach")
        + shadow(270, 478, 190, 26, 0.6)
        + pot(270, 470, 320)
        + spoon
        + egg
        + shadow(440, 800, 260, 50, 0.5)
        + frying_pan(400, 740, 400, False)
    )

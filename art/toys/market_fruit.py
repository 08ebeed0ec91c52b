"""Frutas de la plaza: a crate of tropical fruit."""

from art.colour import COCOA, CREAM, LEAF, LIME, OAK, PINE, SUN, TOMATO, WALNUT, darker
from art.gallery import picture
from art.materials import grain, screw, wooden
from art.paint import cast, clip, fill, gloss, group, line, shadow, soft, solid
from art.scenes import flat, plain
from art.shapes import blob, box, circle, curve, drop, ellipse, leaf, polar, sector, star, twin


def pineapple(x: float, base: float, s: float) -> str:
    """La piña."""
    body = twin(
        (x, base - s * 1.2),
        (x + s * 0.4, base - s * 1.06),
        (x + s * 0.46, base - s * 0.5),
        (x + s * 0.3, base - s * 0.06),
        (x, base),
        x=x,
    )
    lines_ = "".join(
        line(
            curve(
                (x - s * 0.7 + n * s * 0.22, base - s * 1.3),
                (x + n * s * 0.22 - s * 0.2, base - s * 0.6),
                (x + s * 0.3 + n * s * 0.22, base + s * 0.1),
            ),
            "#B9751C",
            s * 0.03,
        )
        + line(
            curve(
                (x + s * 0.7 - n * s * 0.22, base - s * 1.3),
                (x - n * s * 0.22 + s * 0.2, base - s * 0.6),
                (x - s * 0.3 - n * s * 0.22, base + s * 0.1),
            ),
            "#B9751C",
            s * 0.03,
        )
        for n in range(-3, 7)
    )
    dots = "".join(
        fill(circle(x + (c - (r % 2) * 0.5) * s * 0.22, base - s * 0.14 - r * s * 0.17, s * 0.022), "#8A5216")
        for r in range(7)
        for c in range(-2, 4)
    )
    crown = "".join(
        solid(
            leaf(
                (x, base - s * 1.12), polar((x, base - s * 1.12), s * (0.74 if a == -90 else 0.6), a), s * 0.2
            ),
            "#4C8F4A" if n % 2 else "#6BAA52",
            shade=(-3, -4),
            rim=2,
        )
        for n, a in enumerate((-150, -30, -132, -48, -112, -68, -90))
    )
    return crown + solid(body, SUN, lines_, dots, shade=(-s * 0.09, -s * 0.08), rim=4)


def granadilla(x: float, y: float, r: float) -> str:
    """La granadilla, whole, with its long stem."""
    speckles = "".join(
        fill(circle(*polar((x, y), r * q, a + q * 90), r * 0.035), "#F8D9A4", 0.9)
        for q in (0.3, 0.55, 0.8)
        for a in range(0, 360, 40)
    )
    return (
        line(
            curve((x, y - r * 0.9), (x + r * 0.06, y - r * 1.2), (x + r * 0.24, y - r * 1.44)),
            "#6B7F38",
            r * 0.1,
        )
        + solid(ellipse(x, y, r, r * 0.96), "#E8922E", speckles, shade=(-r * 0.16, -r * 0.17), rim=4)
        + "".join(
            fill(leaf((x, y - r * 0.9), polar((x, y - r * 0.9), r * 0.4, a), r * 0.16), "#7FA23F")
            for a in (-160, -20, 100)
        )
        + gloss((x - r * 0.6, y - r * 0.16), (x - r * 0.24, y - r * 0.58), -0.16, r * 0.1, 0.55)
    )


def half_granadilla(x: float, y: float, r: float) -> str:
    """Cut open: white pith and grey seeds in jelly."""
    seeds = "".join(
        fill(drop(polar((x, y), r * (q + 0.16), a), polar((x, y), r * q, a), r * 0.09), "#4A5058")
        for q, step in ((0.16, 90), (0.4, 45))
        for a in range(0, 360, step)
    )
    return (
        solid(circle(x, y, r), "#E8922E", shade=(-6, -7), rim=3)
        + fill(circle(x, y, r * 0.86), "#FFF5E0")
        + fill(circle(x, y, r * 0.66), "#D9DED2")
        + seeds
    )


def mango(x: float, y: float, s: float) -> str:
    """El mango."""
    shape = blob(
        (x - s * 0.5, y + s * 0.1),
        (x - s * 0.3, y - s * 0.5),
        (x + s * 0.3, y - s * 0.54),
        (x + s * 0.56, y),
        (x + s * 0.24, y + s * 0.5),
        (x - s * 0.3, y + s * 0.46),
    )
    return (
        solid(
            shape,
            SUN,
            soft(ellipse(x + s * 0.2, y - s * 0.3, s * 0.46, s * 0.4), TOMATO, 14, 0.85),
            soft(ellipse(x - s * 0.4, y + s * 0.3, s * 0.3, s * 0.2), LIME, 12, 0.6),
            shade=(-s * 0.1, -s * 0.11),
            rim=4,
        )
        + line(curve((x + s * 0.04, y - s * 0.5), (x + s * 0.06, y - s * 0.66)), WALNUT, s * 0.08)
        + fill(leaf((x + s * 0.06, y - s * 0.6), (x + s * 0.5, y - s * 0.74), s * 0.18), LEAF)
        + gloss((x - s * 0.32, y - s * 0.06), (x - s * 0.1, y - s * 0.36), -0.16, s * 0.07)
    )


def watermelon_slice(x: float, y: float, r: float, turn: float = 0) -> str:
    """La patilla, a thick wedge; (x, y) is the middle of its straight edge."""
    rind = sector((x, y), r, 0, 0, 180)
    seeds = "".join(
        fill(drop(polar((x, y), r * q - 12, a), polar((x, y), r * q, a), r * 0.035), COCOA)
        for q, angles in ((0.36, (40, 90, 140)), (0.62, (24, 57, 90, 123, 156)))
        for a in angles
    )
    return group(
        solid(
            rind,
            "#3E8C4E",
            fill(sector((x, y), r * 0.9, 0, 0, 180), "#DDE9B8"),
            fill(sector((x, y), r * 0.82, 0, 0, 180), "#E8503F"),
            seeds,
            shade=(-8, -9),
            rim=4,
        ),
        turn=turn,
        about=(x, y),
    )


def papaya_half(x: float, y: float, s: float, turn: float = 0) -> str:
    """La papaya, cut lengthwise."""
    shape = twin(
        (x, y - s),
        (x + s * 0.34, y - s * 0.76),
        (x + s * 0.54, y + s * 0.3),
        (x + s * 0.3, y + s * 0.86),
        (x, y + s * 0.94),
        x=x,
    )
    seeds = "".join(
        fill(circle(x + dx * s, y + dy * s, s * 0.055), "#3A3330")
        + fill(circle(x + dx * s - s * 0.015, y + dy * s - s * 0.018, s * 0.016), "#9A928C")
        for dx, dy in (
            (0, -0.4),
            (-0.07, -0.24),
            (0.07, -0.26),
            (0, -0.1),
            (-0.12, 0),
            (0.12, -0.02),
            (0, 0.1),
            (-0.14, 0.2),
            (0.14, 0.18),
            (0, 0.3),
            (-0.1, 0.42),
            (0.1, 0.42),
            (0, 0.54),
        )
    )
    return group(
        solid(
            shape,
            "#E9A03A",
            fill(shape.size(0.9, about=(x, y)), "#F0763C"),
            fill(shape.size(0.46, 0.62, (x, y + s * 0.06)), "#F5A35C"),
            seeds,
            shade=(-8, -9),
            rim=4,
        ),
        turn=turn,
        about=(x, y),
    )


def banana(x: float, y: float, s: float, turn: float = 0) -> str:
    """Un banano."""
    shape = blob(
        (x - s, y - s * 0.3),
        (x - s * 0.5, y + s * 0.16),
        (x + s * 0.2, y + s * 0.2),
        (x + s * 0.9, y - s * 0.34),
        (x + s * 0.98, y - s * 0.22),
        (x + s * 0.5, y + s * 0.4),
        (x - s * 0.2, y + s * 0.54),
        (x - s * 0.86, y + s * 0.12),
    )
    return group(
        solid(
            shape,
            "#F7CF45",
            line(
                curve(
                    (x - s * 0.86, y - s * 0.1),
                    (x - s * 0.2, y + s * 0.36),
                    (x + s * 0.5, y + s * 0.2),
                    (x + s * 0.92, y - s * 0.26),
                ),
                "#D9A92B",
                s * 0.04,
            ),
            shade=(-s * 0.05, -s * 0.1),
            rim=4,
        )
        + fill(ellipse(x + s * 0.95, y - s * 0.3, s * 0.09, s * 0.07), WALNUT)
        + fill(ellipse(x - s * 0.97, y - s * 0.26, s * 0.05, s * 0.08), "#6B5A2A"),
        turn=turn,
        about=(x, y),
    )


def lulo(x: float, y: float, r: float) -> str:
    """El lulo."""
    return (
        solid(circle(x, y, r), "#F0A23A", shade=(-r * 0.16, -r * 0.17), rim=4)
        + solid(star(x, y - r * 0.84, r * 0.42, r * 0.16, 5, 3), LEAF, shade=(-2, -3), rim=0)
        + gloss((x - r * 0.58, y - r * 0.1), (x - r * 0.26, y - r * 0.5), -0.16, r * 0.1)
    )


def knife() -> str:
    """A blunt wooden knife pointing left."""
    blade = blob((120, 800), (180, 766), (430, 762), (440, 830), (200, 840), ease=0.7)
    return solid(blade, "#EAD9B5", grain(blade.bounds(), "#EAD9B5", 4, 4), shade=(-6, -10), rim=4) + solid(
        box(430, 768, 210, 62, r=30),
        TOMATO,
        *(fill(circle(x, 799, 9), CREAM) for x in (490, 580)),
        shade=(-8, -12),
        rim=4,
    )


@picture("Frutas de la plaza (guacal)")
def fruit_crate() -> str:
    fruit = (
        pineapple(300, 560, 250)
        + papaya_half(720, 400, 180, 22)
        + banana(520, 420, 150, -24)
        + banana(540, 470, 150, -12)
        + granadilla(440, 520, 84)
        + mango(600, 530, 150)
        + lulo(720, 560, 66)
        + watermelon_slice(210, 470, 130, -12)
        + lulo(520, 566, 60)
        + mango(330, 570, 110)
    )
    slats = "".join(
        wooden(box(120, 560 + n * 82, 720, 70, r=8), PINE, n + 3, lines=4, shade=(-10, -10), rim=5)
        for n in range(3)
    )
    posts = "".join(
        wooden(box(x, 540, 46, 270, r=8), OAK, int(x), upright=True, lines=3, shade=(-8, 0), rim=4)
        + "".join(screw(x + 23, y, 8) for y in (596, 678, 760))
        for x in (130, 457, 784)
    )
    return (
        plain("butter", 720)
        + shadow(480, 808, 410, 40)
        + fill(box(130, 540, 700, 260, r=8), darker(PINE, 0.4))
        + fruit
        + slats
        + posts
    )


@picture("Frutas de la plaza (partidas)")
def fruit_cut() -> str:
    board = box(90, 110, 780, 560, r=70)
    return (
        flat("mint")
        + cast(board, 18, 26, 14, 0.3)
        + solid(
            board,
            OAK,
            grain(board.bounds(), OAK, 4, 14),
            fill(circle(810, 170, 26), darker(OAK, 0.35)),
            shade=(-16, -18),
            rim=6,
        )
        + cast(sector((300, 260), 170, 0, 0, 180).turn(-8, (300, 260)), 12, 18, 8, 0.3)
        + watermelon_slice(300, 260, 170, -8)
        + cast(ellipse(610, 350, 110, 180), 12, 18, 10, 0.3)
        + papaya_half(610, 350, 210, 14)
        + cast(ellipse(310, 575, 140, 26), 12, 18, 10, 0.3)
        + clip(box(100, 400, 190, 300), banana(290, 540, 150, -4))
        + group(
            clip(box(290, 400, 220, 300), banana(290, 540, 150, -4)), move=(66, -4), turn=14, about=(300, 540)
        )
        + fill(ellipse(290, 582, 9, 42), "#FFF3D0")
        + fill(ellipse(350, 576, 9, 42).turn(14, (350, 576)), "#FFF3D0")
        + half_granadilla(770, 520, 76)
        + group(
            cast(box(130, 770, 500, 60, r=28), 12, 18, 10, 0.3),
            knife(),
            move=(120, 10),
            turn=-4,
            about=(400, 800),
        )
    )


@picture("Frutas de la plaza (piña y granadilla)")
def fruit_detail() -> str:
    return (
        plain("butter", 720)
        + shadow(330, 870, 260, 34)
        + shadow(720, 840, 180, 30)
        + pineapple(330, 866, 500)
        + granadilla(720, 560, 130)
        + half_granadilla(730, 730, 128)
    )

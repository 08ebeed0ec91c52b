"""Chigüiro de peluche, and the bird that rides it."""

from art.colour import COCOA, INK, ORANGE, PINK, SUN, TOMATO, darker
from art.faces import cheeks, eye, eyes, muzzle_smile
from art.gallery import picture
from art.materials import stitches, tufts
from art.paint import fill, flip, group, line, shadow, solid
from art.parts.plush import plush, tag
from art.scenes import closed_below, flat, plain
from art.shapes import arc, blob, box, circle, curve, ellipse, leaf, polar, poly, sector, twin

CINNAMON = "#B0743F"


def birdie(x: float, y: float, s: float, gaze: int = -1) -> str:
    """The little yellow bird that sits on top; (x, y) is where it stands."""
    body = blob(
        (x - s * 0.5, y - s * 0.6),
        (x - s * 0.2, y - s * 1.04),
        (x + s * 0.3, y - s * 0.9),
        (x + s * 0.5, y - s * 0.4),
        (x + s * 0.2, y),
        (x - s * 0.3, y - s * 0.04),
    )
    whole = (
        solid(
            leaf((x + s * 0.3, y - s * 0.3), (x + s * 0.96, y - s * 0.62), s * 0.3),
            "#D98F1F",
            shade=(-3, -3),
            rim=0,
        )
        + solid(body, SUN, shade=(-s * 0.1, -s * 0.1), rim=3)
        + solid(
            leaf((x - s * 0.1, y - s * 0.5), (x + s * 0.5, y - s * 0.34), s * 0.32),
            "#E39A22",
            shade=(-3, -3),
            rim=0,
        )
        + fill(
            poly(
                (x - s * 0.44, y - s * 0.72), (x - s * 0.78, y - s * 0.6), (x - s * 0.44, y - s * 0.52), r=3
            ),
            ORANGE,
        )
        + eye(x - s * 0.24, y - s * 0.72, s * 0.085, INK)
    )
    return whole if gaze < 0 else flip(whole, x=x)


def capybara_head(cx: float, cy: float, s: float) -> str:
    """Blunt-nosed head in profile to the left."""
    head = blob(
        (cx - s * 0.98, cy - s * 0.22),
        (cx - s * 0.8, cy - s * 0.52),
        (cx - s * 0.1, cy - s * 0.66),
        (cx + s * 0.6, cy - s * 0.62),
        (cx + s * 0.86, cy),
        (cx + s * 0.6, cy + s * 0.56),
        (cx - s * 0.3, cy + s * 0.56),
        (cx - s * 0.9, cy + s * 0.44),
        (cx - s * 1.04, cy + s * 0.1),
        ease=0.9,
    )
    ear = solid(
        blob(
            (cx + s * 0.38, cy - s * 0.52),
            (cx + s * 0.44, cy - s * 0.86),
            (cx + s * 0.68, cy - s * 0.84),
            (cx + s * 0.7, cy - s * 0.5),
        ),
        darker(CINNAMON, 0.12),
        fill(ellipse(cx + s * 0.55, cy - s * 0.64, s * 0.07, s * 0.12), "#7A4A2A"),
        shade=(-4, -4),
        rim=3,
    )
    snout = blob(
        (cx - s * 1.06, cy - s * 0.3),
        (cx - s * 0.7, cy - s * 0.5),
        (cx - s * 0.54, cy),
        (cx - s * 0.66, cy + s * 0.5),
        (cx - s * 1.1, cy + s * 0.5),
    )
    return (
        plush(head, CINNAMON, 81, fill(snout, darker(CINNAMON, 0.16)), hairs=34, fall=0, depth=s * 0.1)
        + ear
        + fill(ellipse(cx - s * 0.9, cy - s * 0.18, s * 0.05, s * 0.08), COCOA)
        + line(
            curve(
                (cx - s * 0.98, cy + s * 0.22), (cx - s * 0.76, cy + s * 0.3), (cx - s * 0.5, cy + s * 0.2)
            ),
            COCOA,
            s * 0.045,
        )
        + eye(cx - s * 0.02, cy - s * 0.2, s * 0.1, INK)
        + line(arc((cx - s * 0.02, cy - s * 0.2), s * 0.13, 195, 345), darker(CINNAMON, 0.32), s * 0.055)
        + fill(ellipse(cx + s * 0.1, cy + s * 0.12, s * 0.15, s * 0.1), TOMATO, 0.35)
    )


@picture("Chigüiro de peluche (de lado)")
def capybara_side() -> str:
    body = blob(
        (300, 480),
        (420, 420),
        (600, 410),
        (760, 470),
        (810, 620),
        (770, 750),
        (600, 790),
        (400, 780),
        (300, 700),
    )
    legs = "".join(
        plush(box(x, 700, 78, 118, r=32), darker(CINNAMON, c), seed, hairs=8)
        + "".join(fill(ellipse(x + 18 + n * 21, 808, 10, 8), "#6E4526") for n in range(3))
        for x, c, seed in ((380, 0.12, 83), (650, 0.12, 84), (330, 0.0, 85), (710, 0.0, 86))
    )
    animal = (
        legs
        + plush(body, CINNAMON, 87, hairs=60, fall=10, depth=26)
        + stitches(curve((420, 462), (560, 446), (720, 490)), darker(CINNAMON, 0.2), 4)
        + tag(786, 560, -40)
        + birdie(590, 424, 92)
        + capybara_head(290, 470, 196)
    )
    return (
        plain("mint", 720)
        + shadow(544, 822, 320, 44)
        + group(animal, move=(36, 0), size=0.96, about=(480, 818))
    )


@picture("Chigüiro de peluche (en el agua)")
def capybara_water() -> str:
    back = blob((420, 520), (600, 480), (780, 530), (850, 700), (760, 800), (420, 800))
    pond = closed_below(
        curve((-40, 600), (160, 612), (330, 596), (520, 612), (700, 598), (860, 612), (1000, 598))
    )
    ripples = "".join(
        line(arc((x, y), r, a, b, 0.22), "#CDE8EE", 9)
        for x, y, r, a, b in (
            (500, 640, 300, 20, 160),
            (500, 650, 390, 40, 140),
            (500, 640, 460, 150, 176),
            (500, 640, 460, 4, 30),
        )
    )
    lily = "".join(
        solid(sector((x, y), r, 0, 30, 340).size(1, 0.42, (x, y)), "#5FA35B", shade=(-6, -5), rim=3)
        for x, y, r in ((790, 850, 92), (150, 860, 80))
    )
    flower = "".join(
        fill(leaf((790, 838), polar((790, 838), 46, a), 22), PINK) for a in (-150, -120, -90, -60, -30)
    ) + fill(circle(790, 836, 9), SUN)
    return (
        flat("butter")
        + fill(circle(740, 240, 92), "#F9CF6B")
        + reeds(90, 640)
        + reeds(890, 630)
        + plush(back, CINNAMON, 91, hairs=40, fall=10)
        + capybara_head(400, 480, 226)
        + birdie(450, 346, 100)
        + fill(pond, "#86C3D2")
        + ripples
        + lily
        + flower
    )


def reeds(x: float, y: float) -> str:
    """Bulrushes."""
    return "".join(
        line(curve((x + dx, y + 40), (x + dx * 1.2, y - h * 0.5), (x + dx * 1.6, y - h)), "#7FA255", 10)
        + line(poly((x + dx * 1.6, y - h), (x + dx * 1.7, y - h - 70), closed=False), "#8A5A33", 24)
        for dx, h in ((-40, 200), (0, 290), (36, 230))
    )


@picture("Chigüiro de peluche (carita)")
def capybara_face() -> str:
    head = twin((480, 214), (640, 226), (752, 360), (770, 560), (700, 780), (480, 836))
    muzzle = twin((480, 470), (650, 486), (690, 640), (626, 790), (480, 822))
    ear = solid(
        blob((660, 290), (690, 170), (790, 180), (770, 320)),
        darker(CINNAMON, 0.12),
        fill(ellipse(728, 244, 26, 44), "#7A4A2A"),
        shade=(-10, -8),
        rim=5,
    )
    return (
        flat("mint")
        + plush(ellipse(480, 990, 400, 240), CINNAMON, 93, hairs=30)
        + ear
        + flip(ear)
        + plush(
            head,
            CINNAMON,
            95,
            fill(muzzle, darker(CINNAMON, 0.14)),
            tufts(muzzle, darker(CINNAMON, 0.26), 7, 40),
            hairs=70,
            depth=34,
        )
        + eyes(480, 440, 330, 32, INK)
        + "".join(line(arc((x, 440), 42, 195, 345), darker(CINNAMON, 0.34), 15) for x in (315, 645))
        + fill(ellipse(436, 560, 16, 24), COCOA)
        + fill(ellipse(524, 560, 16, 24), COCOA)
        + muzzle_smile(480, 640, 170, 50, COCOA, 13)
        + cheeks(480, 540, 500, 46)
        + birdie(500, 228, 150)
    )

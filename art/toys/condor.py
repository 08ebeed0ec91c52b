"""Cóndor de peluche."""

from art.colour import CREAM, INK, TOMATO, WHITE, darker, lighter
from art.faces import eye
from art.gallery import picture
from art.materials import stitches, tufts
from art.paint import fill, flip, group, line, shadow, solid
from art.parts.plush import plush
from art.scenes import andes, cloud, flat, plain
from art.shapes import Point, arc, blob, box, circle, curve, ellipse, furry, leaf, twin

CONDOR, COLLAR = "#34323C", "#FBF6EC"


def condor_head(cx: float, cy: float, s: float, gaze: int = -1) -> str:
    """Bald pink head with a comb, looking left (-1) or right (1)."""
    skin = "#D98B7C"
    head = blob(
        (cx - s * 0.5, cy - s * 0.1),
        (cx - s * 0.28, cy - s * 0.52),
        (cx + s * 0.3, cy - s * 0.54),
        (cx + s * 0.56, cy - s * 0.06),
        (cx + s * 0.4, cy + s * 0.5),
        (cx - s * 0.3, cy + s * 0.46),
    )
    comb = blob(
        (cx - s * 0.52, cy - s * 0.34),
        (cx - s * 0.46, cy - s * 0.72),
        (cx - s * 0.1, cy - s * 0.86),
        (cx + s * 0.14, cy - s * 0.66),
        (cx - s * 0.06, cy - s * 0.46),
    )
    beak = blob(
        (cx - s * 0.42, cy - s * 0.22),
        (cx - s * 0.86, cy - s * 0.2),
        (cx - s * 1.0, cy + s * 0.16),
        (cx - s * 0.86, cy + s * 0.26),
        (cx - s * 0.76, cy + s * 0.1),
        (cx - s * 0.4, cy + s * 0.18),
        ease=0.85,
    )
    whole = (
        solid(comb, "#B9584C", shade=(-s * 0.05, -s * 0.05), rim=3)
        + solid(
            head,
            skin,
            *(
                line(arc((cx + s * 0.5, cy + s * 0.2), r * s, 140, 200), darker(skin, 0.16), 4)
                for r in (0.3, 0.42)
            ),
            shade=(-s * 0.09, -s * 0.09),
            rim=4,
        )
        + solid(
            beak,
            CREAM,
            fill(ellipse(cx - s * 0.36, cy, s * 0.14, s * 0.26), "#8A7A70"),
            shade=(-s * 0.02, -s * 0.07),
            rim=3,
        )
        + line(
            curve(
                (cx - s * 0.84, cy + s * 0.1), (cx - s * 0.6, cy + s * 0.02), (cx - s * 0.42, cy + s * 0.04)
            ),
            darker(CREAM, 0.4),
            4,
        )
        + fill(circle(cx - s * 0.1, cy - s * 0.14, s * 0.17), WHITE)
        + eye(cx - s * 0.12, cy - s * 0.13, s * 0.115, INK)
        + fill(ellipse(cx + s * 0.16, cy + s * 0.14, s * 0.12, s * 0.08), TOMATO, 0.4)
    )
    return whole if gaze < 0 else flip(whole, x=cx)


def ruff(cx: float, cy: float, rx: float, ry: float) -> str:
    """The white collar."""
    return solid(
        furry(ellipse(cx, cy, rx, ry), 20, ry * 0.24),
        COLLAR,
        tufts(ellipse(cx, cy, rx, ry), "#CFC6BC", 51, 26, ry * 0.3, 90),
        shade=(-14, -12),
        rim=4,
    )


def plume(base: Point, tip: Point, width: float, colour: str = CONDOR) -> str:
    """One felt feather, edged with stitches."""
    return solid(
        leaf(base, tip, width),
        colour,
        line(curve(base, tip), lighter(colour, 0.2), 4, dash="14 9"),
        shade=(-6, -6),
        rim=3,
    )


@picture("peluche-cóndor-1")
def condor_standing() -> str:
    body = twin((480, 360), (620, 430), (650, 610), (580, 740), (480, 768))
    wing = blob((600, 400), (690, 460), (726, 620), (690, 790), (640, 776), (610, 640), (580, 500))
    tips = "".join(plume((666 - n * 8, 640), (706 - n * 34, 812 - n * 14), 44) for n in range(3))
    patch = solid(
        blob((640, 470), (686, 500), (706, 610), (660, 640), (636, 560)),
        COLLAR,
        *(
            line(curve((650 + n * 18, 480 + n * 14), (660 + n * 16, 560), (664 + n * 14, 630)), "#CFC6BC", 4)
            for n in range(3)
        ),
        shade=(-6, -6),
        rim=0,
    )
    side = tips + plush(wing, CONDOR, 61, hairs=26) + patch
    foot = "".join(
        solid(leaf((560, 786), (x, 830), 26), "#C9A27A", shade=(-4, -4), rim=2) for x in (520, 566, 612)
    ) + solid(box(544, 730, 34, 66, r=14), "#C9A27A", shade=(-6, 0), rim=0)
    feet = group(foot, move=(-20, 0))
    return (
        plain("sky", 720)
        + shadow(480, 836, 240, 36)
        + feet
        + flip(feet)
        + plush(body, CONDOR, 63, stitches(curve((480, 470), (484, 620), (480, 750)), "#6B6875", 4), hairs=40)
        + side
        + flip(side)
        + ruff(480, 400, 172, 74)
        + condor_head(480, 270, 156)
    )


@picture("peluche-cóndor-2")
def condor_flying() -> str:
    fingers = "".join(
        plume((760 - n * 10, 360 + n * 26), (930 - n * 22, 250 + n * 92), 62 - n * 3) for n in range(5)
    )
    rear = "".join(plume((690 - n * 60, 440), (676 - n * 66, 612 - n * 8), 66) for n in range(4))
    wing = blob((520, 370), (620, 300), (760, 270), (850, 320), (800, 430), (700, 470), (560, 500))
    patch = solid(
        blob((600, 400), (700, 372), (800, 372), (786, 430), (690, 470), (600, 474)),
        COLLAR,
        *(line(curve((620 + n * 44, 396 - n * 4), (628 + n * 42, 462)), "#CFC6BC", 4) for n in range(4)),
        shade=(-8, -8),
        rim=0,
    )
    side = fingers + rear + plush(wing, CONDOR, 71, hairs=30) + patch
    tail = "".join(plume((480, 560), (x, 760 - abs(x - 480) * 0.3), 70) for x in (380, 430, 530, 580, 480))
    body = twin((480, 370), (570, 420), (586, 540), (540, 630), (480, 650))
    return (
        andes("peach", "#B9CC8E", 800)
        + cloud(140, 700, 70)
        + cloud(840, 740, 60)
        + tail
        + side
        + flip(side)
        + plush(body, CONDOR, 73, hairs=30)
        + ruff(480, 372, 126, 58)
        + condor_head(476, 270, 118)
    )


@picture("peluche-cóndor-3")
def condor_detail() -> str:
    return (
        flat("sky")
        + plush(ellipse(500, 990, 440, 330), CONDOR, 75, hairs=46)
        + ruff(500, 740, 370, 150)
        + condor_head(510, 430, 350)
    )

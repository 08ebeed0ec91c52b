"""Tití de peluche."""

from art.colour import LEAF, darker, lighter
from art.faces import eye, smile
from art.gallery import picture
from art.materials import tufts
from art.nature import big_leaf, branch
from art.paint import fill, flip, line, shadow, solid
from art.parts.plush import plush, tag
from art.scenes import flat, halo, plain
from art.shapes import blob, circle, curve, ellipse, leaf, polar, poly, twin

TAMARIN, CREST = "#8A5A3B", "#FBF5E9"


def tamarin_head(cx: float, cy: float, s: float) -> str:
    """Dark face in a shock of white hair."""
    mane = "".join(
        solid(
            leaf((cx, cy), polar((cx, cy - s * 0.1), s * (1.24 if -140 < a < -40 else 1.0), a), s * 0.42),
            CREST,
            shade=(-s * 0.04, -s * 0.04),
            rim=0,
        )
        for a in (-200, 20, -180, 0, -162, -18, -145, -35, -128, -52, -110, -70, -90)
    )
    ear = solid(
        circle(cx + s * 0.68, cy + s * 0.1, s * 0.18),
        "#5B4338",
        fill(circle(cx + s * 0.68, cy + s * 0.1, s * 0.09), "#8A6B5C"),
        shade=(-4, -4),
        rim=3,
    )
    face = twin(
        (cx, cy - s * 0.52),
        (cx + s * 0.44, cy - s * 0.46),
        (cx + s * 0.62, cy + s * 0.02),
        (cx + s * 0.44, cy + s * 0.5),
        (cx, cy + s * 0.66),
        x=cx,
    )
    muzzle = ellipse(cx, cy + s * 0.34, s * 0.3, s * 0.24)
    widow = poly(
        (cx - s * 0.3, cy - s * 0.56), (cx + s * 0.3, cy - s * 0.56), (cx, cy - s * 0.08), r=s * 0.06
    )
    return (
        mane
        + ear
        + flip(ear, x=cx)
        + solid(
            face,
            "#54403A",
            fill(widow, CREST),
            tufts(widow, "#D3C8BA", 3, 10, s * 0.14),
            shade=(-s * 0.07, -s * 0.07),
            rim=4,
        )
        + solid(muzzle, "#8D7468", shade=(-s * 0.03, -s * 0.03), rim=0)
        + "".join(
            fill(circle(cx + d * s * 0.27, cy, s * 0.16), "#C98F4B")
            + eye(cx + d * s * 0.26, cy + s * 0.01, s * 0.115, "#1B1512")
            for d in (-1, 1)
        )
        + fill(ellipse(cx, cy + s * 0.24, s * 0.09, s * 0.06), "#2A1F1B")
        + smile(cx, cy + s * 0.38, s * 0.28, s * 0.1, "#2A1F1B", s * 0.04)
    )


@picture("peluche-titi-1")
def tamarin_sitting() -> str:
    tail = curve((590, 770), (740, 800), (830, 720), (800, 580), (700, 560), (690, 650), (760, 670))
    body = twin((480, 440), (590, 490), (630, 660), (570, 800), (480, 816))
    belly = twin((480, 480), (556, 520), (574, 680), (530, 780), (480, 792))
    arm = blob((580, 500), (650, 560), (660, 680), (620, 760), (570, 740), (580, 640))
    leg = blob((520, 740), (620, 720), (690, 790), (670, 836), (560, 840))
    side = (
        plush(leg, TAMARIN, 103, hairs=12)
        + plush(arm, CREST, 105, hairs=16)
        + solid(ellipse(596, 758, 32, 28), "#54403A", shade=(-5, -5), rim=3)
        + solid(ellipse(654, 820, 40, 22), "#54403A", shade=(-5, -5), rim=3)
    )
    return (
        plain("lilac", 720)
        + shadow(500, 838, 270, 38)
        + line(tail, darker(TAMARIN, 0.2), 56)
        + line(tail, TAMARIN, 48)
        + line(curve((800, 580), (700, 560), (690, 650), (760, 670)), "#3A2C27", 48)
        + line(tail.move(-4, -10), lighter(TAMARIN, 0.15), 6, dash="30 26")
        + plush(
            body,
            TAMARIN,
            101,
            solid(belly, CREST, tufts(belly, "#D9CFC2", 9, 30), shade=(-6, -6), rim=0),
            hairs=30,
        )
        + side
        + flip(side)
        + tag(330, 640, 28)
        + tamarin_head(480, 350, 204)
    )


@picture("peluche-titi-2")
def tamarin_branch() -> str:
    limb = curve((-30, 640), (260, 600), (560, 640), (1000, 570))
    tail = curve((590, 600), (640, 720), (580, 860), (440, 850), (430, 740), (520, 730))
    body = blob((360, 400), (500, 380), (620, 470), (640, 590), (560, 640), (400, 620), (330, 520))
    hand = "".join(
        solid(
            ellipse(x, y, 42, 30),
            "#54403A",
            *(line(poly((x + d, y), (x + d, y + 26), closed=False), "#3A2C27", 5) for d in (-14, 0, 14)),
            shade=(-5, -5),
            rim=3,
        )
        for x, y in ((310, 610), (420, 618), (600, 622))
    )
    arms = plush(
        blob((360, 440), (420, 470), (400, 560), (340, 620), (280, 600), (310, 520)), CREST, 113, hairs=16
    ) + plush(blob((430, 500), (480, 510), (470, 600), (420, 640), (390, 600)), CREST, 115, hairs=12)
    return (
        halo("mint", radius=380)
        + big_leaf((120, 620), (40, 450), 90, LEAF, 8)
        + big_leaf((830, 590), (920, 430), 96, "#79AE57", -8)
        + big_leaf((760, 620), (860, 780), 90, LEAF, 8)
        + big_leaf((180, 640), (90, 800), 84, "#79AE57", -6)
        + line(tail, darker(TAMARIN, 0.2), 54)
        + line(tail, TAMARIN, 46)
        + line(curve((440, 850), (430, 740), (520, 730)), "#3A2C27", 46)
        + branch(limb, 44)
        + plush(body, TAMARIN, 111, hairs=34, fall=20)
        + arms
        + hand
        + tamarin_head(380, 320, 178)
    )


@picture("peluche-titi-3")
def tamarin_face() -> str:
    return (
        flat("lilac")
        + plush(ellipse(480, 1020, 360, 240), CREST, 117, hairs=30)
        + tamarin_head(480, 520, 380)
    )

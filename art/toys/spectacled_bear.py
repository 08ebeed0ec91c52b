"""Oso de anteojos de peluche."""

from art.colour import COCOA, TOMATO
from art.faces import cheeks, eye, muzzle_smile
from art.gallery import picture
from art.materials import stitches
from art.nature import frailejon, tuft
from art.paint import fill, flip, gloss, group, line, shadow, solid
from art.parts.plush import plush, tag
from art.scenes import andes, cloud, flat, plain
from art.shapes import arc, blob, circle, curve, ellipse, twin

BEAR, SPECS = "#43352F", "#F1DDB8"


def bear_head(cx: float, cy: float, s: float) -> str:
    """Dark head, cream spectacles."""
    ear = plush(
        circle(cx + s * 0.72, cy - s * 0.66, s * 0.3),
        BEAR,
        4,
        fill(circle(cx + s * 0.72, cy - s * 0.62, s * 0.16), "#8A6B55"),
        hairs=8,
        depth=s * 0.05,
    )
    head = twin(
        (cx, cy - s * 0.9),
        (cx + s * 0.62, cy - s * 0.78),
        (cx + s * 0.98, cy - s * 0.1),
        (cx + s * 0.78, cy + s * 0.58),
        (cx, cy + s * 0.84),
        x=cx,
    )
    rings = "".join(
        line(arc((cx + d * s * 0.38, cy - s * 0.1), s * 0.27, *(angles)), SPECS, s * 0.15)
        for d, angles in ((-1, (70, 330)), (1, (-150, 110)))
    )
    bridge = line(curve((cx, cy - s * 0.3), (cx, cy - s * 0.02)), SPECS, s * 0.12)
    muzzle = twin(
        (cx, cy + s * 0.04),
        (cx + s * 0.26, cy + s * 0.12),
        (cx + s * 0.4, cy + s * 0.42),
        (cx + s * 0.24, cy + s * 0.68),
        (cx, cy + s * 0.72),
        x=cx,
    )
    nose = twin(
        (cx, cy + s * 0.14),
        (cx + s * 0.2, cy + s * 0.16),
        (cx + s * 0.14, cy + s * 0.32),
        (cx, cy + s * 0.37),
        x=cx,
    )
    return (
        ear
        + flip(ear, x=cx)
        + plush(head, BEAR, 9, rings, bridge, hairs=50, depth=s * 0.08)
        + solid(muzzle, SPECS, shade=(-s * 0.04, -s * 0.05), rim=4)
        + eye(cx - s * 0.36, cy - s * 0.08, s * 0.11, "#1B1512")
        + eye(cx + s * 0.36, cy - s * 0.08, s * 0.11, "#1B1512")
        + solid(nose, "#2A1F1B", shade=(-3, -3), rim=0)
        + gloss((cx - s * 0.09, cy + s * 0.2), (cx + s * 0.01, cy + s * 0.18), 0, s * 0.04, 0.55)
        + muzzle_smile(cx, cy + s * 0.36, s * 0.34, s * 0.13, COCOA, s * 0.04)
        + cheeks(cx, cy + s * 0.3, s * 1.18, s * 0.12, TOMATO, 0.4)
    )


def bear_body() -> str:
    """The bear sitting, soles forward, without its head."""
    trunk = twin((480, 420), (610, 470), (664, 640), (620, 790), (480, 820))
    bib = twin((480, 470), (560, 480), (536, 560), (480, 600))
    arm = blob((600, 480), (680, 540), (710, 650), (668, 706), (606, 660), (580, 560))
    leg = blob((560, 700), (660, 680), (744, 740), (748, 824), (660, 850), (560, 820))
    sole = solid(
        ellipse(682, 776, 52, 58),
        "#8A6B55",
        fill(ellipse(682, 796, 24, 20), SPECS, 0.8),
        *(fill(circle(682 + dx, 748 + dy, 9), SPECS, 0.8) for dx, dy in ((-24, 6), (0, -4), (24, 6))),
        shade=(-6, -7),
        rim=0,
    )
    limb = plush(leg, BEAR, 31, hairs=16) + sole
    side = plush(arm, BEAR, 33, hairs=18)
    return (
        plush(trunk, BEAR, 35, solid(bib, SPECS, shade=(0, 0), rim=0), hairs=40)
        + limb
        + flip(limb)
        + side
        + flip(side)
        + stitches(curve((480, 612), (483, 700), (480, 800)), "#6F594C", 4)
    )


@picture("Oso de anteojos (frente)")
def bear_front() -> str:
    return (
        plain("peach", 720)
        + shadow(480, 836, 290, 40)
        + bear_body()
        + tag(250, 620, 30)
        + bear_head(480, 310, 212)
    )


@picture("Oso de anteojos (en el páramo)")
def bear_paramo() -> str:
    return (
        andes("butter", "#A9BF7C", 640)
        + cloud(790, 200, 80)
        + cloud(150, 150, 60)
        + frailejon(150, 800, 220)
        + frailejon(830, 780, 240)
        + frailejon(720, 690, 130)
        + shadow(480, 850, 250, 34, 0.6)
        + group(bear_body(), bear_head(480, 310, 212), move=(0, 60), size=0.86, about=(480, 820))
        + tuft(300, 900, 90, "#7F9A55")
        + tuft(690, 910, 100, "#7F9A55")
        + frailejon(60, 980, 220, bloom=False)
    )


@picture("Oso de anteojos (carita)")
def bear_face() -> str:
    return flat("peach") + plush(ellipse(480, 1010, 460, 260), BEAR, 44, hairs=40) + bear_head(480, 500, 420)

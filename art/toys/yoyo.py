"""Yoyo de madera."""

from art.colour import CREAM, PINE, PLUM, STEEL, SUN, TEAL, TOMATO, WHITE, darker
from art.gallery import picture
from art.materials import grain, rope, stripe, swish
from art.paint import fill, flip, group, line, shadow, solid
from art.scenes import halo, plain
from art.shapes import arc, box, circle, curve, ellipse, polar, poly, star


def yoyo_face(cx: float, cy: float, radius: float) -> str:
    """One painted cheek of the yo-yo."""
    r = radius
    rays = "".join(fill(circle(*polar((cx, cy), r * 0.86, 20 * n), r * 0.045), CREAM) for n in range(18))
    return (
        solid(circle(cx, cy, r), TOMATO, rays, shade=(-r * 0.14, -r * 0.16), rim=r * 0.035)
        + solid(
            circle(cx, cy, r * 0.7),
            PINE,
            grain((cx - r, cy - r, cx + r, cy + r), PINE, 8, 12),
            shade=(r * 0.06, r * 0.07),
            rim=0,
        )
        + solid(star(cx, cy, r * 0.6, r * 0.27, 5, r * 0.05), SUN, shade=(-r * 0.05, -r * 0.06), rim=r * 0.02)
        + solid(circle(cx, cy, r * 0.13), TEAL, shade=(-r * 0.03, -r * 0.03), rim=3)
        + line(arc((cx, cy), r * 0.86, 196, 248), WHITE, r * 0.06, opacity=0.55)
    )


def finger_loop(x: float, y: float) -> str:
    """The knot that goes over a finger."""
    return line(ellipse(x, y, 26, 34), darker(CREAM, 0.25), 13) + line(ellipse(x, y, 26, 34), CREAM, 9)


@picture("yoyo-de-madera-1")
def yoyo_front() -> str:
    cord = curve((640, 650), (760, 700), (830, 640), (790, 570), (700, 610), (740, 740), (850, 760))
    return (
        plain("mint", 700)
        + shadow(480, 776, 250, 40)
        + rope(cord, WHITE, 10, 8)
        + finger_loop(866, 748)
        + yoyo_face(450, 480, 300)
    )


@picture("yoyo-de-madera-2")
def yoyo_play() -> str:
    cord = line(poly((500, -10), (492, 520), closed=False), darker(CREAM, 0.25), 12) + line(
        poly((500, -10), (492, 520), closed=False), WHITE, 8
    )
    motion = (
        swish((490, 640), 290, -30, 20, SUN, 11)
        + swish((490, 640), 290, 150, 205, SUN, 11)
        + swish((490, 640), 330, -18, 6, TEAL, 10)
        + swish((490, 640), 330, 164, 190, TEAL, 10)
    )
    stars = (
        fill(star(190, 240, 40, 17, 5, 5), SUN)
        + fill(star(780, 180, 54, 23, 5, 6), TOMATO, 0.9)
        + fill(star(760, 420, 26, 11, 5, 4), PLUM, 0.8)
        + fill(star(240, 470, 24, 10, 5, 4), TEAL)
    )
    return (
        halo("rose", cy=620, radius=390)
        + stars
        + motion
        + cord
        + group(yoyo_face(490, 640, 220), turn=26, about=(490, 640))
    )


@picture("yoyo-de-madera-3")
def yoyo_side() -> str:
    half = poly(
        (300, 250),
        (370, 230),
        (440, 330),
        (452, 470),
        (452, 510),
        (440, 650),
        (370, 750),
        (300, 730),
        (268, 490),
        r=(50, 40, 30, 10, 10, 30, 40, 50, 120),
    )
    wood = solid(
        half,
        TOMATO,
        stripe(240, 480, 0, 0, 0, TOMATO),
        fill(box(260, 200, 66, 600), PINE),
        fill(box(332, 200, 14, 600), CREAM),
        shade=(-22, -16),
        rim=6,
    )
    axle = solid(box(440, 440, 80, 100, r=10), STEEL, shade=(0, -24), rim=3)
    cord = "".join(
        line(poly((466, 400 + 22 * n), (496, 410 + 22 * n), closed=False), WHITE if n % 2 else CREAM, 20)
        for n in range(8)
    )
    free = rope(curve((482, 400), (490, 250), (620, 150), (800, 170), (850, 90)), WHITE, 11, 8)
    return plain("lilac", 700) + shadow(480, 768, 250, 36) + free + axle + cord + wood + flip(wood, x=481)

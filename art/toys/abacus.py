"""Ábaco de madera."""

from art.colour import CEDAR, INK, LEAF, LIME, OAK, ORANGE, PINK, PLUM, SKY, SUN, TEAL, TOMATO, WHITE, darker
from art.gallery import picture
from art.lettering import words
from art.materials import bead, wooden
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import box, capsule, circle, poly, star


def abacus(
    x: float,
    y: float,
    w: float,
    h: float,
    rows: int = 10,
    beads: int = 10,
    moved: tuple[int, ...] = (10, 7, 10, 4, 10, 6, 10, 8, 3, 10),
) -> str:
    """A frame whose upper left is (x, y); `moved` counts the beads pushed left in each row."""
    bar, parts = w * 0.075, ""
    r = min((w - bar * 3) / (beads + 3.2) / 2, h / rows / 2.3)
    colours = (TOMATO, ORANGE, SUN, LIME, LEAF, TEAL, SKY, PLUM, PINK, CEDAR)
    for n in range(rows):
        cy = y + bar * 1.4 + (h - bar * 3.4) * n / (rows - 1) + bar * 0.3
        parts += line(poly((x + bar / 2, cy), (x + w - bar / 2, cy), closed=False), "#A8AEB1", r * 0.26)
        for b in range(beads):
            left = b < moved[n]
            cx = x + bar + r * (2 * b + 1.3) if left else x + w - bar - r * (2 * (beads - b) - 0.7)
            parts += bead(cx, cy, r, colours[n])
    posts = "".join(
        wooden(
            box(px, y - bar * 0.5, bar, h + bar * 0.4, r=bar * 0.4),
            OAK,
            int(px),
            upright=True,
            lines=3,
            shade=(-8, 0),
            rim=4,
        )
        for px in (x, x + w - bar)
    )
    rails = wooden(
        box(x - bar * 0.3, y - bar * 0.4, w + bar * 0.6, bar, r=bar * 0.4),
        OAK,
        3,
        lines=3,
        shade=(0, -9),
        rim=4,
    ) + wooden(
        box(x - bar * 0.5, y + h - bar, w + bar, bar * 1.3, r=bar * 0.4),
        OAK,
        5,
        lines=3,
        shade=(0, -10),
        rim=4,
    )
    return parts + posts + rails


@picture("abaco-de-madera-1")
def abacus_front() -> str:
    feet = "".join(
        solid(
            poly((x - 60, 830), (x + 60, 830), (x + 30, 776), (x - 30, 776), r=14),
            CEDAR,
            shade=(-8, -6),
            rim=4,
        )
        for x in (190, 770)
    )
    return plain("rose", 730) + shadow(480, 832, 400, 34) + feet + abacus(150, 150, 660, 650)


@picture("abaco-de-madera-2")
def abacus_sum() -> str:
    page = box(120, 520, 470, 330, r=16)
    rules = "".join(line(poly((140, y), (572, y), closed=False), "#C9DDEB", 4) for y in range(566, 850, 42))
    holes = "".join(fill(circle(146 + n * 42, 532, 9), "#B9B0A0") for n in range(11))
    pencil = (
        solid(
            poly((640, 640), (860, 800), (830, 842), (610, 682), r=6),
            SUN,
            line(poly((626, 662), (846, 822), closed=False), darker(SUN, 0.16), 5),
            shade=(0, 0),
            rim=3,
        )
        + fill(poly((640, 640), (610, 682), (574, 616), r=4), "#EBD3A8")
        + fill(poly((592, 634), (600, 626), (574, 616)), INK)
        + fill(poly((860, 800), (830, 842), (858, 862), (886, 820), r=8), PINK)
    )
    return (
        flat("mint")
        + shadow(530, 486, 320, 22)
        + abacus(250, 90, 560, 380, 5, 10, (7, 5, 10, 0, 10))
        + group(
            cast(page, 14, 20, 12, 0.3),
            solid(
                page,
                WHITE,
                rules,
                holes,
                fill(words("7 + 5 = 12", 356, 700, 88, 500), SKY),
                fill(star(356, 778, 34, 15, 5, 4), SUN),
                shade=(0, 0),
                rim=0,
            ),
            turn=-5,
            about=(350, 680),
        )
        + cast(capsule((610, 640), (860, 830), 40), 10, 14, 8, 0.3)
        + pencil
    )


@picture("abaco-de-madera-3")
def abacus_detail() -> str:
    return flat("rose") + abacus(60, -260, 1500, 1480, 7, 7, (4, 3, 5, 4, 3, 6, 2))

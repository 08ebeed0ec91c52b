"""Guitarrita de palo: a painted rosette, six strings."""

from random import Random

from art.colour import BRASS, CEDAR, CREAM, SKY, SUN, TEAL, TOMATO, WALNUT, darker, lighter
from art.gallery import picture
from art.materials import grain, stitches
from art.paint import cast, fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import arc, box, circle, leaf, polar, poly, star, twin


def guitar() -> str:
    """The little guitar upright, 300–660 wide, head up."""
    body = twin(
        (480, 470), (560, 478), (610, 530), (590, 600), (640, 680), (640, 790), (560, 860), (480, 870)
    )
    neck = box(450, 190, 60, 330, r=8)
    head = poly((442, 200), (430, 90), (446, 66), (514, 66), (530, 90), (518, 200), r=10)
    rosette = "".join(
        line(circle(480, 620, r), c, w) for r, c, w in ((74, WALNUT, 6), (64, TOMATO, 9), (53, SUN, 7))
    )
    petals_ = "".join(
        fill(leaf(polar((480, 620), 78, a), polar((480, 620), 108, a), 18), TEAL if n % 2 else TOMATO)
        for n, a in enumerate(range(0, 360, 30))
    )
    strings = "".join(
        line(poly((458 + n * 8.8, 110), (452 + n * 11.4, 778), closed=False), "#F5EFE0", 2.6)
        for n in range(6)
    )
    pegs = "".join(
        solid(box(404 if d < 0 else 524, y, 32, 20, r=8), CREAM, shade=(-3, -4), rim=2)
        for d in (-1, 1)
        for y in (90, 126, 162)
    )
    return (
        pegs
        + solid(
            body,
            "#E2AE6B",
            grain(body.bounds(), "#E2AE6B", 12, 18, upright=True),
            line(body, "#B9783B", 18),
            petals_,
            shade=(-24, -20),
            rim=6,
        )
        + fill(circle(480, 620, 47), "#4A2B1C")
        + rosette
        + solid(
            neck,
            WALNUT,
            *(
                line(poly((450, y), (510, y), closed=False), BRASS, 4)
                for y in (230, 272, 312, 350, 386, 420, 452, 482)
            ),
            *(fill(circle(480, y, 6), CREAM) for y in (331, 403)),
            shade=(-10, 0),
            rim=4,
        )
        + solid(head, CEDAR, fill(star(480, 96, 18, 8, 5, 2), SUN), shade=(-10, -10), rim=4)
        + solid(box(416, 768, 128, 30, r=10), WALNUT, shade=(-6, -8), rim=3)
        + strings
    )


@picture("guitarrita-de-palo-1")
def guitar_front() -> str:
    return flat("peach") + group(
        cast(twin((480, 470), (610, 530), (640, 680), (600, 850), (480, 870)), 20, 26, 14, 0.3),
        cast(box(446, 80, 68, 420, r=8), 16, 22, 10, 0.3),
        guitar(),
        turn=14,
        about=(480, 480),
        size=1.04,
    )


@picture("guitarrita-de-palo-2")
def guitar_case() -> str:
    case = twin(
        (640, 120), (710, 130), (720, 420), (810, 520), (790, 620), (850, 740), (760, 850), (640, 860), x=640
    )
    pocket = box(548, 650, 184, 130, r=30)
    zip_ = line(case.size(0.93, about=(640, 500)), CREAM, 5, dash="12 9")
    return (
        plain("mint", 740)
        + shadow(640, 866, 220, 26)
        + shadow(300, 862, 170, 24)
        + solid(case, SKY, zip_, flowers_dots(), shade=(-24, -18), rim=6)
        + solid(pocket, darker(SKY, 0.12), fill(star(640, 712, 34, 15, 5, 3), SUN), shade=(-8, -8), rim=4)
        + stitches(box(560, 662, 160, 106, r=22), CREAM, 4)
        + line(arc((640, 124), 40, 180, 360), darker(SKY, 0.3), 16)
        + group(guitar(), move=(-170, -8), turn=-9, size=0.98, about=(480, 860))
    )


def flowers_dots() -> str:
    """Dots printed on the case."""
    chance = Random(3)
    return "".join(
        fill(circle(chance.uniform(440, 850), chance.uniform(130, 860), 7), lighter(SKY, 0.4), 0.7)
        for _ in range(60)
    )


@picture("guitarrita-de-palo-3")
def guitar_detail() -> str:
    return flat("peach") + group(guitar(), move=(0, -140), turn=10, size=2.9, about=(480, 620))

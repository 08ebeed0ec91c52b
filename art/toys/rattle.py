"""Sonajero de madera: rings and a bell in a cage."""

from art.colour import BRASS, CREAM, SKY, SUN, TEAL, TOMATO, WHITE, darker, lighter, mix
from art.gallery import picture
from art.materials import grain, stitches, swish
from art.paint import cast, fill, gloss, group, line, solid
from art.scenes import flat
from art.shapes import box, capsule, circle, curve, poly, star, twin

BACK_RIB = ((0, 150), (66, 204), (88, 290), (66, 378), (0, 430))


def rattle() -> str:
    """A turned rattle, upright: cage with a bell above, three rings on the stem."""
    maple = "#EBCB98"
    stem = twin((480, 440), (504, 446), (500, 720), (520, 770), (540, 820), (480, 850))
    rings = "".join(
        solid(box(396 + n * 6, 520 + n * 62, 168 - n * 12, 50, r=25), c, shade=(-14, -10), rim=5)
        + gloss((412 + n * 6, 538 + n * 62), (440 + n * 6, 532 + n * 62), 0, 8, 0.6)
        for n, c in enumerate((TOMATO, SUN, TEAL))
    )
    bars_back = "".join(
        line(curve(*((480 + d * out, y) for out, y in BACK_RIB)), darker(maple, 0.3), 20) for d in (-0.6, 0.6)
    )
    bell = solid(
        circle(480, 316, 62),
        BRASS,
        line(poly((430, 330), (530, 330), closed=False), darker(BRASS, 0.4), 7),
        fill(circle(480, 330, 10), darker(BRASS, 0.5)),
        shade=(-12, -14),
        rim=5,
    ) + gloss((444, 300), (466, 274), -0.2, 10, 0.8)
    ribs = [
        curve(*((480 + d * reach, y) for reach, y in ((8, 146), (96, 204), (128, 290), (96, 378), (8, 436))))
        for d in (-1, 1, -0.06)
    ]
    bars = "".join(
        line(rib, darker(maple, 0.22), 30)
        + line(rib, maple, 24)
        + line(rib.move(-4, -3), lighter(maple, 0.4), 5)
        for rib in ribs
    )
    caps = solid(
        twin((480, 110), (540, 124), (548, 160), (480, 172)), maple, shade=(-10, -10), rim=4
    ) + solid(twin((480, 414), (548, 424), (540, 462), (480, 474)), maple, shade=(-10, -10), rim=4)
    return (
        bars_back
        + bell
        + bars
        + caps
        + solid(stem, maple, grain(stem.bounds(), maple, 3, 4, upright=True), shade=(-14, -6), rim=4)
        + rings
        + solid(
            circle(480, 826, 48),
            maple,
            line(circle(474, 820, 24), darker(maple, 0.14), 4),
            shade=(-10, -12),
            rim=4,
        )
    )


@picture("sonajero-de-madera-1")
def rattle_plain() -> str:
    return flat("rose") + group(
        cast(capsule((480, 160), (480, 820), 110), 24, 26, 16, 0.26),
        rattle(),
        turn=24,
        size=1.1,
        about=(480, 480),
    )


@picture("sonajero-de-madera-2")
def rattle_blanket() -> str:
    quilt = "".join(
        fill(box(c * 240, r * 240, 240, 240), (mix(SKY, WHITE, 0.62), mix(SKY, WHITE, 0.74))[(r + c) % 2])
        + fill(star(c * 240 + 120, r * 240 + 120, 52, 23, 5, 7), (CREAM, "#F9D98C")[(r + c) % 2])
        for r in range(4)
        for c in range(4)
    )
    seams = "".join(
        stitches(poly((x, 0), (x, 960), closed=False), WHITE, 4)
        + stitches(poly((0, x), (960, x), closed=False), WHITE, 4)
        for x in (228, 252, 468, 492, 708, 732)
    )
    shake = swish((350, 330), 240, 190, 240, TOMATO, 11) + swish((350, 330), 284, 198, 232, SUN, 11)
    return (
        quilt
        + seams
        + shake
        + group(
            cast(capsule((480, 160), (480, 820), 110), 24, 26, 14, 0.34), rattle(), turn=-34, about=(480, 480)
        )
    )


@picture("sonajero-de-madera-3")
def rattle_detail() -> str:
    return flat("rose") + group(rattle(), move=(20, 200), turn=10, size=2.3, about=(480, 300))

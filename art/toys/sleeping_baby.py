"""Bebé dormilón: swaddled in a ruana."""

from art.colour import COCOA, CREAM, PLUM, SUN, TEAL, TOMATO, TOMATO_DARK, WHITE, darker
from art.faces import asleep, cheeks, smile
from art.gallery import picture
from art.lettering import words
from art.materials import knit
from art.paint import fill, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import Path, arc, blob, circle, curve, ellipse, furry, poly, twin
from art.toys.rag_doll import HAIR


def baby_cap(cx: float, cy: float, r: float) -> str:
    """A knitted cap with a pompom."""
    cap = twin(
        (cx, cy - r * 1.24),
        (cx + r * 0.76, cy - r * 0.96),
        (cx + r * 1.06, cy - r * 0.1),
        (cx, cy - r * 0.34),
        x=cx,
    )
    brim = blob(
        (cx - r * 1.1, cy - r * 0.2),
        (cx, cy - r * 0.58),
        (cx + r * 1.1, cy - r * 0.2),
        (cx + r * 1.04, cy + r * 0.04),
        (cx, cy - r * 0.3),
        (cx - r * 1.04, cy + r * 0.04),
    )
    pompom = furry(circle(cx + r * 0.1, cy - r * 1.32, r * 0.26), 14, r * 0.08)
    return (
        solid(cap, TEAL, knit(cap.bounds(), darker(TEAL, 0.3), r * 0.15), shade=(-r * 0.1, -r * 0.1), rim=4)
        + solid(pompom, CREAM, shade=(-r * 0.05, -r * 0.05), rim=3)
        + solid(brim, CREAM, knit(brim.bounds(), "#D8C7A6", r * 0.13), shade=(-r * 0.05, -r * 0.06), rim=3)
    )


def baby_head(cx: float, cy: float, r: float) -> str:
    """Fast asleep."""
    return (
        solid(ellipse(cx, cy, r, r * 0.94), "#E7B68E", shade=(-r * 0.1, -r * 0.11), rim=4)
        + asleep(cx, cy + r * 0.14, r * 0.86, r * 0.19, COCOA, r * 0.045)
        + fill(ellipse(cx, cy + r * 0.32, r * 0.07, r * 0.05), darker("#E7B68E", 0.2))
        + smile(cx, cy + r * 0.48, r * 0.28, r * 0.1, TOMATO_DARK, r * 0.05)
        + cheeks(cx, cy + r * 0.36, r * 1.16, r * 0.17, TOMATO, 0.34)
        + baby_cap(cx, cy, r)
        + line(
            curve(
                (cx - r * 0.02, cy - r * 0.32),
                (cx + r * 0.1, cy - r * 0.2),
                (cx + r * 0.01, cy - r * 0.1),
                (cx - r * 0.05, cy - r * 0.16),
            ),
            HAIR,
            r * 0.045,
        )
    )


def woven(area: Path, base: str, bands: tuple[tuple[str, float], ...], step: float, slope: float = 0) -> str:
    """Stripes of a ruana across an area; clip it."""
    left, top, right, bottom = area.bounds()
    parts, y, index = "", top - abs(slope) * (right - left), 0
    while y < bottom + step:
        colour, share = bands[index % len(bands)]
        parts += line(
            poly((left - 20, y), (right + 20, y + slope * (right - left)), closed=False),
            colour,
            step * share,
            cap="butt",
        )
        y, index = y + step, index + 1
    return fill(area, base) + parts


RUANA = ((SUN, 0.5), (CREAM, 0.22), (TOMATO, 0.6), (CREAM, 0.22), (TEAL, 0.5), (CREAM, 0.22))


@picture("bebe-dormilon-1")
def baby_wrapped() -> str:
    wrap = twin((480, 400), (620, 430), (690, 580), (650, 760), (560, 836), (480, 848))
    fold = poly((330, 440), (480, 520), (640, 430), (700, 560), (510, 700), (316, 780), (296, 600), r=60)
    fringe = "".join(
        line(poly(p, (p[0] + 16, p[1] + 26), closed=False), PLUM, 6)
        for p, _ in curve((340, 782), (430, 744), (520, 700), (610, 640), (690, 574)).sample(20)
    )
    return (
        plain("sky", 730)
        + shadow(480, 846, 250, 34)
        + solid(wrap, PLUM, woven(wrap, "#7C4C97", RUANA, 52, -0.12), shade=(-34, -20), rim=6)
        + fringe
        + solid(fold, "#7C4C97", woven(fold, "#7C4C97", RUANA, 46, -0.5), shade=(-18, -20), rim=5)
        + baby_head(480, 330, 186)
        + solid(
            ellipse(566, 566, 44, 36),
            "#E7B68E",
            *(
                line(curve((546 + n * 18, 548), (548 + n * 18, 566)), darker("#E7B68E", 0.2), 4)
                for n in range(3)
            ),
            shade=(-6, -7),
            rim=3,
        )
    )


@picture("bebe-dormilon-2")
def baby_basket() -> str:
    basket = poly((120, 500), (840, 500), (776, 800), (184, 800), r=(30, 30, 110, 110))
    weave_ = ""
    for row in range(7):
        for column in range(15):
            x, y = 110 + column * 52 + (26 if row % 2 else 0), 540 + row * 42
            weave_ += line(
                curve((x, y), (x + 24, y - 9), (x + 48, y)),
                "#A8763F" if (row + column) % 2 else "#E0B478",
                24,
            )
    rim = "".join(
        line(curve((110 + n * 38, 516), (128 + n * 38, 488), (158 + n * 38, 500)), "#B9864A", 22)
        for n in range(19)
    )
    handle = (
        line(arc((480, 500), 330, 184, 356), "#9A6B38", 40)
        + line(arc((480, 500), 330, 184, 356), "#C99555", 30)
        + line(arc((480, 500), 330, 184, 356), "#9A6B38", 28, dash="6 24", cap="butt")
    )
    blanket = blob((380, 440), (560, 400), (740, 430), (810, 500), (700, 560), (420, 560))
    zzz = (
        fill(words("z", 640, 300, 90, 600), PLUM, 0.8)
        + fill(words("z", 706, 230, 66, 600), PLUM, 0.6)
        + fill(words("z", 756, 176, 48, 600), PLUM, 0.45)
    )
    return (
        plain("butter", 720)
        + shadow(480, 806, 360, 44)
        + handle
        + fill(ellipse(480, 506, 350, 60), "#8A5F33")
        + solid(ellipse(320, 470, 190, 80), WHITE, shade=(-12, -14), rim=4)
        + group(baby_head(310, 420, 130), turn=-64, about=(310, 420))
        + solid(blanket, PLUM, woven(blanket, "#7C4C97", RUANA, 40, 0.18), shade=(-14, -18), rim=5)
        + solid(basket, "#C99555", weave_, shade=(-34, -26), rim=0)
        + rim
        + zzz
    )


@picture("bebe-dormilon-3")
def baby_face() -> str:
    wrap = ellipse(480, 980, 460, 300)
    return (
        flat("sky")
        + solid(wrap, PLUM, woven(wrap, "#7C4C97", RUANA, 84, -0.1), shade=(-20, -20), rim=8)
        + baby_head(480, 530, 340)
    )

"""Perezoso de peluche."""

from art.colour import COCOA, INK, LEAF, darker
from art.faces import cheeks, eye
from art.gallery import picture
from art.materials import stitches
from art.nature import big_leaf, branch
from art.paint import fill, flip, gloss, group, line, shadow, solid
from art.parts.plush import plush, tag
from art.scenes import flat, halo, plain
from art.shapes import blob, curve, ellipse, furry, leaf, twin

FUR, FACE, MASK = "#A58361", "#F3E2C3", "#6A4A34"


def claws(x: float, y: float, turn: float, size: float = 1) -> str:
    """Three felt claws pointing down before turning."""
    parts = "".join(
        solid(
            leaf((x + d * 20 * size, y - 8 * size), (x + d * 26 * size, y + 52 * size), 19 * size),
            "#EAD9B5",
            shade=(-4, -3),
            rim=2,
        )
        for d in (-1, 0, 1)
    )
    return group(parts, turn=turn, about=(x, y))


def sloth_head(cx: float, cy: float, s: float) -> str:
    """The masked smile of a three-toed sloth."""
    head = furry(ellipse(cx, cy, s, s * 0.88), 30, s * 0.045)
    fringe = "".join(
        fill(
            leaf((cx + d * s * 0.1, cy - s * 0.78), (cx + d * s * 0.34, cy - s * 1.08), s * 0.16),
            darker(FUR, 0.1),
        )
        for d in (-1, 0, 1)
    )
    face = twin(
        (cx, cy - s * 0.5),
        (cx + s * 0.4, cy - s * 0.56),
        (cx + s * 0.78, cy - s * 0.2),
        (cx + s * 0.7, cy + s * 0.36),
        (cx + s * 0.3, cy + s * 0.66),
        (cx, cy + s * 0.7),
        x=cx,
    )
    patches = "".join(
        fill(
            blob(
                (cx + d * s * 0.16, cy - s * 0.1),
                (cx + d * s * 0.38, cy - s * 0.18),
                (cx + d * s * 0.76, cy + s * 0.16),
                (cx + d * s * 0.72, cy + s * 0.34),
                (cx + d * s * 0.34, cy + s * 0.18),
            ),
            MASK,
        )
        for d in (-1, 1)
    )
    nose = solid(
        twin(
            (cx, cy + s * 0.1),
            (cx + s * 0.16, cy + s * 0.12),
            (cx + s * 0.14, cy + s * 0.24),
            (cx, cy + s * 0.3),
            x=cx,
        ),
        COCOA,
        shade=(-3, -4),
        rim=0,
    ) + gloss((cx - s * 0.08, cy + s * 0.16), (cx, cy + s * 0.14), 0, s * 0.035, 0.5)
    return (
        fringe
        + plush(head, FUR, 3, hairs=46, depth=s * 0.09)
        + solid(face, FACE, patches, shade=(-s * 0.03, -s * 0.04), rim=0)
        + eye(cx - s * 0.36, cy + s * 0.02, s * 0.1, INK)
        + eye(cx + s * 0.36, cy + s * 0.02, s * 0.1, INK)
        + nose
        + line(
            curve(
                (cx - s * 0.34, cy + s * 0.36),
                (cx - s * 0.16, cy + s * 0.47),
                (cx, cy + s * 0.49),
                (cx + s * 0.16, cy + s * 0.47),
                (cx + s * 0.34, cy + s * 0.36),
            ),
            COCOA,
            s * 0.04,
        )
        + cheeks(cx, cy + s * 0.42, s * 1.02, s * 0.11)
    )


@picture("Perezoso de peluche (sentado)")
def sloth_sitting() -> str:
    body = twin((480, 420), (610, 460), (670, 620), (650, 770), (560, 812), (480, 816))
    belly = twin((480, 540), (560, 570), (586, 680), (548, 770), (480, 782))
    seam = stitches(curve((480, 552), (484, 660), (480, 774)), darker(FACE, 0.25), 4)
    arm = blob((600, 462), (670, 500), (720, 610), (730, 740), (700, 806), (648, 796), (640, 700), (610, 600))
    leg = blob((540, 748), (640, 736), (716, 784), (710, 836), (620, 850), (540, 830))
    pads = fill(ellipse(668, 806, 26, 20), FACE)
    right = plush(arm, FUR, 13, hairs=24) + claws(690, 796, -10)
    limb = plush(leg, FUR, 17, pads, hairs=16) + claws(700, 818, -74, 0.8)
    return (
        plain("mint", 720)
        + shadow(480, 836, 280, 40)
        + plush(body, FUR, 5, solid(belly, FACE, seam, shade=(-8, -8), rim=0), hairs=44)
        + limb
        + flip(limb)
        + right
        + flip(right)
        + tag(706, 606, -64)
        + sloth_head(480, 330, 196)
    )


def sloth_hanging(x: float, y: float) -> str:
    """The sloth under its branch."""
    arms = "".join(
        plush(shape, FUR, seed, hairs=22, fall=-60)
        for shape, seed in (
            (blob((300, 250), (352, 240), (372, 380), (410, 500), (350, 560), (296, 420)), 21),
            (blob((640, 250), (692, 262), (676, 420), (620, 560), (556, 510), (606, 380)), 23),
        )
    )
    body = blob((330, 500), (480, 450), (630, 500), (690, 620), (600, 740), (430, 760), (310, 660))
    legs = plush(
        blob((660, 560), (720, 470), (770, 260), (820, 262), (816, 440), (760, 640), (690, 680)),
        FUR,
        29,
        hairs=22,
        fall=-60,
    )
    return group(legs, plush(body, FUR, 25, hairs=40, fall=120), arms, sloth_head(430, 610, 176), move=(x, y))


@picture("Perezoso de peluche (colgado)")
def sloth_branch() -> str:
    limb = curve((-30, 270), (200, 230), (480, 250), (760, 220), (1000, 250))
    paws = "".join(group(claws(x, 214, 0, 0.95)) for x in (326, 664, 794))
    leaves = (
        big_leaf((120, 240), (60, 90), 84, LEAF, 10)
        + big_leaf((190, 236), (240, 80), 76, "#4C8A4E", -8)
        + big_leaf((880, 234), (930, 80), 84, LEAF, 8)
        + big_leaf((90, 262), (40, 420), 76, "#4C8A4E", 8)
        + big_leaf((900, 240), (930, 400), 72, "#79AE57", -8)
    )
    return halo("butter", cy=560, radius=380) + leaves + sloth_hanging(0, 40) + branch(limb, 46) + paws


@picture("Perezoso de peluche (carita)")
def sloth_face() -> str:
    return flat("mint") + plush(ellipse(480, 1000, 430, 260), FUR, 40, hairs=40) + sloth_head(480, 500, 410)

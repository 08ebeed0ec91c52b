"""Maracas pintadas: gourds with painted flowers."""

from art.colour import CEDAR, CREAM, LIME, PINK, PLUM, SUN, TEAL, TOMATO
from art.gallery import picture
from art.materials import daisy, grain, note, stripe, swish
from art.paint import cast, fill, gloss, group, solid
from art.scenes import flat, halo
from art.shapes import box, circle, leaf, polar, poly, twin


def maraca(cx: float, cy: float, s: float, ground: str, petal: str, turn: float = 0, seed: int = 1) -> str:
    """A gourd with painted flowers; (cx, cy) is the middle of the gourd."""
    gourd = twin(
        (cx, cy - s),
        (cx + s * 0.78, cy - s * 0.62),
        (cx + s * 0.86, cy + s * 0.3),
        (cx + s * 0.36, cy + s * 0.96),
        (cx, cy + s * 1.06),
        x=cx,
    )
    handle = poly(
        (cx - s * 0.17, cy + s * 0.9),
        (cx + s * 0.17, cy + s * 0.9),
        (cx + s * 0.12, cy + s * 1.6),
        (cx + s * 0.2, cy + s * 2.3),
        (cx - s * 0.2, cy + s * 2.3),
        (cx - s * 0.12, cy + s * 1.6),
        r=s * 0.1,
    )
    flower = (
        daisy(cx - s * 0.1, cy - s * 0.06, s * 0.46, petal, SUN if petal != SUN else TOMATO, 6)
        + daisy(cx + s * 0.56, cy - s * 0.44, s * 0.22, CREAM, TOMATO)
        + daisy(cx - s * 0.62, cy - s * 0.5, s * 0.2, CREAM, TOMATO)
        + daisy(cx + s * 0.5, cy + s * 0.46, s * 0.24, CREAM, SUN)
    )
    leaves = "".join(
        fill(
            leaf((cx - s * 0.1, cy - s * 0.06), polar((cx - s * 0.1, cy - s * 0.06), s * 0.76, a), s * 0.2),
            LIME,
        )
        for a in (30, 100, 160, 250, 310)
    )
    bands = stripe(cx - s, cx + s, cy + s * 0.6, s * 0.07, s * 0.12, CREAM) + stripe(
        cx - s, cx + s, cy + s * 0.76, s * 0.1, s * 0.1, petal
    )
    return group(
        solid(
            handle,
            CEDAR,
            grain(handle.bounds(), CEDAR, seed, 4, upright=True),
            fill(box(cx - s * 0.3, cy + s * 1.06, s * 0.6, s * 0.1), SUN),
            fill(box(cx - s * 0.3, cy + s * 2.1, s * 0.6, s * 0.08), SUN),
            shade=(-s * 0.08, 0),
            rim=4,
        )
        + solid(gourd, ground, leaves, flower, bands, shade=(-s * 0.15, -s * 0.14), rim=6)
        + gloss((cx - s * 0.58, cy - s * 0.36), (cx - s * 0.24, cy - s * 0.76), -0.16, s * 0.09, 0.5),
        turn=turn,
        about=(cx, cy + s),
    )


@picture("maracas-pintadas-1")
def maracas_pair() -> str:
    return (
        flat("peach")
        + cast(circle(270, 350, 160), 24, 30, 18, 0.28)
        + cast(circle(700, 350, 160), 24, 30, 18, 0.28)
        + maraca(312, 340, 196, TEAL, PINK, -20, 2)
        + maraca(648, 340, 196, TOMATO, SUN, 20, 3)
    )


@picture("maracas-pintadas-2")
def maracas_shaking() -> str:
    move = "".join(
        swish(c, r, a, b, k, 11)
        for c, r, a, b, k in (
            ((270, 330), 240, -200, -150, TEAL),
            ((270, 330), 284, -190, -160, SUN),
            ((690, 330), 240, -30, 20, TOMATO),
            ((690, 330), 284, -20, 10, SUN),
        )
    )
    return (
        halo("butter", radius=390)
        + group(
            move,
            maraca(300, 350, 156, TEAL, PINK, -42, 4),
            maraca(660, 350, 156, TOMATO, SUN, 42, 5),
            size=0.9,
            about=(480, 560),
            move=(0, 10),
        )
        + note(440, 190, 28, PLUM)
        + note(530, 130, 26, TEAL)
    )


@picture("maracas-pintadas-3")
def maracas_detail() -> str:
    return flat("peach") + maraca(500, 520, 500, TEAL, PINK, -8, 6)

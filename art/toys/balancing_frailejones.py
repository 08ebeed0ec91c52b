"""Frailejones en equilibrio: a rocking mountain."""

from art.colour import LEAF, OAK, SUN, TEAL, TOMATO, darker, lighter
from art.gallery import picture
from art.materials import grain, swish
from art.paint import fill, group, line, shadow, solid
from art.scenes import plain
from art.shapes import Path, arc, circle, curve, ellipse, petals, polar, poly


def wooden_frailejon(x: float, y: float, s: float, turn: float = 0) -> str:
    """A flat wooden piece: trunk, silver rosette, yellow flowers, foot at (x, y)."""
    trunk = poly(
        (x - s * 0.16, y - s), (x + s * 0.16, y - s), (x + s * 0.22, y), (x - s * 0.22, y), r=s * 0.05
    )
    bark = "".join(
        line(
            curve((x - s * 0.18, y - s * h), (x, y - s * (h - 0.07)), (x + s * 0.18, y - s * h)),
            darker(OAK, 0.25),
            s * 0.035,
        )
        for h in (0.2, 0.36, 0.52, 0.68)
    )
    crown = petals(x, y - s * 1.02, s * 0.62, 9, s * 0.24, -90)
    veins = "".join(
        line(
            poly(polar((x, y - s * 1.02), s * 0.16, a), polar((x, y - s * 1.02), s * 0.5, a), closed=False),
            "#94A97D",
            s * 0.025,
        )
        for a in range(-90, 270, 40)
    )
    blooms = "".join(
        line(poly((x, y - s * 1.1), (x + dx * s, y - dy * s), closed=False), LEAF, s * 0.05)
        + solid(
            circle(x + dx * s, y - dy * s, s * 0.12),
            SUN,
            fill(circle(x + dx * s, y - dy * s, s * 0.05), "#B9701F"),
            shade=(-3, -3),
            rim=2,
        )
        for dx, dy in ((-0.22, 1.74), (0.22, 1.74), (0, 1.86))
    )
    return group(
        blooms,
        solid(
            trunk, OAK, grain(trunk.bounds(), OAK, int(x), 4, upright=True), bark, shade=(-s * 0.06, 0), rim=3
        ),
        solid(crown, "#BFCBA6", veins, shade=(-s * 0.03, -s * 0.04), rim=3),
        turn=turn,
        about=(x, y),
    )


def rocking_mountain(tilt: float, *on_top: str) -> str:
    """The half-moon mountain and what stands on it."""
    outline_ = Path(
        (
            ("M", ((830, 560),)),
            *arc((480, 560), 350, 0, 180, 0.72).parts[1:],
            *(("L", (p,)) for p in ((180, 520), (340, 520), (400, 470), (560, 470), (620, 520), (790, 520))),
            ("Z", ()),
        )
    )
    band = Path(
        (
            *arc((480, 560), 350, 4, 176, 0.72).parts,
            *tuple(("L", p) if c == "M" else (c, p) for c, p in arc((480, 560), 290, 176, 4, 0.72).parts),
            ("Z", ()),
        )
    )
    lake = fill(ellipse(480, 640, 110, 34), "#7DB9C9") + line(
        curve((420, 636), (470, 630), (520, 638)), "#D7ECEE", 6
    )
    return group(
        *on_top,
        solid(
            outline_,
            TEAL,
            grain((130, 470, 830, 820), TEAL, 3, 12),
            fill(band, darker(TEAL, 0.2)),
            lake,
            "".join(
                fill(poly((x, 600), (x + 34, 560), (x + 68, 600), r=6), lighter(TEAL, 0.35))
                for x in (250, 330, 590, 670)
            ),
            shade=(-26, -18),
            rim=6,
        ),
        turn=tilt,
        about=(480, 812),
    )


@picture("Frailejones en equilibrio (montaña)")
def balance_level() -> str:
    return (
        plain("butter", 760)
        + shadow(480, 822, 240, 34)
        + rocking_mountain(
            0,
            wooden_frailejon(252, 524, 120),
            wooden_frailejon(480, 474, 170),
            wooden_frailejon(710, 524, 120),
        )
    )


@picture("Frailejones en equilibrio (inclinada)")
def balance_tilted() -> str:
    slip = wooden_frailejon(770, 520, 104, 40)
    marks = swish((700, 600), 210, -34, 2, TOMATO, 11) + swish((700, 600), 250, -28, -6, SUN, 11)
    return (
        plain("sky", 760)
        + shadow(500, 824, 240, 34)
        + rocking_mountain(15, wooden_frailejon(252, 524, 100), wooden_frailejon(500, 474, 150))
        + marks
        + slip
    )


@picture("Frailejones en equilibrio (tres tamaños)")
def balance_pieces() -> str:
    return (
        plain("mint", 740)
        + shadow(190, 816, 90, 18)
        + shadow(440, 816, 120, 20)
        + shadow(750, 816, 150, 24)
        + wooden_frailejon(190, 810, 150)
        + wooden_frailejon(440, 810, 230)
        + wooden_frailejon(750, 810, 330)
    )

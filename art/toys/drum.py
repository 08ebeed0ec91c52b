"""Tambor alegre: skin, ropes and wedges."""

from art.colour import CREAM, OAK, PINE, SUN, TEAL, TOMATO, darker
from art.gallery import picture
from art.materials import grain, rope, stripe, swish
from art.paint import clip, fill, flip, group, line, shadow, solid
from art.scenes import flat, halo, plain
from art.shapes import box, capsule, curve, ellipse, poly


def alegre() -> str:
    """The conical drum: skin, ropes, wedges, painted staves."""
    shell = poly((250, 330), (710, 330), (630, 800), (330, 800), r=(20, 20, 40, 40))
    staves = "".join(
        line(poly((x, 320), (480 + (x - 480) * 0.66, 810), closed=False), darker(OAK, 0.16), 4)
        for x in range(290, 700, 58)
    )
    wedges = "".join(
        solid(
            poly(
                (480 + (x - 480) * 0.84 - 16, 556),
                (480 + (x - 480) * 0.84 + 16, 556),
                (480 + (x - 480) * 0.82 + 10, 630),
                (480 + (x - 480) * 0.82 - 10, 630),
                r=5,
            ),
            TOMATO,
            shade=(-6, 0),
            rim=3,
        )
        for x in range(290, 700, 76)
    )
    ropes = rope(
        poly(*((230 + n * 50, 366 if n % 2 == 0 else 590) for n in range(11)), closed=False), CREAM, 11, 9
    )
    hoop = line(curve((266, 590), (480, 628), (694, 590)), darker(PINE, 0.3), 24) + line(
        curve((268, 586), (480, 624), (692, 586)), PINE, 18
    )
    bands = (
        stripe(200, 760, 664, 34, 26, TEAL)
        + stripe(200, 760, 706, 10, 24, CREAM)
        + stripe(200, 760, 724, 26, 22, SUN)
        + "".join(
            fill(
                poly((x, 690), (x + 16, 674), (x + 32, 690), (x + 16, 706)).move(
                    0, 8 * (1 - ((x - 464) / 160) ** 2)
                ),
                CREAM,
            )
            for x in range(320, 640, 48)
        )
    )
    head = ellipse(480, 326, 240, 74)
    return (
        solid(
            shell,
            OAK,
            staves,
            grain(shell.bounds(), OAK, 4, 14, upright=True),
            bands,
            shade=(-50, -10),
            rim=6,
        )
        + clip(poly((226, 320), (734, 320), (690, 640), (270, 640)), ropes)
        + hoop
        + wedges
        + line(ellipse(480, 352, 238, 74), darker(PINE, 0.3), 26)
        + line(ellipse(480, 348, 238, 74), PINE, 20)
        + solid(
            head,
            "#F4E3C2",
            fill(ellipse(520, 336, 110, 30), "#E3C79A", 0.7),
            line(ellipse(480, 326, 226, 66), "#D9BE93", 5),
            shade=(-14, -12),
            rim=6,
        )
    )


@picture("Tambor alegre (frente)")
def drum_front() -> str:
    return plain("sky", 760) + group(shadow(480, 806, 200, 34), alegre(), size=1.22, about=(480, 640))


@picture("Tambor alegre (sonando)")
def drum_playing() -> str:
    def hand(x: float, y: float, turn: float, skin: str) -> str:
        fingers = "".join(
            solid(
                capsule((x + d * 28, y), (x + d * 32, y + 84 - abs(d) * 9), 32), skin, shade=(-5, -4), rim=3
            )
            for d in (-1.5, -0.5, 0.5, 1.5)
        )
        thumb = solid(capsule((x + 60, y - 44), (x + 96, y + 10), 34), skin, shade=(-5, -4), rim=3)
        return group(
            solid(
                box(x - 52, y - 280, 104, 240, r=40),
                TOMATO,
                line(poly((x - 60, y - 70), (x + 60, y - 70), closed=False), SUN, 16),
                shade=(-12, 0),
                rim=4,
            ),
            thumb,
            fingers,
            solid(box(x - 60, y - 92, 120, 116, r=44), skin, shade=(-10, -6), rim=3),
            turn=turn,
            about=(x, y),
        )

    beats = (
        swish((480, 420), 340, -64, -36, SUN, 11)
        + swish((480, 420), 340, -144, -116, SUN, 11)
        + swish((480, 420), 384, -58, -42, TOMATO, 11)
        + swish((480, 420), 384, -138, -122, TOMATO, 11)
    )
    return (
        halo("butter", radius=400, cy=520)
        + shadow(480, 902, 200, 30)
        + beats
        + group(alegre(), move=(0, 96))
        + hand(350, 330, -14, "#8A5A3C")
        + flip(hand(350, 330, -14, "#8A5A3C"))
    )


@picture("Tambor alegre (cuñas)")
def drum_detail() -> str:
    return flat("sky") + group(alegre(), move=(60, -90), size=2.2, about=(440, 540))

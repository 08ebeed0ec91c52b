"""Torre de aros: six rings and a bird."""

from art.colour import CREAM, INK, LIME, OAK, ORANGE, PINE, PLUM, SKY, SUN, TEAL, TOMATO, WHITE, darker
from art.faces import eye
from art.gallery import picture
from art.materials import grain
from art.paint import cast, fill, gloss, group, line, shadow, solid
from art.scenes import flat, plain
from art.shapes import arc, blob, box, circle, curve, ellipse, leaf, poly

RINGS = (PLUM, SKY, TEAL, LIME, SUN, TOMATO)


def stack_ring(cx: float, cy: float, rx: float, colour: str, height: float = 72) -> str:
    """One ring from a little above, its hole hidden by the next one."""
    body = box(cx - rx, cy - height / 2, rx * 2, height, r=height / 2)
    return solid(
        body,
        colour,
        line(
            curve((cx - rx * 0.9, cy + 2), (cx, cy + 12), (cx + rx * 0.9, cy + 2)),
            darker(colour, 0.14),
            4,
            opacity=0.6,
        ),
        shade=(-20, -14),
        rim=5,
    ) + gloss((cx - rx * 0.8, cy - height * 0.12), (cx - rx * 0.5, cy - height * 0.26), 0, 9, 0.5)


def wooden_bird(x: float, y: float, s: float) -> str:
    """The bird on top; (x, y) is its foot."""
    body = blob(
        (x - s * 0.6, y - s * 0.56),
        (x - s * 0.32, y - s * 1.12),
        (x + s * 0.24, y - s * 1.0),
        (x + s * 0.74, y - s * 0.76),
        (x + s * 0.44, y - s * 0.16),
        (x, y),
        (x - s * 0.42, y - s * 0.12),
    )
    return (
        solid(
            body,
            TOMATO,
            fill(
                blob(
                    (x - s * 0.5, y - s * 0.4),
                    (x - s * 0.2, y - s * 0.5),
                    (x, y - s * 0.2),
                    (x - s * 0.1, y),
                    (x - s * 0.4, y - s * 0.1),
                ),
                CREAM,
            ),
            shade=(-s * 0.1, -s * 0.1),
            rim=4,
        )
        + solid(
            leaf((x - s * 0.04, y - s * 0.6), (x + s * 0.6, y - s * 0.4), s * 0.4),
            SUN,
            stitch_dots(x, y, s),
            shade=(-4, -5),
            rim=2,
        )
        + fill(
            poly(
                (x - s * 0.52, y - s * 0.82), (x - s * 0.86, y - s * 0.68), (x - s * 0.5, y - s * 0.62), r=3
            ),
            ORANGE,
        )
        + eye(x - s * 0.28, y - s * 0.8, s * 0.085, INK)
    )


def stitch_dots(x: float, y: float, s: float) -> str:
    """Painted dots on a wing."""
    return "".join(
        fill(circle(x + s * u, y - s * v, s * 0.035), TOMATO)
        for u, v in ((0.12, 0.54), (0.26, 0.5), (0.4, 0.45))
    )


@picture("torre-de-aros-1")
def rings_front() -> str:
    base = blob((250, 760), (480, 740), (710, 760), (680, 826), (480, 850), (280, 826))
    rings = "".join(stack_ring(480, 716 - n * 70, 222 - n * 26, c) for n, c in enumerate(RINGS))
    return (
        plain("mint", 730)
        + shadow(480, 850, 260, 34)
        + solid(base, OAK, grain(base.bounds(), OAK, 7, 5), shade=(-26, -18), rim=5)
        + rings
        + wooden_bird(484, 342, 150)
    )


@picture("torre-de-aros-2")
def rings_scattered() -> str:
    def lying(cx: float, cy: float, r: float, colour: str) -> str:
        ringed = circle(cx, cy, r) + circle(cx, cy, r * 0.36)
        return (
            cast(circle(cx, cy, r), 12, 18, 9, 0.32)
            + solid(
                ringed,
                colour,
                line(circle(cx, cy, r * 0.7), darker(colour, 0.12), 4, opacity=0.6),
                shade=(-12, -14),
                rim=5,
                evenodd=True,
            )
            + line(arc((cx, cy), r * 0.82, 200, 250), WHITE, 9, opacity=0.5)
        )

    post = (
        cast(circle(480, 500, 150), 14, 20, 10, 0.32)
        + solid(
            circle(480, 500, 152),
            OAK,
            *(line(circle(480, 500, r), darker(OAK, 0.12), 4, opacity=0.7) for r in (40, 72, 100, 130)),
            shade=(-14, -16),
            rim=5,
        )
        + solid(
            circle(480, 500, 42),
            PINE,
            line(circle(480, 500, 20), darker(PINE, 0.16), 4),
            shade=(-8, -9),
            rim=4,
        )
    )
    return (
        flat("lilac")
        + lying(230, 230, 150, PLUM)
        + lying(726, 210, 132, SKY)
        + lying(790, 520, 116, TEAL)
        + lying(690, 792, 102, LIME)
        + lying(440, 806, 90, SUN)
        + lying(164, 590, 80, TOMATO)
        + post
        + group(
            cast(ellipse(216, 836, 60, 50), 8, 12, 6, 0.3),
            wooden_bird(216, 880, 130),
            turn=-8,
            about=(216, 860),
        )
    )


@picture("torre-de-aros-3")
def rings_detail() -> str:
    rings = "".join(stack_ring(480, 980 - n * 150, 480 - n * 60, c, 156) for n, c in enumerate(RINGS[2:]))
    return flat("mint") + rings + wooden_bird(490, 470, 330)

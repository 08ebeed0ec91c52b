"""Lazo para saltar: turned grips and braided cotton."""

from art.colour import BEECH, SUN, TEAL, TOMATO, WHITE
from art.gallery import picture
from art.lettering import words
from art.materials import grain, rope, stripe, swish
from art.paint import cast, fill, group, line, solid
from art.scenes import closed_below, cloud, flat
from art.shapes import box, capsule, curve, ellipse, poly, twin


def grip(
    x: float, y: float, s: float, turn: float, bands: tuple[str, str] = (TOMATO, SUN), seed: int = 2
) -> str:
    """A turned handle; the cord enters at (x, y) and the handle runs down."""
    shape = twin(
        (x, y),
        (x + s * 0.09, y + s * 0.02),
        (x + s * 0.13, y + s * 0.3),
        (x + s * 0.1, y + s * 0.6),
        (x + s * 0.16, y + s * 0.9),
        (x, y + s),
        x=x,
    )
    return group(
        solid(
            shape,
            BEECH,
            grain(shape.bounds(), BEECH, seed, 3, upright=True),
            stripe(x - s, x + s, y + s * 0.12, s * 0.08, s * 0.02, bands[0]),
            stripe(x - s, x + s, y + s * 0.23, s * 0.04, s * 0.02, bands[1]),
            stripe(x - s, x + s, y + s * 0.7, s * 0.04, s * 0.02, bands[1]),
            stripe(x - s, x + s, y + s * 0.77, s * 0.08, s * 0.02, bands[0]),
            shade=(-s * 0.05, -s * 0.02),
            rim=4,
        ),
        turn=turn,
        about=(x, y),
    )


@picture("lazo-para-saltar-1")
def rope_coiled() -> str:
    coil = "".join(
        rope(line_path, "#F5EAD2", 26, 17)
        for line_path in (
            ellipse(480, 430, 290, 250),
            ellipse(486, 436, 246, 208),
            ellipse(476, 428, 202, 168),
        )
    )
    ends = rope(curve((300, 600), (280, 690), (250, 720)), "#F5EAD2", 26, 17) + rope(
        curve((640, 610), (690, 680), (700, 700)), "#F5EAD2", 26, 17
    )
    tie = solid(
        box(430, 150, 90, 130, r=20), TOMATO, fill(box(420, 196, 110, 12), SUN), shade=(-10, -10), rim=4
    )
    return (
        flat("lilac")
        + coil
        + ends
        + tie
        + cast(capsule((250, 720), (200, 880), 50), 12, 18, 8, 0.26)
        + grip(252, 700, 230, 16)
        + cast(capsule((700, 700), (780, 860), 50), 12, 18, 8, 0.26)
        + grip(696, 690, 230, -26, (TEAL, SUN))
    )


@picture("lazo-para-saltar-2")
def rope_swinging() -> str:
    squares = ""
    for n, (x, y, w) in enumerate(
        ((400, 800, 160), (420, 724, 120), (310, 724, 110), (530, 724, 120), (430, 660, 100), (440, 606, 84))
    ):
        corners = poly((x, y), (x + w, y), (x + w * 0.94, y - 62), (x + w * 0.06, y - 62), r=3)
        squares += line(corners, WHITE, 8, opacity=0.95) + fill(
            words(str(n + 1), x + w / 2, y - 16, 46, 600), WHITE
        )
    ground = closed_below(curve((-40, 520), (480, 500), (1000, 520)))
    loop = curve((200, 560), (210, 330), (360, 150), (480, 110), (600, 150), (750, 330), (760, 560))
    echo = curve((240, 560), (260, 390), (390, 240), (480, 210), (570, 240), (700, 390), (720, 560))
    return (
        flat("sky")
        + cloud(150, 170, 70)
        + cloud(830, 220, 60)
        + fill(ground, "#CFC3B4")
        + group(squares, move=(0, 90))
        + line(echo, WHITE, 9, dash="24 22", opacity=0.8)
        + rope(loop, "#F5EAD2", 24, 16)
        + grip(200, 550, 210, 6)
        + grip(760, 550, 210, -6, (TEAL, SUN))
        + swish((480, 420), 380, -62, -40, TOMATO, 11)
        + swish((480, 420), 380, -140, -118, TOMATO, 11)
    )


@picture("lazo-para-saltar-3")
def rope_detail() -> str:
    return (
        flat("lilac")
        + rope(curve((-40, 180), (180, 60), (360, 160), (330, 300)), "#F5EAD2", 62, 40)
        + grip(330, 270, 720, -6)
        + rope(curve((1000, 120), (820, 60), (640, 150), (660, 270)), "#F5EAD2", 62, 40)
        + grip(664, 250, 720, 8, (TEAL, SUN), 7)
    )

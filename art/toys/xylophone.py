"""Xilófono arcoíris: eight bars and two mallets."""

from art.colour import (
    CEDAR,
    COCOA,
    LEAF,
    LIME,
    ORANGE,
    PINE,
    PLUM,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    WHITE,
    darker,
    lighter,
)
from art.gallery import picture
from art.lettering import words
from art.materials import grain, note, screw, swish
from art.paint import cast, fill, gloss, group, line, solid
from art.scenes import flat
from art.shapes import Point, box, capsule, circle, poly

NOTES = (TOMATO, ORANGE, SUN, LIME, LEAF, TEAL, SKY, PLUM)


def mallet(a: Point, b: Point, colour: str) -> str:
    """A stick from a to b with its ball at b."""
    return (
        line(poly(a, b, closed=False), darker(PINE, 0.22), 22)
        + line(poly(a, b, closed=False), PINE, 16)
        + solid(circle(*b, 38), colour, shade=(-8, -9), rim=4)
        + gloss((b[0] - 20, b[1] - 6), (b[0] - 4, b[1] - 22), -0.2, 7)
    )


def xylophone() -> str:
    """Eight bars on two rails, from above."""
    rails = solid(
        poly((110, 300), (850, 396), (850, 440), (110, 344), r=16),
        CEDAR,
        grain((110, 300, 850, 440), CEDAR, 3, 8),
        shade=(-6, -10),
        rim=4,
    ) + solid(
        poly((110, 640), (850, 544), (850, 588), (110, 684), r=16),
        CEDAR,
        grain((110, 544, 850, 684), CEDAR, 5, 8),
        shade=(-6, -10),
        rim=4,
    )
    bars = ""
    for n, colour in enumerate(NOTES):
        x, half = 134 + n * 90, 268 - n * 22
        shape = box(x, 492 - half, 72, half * 2, r=18)
        y = 344 + n * 11 + 8
        bars += cast(shape, 10, 14, 7, 0.3) + solid(
            shape,
            colour,
            fill(box(x + 8, 492 - half + 10, 12, half * 2 - 20, r=6), lighter(colour, 0.45), 0.8),
            shade=(-9, -10),
            rim=4,
        )
        bars += (
            screw(x + 36, y - 16, 11)
            + screw(x + 36, 984 - y + 16, 11)
            + fill(
                words(["do", "re", "mi", "fa", "sol", "la", "si", "do"][n], x + 38, 506, 34, 600),
                WHITE if colour not in (SUN, LIME) else COCOA,
            )
        )
    return rails + bars


@picture("Xilófono arcoíris (con baquetas)")
def xylophone_above() -> str:
    return (
        flat("butter")
        + group(
            cast(poly((110, 290), (850, 390), (850, 590), (110, 690)), 16, 24, 16, 0.2),
            xylophone(),
            turn=-6,
            about=(480, 480),
        )
        + cast(capsule((560, 860), (850, 720), 30), 10, 14, 8, 0.3)
        + mallet((850, 740), (560, 850), TOMATO)
        + mallet((180, 130), (440, 90), SKY)
    )


@picture("Xilófono arcoíris (sonando)")
def xylophone_playing() -> str:
    music = (
        note(150, 250, 34, TOMATO, True)
        + note(440, 170, 30, TEAL)
        + note(820, 220, 34, PLUM, True)
        + note(640, 130, 24, SUN)
    )
    return (
        flat("mint")
        + group(xylophone(), move=(0, 150), turn=4, about=(480, 480))
        + music
        + mallet((920, 330), (600, 520), TOMATO)
        + swish((600, 520), 66, -150, -90, TOMATO, 9)
        + swish((600, 520), 66, 90, 150, TOMATO, 9)
    )


@picture("Xilófono arcoíris (láminas)")
def xylophone_detail() -> str:
    return flat("butter") + group(xylophone(), move=(100, 120), turn=-6, size=2.4, about=(330, 400))

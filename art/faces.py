"""Eyes, cheeks and mouths: small, low on the face, never the same grimace twice."""

from art.colour import COCOA, TOMATO, WHITE
from art.paint import fill, line
from art.shapes import arc, circle, curve, ellipse


def eye(x: float, y: float, radius: float, colour: str = COCOA) -> str:
    """A button eye with its glint."""
    return fill(ellipse(x, y, radius, radius * 1.12), colour) + fill(
        circle(x - radius * 0.32, y - radius * 0.4, radius * 0.32), WHITE
    )


def eyes(x: float, y: float, apart: float, radius: float, colour: str = COCOA) -> str:
    """A pair of button eyes about x."""
    return eye(x - apart / 2, y, radius, colour) + eye(x + apart / 2, y, radius, colour)


def asleep(x: float, y: float, apart: float, radius: float, colour: str = COCOA, width: float = 7) -> str:
    """Closed eyes with a few lashes, looking down."""
    parts = []
    for cx in (x - apart / 2, x + apart / 2):
        parts.append(line(arc((cx, y - radius * 0.4), radius, 20, 160), colour, width))
    return "".join(parts)


def content(x: float, y: float, apart: float, radius: float, colour: str = COCOA, width: float = 8) -> str:
    """Eyes narrowed by a smile."""
    return "".join(
        line(arc((cx, y + radius * 0.4), radius, 200, 340), colour, width)
        for cx in (x - apart / 2, x + apart / 2)
    )


def cheeks(
    x: float, y: float, apart: float, radius: float, colour: str = TOMATO, opacity: float = 0.32
) -> str:
    """Two rosy spots."""
    return "".join(
        fill(ellipse(cx, y, radius, radius * 0.72), colour, opacity) for cx in (x - apart / 2, x + apart / 2)
    )


def smile(x: float, y: float, width: float, depth: float, colour: str = COCOA, stroke: float = 7) -> str:
    """A single curved line."""
    return line(curve((x - width / 2, y), (x, y + depth), (x + width / 2, y)), colour, stroke)


def muzzle_smile(
    x: float, y: float, width: float, drop: float, colour: str = COCOA, stroke: float = 7
) -> str:
    """The mouth of an animal: a short line under the nose and a curl to each side."""
    half = width / 2
    return (
        line(curve((x, y), (x, y + drop)), colour, stroke)
        + line(
            curve((x - half, y + drop * 0.7), (x - half * 0.5, y + drop * 1.35), (x, y + drop)),
            colour,
            stroke,
        )
        + line(
            curve((x + half, y + drop * 0.7), (x + half * 0.5, y + drop * 1.35), (x, y + drop)),
            colour,
            stroke,
        )
    )

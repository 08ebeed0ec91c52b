"""Drawing for the web: no blending, whole numbers, few bytes."""

import re

from art.colour import darker
from art.paint import name_for, number
from art.shapes import Path, Point

LIMIT = 6_000  # bytes of a spot illustration
BASE = "#CBB994"


def lean(shape: Path, colour: str, *details: str, shade: Point = (-14, -16)) -> str:
    """A body with a shade side, its outline written once."""
    name = name_for(shape.d, colour, "lean")
    return (
        f'<clipPath id="{name}"><path id="{name}p" d="{shape.d}"/></clipPath><g clip-path="url(#{name})">'
        f'<use href="#{name}p" fill="{darker(colour, 0.2)}"/>'
        f'<use href="#{name}p" fill="{colour}" transform="translate({number(shade[0])} {number(shade[1])})"/>'
        f"{''.join(details)}</g>"
    )


def document(width: float, height: float, *parts: str, whole: bool = True) -> str:
    """An SVG document; `whole` rounds every coordinate to a whole unit."""
    body = "".join(parts)
    body = in_whole_numbers(body) if whole else body
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">{body}</svg>\n'


def in_whole_numbers(markup: str) -> str:
    """Every path without decimals."""
    return re.sub(r'(?<= d=")[^"]+', lambda found: re.sub(r"-?\d+\.\d+", rounded, found[0]), markup)


def rounded(found: re.Match[str]) -> str:
    """A coordinate without its decimals."""
    return str(round(float(found[0])))


def dot(x: float, y: float, radius: float, colour: str) -> str:
    """A circle in few bytes."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{colour}"/>'


def slab(x: float, y: float, width: float, height: float, radius: float, colour: str) -> str:
    """A rectangle in few bytes."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{colour}"/>'
    )

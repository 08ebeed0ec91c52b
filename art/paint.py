"""How outlines become paint.

One hand for every drawing: light comes from the upper left, so every solid has a crescent of shade on its lower
right and a thin rim of light on its upper left; shade is multiplied with one warm mauve, which keeps each colour's
own hue.
"""

from hashlib import blake2b

from art.shapes import Path, Point, curve, ellipse

SHADE = "#D8B9B4"
DEEP_SHADE = "#B5908F"


def number(value: float) -> str:
    """A short decimal."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def name_for(*contents: str) -> str:
    """An id that depends on nothing but the content, so that output never changes by itself."""
    return "i" + blake2b("|".join(contents).encode(), digest_size=5).hexdigest()


def fill(shape: Path, colour: str, opacity: float = 1, evenodd: bool = False) -> str:
    """A flat area."""
    extra = (f' opacity="{number(opacity)}"' if opacity < 1 else "") + (
        ' fill-rule="evenodd"' if evenodd else ""
    )
    return f'<path d="{shape.d}" fill="{colour}"{extra}/>'


def line(
    shape: Path,
    colour: str,
    width: float,
    *,
    dash: str = "",
    opacity: float = 1,
    cap: str = "round",
    join: str = "round",
) -> str:
    """A stroke along a path."""
    extra = (f' stroke-dasharray="{dash}"' if dash else "") + (
        f' opacity="{number(opacity)}"' if opacity < 1 else ""
    )
    return (
        f'<path d="{shape.d}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
        f'stroke-linecap="{cap}" stroke-linejoin="{join}"{extra}/>'
    )


def clip(shape: Path, *inside: str, evenodd: bool = False) -> str:
    """What lies inside the outline."""
    name = name_for(shape.d, str(evenodd))
    rule = ' clip-rule="evenodd"' if evenodd else ""
    return (
        f'<clipPath id="{name}"><path d="{shape.d}"{rule}/></clipPath>'
        f'<g clip-path="url(#{name})">{"".join(inside)}</g>'
    )


def multiply(shape: Path, colour: str = SHADE, evenodd: bool = True) -> str:
    """Shade laid over whatever is there."""
    rule = ' fill-rule="evenodd"' if evenodd else ""
    return f'<path d="{shape.d}" fill="{colour}"{rule} style="mix-blend-mode:multiply"/>'


def solid(
    shape: Path,
    colour: str,
    *details: str,
    shade: Point = (-16, -18),
    rim: float = 5,
    evenodd: bool = False,
    tone: str = SHADE,
) -> str:
    """A body with volume: paint, then details painted on it, then shade and a rim of light.

    `shade` is how far the lit side is pushed toward the light; (0, 0) leaves the body flat.
    """
    parts = [fill(shape, colour, evenodd=evenodd), *details]
    if shade != (0, 0):
        parts.append(multiply(shape + shape.move(*shade), tone))
    if rim:
        parts.append(
            f'<path d="{(shape + shape.move(rim * 0.9, rim)).d}" fill="#FFFFFF" fill-rule="evenodd" opacity=".34"/>'
        )
    return clip(shape, *parts, evenodd=evenodd)


def gloss(a: Point, b: Point, bend: float = 0, width: float = 12, opacity: float = 0.55) -> str:
    """One brush stroke of light."""
    mid = ((a[0] + b[0]) / 2 + (b[1] - a[1]) * bend, (a[1] + b[1]) / 2 - (b[0] - a[0]) * bend)
    return line(curve(a, mid, b), "#FFFFFF", width, opacity=opacity)


def group(
    *parts: str,
    move: Point = (0, 0),
    turn: float = 0,
    about: Point = (480, 480),
    size: float = 1,
    opacity: float = 1,
) -> str:
    """Parts moved, then turned and scaled about a point of their own."""
    steps = []
    if move != (0, 0):
        steps.append(f"translate({number(move[0])} {number(move[1])})")
    if turn:
        steps.append(f"rotate({number(turn)} {number(about[0])} {number(about[1])})")
    if size != 1:
        x, y = about[0] * (1 - size), about[1] * (1 - size)
        steps.append(f"translate({number(x)} {number(y)}) scale({number(size)})")
    extra = (f' transform="{" ".join(steps)}"' if steps else "") + (
        f' opacity="{number(opacity)}"' if opacity < 1 else ""
    )
    return f"<g{extra}>{''.join(parts)}</g>"


def flip(*parts: str, x: float = 480) -> str:
    """Mirrored about a vertical."""
    return f'<g transform="translate({number(2 * x)} 0) scale(-1 1)">{"".join(parts)}</g>'


def shadow(cx: float, cy: float, rx: float, ry: float | None = None, strength: float = 0.5) -> str:
    """The soft shadow a toy throws on its ground."""
    ry = rx * 0.16 if ry is None else ry
    return (
        '<radialGradient id="ground"><stop offset=".25" stop-color="#A9805F"/>'
        '<stop offset="1" stop-color="#A9805F" stop-opacity="0"/></radialGradient>'
        f'<g style="mix-blend-mode:multiply" opacity="{number(strength)}">'
        f'<path d="{ellipse(cx, cy, rx * 1.12, ry * 1.3).d}" fill="url(#ground)"/></g>'
    )


def soft(shape: Path, colour: str, blur: float, opacity: float = 1) -> str:
    """An area with a blurred edge: steam, glow, a shadow on a wall."""
    name = f"b{number(blur).replace('.', '_')}"
    return (
        f'<filter id="{name}" x="-50%" y="-50%" width="200%" height="200%">'
        f'<feGaussianBlur stdDeviation="{number(blur)}"/></filter>'
        f'<path d="{shape.d}" fill="{colour}" opacity="{number(opacity)}" filter="url(#{name})"/>'
    )


def cast(shape: Path, dx: float = 14, dy: float = 18, blur: float = 10, opacity: float = 0.28) -> str:
    """The shadow of something lying flat, seen from above."""
    return soft(shape.move(dx, dy), "#8A5F45", blur, opacity)

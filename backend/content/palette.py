"""Colours of the shop's pages: contrast, and the style sheet's variables, which are derived from four colours.

A colour is written as `#rrggbb` in lower-case letters. Only such texts are ever written into a style sheet.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

MIN_CONTRAST = 4.5
"""Lowest contrast of a text and its background (WCAG 2.2, 1.4.3)."""
MIN_EDGE_CONTRAST = 3.0
"""Lowest contrast of the edge of a control and its background (WCAG 2.2, 1.4.11)."""
MIN_BACKGROUND_CONTRAST = 12.0
"""Lowest contrast of the pages' background and black. Pages are light, so that pictures and shadows stay visible."""
BLACK, WHITE = "#000000", "#ffffff"
PROBLEM = "#b93420"
"""Colour of error messages. It is not the owner's choice, but stays readable on their background."""
STEPS = 255
_COLOR = re.compile(r"#[0-9a-f]{6}")
_SHORT = re.compile(r"#?([0-9a-f])([0-9a-f])([0-9a-f])")


@dataclass(frozen=True, slots=True)
class Palette:
    """The four colours that a shop chooses.

    Attributes:
        primary: buttons, links and prices with discount. White text must be readable on it.
        secondary: availability, confirmations and decoration.
        background: the pages' background.
        text: texts and dark surfaces.
    """

    primary: str
    secondary: str
    background: str
    text: str


DEMO_PALETTE = Palette("#b93420", "#17806d", "#fbf6ec", "#1f1b16")
"""The demo shop's colours. `assets/styles/tokens.css` has them, with further ones."""
NEUTRAL_PALETTE = Palette("#24446b", "#2d6a4f", "#ffffff", "#1c1c1c")
"""The colours of a shop that has not chosen any."""


def parse_color(typed: str) -> str:
    """Return a typed colour as `#rrggbb`; empty if it is no colour. `#ABC` and `AABBCC` are accepted."""
    text = typed.strip().lower()
    if short := _SHORT.fullmatch(text):
        return "#" + "".join(digit * 2 for digit in short.groups())
    whole = text if text.startswith("#") else f"#{text}"
    return whole if _COLOR.fullmatch(whole) else ""


def compute_contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mix_colors(one: str, other: str, part: float) -> str:
    """Return `one` mixed with `part` (from 0 to 1) of `other`."""
    mixed = [
        round(first + (second - first) * part)
        for first, second in zip(_channels(one), _channels(other), strict=True)
    ]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def find_readable(color: str, backgrounds: Sequence[str], ratio: float = MIN_CONTRAST) -> str:
    """Return the nearest colour that has this contrast with each background: a darker or a lighter shade of `color`.

    If no shade has it, return black or white, whichever has the higher contrast.
    """

    def lowest(shade: str) -> float:
        return min(compute_contrast(shade, background) for background in backgrounds)

    for step in range(STEPS + 1):
        for extreme in (BLACK, WHITE):
            shade = mix_colors(color, extreme, step / STEPS)
            if lowest(shade) >= ratio:
                return shade
    return max((BLACK, WHITE), key=lowest)


@lru_cache(maxsize=16)
def derive_variables(palette: Palette) -> Mapping[str, str]:
    """Return the variables of the style sheet for these colours, by name.

    The result is cached: finding the shades takes up to 20 ms, and the service worker, which contains the variables,
    is requested often.

    Every text must be readable on every surface, so a text may get a slightly darker shade than the chosen colour.
    """
    primary, secondary = palette.primary, palette.secondary
    background, text = palette.background, palette.text
    card = mix_colors(background, WHITE, 0.6)
    deep = mix_colors(background, text, 0.05)
    tints = {
        "tint-tomato": mix_colors(background, primary, 0.1),
        "tint-sunflower": mix_colors(background, primary, 0.07),
        "tint-teal": mix_colors(background, secondary, 0.1),
        "tint-sky": mix_colors(background, secondary, 0.07),
        "tint-bubblegum": mix_colors(background, primary, 0.13),
        "tint-plum": mix_colors(background, secondary, 0.13),
    }
    plain, surfaces = (card, background, deep), (card, background, deep, *tints.values())
    ink = find_readable(text, surfaces)
    return {
        "paper": background,
        "paper-deep": deep,
        "card": card,
        "line": mix_colors(background, text, 0.14),
        "line-strong": find_readable(
            mix_colors(background, text, 0.45), (card, background), MIN_EDGE_CONTRAST
        ),
        "ink": ink,
        "on-ink": find_readable(mix_colors(background, text, 0.1), (ink,)),
        "ink-soft": find_readable(mix_colors(text, background, 0.25), surfaces),
        "tomato": primary,
        "tomato-dark": find_readable(primary, (*plain, WHITE)),
        "tomato-deep": mix_colors(primary, BLACK, 0.35),
        "sunflower": find_readable(mix_colors(secondary, background, 0.6), (ink,)),
        "sunflower-deep": secondary,
        "teal": find_readable(secondary, (*plain, WHITE)),
        "teal-dark": find_readable(mix_colors(secondary, BLACK, 0.2), surfaces),
        "sky": find_readable(primary, plain),
        "bubblegum": mix_colors(primary, background, 0.5),
        "plum": mix_colors(secondary, BLACK, 0.3),
        "problem": find_readable(PROBLEM, surfaces),
        **tints,
    }


@lru_cache(maxsize=16)
def render_declarations(palette: Palette) -> str:
    """Return the CSS declarations that set these colours; empty for the style sheet's own colours."""
    if palette == DEMO_PALETTE:
        return ""
    return "".join(f"--{name}:{color};" for name, color in derive_variables(palette).items())


def render_style(declarations: str) -> str:
    """Return the CSS rule with these declarations; empty if there are none. It overrides `:root` in the style sheet."""
    return f"html:root{{{declarations}}}" if declarations else ""


def _channels(color: str) -> tuple[int, int, int]:
    if not _COLOR.fullmatch(color):
        raise ValueError("not a colour")
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (part / 255 for part in _channels(color))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

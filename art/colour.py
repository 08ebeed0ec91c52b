"""The shop's paint box: the palette, its tints for grounds, and how colours are mixed."""

import colorsys

PAPER, PAPER_DEEP, CARD, LINE = "#FBF6EC", "#F3E9D7", "#FFFDF8", "#E6D9C2"
INK, INK_SOFT = "#1F1B16", "#5C5347"
TOMATO, SUN, TEAL, SKY, PINK, PLUM = "#E4482F", "#F6B32B", "#17806D", "#2B78C5", "#F08FAE", "#6B3F86"
TOMATO_DARK = "#B93420"
LEAF, LIME, ORANGE, CREAM, WHITE = "#5E9B45", "#A9C455", "#EE7B30", "#FFF3DC", "#FFFBF2"
PINE, BEECH, OAK, CEDAR, WALNUT = "#EBC793", "#DFB27C", "#CF9A5E", "#B4713D", "#83502F"
COCOA, STEEL, BRASS, CLAY = "#4A3229", "#B9C0C4", "#D9A441", "#C9693F"

# Grounds: each is a palette colour let down with white.
TINTS = {
    "paper": "#F7EEDD",
    "peach": "#FADFD0",
    "butter": "#FBE8B9",
    "mint": "#D3E8DB",
    "sky": "#D2E5F2",
    "rose": "#F9DCE3",
    "lilac": "#E5DAEC",
    "sand": "#EFDFC4",
}
RAINBOW = (TOMATO, ORANGE, SUN, LEAF, TEAL, SKY, PLUM)


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of "#RRGGBB"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """`one` with `share` (0–1) of `other` stirred in."""
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def darker(colour: str, share: float = 0.2) -> str:
    """The same hue in shade: less light, a little richer."""
    hue, light, rich = colorsys.rgb_to_hls(*(part / 255 for part in channels(colour)))
    parts = colorsys.hls_to_rgb(hue, light * (1 - share), min(1.0, rich * (1 + share * 0.2)))
    return "#" + "".join(f"{round(part * 255):02X}" for part in parts)


def lighter(colour: str, share: float = 0.2) -> str:
    """The same colour with warm white added."""
    return mix(colour, "#FFFAF0", share)

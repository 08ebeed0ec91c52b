"""Colours of option values, for the swatches of the shop."""

import re
from typing import Any

from backend.core.collation import fold

COLOR = "color"
"""Metadata key of an option value: its colour as `#rrggbb`, chosen by staff."""
MAX_SWATCHES = 5
"""Maximum number of swatches on a product's card."""
_HEX = re.compile(r"#[0-9a-f]{6}")
_OPTION_TITLES = frozenset({"color", "colores", "colour", "colours", "colors", "tono", "tonos"})
_NAMED = {
    "aguamarina": "#7fd6c4",
    "amarillo": "#f7c92b",
    "azul": "#2463c7",
    "beige": "#e3d3b4",
    "blanco": "#ffffff",
    "blanca": "#ffffff",
    "cafe": "#6f4a2f",
    "celeste": "#8cc8f0",
    "crema": "#f6ecd2",
    "dorado": "#cfa545",
    "fucsia": "#d6218f",
    "gris": "#8f9499",
    "lila": "#b99be0",
    "marron": "#6f4a2f",
    "morado": "#6d3fa0",
    "mostaza": "#d8a31c",
    "naranja": "#f2811d",
    "negro": "#1b1b1b",
    "negra": "#1b1b1b",
    "plateado": "#c3c8cc",
    "rojo": "#d22d2d",
    "roja": "#d22d2d",
    "rosa": "#f39ac0",
    "rosado": "#f39ac0",
    "turquesa": "#27b5b0",
    "verde": "#2f9e4f",
    "vinotinto": "#6e1a2e",
    "violeta": "#7a4fc0",
    "black": "#1b1b1b",
    "blue": "#2463c7",
    "brown": "#6f4a2f",
    "gold": "#cfa545",
    "gray": "#8f9499",
    "green": "#2f9e4f",
    "grey": "#8f9499",
    "orange": "#f2811d",
    "pink": "#f39ac0",
    "purple": "#6d3fa0",
    "red": "#d22d2d",
    "silver": "#c3c8cc",
    "white": "#ffffff",
    "yellow": "#f7c92b",
}


def is_color_option(title: str) -> bool:
    """Return True if the values of an option with this title are colours."""
    return fold(title).strip() in _OPTION_TITLES


def parse_color(text: Any) -> str:
    """Return a colour such as `#1A2B3C` in lower case; empty for any other value."""
    color = text.strip().lower() if isinstance(text, str) else ""
    return color if _HEX.fullmatch(color) else ""


def find_named_color(name: str) -> str:
    """Return the colour of the first word that names one, such as «rojo» in «Rojo fuego»; empty without one."""
    return next((_NAMED[word] for word in re.findall(r"\w+", fold(name)) if word in _NAMED), "")


def read_chosen_color(metadata: Any) -> str:
    """Return the colour that staff chose, from the metadata of an option value; empty if they chose none."""
    return parse_color(metadata.get(COLOR)) if isinstance(metadata, dict) else ""


def find_color(name: str, metadata: Any) -> str:
    """Return the colour that staff chose for an option value, else the one in its name; empty without one."""
    return read_chosen_color(metadata) or find_named_color(name)

"""Fonts of the headings that a shop can choose. All of them are bundled or installed on the reader's device."""

from dataclasses import dataclass
from enum import StrEnum

from backend.core.texts import _


class FontName(StrEnum):
    """Name of a font of the headings."""

    ROUNDED = "rounded"
    PLAIN = "plain"
    SERIF = "serif"


@dataclass(frozen=True, slots=True)
class Font:
    """A font of the headings: its label in the office, and its families on pages and in mails, as CSS."""

    label: str
    page: str
    mail: str


FONTS = {
    FontName.ROUNDED: Font(
        _("Redondeada"),
        '"Fredoka", "Fredoka Fallback", "Fredoka Fallback Android", ui-rounded, sans-serif',
        "Fredoka, Quicksand, 'Arial Rounded MT Bold', 'Trebuchet MS', Verdana, sans-serif",
    ),
    FontName.PLAIN: Font(
        _("Recta"),
        '"Figtree", "Figtree Fallback", "Figtree Fallback Android", system-ui, sans-serif',
        "Figtree, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
    ),
    FontName.SERIF: Font(
        _("Clásica, con remates"),
        'Georgia, "Iowan Old Style", "Noto Serif", serif',
        "Georgia, 'Iowan Old Style', 'Noto Serif', serif",
    ),
}
DEMO_FONT = FontName.ROUNDED
"""The demo's font. `assets/styles/tokens.css` has it."""


def find_font(name: str, *, is_demo: bool) -> FontName:
    """Return the font that the owner has chosen, or the shop's default."""
    if name in FONTS:
        return FontName(name)
    return DEMO_FONT if is_demo else FontName.PLAIN


def render_font(name: FontName) -> str:
    """Return the variable of the style sheet for this font, as CSS; empty for the style sheet's own."""
    return "" if name == DEMO_FONT else f"--display:{FONTS[name].page};"

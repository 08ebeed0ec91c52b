"""Fonts that a shop can choose for its headings. Each is bundled with the shop or installed on visitors' devices."""

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
    """A font of the headings.

    Attributes:
        label: its label in the office.
        page, mail: its CSS font families on pages and in mails.
        file: path of its file, if only headings use the font; empty if texts use it too, or devices have it installed.
    """

    label: str
    page: str
    mail: str
    file: str = ""


FONTS = {
    FontName.ROUNDED: Font(
        _("Redondeada"),
        '"Fredoka", "Fredoka Fallback", "Fredoka Fallback Android", ui-rounded, sans-serif',
        "Fredoka, Quicksand, 'Arial Rounded MT Bold', 'Trebuchet MS', Verdana, sans-serif",
        file="/fonts/fredoka.woff2",
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
"""The demo's font, which is the font in `assets/styles/tokens.css`."""


def find_font(name: str, *, is_demo: bool) -> FontName:
    """Return the font with this name; for an unknown or empty name, the default of shops or of the demo."""
    if name in FONTS:
        return FontName(name)
    return DEMO_FONT if is_demo else FontName.PLAIN


def render_font(name: FontName) -> str:
    """Return the CSS declaration that sets this font for headings; empty for the style sheet's own font."""
    return "" if name == DEMO_FONT else f"--display:{FONTS[name].page};"


def list_unused_files(name: FontName) -> frozenset[str]:
    """Return the paths of font files that a shop with this font does not need."""
    return frozenset(font.file for font in FONTS.values() if font.file) - {FONTS[name].file}

"""The shop's brand in mails: colours for inline styles, and the logo as a part of the mail."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.content.brand import Brand
from backend.content.palette import derive_variables

MAX_LOGO_WIDTH, MAX_LOGO_HEIGHT = 200, 56
"""Maximum size in pixels at which a mail shows the logo. Its file is larger, for fine screens."""
LOGO_ID = "logo"
"""Content-ID of the logo, without the host."""


@dataclass(frozen=True, slots=True)
class MailColors:
    """Colours of a mail. `stripes` are below the shop's name."""

    paper: str
    card: str
    line: str
    ink: str
    ink_soft: str
    button: str
    stripes: Sequence[str]


DEMO_COLORS = MailColors(
    "#FBF6EC", "#FFFDF8", "#E6D9C2", "#1F1B16", "#5C5347", "#B93420",
    ("#E4482F", "#F6B32B", "#17806D", "#2B78C5", "#F08FAE"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MailLogo:
    """The logo at the head of a mail: the address of its file, and its displayed size in pixels."""

    src: str
    width: int
    height: int


def find_mail_colors(brand: Brand) -> MailColors:
    """Return the colours of mails: the brand's, each readable on its background."""
    if not brand.has_own_colors:
        return DEMO_COLORS
    colors = derive_variables(brand.palette)
    return MailColors(
        colors["paper"],
        colors["card"],
        colors["line"],
        colors["ink"],
        colors["ink-soft"],
        colors["tomato-dark"],
        (brand.palette.primary, brand.palette.secondary),
    )


def build_mail_logo(brand: Brand, src: str) -> MailLogo | None:
    """Return the brand's logo with the address `src`; None if there is no logo."""
    if brand.logo is None:
        return None
    width, height = brand.logo.width, brand.logo.height
    factor = min(1, MAX_LOGO_WIDTH / width, MAX_LOGO_HEIGHT / height)
    return MailLogo(src, max(1, round(width * factor)), max(1, round(height * factor)))

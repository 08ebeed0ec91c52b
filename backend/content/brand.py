"""The shop's brand, as pages, mails and printed documents show it: logo, colours, headline and profiles.

The owner's values are the content area `brand`. The defaults are plain: the shop's name in letters, and quiet
colours. Only a shop that still has the demo's identity has the demo's logo, colours and headline by default.
"""

from dataclasses import dataclass, field
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import Area, BrandBody
from backend.content.fonts import FontName, find_font, render_font
from backend.content.goods import DEMO_GOODS, NEUTRAL_GOODS, Goods, name_goods
from backend.content.palette import (
    DEMO_PALETTE,
    NEUTRAL_PALETTE,
    Palette,
    render_declarations,
    render_style,
)
from backend.content.social_networks import SOCIAL_NETWORKS
from backend.content.versions import read_current_version
from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.media.brand_pictures import BrandPicture, parse_brand_picture
from backend.office_settings import is_demo_identity

DEMO_HEADLINE = _("Juguetes hechos con cuidado, para jugar de verdad")


@dataclass(frozen=True, slots=True)
class SocialLink:
    """A link to the shop's profile on a network."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Brand:
    """The brand of a shop.

    Attributes:
        is_demo: True if the shop has the demo's identity. Then the demo's drawings are shown.
        name: the shop's name.
        logo: the owner's logo, if there is one.
        icon: the owner's picture for icons, else the logo; None if there is neither.
        has_own_headline: True if the owner wrote the headline.
        headline: heading of the home page; never empty.
        goods: the shop's words for its products.
        font: font of the headings.
        whatsapp: telephone number, or empty.
    """

    is_demo: bool
    name: str
    logo: BrandPicture | None
    icon: BrandPicture | None
    palette: Palette
    has_own_headline: bool
    headline: str
    headline_text: str
    goods: Goods
    font: FontName
    whatsapp: str
    links: list[SocialLink] = field(default_factory=list)

    @property
    def has_own_colors(self) -> bool:
        """Return True if the colours are not those of the style sheet."""
        return self.palette != DEMO_PALETTE

    @property
    def declarations(self) -> str:
        """Return the CSS declarations of the colours and the font; empty if they are those of the style sheet."""
        return render_declarations(self.palette) + render_font(self.font)

    @property
    def style(self) -> str:
        """Return the CSS rule with `declarations`; empty if there are none."""
        return render_style(self.declarations)


def resolve_brand(body: BrandBody, effective: Settings) -> Brand:
    """Return the brand: the owner's values, and a default for each field that the owner left empty."""
    is_demo = is_demo_identity(effective)
    default = DEMO_PALETTE if is_demo else NEUTRAL_PALETTE
    palette = Palette(
        body.primary or default.primary,
        body.secondary or default.secondary,
        body.background or default.background,
        body.text_color or default.text,
    )
    logo = parse_brand_picture(body.logo)
    font = find_font(body.font, is_demo=is_demo)
    return Brand(
        is_demo=is_demo,
        name=effective.store_name,
        logo=logo,
        icon=parse_brand_picture(body.icon) or logo,
        palette=palette,
        has_own_headline=bool(body.headline),
        headline=body.headline or (DEMO_HEADLINE if is_demo else effective.store_name),
        headline_text=body.headline_text,
        goods=_resolve_goods(body, is_demo=is_demo),
        font=font,
        whatsapp=body.whatsapp or effective.store_whatsapp,
        links=[
            SocialLink(network.label, url)
            for name, network in SOCIAL_NETWORKS.items()
            if (url := getattr(body, name))
        ],
    )


def _resolve_goods(body: BrandBody, *, is_demo: bool) -> Goods:
    if body.goods_one:
        return name_goods(body.goods_one, body.goods_many, body.goods_gender)
    return DEMO_GOODS if is_demo else NEUTRAL_GOODS


async def read_brand(session: AsyncSession, effective: Settings) -> Brand:
    """Return the shop's current brand."""
    saved = await read_current_version(session, Area.BRAND)
    return resolve_brand(cast("BrandBody", saved.body), effective)

"""Preview of the shop's brand for the office: the name, pictures, colours and words of its pages."""

from dataclasses import dataclass, field

from backend.content.areas import BrandBody
from backend.content.brand import SocialLink, resolve_brand
from backend.content.goods import Goods
from backend.core.config.settings import Settings
from backend.media.brand_pictures import IconKind


@dataclass(frozen=True, slots=True)
class BrandLook:
    """A brand as the office previews it.

    Attributes:
        name: the shop's name.
        logo: URL of the logo; `width` and `height` are its size in pixels.
        icon: URL of the icon for a telephone; empty if it shows the first letter of the name.
        style: CSS declarations of the colours and the font that differ from the style sheet; empty if none differ.
        goods: the shop's words for its products.
    """

    is_demo: bool
    name: str
    logo: str
    width: int
    height: int
    icon: str
    style: str
    headline: str
    text: str
    goods: Goods
    whatsapp: str
    links: list[SocialLink] = field(default_factory=list)


def build_look(body: BrandBody, effective: Settings) -> BrandLook:
    """Return the preview of a brand."""
    brand = resolve_brand(body, effective)
    return BrandLook(
        is_demo=brand.is_demo,
        name=brand.name,
        logo=brand.logo.url if brand.logo else "",
        width=brand.logo.width if brand.logo else 0,
        height=brand.logo.height if brand.logo else 0,
        icon=brand.icon.icon(IconKind.SMALL) if brand.icon else "",
        style=brand.declarations,
        headline=brand.headline,
        text=brand.headline_text,
        goods=brand.goods,
        whatsapp=brand.whatsapp,
        links=brand.links,
    )

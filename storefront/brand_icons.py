"""The shop's current brand, and the URLs of its icons: uploaded by the owner, or drawn from the shop's first letter."""

from hashlib import blake2b

from backend.app import current_shop
from backend.content.brand import Brand, resolve_brand
from backend.media.brand_pictures import IconKind

LETTER_ICONS = "/icons"
"""Path prefix of the icons that show a letter. The rest of the address is the icon's kind, and `?v=` its version."""
DEMO_ICONS = {
    IconKind.FAVICON: "/brand/favicon-32.png",
    IconKind.APPLE: "/brand/apple-touch-icon.png",
    IconKind.SMALL: "/brand/icon-192.png",
    IconKind.LARGE: "/brand/icon-512.png",
    IconKind.MASKABLE: "/brand/icon-maskable-512.png",
}
DEMO_SHARE_IMAGE = "/brand/og.png"
MAX_LETTER = "\u024f"
"""Highest letter that the icons' font may have (Latin Extended-B)."""


async def get_brand() -> Brand:
    """Return the shop's current brand. The stored values that it is built from are cached until they change."""
    shop = current_shop()
    content = await shop.content.read_current()
    return resolve_brand(content.brand, await shop.effective_settings.now())


def find_icon_url(brand: Brand, kind: IconKind) -> str:
    """Return the URL of an icon. Its content never changes, because the URL contains the icon's version."""
    if brand.icon is not None:
        return brand.icon.icon(kind)
    if brand.is_demo:
        return DEMO_ICONS[kind]
    return f"{LETTER_ICONS}/{kind}.png?v={compute_letter_version(brand)}"


def find_share_image(brand: Brand) -> str:
    """Return the URL of the picture that link previews show for pages without a picture."""
    if brand.is_demo and brand.icon is None:
        return DEMO_SHARE_IMAGE
    return find_icon_url(brand, IconKind.LARGE)


def find_first_letter(name: str) -> str:
    """Return the name's first letter or digit that the icon's font has, as a capital; empty if there is none."""
    return next((letter.upper() for letter in name if letter.isalnum() and letter <= MAX_LETTER), "")[:1]


def compute_letter_version(brand: Brand) -> str:
    """Return a text that changes with the letter or its colour."""
    text = f"{find_first_letter(brand.name)} {brand.palette.primary}"
    return blake2b(text.encode(), digest_size=4).hexdigest()

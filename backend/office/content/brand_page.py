"""The office's screen of the shop's brand: its form, how the shop looks today, and its versions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.content.areas import Area, BrandBody, parse_body
from backend.content.brand import Brand, resolve_brand
from backend.content.brand_validation import COLOR_FIELDS
from backend.content.social_networks import SOCIAL_NETWORKS
from backend.content.validation import validate_content
from backend.content.versions import read_current_version
from backend.core.config.settings import Settings
from backend.office.content.area_page import SavedRow, list_version_rows
from backend.office.content.brand_look import BrandLook, build_look
from backend.staff.rights import Actor, Right

_USER_NAME = re.compile(r"[\w-]{2,50}", re.ASCII)
"""A user name without the @. With a dot, it might be the address of another site."""
FIELDS = tuple(BrandBody.model_fields)
"""Names of the form's fields."""


@dataclass(frozen=True, slots=True)
class BrandPage:
    """The brand in its editor.

    Attributes:
        version: the number of the current version, which the form shows.
        texts: the values of the form. A colour that the owner has not chosen is the shop's default.
        current: the brand that the shop shows today.
    """

    version: int
    texts: dict[str, str]
    current: BrandLook
    versions: list[SavedRow]


async def brand_page(session: AsyncSession, actor: Actor, effective: Settings) -> BrandPage:
    """Return the brand with its current version in the form.

    Raises:
        Forbidden: the actor may not see the shop's settings.
    """
    actor.require(Right.READ_SETTINGS)
    saved = await read_current_version(session, Area.BRAND)
    body = cast("BrandBody", saved.body)
    brand = resolve_brand(body, effective)
    return BrandPage(
        version=saved.version,
        texts={**body.model_dump(), **_list_colors(brand), "font": brand.font},
        current=build_look(body, effective),
        versions=await list_version_rows(session, saved),
    )


async def read_brand_form(session: AsyncSession, texts: Mapping[str, str], effective: Settings) -> BrandBody:
    """Parse the form. Replace the default font by an empty text, and the colours if all are defaults.

    Raises:
        InvalidData: the form is invalid; `fields` has the errors by the form's fields.
    """
    values = {name: complete_address(name, texts.get(name, "")) for name in FIELDS}
    for name in ("goods_one", "goods_many"):  # telephones capitalize the first letter
        values[name] = values[name].strip().lower()
    body = cast("BrandBody", parse_body(Area.BRAND, values))
    default = resolve_brand(BrandBody(), effective)
    if all(getattr(body, name) == color for name, color in _list_colors(default).items()):
        body = body.model_copy(update=dict.fromkeys(COLOR_FIELDS, ""))
    if body.font == default.font:
        body = body.model_copy(update={"font": ""})
    await validate_content(session, Area.BRAND, body)
    return body


def complete_address(name: str, typed: str) -> str:
    """Return the URL of a social profile that was typed as a user name or as an address without `https://`.

    Return any other text, and the value of any other field than a social profile, as typed.
    """
    network, text = SOCIAL_NETWORKS.get(name), typed.strip()
    if network is None or not text:
        return typed
    if (text.startswith("@") and "/" not in text) or _USER_NAME.fullmatch(text):
        return network.example.removesuffix("mitienda") + text.removeprefix("@")
    is_bare = ":" not in text and text.partition("/")[0].lower() in network.hosts
    return f"https://{text}" if is_bare else text


def _list_colors(brand: Brand) -> dict[str, str]:
    palette = brand.palette
    return {
        "primary": palette.primary,
        "secondary": palette.secondary,
        "background": palette.background,
        "text_color": palette.text,
    }

"""Validation of the shop's brand: pictures, readable colours, telephone number and addresses of profiles."""

import re
from urllib.parse import urlsplit

from backend.content.areas import MAX_TEXT_CHARS, MAX_TITLE_CHARS, BrandBody
from backend.content.fonts import FONTS
from backend.content.goods import FEMININE
from backend.content.links import find_link_problem
from backend.content.palette import (
    BLACK,
    MIN_BACKGROUND_CONTRAST,
    MIN_CONTRAST,
    WHITE,
    compute_contrast,
    find_readable,
    parse_color,
)
from backend.content.social_networks import SOCIAL_NETWORKS
from backend.core.texts import _
from backend.media.brand_pictures import parse_brand_picture

COLOR_FIELDS = ("primary", "secondary", "background", "text_color")
MAX_PROFILE_CHARS = 200
MAX_WORD_CHARS = 25
WORD = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
"""Pattern of the word for the shop's products, such as `libro` or `prenda de lana`."""
WHATSAPP = re.compile(r"\+?([0-9] ?){8,15}")
"""Pattern of a WhatsApp number, as in `Settings.store_whatsapp`."""


def check_brand(body: BrandBody) -> dict[str, str]:
    """Return the problems of a brand, by field."""
    problems: dict[str, str] = {}
    for name in ("logo", "icon"):
        url = getattr(body, name)
        if url and parse_brand_picture(url) is None:
            problems[name] = _("Esta imagen no es de la tienda. Súbela otra vez.")
    _check_colors(body, problems)
    for name, most in (("headline", MAX_TITLE_CHARS), ("headline_text", MAX_TEXT_CHARS)):
        if len(getattr(body, name)) > most:
            problems[name] = _("Usa máximo {count} caracteres.").format(count=most)
    _check_goods(body, problems)
    if body.font and body.font not in FONTS:
        problems["font"] = _("Escoge una de las letras de la lista.")
    if body.whatsapp and not WHATSAPP.fullmatch(body.whatsapp):
        problems["whatsapp"] = _("Escribe el número con su indicativo, como 57 300 123 4567.")
    for name in SOCIAL_NETWORKS:
        if problem := _find_profile_problem(name, getattr(body, name)):
            problems[name] = problem
    return problems


def _check_goods(body: BrandBody, problems: dict[str, str]) -> None:
    """Check the words for the shop's products, such as "libro" and "libros". Add the errors to `problems`, by field."""
    for name, other in (("goods_one", body.goods_many), ("goods_many", body.goods_one)):
        word = getattr(body, name)
        if word and not (len(word) <= MAX_WORD_CHARS and WORD.fullmatch(word)):
            problems[name] = _("Escribe solo letras, hasta {count}, como «libro» o «libros».").format(
                count=MAX_WORD_CHARS
            )
        elif other and not word:
            problems[name] = _("Escribe las dos palabras: la de una cosa y la de varias.")
    if body.goods_gender not in ("", FEMININE):
        problems["goods_gender"] = _("Escoge cómo se dice.")


def _check_colors(body: BrandBody, problems: dict[str, str]) -> None:
    """Check that all four colours or none are chosen, and that texts are readable. Add the errors to `problems`."""
    colors = {name: getattr(body, name) for name in COLOR_FIELDS}
    if not any(colors.values()):
        return
    wrong = [name for name, color in colors.items() if not color or parse_color(color) != color]
    for name in wrong:
        problems[name] = _("Escribe un color con # y seis letras o números, como #24446b.")
    if wrong:
        return
    background = colors["background"]
    if compute_contrast(background, BLACK) < MIN_BACKGROUND_CONTRAST:
        nearest = find_readable(background, (BLACK,), MIN_BACKGROUND_CONTRAST)
        problems["background"] = _(
            "El fondo tiene que ser claro. El más parecido que sirve es {color}."
        ).format(color=nearest)
        return
    for name, against in (
        ("primary", (background, WHITE)),
        ("secondary", (background, WHITE)),
        ("text_color", (background,)),
    ):
        lowest = min(compute_contrast(colors[name], other) for other in against)
        if lowest < MIN_CONTRAST:
            problems[name] = _(
                "No se lee bien: el contraste es {contrast} y hace falta 4,5. El más parecido que sirve es {color}."
            ).format(contrast=format_contrast(lowest), color=find_readable(colors[name], against))


def format_contrast(contrast: float) -> str:
    """Return a contrast as text, rounded down to one decimal after a comma: `4,4`."""
    return f"{int(contrast * 10) / 10:.1f}".replace(".", ",")


def _find_profile_problem(name: str, url: str) -> str:
    """Return the error message for the URL of a profile; empty if the URL is valid or empty."""
    if not url:
        return ""
    network = SOCIAL_NETWORKS[name]
    wrong = _("Escribe la dirección de tu página en {network}, como {example}.").format(
        network=network.label, example=network.example
    )
    if len(url) > MAX_PROFILE_CHARS or url.startswith("/") or find_link_problem(url):
        return wrong
    parts = urlsplit(url)
    is_profile = parts.netloc.lower() in network.hosts and len(parts.path) > 1
    return "" if is_profile else wrong

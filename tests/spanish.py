"""Search for Spanish: in the source, where it must be inside `_(…)`, and in the pages of a shop in another language.

Also search for English words and technical names in texts that the owner of a Spanish shop reads.
"""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache

from backend.catalog.countries import country_names
from backend.core.texts import translations
from backend.sandbox.gateway.responses import BANKS
from backend.shipping.municipalities import read_gazetteer
from tools.messages import extract_messages

_WORDS = (
    "apartamos|aún|banco|cada|carrito|celular|cambia|compra|compras|con|contraseña|correo|cualquier"
    "|cuenta|debe|del|desde|donde|dirección|el|elige|ella|ellos|ese|eso|espera|esta|estas|este|estos|está"
    "|están|entrega|envío|escribe|escríbenos|fue|gracias|guía|hacer|hasta|hay|hola|inténtalo|juguete"
    "|juguetes|las|los|llegó|máximo|más|mínimo|muy|nada|ninguna|ninguno|nombre|nos|nuestra|nuestro|número"
    "|otra|otro|pago|pagos|para|pedido|pedidos|pero|persona|por|porque|puedes|que|quedan|quedó|quién"
    "|revisa|según|sesión|sobre|somos|su|sus|también|tarde|tienda|tiene|tienes|toda|todas|todo|todos|tu"
    "|tus|una|unas|unidad|unidades|unos|usa|vas|vez|ya"
)
_WORD = re.compile(rf"(?<![\w/@.#?&=-])(?:{_WORDS})(?![\w@=/-])|[¿¡]|\w*[áéíóúñ]\w*", re.IGNORECASE)
_ENGLISH_WORDS = (
    "about|address|after|again|already|amount|and|answer|answered|answers|any|approved|are|at|backup|be|been|before"
    "|but|by|cancel|canceled|captured|cannot|carrier|check|checks|closed|could|customer|customers|day|days|delivered"
    "|differs|does|each|edited|exists|expired|failed|failure|for|from|fulfillment|gateway|given|have|held|hours"
    "|how|if|in|into|is|it|its|item|items|job|label|late|left|mail|mails|missing|money|more|must|new|no such|none"
    "|not|null|of|on|opened|or|order|orders|other|owed|paid|payment|payments|pending|picture|pictures|product"
    "|products|reason|received|refund|refunded|rejected|requested|resolved|return|returned|sent|shipped|shop|sold"
    "|state|stock|than|that|the|then|there|they|this|times|to|too|unit|units|unknown|until|used|was|were|when|with"
    "|within|yet|you|your"
)
_ENGLISH = re.compile(
    rf"(?<![\w/@.`-])(?:{_ENGLISH_WORDS})(?![\w@=/-])|(?<![\w/])[a-z]+_\w+|\b[0-9A-HJKMNP-TV-Z]{{26}}\b"
)
"""English words in lower case, technical names and ids (`payses_01K…`, `amount_differs`)."""
_NAME = re.compile(r"[a-z_-]+")
MIN_FRAGMENT_LENGTH = 8
"""Letters. Shorter fragments of a Spanish message are not searched for."""


def find_spanish(text: str, *names: str) -> list[str]:
    """Return the Spanish words and message fragments in a text, except names of towns, banks, countries and `names`."""
    text = _build_names_pattern(frozenset(names)).sub("…", text)
    return [found[0] for found in _WORD.finditer(text)] + [
        piece for piece in _list_fragments() if piece in text
    ]


def find_english(text: str) -> list[str]:
    """Return the English words, technical names and ids in a Spanish text, except commands in backticks."""
    return [found[0] for found in _ENGLISH.finditer(re.sub("`[^`]*`", "`…`", text))]


def find_untranslated_spanish(source: str) -> Iterator[str]:
    """Yield the Spanish literals of a module outside `_(…)`, except docstrings, examples, log messages and patterns."""
    tree = ast.parse(source)
    exempt_ids: set[int] = set()
    for node in ast.walk(tree):
        if _is_exempt(node):
            exempt_ids.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in exempt_ids:
            is_text = not _NAME.fullmatch(node.value) and _WORD.search(node.value)
            if is_text:
                yield f"line {node.lineno}: {node.value!r}"


def _is_exempt(node: ast.AST) -> bool:
    """Return True if the literals below the node may be Spanish: a translated text, a docstring or an API example."""
    if isinstance(node, ast.Call):
        function = ast.unparse(node.func)
        return function in {"_", "re.compile"} or function.startswith("log.")
    if isinstance(node, ast.keyword):
        return node.arg in {"examples", "json_schema_extra"}
    if isinstance(node, ast.Assign):
        return any(
            "EXAMPLE" in ast.unparse(target) or ast.unparse(target) == "model_config"
            for target in node.targets
        )
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def _build_names_pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for these names and those of all towns, departments, banks and countries, longest first."""
    towns = {part for town in read_gazetteer().by_code.values() for part in (town.name, town.department)}
    place_names = names | towns | {town.partition(",")[0] for town in towns} | set(BANKS.values())
    place_names |= set(country_names().values())
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(place_names, key=len, reverse=True)))})(?!\w)"
    )


@cache
def _list_fragments() -> tuple[str, ...]:
    """Return the Spanish messages, split at their placeholders, without those that are the same in English."""
    english = translations("en")
    return tuple(
        piece.strip()
        for message in extract_messages()
        if message.id
        for piece, _name, _spec, _conversion in string.Formatter().parse(str(message.id))
        if len(piece.strip()) >= MIN_FRAGMENT_LENGTH
        and piece.strip() not in str(english.gettext(str(message.id)))
    )

"""Finds Spanish: in the source, where it must stand inside `_(…)`, and in what a shop in another language says."""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache

from backend.catalog.countries import country_names
from backend.core.texts import translations
from backend.sandbox.gateway.responses import BANKS
from backend.shipping.municipalities import _gazetteer
from tools.messages import messages

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
_NAME = re.compile(r"[a-z_-]+")
SHORTEST_PIECE = 8
"""Letters of a Spanish text that must be found for it to count."""


def spanish_in(text: str, *names: str) -> list[str]:
    """What is Spanish in a text, but for the names of towns and banks and those that are given."""
    text = _any_of(frozenset(names)).sub("…", text)
    return [found[0] for found in _WORD.finditer(text)] + [piece for piece in _pieces() if piece in text]


def bare_spanish(source: str) -> Iterator[str]:
    """The Spanish literals of a module that are not inside `_(…)`: docstrings, examples and parts of patterns aside."""
    tree = ast.parse(source)
    kept: set[int] = set()
    for node in ast.walk(tree):
        if _is_kept(node):
            kept.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in kept:
            is_text = not _NAME.fullmatch(node.value) and _WORD.search(node.value)
            if is_text:
                yield f"line {node.lineno}: {node.value!r}"


def _is_kept(node: ast.AST) -> bool:
    """Whether what is below the node is a translated text, a docstring, or an example in the API's documentation."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return called in {"_", "re.compile"} or called.startswith("log.")
    if isinstance(node, ast.keyword):
        return node.arg in {"examples", "json_schema_extra"}
    if isinstance(node, ast.Assign):
        return any(
            "EXAMPLE" in ast.unparse(target) or ast.unparse(target) == "model_config"
            for target in node.targets
        )
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    """These names, and those of all towns, departments, banks and countries, longest first."""
    towns = {part for town in _gazetteer().by_code.values() for part in (town.name, town.department)}
    known = names | towns | {town.partition(",")[0] for town in towns} | set(BANKS.values())
    known |= set(country_names().values())
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(known, key=len, reverse=True)))})(?!\w)")


@cache
def _pieces() -> tuple[str, ...]:
    """The Spanish texts of the catalogue, cut where they are filled, and without what English says alike."""
    english = translations("en")
    return tuple(
        piece.strip()
        for message in messages()
        if message.id
        for piece, _name, _spec, _conversion in string.Formatter().parse(str(message.id))
        if len(piece.strip()) >= SHORTEST_PIECE and piece.strip() not in str(english.gettext(str(message.id)))
    )

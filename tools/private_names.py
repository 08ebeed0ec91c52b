"""Uses of private names in the tests: such a test breaks when only the internals of another module change.

A name is private if it starts with an underscore. A test may use the private names that it defines itself.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

_PRIVATE = re.compile(r"_+[A-Za-z0-9]\w*(?<!__)")
_PUBLIC = frozenset({"_asdict", "_exit", "_field_defaults", "_fields", "_getframe", "_make", "_replace"})
"""Documented names of named tuples, `os` and `sys`."""

ALLOWED: Mapping[tuple[str, str], str] = {
    ("tests/attacks/frames.py", "_handle_events"): (
        "simple-websocket leaves frames that arrive with the handshake until the next frame"
    ),
    ("tests/storefront/office/test_handlers.py", "_right"): (
        "the right of a screen: browsers would receive a public name of a state"
    ),
    ("tests/storefront/pages/test_account.py", "_address"): (
        "a value of a state that no browser receives must not survive the session either"
    ),
    ("tests/storefront/reflex_ext/test_event_processor.py", "_execute_event"): (
        "the method of Reflex that `ObservedEvents` overrides"
    ),
    ("tests/storefront/reflex_ext/test_patches.py", "_compile_vite_config"): (
        "the patches are checked with the configuration that the installed Reflex generates"
    ),
    (
        "tests/storefront/reflex_ext/test_reflex_contract.py",
        "_cors_allowed_origins",
    ): "a contract of engine.io",
    ("tests/storefront/reflex_ext/test_reflex_contract.py", "_override_base_method"): "a contract of Reflex",
    ("tests/storefront/reflex_ext/test_reflex_contract.py", "_route_events"): "a contract of Reflex",
    ("tests/wire/test_any_input.py", "_test_builder"): (
        "schemathesis has no public function that builds a test of one operation"
    ),
}
"""File and name of each use that has to be, and its reason. A name of a library also needs a contract test.

See `tests/test_library_contracts.py`, and for Reflex `tests/storefront/reflex_ext/test_reflex_contract.py`.
"""


def find_private_uses(
    texts: Mapping[str, str], allowed: Mapping[tuple[str, str], str] = ALLOWED
) -> Iterator[str]:
    """Yield the uses of private names that are not in `allowed`, one line each.

    Also yield the entries of `allowed` that no test uses any more.
    """
    unused = set(allowed)
    for place, text in texts.items():
        for line, name in sorted(set(_iter_uses(ast.parse(text, place)))):
            unused.discard((place, name))
            if (place, name) not in allowed:
                yield f"{place}:{line}: a test must not use the private name {name} of another module"
    yield from (f"tools/private_names.py: {place} no longer uses {name}" for place, name in sorted(unused))


def _iter_uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    nodes = list(ast.walk(tree))
    own, imported = set(_iter_members(nodes)), set(_iter_imported(nodes))
    for node in nodes:
        for name in _iter_names(node, imported):
            if _is_private(name) and name not in own:
                yield getattr(node, "lineno", 0), name
        if isinstance(node, ast.Attribute) and _is_private(node.attr) and _is_foreign(node.value, imported):
            yield node.lineno, node.attr


def _iter_names(node: ast.AST, imported: set[str]) -> Iterator[str]:
    """Yield the names that a node looks up in another object, also `setattr(thing, "name", …)`."""
    if isinstance(node, ast.Attribute) and not _is_foreign(node.value, imported):
        yield node.attr
    elif isinstance(node, ast.ImportFrom):
        yield from (*(node.module or "").split("."), *(alias.name for alias in node.names))
    elif isinstance(node, ast.Import):
        yield from (part for alias in node.names for part in alias.name.split("."))
    elif isinstance(node, ast.Call):
        texts = [one.value if isinstance(one, ast.Constant) else None for one in node.args[:2]]
        if len(texts) == 2 and isinstance(texts[1], str) and texts[0] is None:
            yield texts[1]
        if texts and isinstance(texts[0], str) and re.fullmatch(r"\w+(\.\w+)+", texts[0]):
            yield from texts[0].split(".")


def _iter_members(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names of the members of the module's own classes."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield statement.name
                elif isinstance(statement, ast.AnnAssign | ast.Assign):
                    yield from (
                        name.id
                        for name in ast.walk(statement)
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                    )
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from [node.attr] if ast.unparse(node.value) == "self" else []


def _iter_imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)


def _is_foreign(value: ast.expr, imported: set[str]) -> bool:
    """Return True for an imported name and for `super()`: the module does not define their members."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in imported


def _is_private(name: str) -> bool:
    return name not in _PUBLIC and _PRIVATE.fullmatch(name) is not None

"""Replacement of a module's functions in a running process, as if its source had been changed before the import."""

import ast
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType


class CannotSwap(Exception):
    """The change needs a new import: a function has other variables, or another number of inner functions."""


def swap_functions(path: str, source: str, tree: ast.Module) -> None:
    """Give every function of a module the code of the changed tree.

    Args:
        path: the module's file, as its functions name it.
        source: the unchanged source.
        tree: the changed tree, whose nodes still have their lines.

    Raises:
        CannotSwap: see the class. No function is changed.
    """
    old = list(_iterate_codes(compile(source, path, "exec")))
    new = list(_iterate_codes(compile(tree, path, "exec")))
    if [code.co_qualname for code in old] != [code.co_qualname for code in new]:
        raise CannotSwap
    replacements = {before: after for before, after in zip(old, new, strict=True) if before != after}
    if any(before.co_freevars != after.co_freevars for before, after in replacements.items()):
        raise CannotSwap
    gc.unfreeze()  # tests/conftest.py froze them
    for candidate in gc.get_objects():
        if type(candidate) is FunctionType and candidate.__code__.co_filename == path:
            candidate.__code__ = replacements.get(candidate.__code__, candidate.__code__)
    gc.freeze()


def _iterate_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module and of all its functions and classes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iterate_codes(constant)

"""Replacement of a module's functions in a running process, as if its source had been changed before the import."""

import ast
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType


class CannotSwap(Exception):
    """The functions of this process cannot be changed, so the module must be imported again.

    The change affects the outer variables of a function, or the list of functions and classes; or no function
    of this process has the code of the source.
    """


def swap_functions(path: str, source: str, tree: ast.Module) -> None:
    """Give the existing functions of a module the code of the changed tree.

    Args:
        path: the module's file, as in `co_filename` of its functions.
        source: the unchanged source.
        tree: the changed tree; its nodes have the line numbers of `source`.

    Raises:
        CannotSwap: the module must be imported again.
    """
    old = list(_iterate_codes(compile(source, path, "exec")))
    new = list(_iterate_codes(compile(tree, path, "exec")))
    if [code.co_qualname for code in old] != [code.co_qualname for code in new]:
        raise CannotSwap
    replacements = {before: after for before, after in zip(old, new, strict=True) if before != after}
    if any(before.co_freevars != after.co_freevars for before, after in replacements.items()):
        raise CannotSwap
    gc.unfreeze()  # tests/conftest.py froze them
    functions = [
        one
        for one in gc.get_objects()
        if type(one) is FunctionType and one.__code__.co_filename == path and one.__code__ in replacements
    ]
    gc.freeze()
    for function in functions:
        function.__code__ = replacements[function.__code__]
    if not functions:
        raise CannotSwap


def _iterate_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module and of all its functions and classes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iterate_codes(constant)

"""The mutations of a module: each is one small change of its syntax tree.

A mutant's id is made from its file, function, operator and text, so it stays the same while other code changes.
Texts, annotations, docstrings and log messages are not mutated: no rule depends on them.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import cast

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
BOUNDARIES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
KEPT_DECORATORS = frozenset(
    {
        "dataclass",
        "property",
        "classmethod",
        "staticmethod",
        "cache",
        "override",
        "contextmanager",
        "total_ordering",
    }
)
"""Decorators without a rule of the shop: without most of them nothing works, without a cache everything does."""
LOG_NAMES = frozenset({"log", "logger"})
UNCHECKED_KEYWORDS = frozenset({"strict", "frozen", "slots", "kw_only", "exclude_none", "description"})
"""Keyword arguments that only guard against mistakes in code, or describe it."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MAX_TEXT = 90

NodePath = tuple[tuple[str, int | None], ...]
"""Way from a module to a node: names of fields, and positions in lists."""


@dataclass(frozen=True)
class Mutant:
    """One change of a module.

    Attributes:
        id: digest of the file, the function and the change; it does not depend on line numbers.
        file: the module, relative to the project's root.
        scope: qualified name of the function; empty for code that runs at import.
        line: first line of the changed statement.
        last_line: final line of the statement, without the body of a compound one.
        path: position of the changed node in the tree.
        number: position among the changes of this node.
    """

    id: str
    file: str
    scope: str
    operator: str
    line: int
    last_line: int
    before: str
    after: str
    path: NodePath
    number: int


@dataclass(frozen=True)
class _NodePosition:
    """A node, its path in the tree, the function around it and the lines of its statement."""

    node: ast.AST
    path: NodePath
    scope: str
    lines: tuple[int, int]


def list_mutants(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a module, in the order of its source."""
    found: list[Mutant] = []
    occurrences: Counter[tuple[str, ...]] = Counter()
    for place in _iterate_places(ast.parse(source)):
        for number, (operator, change) in enumerate(_list_changes(place.node)):
            before, after = _describe(place.node), _describe(change)
            identity = (file, place.scope, operator, before, after)
            occurrences[identity] += 1
            digest = hashlib.sha256("\0".join((*identity, str(occurrences[identity]))).encode()).hexdigest()
            found.append(
                Mutant(
                    digest[:10],
                    file,
                    place.scope,
                    operator,
                    *place.lines,
                    _shorten(before),
                    _shorten(after),
                    place.path,
                    number,
                )
            )
    return found


def mutate(source: str, mutant: Mutant) -> ast.Module:
    """Return the tree of a module with the change of a mutant; all other nodes keep their lines."""
    tree = ast.parse(source)
    parent: ast.AST = tree
    for name, position in mutant.path[:-1]:
        parent = _child(parent, name, position)
    name, position = mutant.path[-1]
    node = _child(parent, name, position)
    change = _list_changes(node)[mutant.number][1]
    if isinstance(change, (ast.expr, ast.stmt)) and isinstance(node, (ast.expr, ast.stmt)):
        ast.copy_location(change, node)
    if position is None:
        setattr(parent, name, change)
    else:
        getattr(parent, name)[position] = change
    return ast.fix_missing_locations(tree)


def _child(node: ast.AST, name: str, position: int | None) -> ast.AST:
    value = getattr(node, name)
    return cast(ast.AST, value if position is None else value[position])


def _iterate_places(tree: ast.Module) -> Iterator[_NodePosition]:
    """Yield the nodes of a module that may be changed."""
    yield from _iterate_children(_NodePosition(tree, (), "", (1, 1)), "")


def _iterate_children(parent: _NodePosition, names: str) -> Iterator[_NodePosition]:
    """Yield the nodes below a node.

    Args:
        parent: the node.
        names: qualified name of the class or function around it.
    """
    for name, value in ast.iter_fields(parent.node):
        if name in ("annotation", "returns", "type_params", "bases", "type_comment"):
            continue
        for position, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_skipped(parent.node, name, child):
                continue
            lines = _list_lines(child) if isinstance(child, ast.stmt) else parent.lines
            is_body = name == "body" and isinstance(parent.node, FUNCTIONS)
            scope = names if is_body else parent.scope
            place = _NodePosition(child, (*parent.path, (name, position)), scope, lines)
            yield place
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _iterate_children(place, f"{names}.{child.name}".lstrip("."))
            else:
                yield from _iterate_children(place, names)


def _is_skipped(parent: ast.AST, field: str, node: ast.AST) -> bool:
    """Return True for a node that is never changed, such as an import, a log call, a type or a text."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            skipped = True
        case ast.keyword(arg=name):
            skipped = name in UNCHECKED_KEYWORDS
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))):
            skipped = _name_of(target) in LOG_NAMES
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):  # a type: `int | None`
            skipped = any(isinstance(side, ast.Constant) and side.value is None for side in (left, right))
        case ast.If(test=test):
            skipped = _name_of(test) == "TYPE_CHECKING"
        case _:
            skipped = field == "decorator_list" and _name_of(node) in KEPT_DECORATORS
    is_type = isinstance(parent, ast.Call) and _name_of(parent.func) == "cast" and node in parent.args[:1]
    return skipped or is_type


def _name_of(node: ast.AST) -> str:
    """Return the final part of a name: `job` for `job`, `jobs.job` and `jobs.job(…)`."""
    if isinstance(node, ast.Call):
        return _name_of(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _list_lines(node: ast.stmt) -> tuple[int, int]:
    """Return the numbers of a statement's first and final lines; of one with a body, those of its header."""
    body = getattr(node, "body", None)
    if not body:
        return node.lineno, node.end_lineno or node.lineno
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first, max(node.lineno, body[0].lineno - 1)


def _list_changes(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """Return (operator, changed node) for each mutation of a node."""
    change = CHANGES.get(type(node))
    return change(node) if change else []


def _change_compare(node: ast.Compare) -> list[tuple[str, ast.AST]]:
    changes: list[tuple[str, ast.AST]] = []
    for position, operator in enumerate(node.ops):
        name = "boundary" if isinstance(operator, BOUNDARIES) else "comparison"
        operators = [*node.ops]
        operators[position] = COMPARISONS[type(operator)]()
        changes.append((name, ast.Compare(node.left, operators, node.comparators)))
    return changes


def _change_boolean(node: ast.BoolOp) -> list[tuple[str, ast.AST]]:
    return [("and/or", ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values))]


def _change_unary(node: ast.UnaryOp) -> list[tuple[str, ast.AST]]:
    return [("not", node.operand)] if isinstance(node.op, (ast.Not, ast.Invert)) else []


def _change_arithmetic(node: ast.BinOp) -> list[tuple[str, ast.AST]]:
    other = ARITHMETIC.get(type(node.op))
    is_text = any(
        isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)
    )
    return [("arithmetic", ast.BinOp(node.left, other(), node.right))] if other and not is_text else []


def _change_constant(node: ast.Constant) -> list[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        return [("boolean", ast.Constant(not node.value))]
    if isinstance(node.value, int):
        return [("number", ast.Constant(node.value + step)) for step in (1, -1)]
    return []


def _change_set(node: ast.Set) -> list[tuple[str, ast.AST]]:
    if len(node.elts) < 2:
        return []
    return [("element", ast.Set([*node.elts[:n], *node.elts[n + 1 :]])) for n in range(len(node.elts))]


def _change_test(node: ast.If | ast.While | ast.IfExp) -> list[tuple[str, ast.AST]]:
    if not _is_negatable(node.test):
        return []
    changed = copy(node)
    changed.test = ast.UnaryOp(ast.Not(), node.test)
    return [("condition", changed)]


def _change_comprehension(node: ast.comprehension) -> list[tuple[str, ast.AST]]:
    return [
        (
            "condition",
            ast.comprehension(node.target, node.iter, [*node.ifs[:n], *node.ifs[n + 1 :]], node.is_async),
        )
        for n in range(len(node.ifs))
    ]


def _is_negatable(test: ast.expr) -> bool:
    """Return True unless another operator already negates the condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return False
    return not (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and not isinstance(test.ops[0], BOUNDARIES)
    )


def _change_return(node: ast.Return) -> list[tuple[str, ast.AST]]:
    is_none = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return [] if is_none else [("return", ast.Return(ast.Constant(None)))]


def _remove_raise(_node: ast.AST) -> list[tuple[str, ast.AST]]:
    return [("removed raise", ast.Pass())]


def _remove_jump(_node: ast.AST) -> list[tuple[str, ast.AST]]:
    return [("removed jump", ast.Pass())]


def _remove_expression(node: ast.Expr) -> list[tuple[str, ast.AST]]:
    is_call = isinstance(node.value, (ast.Call, ast.Await))
    return [("removed call", ast.Pass())] if is_call else []


def _remove_assignment(node: ast.Assign) -> list[tuple[str, ast.AST]]:
    """Remove an assignment to an attribute or an item. Assignments to names stay: code cannot run without them."""
    is_name = any(isinstance(target, (ast.Name, ast.Tuple)) for target in node.targets)
    return [] if is_name else [("removed assignment", ast.Pass())]


def _remove_update(node: ast.AugAssign) -> list[tuple[str, ast.AST]]:
    changes: list[tuple[str, ast.AST]] = [("removed assignment", ast.Pass())]
    other = ARITHMETIC.get(type(node.op))
    if other:
        changes.append(("arithmetic", ast.AugAssign(node.target, other(), node.value)))
    return changes


def _change_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[str, ast.AST]]:
    changes: list[tuple[str, ast.AST]] = []
    for position, decorator in enumerate(node.decorator_list):
        if _name_of(decorator) not in KEPT_DECORATORS:
            fields = dict(ast.iter_fields(node))
            fields["decorator_list"] = [*node.decorator_list[:position], *node.decorator_list[position + 1 :]]
            changes.append(("decorator", type(node)(**fields)))
    return changes


CHANGES: dict[type[ast.AST], Callable[..., list[tuple[str, ast.AST]]]] = {
    ast.Compare: _change_compare,
    ast.BoolOp: _change_boolean,
    ast.UnaryOp: _change_unary,
    ast.BinOp: _change_arithmetic,
    ast.Constant: _change_constant,
    ast.Set: _change_set,
    ast.If: _change_test,
    ast.While: _change_test,
    ast.IfExp: _change_test,
    ast.comprehension: _change_comprehension,
    ast.Return: _change_return,
    ast.Raise: _remove_raise,
    ast.Continue: _remove_jump,
    ast.Break: _remove_jump,
    ast.Expr: _remove_expression,
    ast.Assign: _remove_assignment,
    ast.AugAssign: _remove_update,
    ast.FunctionDef: _change_function,
    ast.AsyncFunctionDef: _change_function,
}


def _describe(node: ast.AST) -> str:
    """Return the code of a node on one line; of a compound statement only its head."""
    if isinstance(node, (ast.If, ast.While)):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {ast.unparse(node.test)}"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        decorators = " ".join(f"@{ast.unparse(decorator)}" for decorator in node.decorator_list)
        return f"{decorators} def {node.name}".lstrip()
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"

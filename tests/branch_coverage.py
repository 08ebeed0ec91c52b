"""Measurement of branch coverage: each branch of a measured module begins with a statement that marks it as executed.

The statement is an assignment to one byte. Tracing, or a function call at each line, slows down all tests.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol

import orjson
import pytest

MARKS = "__executed_branches__"
"""Name of the global variable of a measured module that has the marks."""
OUTPUT_KEY = "branches"


class Node(Protocol):
    """A worker of a parallel run, as pytest-xdist passes it to hooks of the controller."""

    workeroutput: dict[str, Any]


class MarkedBranches(ast.NodeTransformer):
    """A transformer that puts a mark into each branch of a syntax tree.

    A condition has two branches, and a loop has one for its body and one for its end.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []
        """The line of each branch's condition, loop or case, by the number of its mark."""

    def visit(self, node: ast.AST) -> Any:
        """Mark the branches of a statement. Branches in expressions are not measured."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Mark both branches, unless the condition is `TYPE_CHECKING`."""
        return node if ast.unparse(node.test).endswith("TYPE_CHECKING") else self._mark_both(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Mark the body, and the end unless the loop is `while True`."""
        return self._mark_both(node, has_end=not isinstance(node.test, ast.Constant))

    def visit_For(self, node: ast.For) -> ast.AST:
        """Mark the body and the end."""
        return self._mark_both(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        """Mark the body and the end."""
        return self._mark_both(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Mark each case, and add a marked one for values that match none of them."""
        last = node.cases[-1]
        is_complete = (
            last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        )
        for case in node.cases:
            case.body.insert(0, self._create_mark(case.pattern.lineno))
        if not is_complete:
            pattern = ast.copy_location(ast.MatchAs(), last.pattern)
            node.cases.append(ast.match_case(pattern, body=[self._create_mark(node.lineno)]))
        return self.generic_visit(node)

    def _mark_both(
        self, node: ast.If | ast.For | ast.AsyncFor | ast.While, *, has_end: bool = True
    ) -> ast.AST:
        node.body.insert(0, self._create_mark(node.lineno))
        if has_end:
            node.orelse.insert(0, self._create_mark(node.lineno))
        return self.generic_visit(node)

    def _create_mark(self, line: int) -> ast.stmt:
        mark = ast.parse(f"{MARKS}[{len(self.lines)}] = 1").body[0]
        ast.increment_lineno(mark, line - 1)
        self.lines.append(line)
        return mark


def mark_branches(source: bytes) -> tuple[ast.AST, list[int]]:
    """Return the tree of a module with marks, and the line of each branch."""
    branches = MarkedBranches()
    tree = branches.visit(ast.parse(source))
    return tree, branches.lines


class _MarkingLoader(SourceFileLoader):
    """Loader that adds marks to a module, and the byte array in which each executed mark sets a byte."""

    def __init__(self, name: str, path: str, marks: dict[str, bytearray]) -> None:
        super().__init__(name, path)
        self._marks = marks

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree, lines = mark_branches(self.get_data(path))
        self._marks.setdefault(path, bytearray(len(lines)))
        return compile(tree, path, "exec", dont_inherit=True)  # type: ignore[call-overload, no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        code = self.get_code(module.__name__)
        setattr(module, MARKS, self._marks[self.path])
        exec(code, module.__dict__)  # as `SourceFileLoader` does


class BranchCoverage(MetaPathFinder):
    """The marks of this process, and the executed branches of workers that have ended."""

    def __init__(self, paths: tuple[Path, ...], root: Path, file: Path) -> None:
        """Set the measured files. Put `self` into `sys.meta_path` to measure modules that are imported from now on.

        Args:
            paths: the measured files and folders.
            root: the folder to which the report's paths are relative.
            file: where the controller writes the report.
        """
        self._files = frozenset(
            str(file) for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))
        )
        self._root = root
        self._file = file
        self._marks: dict[str, bytearray] = {}
        self._executed: dict[str, set[int]] = defaultdict(set)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the module if it is measured."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin not in self._files:
            return None
        spec.loader = _MarkingLoader(fullname, spec.origin, self._marks)
        return spec

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Node) -> None:
        """Add the executed branches of a worker that has ended. A crashed worker reports none."""
        self._add(getattr(node, "workeroutput", {}).get(OUTPUT_KEY, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the executed branches to the controller; in the controller, write the report of the run."""
        self._add({file: _list_executed(marks) for file, marks in self._marks.items()})
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[OUTPUT_KEY] = {file: sorted(found) for file, found in self._executed.items()}
            return
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_bytes(orjson.dumps(self.read_report()))

    def read_report(self) -> dict[str, dict[str, Any]]:
        """Return for each measured file the number of its branches and the lines of those not executed."""
        report = {}
        for file in sorted(self._files):
            _, lines = mark_branches(Path(file).read_bytes())
            missing = [line for number, line in enumerate(lines) if number not in self._executed[file]]
            report[Path(file).relative_to(self._root).as_posix()] = {
                "branches": len(lines),
                "missing": missing,
            }
        return report

    def _add(self, executed: dict[str, Iterable[int]]) -> None:
        for file, numbers in executed.items():
            self._executed[file].update(numbers)


def _list_executed(marks: bytearray) -> list[int]:
    return [number for number, mark in enumerate(marks) if mark]

"""Rules for the English of the project: plain docstrings, names and documents. `tools/lint_rules.py` applies them.

The word lists come from a comparison with httpx, Starlette, FastAPI, Reflex, Authlib and SQLModel, which use none or
nearly none of these forms. Ruff's D401 checks in addition that a function's docstring begins with an imperative verb.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_DIALECT_SHARE = 0.0005
"""Dialect words per word of the docstrings, comments and documents of one package."""

QUESTION_WORD = re.compile(
    r"(What|Who|Whose|Whoever|How|Whether|Which|Where|When|Why|Until|Nothing|Nobody|Somebody|Those|That which"
    r"|One that|So many)\b"
)
NOUN_START = re.compile(
    r"(A|An|The|Its|Their|All|Each|Every|No|It|They|This|These|From|By|At|In|As|For|Of|On)\b"
)
DIALECT = re.compile(
    r"\b(told|tells?|stands?|somebody|nobody|whoever|beside|what came of|in vain|for good|goes by itself|lasts?"
    r"|is said|are said|anew|meanwhile|of which|somewhere else|so many|as it lies|is shown as)\b",
    re.IGNORECASE,
)
BARE_FUNCTION = re.compile(
    r"_?(told|said|shown|asked|kept|begun|judged|wanted|taken|offered|met|over|one|beside|found|given|made|noted"
    r"|left|standing|deciding|looking|turning|asking|unpacking|saying|telling|untold|be_quiet|drop|places?)"
)
BARE_CLASS = re.compile(
    r"_?(Thing|Who|Why|Told|Asked|Wanted|Judged|Shown|Taken|Offered|Somebody|Letter|Understood|Buying|Given|Kept"
    r"|Found|Read|Place|Part|Said|Left|Made)"
)
PRIVATE_CONSTANT = re.compile(
    r"_?(MOST|LONGEST|LEAST|LARGEST|FEWEST|SHORTEST|AT_ONCE|SO_MANY)(_|$)|.*_WITHIN$|.*AT_ONCE"
)
RIDDLE_MODULE = re.compile(
    r"(asked|asking|begun|looking|judging|turning|unpacking|deciding|saying|keeping|telling|finding|saved?|shown"
    r"|bought|offering|leaving|entering|chosen|counted|facts|places|words|people|news|sent|parts|rows|opening)\.py"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule; `reason` says which."""

    place: str
    line: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.reason}: {self.text}"


class WordCount:
    """The number of words in each package, and the places of the `DIALECT` words among them."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.dialect: dict[str, list[Finding]] = {}

    def add(self, place: str, line: int, text: str) -> None:
        """Count the words of a text that begins at `line` of `place`."""
        package = package_of(place)
        self.words[package] += len(text.split())
        self.dialect.setdefault(package, []).extend(
            Finding(place, line + text.count("\n", 0, found.start()), "say it in plain words", found[0])
            for found in DIALECT.finditer(text)
        )

    def find_excess(self) -> Iterator[Finding]:
        """Yield the words of `DIALECT` in each package where their share is above `MAX_DIALECT_SHARE`."""
        for package, findings in self.dialect.items():
            if len(findings) > self.words[package] * MAX_DIALECT_SHARE:
                yield from findings


def find_offences(files: dict[str, str]) -> Iterator[Finding]:
    """Yield the offences in the Python sources and Markdown documents among the files, by path in the project."""
    count = WordCount()
    for place, text in files.items():
        if place.endswith(".py"):
            tree = ast.parse(text, place)
            yield from find_in_tree(place, tree)
            for line, prose in read_prose(tree, text):
                count.add(place, line, prose)
        elif place.endswith(".md"):
            count.add(place, 1, text)
    yield from count.find_excess()


def package_of(place: str) -> str:
    """Return the first two folders of a path, or the first three below `tests`; a dot if there is no folder."""
    parts = Path(place).parent.parts
    return "/".join(parts[: 3 if parts[:1] == ("tests",) else 2]) or "."


def read_prose(tree: ast.Module, source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each docstring, attribute docstring and comment."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def find_in_tree(place: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield the offences in names and in the first lines of docstrings."""
    if RIDDLE_MODULE.fullmatch(Path(place).name):
        yield Finding(place, 1, "name the module after what it holds", Path(place).stem)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if QUESTION_WORD.match(first):
                yield Finding(place, line, "a docstring does not begin with a question word", first)
            elif isinstance(node, Function) and NOUN_START.match(first) and not is_property(node):
                yield Finding(place, line, "a function's docstring begins with a verb", first)
        if isinstance(node, Function) and BARE_FUNCTION.fullmatch(node.name):
            yield Finding(place, line, "name a function by a verb and its object", node.name)
        elif isinstance(node, ast.ClassDef) and BARE_CLASS.fullmatch(node.name):
            yield Finding(place, line, "name a class by the field's noun", node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                Finding(place, line, "name a constant MAX_…, MIN_…, …_TIMEOUT_S, BATCH_SIZE", target.id)
                for target in targets
                if isinstance(target, ast.Name) and target.id.isupper() and PRIVATE_CONSTANT.match(target.id)
            )


def is_property(function: Function) -> bool:
    """Return True if the function is read like an attribute, so that its docstring may be a noun phrase."""
    return any(isinstance(each, ast.Name) and each.id == "property" for each in function.decorator_list)

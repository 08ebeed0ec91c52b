"""Check lint rules that neither ruff nor the import checker knows: `python -m tools.lint_rules`.

- Names that only one module may use. They are found in the syntax tree, so comments and texts may mention them.
- Words that were replaced by the field's own words. They are found in names, comments and documents.
- The English of docstrings, names and documents: see `tools/wording.py`.
- Private names of other modules in tests: see `tools/private_names.py`.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.private_names import find_private_uses
from tools.wording import find_offences

ROOT = Path(__file__).resolve().parent.parent
CHECKED = ("backend", "storefront", "rxconfig.py")


@dataclass(frozen=True)
class Rule:
    """Dotted names, or final parts of names, that only the `allowed` files may use, and the reason."""

    reason: str
    names: frozenset[str]
    allowed: frozenset[str]


RULES = (
    Rule(
        "only backend/core/config/settings.py reads the environment",
        frozenset({"os.environ", "os.environb", "os.getenv", "os.putenv", "dotenv"}),
        frozenset(
            {
                "backend/core/config/settings.py",
                "storefront/server/granian_server.py",
                "storefront/server/toolchain.py",
            }
        ),  # the latter two set variables of libraries, Reflex and npm
    ),
    Rule(
        "only backend/core/db/database.py and backend/core/db/postgresql.py make engines and sessions",
        frozenset({"create_engine", "create_async_engine", "sessionmaker", "async_sessionmaker"}),
        frozenset({"backend/core/db/database.py", "backend/core/db/postgresql.py"}),
    ),
    Rule(
        "only backend/core/money.py formats money",
        frozenset({"format_currency", "format_compact_currency", "format_decimal", "locale.currency"}),
        frozenset({"backend/core/money.py"}),
    ),
    Rule(
        "only backend/core/clock.py asks for the time",
        frozenset({"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}),
        frozenset({"backend/core/clock.py"}),
    ),
)
THOUSANDS = "only backend/core/money.py formats money (a number with thousands separators)"
PRICE_ARITHMETIC = "only backend/pricing.py adds up what something costs"
PRICES = frozenset(
    {
        "unit_price",
        "item_total",
        "shipping_total",
        "tax_total",
        "subtotal",
        "discount_total",
        "tax_rate",
        "line_total",
    }
)
"""Names of prices and totals: multiplying one, or adding two, is the task of `price_cart`."""
AMOUNTS = PRICES | {"amount", "total"}

WORDED = (
    "backend",
    "storefront",
    "tests",
    "tools",
    "assets",
    "docs",
    "README.md",
    "Makefile",
    "pyproject.toml",
)
WORDED_KINDS = frozenset({".py", ".md", ".jsx", ".js", ".css", ".html", ".toml", ""})
NOT_WORDED = (
    *("tools/lint_rules.py", "tests/tools/test_lint_rules.py"),
    *("tools/wording.py", "tests/tools/test_wording.py"),
    "backend/migrations/versions/",
)
"""This list itself, and what is kept as history."""
WORDS = {
    "ask once more": "StateLossMiddleware",
    "attention desk": "attention service",
    "bringing back": "restoring",
    "carriers of": "fulfillment providers",
    "companion": "service",
    "count try": "hit",
    "decisive attempt": "decisive session",
    "document facts": "document meta",
    "follower": "tracker",
    "forgive": "refund",
    "fulfilment": "fulfillment",
    "glance": "version probe",
    "house rule": "lint rule",
    "in one piece": "reconnect patch",
    "inquiry": "check",
    "keeper": "supervisor",
    "lapse": "expire",
    "lapsed": "expired",
    "lock attempt": "lock session",
    "one way door": "import contract",
    "open attempt": "open session",
    "payment desk": "payment service",
    "reckon": "price, compute",
    "reckoning": "totals",
    "remembered answers": "response cache",
    "sighting": "tracking update",
    "take back": "restock",
    "tells end": "is final",
    "with our words": "banner text patch",
}
"""A word that must not come back, and the one that took its place.

It is found as a whole word and as a part of a name (`_desk`, `PaymentDesk`), also with an `s`; a space stands for a
space, an underscore, a hyphen or the capital of a name.
"""


def main() -> None:
    """Print every violation; exit with 1 if there is one."""
    if violations := list(find_all_violations(read_files())):
        print(*violations, sep="\n")
        sys.exit(1)
    print("The lint rules are followed.")


def read_files() -> dict[str, str]:
    """Return the texts of the checked files by their path in the project."""
    files = sorted(
        file for file in {*_iter_files(CHECKED), *_iter_files(WORDED)} if file.suffix in WORDED_KINDS
    )
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in files}


def find_all_violations(texts: dict[str, str]) -> Iterator[str]:
    """Yield the violations in these files, one line each."""
    for place, text in texts.items():
        if place.endswith(".py") and place.startswith(CHECKED):
            yield from find_violations(Path(place), text)
        yield from find_old_words(Path(place), text)
    prose = {place: text for place, text in texts.items() if not place.startswith(NOT_WORDED)}
    yield from map(str, find_offences(prose))
    tests = {
        place: text for place, text in texts.items() if place.startswith("tests/") and place.endswith(".py")
    }
    yield from find_private_uses(tests)


def find_violations(file: Path, source: str) -> Iterator[str]:
    """Yield the violations in the source of `file` (relative to the project), one line each."""
    place = file.as_posix()
    for node in ast.walk(ast.parse(source, place)):
        used = set(_iter_names(node))
        for rule in RULES:
            if place not in rule.allowed and any(_is_used(name, used) for name in rule.names):
                yield f"{place}:{_get_line(node)}: {rule.reason}"
        if _groups_thousands(node) and place != "backend/core/money.py":
            yield f"{place}:{_get_line(node)}: {THOUSANDS}"
        if _has_price_arithmetic(node) and place != "backend/pricing.py":
            yield f"{place}:{_get_line(node)}: {PRICE_ARITHMETIC}"


def find_old_words(file: Path, text: str) -> Iterator[str]:
    """Yield the words in the text of `file` (relative to the project) that `WORDS` replaces, one line each."""
    place = file.as_posix()
    if place.startswith(NOT_WORDED):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for found in _OLD.finditer(line):
            word = _OLD_WORDS[found.lastindex or 0]
            yield f"{place}:{number}: “{found[0]}”: the word is now {WORDS[word]}"


def _to_pattern(word: str) -> str:
    """Return a pattern for `two words` in prose, snake case, kebab case and CamelCase, also as a part of a name."""
    parts = word.split()
    camel = "".join(part.capitalize() for part in parts)
    return rf"((?<![A-Za-z])(?i:{'[ _-]?'.join(parts)}s?)(?![a-z])|(?<=[a-z]){camel}s?(?![a-z]))"


_OLD_WORDS = dict(enumerate(WORDS, 1))
_OLD = re.compile("|".join(map(_to_pattern, WORDS)))


def _iter_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node imports or uses: `os.environ` for the attribute and for `from os import environ`."""
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute):
        yield ast.unparse(node)


def _is_used(name: str, used: set[str]) -> bool:
    return any(candidate == name or candidate.endswith(f".{name}") for candidate in used)


def _groups_thousands(node: ast.AST) -> bool:
    if not isinstance(node, ast.FormattedValue) or not isinstance(node.format_spec, ast.JoinedStr):
        return False
    return any(isinstance(part, ast.Constant) and "," in str(part.value) for part in node.format_spec.values)


def _has_price_arithmetic(node: ast.AST) -> bool:
    """Return True if the node calculates with prices: `line.unit_price * 2`, `sum(line.item_total for …)`."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        is_sum = isinstance(
            node.op, ast.Add | ast.Sub
        )  # a sum needs two amounts: a price plus a limit is none
        return any(map(_is_price, sides)) and (
            not is_sum or all(_get_name(side) in AMOUNTS for side in sides)
        )
    if isinstance(node, ast.AugAssign):
        return _is_price(node.target) or _is_price(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum":
        return any(_is_price(inner) for argument in node.args for inner in ast.walk(argument))
    return False


def _is_price(node: ast.AST) -> bool:
    return _get_name(node) in PRICES


def _get_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _get_line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _iter_files(names: tuple[str, ...]) -> Iterator[Path]:
    for name in names:
        path = ROOT / name
        yield from [path] if path.is_file() else sorted(found for found in path.rglob("*") if found.is_file())


if __name__ == "__main__":
    main()

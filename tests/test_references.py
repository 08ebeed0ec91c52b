"""Every path, dotted name, argument and attribute that a docstring or a document mentions exists."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ("backend", "storefront", "tools", "tests", "rxconfig.py")
TEXTS = ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "deploy", ".github")
PACKAGES = ("backend", "storefront", "tools", "tests")

CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)\s]*)?\)")
PATH = re.compile(r"(?:\.?[\w*{},-]+/)+[\w*{},.-]*|[\w-]+\.(?:py|md|toml|jsx?|yaml|yml|sh|cfg)")
ARGUMENTS = re.compile(r"^Args:\n((?:    .*\n?|\n)+)", re.MULTILINE)
DOTTED_NAME = re.compile(r"([A-Za-z_]\w*(?:\.\w+)+)(?:\(.*\))?")
EXCEPTIONS = frozenset(
    {
        "assets/manifest-*.js",  # the build of the pages writes it
        "docs/api-reference/README.md",  # `make docs` writes it
        "deploy/.env",  # the operator writes it
        "deploy/trompo",  # the name of a Kubernetes deployment
        "storefront.revalidate",  # the kind of a job
    }
)
CREATED_BY_THE_READER = frozenset(
    {
        "backend/office/stock/stock_requests.py",
        "backend/stock_notices/admin_routes.py",
        "backend/stock_notices/answers.py",
        "backend/stock_notices/waiting.py",
        "storefront/office/stock/stock_requests.py",
        "tests/backend/catalog/test_batteries.py",
        "storefront/pages/about/",
        "storefront/pages/about/page.py",
        "tests/backend/stock_notices/test_waiting.py",
        "tests/storefront/office/test_stock_requests_screen.py",
        "tests/storefront/pages/test_about.py",
    }
)
"""Files that the reader of `docs/how-to` writes."""
FOREIGN = ("docs/reflex.md",)
"""Documents of another project's names; `tests/storefront/reflex_ext` checks those."""
PLACEHOLDER = re.compile(r"[<>…$]|\.\.\.")


@cache
def list_tracked() -> frozenset[str]:
    """Return the project's files and folders, as Git knows them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    folders = {parent.as_posix() for file in files for parent in Path(file).parents}
    return frozenset(files) | folders


@dataclass(frozen=True)
class Module:
    """Contents of a Python file that the tests compare. Each file is parsed once."""

    names: frozenset[str]
    classes: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    """Name, attributes and bases of each class."""
    spans: tuple[tuple[int, str], ...]
    """Line and text of each code span in a docstring."""
    unknown_arguments: tuple[str, ...]
    """Names below `Args:` that the function of the docstring does not have."""


@cache
def read_module(path: str) -> Module:
    """Parse a Python file of the project."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    classes: list[tuple[str, frozenset[str], frozenset[str]]] = []
    spans: list[tuple[int, str]] = []
    unknown: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            stored = (
                target.attr
                for target in ast.walk(node)
                if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
            )
            bases = frozenset(base.id for base in node.bases if isinstance(base, ast.Name))
            classes.append((node.name, frozenset([*list_bound(node.body), *stored]), bases))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            unknown += [f"{path}:{node.lineno}: {node.name}: {name}" for name in find_unknown_arguments(node)]
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            spans += [(node.lineno, span) for span in CODE_SPAN.findall(node.value.value)]
    return Module(frozenset(list_bound(tree.body)), tuple(classes), tuple(spans), tuple(unknown))


@cache
def read_names() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the names of each module, by its dotted name, and the attributes of each class, by its name."""
    modules: dict[str, set[str]] = {}
    classes: defaultdict[str, set[str]] = defaultdict(set)
    bases: defaultdict[str, set[str]] = defaultdict(set)
    for path in list_tracked():
        if not path.endswith(".py") or not path.startswith(PACKAGES):
            continue
        module = read_module(path)
        modules[path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")] = set(module.names)
        for name, attributes, parents in module.classes:
            classes[name] |= attributes
            bases[name] |= parents
    for name in list(modules):
        parent, _, child = name.rpartition(".")
        if parent in modules:
            modules[parent].add(child)
    return modules, {name: inherit(name, classes, bases) for name in list(classes)}


def inherit(name: str, classes: dict[str, set[str]], bases: dict[str, set[str]]) -> set[str]:
    """Return the attributes of a class with those of its bases in the project."""
    names = set(classes[name])
    for base in bases[name] & classes.keys() - {name}:
        names |= inherit(base, classes, bases)
    return names


def list_bound(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that these statements define: functions, classes, imports and variables."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.With):
            yield from (
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            )
        elif isinstance(node, ast.If | ast.Try):
            yield from list_bound([*node.body, *node.orelse, *getattr(node, "finalbody", [])])


def find_mentions() -> Iterator[tuple[str, str]]:
    """Yield (place, mention) for each code span and link of docstrings and documents."""
    for path in sorted(list_tracked()):
        file = ROOT / path
        if not file.is_file():
            continue
        if is_own_python(path):
            yield from ((f"{path}:{line}", span) for line, span in read_module(path).spans)
        elif path.startswith(TEXTS) and path.endswith(".md") and path not in FOREIGN:
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                yield from ((f"{path}:{number}", span) for span in CODE_SPAN.findall(line))
                folder = file.parent.relative_to(ROOT)
                for link in LINK.findall(line):
                    yield f"{path}:{number}", resolve_link(folder, link)


def resolve_link(folder: Path, link: str) -> str:
    """Return the target of a link relative to `folder` as a path of the project."""
    return (ROOT / folder / link).resolve().relative_to(ROOT).as_posix()


def is_missing(mention: str) -> bool:
    """Return True if a mention is a path or dotted name of the project that does not exist."""
    return any(map(is_missing_word, mention.split()))


def is_missing_word(word: str) -> bool:
    """Return True if one word of a mention, such as the script of a command, does not exist."""
    if word in EXCEPTIONS | CREATED_BY_THE_READER or PLACEHOLDER.search(word):
        return False
    if PATH.fullmatch(word):
        return is_missing_path(word)
    if match := DOTTED_NAME.fullmatch(word):
        return is_missing_name(match[1])
    return False


def is_missing_path(mention: str) -> bool:
    """Return True if a mention begins with a folder of the project, and one of its paths does not exist."""
    if mention.partition("/")[0] not in list_tracked():
        return False
    options = [part.split(",") for part in re.findall(r"\{([^}]*)\}", mention)]
    plain = re.split(r"\{[^}]*\}", mention.rstrip("/"))
    paths = (
        "".join(chain.from_iterable(zip(plain, (*chosen, ""), strict=True))) for chosen in product(*options)
    )
    return not all(map(is_tracked, paths))


def is_tracked(pattern: str) -> bool:
    """Return True if a path is one of the project's; `*` matches any part of a name, `**` any folders."""
    if "*" not in pattern:
        return pattern in list_tracked()
    shape = re.compile(re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^/]*"))
    return any(map(shape.fullmatch, list_tracked()))


def is_missing_name(dotted: str) -> bool:
    """Return True if a dotted name begins with a package or a class of the project and does not resolve."""
    modules, classes = read_names()
    parts = dotted.split(".")
    if parts[0] in PACKAGES:
        known = max(
            (size for size in range(1, len(parts) + 1) if ".".join(parts[:size]) in modules),
            default=0,
        )
        rest = parts[known:]
        if not rest:
            return False
        if rest[0] not in modules.get(".".join(parts[:known]), set()):
            return True
        return len(rest) > 1 and rest[0] in classes and rest[1] not in classes[rest[0]]
    return parts[0] in classes and parts[1] not in classes[parts[0]]


def is_own_python(path: str) -> bool:
    """Return True for a Python file of the project that is not a migration."""
    return path.startswith(PYTHON) and path.endswith(".py") and "/versions/" not in path


def find_unknown_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names below `Args:` that the function does not have."""
    section = ARGUMENTS.search(ast.get_docstring(function) or "")
    if section is None:
        return []
    known = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    return [name for name in re.findall(r"^    \*{0,2}(\w+):", section[1], re.MULTILINE) if name not in known]


def test_every_path_or_name_mentioned_in_docs_or_docstrings_exists() -> None:
    assert sorted({f"{place}: {mention}" for place, mention in find_mentions() if is_missing(mention)}) == []


def test_every_argument_mentioned_in_a_docstring_exists() -> None:
    modules = (read_module(path) for path in sorted(list_tracked()) if is_own_python(path))
    assert [unknown for module in modules for unknown in module.unknown_arguments] == []


def test_mentions_of_missing_names_are_found() -> None:
    missing = (
        "backend/cart/no_such_module.py",
        "python tools/no_such_tool.py",
        "docs/no-such-page.md",
        "backend/{cart,no_such_package}/service.py",
        "backend.cart.no_such_module",
        "backend.core.errors.NoSuchError",
        "ShopError.no_such_attribute",
    )
    assert [mention for mention in missing if not is_missing(mention)] == []


def test_mentions_of_existing_or_foreign_names_are_not_reported() -> None:
    there = (
        "backend/core/errors.py",
        "backend/{cart,checkout}/",
        "backend/*/models.py",
        "backend.core.errors.ShopError",
        "os.environ",
        "payment.check",
        "/store/carts/{id}",
        "backend/<package>/service.py",
    )
    assert [mention for mention in there if is_missing(mention)] == []

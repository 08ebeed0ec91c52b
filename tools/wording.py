"""Count private language: `python tools/wording.py [KIND …]` (a KIND lists its places).

New code follows the field's English; older code is being rewritten. So each kind has a limit, the count of today, in
`[tool.wording]` of pyproject.toml. The check fails above it. Whoever brings a count down lowers its limit as well.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ("backend", "storefront", "tools", "rxconfig.py")
TESTS = ("tests",)
DOCS = ("docs", "README.md")
SKIPPED = ("backend/migrations/versions/", "tools/wording.py", "tests/tools/test_wording.py")
"""Files that are kept as history, and the word lists themselves."""

QUESTION_WORD = re.compile(
    r"^(What|Who|Whose|Whoever|How|Whether|Which|Where|When|Why|Until|Nothing|Nobody|Somebody|Those|That which"
    r"|One that|So many)\b"
)
NOUN_START = re.compile(
    r"^(A|An|The|Its|Their|All|Each|Every|No|It|They|This|These|From|By|At|In|As|For|Of|On)\b"
)
DIALECT = re.compile(
    r"\b(told|tells?|stands?|somebody|nobody|whoever|beside|what came of|in vain|for good|goes by itself|lasts?"
    r"|is said|are said|anew|meanwhile|of which|somewhere else|so many|as it lies|is shown as)\b",
    re.IGNORECASE,
)
BARE_FUNCTION = re.compile(
    r"^_?(told|said|shown|asked|kept|begun|judged|wanted|taken|offered|met|over|one|beside|found|given|made|noted"
    r"|left|standing|deciding|looking|turning|asking|unpacking|saying|telling|untold|be_quiet|drop|places?)$"
)
BARE_CLASS = re.compile(
    r"^_?(Thing|Who|Why|Told|Asked|Wanted|Judged|Shown|Taken|Offered|Somebody|Letter|Understood|Buying|Given|Kept"
    r"|Found|Read|Place|Part|Said|Left|Made)$"
)
PRIVATE_CONSTANT = re.compile(
    r"^_?(MOST|LONGEST|LEAST|LARGEST|FEWEST|SHORTEST|AT_ONCE|SO_MANY)(_|$)|_WITHIN$|AT_ONCE"
)
RIDDLE_MODULE = re.compile(
    r"(asked|asking|begun|looking|judging|turning|unpacking|deciding|saying|keeping|telling|finding|saved?|shown"
    r"|bought|offering|leaving|entering|chosen|counted|facts|places|words|people|news|sent|parts|rows|opening)\.py"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Finding:
    """A place where the wording breaks a rule of one kind."""

    kind: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def main(kinds: list[str]) -> None:
    """Print the counts beside their limits and the places of `kinds`; exit with 1 above a limit."""
    findings = list(find_all())
    for finding in findings:
        if finding.kind in kinds:
            print(finding)
    counts = Counter(finding.kind for finding in findings)
    limits = read_limits()
    for kind, limit in limits.items():
        print(f"{kind:>28}: {counts[kind]:>5} of at most {limit}")
    if unknown := sorted(counts.keys() - limits.keys()):
        sys.exit(f"No limit in pyproject.toml for: {', '.join(unknown)}")
    if above := [kind for kind, limit in limits.items() if counts[kind] > limit]:
        sys.exit(
            f"More private language than before: {', '.join(above)}. "
            f"`python tools/wording.py {above[0]}` lists all; reword those of your change."
        )


def read_limits() -> dict[str, int]:
    """Return the limit of each kind."""
    limits: dict[str, int] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["wording"]
    return limits


def find_all() -> Iterator[Finding]:
    """Find the places of all kinds in the program, its tests and its documents."""
    for file in list_files(PROGRAM, ".py"):
        yield from find_in_python(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"), "")
    for file in list_files(TESTS, ".py"):
        yield from find_in_python(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"), "tests_")
    for file in list_files(DOCS, ".md"):
        yield from find_in_text(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))
    yield from find_not_imperative()


def list_files(places: tuple[str, ...], suffix: str) -> Iterator[Path]:
    """List the files with this suffix in `places`, folders or files of the project."""
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob(f"*{suffix}")) if path.is_dir() else [path]:
            if not file.relative_to(ROOT).as_posix().startswith(SKIPPED):
                yield file


def find_in_python(place: str, source: str, prefix: str) -> Iterator[Finding]:
    """Find all kinds but that of ruff in the source of `place`; `prefix` begins each kind's name."""
    if RIDDLE_MODULE.fullmatch(Path(place).name):
        yield Finding(f"{prefix}riddle_modules", place, Path(place).stem)
    for node in ast.walk(ast.parse(source, place)):
        at = f"{place}:{getattr(node, 'lineno', 1)}"
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            yield from (
                Finding(prefix + kind, at, text)
                for kind, text in find_in_docstring(ast.get_docstring(node) or "", isinstance(node, Function))
            )
        if isinstance(node, Function) and BARE_FUNCTION.match(node.name):
            yield Finding(f"{prefix}bare_functions", at, node.name)
        elif isinstance(node, ast.ClassDef) and BARE_CLASS.match(node.name):
            yield Finding(f"{prefix}bare_classes", at, node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if (
                    isinstance(target, ast.Name)
                    and target.id.isupper()
                    and PRIVATE_CONSTANT.search(target.id)
                ):
                    yield Finding(f"{prefix}private_constants", at, target.id)


def find_in_docstring(docstring: str, is_function: bool) -> Iterator[tuple[str, str]]:
    """Find a first line that asks or (of a function) names a thing, and dialect words: (kind, text)."""
    first = docstring.split("\n", 1)[0]
    if QUESTION_WORD.match(first):
        yield "question_words", first
    elif is_function and NOUN_START.match(first):
        yield "noun_starts", first
    for word in DIALECT.findall(docstring):
        yield "dialect_words", word


def find_in_text(place: str, text: str) -> Iterator[Finding]:
    """Find dialect words in a document."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in DIALECT.findall(line):
            yield Finding("docs_dialect_words", f"{place}:{number}", word)


def find_not_imperative() -> Iterator[Finding]:
    """Find the function docstrings that do not start with a verb in the imperative (ruff's D401)."""
    command = [sys.executable, "-m", "ruff", "check", "--select=D401", "--output-format=json", "--exit-zero"]
    answer = subprocess.run([*command, *PROGRAM], cwd=ROOT, capture_output=True, check=True)
    for found in json.loads(answer.stdout):
        place = Path(found["filename"]).relative_to(ROOT).as_posix()
        yield Finding("not_imperative", f"{place}:{found['location']['row']}", found["message"])


if __name__ == "__main__":
    main(sys.argv[1:])

"""Finds code that nothing but its tests uses: `python tools/dead_code.py`.

`vulture` finds the names that the packages define and never use; the tests do not count as a use. What a framework
calls by itself is told to it in `pyproject.toml`, by name or by decorator. The fields of a class that inherits are not
looked at: another program reads them (a wire shape, a table, a component's property). Nor are imports: ruff does that.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print every unused name; exit with 1 when there is one."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        config = tomllib.load(file)["tool"]["vulture"]
    unused = list(dead_code(config))
    for line in unused:
        print(line)
    if unused:
        sys.exit(1)
    print("Everything is used.")


def dead_code(config: dict[str, list[str]]) -> Iterator[str]:
    """The unused names of the project, one line each, as `[tool.vulture]` in `config` tells vulture to look."""
    vulture = Vulture(ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"])
    vulture.scavenge([str(ROOT / path) for path in config["paths"]], exclude=config["exclude"])
    fields: dict[Path, set[int]] = {}
    for item in vulture.get_unused_code():
        file = Path(item.filename)
        if file not in fields:
            fields[file] = set(_inherited_fields(file.read_text("utf-8")))
        if item.typ == "import" or (item.typ == "variable" and item.first_lineno in fields[file]):
            continue
        yield f"{file.relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name}"


def _inherited_fields(source: str) -> Iterator[int]:
    """The lines where classes with a base define their fields."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.bases:
            yield from (field.lineno for field in node.body if isinstance(field, ast.Assign | ast.AnnAssign))


if __name__ == "__main__":
    main()

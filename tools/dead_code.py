"""Find code that only its tests use: `python tools/dead_code.py`.

`vulture` finds names that the packages define and never use; tests do not count as a use. `pyproject.toml` lists,
by name or by decorator, what frameworks call. Fields of classes with a base are skipped, because other programs
read them (a type of the API, a table, a component's property). Imports are skipped, because ruff checks them.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print every unused name; exit with 1 if there is one."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        config = tomllib.load(file)["tool"]["vulture"]
    unused = list(find_dead_code(config))
    for line in unused:
        print(line)
    if unused:
        sys.exit(1)
    print("Everything is used.")


def find_dead_code(config: dict[str, list[str]]) -> Iterator[str]:
    """Yield the unused names of the project, one line each; `config` is `[tool.vulture]`."""
    vulture = Vulture(ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"])
    vulture.scavenge([str(ROOT / path) for path in config["paths"]], exclude=config["exclude"])
    fields: dict[Path, set[int]] = {}
    for item in vulture.get_unused_code():
        file = Path(item.filename)
        if file not in fields:
            fields[file] = set(_iter_inherited_field_lines(file.read_text("utf-8")))
        if item.typ == "import" or (item.typ == "variable" and item.first_lineno in fields[file]):
            continue
        yield f"{file.relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name}"


def _iter_inherited_field_lines(source: str) -> Iterator[int]:
    """Yield the lines of fields in classes with a base, because the base may use these fields."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.bases:
            yield from (field.lineno for field in node.body if isinstance(field, ast.Assign | ast.AnnAssign))


if __name__ == "__main__":
    main()

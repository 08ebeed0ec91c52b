"""Pages of the API reference, from the app's OpenAPI document: one for each group of routes, and one of all types."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from backend.app import create_api
from backend.core.config.settings import Settings
from backend.edge.api_docs import METHODS, VARIABLES, curl, example_of
from backend.shop import Shop

Document = dict[str, Any]
"""The OpenAPI document, or a part of it."""

ERRORS = "Refusal"
"""Type of the answers to a refused request. They are the same for all routes, so only the first page lists them."""
PREAMBLE = """\
# Routes and types

These pages are generated from the code. A running shop has the same at `/docs`, and for programs at `/openapi.json`.
[The API](../api.md) explains the differences from the commerce platform, and [accounts](../accounts.md) how programs
sign in.

"""


def read_document() -> Document:
    """Return the OpenAPI document of a shop with default settings."""
    with TemporaryDirectory() as folder:
        return create_api(Shop(Settings(data_dir=Path(folder)))).openapi()


def write_api_pages(folder: Path) -> None:
    """Write all pages into the folder."""
    folder.mkdir(parents=True)
    for name, text in build_pages(read_document()).items():
        (folder / f"{name}.md").write_text(text, "utf-8")


def build_pages(document: Document) -> dict[str, str]:
    """Return the Markdown of each page by its name."""
    groups: dict[str, list[str]] = defaultdict(list)
    errors: dict[str, str] = {}
    for path, operations in sorted(document["paths"].items()):
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                group = operation.get("tags", ["other"])[0]
                groups[group].append(_format_operation(document, method, path, operation))
                errors |= _list_errors(operation)
    pages = {
        _to_name(group): f"# {group[0].upper()}{group[1:]}\n\n" + "\n".join(routes)
        for group, routes in sorted(groups.items())
    }
    variables = "".join(f"- `${name}`: {meaning}\n" for name, meaning in VARIABLES.items())
    pages["README"] = "".join(
        (
            PREAMBLE,
            f"The examples run in a shell that knows:\n\n{variables}- the ids of their paths\n\n",
            "A refused request gets one of these answers, of the type [Refusal](#schema-refusal):\n\n",
            _format_table(("status", "meaning"), sorted(errors.items())),
            "\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join((*pages, "types")) + "\n```\n",
        )
    )
    pages["types"] = "# Types\n\n" + "\n".join(
        _format_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())
    )
    return pages


def _to_name(group: str) -> str:
    return re.sub(r"\W+", "-", group)


def _list_errors(operation: Document) -> dict[str, str]:
    return {
        f"`{status}`": answer["description"]
        for status, answer in operation["responses"].items()
        if ERRORS in json.dumps(answer)
    }


def _format_operation(document: Document, method: str, path: str, operation: Document) -> str:
    parts = [f"## {method.upper()} `{path}`", _clean(operation.get("description", ""))]
    if parameters := operation.get("parameters"):
        rows = [
            (
                f"`{each['name']}`",
                f"{each['in']}{', required' if each.get('required') else ''}",
                _format_type(each["schema"]),
                each.get("description", ""),
            )
            for each in parameters
        ]
        parts.append(_format_table(("parameter", "in", "type", "meaning"), rows))
    if body := operation.get("requestBody"):
        parts.append(f"Body: {_format_contents(body)}.")
    if example_of(document, operation) is not None:
        parts.append(f"```sh\n{curl(document, method, path, operation)}\n```")
    answers = [
        f"- `{status}`: {_format_contents(answer) or _clean(answer['description'])}"
        for status, answer in operation["responses"].items()
        if ERRORS not in json.dumps(answer)
    ]
    parts.append("Answers:\n\n" + "\n".join(answers))
    return "\n\n".join(filter(None, parts)) + "\n"


def _format_contents(part: Document) -> str:
    """Format the schema types of a body or an answer, with the media type if it is not JSON."""
    types = (
        f"{_format_type(content['schema'])}{'' if kind == 'application/json' else f' (`{kind}`)'}"
        for kind, content in part.get("content", {}).items()
        if content.get("schema")
    )
    return " or ".join(types)


def _format_schema(name: str, schema: Document) -> str:
    parts = [f"(schema-{name.lower()})=\n## {name}", _clean(schema.get("description", ""))]
    required = set(schema.get("required", ()))
    if properties := schema.get("properties"):
        rows = [
            (
                f"`{field}`{' (required)' if field in required else ''}",
                _format_type(each),
                each.get("description", ""),
            )
            for field, each in properties.items()
        ]
        parts.append(_format_table(("field", "type", "meaning"), rows))
    else:
        parts.append(f"{_format_type(schema)}.")
    return "\n\n".join(filter(None, parts)) + "\n"


def _format_type(schema: Document) -> str:
    """Return a type in words, with links to the named types."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#schema-{name.lower()})"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_format_type, options)))
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if schema.get("type") == "array":
        return f"list of {_format_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "anything"))


def _format_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = (heads, ("---",) * len(heads), *rows)
    return "\n".join(f"| {' | '.join(map(_to_cell, line))} |" for line in lines) + "\n"


def _to_cell(text: str) -> str:
    return _clean(text).replace("\n", " ").replace("|", "\\|")


def _clean(text: str) -> str:
    """Return the text with `<` escaped, so that no part of it is HTML."""
    return text.strip().replace("<", "&lt;")

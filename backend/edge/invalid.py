"""What is wrong with a request, in the platform's words (wire: commerce-api, Error bodies)."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_PROBLEMS = 3
MAX_SHOWN = 100

Problem = Mapping[str, Any]

_EXPECTED_TYPES = {
    "string": "string",
    "int": "number",
    "float": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "model": "object",
}
_TOO_SMALL = {
    "greater_than": "gt",
    "greater_than_equal": "ge",
    "too_short": "min_length",
    "string_too_short": "min_length",
}
_TOO_LARGE = {
    "less_than": "lt",
    "less_than_equal": "le",
    "too_long": "max_length",
    "string_too_long": "max_length",
}


def complaint(problems: Iterable[Problem]) -> str:
    """The first problems in one line."""
    problems = list(problems)
    for problem in problems:
        if problem["type"] == "json_invalid":
            return f"{problem['ctx']['error'].capitalize()} in JSON at position {problem['loc'][-1]}"
    unknown = [str(problem["loc"][-1]) for problem in problems if problem["type"] == "extra_forbidden"]
    lines = [_line(problem) for problem in problems if problem["type"] != "extra_forbidden"]
    if unknown:
        lines.insert(0, f"Unrecognized fields: '{', '.join(unknown)}'")
    return "Invalid request: " + "; ".join(lines[:MAX_PROBLEMS])


def _line(problem: Problem) -> str:
    kind, field = problem["type"], _field(problem)
    if kind == "missing":
        return f"Field '{field}' is required"
    if kind in ("literal_error", "enum"):
        return f"Expected: '{_choices(problem)}' for field '{field}', but got: '{_shown(problem['input'])}'"
    for kinds, words in ((_TOO_SMALL, "small, expected at least"), (_TOO_LARGE, "large, expected at most")):
        if kind in kinds:
            return f"Value for field '{field}' too {words}: '{problem['ctx'][kinds[kind]]}'"
    expected = _EXPECTED_TYPES.get(kind.partition("_")[0])
    if expected is not None and kind.partition("_")[2] in (
        "type",
        "parsing",
        "from_float",
        "attributes_type",
    ):
        return f"Expected type: '{expected}' for field '{field}', got: '{_shown(problem['input'])}'"
    if kind == "wire":  # said by a validator of ours, as a whole sentence
        return str(problem["msg"])
    return f"{problem['msg']} for field '{field}'"


def _field(problem: Problem) -> str:
    """The path to the field; the whole body has none. Steps in brackets only say which of several shapes it has."""
    steps = [str(step) for step in problem["loc"][1:]]
    return ", ".join(step for step in steps if not step.startswith("(")) or "body"


def _choices(problem: Problem) -> str:
    return ", ".join(re.findall(r"'([^']*)'", problem["ctx"]["expected"]))


def _shown(value: Any) -> str:
    names: dict[type, Callable[[Any], str]] = {
        dict: lambda _: "object",
        list: lambda _: "array",
        type(None): lambda _: "null",
        bool: lambda flag: str(flag).lower(),
    }
    show = names.get(type(value), str)
    return "".join(c if c.isprintable() else "�" for c in show(value)[:MAX_SHOWN])

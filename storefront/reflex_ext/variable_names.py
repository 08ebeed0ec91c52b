"""Names of a state's variables in the browser: Reflex appends a marker to each name."""

from collections.abc import Mapping
from typing import Any

from reflex_base.constants.state import FIELD_MARKER


def to_browser_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by their names in the browser."""
    return {name + FIELD_MARKER: value for name, value in values.items()}


def from_browser_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by their Python names."""
    return {name.removesuffix(FIELD_MARKER): value for name, value in values.items()}
